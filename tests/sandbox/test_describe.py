"""Descriptions of texts: found in a sealed child, and the same on every Python version."""

from __future__ import annotations

import pytest
from gapsmith.sandbox.base import Constant, Statement
from gapsmith.sandbox.slot import Slot

TEXT = '''"""A module."""
import heapq  # a comment
from numpy.linalg import norm


def f(xs, *, k=3):
    """Sorts."""

    best = 1.5e0
    for x in xs:
        if x > -2 and x != k:
            best += x * 0x10
    return [norm(y) for y in xs], f"{best:.3f} of {len(xs)!r} {'é'}", lambda: best
'''
PLAIN = """import heapq
from numpy.linalg import norm
def f(xs,*,k=3):
  best=1.5e0
  for x in xs:
        if x>-2 and \\
           x!=k:
            best+=x*0x10
  return [ norm(y) for y in xs ],f"{best:.3f} of {len(xs)!r} {'é'}",lambda:best"""


def test_description_of_a_text(slot: Slot) -> None:
    """Imports, counts, constants and statements are those of the text."""
    found = slot.describe(TEXT, "f")
    assert found.error is None
    assert found.entry_point
    assert found.imports == ("heapq", "numpy")
    assert dict(found.descriptors) == {
        "loops": 1, "branches": 1, "calls": 2, "functions": 2, "comprehensions": 1, "operators": 5,
        "constants": 4, "names": 7,
    }  # fmt: skip
    assert found.constants == (
        Constant(6, 15, 16, "3"),
        Constant(9, 11, 16, "1.5e0"),
        Constant(11, 16, 17, "2"),
        Constant(12, 24, 28, "0x10"),
    )
    assert found.statements[0] == Statement(1, 1, "Expr", 0)
    assert Statement(12, 12, "AugAssign", 3) in found.statements


def test_identity_ignores_what_does_not_count(slot: Slot) -> None:
    """Comments, blank lines, docstrings and layout do not change the digest; code does."""
    digest = slot.describe(TEXT, "f").token_digest
    same = (PLAIN, TEXT.replace("\n", "\r\n"), TEXT + "\n\n# end", TEXT.replace("    ", "\t"))
    assert {slot.describe(text, "f").token_digest for text in same} == {digest}
    others = (TEXT.replace("0x10", "16"), TEXT.replace(".3f", ".4f"), TEXT.replace("best +=", "best -="))
    assert len({digest, *(slot.describe(text, "f").token_digest for text in others)}) == 4


def test_identity_is_the_same_on_every_python(slot: Slot) -> None:
    """The digest of a text with f-strings is the recorded one on every supported version."""
    recorded = "54d69b34f31254bf5da79537227f3a67993c3685f9fb9a187a116106185468e0"
    assert slot.describe(TEXT, "f").token_digest == recorded


def test_nesting_decides_the_identity(slot: Slot) -> None:
    """Two texts of the same words in other blocks are two candidates."""
    one = "def f(x):\n    if x:\n        x = 1\n    x = 2\n"
    two = "def f(x):\n    if x:\n        x = 1\n        x = 2\n"
    assert slot.describe(one, "f").token_digest != slot.describe(two, "f").token_digest


@pytest.mark.parametrize(
    ("text", "line", "too_large"),
    [
        ("def f(:", 1, False),
        ("x = 1\n  y = 2", 2, False),
        ("x = '\ud800'", None, False),
        ("x = 1\0", None, False),
        ("# coding: utf-7\nx = 1", 1, False),
        ("(" * 5000, 1, False),
        ("x = " + "-" * 50_000 + "1", None, True),
        ("x = " + "[" * 150 + "]" * 150, None, True),
        ("x = [" + "1," * 20_000 + "]", None, True),
        ("#" * 65_537, None, True),
        ("x = " + "+".join(["1"] * 5000), None, True),
    ],
)
def test_texts_that_are_no_candidates(slot: Slot, text: str, line: int | None, too_large: bool) -> None:
    """Broken, odd, deep and huge texts are described as such; none of them ends the server."""
    pid = slot.server.pid
    found = slot.describe(text, "f")
    assert found.error
    assert (found.token_digest, found.too_large) == (None, too_large)
    assert line is None or found.error_line == line
    assert slot.server.pid == pid


def test_errors_are_fit_for_a_prompt(slot: Slot) -> None:
    """What the parser quotes of a text is cleaned like everything that a candidate says."""
    found = slot.describe("x = 1 \u202e 2", "f")
    assert found.error
    assert found.error.isprintable()


def test_nothing_of_a_text_is_run(slot: Slot) -> None:
    """A text that would never end, or end the process, is described like any other."""
    assert slot.describe("while True: pass\nf = 1", "f").entry_point
    assert not slot.describe("raise SystemExit\ndef g(): pass", "f").entry_point


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing", '"""Only a docstring."""'])
def test_empty_texts_have_one_identity(slot: Slot, text: str) -> None:
    """Texts without a token are texts all the same, and equal."""
    found = slot.describe(text, "f")
    assert found.error is None
    assert found.token_digest == slot.describe("", "f").token_digest


@pytest.mark.parametrize(
    "body", ["return f.__doc__", "return getattr(f, '__doc__')", "return f.__code__.co_consts[0]", "return 1"]
)
def test_docstrings_count_where_they_are_read(slot: Slot, body: str) -> None:
    """Two texts that differ in a docstring alone are one program, unless the program can read it."""
    first, second = (slot.describe(f'def f():\n    """{words}"""\n    {body}\n', "f") for words in ("a", "b"))
    read = body != "return 1"
    assert (first.token_digest != second.token_digest) is read
    assert (first.shape_digest != second.shape_digest) is read
    assert first.plain_digest == second.plain_digest
    assert read or first.plain_digest == first.token_digest

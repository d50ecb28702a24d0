"""What a text must be to become a candidate."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from gapsmith.evolve.admission import Admission
from gapsmith.evolve.types import Examination, RejectionReason
from gapsmith.sandbox.base import Description
from gapsmith.sandbox.unseen import name_of, unseen
from hypothesis import given
from hypothesis import strategies as st


def _admission() -> Admission:
    """A door whose sandbox finds nothing wrong with any text."""
    described = Description(entry_point=True, token_digest="0" * 64)
    return Admission(cast(Any, SimpleNamespace(describe=lambda text, name: described)), "f", ())


@given(st.characters(exclude_categories=[]), st.integers(0, 3), st.integers(0, 5))
def test_a_program_holds_no_unseen_character(character: str, line: int, column: int) -> None:
    """Over all of Unicode: such a character is refused with its place, and no other one is."""
    found = _admission().examine({"f.py": "\n" * line + "#" * column + character + "#\n"})
    if not unseen(character) or character in "\n\t":
        assert isinstance(found, Examination)
        return
    reason, excerpt = cast(tuple[RejectionReason, str], found)
    assert reason is RejectionReason.UNSEEN_CHARACTER
    assert excerpt.startswith(f"f.py, line {line + 1}, column {column + 1}: {name_of(character)}")
    assert not any(map(unseen, excerpt))


@pytest.mark.parametrize("text", ["def f():\r\n\treturn 'naïve – 日本 ☺ é'\r\n", "x = '\\u202e\\ufe0f'\n"])
def test_what_is_seen_is_admitted(text: str) -> None:
    """Letters of any script, signs, tabs, Windows line ends and escapes are no reason to refuse."""
    assert isinstance(_admission().examine({"f.py": text}), Examination)

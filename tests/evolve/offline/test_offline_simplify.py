"""Simplification: reduced variants are smaller and sound, and the loop keeps only what is accepted."""

from __future__ import annotations

import ast

import pytest
from gapsmith.evolve.syntax.simplify import simplify, variants

BLOATED = '''
def helper(a):
    return a

def rule(x: float, y: float) -> float:
    """A rule."""
    unused = x * 3
    shift = 0.123456 * y
    value = 1 * (x + 0) + shift
    if not not x > 2:
        value = value + 0
    return max(value, value - 5)
'''


def run(text: str, x: float, y: float) -> float:
    """Value of a rule that this file wrote itself."""
    space: dict[str, object] = {}
    exec(text, space)
    return space["rule"](x, y)  # type: ignore[operator, no-any-return]


def test_variants_keep_the_interface_and_are_distinct() -> None:
    """Every variant parses, differs from the text and from the others, and keeps the signature."""
    found = variants(BLOATED, "rule")
    assert len(found) == len(set(found)) > 10
    for text in found:
        rule = next(n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.name == "rule")
        assert ast.unparse(rule.args) == "x: float, y: float"


def test_variants_come_smallest_first() -> None:
    """Numbers of syntax nodes ascend."""
    sizes = [len(list(ast.walk(ast.parse(text)))) for text in variants(BLOATED, "rule")]
    assert sizes == sorted(sizes)


def test_dead_code_goes_and_behaviour_stays() -> None:
    """With equality on a grid as the judge, the rule shrinks to what matters."""
    grid = [(x, y) for x in (0.0, 1.0, 2.5, 7.0) for y in (-1.0, 0.0, 3.0)]
    wanted = [run(BLOATED, *point) for point in grid]

    def accept(text: str) -> bool:
        return all(abs(run(text, *point) - value) < 2e-2 for point, value in zip(grid, wanted, strict=True))

    done = simplify(BLOATED, "rule", accept, limit=500)
    assert accept(done.text)
    assert "helper" not in done.text
    assert "unused" not in done.text
    assert "if" not in done.text
    assert "0.12 *" in done.text
    assert len(done.text) < len(BLOATED) / 2


def test_nothing_accepted_leaves_the_text() -> None:
    """A judge that refuses all gets every variant once and the text stays."""
    seen: list[str] = []

    def accept(text: str) -> bool:
        seen.append(text)
        return False

    done = simplify(BLOATED, "rule", accept, limit=10_000)
    assert (done.text, done.accepted, done.tried) == (BLOATED, 0, len(seen))
    assert len(seen) == len(set(seen))


@pytest.mark.slow
def test_limit_counts_calls() -> None:
    """No more calls than the limit, even though more variants exist."""
    calls = []
    done = simplify(BLOATED, "rule", lambda text: bool(calls.append(text)), limit=3)
    assert done.tried == len(calls) == 3


def test_inlining_respects_order_of_effects() -> None:
    """A value is not moved past a statement that could change what it reads."""
    text = "def rule(a):\n    first = a[0]\n    a.reverse()\n    return first + a[0]\n"
    assert all(
        "return a[0] + a[0]" not in variant or "first = " in variant for variant in variants(text, "rule")
    )


def test_making_variants_ends_with_its_time() -> None:
    """A program near the caps, whose variants take minutes, is given up where the seconds are used up."""
    text = (
        "def rule(x):\n"
        + "".join(f"    x = x + {i} if x > {i} else x\n" for i in range(1000))
        + "    return x\n"
    )
    done = simplify(text, "rule", lambda variant: True, limit=3, seconds=0.0)
    assert (done.text, done.tried, done.complete) == (text, 0, False)

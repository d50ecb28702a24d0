"""Values that functions of a short problem use and that no text can, or may, bring along."""

from __future__ import annotations

from pathlib import Path

import pytest
from gapsmith.app.errors import UserError
from gapsmith.app.plugins.loader import load_problem

TEXT = '''
"""Choose items."""
import gapsmith
{before}
problem = gapsmith.problem("my-items", minimise="units", answer=gapsmith.Subset("items"))


@problem.instances
def draw(rng, *, n: int = 5):
    return {{"items": [rng.randint(1, 9) for _ in range(n)]}}


@problem.heuristic
def first(items):
    A
    return list(range(len(items)))


@problem.objective
def cost(answer, items):
    return sum(items[i] for i in answer)
'''
ENDLESS = {
    "a list that holds itself": "A = []\nA.append(A)",
    "a dictionary that holds itself": "A = {}\nA['a'] = A",
    "a tuple that holds itself": "B = []\nA = (B,)\nB.append(A)",
    "two lists": "B = []\nA = [B]\nB.append(A)",
    "a hundred thousand levels": "A = []\nfor _ in range(100_000): A = [A]",
    "forty doublings": "A = [0]\nfor _ in range(40): A = [A, A]",
    "forty doublings of a dictionary": "A = {}\nfor _ in range(40): A = {1: A, 2: A}",
    "three million numbers": "A = list(range(3_000_000))",
    "a long text": "A = 'x' * 50_000_000",
    "many long texts": "A = ['x' * 1000] * 1000",
    "a number of many digits": "A = 10 ** 5000",
    "a number of millions of digits": "A = 1 << 50_000_000",
    "a fraction of many digits": "from fractions import Fraction\nA = Fraction(1, 10 ** 5000)",
    "such a key": "A = {10 ** 5000: 1}",
    "large bytes": "A = bytes(100_000)",
}


def _load(tmp_path: Path, before: str) -> str:
    file = tmp_path / "items.py"
    file.write_text(TEXT.format(before=before))
    return next(iter(load_problem(str(file)).problem.start_programs().values()))


@pytest.mark.parametrize("name", ENDLESS)
def test_a_value_without_a_fitting_text_is_named(tmp_path: Path, name: str) -> None:
    """At once, whatever its text would be, and with what to do."""
    with pytest.raises(
        UserError, match=r"heuristic first: uses A, whose text has no end, too many levels"
    ) as caught:
        _load(tmp_path, ENDLESS[name])
    assert len(str(caught.value)) < 400


CALLED = "class M:\n    def __call__(self): return 1\nA = M()\n"
FORGED = {
    "module of an object": CALLED + "A.__qualname__ = 'x'\nA.__module__ = 'os; import evil'",
    "name of an object": CALLED + "A.__module__ = 'os'\nA.__qualname__ = 'x\\nimport evil'",
    "module of a function": "def A(): return 1\nA.__module__ = 'os\\nimport evil'",
    "name of a module": "import types\nA = types.ModuleType('os\\nimport evil')",
    "star": CALLED + "A.__module__ = 'evil'\nA.__qualname__ = '*'",
}


@pytest.mark.parametrize("name", FORGED)
def test_a_name_becomes_no_statement(tmp_path: Path, name: str) -> None:
    """What an object says it is called, or comes from, is a name or is not used."""
    said = ""
    text = ""
    try:
        text = _load(tmp_path, FORGED[name])
    except UserError as error:
        said = str(error)
    assert "which no text can bring along" in said or ("evil" not in text and text)


@pytest.mark.parametrize(
    "before", ["A = [0] * 1000", "A = {1: [2, (3,)]}", "A = range(10 ** 18)", "import os.path as A"]
)
def test_a_plain_value_comes_along(tmp_path: Path, before: str) -> None:
    """The bounds leave usual values alone."""
    assert "A" in _load(tmp_path, before).split("def first")[0]

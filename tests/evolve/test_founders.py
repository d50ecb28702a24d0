"""Slow founders are no incumbents of quick programs until a child is better."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gapsmith.evolve.racing import SlowFounders


def _elite(id: str, fitness: float) -> Any:
    return SimpleNamespace(candidate=SimpleNamespace(id=id, parents=()), fitness=fitness)


def test_a_slow_founder_is_barred_for_descendants_of_quick_ones_until_it_is_beaten() -> None:
    """The founder at the end of the chain of parents decides, by recorded times alone."""
    rule, search = _elite("rule", -0.5), _elite("search", -0.1)
    child = SimpleNamespace(id="child", parents=("rule",))
    grandchild = SimpleNamespace(id="grandchild", parents=("child",))
    memory: Any = SimpleNamespace(candidates={c.id: c for c in (rule.candidate, search.candidate, child)})
    slow = SlowFounders({"rule": 0.001, "search": 0.2}, [rule, search])
    for parent in (rule.candidate, child, grandchild):
        assert slow.barred(parent, memory) == {"search"}  # type: ignore[arg-type]
    assert slow.barred(search.candidate, memory) == frozenset()
    slow.beaten(-0.3, {"rule": -0.5, "search": -0.1})
    assert slow.barred(child, memory) == {"search"}  # type: ignore[arg-type]
    slow.beaten(-0.05, {"search": -0.1})
    assert slow.barred(child, memory) == frozenset()  # type: ignore[arg-type]


def test_quick_founders_are_rivals_whatever_their_ratio() -> None:
    """Ratios below a few milliseconds are noise, and without recorded times nobody is barred."""
    one, two = _elite("one", -0.5), _elite("two", -0.1)
    memory: Any = SimpleNamespace(candidates={"one": one.candidate, "two": two.candidate})
    assert (
        SlowFounders({"one": 0.0001, "two": 0.004}, [one, two]).barred(one.candidate, memory) == frozenset()
    )
    assert SlowFounders({}, [one, two]).barred(one.candidate, memory) == frozenset()

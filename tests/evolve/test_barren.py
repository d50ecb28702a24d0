"""Parents that bring no new programs give way to others, and the search says so once."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gapsmith.evolve.barren import PATIENCE, Barren
from gapsmith.evolve.base import Origin, Refused, Rejection, RejectionReason

REFUSED = Refused(Rejection(RejectionReason.DUPLICATE, "known", Origin.MUTATE, "number"))
COMPLETE: Any = SimpleNamespace(operator="number")


def _elites(*ids: str) -> Any:
    return [SimpleNamespace(candidate=SimpleNamespace(id=id)) for id in ids]


def test_a_parent_is_barren_after_its_patience_and_fertile_again_after_a_candidate() -> None:
    """One note says which program and why; a candidate in between begins the count anew."""
    barren, elites = Barren(), _elites("line", "other")
    for number in range(1, PATIENCE):
        assert barren.tell(number, "line", REFUSED) == []
    assert barren.tell(PATIENCE, "line", COMPLETE) == []
    events = [event for n in range(2 * PATIENCE) for event in barren.tell(n, "line", REFUSED)]
    (event,) = events
    assert f"the last {PATIENCE} proposals from program line" in event.data["text"]
    assert f"duplicate {PATIENCE}" in event.data["text"]
    assert barren.fertile(elites) == elites[1:]
    barren.tell(99, "line", COMPLETE)
    assert barren.fertile(elites) == elites


def test_where_every_parent_is_barren_all_are_parents() -> None:
    """The search goes on with what there is."""
    barren, elites = Barren(), _elites("line")
    for number in range(PATIENCE):
        barren.tell(number, "line", REFUSED)
    assert barren.fertile(elites) == elites

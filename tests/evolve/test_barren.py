"""Parents that bring no new programs give way to others, and the search says so once."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gapsmith.evolve.selection import PATIENCE, ExhaustedParents
from gapsmith.evolve.types import Origin, Refused, Rejection, RejectionReason

REFUSED = Refused(Rejection(RejectionReason.DUPLICATE, "known", Origin.MUTATE, "number"))
COMPLETE: Any = SimpleNamespace(operator="number")


def _elites(*ids: str) -> Any:
    return [SimpleNamespace(candidate=SimpleNamespace(id=id)) for id in ids]


def test_a_parent_is_barren_after_its_patience_and_fertile_again_after_a_candidate() -> None:
    """One note says which program and why; a candidate in between begins the count anew."""
    exhausted, elites = ExhaustedParents(), _elites("line", "other")
    for number in range(1, PATIENCE):
        assert exhausted.tell(number, "line", REFUSED) == []
    assert exhausted.tell(PATIENCE, "line", COMPLETE) == []
    events = [event for n in range(2 * PATIENCE) for event in exhausted.tell(n, "line", REFUSED)]
    (event,) = events
    assert f"the last {PATIENCE} proposals from program line" in event.data["text"]
    assert f"duplicate {PATIENCE}" in event.data["text"]
    assert exhausted.filter(elites) == elites[1:]
    exhausted.tell(99, "line", COMPLETE)
    assert exhausted.filter(elites) == elites


def test_where_every_parent_is_barren_all_are_parents() -> None:
    """The search goes on with what there is."""
    exhausted, elites = ExhaustedParents(), _elites("line")
    for number in range(PATIENCE):
        exhausted.tell(number, "line", REFUSED)
    assert exhausted.filter(elites) == elites

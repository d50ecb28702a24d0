"""Barren parents: all proposals from them are rejected, so the search selects other parents if there are any.

The offline proposer has only a few dozen changes for a program of one line. Once all of them are made, every
further proposal repeats a program, and thousands of iterations may pass without an evaluation.
"""

from __future__ import annotations

from collections import Counter

from .base import Elite, Event, Outcome, Refused

PATIENCE = 40
"""Proposals in succession without a candidate after which a parent counts as barren (count)."""


class Barren:
    """The parents whose latest proposals were all rejected; a function of the outcomes in their order."""

    def __init__(self) -> None:
        """Starts without outcomes."""
        self.parents: set[str] = set()
        self._rejections: dict[str, Counter[str]] = {}

    def tell(self, number: int, parent: str, outcome: Outcome) -> list[Event]:
        """Takes an outcome; returns an event when its parent becomes barren, once for each parent.

        Args:
            number: of the iteration.
            parent: id of its first parent.
            outcome: outcome of the iteration.
        """
        if not isinstance(outcome, Refused):
            self._rejections.pop(parent, None)
            self.parents.discard(parent)
            return []
        reasons = self._rejections.setdefault(parent, Counter())
        reasons[outcome.rejection.reason.value] += 1
        if reasons.total() != PATIENCE:
            return []
        self.parents.add(parent)
        counts = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common())
        text = (
            f"iteration {number}: the last {PATIENCE} proposals from program {parent[:8]} were no new "
            f"programs ({counts}); other programs are the parents where there are any: `--start` and "
            "`search.founders=all` begin with more"
        )
        return [Event(number, "note", {"text": text})]

    def fertile(self, elites: list[Elite]) -> list[Elite]:
        """The elites that are not barren; all of them if every one is."""
        return [elite for elite in elites if elite.candidate.id not in self.parents] or elites

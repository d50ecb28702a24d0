"""A sitting at a workbench: an open run, its search and its sandbox slot, and candidates by name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...evaluators.base import Evaluation
from ...evolve.store.store import Store
from ...evolve.types import Candidate
from ..errors import USAGE, UserError

if TYPE_CHECKING:
    from ...evaluators.evaluator import GapEvaluator
    from ...evolve.admission import Admission
    from ...evolve.archive import Archive
    from ...evolve.campaign import Campaign
    from ...problems.base import Instance
    from ...sandbox.base import Sandbox
    from ..setup.setup import Setup


@dataclass(frozen=True, slots=True)
class Sitting:
    """A workbench at which one operation after another is done.

    Attributes:
        folder: of the run.
        setup, store: of the run.
        campaign: its search: as the record left it, to take programs from outside, or at work.
        own_slot: sandbox slot for single executions; None for that which examines programs.
    """

    folder: Path
    setup: Setup
    store: Store
    campaign: Campaign
    own_slot: Sandbox | None = None

    @property
    def evaluator(self) -> GapEvaluator:
        """What scores programs."""
        return self.setup.evaluator

    @property
    def admission(self) -> Admission:
        """What examines programs."""
        return self.campaign.ports.admission

    @property
    def slot(self) -> Sandbox:
        """The sandbox slot for single executions."""
        return self.own_slot or self.admission.sandbox

    @property
    def archive(self) -> Archive:
        """The elites."""
        return self.campaign.search.archive

    @property
    def instances(self) -> dict[str, Instance]:
        """Id → training instance, those of the pool that are not in use yet too."""
        return dict(self.evaluator.instances("train"))

    def evaluation(self, id: str) -> Evaluation | None:
        """The training evaluation of a candidate on all that it was executed on; None without one."""
        return self.store.read.evaluation(id, "train")


def find_candidate(sitting: Sitting, text: str) -> Candidate:
    """The candidate that a text names: an id, an unambiguous prefix, `best` (in training) or `start`.

    Raises:
        UserError: it names none, or several.
    """
    read = sitting.store.read
    best = sitting.archive.best
    if text == "best" and best is not None:
        return best.candidate
    if text == "start":
        text = read.record("start")
    ids = read.candidate_ids(text) if text else []
    if text not in ids and len(ids) != 1:
        what = f"{len(ids)} candidates start like this" if ids else "no candidate of this run"
        lists = f"`gapsmith bench read {sitting.folder.name}` lists them"
        hint = f"{lists}; also best and start; a file is submitted first"
        raise UserError(USAGE, f"candidate {text!r}: {what}", hint)
    found = read.candidate(text if text in ids else ids[0])
    assert found is not None, "its id was just read"
    return found

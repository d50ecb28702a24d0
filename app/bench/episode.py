"""The bench of a campaign's own episodes; apart, as only a campaign with episodes needs it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...evolve.store.course import LEDGER, Operation, recorded
from ...sandbox.base import SandboxError
from ..errors import UserError
from . import experiment, inspection, submission
from .sitting import Sitting

if TYPE_CHECKING:
    from ...evolve.campaign import Campaign
    from ...evolve.store.store import Store
    from ..setup.setup import Setup

Done = Mapping[str, Any]


class CampaignBench:
    """Does the operations of episodes on the campaign that asks for them; see `EpisodeBench`.

    Programs run on a slot of its own, one at a time, which opens with the first of them. What is only read
    is read between two transactions of the campaign's driver.
    """

    def __init__(self, folder: Path, setup: Setup, store: Store) -> None:
        """Takes the run; the campaign comes with `sit`."""
        self._folder = folder
        self._setup = setup
        self._store = store
        self._at: Sitting | None = None
        self._ready = threading.Event()
        self._lock = threading.Lock()
        self._slots = ExitStack()

    def sit(self, campaign: Campaign) -> None:
        """Takes the campaign, which has asked for nothing yet."""
        self._at = Sitting(self._folder, self._setup, self._store, campaign)
        self._ready.set()

    def close(self) -> None:
        """Ends the slot."""
        with self._lock:
            self._slots.close()

    def run(self, name: str, arguments: Mapping[str, Any]) -> Done:
        """See `EpisodeBench`."""
        kind = "instance" if name == "inspect" else name
        try:
            with recorded(self._store, kind, arguments) as operation:
                operation.answer = {
                    key: value
                    for key, value in self._done(name, operation, arguments).items()
                    if key != "budget"
                }
            return operation.answer
        except UserError as error:
            return {"error": f"{error.message}; {_FIXES.get(name, 'mend the call')}"}
        except SandboxError as error:
            return {"error": f"{name}: nothing can be run here ({error}); do without"}

    def evaluated(self, candidate: str, parent: str, best: str | None) -> Done:
        """See `EpisodeBench`."""
        at = self._sitting
        with self._store.transaction():
            made = self._store.read.candidate(candidate)
            assert made is not None, "its iteration was told"
            now = at.archive.best
            rival = best if now is None or now.candidate.id == made.id else now.candidate.id
            document = submission.document(at, Operation(0), made, parent, rival or parent, explain=False)
        with self._lock:
            sitting = self._running()
            for row in document["worst"] if sitting.evaluator.explains else ():
                row["explanation"] = inspection.explained(sitting, made, row["instance"])
        return {key: value for key, value in document.items() if key not in ("budget", "iteration")}

    def learned(self, iteration: int, asked: int, text: str) -> None:
        """See `EpisodeBench`."""
        with self._store.transaction():
            known = (event.iteration for event in self._store.read.events(LEDGER))
            if iteration not in known:
                self._store.event(iteration, LEDGER, {"text": text, "asked": asked, "episode": True})

    def _done(self, name: str, operation: Operation, arguments: Mapping[str, Any]) -> Done:
        """The answer of an operation.

        Raises:
            UserError: a fault of the caller.
            SandboxError: nothing can be run safely here.
        """
        if name in ("probe", "experiment"):
            with self._lock:
                at = self._running()
                if name == "probe":
                    return inspection.probe(
                        at, operation, arguments["program"], arguments.get("instances", ())
                    )
                seconds = arguments["cpu_seconds"]
                return experiment.experiment(at, operation, arguments["script"], seconds)
        at = self._sitting
        look: dict[str, Callable[[], Done]] = {
            "inspect": lambda: _inspected(at, arguments),
            "compare": lambda: inspection.compare(at, arguments["a"], arguments.get("b", "best")),
            "read": lambda: (
                inspection.read(at, arguments["candidate"])
                if arguments.get("candidate")
                else inspection.candidates(at)
            ),
        }
        with self._store.transaction():
            return look[name]()

    @property
    def _sitting(self) -> Sitting:
        self._ready.wait()
        assert self._at is not None, "it was just waited for"
        return self._at

    def _running(self) -> Sitting:
        """The sitting with a slot for programs; the lock is held."""
        at = self._sitting
        if at.own_slot is None:
            slot = self._setup.open_slot()
            self._slots.callback(slot.close)
            self._at = at = Sitting(at.folder, at.setup, at.store, at.campaign, slot)
        return at


def _inspected(at: Sitting, arguments: Mapping[str, Any]) -> Done:
    id = arguments.get("instance")
    return inspection.instance(at, id, arguments.get("page", 1)) if id else inspection.instance_list(at)


_FIXES = {
    "inspect": "`inspect` without an id lists the instances",
    "probe": "`inspect` without an id lists the instances, of which one probe takes at most 8",
    "compare": "name a candidate's id, `best`, `start` or a baseline; `read` without an id lists candidates",
    "read": "`read` without an id lists them",
}
"""Operation → how a fault of its caller is mended."""

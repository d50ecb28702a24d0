"""A sitting at a workbench: the run locked, its search as the record left it, a sandbox slot at hand."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ...evolve.budget import StopReason
from ...evolve.course import Pace, RecordedCourse, Submissions, TellOrder
from ...evolve.llm.base import LeftOpen
from ...evolve.store.schema import FILE_NAME
from ...evolve.store.store import Store
from ...evolve.types import Context, Elite, Proposal, Rejection
from ..compose import Watcher, prepared
from ..errors import USAGE, UserError
from ..proposers import CampaignSource, SourceOf
from ..runs.folders import OPEN, at_work, run_log
from ..runs.record import open_record
from ..runs.resume import stored_config
from ..setup.reruns import stored_setup
from .sitting import Sitting

if TYPE_CHECKING:
    from ...evolve.admission import Admission
    from ...evolve.archive import Archive
    from ...evolve.campaign import Campaign
    from ..setup.setup import Setup

WAIT_SECONDS = 600.0
"""Wall seconds that an operation waits for the one before it."""


class Nobody:
    """A proposer where nobody is to propose: open questions of a model stay open."""

    def propose(self, parents: Sequence[Elite], context: Context, rng: random.Random) -> Proposal | Rejection:
        """Leaves the question open.

        Raises:
            LeftOpen: always.
        """
        raise LeftOpen("nobody is asked at a workbench")

    def leave(self) -> None:
        """There is nobody to wait for."""


def bench_source(store: Store) -> SourceOf:
    """The source of a sitting: recorded steps, then programs from outside alone."""

    def source(admission: Admission, archive: Archive) -> CampaignSource:
        models = any(table["spec"] != "offline" for table in store.read.record("config")["model"])
        pace = Pace(1, TellOrder.COMPLETED, waits=models)
        return CampaignSource(
            Nobody(), pace, None, None, 0.0, Submissions.of(RecordedCourse(store.read)), workbench=True
        )

    return source


class Session:
    """A workbench that a process keeps open between its operations, while other processes get their turn.

    The run is locked during an operation alone. What is in memory serves the next operation, unless another
    process has written to the run since, or an operation ended by an error of ours: then it is opened anew.
    """

    def __init__(self, folder: Path, wait: float = WAIT_SECONDS) -> None:
        """Takes the folder, and how long to wait for another process at the workbench (wall seconds)."""
        self.folder = folder
        self._wait = wait
        self._mutex = threading.Lock()
        self._open = ExitStack()
        self._at: Sitting | None = None
        self._seen: tuple[int, int, int] | None = None

    @contextmanager
    def sitting(self) -> Iterator[Sitting]:
        """Sits down for an operation; waits for its turn, and ends what an earlier sitting left undone.

        Raises:
            UserError: the run is none with a workbench, is finished, or another process does not end.
            SandboxError: programs cannot be run safely here.
        """
        with self._mutex, at_work(self.folder, self._wait), run_log(self.folder) as log:
            try:
                at = self._current()
                yield at
            except (UserError, GeneratorExit):
                self._rest()
                raise
            except BaseException as error:
                if isinstance(error, Exception):
                    log.exception("an operation of the workbench ended by an exception")
                self._close()
                raise
            self._rest()

    def close(self) -> None:
        """Ends what is open: sandbox, threads, store. Nothing is written; an operation opens it anew."""
        with self._mutex:
            self._close()

    def _current(self) -> Sitting:
        """What is open, if it is as the store says; else the run as its record left it."""
        if self._at is not None and self._seen is not None and self._seen == self._stamp(self._at):
            self._at.campaign.wake()
            return self._at
        self._close()
        with ExitStack() as opening:
            setup = opened(self.folder)
            store = Store(self.folder)
            opening.callback(store.close, plain=False)
            watcher = Watcher()
            source = bench_source(store)
            campaign = opening.enter_context(prepared(setup, store, self.folder, None, watcher, source))
            follow(campaign)
            if store.read.record("stop_reason") != OPEN:
                store.set("stop_reason", OPEN)
            self._at = Sitting(self.folder, setup, store, campaign)
            self._open = opening.pop_all()
        return self._at

    def _rest(self) -> None:
        """Leaves the sitting open for the next operation, or ends it where its search has stopped."""
        if self._at is None:
            return
        if self._at.campaign.stopped is not None:
            self._close()
            return
        self._at.campaign.rest()
        self._seen = self._stamp(self._at)

    def _stamp(self, at: Sitting) -> tuple[int, int, int] | None:
        """Changes when somebody else has written to the store or put another file in its place."""
        try:
            there = (self.folder / FILE_NAME).stat()
        except OSError:
            return None
        return at.store.changes_elsewhere(), there.st_dev, there.st_ino

    def _close(self) -> None:
        self._at = None
        self._seen = None
        self._open.close()


def follow(campaign: Campaign) -> None:
    """Brings a campaign to where its record ends, and evaluates programs that have no outcome yet."""
    campaign.validation.postponed = True
    campaign.interrupt(StopReason.FINISHED)
    campaign.follow()
    campaign.stopped = None


def opened(folder: Path) -> Setup:
    """The setup of a workbench's run.

    Raises:
        UserError: the run has no workbench, or is finished.
    """
    with open_record(folder) as record:
        refuse_other(folder, record.reader.record("bench") is not None, record.reader.record("stop_reason"))
    setup = stored_setup(folder, stored_config(folder, {}, None, uses=()))
    assert setup is not None, "a run with a workbench has begun"
    return setup


def refuse_other(folder: Path, workbench: bool, reason: str | None) -> None:
    """Refuses a run without a workbench, and one that has ended: its test instances were used.

    Raises:
        UserError: it is one of these.
    """
    if not workbench:
        raise UserError(
            USAGE,
            f"{folder.name}: a campaign without a workbench",
            "`gapsmith bench open PROBLEM` makes a run with one; --start RUN takes a run's best programs",
        )
    if reason not in (None, OPEN) and not StopReason(reason).halts:
        raise UserError(
            USAGE,
            f"{folder.name}: is finished, and its test instances were used",
            f"`gapsmith show {folder.name} CANDIDATE` reads its programs; go on in a new workbench: "
            f"`gapsmith bench open PROBLEM --start {folder.name}`",
        )

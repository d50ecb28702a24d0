"""The workbench of a run: recorded operations for people and agents; apart from its verb, which prints."""

from __future__ import annotations

import inspect
import textwrap
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...evolve.store.course import Operation, recorded
from ..errors import USAGE, UserError
from . import experiment as experiment_module
from . import inspection, submission
from .budget import budget_document
from .completion import finish
from .session import WAIT_SECONDS, Session
from .sitting import Sitting

Text = str | Callable[..., Any]
"""A program: its source text, or a function that stands alone."""


class Workbench:
    """A run that takes programs from outside; any number of processes may work at it, one at a time.

    Between operations the run stays open in this process, and is free for others; `close` ends that.

    Attributes:
        folder: of the run.
    """

    def __init__(self, folder: Path, wait: float = WAIT_SECONDS) -> None:
        """Takes the folder of an open workbench, and how long to wait for others at it (wall seconds)."""
        self.folder = folder
        self._wait = wait
        self._session = Session(folder, wait)
        self._finalizer = weakref.finalize(self, self._session.close)

    def close(self) -> None:
        """Ends what stays open between operations; the next operation opens it again."""
        self._session.close()

    def submit(self, program: Text, idea: str = "", parent: str | None = None) -> dict[str, Any]:
        """Evaluates a program in training by race and says how it did: an evaluation.

        Args:
            program: its text, or a function.
            idea: what it changes and why.
            parent: the candidate that it comes from; by default the best one so far.

        Raises:
            UserError: the parent is none of this run, or the budget is spent.
        """
        text = text_of(program)
        arguments = {"program": text, "idea": idea, "parent": parent}
        with self._operation("submit", arguments) as (at, operation):
            return self._answer(operation, submission.submit(at, operation, text, idea, parent))

    def probe(self, program: Text, *instances: str) -> dict[str, Any]:
        """Runs a program on a few training instances and says all that it did there: executions.

        Raises:
            UserError: an instance is none of training, or there are too many.
        """
        text = text_of(program)
        with self._operation("probe", {"program": text, "instances": list(instances)}) as (at, operation):
            return self._answer(operation, inspection.probe(at, operation, text, instances))

    def experiment(
        self, script: Text, cpu_seconds: float = 60.0, keep: Callable[[Any], None] | None = None
    ) -> dict[str, Any]:
        """Runs a script of the experimenter's own, sealed, with training instances and the objective.

        Args:
            script: its text; defines `experiment()`, whose value comes back.
            cpu_seconds: that it may use.
            keep: gets the value with all texts as they are; in the value that is returned marks of chats are
                broken and unseen characters left out.

        Raises:
            UserError: the budget of CPU seconds is spent.
        """
        text = text_of(script)
        with self._operation("experiment", {"script": text, "cpu_seconds": cpu_seconds}) as (at, operation):
            return self._answer(
                operation, experiment_module.experiment(at, operation, text, cpu_seconds, keep)
            )

    def instance(self, id: str | None = None, page: int = 1, draw: bool = False) -> dict[str, Any]:
        """A training instance whole, or the list of all: counts as nothing.

        Args:
            id: of the instance; None for the list.
            page: of its text (1-based).
            draw: whether the best answer so far is drawn as text.

        Raises:
            UserError: no training instance has this id, or the page is none.
        """
        with self._operation("instance", {"instance": id, "page": page}) as (at, operation):
            found = inspection.instance_list(at) if id is None else inspection.instance(at, id, page, draw)
            return self._answer(operation, found)

    def compare(self, first: str, second: str) -> dict[str, Any]:
        """Two programs paired by instance and group, with time.

        Raises:
            UserError: one of them is not there.
        """
        with self._operation("compare", {"a": first, "b": second}) as (at, operation):
            return self._answer(operation, inspection.compare(at, first, second))

    def read(self, candidate: str | None = None) -> dict[str, Any]:
        """A candidate whole, or the list of all.

        Raises:
            UserError: there is none of this name.
        """
        with self._operation("read", {"candidate": candidate}) as (at, operation):
            found = inspection.candidates(at) if candidate is None else inspection.read(at, candidate)
            return self._answer(operation, found)

    def note(self, text: str | None = None) -> dict[str, Any]:
        """Writes a line into the ledger; without a text, reads all.

        Raises:
            UserError: the text is empty or too long.
        """
        with self._operation("note", {"text": text}) as (at, operation):
            found = {"notes": inspection.ledger(at)} if text is None else inspection.note(at, text)
            return self._answer(operation, found)

    def budget(self) -> dict[str, Any]:
        """What was used, and of how much."""
        with self._session.sitting() as at:
            return budget_document(at)

    def finish(self) -> dict[str, Any]:
        """Validates, chooses the champion, tests it once, writes best.py; the workbench is closed then.

        Raises:
            UserError: it is closed already, or there is no workbench.
        """
        self.close()
        return finish(self.folder, self._wait)

    @contextmanager
    def _operation(self, kind: str, arguments: Mapping[str, Any]) -> Iterator[tuple[Sitting, Operation]]:
        with self._session.sitting() as at, recorded(at.store, kind, arguments) as operation:
            yield at, operation

    def _answer(self, operation: Operation, found: Mapping[str, Any]) -> dict[str, Any]:
        """The answer of an operation, as it is recorded."""
        operation.answer = {"run": self.folder.resolve().name, **found}
        return dict(operation.answer)


def text_of(program: Text) -> str:
    """The source text of a program that is given as text or as a function.

    Raises:
        UserError: it is something else, or its source is not known.
    """
    if isinstance(program, str):
        return program
    try:
        return textwrap.dedent(inspect.getsource(program))
    except (OSError, TypeError) as error:
        raise UserError(
            USAGE,
            f"program: got {type(program).__name__} without a source text, expected a text or a function",
            f"give the program as a text ({error})",
        ) from error

"""A worker in another process: gets a brief, then jobs, over any transport of lines."""

from __future__ import annotations

import contextlib

from ...evolve.serving import Workplace
from ...sandbox.base import Sandbox
from ..errors import UNEXPECTED, UserError
from ..translate import known
from .brief import hello, read_brief, refusal


class Serving:
    """A setup with one warm slot.

    Attributes:
        first: the line that says that the worker is ready, or why it cannot begin.
        code: exit code; 0 for a worker that is ready.
    """

    def __init__(self, brief: str) -> None:
        """Opens what a brief says."""
        self._slot: Sandbox | None = None
        try:
            self._setup = read_brief(brief)
            self._setup.evaluator.prepare()  # forks, so it comes before any thread starts
            self._slot = self._setup.open_slot()
            self._workplace = self._work()
            self.code, self.first = 0, hello(self._setup, self._setup.layers())
        except Exception as error:
            named = f"a worker failed: {type(error).__name__}: {error}"
            trouble = known(error) or UserError(UNEXPECTED, named)
            self.code, self.first = trouble.code, refusal(trouble)

    def reply(self, line: str) -> str:
        """The reply's line to a job's line."""
        return self._workplace.reply(line)

    def _work(self) -> Workplace:
        from ...evolve.offline import OfflineProposer

        assert self._slot is not None
        setup, problem = self._setup, self._setup.loaded.problem
        return Workplace(setup.evaluator, setup.admission(self._slot), OfflineProposer(), problem)

    def close(self) -> None:
        """Ends the slot and the processes that judge answers."""
        if self._slot is not None:
            with contextlib.suppress(OSError):
                self._slot.close()
            self._setup.evaluator.close()

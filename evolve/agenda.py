"""What models read of a search, and when they write a page of notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

from ..evaluators.base import Evaluation
from ..prompts.text import cut
from .archive import Archive
from .history import AttemptLog, Strata
from .iteration import Iteration, IterationResult, Part
from .llm.reply_text import without_thoughts
from .types import Context, Elite

# Decides when a campaign with models rewrites its page of notes.

PAGE = 4000
"""Characters of a page of notes."""


def page_of(reply: str) -> str:
    """The page of notes in a reply: its text without thoughts, cut."""
    return cut(without_thoughts(reply).strip(), PAGE)


@contextmanager
def with_page(work: Callable[[], None], *, first: bool) -> Iterator[None]:
    """Does some work in a thread while the block runs, or before the block if `first`; errors are raised."""
    if first:
        work()
        yield
        return
    with ThreadPoolExecutor(1, "notes") as threads:
        done = threads.submit(work)
        yield
        done.result()


SOLVED = (
    "iteration {}: every training instance is at its proven optimum; training ranks no program higher any "
    "more, validation decides, and prompts say so (Ctrl-C ends the search)"
)
"""What is said when the best program can have no smaller gap in training."""


class NotesSchedule:
    """Counts outcomes of models' asks; depends only on the asks and outcomes in their order.

    The first ask of a model after every so many of them writes a page before it asks for a program. Asks
    that are opened after its outcome show that page: no question waits for a page, and what a question
    shows follows from the order of asks and outcomes alone. Of several pages the one counts that was asked
    for last: a page that arrives late was asked for with fewer outcomes known.
    """

    def __init__(self, every: int) -> None:
        """Nothing is written yet; `every` is in outcomes (count; 0 writes none)."""
        self._every = every
        self._told = 0
        self._due = 1
        self._writing: set[int] = set()
        self._shown: tuple[int, ...] = ()

    @property
    def shown(self) -> tuple[int, ...]:
        """Numbers of the asks whose pages the next ask may show, in the order of their outcomes."""
        return self._shown

    def ask(self, number: int) -> None:
        """Opens an ask (1-based number) of a model."""
        if self._every and self._told >= self._due * self._every:
            self._due = self._told // self._every + 1
            self._writing.add(number)

    def writes(self, number: int) -> bool:
        """Whether an open ask writes a page."""
        return number in self._writing

    def tell(self, number: int) -> None:
        """Closes an ask of a model: those that are opened from now on may show its page."""
        self._told += 1
        if number in self._writing:
            self._writing.remove(number)
            self._shown += (number,)


class Briefing(Part):
    """What models read of a search: attempts, complements, pages of notes, and what is under way."""

    for_models = True

    def __init__(self, archive: Archive, strata: Strata, instances: int, notes_every: int) -> None:
        """Begins with the start programs.

        Args:
            archive, strata: of the search.
            instances: in use in training (count).
            notes_every: outcomes after which a page of notes is written anew (count; 0 is never).
        """
        self._archive = archive
        self._strata = strata
        self._attempts = AttemptLog(instances, archive.space.loss, archive.elites())
        self._pages = NotesSchedule(notes_every)
        self._under_way: set[int] = set()

    def ask(self, iteration: Iteration) -> None:
        """Notes a question, and an iteration whose outcome later questions do not know."""
        if iteration.asks:
            self._pages.ask(iteration.number)
        if iteration.of_model:
            self._under_way.add(iteration.number)

    def brief(self, number: int, parent: Elite, context: Context) -> Context:
        """See `Part`."""
        best = context.best
        if best is None:
            return context
        times = context.times
        if times is not None:
            times = replace(times, losses=self._archive.class_losses())
        return replace(
            context,
            times=times,
            complements=self._strata.complements(best, self._archive.elites()),
            attempts=self._attempts.lines(),
            under_way=len(self._under_way - {number}),
            writes=self._pages.writes(number),
            pages=self._pages.shown,
        )

    def tell(self, iteration: Iteration, result: IterationResult) -> None:
        """Takes an outcome of a question or of a submission, and says when training can rank no more."""
        if iteration.of_model or iteration.submitted:
            self._attempts.add(
                result.outcome, result.added, result.duplicate, iteration.parents, iteration.incumbent
            )
        best = self._archive.best
        if result.improved and best is not None and best.solved:
            result.notes.append(SOLVED.format(iteration.number))
        if iteration.of_model:
            self._pages.tell(iteration.number)
        self._under_way.discard(iteration.number)

    def grow(self, evaluations: Mapping[str, Evaluation]) -> None:
        """See `Part`."""
        elites = self._archive.elites()
        self._attempts.grow(len(elites[0].evaluation.scores), elites)

"""What models are asked for, in order: designs first, directives at a stand-still, pages of notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace

from ..evaluators.base import Evaluation
from ..prompts.text import cut
from .archive import Archive
from .history import AttemptLog, Strata
from .iteration import Iteration, IterationResult, Part
from .llm.reply_text import without_thoughts
from .settings import constant, knob
from .types import Complete, Context, Directive, Elite, Origin, Outcome

# The opening of a campaign with models: every second question asks for a new design; each is improved once.
#
# Replies that begin with the program that is shown keep its principle: they add terms to it, and a weak
# principle then holds a whole campaign. A design from the task alone meets other principles, and its first
# form is rarely its best: one question improves it before it is judged beside programs that were improved
# often.

SHARE = 0.4
"""Questions of a campaign that its opening takes (ratio), at most `MOST`."""
MOST = 24
UNKNOWN = 10
"""Questions of the opening where the budget does not say how many there will be (count)."""
PROMISING = 1.5
"""Loss beside the best program's up to which a design is improved (ratio)."""
_ORIGINS = (Origin.DESIGN, Origin.EXPLORE)


@dataclass(frozen=True)
class DesignSettings:
    """How a campaign with models begins."""

    opening: int | None = constant(
        None,
        "with models: first questions, of which every second one asks for a new design (count; 0 is none)",
        ge=0,
    )


def opening_of(iterations: int | None, programs: int) -> int:
    """Questions of the opening (count).

    Args:
        iterations: of models in the budget (count); None where that is not known.
        programs: of a reply (count).
    """
    return UNKNOWN if iterations is None else min(MOST, int(SHARE * iterations / programs))


class Designs:
    """Which questions ask for a design, and which improve one; a function of asks and outcomes in order."""

    def __init__(self, settings: DesignSettings) -> None:
        """Starts without questions."""
        self._opening = settings.opening or 0
        self._asked = 0
        self._waiting: list[Elite] = []
        self._open: dict[int, tuple[bool, bool]] = {}

    def ask(self, number: int, parent: str) -> None:
        """Opens a question to a model (ask, 1-based number) about a parent (id)."""
        wanted = self.wanted(number)
        improved = not wanted and any(elite.candidate.id == parent for elite in self._waiting)
        self._open[number] = wanted, improved
        if not wanted:
            self._waiting = [elite for elite in self._waiting if elite.candidate.id != parent]
        self._asked += 1

    def note(self, number: int, elite: Elite | None) -> None:
        """Closes a model's ask; takes the elite that its candidate would be, None if it is no new program."""
        self._open.pop(number, None)
        if elite is not None and elite.candidate.origin in _ORIGINS:
            self._waiting.append(elite)

    def grow(self) -> None:
        """Forgets the designs that were evaluated on fewer instances."""
        self._waiting.clear()

    def wanted(self, number: int) -> bool:
        """Whether an ask wants a new design."""
        if number in self._open:
            return self._open[number][0]
        return self._asked < self._opening and self._asked % 2 == 0

    def improved(self, number: int) -> bool:
        """Whether an open ask improves a design for the first time."""
        return self._open.get(number, (False, False))[1]

    def to_improve(self, best: float) -> Elite | None:
        """The best design that no question improved yet and that is promising beside the best fitness."""
        if self._asked >= self._opening:
            return None
        promising = [elite for elite in self._waiting if elite.fitness >= PROMISING * min(best, 0.0)]
        return max(promising, key=lambda elite: (elite.fitness, elite.candidate.id), default=None)


# When a campaign with models stands still, and what its next prompts ask for then.

STALL_AFTER = 8
"""Outcomes of replies without a better best that are a stand-still (count)."""
LEAST_GAIN = 0.01
"""Fall of the best loss that ends a stand-still (ratio to the loss): tuned numbers bring smaller ones."""


@dataclass(frozen=True)
class StallSettings:
    """When prompts change what they ask."""

    stall_after: int = constant(
        0,
        "with models: outcomes of their replies without a better best, and one more for each program under "
        "way, after which the next prompts ask for something else in turn (count; 0 is never)",
        ge=0,
    )


class Stall:
    """Counts outcomes without a gain; depends only on the asks and outcomes in their order.

    Each program under way may still be a gain, so a stand-still begins one outcome later for each of them.

    Asks for a faster form of the best program only once, since a second ask would bring nothing new.
    """

    def __init__(self, settings: StallSettings, fitness: float | None = None) -> None:
        """Starts without asks and outcomes, with the best fitness (ratio) of the start programs."""
        self._after = settings.stall_after
        self._level = fitness
        self._still = 0
        self._begun = False  # whether an ask since the last gain had a turn
        self._timed = False  # whether a faster form of the best program was asked for
        self._turns = 0  # asks with a turn since the last gain
        self._open: dict[int, Directive | None] = {}
        self._before: dict[int, int] = {}

    def is_gain(self, fitness: float) -> bool:
        """Whether the best fitness (ratio) is well above that of the last gain; a gain is remembered."""
        gain = self._level is None or fitness - self._level > LEAST_GAIN * abs(self._level)
        self._level = fitness if gain else self._level
        return gain

    def grow(self, fitness: float | None) -> None:
        """Takes the best fitness (ratio) on more instances."""
        self._level = fitness

    def ask(self, number: int, *, turns: bool = True) -> None:
        """Opens an ask (1-based number) of a model; whether it may have a turn."""
        self._open[number] = turn = self.turn(number) if turns else None
        self._begun = self._begun or turn is not None
        self._timed = self._timed or turn is Directive.TIME
        self._before[number] = self._turns
        self._turns += turn is not None

    def note(self, number: int, *, improved: bool) -> None:
        """Counts the outcome of an ask, or starts again at 0 after a gain; takes outcomes of models, and
        gains.
        """
        self._open.pop(number, None)
        self._before.pop(number, None)
        self._turns = 0 if improved else self._turns
        self._still = 0 if improved else self._still + 1
        self._begun = self._begun and not improved
        self._timed = self._timed and not improved

    def before(self, number: int) -> int:
        """Asks with a turn before an open ask, of the same stand-still (count)."""
        return self._before.get(number, 0)

    def turn(self, number: int) -> Directive | None:
        """The turn of an ask (1-based number): what its prompt asks for; None while the campaign makes
        progress.
        """
        if number in self._open:
            return self._open[number]
        if not self._after or not (self._begun or self._still >= self._after + len(self._open)):
            return None
        turns = [turn for turn in Directive if turn is not Directive.TIME or not self._timed]
        return turns[number % len(turns)]


@dataclass(frozen=True)
class SubjectSettings(DesignSettings, StallSettings):
    """What models are asked for, and when."""

    directives: bool = knob(
        False,
        "with models: whether prompts say what to do: every second question of the opening (two fifths of "
        f"the questions, at most {MOST}) asks for a new design, and {STALL_AFTER} replies without a better "
        "best make the next ones ask for something else in turn",
    )


class Subjects:
    """Knows the subject of each ask; a function of the asks and outcomes in their order."""

    def __init__(self, settings: SubjectSettings, best: Elite | None) -> None:
        """Begins with the best of the start programs."""
        self._designs = Designs(settings)
        self._stall = Stall(settings, _fitness(best))

    def ask(self, number: int, parent: str) -> None:
        """Opens an ask (1-based number) of a model about a parent (id)."""
        self._designs.ask(number, parent)
        self._stall.ask(number, turns=not self._designs.wanted(number))

    def tell(self, number: int, archive: Archive, outcome: Outcome | None, duplicate: str | None) -> None:
        """Takes the outcome of an ask, when the archive has its candidate.

        Args:
            number: of the ask, 1-based.
            archive: after the outcome.
            outcome: None if the ask was none of a model: then only a gain counts.
            duplicate: id of an earlier candidate with the same answers, None if there is none.
        """
        gain = archive.best is not None and self._stall.is_gain(archive.best.fitness)
        if gain or outcome is not None:
            self._stall.note(number, improved=gain)
        if isinstance(outcome, Complete) and duplicate is None:
            made = archive.elite(outcome.candidate, outcome.evaluation, outcome.candidate.island)
            self._designs.note(number, made)
        elif outcome is not None:
            self._designs.note(number, None)

    def grow(self, best: Elite | None) -> None:
        """Takes the best program with its fitness on more instances."""
        self._designs.grow()
        self._stall.grow(_fitness(best))

    def designs(self, number: int) -> bool:
        """Whether an ask of a model wants a new design."""
        return self._designs.wanted(number)

    def parent(self, number: int, best: Elite | None) -> Elite | None:
        """The first parent of an ask that is not opened yet; None where it is drawn."""
        if best is None or self._designs.wanted(number) or self._stall.turn(number) is not None:
            return best
        return self._designs.to_improve(best.fitness)

    def brief(self, number: int, context: Context) -> Context:
        """The context of an open ask with its subject."""
        wanted = self._designs.wanted(number)
        improved = self._designs.improved(number)
        turn = None if wanted else self._stall.turn(number)
        still = 0 if turn is None else self._stall.before(number)
        develops = improved and turn is None
        return replace(context, turn=turn, still=still, designs=wanted, develops=develops)


def subject_of(context: Context) -> str | None:
    """The operator that an ask's subject fixes; None where it is drawn."""
    if context.designs:
        return Origin.DESIGN
    if context.develops:
        return Origin.IMPROVE
    return None if context.turn is None else Origin.STALLED


def _fitness(best: Elite | None) -> float | None:
    return None if best is None else best.fitness


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

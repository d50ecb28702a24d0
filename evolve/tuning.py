"""Tunes the numbers of programs: the proposer finds the structure, CMA-ES finds the constants.

CMA-ES (Hansen and Ostermeier 2001, doi:10.1162/106365601750190398) from the package `cma` works on the
logarithms of the constants, so that a step is a factor. Each point is an ordinary iteration of the campaign:
raced, recorded and told in order.
"""

from __future__ import annotations

import ast
import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..evaluators.base import Evaluation
from .archive import Archive
from .executor import describe
from .iteration import Iteration, IterationResult, Part, Point
from .llm.edits import START
from .settings import constant, knob
from .syntax.analysis import analyse, named_constants, with_named_constants
from .syntax.scope import Spot
from .syntax.types import ARRAY, NUMBER
from .types import (
    Alike,
    Complete,
    Elite,
    Origin,
    Proposal,
    Refused,
    Rejection,
    RejectionReason,
    unique,
)

MAX_CONSTANTS = 12
OPERATOR = "cma-es"
_STEP = 0.3  # of the first generation, natural logarithm: factors of about 0.7 to 1.35
_LARGEST = 12.0  # natural logarithm: a constant changes by a factor of e^12 at most
_PROMISING = 4  # how many of the best elites are looked at
_TUNABLE = (1e-100, 1e100)  # numbers outside this range may overflow or underflow when multiplied


@dataclass(frozen=True)
class TuneSettings:
    """Share of the budget that tunes the numbers of programs."""

    tune_share: float = knob(
        0.2,
        "share of the executions, and offline of the iterations, for tuning numbers (ratio; 0 is none)",
        ge=0,
        le=0.9,
    )
    tune_evaluations: int = constant(48, "points for the numbers of one program (count)", ge=1)


@dataclass(frozen=True, slots=True)
class Numbers:
    """Which numbers of a text are tuned.

    Attributes:
        of: function from a text to the values of its numbers, all positive.
        put: function from a text and new values to the text with these values.
    """

    of: Callable[[str], list[float]]
    put: Callable[[str, Sequence[float]], str]


class Generations:
    """CMA-ES over the numbers of one text: hands out points, takes their losses, goes on by generations."""

    def __init__(
        self,
        text: str,
        evaluations: int,
        seed: int,
        numbers: Numbers | None = None,
        loss: float | None = None,
    ) -> None:
        """Starts from a text's own numbers.

        Args:
            text: source within the sandbox's caps, with at least one number to tune.
            evaluations: number of points to hand out.
            seed: ≥ 0, of the optimiser's own random stream.
            numbers: which numbers are tuned, by default `WRITTEN`.
            loss: loss of the text itself, if known: then no point repeats its numbers.
        """
        import cma
        import numpy as np

        self._numbers = numbers or WRITTEN
        given = self._numbers.of(text)
        stream = np.random.default_rng(seed)
        # A covariance needs two dimensions: with one number, a second one that nothing reads is added.
        self._origin = [math.log(value) for value in given] + [0.0] * (len(given) == 1)
        options = {"seed": math.nan, "randn": lambda *shape: stream.standard_normal(shape), "verbose": -9}
        self._strategy = cma.CMAEvolutionStrategy(self._origin, _STEP, options)
        self._text = text
        self._count = len(given)
        self._left = evaluations
        self._points: list[Any] = []
        self._waiting: deque[int] = deque()
        self._losses: dict[int, float | None] = {}
        self._known: dict[str, float | None] = {} if loss is None else {text: loss}
        self._same: dict[str, list[int]] = {}

    @property
    def over(self) -> bool:
        """Whether all points have been handed out."""
        return self._left <= 0 and not self._waiting

    def ask(self) -> tuple[int, str] | None:
        """The next point of this generation as its number and text; None while losses are awaited."""
        while True:
            if not self._waiting and len(self._losses) == len(self._points) and not self.over:
                self._next_generation()
            if not self._waiting:
                return None
            number = self._waiting.popleft()
            text = self._written(number)
            if text in self._known:  # whole numbers, above all
                self._losses[number] = self._known[text]
            elif text in self._same:
                self._same[text].append(number)
            else:
                self._same[text] = [number]
                return number, text

    def tell(self, number: int, loss: float | None) -> None:
        """Takes the loss of a point; None for a point that was stopped, failed or was rejected."""
        text = self._written(number)
        self._known[text] = loss
        for same in self._same.pop(text):
            self._losses[same] = loss

    def _written(self, number: int) -> str:
        """The text of a point of this generation."""
        values = [
            math.exp(min(max(x, o - _LARGEST), o + _LARGEST))
            for x, o in zip(self._points[number], self._origin[: self._count], strict=False)
        ]
        return self._numbers.put(self._text, values)

    def _next_generation(self) -> None:
        if self._points:
            told = [self._losses[number] for number in range(len(self._points))]
            finite = [loss for loss in told if loss is not None]
            # A generation without any loss says nothing. Otherwise failures rank last in their generation;
            # CMA-ES uses only ranks.
            if finite:
                worst = max(finite) + 1.0
                self._strategy.tell(self._points, [worst if loss is None else loss for loss in told])
        if self._strategy.stop():
            self._left = 0
            return
        self._points = self._strategy.ask()
        self._losses = {}
        count = min(len(self._points), self._left)
        self._left -= count
        self._points = self._points if count == len(self._points) else self._points[:count]
        self._waiting.extend(range(count))


class Tuner(Part):
    """Gives a share of the iterations to tuning the best elites, one structure after another.

    With models, tuning of a structure ends as soon as the best program has another structure.

    A pure function of the archive at each ask and of the outcomes: a replayed campaign tunes the same.
    """

    def __init__(self, settings: TuneSettings, *, seed: int, named: bool = False) -> None:
        """Takes the limits of tuning.

        Args:
            settings: shares and counts.
            seed: of the optimiser's random streams.
            named: with models: tunes the numbers that a program names, at any ask that the share of the
                executions allows. Otherwise tunes the numbers written anywhere, at a share of the asks.
        """
        self._seed = seed
        self._named = named
        self._numbers = NAMED if named else WRITTEN
        self._share = settings.tune_share
        self._evaluations = settings.tune_evaluations
        self._structures: set[str] = set()
        self._seen = ""  # id of the best elite that was looked at last
        self._work: Generations | None = None
        self._elite: Elite | None = None
        self._asked: dict[int, tuple[Generations, int, Elite]] = {}
        self._executions = 0
        self._spent = 0

    def point(self, number: int, archive: Archive) -> Point | None:
        """The elite and its next point if this ask (1-based number) belongs to tuning; None otherwise.

        If making the point raises, a rejection with the error takes its place and tuning of the structure
        ends.
        """
        if not self._named and int(number * self._share) == int((number - 1) * self._share):
            return None
        if self._named and self._spent >= self._share * self._executions:
            return None
        # Points near a good program are seldom stopped early: counted by iterations, they would use more than
        # their share of the executions.
        if self._spent > self._share * self._executions:
            return None
        if self._work is None or self._work.over:
            self._work, self._elite = None, self._promising(archive)
        elif self._named and (better := self._better(archive)) is not None:
            self._work = None
            self._elite = better
        elite = self._elite
        if elite is None:
            return None
        try:
            point = self._next(elite)
        except Exception as error:  # hostile text, or numbers that an optimiser cannot take
            self._work = self._elite = None
            return elite, Rejection(RejectionReason.FAULT, describe(error), Origin.TUNE, OPERATOR)
        if point is None or self._work is None:
            return None
        self._asked[number] = self._work, point[0], elite
        files = dict(elite.candidate.files)
        files[next(iter(files))] = point[1]
        return elite, Proposal(files, Origin.TUNE, OPERATOR)

    def _next(self, elite: Elite) -> tuple[int, str] | None:
        """The next point of the tuned elite, as its number and text; None while it waits for losses."""
        if self._work is None:
            text = next(iter(elite.candidate.files.values()))
            seed = self._seed + len(self._structures)
            self._work = Generations(text, self._evaluations, seed, self._numbers, -elite.fitness)
        return self._work.ask()

    def tell(self, iteration: Iteration, result: IterationResult) -> None:
        """Takes the outcome of any ask; one with its parent's answers has the parent's loss."""
        number = iteration.number
        outcome = result.outcome
        executions = 0 if isinstance(outcome, Refused) else len(outcome.evaluation.scores)
        self._executions += executions
        self._spent += executions if iteration.tuned else 0
        if number in self._asked:
            work, point, elite = self._asked.pop(number)
            fitness = outcome.fitness if isinstance(outcome, Complete) else None
            if isinstance(outcome, Alike):
                fitness = elite.fitness
            work.tell(point, None if fitness is None else -fitness)

    def grow(self, evaluations: Mapping[str, Evaluation]) -> None:
        """Restarts tuning of the current structure, because losses on more instances are not comparable."""
        if self._elite is not None:
            key = structure(next(iter(self._elite.candidate.files.values())), self._numbers)
            self._structures.discard(key or "")
        self._work = self._elite = None

    def skip(self, files: Mapping[str, str]) -> None:
        """Excludes the structure of a program from further tuning."""
        key = structure(next(iter(files.values())), self._numbers)
        if key is not None:
            self._structures.add(key)

    def _better(self, archive: Archive) -> Elite | None:
        """The best elite of all, if it is new and its structure was not tuned yet.

        A campaign with models tunes at most one program at a time: numbers of a surpassed program are
        useless.
        """
        best = archive.best
        if best is None or best.candidate.id == self._seen:
            return None
        self._seen = best.candidate.id
        key = structure(next(iter(best.candidate.files.values())), self._numbers)
        if key is None or key in self._structures:
            return None
        self._structures.add(key)
        return best

    def _promising(self, archive: Archive) -> Elite | None:
        """The best elite whose structure was not tuned yet, if there is one."""
        for elite in unique(archive.elites())[:_PROMISING]:
            key = structure(next(iter(elite.candidate.files.values())), self._numbers)
            if key is not None and key not in self._structures:
                self._structures.add(key)
                return elite
        return None


@lru_cache(maxsize=128)
def structure(text: str, numbers: Numbers | None = None) -> str | None:
    """The text with each tunable number replaced by 1; None without tunable numbers, for regions, or on
    failure.

    Regions are excluded because unparsing the tree would lose EVOLVE-BLOCK marks and change text outside.
    """
    if START in text:
        return None
    numbers = numbers or WRITTEN
    try:
        values = numbers.of(text)
        return numbers.put(text, [1.0] * len(values)) if values else None
    except (ValueError, ArithmeticError, RecursionError, SyntaxError, MemoryError):  # hostile input
        return None


def constants(text: str) -> list[float]:
    """Values of the numbers of a text that can be tuned, in order, at most `MAX_CONSTANTS`, all positive.

    A number is tunable if it is an operand of arithmetic or a comparison, lies between 1e-100 and 1e100, and
    is not an index, size, range or exponent.
    """
    return [float(spot.node.value) for spot in _tunable(ast.parse(text))]


def substitute(text: str, values: Sequence[float]) -> str:
    """The text with other numbers (four significant digits) in place of its tunable ones.

    Args:
        text: source within the sandbox's caps.
        values: one positive number for each of `constants(text)`.
    """
    tree = ast.parse(text)
    for spot, value in zip(_tunable(tree), values, strict=True):
        short = float(f"{value:.4g}")
        spot.put(ast.Constant(int(short) if short.is_integer() and short < 1e15 else short))
    return ast.unparse(tree)


def _tunable(tree: ast.Module) -> list[Spot]:
    found = []
    for spot in analyse(tree).spots:
        node = spot.node
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        if not _TUNABLE[0] <= value <= _TUNABLE[1]:
            continue
        exponent = isinstance(spot.owner, ast.BinOp) and isinstance(spot.owner.op, ast.Pow)
        arithmetic = isinstance(spot.owner, ast.BinOp | ast.Compare | ast.Call | ast.IfExp | ast.AugAssign)
        protecting = isinstance(spot.owner, ast.Call) and value == 1
        if (
            arithmetic
            and not exponent
            and not protecting
            and not spot.structural
            and spot.kind in (NUMBER, ARRAY)
        ):
            found.append(spot)
    return found[:MAX_CONSTANTS]


WRITTEN = Numbers(constants, substitute)
"""Numbers that stand anywhere in arithmetic or comparisons: the offline proposer gives them no names."""
NAMED = Numbers(named_constants, with_named_constants)
"""Numbers that a program gives a name to."""

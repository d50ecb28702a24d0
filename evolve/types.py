"""Types of the loop: candidates, proposals and rejections, elites, events, and the proposer's port."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any, Protocol

from ..evaluators.base import Evaluation, Score, ScoreStatus
from ..problems.base import Instance, Problem
from ..sandbox.base import Description
from .timing import Times


class Origin(StrEnum):
    """How a candidate came to be (closed list); only runs of earlier versions hold `stalled` and `design`."""

    START = "start"
    MUTATE = "mutate"
    CROSSOVER = "crossover"
    GROW = "grow"
    TEMPLATE = "template"
    TUNE = "tune"
    SIMPLIFY = "simplify"
    IMPROVE = "improve"
    EXPLORE = "explore"
    COMBINE = "combine"
    REPAIR = "repair"
    STALLED = "stalled"
    DESIGN = "design"
    SUBMIT = "submit"


class RejectionReason(StrEnum):
    """Why a proposal is no candidate (closed list)."""

    NO_CODE = "no_code"
    HUNK_NOT_FOUND = "hunk_not_found"
    SYNTAX = "syntax"
    MISSING_ENTRY_POINT = "missing_entry_point"
    TOO_LARGE = "too_large"
    FORBIDDEN_IMPORT = "forbidden_import"
    UNSEEDED = "unseeded"
    UNSEEN_CHARACTER = "unseen_character"
    DUPLICATE = "duplicate"
    NEAR_DUPLICATE = "near_duplicate"
    REFUSED_BY_MODEL = "refused_by_model"
    FAULT = "fault"
    EPISODE_OVER = "episode_over"


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked: system and user text."""

    system: str
    user: str

    @property
    def digest(self) -> str:
        """Hex SHA-256 of both texts."""
        return hashlib.sha256(json.dumps([self.system, self.user]).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's reply.

    Attributes:
        text: the reply, unchanged.
        model: name of the model that answered.
        tokens_in, tokens_out: as the provider counts them; None if the provider does not say.
        tokens_cached, tokens_reasoning: parts of the two above; None if the provider does not say.
        cost_usd: US dollars, None when the price is not known.
        seconds: wall seconds from request to reply.
        finish_reason: the provider's word (`stop`, `length`, …), None when it does not say.
    """

    text: str
    model: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_usd: float | None = None
    seconds: float = 0.0
    finish_reason: str | None = None
    tokens_cached: int | None = None
    tokens_reasoning: int | None = None


@dataclass(frozen=True, slots=True)
class Examination:
    """The result of the sandbox's describe job for files that can be a candidate.

    Attributes:
        id: id of the candidate that the files make.
        description: description of the file that holds the entry point.
    """

    id: str
    description: Description


@dataclass(frozen=True, slots=True)
class Proposal:
    """A text that may become a candidate: files by path (the first holds the entry point) and its origin.

    Attributes:
        operator: what made it, finer than the origin (`number`, `swap-operands`, a template's name);
            free text for statistics.
        examined: result of examining the files; None before that.
        idea: what the change is and why, in the reply's own sentence; empty where nobody said.
    """

    files: Mapping[str, str]
    origin: Origin
    operator: str
    prompt: Prompt | None = None
    completion: Completion | None = None
    examined: Examination | None = None
    idea: str = ""


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why there is no candidate: a reason from the closed list and an excerpt of the text."""

    reason: RejectionReason
    excerpt: str
    origin: Origin
    operator: str
    prompt: Prompt | None = None
    completion: Completion | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A program of the campaign.

    Attributes:
        id: digest of the normalised tokens; the same code has the same id and is never evaluated twice.
        files: path → text; the first holds the entry point.
        parents: ids, empty for start programs.
        island: index of the island that asked for the candidate.
        iteration: number of the ask that made the candidate; 0 for start programs.
        description: result of the sandbox's describe job.
        idea: what the change is and why, in the reply's own sentence; empty where nobody said.
    """

    id: str
    files: Mapping[str, str]
    parents: tuple[str, ...]
    origin: Origin
    operator: str
    island: int
    iteration: int
    description: Description
    idea: str = ""


@dataclass(frozen=True, slots=True)
class Elite:
    """A candidate that holds a cell of an island's archive."""

    candidate: Candidate
    evaluation: Evaluation
    island: int
    cell: tuple[int, ...]
    measures: tuple[float, ...]

    @property
    def fitness(self) -> float:
        """Fitness on the training split (a ratio, larger is better)."""
        if self.evaluation.fitness is None:
            raise ValueError(f"elite {self.candidate.id}: an incomplete evaluation cannot hold a cell")
        return self.evaluation.fitness

    @property
    def solved(self) -> bool:
        """Whether it attains a proven optimum or bound on every training instance."""
        return all(score.reference_kind.proven and score.excess == 0 for score in self.evaluation.scores)


_CRASHES = (ScoreStatus.RAISED, ScoreStatus.CRASHED, ScoreStatus.REFUSED, ScoreStatus.INVALID_ANSWER)


@dataclass(frozen=True, slots=True)
class Refused:
    """No candidate: the proposal was rejected."""

    rejection: Rejection

    @property
    def operator(self) -> str:
        """What made the proposal."""
        return self.rejection.operator


@dataclass(frozen=True, slots=True)
class _Evaluated:
    """A candidate with its training evaluation."""

    candidate: Candidate
    evaluation: Evaluation

    @property
    def operator(self) -> str:
        """What made the candidate."""
        return self.candidate.operator


@dataclass(frozen=True, slots=True)
class Complete(_Evaluated):
    """The candidate is valid on every training instance."""

    @property
    def fitness(self) -> float:
        """Training fitness (a ratio, larger is better)."""
        if self.evaluation.fitness is None:
            raise AssertionError(f"candidate {self.candidate.id}: a complete evaluation without fitness")
        return self.evaluation.fitness


@dataclass(frozen=True, slots=True)
class Failed(_Evaluated):
    """The candidate failed on an instance."""

    @property
    def score(self) -> Score:
        """The score that ended the evaluation."""
        return self.evaluation.scores[-1]

    @property
    def crashed(self) -> bool:
        """Whether the program raised, or returned no valid form of answer: a slip that can be repaired."""
        return self.score.status in _CRASHES


@dataclass(frozen=True, slots=True)
class Worse(_Evaluated):
    """The candidate lost its race: on the instances so far it is clearly worse than its incumbent."""


@dataclass(frozen=True, slots=True)
class Alike(_Evaluated):
    """The candidate was stopped because it answered the first instances exactly as its parent did."""


Outcome = Refused | Complete | Failed | Worse | Alike
"""What an iteration ended with (closed list)."""


class AddStatus(IntEnum):
    """What adding a candidate to the archive did, ordered (after pyribs)."""

    NOT_ADDED = 0
    IMPROVED = 1
    NEW = 2


@dataclass(frozen=True, slots=True)
class Event:
    """A change in the search that is not an outcome.

    Attributes:
        iteration: number of the iteration; for events of islands, the number of told iterations.
        kind: `best`, `twin`, `faster` (in a faster class), `beyond_bound`, `migration`, `reset`, `shares`, …
        data: JSON.
    """

    iteration: int
    kind: str
    data: Mapping[str, Any]


class End(StrEnum):
    """How a candidate ended (closed list)."""

    KEPT = "kept"
    BEHIND = "behind"
    DUPLICATE = "twin"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Attempt:
    """A told candidate in one line.

    Attributes:
        id, operator, idea: of the candidate.
        loss: mean over the training instances (ratio, smaller is better); None if it was stopped or failed.
        end: how it ended.
        duplicate: id of the candidate whose answers it repeats; empty if none is known.
        executed, instances: training instances that it was executed on, and all of them (counts).
        reason: why it failed; the program's own words may be part of it.
        means: of a stopped one: its mean loss and its rival's on the instances that were executed (ratios).
        beyond: of a stopped one: whether it lost more there than its incumbent on all instances together.
        losses: instance id → loss (ratio) of each execution.
        difference: its loss minus its first parent's on the instances that both answered: the mean, half of
            that mean's 95 % interval (ratios; None for few instances), and their number. None where that is
            not known.
        seconds: largest CPU seconds of an execution.
    """

    id: str
    operator: str
    idea: str
    loss: float | None
    end: End
    duplicate: str = ""
    executed: int = 0
    instances: int = 0
    reason: str = ""
    means: tuple[float, float] | None = None
    beyond: bool = False
    losses: Mapping[str, float] = field(default_factory=dict)
    difference: tuple[float, float | None, int] | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Complement:
    """An elite, and the names of the strata in which it is better than the best elite so far."""

    elite: Elite
    strata: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """What a proposer may know beside the parents; nothing of references' solutions, validation or test.

    Attributes:
        problem, iteration: the problem, and the number of the ask, 1-based.
        instances: id → training instance.
        start, baseline: elite of the start program; name and training evaluation of the best baseline.
        inspirations: further elites that may be shown.
        modules, cpu_seconds: module names that a candidate may import, and its CPU limit per execution.
        operators: operator → (tries, gains) so far, counts; a gain is better than the first parent, with
            models better than the best so far.
        lineage: how the first parent came about, at most three lines, oldest first.
        failed: a candidate of the island that failed and may be repaired; each failure is handed to one ask.
        best: the best elite so far by training loss.
        complements: with models: elites that win in strata where the best loses, at most two.
        attempts: with models: what was tried, newest first, then the best of the older candidates.
        under_way: with models: iterations of earlier replies without an outcome (count).
        founders: with models: elites of the programs that the campaign began with, the best first.
        simplified: with models: whether the first parent was to be simplified before.
        writes, pages: with models: whether this ask writes a page of notes, and asks whose pages it may show.
        times: what is known of CPU times; None where time decides nothing.
        programs, program: with models: iterations of the episode (count); this one's place in it, 1-based.
    """

    problem: Problem
    iteration: int
    instances: Mapping[str, Instance]
    start: Elite
    baseline: tuple[str, Evaluation] | None = None
    inspirations: tuple[Elite, ...] = ()
    modules: tuple[str, ...] = ()
    cpu_seconds: float = 2.0
    operators: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    lineage: tuple[str, ...] = ()
    failed: Failed | None = None
    best: Elite | None = None
    complements: tuple[Complement, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    under_way: int = 0
    founders: tuple[Elite, ...] = ()
    simplified: bool = False
    writes: bool = False
    pages: tuple[int, ...] = ()
    times: Times | None = None
    programs: int = 1
    program: int = 1


class Proposer(Protocol):
    """Makes a new text from parents. Two families: a language model with prompts, and the offline mutator."""

    def propose(self, parents: Sequence[Elite], context: Context, rng: random.Random) -> Proposal | Rejection:
        """A new text, or why there is none; a function of its arguments alone, save for a model's reply."""


def stream(seed: int, component: str, iteration: int) -> random.Random:
    """A random stream keyed by campaign seed, component and iteration; equal keys give equal streams."""
    key = hashlib.sha256(f"{seed}\0{component}\0{iteration}".encode()).digest()
    return random.Random(int.from_bytes(key, "big"))


def unique(elites: Sequence[Elite]) -> list[Elite]:
    """Elites without further copies of the same candidate, order kept."""
    seen: dict[str, Elite] = {}
    for elite in elites:
        seen.setdefault(elite.candidate.id, elite)
    return list(seen.values())

"""Fakes of the loop's ports: small, deterministic, and without a child process.

A fake program is a text with numbers, one for each of its terms. Its loss on an instance says how far the
numbers are from the instance's own numbers, so that mutation, tuning and racing have something to find. A
program that holds the word `fail` fails on its second instance.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from gapsmith.evaluators.base import (
    WHOLE,
    Evaluation,
    EvaluationStatus,
    ProofKind,
    Race,
    Reference,
    ReferenceKind,
    Score,
    ScoreStatus,
)
from gapsmith.evolve.executor import EvaluationJob, evaluate
from gapsmith.evolve.remote.proposals import Material
from gapsmith.evolve.types import Context, Elite, Origin, Proposal, Rejection, RejectionReason
from gapsmith.problems.base import Instance
from gapsmith.sandbox.base import (
    Description,
    Execution,
    ExecutionStatus,
    Led,
    Limits,
    Program,
    Sandbox,
    SandboxDialogue,
)

ENTRY_POINT = "solve"
START = "def solve(x: float) -> float:\n    return 5.0 * x + 3.0\n"
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def numbers(text: str) -> list[float]:
    """The numbers of a fake program."""
    return [float(number) for number in _NUMBER.findall(text)]


class FakeSandbox:
    """A `Sandbox` that describes fake programs without parsing them, and executes nothing."""

    def __init__(self) -> None:
        self.described: list[str] = []

    def execute(
        self,
        program: Program,
        instance: bytes,
        limits: Limits,
        seed: int,
        dialogue: SandboxDialogue | Led | None = None,
    ) -> Execution:
        """See `Sandbox`; an empty answer."""
        return Execution(ExecutionStatus.OK, answer=[])

    def describe(self, text: str, entry_point: str) -> Description:
        """See `Sandbox`; a text without a colon is no program."""
        self.described.append(text)
        if ":" not in text:
            return Description(error="expected ':'", error_line=1)
        digest = hashlib.sha256(text.encode()).hexdigest()
        return Description(
            entry_point=f"def {entry_point}(" in text,
            token_digest=digest,
            shape_digest=hashlib.sha256(_NUMBER.sub(_short, text).encode()).hexdigest(),
            nodes=40 * len(_NUMBER.findall(text)),
        )

    def close(self) -> None:
        """See `Sandbox`."""


class FakeEvaluator:
    """An `Evaluator` on instances that are a few numbers each."""

    def __init__(self, count: int = 8, strata: Sequence[str] = ("all",)) -> None:
        """Makes `count` (≥ 1) instances of each split, the strata in turn."""
        self.count = count
        self._splits: dict[str, dict[str, Instance]] = {}
        self.evaluated: list[tuple[str, str]] = []
        for split in ("train", "valid", "test"):
            names = [f"{split}-{number}" for number in range(count)]
            targets = ([1.0 + number % 3, 2.0 + number % 4, 1.0] for number in range(count))
            self._splits[split] = {
                name: Instance(name, split, strata[number % len(strata)], {"numbers": target}, 1, "fake")
                for number, (name, target) in enumerate(zip(names, targets, strict=True))
            }

    @property
    def version(self) -> str:
        """See `Evaluator`."""
        return "fake"

    @property
    def references(self) -> dict[str, Reference]:
        """Instance id → reference: an optimum of 1."""
        optimum = Reference.optimum(1, ProofKind.CONSTRUCTION, "fake", "1", None, "fake")
        return {id: optimum for instances in self._splits.values() for id in instances}

    def evaluate(
        self,
        program: Program,
        split: str,
        sandbox: Sandbox,
        *,
        stop_at_failure: bool = True,
        race: Race | None = None,
        part: slice = WHOLE,
    ) -> Evaluation:
        """See `Evaluator`."""
        self.evaluated.append((program.main, split))
        scores: list[Score] = []
        usual = list(self._splits[split].values())[part]
        places = {id: place for place, id in enumerate(race.order if race is not None else ())}
        instances = sorted(usual, key=lambda instance: places.get(instance.id, 0))
        for instance in instances:
            if ("fail" in program.main and len(scores) == 1) or self._late(program.main, instance):
                failure = Score(
                    instance.id, ScoreStatus.RAISED, None, 1, ReferenceKind.OPTIMUM, None, None, 0.0,
                    message="fail",
                )  # fmt: skip
                return Evaluation(split, (*scores, failure), EvaluationStatus.FAILED, None)
            scores.append(_score(program.main, instance))
            losses = [self.loss(score) or 0.0 for score in scores]
            answers = [score.answer_digest for score in scores]
            seconds = [score.cpu_seconds for score in scores]
            if race is not None and len(scores) < len(instances) and race.lost(losses, answers, seconds):
                return Evaluation(split, tuple(scores), EvaluationStatus.STOPPED, None)
        order = [instance.id for instance in usual]
        return self._complete(split, sorted(scores, key=lambda score: order.index(score.instance)))

    def joined(self, first: Evaluation, rest: Evaluation) -> Evaluation:
        """See `Evaluator`."""
        scores = (*first.scores, *rest.scores)
        if EvaluationStatus.FAILED in (first.status, rest.status):
            return Evaluation(first.split, scores, EvaluationStatus.FAILED, None)
        return self._complete(first.split, scores)

    def _complete(self, split: str, scores: Sequence[Score]) -> Evaluation:
        fitness = -sum(self.loss(score) or 0.0 for score in scores) / len(scores)
        return Evaluation(split, tuple(scores), EvaluationStatus.COMPLETE, fitness)

    @staticmethod
    def _late(text: str, instance: Instance) -> bool:
        """Whether a program fails on an instance after the eighth: one whose first number ends in 7 does."""
        return int(instance.id.rpartition("-")[2]) >= 8 and repr(numbers(text)[0]).endswith("7")

    def program(self, files: Mapping[str, str]) -> Program:
        """See `Evaluator`."""
        return Program(files, ENTRY_POINT)

    def loss(self, score: Score) -> float | None:
        """See `Evaluator`."""
        return None if score.status is not ScoreStatus.OK or score.excess is None else float(score.excess)

    def instances(self, split: str) -> Mapping[str, Instance]:
        """See `Evaluator`."""
        return self._splits[split]


class FakeExecutor:
    """An `Executor` that does a job at once; `after` is called with the job before its result is there."""

    def __init__(self, evaluator: FakeEvaluator) -> None:
        self._evaluator = evaluator
        self._sandbox = FakeSandbox()

    def submit(self, job: EvaluationJob) -> Future[Evaluation]:
        """See `Executor`."""
        future: Future[Evaluation] = Future()
        future.set_result(self.done(job))
        return future

    def done(self, job: EvaluationJob) -> Evaluation:
        """The evaluation of a job."""
        return evaluate(self._evaluator, self._sandbox, job)

    def close(self) -> None:
        """See `Executor`."""


@dataclass(frozen=True, slots=True)
class FakeProposer:
    """A `Proposer` that changes the parent's numbers; now and then it repeats, rewords, fails or refuses.

    Attributes:
        seen: the contexts that it was given, in order.
    """

    seen: list[Context]

    def propose(self, parents: Sequence[Elite], context: Context, rng: random.Random) -> Proposal | Rejection:
        """See `Proposer`."""
        return self.make(self.material(parents, context), context.problem, rng)

    def material(self, parents: Sequence[Elite], context: Context) -> Material:
        """See `RemoteProposer`."""
        self.seen.append(context)
        return Material(parents[0].candidate.files, operators=context.operators)

    def make(self, material: Material, problem: object, rng: random.Random) -> Proposal | Rejection:
        """See `RemoteProposer`."""
        files = material.files
        path, text = next(iter(files.items()))
        kind = rng.random()
        if kind < 0.08:
            return Rejection(RejectionReason.NO_CODE, "prose", Origin.EXPLORE, "prose")
        if kind < 0.15:
            return Proposal(files, Origin.MUTATE, "same")
        if kind < 0.22:
            return Proposal({path: f"{text}# fail {rng.randrange(99)}\n"}, Origin.MUTATE, "fail")
        if kind < 0.3:
            return Proposal({path: f"{text}# {rng.choice('abcdefgh')}\n"}, Origin.MUTATE, "alike")
        if kind < 0.4 and text.count("+") < 5:
            grown = text.replace(" + ", f" + {rng.uniform(0.1, 2):.3g} + ", 1)
            return Proposal({path: grown}, Origin.GROW, "grow")
        changed = _NUMBER.sub(lambda number: f"{float(number[0]) * rng.uniform(0.6, 1.4):.4g}", text)
        return Proposal({path: changed}, Origin.MUTATE, "number")


def _short(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2g}"


def _score(text: str, instance: Instance) -> Score:
    """How far the numbers of a text are from those of an instance."""
    values = numbers(text)
    targets = instance.public["numbers"]
    padded = [*values, *[0.0] * len(targets)]
    loss = sum(abs(value - target) for value, target in zip(padded, targets, strict=False))
    loss = round(loss + 0.01 * max(0, len(values) - len(targets)), 1)
    digest = hashlib.sha256(f"{instance.id} {loss}".encode()).hexdigest()
    return Score(instance.id, ScoreStatus.OK, 1 + loss, 1, ReferenceKind.OPTIMUM, loss, loss, 0.001, digest)

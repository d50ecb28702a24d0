"""Scores programs on splits: sandbox, verdict and gap, one instance after another."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from ..problems.base import (
    Drawing,
    Explains,
    Instance,
    Interactive,
    Json,
    Problem,
    Stateless,
    canonical_json,
    encode_number,
)
from ..problems.reported import Reported
from ..sandbox.base import Execution, ExecutionStatus, Limits, Program, Sandbox
from .audit import Auditor, Decided, Noted, noted
from .base import WHOLE, Evaluation, EvaluationStatus, Race, Reference, Score, ScoreStatus
from .confirming import NotConfirmed, confirm_order, confirm_score
from .judging import Judges, NotExplained
from .reported import metrics_of
from .scoring import fitness, normalised_loss, one_line, score

_CROWDED_TRIES = 3
_CROWDED_PAUSE = 1.0
"""How often an execution is made that other work on the machine kept from computing (count), and the wall
seconds before the second try; each further pause is as much longer."""
_SHORT = 0.1
_TRIES = 5
_MANY_TRIES = 25
"""CPU seconds up to which a limit is short, how often an execution may meet it before it has failed, and how
often the first such execution of a whole evaluation may, as those of baselines and of reports are."""
REPORTED_CHARACTERS = 6_000
"""Longest text of what a foreign evaluator reported; the rest is cut."""
_PAUSE = 0.01
"""Wall seconds before the second try; each further pause is as much longer."""


class GapEvaluator:
    """Scores programs by their gap to references; the score depends only on program, split and arguments.

    Threads may share an evaluator: each call uses its own sandbox slot.
    """

    def __init__(
        self,
        problem: Problem,
        splits: Mapping[str, Sequence[Instance]],
        reference: Callable[[Instance], Reference],
        *,
        limits: Limits,
        seed: int,
        policy: str,
    ) -> None:
        """Takes everything that a score depends on, and computes all references.

        Args:
            problem: the problem that verifies answers.
            splits: set name → instances; the order of execution takes one instance of each stratum in turn,
                so that its first instances represent all strata.
            reference: computes the reference of an instance; called once for each instance, here.
            limits: limits of one execution.
            seed: seed of the candidates' random streams, together with the instance's id.
            policy: digest of the sandbox's import policy and layers.
        """
        self.problem = problem
        self.limits = limits
        self.seed = seed
        self._splits = {name: {i.id: i for i in in_turns(instances)} for name, instances in splits.items()}
        every = [instance for split in self._splits.values() for instance in split.values()]
        self._every = {i.id: i for i in every}
        self.references = {i.id: reference(i) for i in every}
        self._policy = policy
        self._judges = Judges(problem, self._every)
        # Asked once: to compare an object with such a protocol takes longer than many a verdict.
        self._interactive = isinstance(problem, Interactive)
        self._reported = problem if isinstance(problem, Reported) else None
        self._auditor: Auditor | None = None
        if isinstance(problem, Stateless) and problem.anew:
            self._auditor = Auditor(problem, problem.entry_point, limits, seed)
        self._pure: set[str] = set()  # digests of programs that an audit has passed: none is audited twice
        self.timed = True  # False where times are a record's: an audit then judges decisions alone
        digests = [[name, self.digest(name)] for name in self._splits]
        self.version = hashlib.sha256(canonical_json(digests).encode()).hexdigest()

    @property
    def splits(self) -> tuple[str, ...]:
        """Names of the splits."""
        return tuple(self._splits)

    def instances(self, split: str) -> Mapping[str, Instance]:
        """The instances of a split by id, in the order of execution."""
        return self._splits[split]

    def program(self, files: Mapping[str, str]) -> Program:
        """A candidate's text as a program of this problem."""
        if self._auditor is not None:
            anew = getattr(self.problem, "anew", 0)
            return Program(files, self.problem.entry_point, self._auditor.recording, anew)
        return Program(files, self.problem.entry_point, getattr(self.problem, "driver", None))

    def loss(self, score: Score) -> float | None:
        """excess / max(|reference|, scale) of one score (a ratio); None unless the score is OK."""
        return normalised_loss(score, self._every[score.instance])

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
        """Runs a program on the instances of a split in the order of the race, or else in the usual one.

        Args:
            program: the candidate's program.
            split: name of one of this evaluator's splits.
            sandbox: the slot to run in.
            stop_at_failure: whether to end at the first instance without a valid answer (a campaign) or score
                all instances (a report); the status is FAILED either way.
            race: test applied after every score but the last, as long as all scores are OK; a lost race ends
                the evaluation as STOPPED.
            part: of the instances, by their places in that order.
        """
        scores: list[Score] = []
        losses: list[float] = []
        decided: list[Decided] = []
        usual = list(self._splits[split].values())[part]
        instances = in_order(usual, race)
        tries = _TRIES if stop_at_failure else _MANY_TRIES
        for instance in instances:
            execution, outcome = self._run(program, instance, sandbox, tries)
            scores.append(outcome)
            if outcome.status is ScoreStatus.TIMEOUT:
                tries = _TRIES
            if outcome.status is ScoreStatus.OK and isinstance(execution, Noted):
                decided.append(Decided(instance, outcome.answer_digest, execution))
            if stop_at_failure and scores[-1].status is not ScoreStatus.OK:
                break
            if race is None or (loss := self.loss(scores[-1])) is None:
                continue
            losses.append(loss)
            if len(losses) == len(scores) < len(instances) and race.lost(
                losses, [score.answer_digest for score in scores], [score.cpu_seconds for score in scores]
            ):
                return Evaluation(split, tuple(scores), EvaluationStatus.STOPPED, None)
        if self._auditor is not None and all(s.status is ScoreStatus.OK for s in scores):
            scores = self._audited(self._auditor, program, scores, decided, sandbox)
        return self.evaluation(split, in_usual_order(scores, usual))

    def joined(self, first: Evaluation, rest: Evaluation) -> Evaluation:
        """One evaluation of a complete one and of one on the instances that follow."""
        return self.evaluation(first.split, [*first.scores, *rest.scores])

    def evaluation(self, split: str, scores: Sequence[Score]) -> Evaluation:
        """The evaluation that scores on all instances of a split make; failed unless each of them is OK."""
        if any(s.status is not ScoreStatus.OK for s in scores):
            return Evaluation(split, tuple(scores), EvaluationStatus.FAILED, None)
        value = fitness(scores, [self._every[score.instance] for score in scores])
        return Evaluation(split, tuple(scores), EvaluationStatus.COMPLETE, value)

    def confirm(
        self,
        evaluation: Evaluation,
        split: str,
        *,
        stop_at_failure: bool = True,
        race: Race | None = None,
        part: slice = WHOLE,
    ) -> None:
        """Checks an evaluation that another process made; arguments as for `evaluate`.

        Raises:
            NotConfirmed: it is of other instances, or its references, gaps or fitness are not those that this
                process computes.
        """
        if evaluation.split != split:
            raise NotConfirmed(f"an evaluation on {evaluation.split:.60}, expected one on {split}")
        for one in evaluation.scores:
            confirm_score(one, self.problem, self._every, self.references)
        usual = list(self._splits[split].values())[part]
        confirm_order(evaluation, in_order(usual, race), race, not stop_at_failure, self.loss)
        if evaluation.status is EvaluationStatus.STOPPED:
            return
        made = self.evaluation(split, in_usual_order(evaluation.scores, usual))
        if (made.scores, made.fitness) != (evaluation.scores, evaluation.fitness):
            raise NotConfirmed("the fitness, or the order of scores, is not the one that the scores make")

    def prepare(self) -> None:
        """Starts the processes that judge answers, before the caller starts threads.

        Without this call, the first answer starts them.

        Raises:
            SandboxError: the system cannot create a process.
        """
        self._judges.prepare()

    def close(self) -> None:
        """Ends the processes that judge answers; the next answer would start them again."""
        self._judges.close()

    def execute(self, program: Program, instance: Instance, sandbox: Sandbox) -> Score:
        """Runs and scores a program on one instance."""
        return self._run(program, instance, sandbox)[1]

    def probe(self, program: Program, instance: Instance, sandbox: Sandbox) -> tuple[Execution, Score, str]:
        """Runs a program on one instance: the execution, its score, and what the problem says of the answer.

        Where the problem fails to explain the answer, that is what is said.
        """
        execution, outcome = self._run(program, instance, sandbox)
        if outcome.status is not ScoreStatus.OK or not self.explains:
            return execution, outcome, ""
        if isinstance(self.problem, Reported):
            return execution, outcome, self.problem.feedback(execution.answer)[:REPORTED_CHARACTERS]
        try:
            return execution, outcome, self._judges.explain(instance, execution.answer)
        except NotExplained as error:
            return execution, outcome, str(error)

    def answer(self, program: Program, instance: Instance, sandbox: Sandbox) -> Json | None:
        """Runs a program on one instance and returns its answer; None unless the score is OK."""
        execution, outcome = self._run(program, instance, sandbox)
        return execution.answer if outcome.status is ScoreStatus.OK else None

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """The problem's drawing of a valid answer.

        Raises:
            NotDrawn: the problem failed to draw the answer, or took too long.
        """
        return self._judges.draw(instance, answer)

    @property
    def explains(self) -> bool:
        """Whether the problem may say something of an answer."""
        return isinstance(self.problem, Explains | Reported)

    def explain(self, program: Program, name: str, sandbox: Sandbox, digest: str | None) -> str:
        """What the problem says of a program's answer to the instance of this name; runs the program for it.

        Empty for a problem that explains nothing, and for another answer than the one with this digest. Where
        a foreign evaluator reports scores, what it reports of a further evaluation: many measure times, too.

        Raises:
            NotExplained: the problem failed to explain the answer, or took too long.
        """
        if not self.explains:
            return ""
        instance = self._every[name]
        execution, outcome = self._run(program, instance, sandbox)
        if isinstance(self.problem, Reported):
            feedback = self.problem.feedback(execution.answer) if outcome.status is ScoreStatus.OK else ""
            return feedback[:REPORTED_CHARACTERS]
        if outcome.status is not ScoreStatus.OK or outcome.answer_digest != digest:
            return ""
        return self._judges.explain(instance, execution.answer)

    def _run(
        self, program: Program, instance: Instance, sandbox: Sandbox, tries: int = _TRIES
    ) -> tuple[Execution, Score]:
        seed = execution_seed(self.seed, instance.id)
        dialogue = None
        judgement = None
        if self._interactive:
            # Ten times the limit: a slot that replays a record waits longer than the limits say.
            dialogue = self._judges.dialogue(instance, 10 * self.limits.wall_seconds)
        execution = self._timed(
            lambda: sandbox.execute(program, instance.encoded, self.limits, seed, dialogue),
            tries if dialogue is None else 1,
        )
        if self._auditor is not None:
            execution = noted(execution)
        if execution.status is ExecutionStatus.OK:
            judgement = dialogue.judgement if dialogue is not None else None
            judgement = judgement or self._judges.judge(instance, execution.answer, execution.encoded)
        reference = self.references[instance.id]
        outcome = score(self.problem, instance, reference, execution, judgement)
        if self._reported is not None and execution.status is ExecutionStatus.OK:
            outcome = replace(outcome, metrics=metrics_of(self._reported, execution.answer))
        return execution, outcome

    def _audited(
        self,
        auditor: Auditor,
        program: Program,
        scores: list[Score],
        decided: Sequence[Decided],
        sandbox: Sandbox,
    ) -> list[Score]:
        """The scores after an audit; one that fails comes last, as every failure does."""
        if program.digest in self._pure:
            return scores
        audit = auditor.audit(program, decided, sandbox)
        if audit.stateful is not None:
            named = audit.stateful.instance
            failed = [
                _failed(s, ScoreStatus.STATEFUL, audit.stateful.message)
                for s in scores
                if s.instance == named
            ]
            return [*(s for s in scores if s.instance != named), *failed]
        if not self.timed or audit.dearer == 1.0:
            self._pure.add(program.digest)
            return scores
        limit = self.limits.cpu_seconds
        alone = [audit.dearer * score.cpu_seconds for score in scores]
        if max(alone) > limit:
            why = f"used more than {limit:g} CPU seconds, as an audit measured: {_alone(audit.dearer)}"
            return [*scores[:-1], _failed(scores[-1], ScoreStatus.TIMEOUT, why)]
        return [replace(score, cpu_seconds=cpu) for score, cpu in zip(scores, alone, strict=True)]

    def _timed(self, execute: Callable[[], Execution], tries: int) -> Execution:
        """An execution, tried again if it met a short limit: a busy machine makes short times long.

        Other programs that use the caches lengthen CPU times too; the pauses wait for a better moment. One
        that hardly got the processor is tried again whatever its limit: it says nothing of the program.
        """
        execution = execute()
        for number in range(1, _CROWDED_TRIES):
            if not execution.crowded:
                break
            time.sleep(number * _CROWDED_PAUSE)
            execution = execute()
        for number in range(1, tries if self.limits.cpu_seconds <= _SHORT else 1):
            if execution.status is not ExecutionStatus.TIMEOUT:
                break
            time.sleep(number * _PAUSE)
            execution = execute()
        return execution

    def digest(self, split: str, part: slice = WHOLE) -> str:
        """Hex SHA-256 of everything but the program that a score on a split, or a part of it, depends on."""
        parts = [
            self.problem.name,
            self.problem.version,
            getattr(self.problem, "driver", None),
            [
                [i.id, i.digest, encode_number(i.scale), self._reference_key(i)]
                for i in list(self._splits[split].values())[part]
            ],
            [self.limits.cpu_seconds, self.limits.memory_bytes, self.limits.output_bytes],
            self.seed,
            self._policy,
        ]
        return hashlib.sha256(canonical_json(parts).encode()).hexdigest()

    def _reference_key(self, instance: Instance) -> list[str | None]:
        reference = self.references[instance.id]
        bound = None if reference.bound is None else encode_number(reference.bound)
        return [encode_number(reference.value), reference.kind.value, bound]


def _alone(dearer: float) -> str:
    """A sentence on decisions that take longer by themselves (by this factor)."""
    if math.isinf(dearer):
        return "a fresh process that was asked for single decisions in random order met its limit"
    return (
        "single decisions, asked for in random order in fresh processes, take "
        f"{dearer:.3g} times as long as those of an execution"
    )


def _failed(score: Score, status: ScoreStatus, why: str) -> Score:
    """A score that an audit takes back."""
    return replace(score, status=status, objective=None, gap=None, excess=None, message=one_line(why)[:500])


def in_turns(instances: Sequence[Instance]) -> list[Instance]:
    """Takes one instance of each stratum in turn; keeps the order of strata and the order within each."""
    strata: dict[str, list[Instance]] = {}
    for instance in instances:
        strata.setdefault(instance.stratum, []).append(instance)
    rounds = zip_longest(*strata.values())
    return [instance for turn in rounds for instance in turn if instance is not None]


def in_order(instances: Sequence[Instance], race: Race | None) -> list[Instance]:
    """Instances in the order of a race; in their own where there is none, or it names no order."""
    places = {id: place for place, id in enumerate(race.order if race is not None else ())}
    return sorted(instances, key=lambda instance: places.get(instance.id, len(places)))


def in_usual_order(scores: Sequence[Score], instances: Sequence[Instance]) -> list[Score]:
    """Scores in the order of the instances if all are valid; a failure ends an evaluation, and stays last."""
    if any(score.status is not ScoreStatus.OK for score in scores):
        return list(scores)
    places = {instance.id: place for place, instance in enumerate(instances)}
    return sorted(scores, key=lambda score: places[score.instance])


def execution_seed(seed: int, instance: str) -> int:
    """Seed (0 to 2³² − 1) of a candidate's random streams on an instance."""
    return int.from_bytes(hashlib.sha256(f"{seed}\0{instance}".encode()).digest()[:4], "big")

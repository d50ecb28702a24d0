"""What a driver believes of its workers: nothing that it can compute itself, and no line without end."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.config import parse
from gapsmith.app.errors import UserError
from gapsmith.app.setup import workers as opening
from gapsmith.app.setup.prepare import setup_of_problem
from gapsmith.app.setup.setup import Setup
from gapsmith.app.setup.workers import check_hello, hello
from gapsmith.evaluators.base import Evaluation, EvaluationStatus, ReferenceKind, Score, ScoreStatus
from gapsmith.evaluators.confirming import NotConfirmed
from gapsmith.evolve.executor import EvaluationJob, ThreadExecutor
from gapsmith.evolve.racing import PairedRace
from gapsmith.evolve.remote.executor import RemoteExecutor, WorkerLost, WorkersLost
from gapsmith.evolve.remote.proposals import Draft
from gapsmith.evolve.remote.protocol import (
    MOST_CHARACTERS,
    LineError,
    confirm_drafted,
    decode_reply,
    encode_reply,
)
from gapsmith.evolve.types import Examination, Origin, Proposal, Rejection, RejectionReason
from gapsmith.sandbox.base import MAIN_FILE, Constant, Description, Statement

PROBLEM = Path(__file__).with_name("flow_time.py")


@pytest.fixture(scope="module")
def setup() -> Setup:
    """The small problem, ready."""
    return setup_of_problem(parse({"campaign": {"problem": str(PROBLEM)}}, "test"))


@pytest.fixture(scope="module")
def job(setup: Setup) -> EvaluationJob:
    """An evaluation of the start program on the training set."""
    text = next(iter(setup.loaded.problem.start_programs().values()))
    return EvaluationJob(setup.evaluator.program({MAIN_FILE: text}), "train")


@pytest.fixture(scope="module")
def honest(setup: Setup, job: EvaluationJob) -> Evaluation:
    """What a worker that tells the truth sends."""
    executor = ThreadExecutor(setup.evaluator, setup.open_slot, 1)
    try:
        return executor.submit(job).result()
    finally:
        executor.close()


def first(evaluation: Evaluation, **changes: Any) -> Evaluation:
    """An evaluation with changes of its first score."""
    return replace(evaluation, scores=(replace(evaluation.scores[0], **changes), *evaluation.scores[1:]))


def gaps_of_zero(evaluation: Evaluation) -> Evaluation:
    """Every gap and excess is 0, though the objectives are what they were."""
    scores = tuple(replace(score, excess=0, gap=Fraction(0)) for score in evaluation.scores)
    return replace(evaluation, scores=scores, fitness=0.0)


def on_references(evaluation: Evaluation) -> Evaluation:
    """Every reference is the objective."""
    scores = tuple(
        replace(score, reference=score.objective or 1, excess=0, gap=Fraction(0))
        for score in evaluation.scores
    )
    return replace(evaluation, scores=scores, fitness=0.0)


def failed(score: Score) -> Score:
    """A score of an execution that raised an exception."""
    return replace(score, status=ScoreStatus.RAISED, objective=None, gap=None, excess=None, message="no")


LIES: dict[str, Callable[[Evaluation], Evaluation]] = {
    "a better fitness": lambda e: replace(e, fitness=0.0),
    "gaps of zero": gaps_of_zero,
    "own references": on_references,
    "a gap alone": lambda e: first(e, gap=Fraction(1, 3)),
    "an excess alone": lambda e: first(e, excess=-5),
    "an excess as float": lambda e: first(e, excess=float(e.scores[0].excess or 0)),
    "a better objective": lambda e: first(e, objective=1),
    "an objective beyond bounds": lambda e: first(e, objective=10**400),
    "another kind of reference": lambda e: first(e, reference_kind=ReferenceKind.BEST_KNOWN),
    "beyond the bound": lambda e: first(e, status=ScoreStatus.BEYOND_BOUND, gap=None, message="ha"),
    "an unknown instance": lambda e: first(e, instance="train-999\x1b[2J"),
    "an instance of another set": lambda e: first(e, instance="test-0"),
    "an instance twice": lambda e: replace(e, scores=(e.scores[1], *e.scores[1:])),
    "an instance left out": lambda e: replace(e, scores=e.scores[1:]),
    "another order": lambda e: replace(e, scores=e.scores[::-1]),
    "another set": lambda e: replace(e, split="test"),
    "no instance at all": lambda e: replace(e, scores=()),
    "negative time": lambda e: first(e, cpu_seconds=-1.0),
    "an answer's digest that is none": lambda e: first(e, answer_digest="../../etc/passwd"),
    "no digest": lambda e: first(e, answer_digest=None),
    "a message with controls": lambda e: first(e, message="\x1b]0;owned\x07"),
    "a metric with controls": lambda e: first(e, metrics={"\x1b[31mx": 1}),
    "a metric's long name": lambda e: first(e, metrics={"x" * 5000: 1}),
    "marks without end": lambda e: first(e, marks=("x",) * 100_000),
    "stopped without a race": lambda e: replace(
        e, status=EvaluationStatus.STOPPED, fitness=None, scores=e.scores[:1]
    ),
    "failed without a failure": lambda e: replace(e, status=EvaluationStatus.FAILED, fitness=None),
    "a failure without a message": lambda e: replace(
        e, status=EvaluationStatus.FAILED, fitness=None, scores=(replace(failed(e.scores[0]), message=None),)
    ),
}
"""Name → what becomes of an honest evaluation."""


def test_the_truth_is_confirmed(setup: Setup, job: EvaluationJob, honest: Evaluation) -> None:
    """An honest evaluation, a failed one and one through a line are taken as they are."""
    setup.evaluator.confirm(honest, "train")
    sent = decode_reply(encode_reply(1, honest))[1]
    assert isinstance(sent, Evaluation)
    setup.evaluator.confirm(sent, "train")
    scores = (honest.scores[0], failed(honest.scores[1]))
    broken = Evaluation("train", scores, EvaluationStatus.FAILED, None)
    setup.evaluator.confirm(broken, "train")
    with pytest.raises(NotConfirmed, match="expected"):  # a report scores all instances
        setup.evaluator.confirm(broken, "train", stop_at_failure=False)
    part = honest.scores[1:3]
    setup.evaluator.confirm(setup.evaluator.evaluation("train", part), "train", part=slice(1, 3))


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_loses_the_worker(setup: Setup, job: EvaluationJob, honest: Evaluation, lie: str) -> None:
    """The job goes to another worker, and the event names the worker and, cleaned, what was wrong."""
    noted: list[str] = []

    class Lying:
        """A worker that sends one kind of lie."""

        name = "liar"

        def send(self, line: str) -> None:
            """See `Worker`."""
            self._number = json.loads(line)["job"]

        def receive(self) -> str:
            """See `Worker`."""
            return encode_reply(self._number, LIES[lie](honest))

        def close(self) -> None:
            """See `Worker`."""

    with (
        opening.executor_of([Lying()], lambda lost: Lying(), noted.append, setup) as crew,
        pytest.raises(WorkersLost, match="3 times"),
    ):
        crew.submit(job).result(30)
    assert len(noted) == 3
    assert all(text.startswith("liar: ") and text.isprintable() and len(text) <= 1000 for text in noted)


def test_a_race_is_run_again(setup: Setup, honest: Evaluation) -> None:
    """A worker cannot stop a candidate that loses no race, or at another place than where it is lost."""
    stopped = Evaluation("train", honest.scores[:1], EvaluationStatus.STOPPED, None)
    lost = PairedRace((0.0,) * len(honest.scores), 0.05, True)
    won = PairedRace((99.0,) * len(honest.scores), 0.05, True)
    setup.evaluator.confirm(stopped, "train", race=lost)
    for race, evaluation in (
        (won, stopped),
        (lost, replace(stopped, scores=honest.scores[1:2])),
        (lost, replace(stopped, scores=honest.scores)),
        (None, stopped),
    ):
        with pytest.raises(NotConfirmed, match="stopped"):
            setup.evaluator.confirm(evaluation, "train", race=race)


TEXT = "def order(times, weights):\n    return []\n"
DIGEST = "ab" * 32
DESCRIBED = Description(token_digest=DIGEST)
GOOD = Proposal({MAIN_FILE: TEXT}, Origin.MUTATE, "swap", examined=Examination(DIGEST[:16], DESCRIBED))


def described(**changes: Any) -> Proposal:
    """The good draft with another description."""
    return replace(GOOD, examined=Examination(DIGEST[:16], replace(DESCRIBED, **changes)))


@pytest.mark.parametrize(
    "made",
    [
        replace(GOOD, files={MAIN_FILE: TEXT + "import os\n"}),
        replace(GOOD, files={MAIN_FILE: TEXT, "more.py": ""}),
        replace(GOOD, files={"../../evil.py": TEXT}),
        replace(GOOD, operator="other"),
        replace(GOOD, origin=Origin.IMPROVE),
        replace(GOOD, examined=Examination("'; DROP TABLE x", Description(token_digest=DIGEST))),
        replace(GOOD, examined=Examination("cd" * 8, Description(token_digest=DIGEST))),
        replace(GOOD, examined=Examination("ab", Description(token_digest=DIGEST))),
        described(nodes=10**400),
        described(depth=-1),
        described(descriptors={"loops": 10**400}),
        described(descriptors={f"x{number}": 1 for number in range(500_000)}),
        described(constants=(Constant(1, 0, 10**30, "1"),)),
        described(statements=(Statement(1, 1, "For\x1b[31m", 0),)),
        described(imports=("os\x1b]0;owned\x07",)),
        described(internals=("x" * 100_000,)),
        described(shape_digest="\ud800"),
        Rejection(RejectionReason.SYNTAX, "x" * 5000, Origin.MUTATE, "swap"),
        Rejection(RejectionReason.SYNTAX, "\x1b[31m", Origin.MUTATE, "swap"),
        Rejection(RejectionReason.SYNTAX, "no", Origin.IMPROVE, "swap"),
    ],
)
def test_a_wrong_draft_is_refused(made: Proposal | Rejection) -> None:
    """A text that was only to be examined comes back as it was, with an id and counts that can be."""
    draft = Draft(replace(GOOD, examined=None), 1, 2)
    confirm_drafted(draft, GOOD)
    with pytest.raises(LineError, match="draft"):
        confirm_drafted(draft, made)


def test_strange_replies_have_an_end(setup: Setup, job: EvaluationJob, honest: Evaluation) -> None:
    """A worker that answers other jobs for ever is lost like one that is silent."""

    class Chatty:
        """A worker that answers every job but its own."""

        name = "chatty"

        def send(self, line: str) -> None:
            """See `Worker`."""

        def receive(self) -> str:
            """See `Worker`."""
            return encode_reply(10**9, honest)

        def close(self) -> None:
            """See `Worker`."""

    crew = RemoteExecutor([Chatty()], lambda lost: Chatty())
    with pytest.raises(WorkersLost, match="100 replies to other jobs"):
        crew.submit(job).result(60)
    crew.kill()


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("[os.write(1, b'x' * 65536) for _ in iter(int, 1)]", f"sent a line of {MOST_CHARACTERS} characters"),
        ("os.write(1, b'\\xff\\xfe\\n')", "bytes that are no text"),
        ("time.sleep(600)", "no first line after 0.5 s"),
        ("os.close(1); time.sleep(600)", "its pipe is closed"),
        ("os._exit(7)", "exit code 7"),
        ("os.fork() or time.sleep(600); os._exit(7)", "exit code 7"),
        ("os.write(1, b'[' * 60000 + b'\\n')", "first line is damaged"),
        ("os.write(1, b' ' * 70000 + b'\\n')", "first line is damaged"),
        ("os.write(1, b'\\x1b[2J\\x1b]0;owned\\x07\\n')", "first line is damaged"),
    ],
)
def test_a_first_line_has_an_end(
    setup: Setup, monkeypatch: pytest.MonkeyPatch, script: str, said: str
) -> None:
    """Real processes that flood, stay silent, or send what is no text: each is ended, and named."""
    monkeypatch.setattr(opening, "COMMAND", ("-c", f"import os, sys, time; sys.stdin.readline(); {script}"))
    monkeypatch.setattr(opening, "_END_SECONDS", 0.5)
    monkeypatch.setattr(opening, "_READY_SECONDS", 0.5 if script.startswith("time") else 60.0)
    with pytest.raises((WorkerLost, UserError)) as caught, opening.process_executor(setup, 1, print):
        pytest.fail("a crew began")
    assert said in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "changes",
    [
        {"layers": {"\x1b[2Jseccomp": True}},
        {"layers": {"seccomp": "yes"}},
        {"layers": {f"layer {number}": True for number in range(100)}},
        {"layers": None},
        {"machine": 7},
        {"python": ["3.11"]},
        {"error": ["1", "no", None]},
        {"error": [0, "no", None]},
        {"error": [3, 7, None]},
        {"error": [3, "no", {}]},
    ],
)
def test_a_wrong_hello_is_refused(setup: Setup, changes: dict[str, Any]) -> None:
    """Layers are those that there are, texts are texts, and exit codes are numbers of exit codes."""
    said = {**json.loads(hello(setup, {"seccomp": True})), **changes}
    with pytest.raises(UserError, match="first line is damaged"):
        check_hello(json.dumps(said), setup)


def test_what_a_worker_says_of_itself_is_clean(setup: Setup) -> None:
    """Names of machines and reasons of refusals are printed, and hold nothing that nobody sees."""
    said = {**json.loads(hello(setup, {"seccomp": True})), "machine": "host\x1b[2J"}
    assert check_hello(json.dumps(said), setup)["machine"] == "host[2J"
    with pytest.raises(UserError) as caught:
        check_hello(json.dumps({"error": [3, "no\x1b]0;owned\x07", "\x1b[2J"]}), setup)
    assert caught.value.message == "no]0;owned"
    assert caught.value.hint == "[2J"

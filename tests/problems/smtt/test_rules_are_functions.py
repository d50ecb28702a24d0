"""Rule forms are functions of their arguments: whatever remembers is found, and honest rules pass."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace as with_changes
from pathlib import Path
from typing import Any

import pytest
from gapsmith import run_campaign
from gapsmith.app.analysis.replay import replay
from gapsmith.app.analysis.verify import verify
from gapsmith.app.plugins.loader import load_problem
from gapsmith.app.runs.record import open_record
from gapsmith.app.setup.reruns import setup_of_record
from gapsmith.evaluators.base import Evaluation, EvaluationStatus, Reference, ReferenceKind, ScoreStatus
from gapsmith.evaluators.evaluator import GapEvaluator
from gapsmith.evolve.syntax.checks import unseeded
from gapsmith.problems.base import Stateless
from gapsmith.problems.rule_form import RuleForm
from gapsmith.sandbox.base import Execution, ExecutionStatus, Limits, Program, Sandbox
from gapsmith.sandbox.slot import open_sandbox

RULES = (
    "smtt-rule",
    "smwtt-rule",
    "job-shop-rule",
    "blocking-job-shop-rule",
    "lora-microbatches-rule",
    "memory-mapping-rule",
    "flow-shop-rule",
    "task-graph-rule",
)
QUICK = ("smtt-rule", "job-shop-rule", "memory-mapping-rule")
"""Rules of three families that the default suite tries; the slow suite tries all."""
UNKNOWN = Reference(1, ReferenceKind.BASELINE, None, None, "none", "1", None, "placeholder")

PLANNED = """
import {imports}
import numpy as np

{store}

def better(order, processing_times, due_dates):
    time = total = 0
    for j in order:
        time += processing_times[j]
        total += max(0, time - due_dates[j])
    return total

def plan(processing_times, due_dates):
    best = list(range(len(due_dates)))
    for i in range(len(best)):
        for k in range(len(best)):
            other = best[:]
            other.insert(k, other.pop(i))
            best = min(best, other, key=lambda order: better(order, processing_times, due_dates))
    return [float(processing_times[j] * 1000 + due_dates[j]) for j in best]

def priority(time, processing_times, due_dates{more}):
    kept = {kept}
    keys = processing_times * 1000 + due_dates
    if time == 0:
        kept[:] = plan(processing_times, due_dates)
    if not len(kept):
        return due_dates
    return np.array([list(kept).index(key) if key in list(kept) else 1e6 for key in keys])
"""
"""A plan made at the first call and played back: what differs is where it is kept from call to call."""

KEEPERS = {
    "an allowed module": ("statistics", "", "", "statistics.__dict__.setdefault('plan', [])"),
    "a numpy attribute": ("numpy", "", "", "np.__dict__.setdefault('plan', [])"),
    "another's default": ("json", "", "", "(json.dumps.__kwdefaults__ or {}).setdefault('plan', [])"),
}
HARMLESS = {
    "a global": ("math", "PLAN = []", "", "PLAN"),
    "a default": ("math", "", ", kept=[]", "kept"),
    "a closure": ("math", "def keep(plan=[]):\n    return lambda: plan\nget = keep()", "", "get()"),
    "a function attribute": ("math", "", "", "priority.__dict__.setdefault('plan', [])"),
    "a numpy array": ("math", "PLAN = np.full(12, -1.0)", "", "PLAN"),
}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """One warm slot."""
    with open_sandbox() as slot:
        yield slot


@pytest.fixture
def evaluate(sandbox: Sandbox) -> Iterator[Any]:
    """Evaluates a text on a few training instances of a problem."""
    opened: list[GapEvaluator] = []

    def run(
        text: str,
        name: str = "smtt-rule",
        seconds: float = 1.0,
        version: str = "2",
        slot: Any = None,
        whole: bool = False,
        **parameters: Any,
    ) -> Evaluation:
        problem = load_problem(name, parameters).at(version).problem
        evaluator = GapEvaluator(
            problem,
            {"train": sorted(problem.instances("train", 1), key=lambda i: len(str(i.public)))[:5]},
            lambda instance: UNKNOWN,
            limits=Limits(cpu_seconds=seconds),
            seed=7,
            policy="",
        )
        opened.append(evaluator)
        program = evaluator.program({"heuristic.py": text})
        return evaluator.evaluate(program, "train", slot or sandbox, stop_at_failure=not whole)

    yield run
    for evaluator in opened:
        evaluator.close()


def _planned(keeper: tuple[str, str, str, str]) -> str:
    imports, store, more, kept = keeper
    return PLANNED.format(imports=imports, store=store, more=more, kept=kept)


@pytest.mark.quick(*QUICK)
@pytest.mark.parametrize("name", RULES)
def test_honest_rules_pass_and_answer_as_in_the_first_version(name: str, evaluate: Any) -> None:
    """Start programs and baselines give the answers that the driver without an audit gives."""
    problem = load_problem(name).problem
    assert isinstance(problem, Stateless)
    texts = {**problem.start_programs(), **problem.baselines()}
    for text in [*texts.values()][:2]:
        now, then = evaluate(text, name), evaluate(text, name, version="1")
        assert now.status is EvaluationStatus.COMPLETE, now.scores[-1].message
        assert [s.answer_digest for s in now.scores] == [s.answer_digest for s in then.scores]


@pytest.mark.parametrize("keeper", HARMLESS)
def test_what_a_text_keeps_is_gone_at_the_next_call(keeper: str, evaluate: Any) -> None:
    """Globals, defaults, closures, attributes and arrays: the rule passes, as the function that is left."""
    text = _planned(HARMLESS[keeper])
    now, then = evaluate(text, jobs=12), evaluate(text, jobs=12, version="1")
    assert now.status is then.status is EvaluationStatus.COMPLETE
    totals = [sum(score.objective for score in one.scores) for one in (now, then)]
    assert totals[0] > totals[1]


@pytest.mark.parametrize("keeper", KEEPERS)
def test_a_plan_in_an_imported_module_is_found(keeper: str, evaluate: Any) -> None:
    """Modules outlive the text; by itself in a fresh process a decision comes out differently."""
    text = _planned(KEEPERS[keeper])
    found, then = evaluate(text, jobs=12), evaluate(text, jobs=12, version="1")
    assert then.status is EvaluationStatus.COMPLETE
    assert found.status is EvaluationStatus.FAILED
    assert found.failure is not None
    assert found.failure.status is ScoreStatus.STATEFUL
    assert "function of its arguments" in str(found.failure.message)
    assert len(found.scores) == len(then.scores)


COUNTING = """
import math
import numpy as np

def priority(**state):
    math.count = getattr(math, "count", 0) + 1
    first = next(value for value in state.values() if isinstance(value, np.ndarray))
    return np.roll(np.arange(len(first)), math.count)
"""
RATING = """
import math

def priority(**state):
    math.count = getattr(math, "count", 0) + 1
    return 1000.0 * math.sin(math.count) + 1000.0
"""


@pytest.mark.parametrize("name", RULES)
def test_every_rule_form_finds_a_rule_that_counts_its_calls(name: str, evaluate: Any) -> None:
    """All problems with rule forms are audited."""
    text = RATING if name == "lora-microbatches-rule" else COUNTING
    found = evaluate(text.replace("priority", load_problem(name).problem.entry_point), name)
    assert found.failure is not None
    assert found.failure.status is ScoreStatus.STATEFUL, found.failure.message


@pytest.mark.parametrize(
    "draw",
    [
        "random.random()",
        "random.Random().random()",
        "np.random.rand()",
        "np.random.default_rng().random()",
        "np.random.RandomState().rand()",
        "np.random.RandomState(None).rand()",
    ],
)
def test_random_numbers_without_a_seed_are_refused(draw: str, evaluate: Any) -> None:
    """The shared generators of `random` and numpy, and new ones without a seed."""
    body = f"def priority(due_dates, **rest):\n    return due_dates * {draw}"
    text = f"import random\nimport numpy as np\n\n{body}"
    failure = evaluate(text).failure
    assert failure.status is ScoreStatus.REFUSED
    assert "seed" in failure.message


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("import random\nx = random.random()", "random.random()"),
        ("import random as r\nx = r.Random()", "r.Random()"),
        ("import random\nx = random.SystemRandom(3)", "random.SystemRandom(3)"),
        ("from random import shuffle as mix\nmix([1])", "mix([1])"),
        ("import numpy as np\nx = np.random.default_rng()", "np.random.default_rng()"),
        ("import numpy as np\nx = np.random.default_rng(None)", "np.random.default_rng(None)"),
        ("import numpy\nx = numpy.random.rand(3)", "numpy.random.rand(3)"),
        ("from numpy import random as r\nx = r.normal()", "r.normal()"),
        ("from numpy.random import default_rng\nx = default_rng()", "default_rng()"),
        ("import numpy.random as r\nx = r.randint(3)", "r.randint(3)"),
        ("import random\nx = random.Random(3).random()", None),
        ("import numpy as np\nx = np.random.default_rng(seed=3).normal()", None),
        ("import numpy as np\nx = np.random.Generator(np.random.PCG64(3)).normal()", None),
        ("from random import Random\nx = Random(3)", None),
        ("import numpy as np\ns = 3\nx = np.random.RandomState(s).rand()", None),
        ("import numpy as np\nx = np.random.RandomState().rand()", "np.random.RandomState()"),
        ("def random():\n    return 3\nx = random()", None),
    ],
)
def test_random_numbers_without_a_seed_are_found_in_the_text(text: str, drawn: str | None) -> None:
    """By whatever name the modules and functions go."""
    assert unseeded(text) == drawn


def test_random_numbers_with_a_seed_of_their_own_are_a_function(evaluate: Any) -> None:
    """A generator made of a seed gives the same numbers at every call."""
    text = """
import random
import numpy as np

def priority(due_dates, **rest):
    seed, state = 7, np.random.RandomState(11)
    noise = np.random.default_rng(5).random(len(due_dates)) + random.Random(3).random()
    noise += np.random.RandomState(seed).rand() + state.rand() + np.random.default_rng(seed).random()
    return due_dates * noise * random.Random(seed).random()
"""
    assert evaluate(text).status is EvaluationStatus.COMPLETE


EXACT = """
import {imports}
import numpy as np

def value(time, jobs, known):
    if not jobs:
        return 0, None
    if (time, jobs) not in known:
        best = None
        for k, (p, d) in enumerate(jobs):
            end = time + p
            if k and jobs[k - 1] == (p, d):
                continue
            rest = value(end, jobs[:k] + jobs[k + 1 :], known)[0] + max(0, end - d)
            if best is None or rest < best[0]:
                best = rest, k
        known[time, jobs] = best
    return known[time, jobs]

def priority(time, processing_times, due_dates):
    known = {known}
    jobs = tuple(zip(processing_times.tolist(), due_dates.tolist()))
    return np.arange(len(jobs)) != value(time, jobs, known)[1]
"""


@pytest.mark.slow
def test_an_exact_method_at_every_call_is_a_function_that_takes_its_time(evaluate: Any) -> None:
    """It passes where the limit leaves the time for it, and its time is the time that it takes."""
    text = EXACT.format(imports="math", known="{}")
    found = evaluate(text, jobs=9, seconds=5.0)
    assert found.status is EvaluationStatus.COMPLETE
    first = evaluate(text, jobs=9, seconds=5.0, version="1")
    assert [s.answer_digest for s in found.scores] == [s.answer_digest for s in first.scores]
    slow = evaluate(text, jobs=13, seconds=0.05)
    assert slow.failure is not None
    assert slow.failure.status is ScoreStatus.TIMEOUT


class Dear:
    """A slot whose clock says what a decision by itself takes, and its arguments; executions take 20 ms."""

    def __init__(self, slot: Sandbox, decision: float = 0.01, arguments: float = 0.01) -> None:
        self._slot, self._decision, self._arguments = slot, decision, arguments

    def execute(self, program: Program, instance: bytes, *rest: Any) -> Execution:
        """Runs the program and replaces its time."""
        execution = self._slot.execute(program, instance, *rest)
        asked = json.loads(instance).get("arguments")
        if asked is None:
            return with_changes(execution, cpu_seconds=0.02)
        idle = str(program.driver).endswith("drive = idle\n")
        each = self._arguments + (0.0 if idle else self._decision)
        return with_changes(execution, cpu_seconds=0.005 + each * len(asked))


class Busy:
    """A slot on a busy machine: the first executions meet their limit, whatever they do."""

    def __init__(self, slot: Sandbox, late: int, *, crowded: bool = False) -> None:
        self._slot = slot
        self._crowded = crowded
        self.left = late

    def execute(self, program: Program, instance: bytes, *rest: Any) -> Execution:
        """Runs the program, and says that it was late as long as the machine is busy."""
        execution = self._slot.execute(program, instance, *rest)
        self.left -= 1
        late = with_changes(
            execution, status=ExecutionStatus.TIMEOUT, answer=None, error="late", crowded=self._crowded
        )
        return execution if self.left < 0 else late


@pytest.mark.parametrize(
    ("late", "whole", "complete"), [(4, False, True), (5, False, False), (24, True, True)]
)
def test_a_short_limit_counts_only_after_several_tries(
    evaluate: Any, sandbox: Sandbox, late: int, whole: bool, complete: bool
) -> None:
    """Five for a candidate, and five times as many for baselines and reports, which are evaluated whole."""
    text = "def priority(due_dates, **rest):\n    return due_dates\n"
    found = evaluate(text, seconds=0.1, jobs=6, slot=Busy(sandbox, late), whole=whole)
    assert (found.status is EvaluationStatus.COMPLETE) is complete
    assert not complete or len(found.scores) == 5


@pytest.mark.parametrize(
    ("late", "crowded", "complete"), [(2, True, True), (3, True, False), (1, False, False)]
)
def test_an_execution_that_hardly_got_the_processor_is_made_again(
    evaluate: Any, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, late: int, crowded: bool, complete: bool
) -> None:
    """Three times in all, whatever the limit; one that waited has failed at once."""
    monkeypatch.setattr("gapsmith.evaluators.evaluator._CROWDED_PAUSE", 0.0)
    text = "def priority(due_dates, **rest):\n    return due_dates\n"
    found = evaluate(text, seconds=5.0, jobs=6, slot=Busy(sandbox, late, crowded=crowded))
    assert (found.status is EvaluationStatus.COMPLETE) is complete


@pytest.mark.slow
def test_an_exact_method_that_remembers_states_pays_for_every_decision(
    evaluate: Any, sandbox: Sandbox
) -> None:
    """It is a function, but its time is that of decisions which start from nothing."""
    text = EXACT.format(imports="math", known="math.__dict__.setdefault('known', {})")
    plain = EXACT.format(imports="math", known="{}")
    kept, every = evaluate(text, jobs=9, seconds=60.0), evaluate(plain, jobs=9, seconds=60.0)
    assert [s.answer_digest for s in kept.scores] == [s.answer_digest for s in every.scores]
    paid = evaluate(text, jobs=9, seconds=60.0, slot=Dear(sandbox))
    assert all(score.cpu_seconds > 0.08 for score in paid.scores)
    late = evaluate(text, jobs=9, seconds=0.08, slot=Dear(sandbox))
    assert late.failure is not None
    assert late.failure.status is ScoreStatus.TIMEOUT
    assert len(late.scores) == len(paid.scores)


def test_the_time_of_handing_over_arguments_is_not_the_rules(evaluate: Any, sandbox: Sandbox) -> None:
    """Where decisions by themselves are dear because their arguments are, a rule keeps its time."""
    text = "def priority(due_dates, **rest):\n    return due_dates\n"
    found = evaluate(text, jobs=9, seconds=0.08, slot=Dear(sandbox, decision=0.0, arguments=0.05))
    assert found.status is EvaluationStatus.COMPLETE
    assert [score.cpu_seconds for score in found.scores] == [0.02] * len(found.scores)


def test_an_answer_that_its_decisions_do_not_make_is_found(evaluate: Any) -> None:
    """A program that reaches the recorder's notes and changes them has failed."""
    text = """
def priority(due_dates, **rest):
    try:
        raise ValueError
    except ValueError as error:
        frame = error.__traceback__.tb_frame
        while "self" not in frame.f_locals:
            frame = frame.f_back
        notes = frame.f_locals["self"]
    if notes.decisions:
        notes.decisions[0] = len(due_dates)
    return due_dates
"""
    failure = evaluate(text, jobs=12).failure
    assert failure.status is ScoreStatus.STATEFUL
    assert "noted decisions" in failure.message


@pytest.mark.slow
def test_a_run_of_the_first_version_keeps_its_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan kept in a global counted then: replay and verify find the same answers, without an audit."""
    few = {f"problem.{split}_per_stratum": 1 for split in ("train", "valid", "test")}
    alone = {"search.founders": "start"}  # a baseline would win both runs
    settings = {**few, **alone, "problem.jobs": 6, "sandbox.cpu_seconds": 5.0, "run.workers": 1}
    planned = _planned(HARMLESS["a global"])
    with monkeypatch.context() as earlier:
        earlier.setattr(RuleForm, "version", "1")
        earlier.setattr(RuleForm, "anew", 0)
        runs = tmp_path / "runs"
        then = run_campaign("smtt-rule", runs=runs, iterations=4, settings=settings, start=planned)
    folder = next(runs.iterdir())
    assert replay(folder)["differences"] == []
    with open_record(folder) as record:
        document = verify(record, setup_of_record(record), sample=0)
    assert document["differences"] == []
    assert document["compared"]["executions"] > 0
    now = run_campaign("smtt-rule", runs=tmp_path / "now", iterations=1, settings=settings, start=planned)
    train = [one["best"]["splits"]["train"]["fitness"] for one in (now, then)]
    assert train[0] < train[1]

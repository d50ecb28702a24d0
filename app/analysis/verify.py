"""Runs what a campaign recorded once more, and its champion on fresh instances, and compares."""

from __future__ import annotations

import random
import secrets
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...evaluators.base import Evaluation, Reference, ReferenceKind, Score
from ...evaluators.consistency import consistent
from ...evaluators.difference import difference
from ...evaluators.figures import Figures, of_evaluation
from ...evaluators.intervals import METHOD
from ...evaluators.judging import NotDrawn
from ...evaluators.numbers import better_than, equal
from ...evaluators.scoring import tolerance_of
from ...evolve.store.progress import instance_digests
from ...evolve.store.reader import BASELINE
from ...evolve.timing import net_seconds
from ...problems.base import SPLITS, Instance, Problem, Sense
from ...sandbox.base import MAIN_FILE, Program
from ..errors import ProblemError, SolverFailed, UserError
from ..formatting import class_words
from ..runs import stored_run
from ..runs.champions import SPLIT, claims, class_champions, floor_of
from ..setup.baselines import shipped_programs
from ..setup.executors import open_executor
from ..setup.instances import pool_of, splits_of
from ..setup.references import proved_again, reached_again
from ..setup.reruns import drawn
from . import neighbours

if TYPE_CHECKING:
    from ...evolve.executor import Executor
    from ...sandbox.base import Sandbox
    from ..plugins.loader import LoadedProblem
    from ..runs.record import RunRecord
    from ..setup.setup import Notify, Setup


SAMPLE = 10
"""References that are proved again (count) unless the caller says otherwise."""


@dataclass(slots=True)
class Findings:
    """Counts of comparisons by kind, differences, changes around the run, and references not proved again."""

    counts: dict[str, int] = field(default_factory=dict)
    not_proved: int = 0
    differences: list[dict[str, Any]] = field(default_factory=list)
    changed: list[dict[str, Any]] = field(default_factory=list)

    def compare(self, kind: str, what: str, recorded: Any, now: Any) -> None:
        """Counts one comparison and keeps a difference."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if recorded != now:
            self.differences.append({"what": what, "recorded": _shown(recorded), "now": _shown(now)})

    def note(self, what: str, recorded: Any, now: Any) -> None:
        """Keeps a change of surroundings, which alone is no failure."""
        if recorded != now:
            self.changed.append({"what": what, "recorded": _shown(recorded), "now": _shown(now)})


def verify(
    record: RunRecord,
    setup: Setup,
    *,
    every: bool = False,
    sample: int = SAMPLE,
    seed: int | None = None,
    notify: Notify = lambda what, done, total: None,
) -> dict[str, Any]:
    """Verifies a run against its own record.

    Args:
        record: of the run.
        setup: from the record, its instance files included.
        every: all elites beside the best candidate and the champions of time classes.
        sample: references to prove again (count).
        seed: of the sample's draw; by default a new one each time, so that nobody knows what is left out.
        notify: told how far it is.

    Returns:
        The JSON contract's document, with `programs`, `compared` (counts), `changed`, `references_seed`, and
        the count `references_not_proved_again` of those that met only a weaker bound or no solver, beside.

    Raises:
        UserError: there is nothing to verify.
    """
    programs = _programs(record, every)
    findings = Findings()
    drawn_by = secrets.randbelow(1_000_000_000) if seed is None else seed
    surroundings(record, setup.loaded, findings)
    _instances(record, setup, findings)
    _references(record, setup, (sample, drawn_by), findings, notify)
    _executions(record, setup, programs, findings, notify)
    compare_claims(record, claims_now(record, setup), findings)
    _drawing(record, setup, findings)
    _neighbours(record, setup, findings, notify)
    checked = sum(findings.counts.values())
    return {
        "run": record.name,
        "checked": checked,
        "agree": checked - len(findings.differences),
        "differences": findings.differences,
        "unsafe_without": record.unsafe,
        "programs": programs,
        "compared": findings.counts,
        "references_not_proved_again": findings.not_proved,
        "references_seed": drawn_by,
        "changed": findings.changed,
    }


def seconds_at_most(record: RunRecord, setup: Setup, *, every: bool, sample: int) -> tuple[float, float]:
    """CPU seconds of what `verify` runs again: by the record, and by its limits, which it may use up."""
    names = [*_programs(record, every), *(BASELINE + name for name in record.reader.baselines())]
    evaluations = [record.evaluation(name, split) for name in names for split in SPLITS]
    scores = [score for evaluation in evaluations if evaluation is not None for score in evaluation.scores]
    proofs = 0 if setup.loaded.references is None else min(sample, len(record.reader.references()))
    limits = setup.config.sandbox.limits.cpu_seconds, setup.config.evaluation.reference_seconds
    return sum(score.cpu_seconds for score in scores), len(scores) * limits[0] + proofs * limits[1]


def _programs(record: RunRecord, every: bool) -> list[str]:
    """The best candidate, the start program, the champions of time classes, and maybe all elites."""
    from ...evolve.types import unique
    from ..runs.course import rebuild

    best = record.resolve("best")
    quick = [one.program for one in class_champions(record.reader) if not one.program.startswith(BASELINE)]
    archive = rebuild(record) if every else None
    others = [] if archive is None else [e.candidate.id for e in unique(archive.elites())]
    start = [] if record.start is None else [record.start]
    return list(dict.fromkeys([best, *start, *quick, *others]))


def surroundings(record: RunRecord, loaded: LoadedProblem, findings: Findings) -> None:
    """Compares problem, plug-in, versions and machine; a change is noted and is no failure by itself."""
    from ..setup.prepare import problem_record
    from ..versions import versions

    problem = record.problem
    own = problem_record(loaded)
    for name in ("name", "sense", "unit", "statement", "strata"):
        if name in problem:
            findings.note(f"problem {name}", problem[name], own[name])
    findings.note("problem version", problem.get("version"), loaded.problem.version)
    findings.note("problem source digest", problem.get("digest"), loaded.digest)
    recorded = record.reader.record("versions") or {}
    now = versions()
    for name in {**recorded, **now}:
        findings.note(name, recorded.get(name), now.get(name))


def _instances(record: RunRecord, setup: Setup, findings: Findings) -> None:
    """Compares stored digests with stored contents, and with the instances that the problem draws now."""
    stored = instance_digests(record.reader)
    for id, instance in record.instances.items():
        findings.compare("instances", f"instance {id}: content", stored[id], instance.digest)
    try:
        splits = {**splits_of(setup.loaded, setup.config)}
        splits["train"] = pool_of(setup.loaded, setup.config, splits)
    except UserError as error:  # the user's file is gone; the run holds the instances that it read
        findings.note("instances", ", ".join(setup.config.evaluation.instances), error.message)
        return
    drawn = {i.id: i for instances in splits.values() for i in instances}
    for id, instance in record.instances.items():
        again = drawn.get(id)
        now = None if again is None else again.digest
        findings.compare("instances drawn", f"instance {id}: drawn again", stored[id], now)
        if again is not None:
            findings.compare("strata", f"instance {id}: stratum", instance.stratum, again.stratum)
    for split in ("valid", "test"):  # one left out may be the one that went wrong
        for left_out in (i for i in splits.get(split, ()) if i.id not in record.instances):
            findings.compare("instances drawn", f"instance {left_out.id}: stored", None, left_out.digest)


def _references(
    record: RunRecord, setup: Setup, draw: tuple[int, int], findings: Findings, notify: Notify
) -> None:
    """Proves a sample of references again, by its size and seed; the best baselines need none.

    It does not look them up: `reference` of a built-in problem may return a shipped value.
    """
    loaded = setup.loaded
    seconds = setup.config.evaluation.reference_seconds
    known = record.reader.references()
    if loaded.references is None:
        _best_baselines(record, loaded.problem, known, findings)
        return
    chosen = _sample([i for i in record.instances.values() if i.id in known], *draw)
    for done, instance in enumerate(chosen):
        notify("references proved again", done, len(chosen))
        recorded = known[instance.id]
        told = f"{recorded.kind.value} {recorded.value}"
        what = f"reference of {instance.id}"
        try:
            now = proved_again(loaded, instance, recorded, seconds)
        except SolverFailed as error:
            findings.not_proved += 1
            findings.note(what, told, error.message)
            continue
        except ProblemError as error:  # a proof that fails on the recorded data refutes the record
            findings.compare("references proved again", what, told, error.message)
            continue
        findings.not_proved += not reached_again(loaded, recorded, now)
        agree = _agrees(recorded, now, loaded.problem)
        findings.compare(
            "references proved again", what, told, told if agree else f"{now.kind.value} {now.value}"
        )
    notify("references proved again", len(chosen), len(chosen))


def _best_baselines(
    record: RunRecord, problem: Problem, known: Mapping[str, Reference], findings: Findings
) -> None:
    """Compares references with the baselines' recorded objectives, which are verified beside.

    A reference may be better: start programs, whose objectives no run records, took part.
    """
    minimise = problem.sense is Sense.MINIMISE
    tolerance = tolerance_of(problem)
    for name in record.reader.baselines():
        for split in SPLITS:
            evaluation = record.evaluation(BASELINE + name, split)
            for score in () if evaluation is None else evaluation.scores:
                reference = known.get(score.instance)
                if (
                    reference is None
                    or reference.kind is not ReferenceKind.BASELINE
                    or score.objective is None
                ):
                    continue
                wrong = better_than(score.objective, reference.value, minimise, tolerance)
                if reference.solver == name:
                    wrong = not equal(score.objective, reference.value, tolerance)
                now = score.objective if wrong else reference.value
                what = f"reference of {score.instance} beside baseline {name}"
                findings.compare("references compared", what, str(reference.value), str(now))


def claims_now(record: RunRecord, setup: Setup) -> list[dict[str, Any]]:
    """The claims that follow from the recorded evaluations, which are verified beside."""
    champion = record.reader.record("champion")
    return [] if champion is None else claims(record.reader, champion, setup.evaluator.loss)


def compare_claims(record: RunRecord, now: Sequence[Mapping[str, Any]], findings: Findings) -> None:
    """Compares each recorded claim with the one that follows now, figure by figure of the recorded one.

    A run that ended without a champion on the test split claims nothing.
    """
    claimed = record.reader.record("claims")
    if claimed is None:
        findings.note("claims", None, ", ".join(str(claim["against"]) for claim in now) or None)
        return
    again = {str(claim["against"]): claim for claim in now}
    recorded = {str(claim.get("against")): claim for claim in claimed}
    for against in dict.fromkeys([*recorded, *again]):
        told = recorded.get(against)
        follows = again.get(against)
        if told is not None and follows is not None:
            if told.get("interval") != follows.get(
                "interval"
            ):  # another method gives other ends, and says so
                findings.note(f"interval of the claim against {against}", told.get("ci95_percent"), METHOD)
                told = {
                    name: figure for name, figure in told.items() if name not in ("ci95_percent", "interval")
                }
            follows = {name: follows.get(name) for name in told}
        findings.compare("claims", f"claim against {against}", told, follows)


def _drawing(record: RunRecord, setup: Setup, findings: Findings) -> None:
    """Draws the kept answers again."""
    recorded = record.reader.record(stored_run.DRAWING_KEY)
    if recorded is None:
        return
    try:
        now = drawn(record.folder, setup)
    except NotDrawn as error:
        now = {"error": str(error)}
    findings.compare("drawings", "drawing of the answers", recorded, now)


def _neighbours(record: RunRecord, setup: Setup, findings: Findings, notify: Notify) -> None:
    """Tries the champion on the problem's other sets again; CPU times may differ.

    A set whose references take too long here, or that has no row, is noted, and is no failure by itself.
    """
    recorded = record.reader.record(neighbours.KEY)
    finished = None not in (record.reader.record("bench"), record.reader.record("stop_reason"))
    if recorded is None and not finished:
        return
    with record.reader.sound(neighbours.KEY):
        told = [(str(row.get("set")), row) for row in recorded or ()]
    again = {row["set"]: _untimed(row) for row in neighbours.neighbour_rows(record, setup, notify)}
    slow = {*setup.loaded.problem.sets()} - {*again} - neighbours.own_sets(setup)
    for name, row in told:
        if name in slow:
            findings.note(f"set {name}", row.get("about"), "not tried again")
        elif name in again and row.get("failures") != again[name]["failures"]:
            # Near its time limit a program fails on a busy machine, and its row tells nothing there.
            findings.note(
                f"failures on set {name}, not compared", row.get("failures"), again[name]["failures"]
            )
        else:
            findings.compare("neighbouring sets", f"set {name}", _untimed(row), again.get(name))
    for name in (one for one in again if one not in dict(told)):
        findings.note(f"set {name}", "not tried", again[name])


def _untimed(value: Any) -> Any:
    """A document without what it says of times."""
    if isinstance(value, Mapping):
        timed = ("cpu", "seconds", "time")
        return {
            key: _untimed(one) for key, one in value.items() if not any(word in str(key) for word in timed)
        }
    return [_untimed(one) for one in value] if isinstance(value, list | tuple) else value


def _agrees(recorded: Reference, now: Reference, problem: Problem) -> bool:
    """Whether two references may both be true; optima and best known values must be equal."""
    same = recorded.kind is now.kind and recorded.kind is not ReferenceKind.BOUND
    return consistent(problem, recorded, now) and (
        not same or equal(recorded.value, now.value, tolerance_of(problem))
    )


def _executions(
    record: RunRecord, setup: Setup, programs: Sequence[str], findings: Findings, notify: Notify
) -> None:
    """Runs every program on every split for which the run holds its evaluation."""
    findings.note("evaluator digest", record.reader.record("evaluator"), setup.evaluator.version)
    with open_executor(setup) as executor:
        with closing(setup.open_slot()) as slot:
            for id in programs:
                findings.compare("candidate ids", f"candidate {id}: source", id, _identity(record, id, slot))
        pending = [
            *_submit(record, setup, executor, programs),
            *_submit_baselines(record, setup, executor, findings),
        ]
        for done, (id, recorded, future) in enumerate(pending):
            notify("evaluations", done, len(pending))
            _compare_evaluations(id, recorded, future.result(), findings)
            if recorded.split == SPLIT and not id.startswith(BASELINE):
                _note_class(id, recorded, future.result(), floor_of(record.reader), findings)
        notify("evaluations", len(pending), len(pending))


def _identity(record: RunRecord, id: str, sandbox: Sandbox) -> str:
    """The id that the stored source gets now."""
    from ...evolve.admission import Admission
    from ...evolve.types import Examination

    candidate = record.candidate(id)
    plain = not record.reader.record("docstrings")
    admission = Admission(sandbox, record.problem["entry_point"], candidate.description.imports, plain)
    examined = admission.examine(candidate.files)
    return examined.id if isinstance(examined, Examination) else f"{examined[0].value}: {examined[1]}"


def _submit(
    record: RunRecord, setup: Setup, executor: Executor, programs: Sequence[str]
) -> Iterator[tuple[str, Evaluation, Future[Evaluation]]]:
    from ...evolve.executor import EvaluationJob

    for id in programs:
        program = setup.evaluator.program(record.candidate(id).files)
        for split in SPLITS:
            recorded = record.evaluation(id, split)
            if recorded is not None:
                job = EvaluationJob(program, split, whole=split == "test", last=len(recorded.scores))
                yield id, recorded, executor.submit(job)


def _submit_baselines(
    record: RunRecord, setup: Setup, executor: Executor, findings: Findings
) -> Iterator[tuple[str, Evaluation, Future[Evaluation]]]:
    """Runs each recorded baseline again, as the problem ships it; one that it lacks is a difference."""
    from ...evolve.executor import EvaluationJob

    sources = shipped_programs(setup.loaded.problem)
    known = record.reader.baselines()
    if known or record.reader.record("claims"):
        findings.note("baselines", ", ".join(sorted(known)), ", ".join(sorted({*known, *sources})))
    for name in known:
        findings.compare("baselines", f"baseline {name}: shipped", name, name if name in sources else None)
        if name not in sources:
            continue
        program: Program = setup.evaluator.program({MAIN_FILE: sources[name]})
        for split in SPLITS:
            recorded = record.evaluation(BASELINE + name, split)
            if recorded is not None:
                job = EvaluationJob(program, split, whole=True, last=len(recorded.scores))
                yield BASELINE + name, recorded, executor.submit(job)


def _compare_evaluations(id: str, recorded: Evaluation, now: Evaluation, findings: Findings) -> None:
    subject = id.replace("/", " ", 1) if id.startswith(BASELINE) else f"candidate {id}"
    where = f"{subject} on {recorded.split}"
    scores = {score.instance: score for score in now.scores}
    for score in recorded.scores:
        other = scores.get(score.instance)
        what = f"{subject} on {score.instance}"
        findings.compare("executions", what, outcome_of(score), None if other is None else outcome_of(other))
    findings.compare("fitness values", f"{where}: fitness", recorded.fitness, now.fitness)


def _note_class(id: str, recorded: Evaluation, now: Evaluation, floor: float, findings: Findings) -> None:
    """Notes a program that is in another time class today; times differ between machines and hours."""
    before, after = (class_words(net_seconds(one.scores, floor)) for one in (recorded, now))
    findings.note(f"time class of candidate {id}", before, after)


def outcome_of(score: Score) -> dict[str, Any]:
    """The part of an execution's outcome that must repeat: all but its time."""
    return {
        "status": score.status.value,
        "answer": score.answer_digest,
        "objective": score.objective,
        "reference": score.reference,
        "gap": score.gap,
        "excess": score.excess,
    }


def _shown(value: Any) -> Any:
    """A value as JSON; numbers that JSON lacks as text."""
    if isinstance(value, dict):
        return {key: _shown(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_shown(part) for part in value]
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _sample(instances: Sequence[Instance], most: int, seed: int) -> list[Instance]:
    """At most so many instances, drawn by a seed, in their order."""
    if most >= len(instances):
        return list(instances)
    places = random.Random(seed).sample(range(len(instances)), most)
    return [instances[place] for place in sorted(places)]


# Draws new test instances that nobody could know, and so exposes a champion that only remembers answers.

FRESH_SPLIT = "test"
_SEED_BITS = 63
"""A seed of these bits is a TOML integer, and nobody guesses it."""
_MOST_DRAWS = 1_000


def check_fresh(
    record: RunRecord,
    opened: Setup,
    count: int,
    *,
    seed: int | None = None,
) -> dict[str, Any]:
    """Runs a run's champion and start program on new instances of its test split's law.

    Args:
        record: of the run.
        opened: from the record.
        count: new instances, >= 1.
        seed: of the instances; by default random bits of the operating system.

    Returns:
        `instance_seed`, `instances` (count) and, for each of `programs`, figures on the test split and on the
        new instances with their difference (percentage points of the mean gap) and its p; or why it was
        `skipped`.

    Raises:
        UserError: there is no candidate.
    """
    from ...evaluators.cache import Cache
    from ..setup.prepare import setup_over
    from ..setup.setup import silent

    config = opened.config
    loaded = opened.loaded
    if config.evaluation.instances:
        return {
            "skipped": "the instances came from files or named sets; new ones must be collected and evaluated"
        }
    seed = secrets.randbits(_SEED_BITS) if seed is None else seed
    programs = {"champion": record.resolve("best")}
    if record.start not in (None, programs["champion"]):
        programs["start program"] = record.resolve("start")
    if not all(record.evaluation(id, FRESH_SPLIT) for id in programs.values()):
        return {"skipped": "the run has no test results yet; it gets them when its search ends"}
    instances = _draw(loaded, record, seed, count)
    if not instances:
        return {"skipped": f"{loaded.name} has the same {FRESH_SPLIT} instances for every seed"}
    section = replace(config.evaluation, instance_seed=seed)
    with tempfile.TemporaryDirectory(prefix="gapsmith-fresh-") as place:  # these references are not stored
        config = config.model_copy(update={"evaluation": section})
        setup = setup_over(loaded, config, {"fresh": instances}, silent, Cache(Path(place)))
    found = _evaluate(setup, record, list(programs.values()))
    return {
        "instance_seed": seed,
        "instances": len(instances),
        "programs": {
            role: {"id": id, **_compared(record, id, found[id], instances)} for role, id in programs.items()
        },
    }


def _draw(loaded: LoadedProblem, record: RunRecord, seed: int, count: int) -> list[Instance]:
    """Up to `count` instances that the run did not use, strata in turns; fewer if the law has no more."""
    digests = {instance.digest for instance in record.instances.values()}
    chosen: list[Instance] = []
    for offset in range(_MOST_DRAWS):
        drawn = [i for i in loaded.instances(FRESH_SPLIT, seed + offset) if i.digest not in digests]
        if not drawn:
            break
        digests.update(i.digest for i in drawn)
        chosen += _in_turns(drawn)
        if len(chosen) >= count:
            break
    return [replace(i, id=f"fresh-{n:03d}", split="fresh") for n, i in enumerate(chosen[:count], start=1)]


def _in_turns(instances: Sequence[Instance]) -> list[Instance]:
    """One of every stratum, then the next of every stratum, and so on."""
    strata: dict[str, list[Instance]] = {}
    for instance in instances:
        strata.setdefault(instance.stratum, []).append(instance)
    return [i for turn in zip_longest(*strata.values()) for i in turn if i is not None]


def _evaluate(setup: Setup, record: RunRecord, ids: Sequence[str]) -> dict[str, Evaluation]:
    """Id → evaluation on the new instances."""
    from ..setup.baselines import evaluate_all
    from ..setup.executors import open_executor

    programs = {id: setup.evaluator.program(record.candidate(id).files) for id in ids}
    with open_executor(setup) as executor:
        evaluations = evaluate_all(executor, programs, ["fresh"])
    return {id: by["fresh"] for id, by in evaluations.items()}


def _compared(record: RunRecord, id: str, fresh: Evaluation, instances: Sequence[Instance]) -> dict[str, Any]:
    """Figures on both sets, and the difference of their mean gaps with its p."""
    test = record.evaluation(id, FRESH_SPLIT)
    strata: dict[str, tuple[list[float], list[float]]] = {}
    new = {i.id: i for i in instances}
    old: dict[str, Instance] = record.instances
    for side, scores, of in ((0, test.scores if test else (), old), (1, fresh.scores, new)):
        for score, stratum in _gaps(scores, of):
            strata.setdefault(stratum, ([], []))[side].append(score)
    figures = _figures(of_evaluation(fresh, new))
    compared = difference(list(strata.values())) if not figures["failed"] else None
    before = record.figures(id, FRESH_SPLIT)
    return {
        "test": None if before is None else _figures(before),
        "fresh": figures,
        "difference_percentage_points": None if compared is None else compared.value,
        "p": None if compared is None else compared.p,
        "beyond_noise": figures["failed"] > 0 if compared is None else compared.beyond_noise,
    }


def _gaps(scores: Sequence[Score], instances: dict[str, Instance]) -> list[tuple[float, str]]:
    """(gap in percent, stratum) of the scores with a positive reference."""
    return [(float(s.gap) * 100, instances[s.instance].stratum) for s in scores if s.gap is not None]


def _figures(figures: Figures) -> dict[str, Any]:
    names = ("mean_gap_percent", "mean_gap_ci95_percent", "instances", "solved", "failed", "reference_kinds")
    whole = figures.as_json()
    return {name: whole[name] for name in names}

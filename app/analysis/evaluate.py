"""Scores of programs and of a problem's own solver outside a campaign, as the JSON contract has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from ...evaluators.base import Anytime, Evaluation, Incumbent, ReferenceKind, Score, ScoreStatus
from ...evaluators.figures import by_stratum, of_evaluation
from ...evaluators.judging import Judgement
from ...evaluators.scoring import score as score_of
from ...evaluators.statistics import wins_ties_losses
from ...evolve.executor import Executor, in_parts
from ...evolve.store.reader import BASELINE
from ...problems.base import SPLITS, Instance, WritesAnswers
from ...problems.reported import Reported
from ...sandbox.base import MAIN_FILE, Execution, ExecutionStatus, Program
from ..errors import USAGE, UserError, unwritable
from ..runs.champions import SOLVER, SPLIT
from ..runs.figures import figures_of, gaps_of, groups, instance_row, paired, plain, proofs, times
from ..runs.folders import adding
from ..setup.baselines import evaluate_baselines
from ..setup.executors import open_executor
from ..setup.references import parallel

if TYPE_CHECKING:
    from ..runs.record import RunRecord
    from ..setup.setup import Notify, Setup


_ANSWERED = (ReferenceKind.OPTIMUM, ReferenceKind.BEST_KNOWN, ReferenceKind.BASELINE)
"""Kinds of references that an answer reaches; nobody may reach a bound."""


# The problem's own solver, stopped early, as a rival of heuristics at their own time.

_MOST_EFFORT = 3600.0
"""Deterministic seconds of a run of the solver; a day of CPU time is no rival of a heuristic."""


def stopped_solver(
    setup: Setup, chosen: str, efforts: Sequence[float], notify: Notify
) -> dict[str, Evaluation]:
    """Row name (`cp-sat, effort 1`) → the solver's best answers on a set.

    Args:
        setup: the problem with references of the set.
        chosen: name of the set.
        efforts: deterministic seconds after which the solver stops, each > 0.
        notify: told how many runs of the solver are over.

    Raises:
        UserError: the references come from no solver that can be stopped early, or an effort is out of range.
    """
    references = setup.loaded.references
    if not isinstance(references, Anytime):
        why = f"--solver: {setup.loaded.name} has no solver that can be stopped early"
        hint = f"`gapsmith references verify {setup.loaded.named}` proves its references again"
        raise UserError(USAGE, why, hint)
    for effort in efforts:
        if not 0 < effort <= _MOST_EFFORT:
            why = f"--solver {effort:g}: expected deterministic seconds above 0, at most {_MOST_EFFORT:g}"
            raise UserError(USAGE, why)
    instances = list(setup.evaluator.instances(chosen).values())
    total = len(efforts) * len(instances)
    rows = dict[str, Evaluation]()
    notify("solver runs", 0, total)
    for number, effort in enumerate(efforts):
        scores = dict[str, Score]()
        solver = ""
        runs = parallel(partial(references.incumbent, effort=effort), instances, setup.config.run.slots)
        for done, (instance, run) in enumerate(runs, number * len(instances) + 1):
            scores[instance.id], solver = _score(setup, instance, run, effort), run.solver
            notify("solver runs", done, total)
        rows[f"{solver}, effort {effort:g}"] = setup.evaluator.evaluation(
            chosen, [scores[one.id] for one in instances]
        )
    return rows


def keep_solver(record: RunRecord, setup: Setup, efforts: Sequence[float], notify: Notify) -> None:
    """Stores with a run the solver's figures on the run's validation and test instances.

    The figures of an effort that was stored before are replaced.

    Args:
        record: of a run that has ended.
        setup: from the record.
        efforts, notify: see `stopped_solver`.

    Raises:
        UserError: as `stopped_solver`; or the run cannot be written.
    """
    efforts = list({f"{effort:g}": effort for effort in efforts}.values())  # a row is named so
    runs = {split: stopped_solver(setup, split, efforts, notify) for split in (SPLIT, "test")}
    rows = {
        name: {
            "effort": effort,
            "time_seconds": fmean(score.cpu_seconds for score in evaluation.scores),
            "splits": {split: figures_of(record.reader, by[name]).as_json() for split, by in runs.items()},
        }
        for effort, (name, evaluation) in zip(efforts, runs[SPLIT].items(), strict=True)
    }
    with adding(record.folder, "the solver's figures") as store:
        store.set(SOLVER, {**(store.read.record(SOLVER) or {}), **rows})


def _score(setup: Setup, instance: Instance, run: Incumbent, effort: float) -> Score:
    """A solver's answer, scored as a candidate's: one beyond a proven bound shows an evaluator's fault."""
    reference = setup.evaluator.references[instance.id]
    if run.verdict is None:
        why = f"no answer after {effort:g} deterministic seconds"
        execution = Execution(ExecutionStatus.TIMEOUT, error=why, cpu_seconds=run.cpu_seconds)
        return score_of(setup.loaded.problem, instance, reference, execution)
    execution = Execution(ExecutionStatus.OK, cpu_seconds=run.cpu_seconds)
    return score_of(setup.loaded.problem, instance, reference, execution, Judgement(run.verdict, None))


def evaluate_program(
    setup: Setup,
    chosen: str,
    files: Mapping[str, str],
    name: str,
    with_baselines: bool,
    notify: Notify = lambda what, done, total: None,
    against: tuple[str, Mapping[str, str]] | None = None,
) -> dict[str, Any]:
    """The document of `evaluate`: every instance is scored, also after a failure.

    Args:
        setup: the problem with references of the set.
        chosen: name of the set.
        files: of the program.
        name: of the program, for the document.
        with_baselines: whether all baselines are scored too.
        notify: hears of each instance.
        against: name and files of another program that it is compared with.
    """
    program = setup.evaluator.program(files)
    instances = setup.evaluator.instances(chosen)
    evaluations: dict[str, Evaluation] = {}
    other = None
    baselines = None
    with open_executor(setup) as executor:
        evaluation = _in_parts(setup, executor, program, chosen, notify)
        if against is not None:
            rival = setup.evaluator.program(against[1])
            other = evaluations[against[0]] = _in_parts(setup, executor, rival, chosen, notify)
        if with_baselines:
            baselines = evaluate_baselines(setup, executor, [chosen], notify)
            evaluations |= {BASELINE + n: by[chosen] for n, by in baselines.items()}
    evaluations[name] = evaluation
    best = _best_known(evaluations)
    loss = setup.evaluator.loss
    mine = gaps_of(evaluation.scores, loss)
    theirs = None if other is None else gaps_of(other.scores, loss)
    limit = setup.evaluator.limits.cpu_seconds
    return {
        "problem": setup.loaded.name,
        "problem_version": setup.loaded.problem.version,
        "split": chosen if chosen in SPLITS else None,
        "instances_from": chosen,
        "unsafe_without": sorted(setup.policy.without),
        "layers": setup.layers(),
        "program": name,
        "status": "failed" if evaluation.failure else "ok",
        "proofs": proofs(setup.evaluator.references[id] for id in instances),
        "instances": [
            {**instance_row(score, instances[score.instance]), "best_known": best[score.instance]}
            for score in evaluation.scores
        ],
        "summary": of_evaluation(evaluation, instances).as_json(),
        "groups": groups(mine, instances, theirs),
        "time": times(evaluation.scores, limit),
        "against": None
        if against is None or other is None or theirs is None
        else {
            "program": against[0],
            "paired": paired(mine, theirs),
            "time": times(other.scores, limit),
            "summary": of_evaluation(other, instances).as_json(),
        },
        "baselines": None
        if baselines is None
        else {n: of_evaluation(by[chosen], instances).as_json() for n, by in baselines.items()},
    }


def _best_known(evaluations: Mapping[str, Evaluation]) -> dict[str, dict[str, Any] | None]:
    """Instance → the best objective that is at hand, and whose; None where there is none.

    It is a program's, or `reference` where an answer stands behind that.
    """
    found: dict[str, tuple[Any, dict[str, Any]]] = {}
    for name, evaluation in evaluations.items():
        for score in evaluation.scores:
            rows: list[tuple[Any, dict[str, Any]]] = []
            if score.reference_kind in _ANSWERED:
                rows.append((0, {"objective": plain(score.reference), "program": "reference"}))
            if score.status is ScoreStatus.OK and score.excess is not None:
                rows.append((score.excess, {"objective": plain(score.objective), "program": name}))
            for excess, row in rows:
                if score.instance not in found or excess < found[score.instance][0]:
                    found[score.instance] = (excess, row)
    every = {score.instance for evaluation in evaluations.values() for score in evaluation.scores}
    return {id: found[id][1] if id in found else None for id in every}


def _in_parts(setup: Setup, executor: Executor, program: Program, chosen: str, notify: Notify) -> Evaluation:
    """Runs a program on all instances of a set, in parts on all slots, so that progress can be shown."""
    size = len(setup.evaluator.instances(chosen))
    jobs = in_parts(executor, program, chosen, size, divided=setup.divided)
    notify("instances", 0, size)
    whole = jobs[0].result()
    notify("instances", len(whole.scores), size)
    for job in jobs[1:]:
        whole = setup.evaluator.joined(whole, job.result())
        notify("instances", len(whole.scores), size)
    return whole


def write_answers(setup: Setup, chosen: str, files: Mapping[str, str], path: Path) -> int:
    """Writes a program's valid answers and returns their number.

    JSON lines (`instance`, `answer`), or, if the file's name ends in .csv and the problem has a CSV format
    for answers, the answer to the only instance in that format.

    Raises:
        UserError: the file cannot be written, or a CSV file would need more than one instance.
    """
    import json

    program = setup.evaluator.program(files)
    instances = setup.evaluator.instances(chosen)
    problem = setup.loaded.problem
    as_csv = path.suffix.lower() == ".csv" and isinstance(problem, WritesAnswers)
    if as_csv and len(instances) > 1:
        why = f"--answers {path}: {chosen} has {len(instances)} instances, a CSV file takes the answer to one"
        raise UserError(USAGE, why, "name a file of one instance, or write JSON lines: --answers FILE.jsonl")
    slot = setup.open_slot()
    try:
        answers = {id: setup.evaluator.answer(program, one, slot) for id, one in instances.items()}
    finally:
        slot.close()
    valid = {id: answer for id, answer in answers.items() if answer is not None}
    if as_csv and isinstance(problem, WritesAnswers):
        text = "".join(problem.answer_file(instances[id], answer) for id, answer in valid.items())
    else:
        rows = [{"instance": id, "answer": answer} for id, answer in valid.items()]
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise unwritable(path, error) from error
    return len(valid)


def baselines_document(
    setup: Setup, chosen: str, against: str | None, notify: Notify, efforts: Sequence[float] = ()
) -> dict[str, Any]:
    """The document of `baselines`; each baseline is also compared with one of them, instance by instance.

    A task of another tool brings no baselines; its start program takes their place.

    Args:
        setup: the problem with references of the set.
        chosen: name of the set.
        against: the baseline to compare with; None takes the first start program that is one.
        notify: told how far the work is.
        efforts: deterministic seconds after which the problem's solver is stopped, a row for each.

    Raises:
        UserError: there is no baseline of the name to compare with, or no solver that can be stopped.
    """
    problem = setup.loaded.problem
    names = list(problem.start_programs() if isinstance(problem, Reported) else problem.baselines())
    rival = against or next((name for name in problem.start_programs() if name in names), None)
    if against is not None and against not in names:
        raise UserError(USAGE, f"--against {against}: no such baseline", f"one of {', '.join(names)}")
    instances = setup.evaluator.instances(chosen)
    solver = stopped_solver(setup, chosen, efforts, notify) if efforts else {}
    with open_executor(setup) as executor:
        if isinstance(problem, Reported):
            programs = _evaluate_starts(setup, executor, chosen, notify)
        else:
            programs = evaluate_baselines(setup, executor, [chosen], notify)
    evaluations = {**{name: by[chosen] for name, by in programs.items()}, **solver}
    rows = {name: _figures(evaluation, instances) for name, evaluation in evaluations.items()}
    for name, row in rows.items():
        row["pairs"] = None if rival is None else _pairs(evaluations[name], evaluations[rival])
    return {
        "problem": setup.loaded.name,
        "unit": problem.unit,
        "instances_from": chosen,
        "unsafe_without": sorted(setup.policy.without),
        "layers": setup.layers(),
        "proofs": proofs(setup.evaluator.references[id] for id in instances),
        "against": rival,
        "baselines": {name: row for name, row in rows.items() if name not in solver},
        "solver": {name: rows[name] for name in solver},
    }


def _evaluate_starts(
    setup: Setup, executor: Executor, chosen: str, notify: Notify
) -> dict[str, dict[str, Evaluation]]:
    """Start program → set → evaluation, anew each time, for nothing says that a task's scores repeat."""
    programs = {
        name: setup.evaluator.program({MAIN_FILE: text})
        for name, text in setup.loaded.problem.start_programs().items()
    }
    return {
        name: {chosen: _in_parts(setup, executor, program, chosen, notify)}
        for name, program in programs.items()
    }


def _pairs(mine: Evaluation, other: Evaluation) -> dict[str, int]:
    """On how many instances a program is better, equal or worse; only those that both answered."""
    theirs = {score.instance: score.excess for score in other.scores}
    return wins_ties_losses(
        (score.excess, excess)
        for score in mine.scores
        if score.excess is not None and (excess := theirs.get(score.instance)) is not None
    )


def write_csv(document: Mapping[str, Any], path: Path) -> None:
    """Writes a baselines document as one row for each baseline and stratum (`all` for the whole set).

    Raises:
        UserError: the file cannot be written.
    """
    import csv

    from ..runs.export import cell

    rows = [
        {"baseline": name, "stratum": stratum, **_flat(figures)}
        for name, entry in {**document["baselines"], **document["solver"]}.items()
        for stratum, figures in {"all": entry, **entry["strata"]}.items()
    ]
    try:
        with path.open("w", newline="", encoding="utf-8") as handle:
            writer = csv.DictWriter(handle, fieldnames=list(rows[0]) if rows else ["baseline"])
            writer.writeheader()
            writer.writerows({key: cell(value) for key, value in row.items()} for row in rows)
    except OSError as error:
        raise unwritable(path, error) from error


def _flat(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Figures as cells of one row."""
    pairs = figures.get("pairs") or {}
    cells: dict[str, Any] = {}
    for key, value in figures.items():
        if key == "reference_kinds":
            cells[key] = " ".join(f"{kind}={number}" for kind, number in value.items())
        elif key.endswith("_ci95_percent"):
            cells[f"{key}_low"], cells[f"{key}_high"] = value or (None, None)
        elif key not in ("strata", "pairs", "failure"):
            cells[key] = value
    return {**cells, **{word: pairs.get(word) for word in ("wins", "ties", "losses")}}


def _figures(evaluation: Evaluation, instances: Mapping[str, Instance]) -> dict[str, Any]:
    strata = by_stratum(evaluation.scores, instances)
    return {
        **of_evaluation(evaluation, instances).as_json(),
        "strata": {name: figures.as_json() for name, figures in strata.items()},
        "failure": _failure(evaluation),
    }


def _failure(evaluation: Evaluation) -> dict[str, str | None] | None:
    """The first instance without a gap, and why; None if there is none."""
    for score in evaluation.scores:
        if score.status is not ScoreStatus.OK:
            return {"instance": score.instance, "status": score.status.value, "message": score.message}
    return None

"""The problem's own solver, stopped early, as a rival of heuristics at their own time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING

from ...evaluators.base import Anytime, Evaluation, Incumbent, Score
from ...evaluators.judging import Judgement
from ...evaluators.scoring import score
from ...problems.base import Instance
from ...sandbox.base import Execution, ExecutionStatus
from ..errors import USAGE, UserError
from ..opening.references import parallel
from ..record.champions import SOLVER, SPLIT
from ..record.runs import adding
from ..record.splits import figures_of

if TYPE_CHECKING:
    from ..opening.notify import Notify
    from ..opening.setup import Setup
    from ..record.record import RunRecord

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
        hint = "its references say how they are proved: gapsmith references verify " + setup.loaded.name
        raise UserError(USAGE, why, hint)
    for effort in efforts:
        if not 0 < effort <= _MOST_EFFORT:
            why = f"--solver {effort:g}: expected deterministic seconds above 0, at most {_MOST_EFFORT:g}"
            raise UserError(USAGE, why)
    instances = list(setup.evaluator.instances(chosen).values())
    total, rows = len(efforts) * len(instances), dict[str, Evaluation]()
    notify("solver runs", 0, total)
    for number, effort in enumerate(efforts):
        scores, solver = dict[str, Score](), ""
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
        return score(setup.loaded.problem, instance, reference, execution)
    execution = Execution(ExecutionStatus.OK, cpu_seconds=run.cpu_seconds)
    return score(setup.loaded.problem, instance, reference, execution, Judgement(run.verdict, None))

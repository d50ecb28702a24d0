"""The best program at each time and the cost of a proof, from recorded CPU seconds; they steer nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ...evaluators.base import Evaluation, ReferenceKind
from ...evaluators.scoring import normalised_loss
from ...evaluators.statistics import worse
from ...evolve.measures import TIME
from ...evolve.store.reader import BASELINE, Reader
from ...evolve.timing import edge, net_seconds, time_class
from ...problems.base import Instance
from ..errors import NO_CANDIDATE, UserError
from ..formatting import time_words
from .figures import candidate_summary, splits

SPLIT = "valid"
SOLVER: Final = "solver"
"""Key of the run's record that maps a stopped solver (`cp-sat, effort 1`) to its time and figures."""
LEVEL = 0.05
"""Chance of calling a slower program better than a faster one where both are equally good (probability)."""


_NO_FIGURES = dict.fromkeys(("fitness", "mean_gap_percent", "mean_gap_ci95_percent", "failed"))


@dataclass(frozen=True, slots=True)
class TimedProgram:
    """A program that is valid on every validation instance, with its time there.

    Attributes:
        program: id of a candidate, or `baseline/NAME`.
        seconds: mean CPU seconds of an execution above the sandbox's floor.
        fitness: on validation (a ratio, larger is better).
        evaluation: on validation.
    """

    program: str
    seconds: float
    fitness: float
    evaluation: Evaluation

    @property
    def time_class(self) -> int:
        """Number of its time class, 0 for the fastest."""
        return time_class(self.seconds)


def floor_of(reader: Reader) -> float:
    """CPU seconds of an execution that does nothing, as the run measured them; 0 if it measured none."""
    return float((reader.record("timing") or {}).get("floor_seconds") or 0.0)


def time_budget(reader: Reader) -> float | None:
    """Largest time of a champion in a run (CPU seconds of an instance); None without a limit."""
    section = (reader.record("config") or {}).get("evaluation") or {}
    limit = section.get("time_budget")
    return None if limit is None else float(limit)


def steered_by_time(reader: Reader) -> bool:
    """Whether time is a measure of a run's archive."""
    section = (reader.record("config") or {}).get("archive") or {}
    return TIME in (section.get("measures") or ())


def timed_programs(reader: Reader, *, baselines: bool = True) -> list[TimedProgram]:
    """All programs that are valid on validation, each once, with their times."""
    sound = {id for id, _ in reader.best("train")}
    ids = [id for id, _ in reader.best(SPLIT) if id in sound]
    founders: Mapping[str, str] = reader.record("founders") or {}
    if baselines:
        known = {founders.get(id) for id in ids}
        ids += [BASELINE + name for name in reader.baselines() if name not in known]
    floor = floor_of(reader)
    timed = []
    for id in ids:
        evaluation = reader.evaluation(id, SPLIT)
        if evaluation is not None and evaluation.fitness is not None:
            seconds = net_seconds(evaluation.scores, floor)
            timed.append(TimedProgram(id, seconds, evaluation.fitness, evaluation))
    return timed


def class_champions(reader: Reader) -> list[TimedProgram]:
    """The best program of each time class on validation, fastest class first; one row of a table each.

    A class has a champion only if its best program is better than the champion of the next faster class,
    beyond noise (paired bootstrap over instances).
    """
    champions: list[TimedProgram] = []
    programs = timed_programs(reader)
    instances = reader.instances()
    for number in sorted({one.time_class for one in programs}):
        best = max(
            (one for one in programs if one.time_class == number),
            key=lambda one: (one.fitness, -one.seconds, one.program),
        )
        if champions and not worse(_losses(champions[-1], instances), _losses(best, instances), LEVEL):
            continue
        champions.append(best)
    return champions


def champions(reader: Reader) -> list[dict[str, Any]]:
    """The champions of the time classes under the field names of the JSON contract."""
    names: Mapping[str, str] = reader.record("founders") or {}
    rows: list[dict[str, Any]] = []
    for one in class_champions(reader):
        row: dict[str, Any] = {"time_class_seconds": edge(one.time_class), "time_seconds": one.seconds}
        if one.program.startswith(BASELINE):
            row |= {"baseline": one.program.removeprefix(BASELINE), "candidate": None, "origin": None}
            row |= {"iteration": None, "splits": splits(reader, one.program)}
        else:
            row |= {"baseline": names.get(one.program), **candidate_summary(reader, one.program)}
            if row["baseline"] is not None and row["splits"]["test"] is None:
                row["splits"]["test"] = splits(reader, BASELINE + row["baseline"])["test"]
        rows.append(row)
    return rows


def best_of_time(reader: Reader, seconds: float) -> TimedProgram | None:
    """The candidate with the best fitness on validation among those within a time; None if none is.

    Args:
        reader: of the run.
        seconds: CPU seconds of an execution above the sandbox's floor, mean over validation.
    """
    quick = [one for one in timed_programs(reader, baselines=False) if one.seconds <= seconds]
    return max(quick, key=lambda one: (one.fitness, -one.seconds, one.program), default=None)


def best_within(reader: Reader, seconds: float) -> TimedProgram:
    """Like `best_of_time`.

    Raises:
        UserError: no validated candidate is that fast.
    """
    if (best := best_of_time(reader, seconds)) is not None:
        return best
    programs = timed_programs(reader, baselines=False)
    words = "none was validated"
    if programs:
        fastest = min(one.seconds for one in programs)
        words = f"the fastest of {len(programs)} takes {time_words(fastest)}"
    raise UserError(
        NO_CANDIDATE,
        f"no validated candidate takes at most {time_words(seconds)} of CPU time on an instance: {words}",
        "name a longer time, or search with --time-budget",
    )


def proof(reader: Reader) -> dict[str, Any] | None:
    """What the proven optima of the validation instances cost; None if none has a known time.

    Wall seconds of the method that made the reference, on the machine that made it.
    """
    references = reader.references()
    every = [references[id] for id, instance in reader.instances().items() if instance.split == SPLIT]
    proven = [one for one in every if one.kind is ReferenceKind.OPTIMUM]
    times = sorted(one.seconds for one in proven if one.seconds is not None)
    if not times:
        return None
    return {
        "split": SPLIT,
        "instances": len(every),
        "proven": len(proven),
        "timed": len(times),
        "methods": sorted({one.solver for one in proven if one.seconds is not None}),
        "seconds_median": times[(len(times) - 1) // 2],
        "seconds_p90": times[-(-9 * len(times) // 10) - 1],
    }


def solver_rows(reader: Reader) -> list[dict[str, Any]]:
    """The problem's solver, stopped early, as `show --solver` stored its figures; fastest first.

    Raises:
        StoreError: what is stored is no such row.
    """
    with reader.sound("solver"):
        rows = [
            {
                "solver": name,
                "effort": float(row["effort"]),
                "time_seconds": float(row["time_seconds"]),
                "splits": {split: _NO_FIGURES | row["splits"][split] for split in (SPLIT, "test")},
            }
            for name, row in (reader.record(SOLVER) or {}).items()
        ]
        return sorted(rows, key=lambda row: (row["time_seconds"], row["effort"]))


def _losses(one: TimedProgram, instances: Mapping[str, Instance]) -> list[float]:
    """Normalised losses on validation, instance by instance in one order for all programs."""
    losses = {s.instance: normalised_loss(s, instances[s.instance]) for s in one.evaluation.scores}
    return [losses[id] or 0.0 for id in sorted(losses)]

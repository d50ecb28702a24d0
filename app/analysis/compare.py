"""Compares campaigns at an equal budget and by time; apart from its verb, which prints nothing itself."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ...evaluators.base import Evaluation, Score, ScoreStatus
from ...evaluators.figures import Figures, figures
from ...evaluators.intervals import mean_interval
from ...evaluators.scoring import normalised_loss
from ...evaluators.statistics import Paired, paired, wins_ties_losses
from ...evolve.timing import CLASSES, edge, time_class
from ..errors import USAGE, UserError
from ..runs.champions import SPLIT, TimedProgram, timed_programs
from ..runs.curves import BUDGETS, Track, check_comparable, track
from ..runs.record import RunRecord
from ..runs.summary import test_evaluations

# Compares arms by time: the best program of each time class, and one number for a whole front.
#
# Everything is on validation, from recorded CPU seconds, at the budget of the comparison. The seconds of a
# run are scaled by the pace of its machine, relative to the first run's.

_LEAST = CLASSES[0]
"""Time below which programs cannot be told apart (CPU seconds)."""
_LIMIT = 2.0
"""CPU limit of a run whose configuration does not say it (CPU seconds)."""


@dataclass(frozen=True, slots=True)
class Front:
    """The programs of one run with their CPU times and losses, of which some are best at their time.

    Attributes:
        programs: validated candidates within the budget, founders included.
        losses: program → instance → loss on validation (percent).
        start_loss: mean loss of the start program there (percent); None if it is not valid.
        limit: CPU seconds that an execution may take.
    """

    programs: tuple[TimedProgram, ...]
    losses: Mapping[str, Mapping[str, float]]
    start_loss: float | None
    limit: float

    @classmethod
    def of(cls, track: Track, by: str, budget: float, pace: float | None) -> Front:
        """The front of a run.

        Args:
            track: of the run.
            by, budget: what is equal, and how much of it counts.
            pace: of the first run's machine (CPU seconds of a fixed loop); None if not known.
        """
        record = track.record
        own = pace_of(record)
        factor = pace / own if pace and own else 1.0
        programs = tuple(
            replace(one, seconds=factor * one.seconds)
            for one in timed_programs(record.reader, baselines=False)
            if (spent := track.spent.get(one.program)) is not None
            and (amount := spent.of(by)) is not None
            and amount <= budget
        )
        losses = {one.program: _losses(record, one) for one in programs}
        start = losses.get(record.start or "")
        limit = (record.config.get("sandbox") or {}).get("cpu_seconds") or _LIMIT
        mean = None if start is None else sum(start.values()) / len(start)
        return cls(programs, losses, mean, float(limit))

    def best(self, seconds: float) -> TimedProgram | None:
        """The best program within a time (CPU seconds); None if none is that fast."""
        quick = [one for one in self.programs if one.seconds <= seconds]
        return max(quick, key=lambda one: (one.fitness, -one.seconds, one.program), default=None)

    def hypervolume(self) -> float | None:
        """Share of the area of (log time, loss) that the programs dominate (ratio, 0 to 1; larger is better).

        The reference point is the start program's loss at the CPU limit: 0 is no better than the start
        program at any time, 1 is no loss in the fastest class (Zitzler and Thiele 1998,
        doi:10.1007/BFb0056872). None where the start program is not valid or has no loss.
        """
        if not self.start_loss or self.limit <= _LEAST:
            return None
        points = sorted((self._place(one.seconds), -100 * one.fitness) for one in self.programs)
        area = 0.0
        gain = 0.0
        last = 0.0
        for place, loss in points:
            area += gain * (place - last)
            last = place
            gain = max(gain, 1 - loss / self.start_loss)
        return area + gain * (1.0 - last)

    def _place(self, seconds: float) -> float:
        """Place of a time on the logarithmic axis from the fastest class (0) to the CPU limit (1)."""
        place = math.log(max(seconds, _LEAST) / _LEAST) / math.log(self.limit / _LEAST)
        return min(1.0, place)


def fronts(arms: Sequence[Sequence[Track]], by: str, budget: float) -> list[list[Front]]:
    """The fronts of all runs, arm by arm."""
    pace = pace_of(arms[0][0].record)
    return [[Front.of(track, by, budget, pace) for track in arm] for arm in arms]


def pace_of(record: RunRecord) -> float | None:
    """CPU seconds of a fixed loop on the machine of a run; None in a run that did not measure it."""
    return (record.reader.record("timing") or {}).get("pace_seconds")


def mean_hypervolume(arm: Sequence[Front]) -> float | None:
    """Mean over the runs of an arm; None if a run has none."""
    volumes = [volume for front in arm if (volume := front.hypervolume()) is not None]
    return sum(volumes) / len(volumes) if len(volumes) == len(arm) else None


def by_class(first: Sequence[Front], second: Sequence[Front]) -> list[dict[str, Any]]:
    """Compares two arms in each time class, paired by instance, each value a mean over the arm's runs.

    Left out are classes in which neither arm has a new program, and classes within which a run has none. The
    p values are corrected for the number of classes (Holm 1979).
    """
    numbers = sorted({time_class(one.seconds) for front in (*first, *second) for one in front.programs})
    rows: list[dict[str, Any]] = []
    before: tuple[list[str], ...] = ()
    for number in numbers:
        limit = edge(number)
        bests = [[front.best(limit or math.inf) for front in arm] for arm in (first, second)]
        chosen = tuple([one.program for one in arm if one is not None] for arm in bests)
        if any(one is None for arm in bests for one in arm) or chosen == before:
            continue
        before = chosen
        mine, theirs = (_mean_losses(arm, ids) for arm, ids in zip((first, second), chosen, strict=True))
        result = paired(mine, theirs)
        rows.append(
            {
                "time_class_seconds": limit,
                "a_loss_percent": sum(mine) / len(mine),
                "b_loss_percent": sum(theirs) / len(theirs),
                "difference_percent": result.difference,
                "p_value": result.p_value,
            }
        )
    return _with_holm(rows)


def _with_holm(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows with `p_value_holm`: smallest p value times the number of rows, and so on, never falling."""
    ranked = sorted(
        (row for row in rows if row["p_value"] is not None), key=lambda row: float(row["p_value"])
    )
    least = 0.0
    for rank, row in enumerate(ranked):
        least = max(least, min(1.0, row["p_value"] * (len(ranked) - rank)))
        row["p_value_holm"] = least
    return [{"p_value_holm": None, **row} for row in rows]


def _mean_losses(arm: Sequence[Front], programs: Sequence[str]) -> list[float]:
    """Losses by instance (percent), mean over the runs of an arm."""
    runs = [front.losses[program] for front, program in zip(arm, programs, strict=True)]
    return [sum(losses[id] for losses in runs) / len(runs) for id in sorted(runs[0])]


def _losses(record: RunRecord, one: TimedProgram) -> dict[str, float]:
    instances = record.instances
    return {
        score.instance: 100 * (normalised_loss(score, instances[score.instance]) or 0.0)
        for score in one.evaluation.scores
        if instances[score.instance].split == SPLIT
    }


_SHARES = (0.0, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0)
_CURVE = 101
"""Points of a curve (count), evenly spaced from no budget to all of it."""


@dataclass(frozen=True, slots=True)
class ComparisonArm:
    """One side of a comparison: a run, or the runs of a group."""

    name: str
    tracks: tuple[Track, ...]

    @property
    def label(self) -> str:
        """Name of the candidates' proposer: models or `offline`, and the control if the run is one."""
        record = self.tracks[0].record
        control = (record.config.get("campaign") or {}).get("control") or "none"
        return record.models if control == "none" else f"{record.models}, control {control}"

    def evaluations(self, split: str, by: str, budget: float) -> list[Evaluation | None]:
        """Evaluation of each run's champion on a split; None where the run has no champion within the budget.

        On validation a run whose champion came later is judged by its best candidate at that moment. Test
        figures are the champion's alone.
        """
        found = []
        for one in self.tracks:
            id = one.champion(by, budget)
            if id is None and split == "valid":
                id = one.within(by, budget)
            found.append(None if id is None else one.record.evaluation(id, split))
        return found


def compare(
    names: Sequence[str], runs: Sequence[Sequence[RunRecord]], by: str = "evaluations"
) -> dict[str, Any]:
    """Compares arms at the smallest budget that every run of them used.

    Args:
        names: of the arms, two or more.
        runs: records of each arm's runs.
        by: the budget that is made equal, one of `BUDGETS`.

    Returns:
        The JSON contract's document.

    Raises:
        UserError: the runs cannot be compared.
    """
    _check(names, runs)
    notes = check_comparable([record for group in runs for record in group])
    arms = [
        ComparisonArm(name, tuple(track(r) for r in group)) for name, group in zip(names, runs, strict=True)
    ]
    budget = _budget(arms, by)
    split, reason = _judged(arms, by, budget)
    if reason is not None:
        notes.append(reason)
    timed = fronts([arm.tracks for arm in arms], by, budget)
    shown = [
        {**_arm(arm, by, budget), "hypervolume": mean_hypervolume(runs)}
        for arm, runs in zip(arms, timed, strict=True)
    ]
    notes += [line for arm, one in zip(arms, shown, strict=True) if one["test"] for line in _looks(arm)]
    if len(arms) > 2:
        notes.append(f"p values are not corrected for {len(arms) - 1} comparisons")
    return {
        "problem": runs[0][0].problem.get("name"),
        "by": by,
        "unit": BUDGETS[by],
        "budget": budget,
        "split": split,
        "arms": shown,
        "pairs": [
            {**_pair(arms[0], other, split, by, budget), "times": by_class(timed[0], runs)}
            for other, runs in zip(arms[1:], timed[1:], strict=True)
        ],
        "notes": notes,
    }


def _check(names: Sequence[str], runs: Sequence[Sequence[RunRecord]]) -> None:
    if len(names) < 2:
        raise UserError(USAGE, f"compare: got {len(names)} run or group, expected two or more")
    seen: set[str] = set()
    for record in (record for group in runs for record in group):
        if record.name in seen:
            raise UserError(USAGE, f"compare: {record.name} is named twice, expected different runs")
        seen.add(record.name)


def _budget(arms: Sequence[ComparisonArm], by: str) -> float:
    """The smallest total of all runs.

    Raises:
        UserError: the total of a run is not known, or a run spent nothing.
    """
    totals = {one.record.name: one.total.of(by) for arm in arms for one in arm.tracks}
    for name, total in totals.items():
        if total is None:
            raise UserError(
                USAGE, f"{name}: the price of its model calls is not known", "compare by evaluations or cpu"
            )
        if not total:
            raise UserError(
                USAGE,
                f"{name}: spent nothing of what is compared ({BUDGETS[by]})",
                "compare by " + " or ".join(b for b in BUDGETS if b != by),
            )
    return min(total for total in totals.values() if total is not None)


def _judged(arms: Sequence[ComparisonArm], by: str, budget: float) -> tuple[str, str | None]:
    """The split that decides; if it is not test, also the reason."""
    late = [
        one.record.name
        for arm in arms
        for one, evaluation in zip(arm.tracks, arm.evaluations("test", by, budget), strict=True)
        if evaluation is None
    ]
    if not late:
        return "test", None
    shown = ", ".join(late[:3]) + (f" and {len(late) - 3} more" if len(late) > 3 else "")
    return "valid", (
        f"judged on validation: no tested champion within the common budget in {shown}; a champion that came "
        "later, or a run that has not ended, has no test figure at equal budget"
    )


def _looks(arm: ComparisonArm) -> list[str]:
    """Names the runs that tested several champions: its test figure may be why the last one is the last."""
    looks = [(test_evaluations(one.record.reader), one.record.name) for one in arm.tracks]
    return [f"test seen {count} times in {name}" for count, name in looks if count > 1]


def _arm(arm: ComparisonArm, by: str, budget: float) -> dict[str, Any]:
    used = [one.used(by, budget) for one in arm.tracks]
    costs = [spent.usd for spent in used]
    prices = [cost for cost in costs if cost is not None]
    number = len(used)
    figures = {s: _figures(arm, arm.evaluations(s, by, budget)) for s in ("valid", "test")}
    curve = curve_of(arm, by, budget)
    return {
        "name": arm.name,
        "label": arm.label,
        "runs": [one.record.name for one in arm.tracks],
        "unsafe_without": sorted({layer for one in arm.tracks for layer in one.record.unsafe}),
        "evaluations": sum(spent.evaluations for spent in used) / number,
        "executions": sum(spent.executions for spent in used) / number,
        "cpu_seconds": sum(spent.cpu for spent in used) / number,
        "cost_usd": sum(prices) / number if len(prices) == number else None,
        **{split: None if f is None else f.as_json() for split, f in figures.items()},
        "progress": [curve[round(share * (_CURVE - 1))] for share in _SHARES],
        "curve": curve,
    }


def curve_of(arm: ComparisonArm, by: str, budget: float) -> list[dict[str, Any]]:
    """Mean validation gap of the best candidates so far over the budget, with 95 % interval over runs."""
    gaps = [{id: one.gap(id) for id, _ in one.best} for one in arm.tracks]
    curve = []
    for step in range(_CURVE):
        spent = budget * step / (_CURVE - 1)
        now = [table.get(one.within(by, spent) or "") for one, table in zip(arm.tracks, gaps, strict=True)]
        values = [gap for gap in now if gap is not None]
        bounds = mean_interval(values)
        curve.append(
            {
                "spent": spent,
                "valid_mean_gap_percent": sum(values) / len(values) if len(values) == len(now) else None,
                "ci95_percent": None if bounds is None else list(bounds),
            }
        )
    return curve


def _figures(arm: ComparisonArm, evaluations: Sequence[Evaluation | None]) -> Figures | None:
    """Figures over the scores of all runs; with several runs the interval is over runs."""
    complete = [e for e in evaluations if e is not None]
    if len(complete) < len(evaluations):
        return None
    instances = arm.tracks[0].record.instances
    scores = [score for evaluation in complete for score in evaluation.scores]
    pooled = figures(scores, [instances[s.instance] for s in scores])
    if len(complete) == 1 or pooled.mean_gap_percent is None:
        return pooled
    gaps = [gap for evaluation in complete if (gap := _mean_gap(evaluation)) is not None]
    return replace(pooled, mean_gap_ci95_percent=mean_interval(gaps))


def _mean_gap(evaluation: Evaluation) -> float | None:
    """Mean of ratios, percent; None if an instance failed or every reference is 0."""
    gaps = [100 * float(score.gap) for score in evaluation.scores if score.gap is not None]
    return sum(gaps) / len(gaps) if gaps and evaluation.fitness is not None else None


def _pair(first: ComparisonArm, second: ComparisonArm, split: str, by: str, budget: float) -> dict[str, Any]:
    """Compares two arms on the split that decides, by seed if both have the same seeds, else by instance."""
    mine, theirs = (
        {one.seed: e for one, e in zip(arm.tracks, arm.evaluations(split, by, budget), strict=True) if e}
        for arm in (first, second)
    )
    seeds = sorted(mine)
    apart = len(mine) == len(first.tracks) and len(theirs) == len(second.tracks)  # no seed occurs twice
    if len(seeds) >= 2 and apart and mine.keys() == theirs.keys():  # else a run is left out
        outcome, counts = _by_seed([mine[s] for s in seeds], [theirs[s] for s in seeds])
        unit = "seeds"
    else:
        ids = [id for id, instance in first.tracks[0].record.instances.items() if instance.split == split]
        rows = [_by_instance(arm.evaluations(split, by, budget), ids) for arm in (first, second)]
        outcome, counts = _instances(*rows)
        unit = "instances"
    return {
        "a": first.name,
        "b": second.name,
        "split": split,
        "paired_by": unit,
        "pairs": outcome.pairs,
        "difference_percent": outcome.difference,
        "ci95_percent": None if outcome.ci95 is None else list(outcome.ci95),
        "p_value": outcome.p_value,
        "test": outcome.test,
        **counts,
    }


def _by_seed(mine: Sequence[Evaluation], theirs: Sequence[Evaluation]) -> tuple[Paired, dict[str, int]]:
    """Mean gaps seed by seed; a run that failed on an instance is worse than one that did not."""
    pairs = [(_mean_gap(a), _mean_gap(b)) for a, b in zip(mine, theirs, strict=True)]
    failed = any(e.fitness is None for e in (*mine, *theirs))
    both = [(a, b) for a, b in pairs if a is not None and b is not None and not failed]
    # The counts use the gaps of which the difference is made. Fitness also sees instances with reference 0:
    # counts by fitness could call a smaller mean gap worse.
    known = [(_judged_by(a), _judged_by(b)) for a, b in zip(mine, theirs, strict=True)]
    return paired([a for a, _ in both], [b for _, b in both]), _count(known)


def _judged_by(evaluation: Evaluation) -> float | None:
    """Mean gap, or mean loss where every reference is 0; None if an instance failed."""
    gap = _mean_gap(evaluation)
    return -evaluation.fitness if gap is None and evaluation.fitness is not None else gap


def _by_instance(
    evaluations: Sequence[Evaluation | None], ids: Sequence[str]
) -> dict[str, list[Score | None]]:
    """Instance → scores of all runs; None where a run stopped at an earlier failure, or has no candidate."""
    tables = [{score.instance: score for score in e.scores} if e else {} for e in evaluations]
    return {id: [scores.get(id) for scores in tables] for id in ids}


def _instances(
    mine: Mapping[str, Sequence[Score | None]], theirs: Mapping[str, Sequence[Score | None]]
) -> tuple[Paired, dict[str, int]]:
    """Compares two arms by instance, each value a mean over runs; with reference 0 it only counts.

    An instance on which a run failed is lost, but by no number: the mean difference is then None.
    """
    excess = [(_mean(mine[id], "excess"), _mean(theirs[id], "excess")) for id in mine]
    failed = any(value is None for pair in excess for value in pair)
    gaps = [(_mean(mine[id], "gap"), _mean(theirs[id], "gap")) for id in mine]
    both = [(100 * a, 100 * b) for a, b in gaps if a is not None and b is not None and not failed]
    return paired([a for a, _ in both], [b for _, b in both]), _count(excess)


def _mean(scores: Sequence[Score | None], figure: str) -> float | None:
    """Mean of a figure over scores; None if one of them has none.

    Added up exactly: the mean of equal values must be that value, or a tie is counted as a win or a loss.
    """
    values = [getattr(s, figure) for s in scores if s is not None and s.status is ScoreStatus.OK]
    numbers = [Fraction(value) for value in values if value is not None]
    return float(sum(numbers) / len(numbers)) if numbers and len(numbers) == len(scores) else None


def _count(pairs: Sequence[tuple[float | None, float | None]]) -> dict[str, int]:
    """Wins, ties and losses of the first arm; None stands for a failure and is worse than every number."""
    worst = float("inf")
    rows = [(worst if a is None else a, worst if b is None else b) for a, b in pairs]
    return wins_ties_losses(rows)

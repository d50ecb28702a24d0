"""Figures of candidates, references and models: means, groups, paired differences, reported scores."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, median
from typing import Any

from ...evaluators.base import Evaluation, Reference, ReferenceKind, Score
from ...evaluators.figures import Figures, of_evaluation
from ...evaluators.intervals import LEVEL, mean_interval, student
from ...evaluators.statistics import wins_ties_losses
from ...evolve.agenda import page_of
from ...evolve.store.course import written_notes
from ...evolve.store.progress import is_reported
from ...evolve.store.reader import Reader
from ...evolve.store.statistics import calls_in_order, improved_iterations, without_candidate
from ...evolve.syntax.checks import parsed
from ...problems.base import SPLITS, Instance, Number
from ..formatting import one_line, signed


def candidate_summary(reader: Reader, id: str) -> dict[str, Any]:
    """Summary of one candidate."""
    candidate = reader.candidate(id)
    return {
        "candidate": id,
        "origin": None if candidate is None else candidate.origin.value,
        "iteration": None if candidate is None else candidate.iteration,
        "splits": splits(reader, id),
    }


def splits(reader: Reader, program: str) -> dict[str, Any]:
    """Split → figures of a candidate or of a baseline (`baseline/NAME`); None for a split without them."""
    evaluations = {split: reader.evaluation(program, split) for split in SPLITS}
    return {
        split: None if evaluation is None else figures_of(reader, evaluation).as_json()
        for split, evaluation in evaluations.items()
    }


def figures_of(reader: Reader, evaluation: Evaluation) -> Figures:
    """Figures of a recorded evaluation."""
    return of_evaluation(evaluation, reader.instances())


def instance_row(score: Score, instance: Instance) -> dict[str, Any]:
    """Figures of one execution."""
    return {
        "instance": score.instance,
        "stratum": instance.stratum,
        "status": score.status.value,
        "objective": plain(score.objective),
        "reference": plain(score.reference),
        "reference_kind": score.reference_kind.value,
        "gap_percent": None if score.gap is None else float(score.gap) * 100,
        "excess": plain(score.excess),
        "cpu_seconds": score.cpu_seconds,
        "message": score.message,
        "metrics": score.metrics,
    }


def plain(number: Number | None) -> int | float | None:
    """A number for JSON: an integer stays an integer, a fraction becomes a float."""
    return number if number is None or isinstance(number, int) else float(number)


# What a run says of scores that a foreign evaluator reported: no gap, and always *unverified*.

REPORTED = "reported"
VERIFIED = "verified"
"""Who stands behind the objectives of a run: its task's own evaluator, or Gapsmith's verification."""


def trust(reader: Reader) -> str:
    """`reported` if the run's references are scores that were only reported, else `verified`."""
    return REPORTED if is_reported(reader) else VERIFIED


LOSS = (
    "loss: minus the change over the start program, percent of its reported score (of 1 where that is "
    "smaller); below 0 is better, and nothing is verified"
)
"""What a loss is where scores are only reported."""


def training_score(reader: Reader, fitness: float | None) -> float | None:
    """The reported score that a training fitness stands for."""
    start = next((r.value for name, r in reader.references().items() if name.startswith("train")), None)
    if fitness is None or start is None:
        return None
    return float(start) + fitness * max(1.0, abs(float(start)))


def change_words(best: Mapping[str, Any], split: str, name: str) -> str:
    """The best candidate's score beside the start program's, in words.

    Args:
        best: summary of the best candidate.
        split: whose figures are named.
        name: the split in words.
    """
    figures = best["splits"].get(split)
    if figures is None or figures["reported_score"] is None:
        return f"no reported score on {name}"
    score = figures["reported_score"]
    change = figures["change"]
    return (
        f"reported score {score:.5g} on {name}, {signed(change, '.3g')} over the start program (unverified)"
    )


# Figures of each model and operator: calls, replies that became candidates, improvements, cost.

_COUNTS = ("calls", "replies", "candidates", "improved", "tokens_in", "tokens_out")


def model_figures(reader: Reader) -> list[dict[str, Any]]:
    """One row for each model and operator, after a total (`operator` None) if a model has several operators.

    A row holds `model`, `operator`, `calls` (retries included), `share_percent` of all calls, `replies`
    (usable ones), `candidates` (replies that became one), `apply_rate_percent` (candidates / replies),
    `improved` (new bests in training), `improvement_rate_percent` (improved /
    replies), `tokens_in`, `tokens_out`, and `cost_usd`, None when a price is unknown. The outcome of an
    iteration counts for its last reply, so after a repair for the repair's reply. Rates without a reply are
    None.
    """
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    last: dict[int, dict[str, Any]] = {}
    for model, operator, iteration, replied, tokens_in, tokens_out, cost, text in calls_in_order(reader):
        row = rows.get((model, operator))
        if row is None:
            row = rows[model, operator] = {"model": model, "operator": operator, **_nothing()}
        row["calls"] += 1
        row["tokens_in"] += tokens_in or 0
        row["tokens_out"] += tokens_out or 0
        if cost is None and text:
            row["cost_usd"] = None
        elif cost is not None and row["cost_usd"] is not None:
            row["cost_usd"] += cost
        if replied:
            row["replies"] += 1
            if (before := last.get(iteration)) is not None:
                before["candidates"] -= 1
            row["candidates"] += 1
            last[iteration] = row
    for iterations, name, change in (
        (without_candidate, "candidates", -1),
        (improved_iterations, "improved", 1),
    ):
        for iteration in iterations(reader) if last else ():
            if (row := last.get(iteration)) is not None:
                row[name] += change
    return _with_rates([total for rows_of in _by_model(rows.values()) for total in rows_of])


def stop_reason(reader: Reader) -> str | None:
    """Why a campaign ended, on one line of at most 255 characters; None while it goes on."""
    reason = reader.record("stop_reason")
    return None if reason is None else one_line(str(reason), 255)


def notes(reader: Reader) -> list[str]:
    """Recorded notes on the models for readers of the results, such as a parameter that a model refused."""
    found = reader.events("note")
    with reader.sound("events, notes"):
        return [str(event.data["text"]) for event in found]


def newest_page(reader: Reader) -> str | None:
    """The page of notes that a model wrote last; None without one."""
    pages = list(written_notes(reader).values())
    return page_of(pages[-1]) if pages else None


def _nothing() -> dict[str, Any]:
    return {**dict.fromkeys(_COUNTS, 0), "cost_usd": 0.0}


def _by_model(rows: Iterable[Mapping[str, Any]]) -> Iterable[list[dict[str, Any]]]:
    """Rows of each model, most calls first; a model with several rows starts with their total."""
    models: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        models.setdefault(row["model"], []).append(dict(row))
    for model, found in models.items():
        found.sort(key=lambda row: (-row["calls"], row["operator"]))
        if len(found) > 1:
            costs = [row["cost_usd"] for row in found]
            total = {name: sum(row[name] for row in found) for name in _COUNTS}
            cost = None if None in costs else sum(costs)
            found.insert(0, {"model": model, "operator": None, **total, "cost_usd": cost})
        yield found


def _with_rates(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    whole: dict[str, int] = {}
    for row in rows:  # a model's first row holds all its calls
        whole.setdefault(row["model"], row["calls"])
    for row in rows:
        row["share_percent"] = 100 * row["calls"] / sum(whole.values())
        for rate, part in (("apply_rate_percent", "candidates"), ("improvement_rate_percent", "improved")):
            row[rate] = 100 * row[part] / row["replies"] if row["replies"] else None
    return rows


def stepwise(driver: str) -> bool:
    """Whether a problem's driver talks to the parent: `drive(entry, instance, receive, send)`.

    Raises:
        ValueError: the driver is no program within the caps.
    """
    for node in parsed(driver).body:
        if isinstance(node, ast.FunctionDef) and node.name == "drive":
            return len(node.args.args) == 4
    return False


def knows_future(reader: Reader) -> bool:
    """Whether a reference of a run is an optimum or a bound for one who knows all that comes.

    Where instances are revealed step by step no rule has to attain it, so it is a bound and no rival.
    """
    driver = (reader.record("problem") or {}).get("driver")
    if not isinstance(driver, str):
        return False
    try:
        online = stepwise(driver)
    except ValueError:  # a hostile store: nothing is said of what cannot be read
        return False
    proven = (ReferenceKind.OPTIMUM, ReferenceKind.BOUND)
    return online and any(reference.kind in proven for reference in reader.references().values())


# Why the bounds of some references hold, counted.


def proofs(references: Iterable[Reference]) -> dict[str, int]:
    """Kind of proof → number of references; a reference without a bound has no proof and is left out."""
    return dict(sorted(Counter(one.proof.value for one in references if one.proof is not None).items()))


Gaps = Mapping[str, float]
"""Instance id → loss of a program there, percent of max(|reference|, scale); smaller is better."""


def gaps_of(scores: Sequence[Score], loss: Callable[[Score], float | None]) -> dict[str, float]:
    """The gaps of a program's valid answers.

    Args:
        scores: of the program.
        loss: of a score (ratio); None without a valid answer.
    """
    found = {score.instance: loss(score) for score in scores}
    return {id: 100 * value for id, value in found.items() if value is not None}


def paired(mine: Gaps, other: Gaps, instances: Mapping[str, Instance] | None = None) -> dict[str, Any] | None:
    """How a program differs from another one on the instances that both answered; None without such.

    `difference_points` is its gap minus the other's, so that below 0 is better; `beyond_noise` says whether
    the 95 % interval of that mean leaves out 0.

    Args:
        mine, other: of the two programs.
        instances: by id. With them the interval is one to steer by, not to claim with: the noise is that
            within groups, pooled (`within_groups`). Without them skewness and zeros widen the interval.
    """
    both = [id for id in mine if id in other]
    if not both:
        return None
    differences = [mine[id] - other[id] for id in both]
    if instances is None:
        interval = mean_interval(differences)
    else:
        interval = within_groups([(instances[id].stratum, mine[id] - other[id]) for id in both])
    tally = wins_ties_losses((mine[id], other[id]) for id in both)
    return {
        "instances": len(both),
        "mean_gap_percent": fmean(mine[id] for id in both),
        "other_mean_gap_percent": fmean(other[id] for id in both),
        "difference_points": fmean(differences),
        "difference_ci95_points": None if interval is None else list(interval),
        "beyond_noise": None if interval is None else not interval[0] <= 0 <= interval[1],
        "better": tally["wins"],
        "equal": tally["ties"],
        "worse": tally["losses"],
    }


def within_groups(values: Sequence[tuple[str, float]]) -> tuple[float, float] | None:
    """The 95 % interval of a mean whose groups are fixed: Student's t with the pooled spread inside of them.

    Args:
        values: group and value of each instance.

    Returns:
        Both ends, in the unit of the values; None where no group has two.
    """
    members: dict[str, list[float]] = {}
    for group, value in values:
        members.setdefault(group, []).append(value)
    freedom = len(values) - len(members)
    if freedom < 1:
        return None
    squares = sum((value - fmean(some)) ** 2 for some in members.values() for value in some)
    reach = student(LEVEL, freedom) * (squares / freedom / len(values)) ** 0.5
    mean = fmean(value for _, value in values)
    return mean - reach, mean + reach


def groups(mine: Gaps, instances: Mapping[str, Instance], other: Gaps | None = None) -> list[dict[str, Any]]:
    """A row for each group of instances, worst first: mean gap, and how far a mean moves by chance alone.

    `noise_points` is half the 95 % interval (Student's t) of the mean difference to the other program on that
    group's instances, or of the mean gap itself where there is no other program; None below two instances.
    """
    members: dict[str, list[str]] = {}
    for id in mine:
        members.setdefault(instances[id].stratum, []).append(id)
    rows = [_row(name, ids, mine, other) for name, ids in members.items()]
    return sorted(rows, key=lambda row: -float(row["mean_gap_percent"]))


def _row(name: str, ids: Sequence[str], mine: Gaps, other: Gaps | None) -> dict[str, Any]:
    row = {"group": name, "instances": len(ids), "mean_gap_percent": fmean(mine[id] for id in ids)}
    if other is None:
        return {**row, "noise_points": _half([mine[id] for id in ids])}
    both = [id for id in ids if id in other]
    differences = [mine[id] - other[id] for id in both]
    return {
        **row,
        "other_mean_gap_percent": fmean(other[id] for id in both) if both else None,
        "difference_points": fmean(differences) if both else None,
        "noise_points": _half(differences),
    }


def _half(values: Sequence[float]) -> float | None:
    interval = within_groups([("", value) for value in values])
    return None if interval is None else (interval[1] - interval[0]) / 2


def times(scores: Sequence[Score], limit: float) -> dict[str, Any]:
    """CPU seconds of executions, and the share of the limit that the longest one used (ratio)."""
    seconds = [score.cpu_seconds for score in scores]
    return {
        "cpu_seconds_median": median(seconds) if seconds else None,
        "cpu_seconds_max": max(seconds, default=None),
        "cpu_limit_seconds": limit,
        "share_of_limit": max(seconds) / limit if seconds else None,
    }

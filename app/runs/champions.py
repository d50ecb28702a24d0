"""Champions: best program at each time, cost of a proof, and the headline from best baseline to champion."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from ...evaluators.base import Evaluation, ReferenceKind, Score
from ...evaluators.intervals import METHOD
from ...evaluators.scoring import normalised_loss
from ...evaluators.statistics import paired, wins_ties_losses, worse
from ...evolve.measures import TIME
from ...evolve.store.reader import BASELINE, Reader
from ...evolve.timing import edge, net_seconds, time_class
from ...problems.base import Instance
from ..errors import NO_CANDIDATE, UserError
from ..formatting import count, percent, time_words
from .figures import REPORTED, candidate_summary, change_words, splits

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


_SPLITS = {"test": "test", "valid": "validation", "train": "training"}


class Conclusion(StrEnum):
    """What a campaign came to (closed list)."""

    BETTER = "better"
    WORSE = "worse"
    UNDECIDED = "undecided"
    NO_IMPROVEMENT = "no_improvement"
    UNTESTED = "untested"
    NOTHING = "nothing"
    UNVERIFIED = "unverified"


def headline(reader: Reader, summary: Mapping[str, Any]) -> dict[str, Any]:
    """The headline as a document: `text`, `verdict`, and the figures that the text names.

    Args:
        reader: reader of the run's store.
        summary: the campaign's document, with `best`, `baselines`, `start` and `claims`.
    """
    best = summary["best"]
    rival = best_baseline_name(summary)
    document: dict[str, Any] = {
        "verdict": Conclusion.NOTHING,
        "baseline": rival,
        "champion": None if best is None else best["candidate"],
        "founder": None,
        "split": None,
        "baseline_percent": None,
        "champion_percent": None,
        "claim": None,
    }
    if best is None:
        limit = summary.get("time_budget_seconds")
        within = "" if limit is None else f" within {time_words(limit)} of CPU time on an instance"
        return {"text": f"no feasible candidate{within}", **document}
    split = next((s for s in _SPLITS if best["splits"][s]), "train")
    document["split"] = split
    document["champion_percent"] = _gap(best["splits"], split)
    document["baseline_percent"] = None if rival is None else _gap(summary["baselines"][rival], split)
    if summary.get("trust") == REPORTED:
        return _reported(best, document, split)
    if not best["iteration"]:
        return _of_founder(reader, summary, document)
    title = "start program" if rival is None else f"best baseline {rival}"
    other = _gap((summary["start"] or {"splits": {}})["splits"], split) if rival is None else None
    words = (
        f"{title} {percent(document['baseline_percent'] if rival else other)} → "
        f"{'champion' if split == 'test' else 'best candidate'} {percent(document['champion_percent'])} "
        f"on {_SPLITS[split]}"
    )
    against = "start program" if rival is None else f"baseline {rival}"
    claim = next((claim for claim in summary["claims"] if claim["against"] == against), None)
    if split != "test" or claim is None:
        steers = "" if split == "test" else ", which takes part in the search"
        text = f"so far: {words}{steers}{_given_start(reader, summary, document)}"
        return {"text": text, **document, "verdict": Conclusion.UNTESTED}
    document |= {"verdict": _verdict(claim), "claim": claim}
    return {"text": f"{words}: {_proof(claim)}{_given_start(reader, summary, document)}", **document}


def _given_start(reader: Reader, summary: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    """What the champion is worth against the start program that the user gave; empty without one.

    Without baselines the headline compares with the start program anyhow.
    """
    start = summary["start"]
    split = document["split"]
    if start is None or document["baseline"] is None or not reader.record("start_given"):
        return ""
    if start["candidate"] == document["champion"] or start["candidate"] in (reader.record("founders") or {}):
        return ""
    candidate = reader.candidate(start["candidate"])
    name = "" if candidate is None else f" {candidate.operator}"
    words = f"; your start program{name} {percent(_gap(start['splits'], split))}"
    claim = next((claim for claim in summary["claims"] if claim["against"] == "start program"), None)
    if split != "test" or claim is None:
        return words
    return f"{words}: {_proof(claim, 'that program')}"


def _reported(best: Mapping[str, Any], document: dict[str, Any], split: str) -> dict[str, Any]:
    """The headline of a campaign whose scores are reported: nothing is proved, whatever changed."""
    words = change_words(best, split, _SPLITS[split])
    if not best["iteration"]:
        return {"text": f"no improvement found; {words}", **document, "verdict": Conclusion.NO_IMPROVEMENT}
    so_far = "" if split == "test" else "so far: "
    return {"text": f"{so_far}{words}", **document, "verdict": Conclusion.UNVERIFIED}


def best_baseline_name(summary: Mapping[str, Any]) -> str | None:
    """Name of the baseline with the best fitness on validation, within the time budget if there is one.

    None when no baseline is complete and quick enough.
    """
    limit = summary.get("time_budget_seconds")
    floor = (summary.get("timing") or {}).get("floor_seconds") or 0.0
    fitness = {
        name: splits["valid"]["fitness"]
        for name, splits in summary["baselines"].items()
        if splits["valid"]
        and splits["valid"]["fitness"] is not None
        and (limit is None or splits["valid"]["cpu_seconds_mean"] - floor <= limit)
    }
    return max(fitness, key=lambda name: (fitness[name], name)) if fitness else None


def _of_founder(reader: Reader, summary: Mapping[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    """The headline of a campaign whose champion is a program that it began with."""
    candidate = reader.candidate(summary["best"]["candidate"])
    names = reader.record("founders") or {}
    operator = None if candidate is None else candidate.operator
    name = names.get(summary["best"]["candidate"])
    title = "baseline" if name is not None else "start program"
    founder = name or operator
    rival = document["baseline"]
    found = (
        f"best {title}: {founder}, {percent(document['champion_percent'])} on {_SPLITS[document['split']]}"
    )
    if name is None and rival is not None:
        found = f"best baseline: {rival}, {percent(document['baseline_percent'])}; {found}"
    so_far = "" if document["split"] == "test" else " so far"
    text = f"no improvement found{so_far}; {found}{_given_start(reader, summary, document)}"
    return {"text": text, **document, "verdict": Conclusion.NO_IMPROVEMENT, "founder": founder}


def _verdict(claim: Mapping[str, Any]) -> Conclusion:
    """What a paired comparison says: a difference counts beyond noise only."""
    difference = claim["difference_percent"]
    p = claim["p_value"]
    if difference is None or p is None or p >= LEVEL or not difference:
        return Conclusion.UNDECIDED
    return Conclusion.BETTER if difference < 0 else Conclusion.WORSE


def _proof(claim: Mapping[str, Any], other: str = "the baseline") -> str:
    """The paired result in words: direction, instances, p value."""
    difference = claim["difference_percent"]
    p = claim["p_value"]
    if difference is None:
        words = "no mean difference, for an answer is missing"
    elif _verdict(claim) is not Conclusion.UNDECIDED:
        words = f"{'better' if difference < 0 else 'worse'} beyond noise"
    else:
        side = "neither" if not difference else "the champion" if difference < 0 else other
        words = f"no difference beyond noise, pointing to {side}"
    chance = "" if p is None else f", p = {p:.2g}" if p >= 0.0001 else ", p < 0.0001"
    return (
        f"{words} ({claim['wins']} better, {claim['ties']} equal, {claim['losses']} worse of "
        f"{count(claim['instances'], 'instance')}{chance})"
    )


def _gap(splits: Mapping[str, Any], split: str) -> float | None:
    """Mean of ratios on a split, percent."""
    figures = splits.get(split)
    return None if figures is None else figures["mean_gap_percent"]


# The claims of a campaign: its champion against start program and best baseline, paired by instance.


def claims(reader: Reader, champion: str, loss: Callable[[Score], float | None]) -> list[dict[str, Any]]:
    """Paired comparisons of the champion on the test split, instance by instance.

    Args:
        reader: reader of the run's store; champion and start program have been evaluated on the test split.
        champion: id of the champion.
        loss: normalised loss of a score (ratio); None unless the score is OK.

    Returns:
        One entry against the start program and one against the baseline that is best on validation, within
        the time budget if there is one:
        `against`, `instances` (count), `difference_percent` (mean of champion − other, points of normalised
        loss), `ci95_percent`, `interval` (its method), `p_value`, `test`, `wins`, `ties`, `losses`
        (instances, count). A missing valid answer counts as an infinite loss in `wins`, `ties` and `losses`,
        and leaves the mean difference, its interval and the p value undefined (None).
    """
    mine = reader.evaluation(champion, "test")
    others = {"start program": reader.evaluation(str(reader.record("start")), "test")}
    limit = time_budget(reader)
    floor = floor_of(reader)
    known = {
        name: {"valid": evaluation}
        for name in reader.baselines()
        if (evaluation := reader.evaluation(BASELINE + name, "valid"))
        and (limit is None or net_seconds(evaluation.scores, floor) <= limit)
    }
    if (best := best_baseline(known, "valid")) is not None:
        others[f"baseline {best[0]}"] = reader.evaluation(BASELINE + best[0], "test")
    if mine is None:
        return []
    return [_claim(word, mine, other, loss) for word, other in others.items() if other is not None]


def _claim(
    against: str, mine: Evaluation, other: Evaluation, loss: Callable[[Score], float | None]
) -> dict[str, Any]:
    theirs = {score.instance: loss(score) for score in other.scores}
    losses = [(loss(score), theirs.get(score.instance)) for score in mine.scores]
    pairs = [(a, b) for a, b in losses if a is not None and b is not None]
    shared = pairs if len(pairs) == len(losses) else []
    result = paired([100 * a for a, _ in shared], [100 * b for _, b in shared])
    return {
        "against": against,
        "instances": len(losses),
        "difference_percent": result.difference,
        "ci95_percent": None if result.ci95 is None else list(result.ci95),
        "interval": METHOD,
        "p_value": result.p_value,
        "test": result.test,
        **wins_ties_losses((math.inf if a is None else a, math.inf if b is None else b) for a, b in losses),
    }


def best_baseline(
    by_name: Mapping[str, Mapping[str, Evaluation]], split: str
) -> tuple[str, Evaluation] | None:
    """The baseline with the best fitness on a split; None when none is complete."""
    complete = [
        (by[split].fitness, name)
        for name, by in by_name.items()
        if split in by and by[split].fitness is not None
    ]
    if not complete:
        return None
    name = max(complete, key=lambda pair: (pair[0] or 0.0, pair[1]))[1]
    return name, by_name[name][split]

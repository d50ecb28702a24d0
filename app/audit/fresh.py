"""Draws new test instances that nobody could know, and so exposes a champion that only remembers answers."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...evaluators.difference import difference
from ...evaluators.figures import Figures, of_evaluation

if TYPE_CHECKING:
    from ...evaluators.base import Evaluation, Score
    from ...problems.base import Instance
    from ..door.plugins import LoadedProblem
    from ..opening.notify import Notify
    from ..opening.setup import Setup
    from ..record.record import RunRecord

SPLIT = "test"
_SEED_BITS = 63
"""A seed of these bits is a TOML integer, and nobody guesses it."""
_MOST_DRAWS = 1_000


def check_fresh(
    record: RunRecord,
    opened: Setup,
    count: int,
    *,
    seed: int | None = None,
    notify: Notify = lambda what, done, total: None,
) -> dict[str, Any]:
    """Runs a run's champion and start program on new instances of its test split's law.

    Args:
        record: of the run.
        opened: from the record.
        count: new instances, >= 1.
        seed: of the instances; by default random bits of the operating system.
        notify: told how far it is.

    Returns:
        `instance_seed`, `instances` (count) and, for each of `programs`, figures on the test split and on the
        new instances with their difference (percentage points of the mean gap) and its p; or why it was
        `skipped`.

    Raises:
        UserError: there is no candidate.
    """
    from ...evaluators.cache import Cache
    from ..opening.prepare import setup_over

    config, loaded = opened.config, opened.loaded
    if config.evaluation.instances:
        return {
            "skipped": "the instances came from files or named sets; new ones must be collected and evaluated"
        }
    seed = secrets.randbits(_SEED_BITS) if seed is None else seed
    programs = {"champion": record.resolve("best")}
    if record.start not in (None, programs["champion"]):
        programs["start program"] = record.resolve("start")
    if not all(record.evaluation(id, SPLIT) for id in programs.values()):
        return {"skipped": "the run has no test results yet; it gets them when its search ends"}
    instances = _draw(loaded, record, seed, count)
    if not instances:
        return {"skipped": f"{loaded.name} has the same {SPLIT} instances for every seed"}
    section = replace(config.evaluation, instance_seed=seed)
    with tempfile.TemporaryDirectory(prefix="gapsmith-fresh-") as place:  # these references are not stored
        config = config.model_copy(update={"evaluation": section})
        setup = setup_over(loaded, config, {"fresh": instances}, notify, Cache(Path(place)))
    found = _evaluate(setup, record, list(programs.values()), notify)
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
        drawn = [i for i in loaded.instances(SPLIT, seed + offset) if i.digest not in digests]
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


def _evaluate(setup: Setup, record: RunRecord, ids: Sequence[str], notify: Notify) -> dict[str, Evaluation]:
    """Id → evaluation on the new instances."""
    from ..opening.baselines import evaluate_all
    from ..opening.executors import open_executor

    programs = {id: setup.evaluator.program(record.candidate(id).files) for id in ids}
    notify("evaluations", 0, len(programs))
    with open_executor(setup) as executor:
        evaluations = evaluate_all(executor, programs, ["fresh"])
    notify("evaluations", len(programs), len(programs))
    return {id: by["fresh"] for id, by in evaluations.items()}


def _compared(record: RunRecord, id: str, fresh: Evaluation, instances: Sequence[Instance]) -> dict[str, Any]:
    """Figures on both sets, and the difference of their mean gaps with its p."""
    test = record.evaluation(id, SPLIT)
    strata: dict[str, tuple[list[float], list[float]]] = {}
    new = {i.id: i for i in instances}
    old: dict[str, Instance] = record.instances
    for side, scores, of in ((0, test.scores if test else (), old), (1, fresh.scores, new)):
        for score, stratum in _gaps(scores, of):
            strata.setdefault(stratum, ([], []))[side].append(score)
    figures = _figures(of_evaluation(fresh, new))
    compared = difference(list(strata.values())) if not figures["failed"] else None
    before = record.figures(id, SPLIT)
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

"""Where a champion is specialised: the named sets of its problem that the run did not use."""

from __future__ import annotations

import time
from dataclasses import replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, Final

from ...evaluators.base import ScoreStatus
from ...evaluators.cache import Cache
from ...evaluators.evaluator import in_turns
from ...evaluators.figures import of_evaluation
from ...evolve.executor import in_parts
from ...problems.base import SPLITS, Instance
from ...sandbox.base import MAIN_FILE
from ..runs.figures import gaps_of, paired
from ..runs.record import RunRecord
from ..setup.executors import open_executor
from ..setup.instances import computed, missing_references
from ..setup.prepare import setup_over
from ..setup.setup import Notify, Setup

if TYPE_CHECKING:
    from ...evaluators.base import Evaluation

KEY: Final = "neighbours"
"""Key of a store's record that holds the rows."""
MOST_SETS = 8
"""Named sets that a champion is tried on (count)."""
FEWEST_INSTANCES = 4
MOST_INSTANCES = 24
"""Instances of each (counts)."""
REFERENCE_SECONDS = 60.0
"""Wall seconds for references of these instances."""


def neighbour_rows(record: RunRecord, setup: Setup, notify: Notify) -> list[dict[str, Any]]:
    """How the champion and the best founder do on the problem's other named sets; empty without a champion.

    Args:
        record: of a run that is finished.
        setup: of the run.
        notify: told how far it is.
    """
    best = record.best
    rival = record.rival
    if best is None:
        return []
    files = {"champion": dict(record.candidate(best).files)}
    if rival is not None:
        name = rival.partition("/")[2]
        files["rival"] = {MAIN_FILE: setup.loaded.problem.baselines()[name]}
    sets = neighbours(setup, record)
    return [_row(setup, name, instances, files, rival, notify) for name, instances in sets.items()]


def neighbours(setup: Setup, record: RunRecord) -> dict[str, list[Instance]]:
    """Named set → instances of it with references, of each stratum in turn; the run's own sets left out.

    References that are not at hand are computed for `REFERENCE_SECONDS` at most.
    """
    loaded = setup.loaded
    config = setup.config
    until = time.monotonic() + REFERENCE_SECONDS
    used = {one.digest for one in record.instances.values()}
    own = own_sets(setup)
    found: dict[str, list[Instance]] = {}
    for name in _nearest(setup):
        if name in own or len(found) == MOST_SETS or loaded.references is None:
            continue
        drawn = in_turns(loaded.instances(name, config.evaluation.instance_seed))
        some = [replace(one, split=name) for one in drawn if one.digest not in used][:MOST_INSTANCES]
        missing = missing_references(loaded, config, {name: some}, Cache())
        left = until - time.monotonic()
        done = {one.id for one, _ in computed(loaded, config, missing, Cache(), left)} if left > 0 else set()
        lacking = {one.id for one in missing} - done
        if len(known := [one for one in some if one.id not in lacking]) >= FEWEST_INSTANCES:
            found[name] = known
    return found


def own_sets(setup: Setup) -> set[str]:
    """Names of the sets that the run itself used, on which no champion is tried."""
    return {*SPLITS, *setup.config.evaluation.instances}


def _nearest(setup: Setup) -> list[str]:
    """The problem's sets, those first whose names are most like the names of the training groups."""
    groups = {one.stratum for one in setup.evaluator.instances("train").values()}
    names = list(setup.loaded.problem.sets())
    return sorted(
        names, key=lambda name: -max(SequenceMatcher(None, name, group).ratio() for group in groups)
    )


def _row(
    setup: Setup,
    name: str,
    instances: list[Instance],
    files: dict[str, dict[str, str]],
    rival: str | None,
    notify: Notify,
) -> dict[str, Any]:
    """How champion and rival do on a set, paired."""
    there = setup_over(setup.loaded, setup.config, {name: instances})
    found: dict[str, Evaluation] = {}
    with open_executor(there) as executor:
        for role, text in files.items():
            program = there.evaluator.program(text)
            whole = None
            for job in in_parts(executor, program, name, len(instances), divided=there.divided):
                part = job.result()
                whole = part if whole is None else there.evaluator.joined(whole, part)
            assert whole is not None, "a set has instances"
            found[role] = whole
    notify(f"set {name}", 1, 1)
    by_id = there.evaluator.instances(name)
    gaps = {role: gaps_of(one.scores, there.evaluator.loss) for role, one in found.items()}
    compared = paired(gaps["champion"], gaps["rival"]) if "rival" in gaps else None
    failures = {
        role: sum(score.status is not ScoreStatus.OK for score in one.scores) for role, one in found.items()
    }
    return {
        "set": name,
        "about": setup.loaded.problem.sets()[name],
        "instances": len(instances),
        "champion": of_evaluation(found["champion"], by_id).as_json(),
        "rival": rival,
        "rival_figures": of_evaluation(found["rival"], by_id).as_json() if "rival" in found else None,
        "paired": compared,
        "failures": failures,
        "specialised": _specialised(failures, compared),
    }


def _specialised(failures: dict[str, int], compared: dict[str, Any] | None) -> bool | None:
    """Whether the champion fails more often than the rival, or is worse beyond noise; None if unknown.

    Args:
        failures: role → instances without a valid answer (count).
        compared: the paired comparison on what both answered; None without a rival.
    """
    if failures["champion"] > failures.get("rival", 0):
        return True
    if compared is None or compared["beyond_noise"] is None:
        return None
    return bool(compared["beyond_noise"] and compared["difference_points"] > 0)

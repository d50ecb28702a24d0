"""Makes a run with a workbench and a secret seed; apart, as nothing else begins one."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...evaluators.cache import Cache
from ...evolve.store.store import Store
from ...problems.base import SPLITS, DescribesCalls, Keyed
from ...problems.reported import Reported
from ..compose import Watcher, prepared
from ..plugins.loader import load_problem
from ..runs.figures import gaps_of, groups, paired, times
from ..runs.folders import OPEN, at_work, run_log
from ..setup.instances import computed, missing_references, splits_of
from ..setup.prepare import record_setup, setup_of_campaign
from ..setup.setup import Notify, silent
from .budget import EXPERIMENT_CPU_SECONDS, budget_document
from .experiment import MOST_INSTANCES
from .inspection import said
from .session import bench_source, follow
from .sitting import Sitting

if TYPE_CHECKING:
    from ..config import Config
    from ..runs.folders import Group


# The seed of a workbench's validation and test instances: one that nobody can guess.
#
# Whoever works at a bench has the problem's source, and so can draw the instances of any seed that is known.
# A problem that keys its instances with the installation's secret needs no more. For the others validation
# and test get a seed of the run's own, unless their references would take long to compute.

SECONDS = 60.0
"""Wall seconds that references of hidden instances may take unasked."""
_BITS = 48
OWN = "drawn with a seed of this run's own"
KEYED = (
    "drawn with this installation's secret; `gapsmith evaluate` on this problem draws the same ones, so "
    "leave it alone before the end"
)
GIVEN = "as the user named them"
PUBLISHED = (
    "drawn with the published seed, for their references would take long; whoever has the package can draw "
    "them: --fresh draws others"
)


def with_hidden_seed(config: Config, fresh: bool | None, notify: Notify) -> tuple[Config, str]:
    """A configuration whose validation and test instances nobody can guess, and a sentence on them.

    Args:
        config: of the workbench.
        fresh: True draws hidden instances of the run's own whatever their references take, False none; None
            does so where references are quick.
        notify: told what is being prepared.

    Raises:
        UserError: the problem cannot be used.
    """
    section = config.evaluation
    loaded = load_problem(config.campaign.problem, config.problem)
    if section.hidden_seed is not None or section.instances:
        return config, GIVEN
    if isinstance(loaded.problem, Keyed) and section.secret != "":
        return config, KEYED
    if fresh is False or isinstance(loaded.problem, Reported):
        return config, PUBLISHED
    own = replace(section, hidden_seed=secrets.randbits(_BITS))
    changed = config.model_copy(update={"evaluation": own})
    splits = splits_of(loaded, changed)
    usual = splits_of(loaded, config)
    if all(list(splits[name]) == list(usual[name]) for name in SPLITS[1:]):
        return config, GIVEN  # fixed data, whatever the seed
    missing = missing_references(loaded, changed, splits, Cache())
    began = time.monotonic()
    if fresh or not missing:
        return changed, OWN
    for done, _ in enumerate(computed(loaded, changed, missing, Cache(), SECONDS), 1):
        notify("references of hidden instances", done, len(missing))
        spent = time.monotonic() - began
        if spent > _LOOK and spent * len(missing) > SECONDS * done:
            return config, PUBLISHED
        if done == len(missing):
            return changed, OWN
    return config, PUBLISHED


_LOOK = 2.0
"""Wall seconds after which it is clear how long references take."""


def open_bench(
    config: Config,
    folder: Path,
    *,
    start: Mapping[str, Mapping[str, str]] | None = None,
    experiment_cpu_seconds: float = EXPERIMENT_CPU_SECONDS,
    fresh: bool | None = None,
    notify: Notify = silent,
    group: Group | None = None,
) -> dict[str, Any]:
    """Makes a run that waits for programs, and says all that their author needs to know.

    Args:
        config: whole configuration, the caller's word.
        folder: empty run folder.
        start: start programs (name → files); the problem's own by default.
        experiment_cpu_seconds: that all experiments together may use.
        fresh: whether validation and test get a seed of the run's own; see `hidden`.
        notify: told what is being prepared.
        group: of runs that this one belongs to.

    Raises:
        UserError: whatever a person can mend.
    """
    with at_work(folder), run_log(folder):
        config, hidden = with_hidden_seed(config, fresh, notify)
        setup = setup_of_campaign(config, notify, start)
        store = Store(folder)
        try:
            record_setup(store, setup, folder, group, start)
            store.set("bench", {"experiment_cpu_seconds": experiment_cpu_seconds})
            with prepared(setup, store, folder, start, Watcher(notify), bench_source(store)) as campaign:
                follow(campaign)
                store.set("stop_reason", OPEN)
                document = bench_document(Sitting(folder, setup, store, campaign))
                return {**document, "hidden_instances": hidden}
        finally:
            store.close(plain=False)


def bench_document(at: Sitting) -> dict[str, Any]:
    """The task of a workbench, its limits, its programs of the beginning, and its budget."""
    problem = at.setup.loaded.problem
    evaluator = at.evaluator
    read = at.store.read
    best = at.archive.best
    assert best is not None, "a workbench begins with a start program"
    start = read.evaluation(read.record("start"), "train")
    mine = gaps_of(best.evaluation.scores, evaluator.loss)
    theirs = {} if start is None else gaps_of(start.scores, evaluator.loss)
    return {
        "run": at.folder.resolve().name,
        "folder": str(at.folder),
        "problem": at.setup.loaded.name,
        "sense": problem.sense.value,
        "unit": problem.unit,
        "statement": problem.statement,
        "entry_point": problem.entry_point,
        "signature": problem.signature,
        "calls": problem.calls if isinstance(problem, DescribesCalls) else None,
        "limits": {
            "cpu_seconds": evaluator.limits.cpu_seconds,
            "wall_seconds": evaluator.limits.wall_seconds,
            "memory_mb": evaluator.limits.memory_bytes / 2**20,
            "modules": list(at.setup.modules()),
        },
        "training": {
            "in_use": at.campaign.search.pool.prefix,
            "pool": len(at.instances),
            "groups": sorted({one.stratum for one in at.instances.values()}),
            "most_in_experiments": MOST_INSTANCES,
        },
        "start": {"candidate": read.record("start")},
        "best": {
            "candidate": best.candidate.id,
            "name": said(best.candidate.operator, 80),
            "mean_gap_percent": sum(mine.values()) / len(mine),
            "against_start": paired(mine, theirs, at.instances),
            "groups": groups(mine, at.instances),
            "time": times(best.evaluation.scores, evaluator.limits.cpu_seconds),
        },
        "budget": budget_document(at),
    }

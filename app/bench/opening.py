"""Makes a run with a workbench: instances, references and baselines, and nobody who searches."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...evolve.store.store import Store
from ...problems.base import DescribesCalls
from ..compose import Watcher, prepared
from ..opening.notify import Notify, silent
from ..opening.prepare import setup_of_campaign
from ..opening.recording import record_setup
from ..record.groups import gaps_of, groups, paired, times
from ..record.runs import OPEN, at_work, run_log
from .hidden import with_hidden_seed
from .sitting import Sitting, bench_source, follow
from .spent import EXPERIMENT_CPU_SECONDS, budget_document
from .texts import said

if TYPE_CHECKING:
    from ..config import Config


def open_bench(
    config: Config,
    folder: Path,
    *,
    start: Mapping[str, Mapping[str, str]] | None = None,
    experiment_cpu_seconds: float = EXPERIMENT_CPU_SECONDS,
    fresh: bool | None = None,
    notify: Notify = silent,
) -> dict[str, Any]:
    """Makes a run that waits for programs, and says all that their author needs to know.

    Args:
        config: whole configuration, the caller's word.
        folder: empty run folder.
        start: start programs (name → files); the problem's own by default.
        experiment_cpu_seconds: that all experiments together may use.
        fresh: whether validation and test get a seed of the run's own; see `hidden`.
        notify: told what is being prepared.

    Raises:
        UserError: whatever a person can mend.
    """
    with at_work(folder), run_log(folder):
        config, hidden = with_hidden_seed(config, fresh, notify)
        setup = setup_of_campaign(config, notify, start)
        store = Store(folder)
        try:
            record_setup(store, setup, folder, None, start)
            store.set("bench", {"experiment_cpu_seconds": experiment_cpu_seconds})
            with prepared(setup, store, folder, start, Watcher(notify), bench_source(store)) as campaign:
                follow(campaign)
                store.set("stop_reason", OPEN)
                document = bench_document(Sitting(folder, setup, store, campaign))
                return {**document, "hidden_instances": hidden}
        finally:
            store.close()


def bench_document(at: Sitting) -> dict[str, Any]:
    """The task of a workbench, its limits, its programs of the beginning, and its budget."""
    problem, evaluator = at.setup.loaded.problem, at.evaluator
    read, best = at.store.read, at.archive.best
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
        },
        "start": {"candidate": read.record("start")},
        "best": {
            "candidate": best.candidate.id,
            "name": said(best.candidate.operator, 80),
            "mean_gap_percent": sum(mine.values()) / len(mine),
            "against_start": paired(mine, theirs),
            "groups": groups(mine, at.instances),
            "time": times(best.evaluation.scores, evaluator.limits.cpu_seconds),
        },
        "budget": budget_document(at),
    }

"""Stores with a run all that is needed to run it again."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...evolve.offline.types import types_of
from ...evolve.store.store import Store
from ...evolve.store.work import asked
from ...problems.base import SPLITS, DescribesStrata
from ..door.plugins import LoadedProblem
from ..record import drawings
from ..record.runs import CONFIG_NAME, Group, put_text
from ..record.seal import SEAL, is_own, seal
from ..toml_text import dump
from ..versions import versions
from .setup import Setup


def record_setup(
    store: Store,
    setup: Setup,
    folder: Path,
    group: Group | None,
    start: Mapping[str, Mapping[str, str]] | None = None,
    adopt: bool = False,
) -> None:
    """Stores with the run all that is needed to run it again, and signs it unless it is foreign."""
    splits = {name: setup.evaluator.instances(name) for name in SPLITS}
    config = setup.config.model_dump(mode="json")
    recorded = _problem(setup.loaded)
    with store.transaction():
        if adopt or store.read.record("created") is None or is_own(store.read):  # `adopt` makes it own
            store.set(SEAL, seal(config, recorded, store.read.record(SEAL)))
        if store.read.record("created") is None:
            store.set("created", time.strftime("%Y-%m-%dT%H:%M:%S%z"))
            store.set("docstrings", True)  # those that a program can read count in its id
            store.set("types", types_of(setup.loaded.problem, splits["train"].values()))
            store.set("group", group and group.name)
            store.set("members", group and group.members)
            store.set("given_starts", start and {name: dict(files) for name, files in start.items()})
            store.set("pool", setup.prefixes)
            store.put_instances(
                [i for split in splits.values() for i in split.values()], setup.evaluator.references
            )
        gates = [*(store.read.record("gates") or []), [asked(store.read), setup.config.budget.evaluations]]
        store.set("gates", gates)
        store.set("config", config)
        store.set("stop_reason", None)
        store.set("ending", None)
        store.set("champion", None)
        store.set(drawings.KEY, None)
        store.set("claims", [])
        store.set("versions", versions())
        store.set("evaluator", setup.evaluator.version)
        store.set("unsafe_without", sorted(setup.policy.without))
        store.set("model", [entry["spec"] for entry in config["model"]] or ["offline"])
        store.set("problem", recorded)
    put_text(folder / CONFIG_NAME, dump(config))


def _problem(loaded: LoadedProblem) -> dict[str, Any]:
    """The run's own record of its problem."""
    problem = loaded.problem
    return {
        "name": loaded.name,
        "version": problem.version,
        "sense": problem.sense.value,
        "unit": problem.unit,
        "entry_point": problem.entry_point,
        "statement": problem.statement,
        "strata": problem.strata if isinstance(problem, DescribesStrata) else None,
        "sets": {name: text for name, text in problem.sets().items() if name in SPLITS},
        "driver": getattr(problem, "driver", None),
        "cpu_seconds": getattr(problem, "cpu_seconds", None),
        "origin": loaded.origin,
        "digest": loaded.digest,
        "source": loaded.source,
        "parameters": dict(loaded.parameters),
    }

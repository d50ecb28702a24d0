"""Prepares a problem's setup as it is now, and stores with a run what running it again needs."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...evaluators.base import Reference
from ...evaluators.cache import Cache
from ...evolve.offline.mutation import types_of
from ...evolve.settings import SEARCH_VERSION
from ...evolve.store.statistics import asked
from ...evolve.store.store import Store
from ...problems.base import SPLITS, DescribesStrata, Instance
from ...sandbox.base import MAIN_FILE
from ..formatting import dump
from ..plugins.loader import LoadedProblem, load_problem, load_selection
from ..runs import stored_run
from ..runs.folders import CONFIG_NAME, Group, put_text
from ..runs.signature import SEAL, is_own, seal
from ..versions import versions
from .baselines import UNKNOWN, best_of_baselines, try_programs
from .executors import open_executor
from .instances import (
    NONE_GIVEN,
    check_disjoint,
    get_pool,
    get_references,
    missing_references,
    splits_of,
    time_of_references,
    with_references,
)
from .setup import Notify, Setup, keyed, silent, with_secret

if TYPE_CHECKING:
    from ..config import Config


def setup_of_problem(
    config: Config,
    *,
    sets: Sequence[str] = SPLITS,
    notify: Notify = silent,
    given: Mapping[str, Reference] = NONE_GIVEN,
) -> Setup:
    """A problem as it is now: instances drawn or read, references from the cache or computed.

    Args:
        config: whole configuration, the caller's word.
        sets: splits, named sets or instance files to open.
        given: references by an instance's digest that are taken as they are, as those of a run.
        notify: told how far the references are.

    Raises:
        UserError: the problem, a set or a file cannot be used.
    """
    loaded, config = _opened(config)
    return setup_over(loaded, config, splits_of(loaded, config, sets), notify, given=given)


def setup_of_campaign(
    config: Config, notify: Notify = silent, programs: Mapping[str, Mapping[str, str]] | None = None
) -> Setup:
    """A problem as it is now, with a pool of training instances.

    Start programs are tried before any reference is computed. Without references the pool is the training
    set alone: the best of all baselines would have to be found on each further instance.

    Args:
        config: whole configuration, the caller's word.
        notify: told how far the references are.
        programs: start programs (name → files); the problem's own by default.

    Raises:
        UserError: the problem, the selection, a file or a start program cannot be used.
    """
    loaded, config = _opened(config)
    if config.search.selection is not None:
        load_selection(config.search.selection)  # before references are computed and a run is made
    cache = Cache()
    splits = {n: list(i) for n, i in splits_of(loaded, config).items()}
    if missing_references(loaded, config, splits, cache):
        _try(loaded, config, splits, cache, programs)
    setup = setup_over(loaded, config, splits, notify, cache)
    if loaded.references is None or config.search.pool == 1:
        return setup
    known = setup.evaluator.references
    pool, sizes, references = get_pool(loaded, config, splits, known, cache, notify)
    if len(sizes) == 1:
        return setup
    splits["train"] = pool
    check_disjoint(loaded, splits)
    return Setup.of(loaded, config, splits, references.__getitem__, cache, sizes)


def setup_of_plan(
    config: Config, programs: Mapping[str, Mapping[str, str]] | None = None
) -> tuple[Setup, list[str]]:
    """A setup for a plan, and the plan's sentences on the work before the search.

    With a model, the setup holds the training instances that the first prompt describes; if references
    take long, only those with available references. Without a model, it holds one instance of each split.

    Raises:
        UserError: the problem, a file or a start program cannot be used.
    """
    loaded, opened = _opened(config)
    cache = Cache()
    splits = {n: list(i) for n, i in splits_of(loaded, opened).items()}
    missing = missing_references(loaded, opened, splits, cache)
    lines = list[str]()
    long = False
    if missing:
        _try(loaded, opened, splits, cache, programs)
        line, long = time_of_references(loaded, opened, missing, cache)
        lines = [line]
    baselines = len(loaded.problem.baselines())
    count = sum(map(len, splits.values()))
    lines.append(
        f"baselines: {baselines} to run on {count} instances before the search, if the cache lacks them"
    )
    if long or not config.uses_models:
        splits = with_references(loaded, opened, splits, cache)
    if not config.uses_models:
        splits = {name: some[:1] for name, some in splits.items()}
    return setup_over(loaded, opened, splits, cache=cache), lines


def setup_over(
    loaded: LoadedProblem,
    config: Config,
    splits: Mapping[str, Sequence[Instance]],
    notify: Notify = silent,
    cache: Cache | None = None,
    given: Mapping[str, Reference] = NONE_GIVEN,
) -> Setup:
    """A problem on given instances; references are kept in `cache`, by default the user's.

    Raises:
        UserError: two training, validation or test instances are the same, or have one id.
    """
    cache = cache or Cache()
    every = [i for instances in splits.values() for i in instances]
    check_disjoint(loaded, splits)
    if loaded.references is not None:
        references = get_references(loaded, config, every, cache, notify, given)
    else:
        first = Setup.of(loaded, config, {"all": every}, lambda id: UNKNOWN, cache)
        with open_executor(first) as executor:
            references = best_of_baselines(loaded, first.evaluator, executor, every, notify)
    return Setup.of(loaded, config, splits, references.__getitem__, cache)


def _try(
    loaded: LoadedProblem,
    config: Config,
    splits: Mapping[str, Sequence[Instance]],
    cache: Cache,
    programs: Mapping[str, Mapping[str, str]] | None,
) -> None:
    programs = programs or {n: {MAIN_FILE: t} for n, t in loaded.problem.start_programs().items()}
    trial = Setup.of(loaded, config, {"trial": splits["train"]}, lambda id: UNKNOWN, cache)
    try_programs(trial, programs)


def _opened(config: Config) -> tuple[LoadedProblem, Config]:
    """The problem that a configuration names, and the configuration with the problem's limits and secret."""
    loaded = load_problem(config.campaign.problem, config.problem)
    config = with_limits(with_secret(config, loaded), loaded)
    return keyed(loaded, config.evaluation.secret), config


def with_limits(config: Config, loaded: LoadedProblem) -> Config:
    """A configuration with the problem's own CPU limit, or the usual one, unless the caller names one."""
    if config.sandbox.cpu_seconds is not None:
        return config
    seconds = float(getattr(loaded.problem, "cpu_seconds", config.sandbox.limits.cpu_seconds))
    section = replace(config.sandbox, cpu_seconds=seconds)
    return config.model_copy(update={"sandbox": section})


# Stores with a run all that is needed to run it again.


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
    recorded = problem_record(setup.loaded)
    with store.transaction():
        if adopt or store.read.record("created") is None or is_own(store.read):  # `adopt` makes it own
            store.set(SEAL, seal(config, recorded, store.read.record(SEAL)))
        if store.read.record("created") is None:
            store.set("created", time.strftime("%Y-%m-%dT%H:%M:%S%z"))
            store.set("search_version", SEARCH_VERSION)
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
        store.set(stored_run.DRAWING_KEY, None)
        store.set("claims", [])
        store.set("versions", versions())
        store.set("evaluator", setup.evaluator.version)
        store.set("unsafe_without", sorted(setup.policy.without))
        store.set("model", [entry["spec"] for entry in config["model"]] or ["offline"])
        store.set("problem", recorded)
    put_text(folder / CONFIG_NAME, dump(setup.config.document()))


def record_config(store: Store, config: Config, folder: Path) -> None:
    """Stores with a run another configuration than it began with, and signs it unless it is foreign."""
    document = config.model_dump(mode="json")
    with store.transaction():
        if is_own(store.read):
            store.set(SEAL, seal(document, store.read.record("problem"), store.read.record(SEAL)))
        store.set("config", document)
    put_text(folder / CONFIG_NAME, dump(config.document()))


def problem_record(loaded: LoadedProblem) -> dict[str, Any]:
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

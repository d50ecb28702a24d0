"""The instances of a campaign, drawn or read from files, with references and the time those take."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

from ...evaluators.base import Reference
from ...evaluators.cache import Cache, ReferenceCache
from ...evaluators.evaluator import in_turns
from ...evolve.islands import prefixes
from ...evolve.types import stream
from ...problems.base import SPLITS, Instance
from ..errors import INVALID, USAGE, ProblemError, UserError
from ..formatting import SHORTER, count, duration
from ..plugins.instance_files import names_file, read_source
from ..plugins.loader import LoadedProblem
from .references import at_hand, parallel
from .setup import Notify

if TYPE_CHECKING:
    from ..config import Config


POOL_SECONDS = 10.0
POOL_SHARE_OF_BUDGET = 0.1
"""Wall seconds before the start that a pool may take, and the share of a budget of seconds."""
_FIRST_LOOK = 0.5
"""Wall seconds after which a campaign gives up a prefix if its references would take too long."""


def splits_of(
    loaded: LoadedProblem, config: Config, sets: Sequence[str] = SPLITS
) -> dict[str, Sequence[Instance]]:
    """Instances by set: from the files that the configuration names, if it names any, else drawn.

    Args:
        loaded: the problem.
        config: whole configuration.
        sets: splits, named sets, or instance files, each of which becomes a set of its file's name.

    Raises:
        UserError: a file cannot be read, or the problem has no such set.
    """
    seed = config.evaluation.instance_seed
    own = config.evaluation.instances
    if own and {*sets} <= {*SPLITS}:
        splits = user_splits(loaded, own, seed)
        return {name: splits[name] for name in sets}
    instances: dict[str, Sequence[Instance]] = {}
    for name in sets:
        if names_file(name) and name not in loaded.problem.sets():
            instances[Path(name).name] = read_source(loaded, name)
        else:
            instances[name] = loaded.instances(name, _seed(config, name))
    return instances


def _seed(config: Config, name: str) -> int:
    """Seed of a set's instances: validation and test may have one of their own."""
    hidden = config.evaluation.hidden_seed
    return config.evaluation.instance_seed if hidden is None or name not in SPLITS[1:] else hidden


def user_splits(loaded: LoadedProblem, sources: Sequence[str], seed: int) -> dict[str, Sequence[Instance]]:
    """Training, validation and test instances from a user's files or the problem's named sets.

    One source is split 50/25/25: each stratum is shuffled by the seed and dealt in turn. Three sources are
    the splits.

    Raises:
        UserError: a file cannot be read, there are two sources, or too few instances.
    """
    if len(sources) == 3:
        read = {name: _source(loaded, text, seed) for name, text in zip(SPLITS, sources, strict=True)}
        dealt = {n: [replace(i, id=f"{n}-{i.id}") for i in instances] for n, instances in read.items()}
    elif len(sources) == 1:
        dealt = _deal(_source(loaded, sources[0], seed), seed)
    else:
        raise UserError(USAGE, f"--instances: got {len(sources)} sets or files, expected one or three")
    if not all(dealt.values()):
        found = count(sum(map(len, dealt.values())), "instance")
        raise UserError(
            INVALID,
            f"{sources[0]}: got {found}, expected at least 4 to split into training, validation and test",
            "add instances, or name --instances three times, one file for each split",
        )
    return {name: [replace(i, split=name) for i in instances] for name, instances in dealt.items()}


def pool_of(
    loaded: LoadedProblem,
    config: Config,
    splits: Mapping[str, Sequence[Instance]],
    allowed: float = math.inf,
) -> list[Instance]:
    """The training instances of a campaign in the order of execution: the training set and `further` ones."""
    return in_turns([*splits["train"], *further(loaded, config, splits, allowed)])


def further(
    loaded: LoadedProblem,
    config: Config,
    splits: Mapping[str, Sequence[Instance]],
    allowed: float = math.inf,
) -> list[Instance]:
    """The instances that the pool adds to the training set, drawn as that set is.

    Duplicate instances are left out; no instances are added to those of a user's files. After `allowed` wall
    seconds no further set is drawn.
    """
    added: list[Instance] = []
    if config.evaluation.instances:
        return added
    began = time.monotonic()
    digests = {instance.digest for instances in splits.values() for instance in instances}
    for number in range(2, config.search.pool + 1):
        seed = stream(config.evaluation.instance_seed, "pool", number).randrange(2**31)
        for instance in loaded.instances("train", seed):
            if instance.digest not in digests:
                digests.add(instance.digest)
                added.append(replace(instance, id=f"pool{number}-{instance.id}"))
        if time.monotonic() - began > allowed:
            break
    return added


def _source(loaded: LoadedProblem, text: str, seed: int) -> Sequence[Instance]:
    """The instances of a named set, or of files."""
    named = text in loaded.problem.sets() and text not in SPLITS
    return loaded.instances(text, seed) if named else read_source(loaded, text)


def _deal(instances: Sequence[Instance], seed: int) -> dict[str, list[Instance]]:
    strata: dict[str, list[Instance]] = {}
    for instance in instances:
        strata.setdefault(instance.stratum, []).append(instance)
    dealt: dict[str, list[Instance]] = {name: [] for name in SPLITS}
    turns = cycle(("train", "valid", "train", "test"))
    for number, group in enumerate(strata.values()):
        stream(seed, "split", number).shuffle(group)
        for instance in group:
            dealt[next(turns)].append(instance)
    return dealt


def check_disjoint(loaded: LoadedProblem, splits: Mapping[str, Sequence[Instance]]) -> None:
    """Refuses splits that share an instance, or an id.

    Raises:
        UserError: names the two.
    """
    seen: dict[str, Instance] = {}
    owner: dict[str, str] = {}
    for split, instances in splits.items():
        for instance in instances:
            if instance.id in owner:
                raise ProblemError(
                    f"{loaded.name}: id {instance.id} is in {owner[instance.id]} and {split}, expected ids "
                    "that no two instances share",
                    "scores are kept by id: put the name of the set into it",
                )
            owner[instance.id] = split
            other = seen.setdefault(instance.digest, instance)
            if other is not instance and other.split != instance.split:
                raise UserError(
                    INVALID,
                    f"{loaded.name}: instance {instance.id} ({instance.split}) is the same as {other.id} "
                    f"({other.split}); splits must not share instances",
                    "draw them from different random streams; in a file, leave out what stands there twice",
                )


NONE_GIVEN: Mapping[str, Reference] = {}


def get_references(
    loaded: LoadedProblem,
    config: Config,
    instances: Sequence[Instance],
    cache: Cache,
    notify: Notify,
    given: Mapping[str, Reference] = NONE_GIVEN,
) -> dict[str, Reference]:
    """Instance id → reference: given by the instance's digest, cached, or computed on all workers."""
    book = book_of(loaded, cache)
    seconds = config.evaluation.reference_seconds
    found = {i.id: given.get(i.digest) or book.get(i, seconds) for i in instances}
    references = {id: reference for id, reference in found.items() if reference is not None}
    missing = [i for i in instances if i.id not in references]
    notify("references", len(references), len(instances))
    for instance, reference in computed(loaded, config, missing, cache):
        references[instance.id] = reference
        notify("references", len(references), len(instances))
    return {instance.id: references[instance.id] for instance in instances}


def missing_references(
    loaded: LoadedProblem, config: Config, splits: Mapping[str, Sequence[Instance]], cache: Cache
) -> list[Instance]:
    """The instances of all splits whose references are neither in the cache nor shipped."""
    if loaded.references is None:
        return []
    book = book_of(loaded, cache)
    seconds = config.evaluation.reference_seconds
    every = [instance for instances in splits.values() for instance in instances]
    shipped = getattr(loaded.references, "shipped", lambda instance: None)
    return [i for i in every if book.get(i, seconds) is None and shipped(i) is None]


def book_of(loaded: LoadedProblem, cache: Cache) -> ReferenceCache:
    """The cache of a problem's references.

    Raises:
        UserError: the problem has none.
    """
    if loaded.references is None:
        raise UserError(INVALID, f"{loaded.name}: has no references")
    return ReferenceCache(cache, loaded.problem, loaded.references, loaded.reference_fingerprint)


def get_pool(
    loaded: LoadedProblem,
    config: Config,
    splits: Mapping[str, Sequence[Instance]],
    known: Mapping[str, Reference],
    cache: Cache,
    notify: Notify,
) -> tuple[list[Instance], tuple[int, ...], dict[str, Reference]]:
    """The pool, as far as its references are available soon; the sizes of its prefixes; and the references,
    those that are `known` by instance id included.

    Shipped and cached references are available at once. The others are computed prefix by prefix, for a tenth
    of a budget of seconds and at most `POOL_SECONDS`, and kept in the cache for the next campaign.
    """
    began = time.monotonic()
    seconds = config.budget.seconds
    allowed = POOL_SECONDS if seconds is None else min(POOL_SECONDS, POOL_SHARE_OF_BUDGET * seconds)
    pool = pool_of(loaded, config, splits, allowed)
    first = len(splits["train"])
    references = dict(known)
    book = book_of(loaded, cache)
    for instance in (one for one in pool if one.id not in known):
        reference = at_hand(loaded, book, instance, config.evaluation.reference_seconds)
        if reference is not None:
            references[instance.id] = reference
    there = sum(instance.id in references for instance in pool)
    notify("references of the pool", there, len(pool))
    sizes = [first]
    for size in prefixes(first, len(pool))[1:]:
        missing = [instance for instance in pool[:size] if instance.id not in references]
        left = began + allowed - time.monotonic()
        for instance, reference in _soon(loaded, config, missing, cache, left):
            references[instance.id] = reference
            there += 1
            notify("references of the pool", there, len(pool))
        if any(instance.id not in references for instance in missing):
            break
        sizes.append(size)
    return pool[: sizes[-1]], tuple(sizes), references


def _soon(
    loaded: LoadedProblem, config: Config, missing: Sequence[Instance], cache: Cache, allowed: float
) -> Iterator[tuple[Instance, Reference]]:
    """Yields instances with computed references; ends early where all of them would take longer than
    `allowed` wall seconds.
    """
    began = time.monotonic()
    for done, pair in enumerate(computed(loaded, config, missing, cache, max(0.0, allowed)), 1):
        yield pair
        spent = time.monotonic() - began
        if spent > _FIRST_LOOK and spent * len(missing) > allowed * done:
            return


def computed(
    loaded: LoadedProblem,
    config: Config,
    instances: Sequence[Instance],
    cache: Cache,
    allowed: float | None = None,
) -> Iterator[tuple[Instance, Reference]]:
    """Yields each instance with its reference, cached or computed, as they arrive within `allowed` wall
    seconds.
    """
    book = book_of(loaded, cache)
    seconds = config.evaluation.reference_seconds

    def compute(instance: Instance) -> Reference:
        reference = loaded.reference(instance, seconds)  # names the plug-in's file and line when it raises
        assert reference is not None, "a book of references was opened"
        return reference

    def one(instance: Instance) -> Reference:
        return book.get_or_compute(instance, seconds, lambda: compute(instance))

    return parallel(one, instances, config.run.slots, allowed)


# How long the references of a campaign will take, for a plan that must not wait for them.

LONG_SECONDS = 10.0
"""Wall seconds beyond which a plan does not compute references."""


def time_of_references(
    loaded: LoadedProblem, config: Config, missing: Sequence[Instance], cache: Cache
) -> tuple[str, bool]:
    """A sentence on how long the missing references will take to compute; and whether that is long.

    Computes one of them to measure the time; the cache keeps the result.
    """
    began = time.monotonic()
    middle = missing[len(missing) // 2]
    for _ in computed(loaded, config, [middle], cache):
        pass
    one = time.monotonic() - began
    workers = config.run.slots
    rest = one * (len(missing) - 1) / workers
    line = (
        f"references: {len(missing)} to compute before the search, about {duration(rest)} on {workers} "
        f"workers (the first took {one:.1f} s, each may take {config.evaluation.reference_seconds:g} s)"
    )
    long = rest > LONG_SECONDS
    return f"{line}; {SHORTER}" if long else line, long


def with_references(
    loaded: LoadedProblem, config: Config, splits: Mapping[str, Sequence[Instance]], cache: Cache
) -> dict[str, list[Instance]]:
    """The instances of each split whose references are available, or else the first one; all without
    references.
    """
    if loaded.references is None:
        return {name: list(some) for name, some in splits.items()}
    book = book_of(loaded, cache)
    seconds = config.evaluation.reference_seconds
    available = {n: [i for i in some if book.get(i, seconds) is not None] for n, some in splits.items()}
    return {name: available[name] or list(splits[name][:1]) for name in splits}

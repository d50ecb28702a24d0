"""Opens a problem for work: draws its instances, gets their references, makes the evaluator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

from ...evaluators.base import Reference
from ...evaluators.cache import Cache, ReferenceCache
from ...evaluators.evaluator import GapEvaluator
from ...evolve.base import stream
from ...problems.base import SPLITS, Instance
from ..door.plugins import LoadedProblem
from ..errors import INVALID, USAGE, ProblemError, UserError
from .baselines import baseline_references
from .references import parallel
from .secret import candidate_seed, keyed, with_secret
from .setup import Notify, Setup, limits_of, open_problem, policy_of, read_file

if TYPE_CHECKING:
    from ..config import Config


def open_setup(
    config: Config,
    *,
    sets: Sequence[str] = SPLITS,
    files: Sequence[Path] = (),
    notify: Notify = lambda what, done, total: None,
) -> Setup:
    """Loads the problem, draws its instances and gets their references.

    Args:
        config: whole configuration.
        sets: splits or named sets to open.
        files: users' instance files to open instead of `sets`; each becomes a set of its file's name.
        notify: told how far the references are.

    Raises:
        UserError: the problem, a set or a file cannot be used.
    """
    loaded = open_problem(config)
    config = with_secret(config, loaded)
    loaded = keyed(loaded, config.evaluation.secret)
    if files:
        splits = {path.name: read_file(loaded, path) for path in files}
    else:
        splits = splits_of(loaded, config, sets)
    return assemble(loaded, config, splits, notify, ", ".join(splits))


def splits_of(
    loaded: LoadedProblem, config: Config, sets: Sequence[str] = SPLITS
) -> dict[str, Sequence[Instance]]:
    """Splits of the files that a configuration names, if it names any; else drawn, as all named sets are.

    Raises:
        UserError: a file cannot be read, or the problem has no such set.
    """
    seed, own = config.evaluation.instance_seed, config.evaluation.instances
    if own and {*sets} <= {*SPLITS}:
        splits = user_splits(loaded, own, seed)
        return {name: splits[name] for name in sets}
    return {name: loaded.instances(name, seed) for name in sets}


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
        raise UserError(INVALID, f"{sources[0]}: too few instances, expected at least 4 to split")
    return {name: [replace(i, split=name) for i in instances] for name, instances in dealt.items()}


def _source(loaded: LoadedProblem, text: str, seed: int) -> Sequence[Instance]:
    """The instances of a named set, or of a file."""
    named = text in loaded.problem.sets() and text not in SPLITS
    return loaded.instances(text, seed) if named else read_file(loaded, Path(text))


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


def assemble(
    loaded: LoadedProblem,
    config: Config,
    splits: Mapping[str, Sequence[Instance]],
    notify: Notify,
    instances_from: str,
    cache: Cache | None = None,
) -> Setup:
    """A setup over given instances; references are kept in `cache`, by default the user's.

    Raises:
        UserError: two training, validation or test instances are the same, or have one id.
    """
    cache = cache or Cache()
    policy = policy_of(config)
    every = [i for instances in splits.values() for i in instances]
    check_disjoint(loaded, splits)
    if loaded.references is None:
        found = baseline_references(loaded, config, policy, every, cache, notify)
    else:
        found = get_references(loaded, config, every, cache, notify)
    evaluator = GapEvaluator(
        loaded.problem,
        splits,
        lambda instance: found[instance.id],
        limits=limits_of(config),
        seed=candidate_seed(config),
        policy=policy.digest,
    )
    return Setup(loaded, config, policy, evaluator, cache, instances_from)


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


def get_references(
    loaded: LoadedProblem, config: Config, instances: Sequence[Instance], cache: Cache, notify: Notify
) -> dict[str, Reference]:
    """Instance id → reference, from the cache or computed, several at a time."""
    nothing = UserError(INVALID, f"{loaded.name}: has no references")
    if loaded.references is None:
        raise nothing
    book = ReferenceCache(cache, loaded.problem, loaded.references, loaded.fingerprint)
    seconds = config.evaluation.reference_seconds
    found: dict[str, Reference] = {}
    notify("references", 0, len(instances))

    def compute(instance: Instance) -> Reference:
        reference = loaded.reference(instance, seconds)  # names the plug-in's file and line when it raises
        if reference is None:
            raise nothing
        return reference

    def one(instance: Instance) -> Reference:
        return book.get_or_compute(instance, seconds, lambda: compute(instance))

    for instance, reference in parallel(one, instances, config.run.workers):
        found[instance.id] = reference
        notify("references", len(found), len(instances))
    return {instance.id: found[instance.id] for instance in instances}

"""The setup of a campaign: a problem with its instances, references, evaluator and sandbox policy."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...evaluators.base import WHOLE, Reference
from ...evaluators.cache import Cache
from ...evaluators.evaluator import GapEvaluator
from ...evolve.admission import Admission
from ...evolve.executor import Executor, ThreadExecutor
from ...evolve.store.work import asked
from ...problems.base import SPLITS, Instance
from ...problems.reported import Reported
from ...sandbox.base import MAIN_FILE, Sandbox
from ..door.foreign import workshop_task
from ..door.plugins import LoadedProblem, load_problem
from ..record.authority import NO_TRUST, Trust, Use, granted
from ..workers import Workers
from .baselines import UNKNOWN, best_of_baselines
from .brief import read_brief
from .draw import check_disjoint, get_pool, get_references, missing_references, splits_of
from .estimate import time_of_references, with_references
from .secret import candidate_seed, keyed, with_secret
from .trial import try_programs

if TYPE_CHECKING:
    from ...evolve.store.store import Store
    from ...sandbox.policy import Policy
    from ..config import Config
    from ..record.record import RunRecord

Notify = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done and how much there is (counts)."""


def _silent(what: str, done: int, total: int) -> None:
    """Tells nobody."""


@dataclass(frozen=True, slots=True)
class Setup:
    """A problem ready to be searched or evaluated.

    Attributes:
        prefixes: sizes of the prefixes of the training instances (counts, ascending); see `evolve.pool`.
    """

    loaded: LoadedProblem
    config: Config
    policy: Policy
    evaluator: GapEvaluator
    cache: Cache
    instances_from: str
    prefixes: tuple[int, ...]

    @classmethod
    def from_problem(cls, config: Config, *, sets: Sequence[str] = SPLITS, notify: Notify = _silent) -> Setup:
        """A problem as it is now: instances drawn or read, references from the cache or computed.

        Args:
            config: whole configuration, the caller's word.
            sets: splits, named sets or instance files to open.
            notify: told how far the references are.

        Raises:
            UserError: the problem, a set or a file cannot be used.
        """
        loaded, config = _opened(config)
        return cls.over(loaded, config, splits_of(loaded, config, sets), notify)

    @classmethod
    def of_campaign(
        cls, config: Config, notify: Notify = _silent, programs: Mapping[str, Mapping[str, str]] | None = None
    ) -> Setup:
        """A problem as it is now, with a pool of training instances.

        Start programs are tried before any reference is computed. Without references the pool is the training
        set alone: the best of all baselines would have to be found on each further instance.

        Args:
            config: whole configuration, the caller's word.
            notify: told how far the references are.
            programs: start programs (name → files); the problem's own by default.

        Raises:
            UserError: the problem, a file or a start program cannot be used.
        """
        loaded, config = _opened(config)
        cache, splits = Cache(), {n: list(i) for n, i in splits_of(loaded, config).items()}
        if missing_references(loaded, config, splits, cache):
            cls._try(loaded, config, splits, cache, programs)
        setup = cls.over(loaded, config, splits, notify, cache)
        if loaded.references is None or config.search.pool == 1:
            return setup
        pool, sizes, references = get_pool(loaded, config, splits, cache, notify)
        if len(sizes) == 1:
            return setup
        splits["train"] = pool
        check_disjoint(loaded, splits)
        references = {**setup.evaluator.references, **references}
        return cls._made(loaded, config, splits, references.__getitem__, cache, sizes)

    @classmethod
    def of_plan(
        cls, config: Config, programs: Mapping[str, Mapping[str, str]] | None = None
    ) -> tuple[Setup, list[str]]:
        """A setup for a plan, and the plan's sentences on the work before the search.

        With a model, the setup holds the training instances that the first prompt describes; if references
        take long, only those with available references. Without a model, it holds one instance of each split.

        Raises:
            UserError: the problem, a file or a start program cannot be used.
        """
        loaded, opened = _opened(config)
        cache, splits = Cache(), {n: list(i) for n, i in splits_of(loaded, opened).items()}
        missing, lines, long = missing_references(loaded, opened, splits, cache), list[str](), False
        if missing:
            cls._try(loaded, opened, splits, cache, programs)
            line, long = time_of_references(loaded, opened, missing, cache)
            lines = [line]
        baselines, count = len(loaded.problem.baselines()), sum(map(len, splits.values()))
        lines.append(
            f"baselines: {baselines} to run on {count} instances before the search, if the cache lacks them"
        )
        if long or not config.uses_models:
            splits = with_references(loaded, opened, splits, cache)
        if not config.uses_models:
            splits = {name: some[:1] for name, some in splits.items()}
        return cls.over(loaded, opened, splits, cache=cache), lines

    @classmethod
    def _try(
        cls,
        loaded: LoadedProblem,
        config: Config,
        splits: Mapping[str, Sequence[Instance]],
        cache: Cache,
        programs: Mapping[str, Mapping[str, str]] | None,
    ) -> None:
        programs = programs or {n: {MAIN_FILE: t} for n, t in loaded.problem.start_programs().items()}
        trial = cls._made(loaded, config, {"trial": splits["train"]}, lambda id: UNKNOWN, cache)
        try_programs(trial, programs)

    @classmethod
    def over(
        cls,
        loaded: LoadedProblem,
        config: Config,
        splits: Mapping[str, Sequence[Instance]],
        notify: Notify = _silent,
        cache: Cache | None = None,
    ) -> Setup:
        """A problem on given instances; references are kept in `cache`, by default the user's.

        Raises:
            UserError: two training, validation or test instances are the same, or have one id.
        """
        cache = cache or Cache()
        every = [i for instances in splits.values() for i in instances]
        check_disjoint(loaded, splits)
        if loaded.references is not None:
            references = get_references(loaded, config, every, cache, notify)
        else:
            first = cls._made(loaded, config, {"all": every}, lambda id: UNKNOWN, cache)
            with first.executor() as executor:
                references = best_of_baselines(loaded, first.evaluator, executor, every, notify)
        return cls._made(loaded, config, splits, references.__getitem__, cache)

    @classmethod
    def from_record(
        cls,
        record: RunRecord,
        trust: Trust = NO_TRUST,
        *,
        uses: Collection[Use] = (),
        workers: int | str | None = None,
    ) -> Setup:
        """A run as it was recorded: its configuration, instances and references; nothing is drawn anew.

        This is where a record gains authority, and `granted` says how much.

        Args:
            record: of the run.
            trust: the caller's word.
            uses: what the caller does beside running programs.
            workers: as `run.workers`, by default as the run was configured.

        Raises:
            UserError: the record asks for more than is allowed, or its problem is not here.
        """
        config = granted(record, trust, uses)
        if workers is not None:
            config = config.model_copy(update={"run": replace(config.run, workers=workers)})
        return cls.stored(record, config)

    @classmethod
    def stored(cls, record: RunRecord, config: Config) -> Setup:
        """A run's stored instances and references under a configuration that the caller stands behind."""
        loaded = load_problem(config.campaign.problem, config.problem).at(record.problem.get("version"))
        loaded = keyed(loaded, config.evaluation.secret)
        references, instances = record.reader.references(), record.instances.values()
        splits = {split: [i for i in instances if i.split == split] for split in SPLITS}
        made = cls._made(loaded, config, splits, references.__getitem__, Cache(), record.prefixes)
        return replace(made, instances_from=record.name)

    @classmethod
    def from_brief(cls, line: str) -> Setup:
        """A setup equal to the one whose brief (`encode_brief`) another process sent.

        Raises:
            UserError: the problem is not here, or is another one.
            ValueError: the line holds no brief.
        """
        brief = read_brief(line)
        return cls._made(brief.loaded, brief.config, brief.splits, brief.references.__getitem__, Cache())

    @classmethod
    def _made(
        cls,
        loaded: LoadedProblem,
        config: Config,
        splits: Mapping[str, Sequence[Instance]],
        reference: Callable[[str], Reference],
        cache: Cache,
        prefixes: tuple[int, ...] = (),
    ) -> Setup:
        policy = config.sandbox.policy
        evaluator = GapEvaluator(
            loaded.problem,
            splits,
            lambda instance: reference(instance.id),
            limits=config.sandbox.limits,
            seed=candidate_seed(config),
            policy=policy.digest,
        )
        prefixes = prefixes or (len(splits.get("train", ())),)
        return cls(loaded, config, policy, evaluator, cache, ", ".join(splits), prefixes)

    def part(self, split: str) -> slice:
        """The instances of a split that programs are evaluated on before the search: of a pool, a prefix."""
        return slice(self.prefixes[0]) if split == "train" else WHOLE

    def open_slot(self) -> Sandbox:
        """A sandbox slot under this setup's policy.

        Raises:
            SandboxError: candidates cannot be run safely here.
        """
        if isinstance(self.loaded.problem, Reported):
            from ...sandbox.workshop import open_workshop

            return open_workshop(workshop_task(self.loaded.problem), self.policy)
        from ...sandbox.slot import open_sandbox

        return open_sandbox(self.policy)

    def admission(self, slot: Sandbox, plain: bool = False) -> Admission:
        """What examines proposals on a slot; `plain` as in `Admission`."""
        problem = self.loaded.problem
        seeded = bool(getattr(problem, "anew", 0))
        return Admission(slot, problem.entry_point, self.modules(), plain, seeded)

    def layers(self) -> dict[str, bool]:
        """Sandbox layer → whether it was on in every slot that was opened under this setup's policy."""
        from ...sandbox import slot, workshop

        reported = isinstance(self.loaded.problem, Reported)
        return workshop.active_layers(self.policy) if reported else slot.active_layers(self.policy)

    def record_layers(self, store: Store) -> None:
        """Stores them with a run; a layer that was missing in an earlier part of the run stays so."""
        earlier = store.read.record("layers") or {}
        store.set("layers", {name: on and earlier.get(name, True) for name, on in self.layers().items()})

    @contextmanager
    def executor(self, store: Store | None = None) -> Iterator[Executor]:
        """What evaluates jobs, with as many workers as are configured; ended afterwards.

        Args:
            store: of the run, which records each worker that was lost.

        Raises:
            SandboxError: candidates cannot be run safely here.
            UserError: a worker of another process cannot begin.
        """
        self.evaluator.prepare()  # forks, so before there are threads
        try:
            threads = self.config.run.kind is Workers.THREADS
            with self._threads() if threads else self._crew(store) as executor:
                yield executor
        finally:
            self.evaluator.close()

    def _threads(self) -> AbstractContextManager[Executor]:
        return closing(ThreadExecutor(self.evaluator, self.open_slot, self.config.run.slots))

    @contextmanager
    def _crew(self, store: Store | None) -> Iterator[Executor]:
        from .workers import process_crew, warn_of_idle

        def note(sentence: str) -> None:
            if store is not None:
                store.event(asked(store.read), "worker", {"lost": sentence})

        if self.config.run.kind is Workers.RAY:
            from .cluster import ray_crew

            opening = ray_crew(self, str(self.config.run.workers), note)
        else:
            opening = process_crew(self, self.config.run.slots, note)
        with opening as crew:
            if store is not None:
                warn_of_idle(crew.size, self.config.campaign.in_flight)
            yield crew

    def modules(self) -> tuple[str, ...]:
        """Top-level names of the modules that a candidate may import; empty for whatever is installed."""
        if isinstance(self.loaded.problem, Reported):
            return ()
        return tuple(sorted({name.partition(".")[0] for name in self.policy.modules}))


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

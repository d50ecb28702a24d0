"""Campaigns on fakes: a whole search without a sandbox, a process or a model, in milliseconds."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from gapsmith.evolve.admission import Admission
from gapsmith.evolve.archive import settled
from gapsmith.evolve.budget import Budget
from gapsmith.evolve.campaign import Campaign, Ports
from gapsmith.evolve.course import Pace
from gapsmith.evolve.executor import EvaluationJob, Executor
from gapsmith.evolve.history import CandidateRegistry
from gapsmith.evolve.measures import MeasureSpace
from gapsmith.evolve.remote.proposals import Drafter
from gapsmith.evolve.search import PopulationSettings, Search, SearchSettings
from gapsmith.evolve.selection import Control
from gapsmith.evolve.store.reader import Reader
from gapsmith.evolve.store.store import Store
from gapsmith.evolve.types import Context, Origin, Proposal, Proposer

from .fakes import START, FakeEvaluator, FakeExecutor, FakeProposer, FakeSandbox

POPULATION = PopulationSettings(islands=3, migration_every=10, reset_after=25)
SETTINGS = SearchSettings(
    fresh_share=0.2, fresh_until=8, validate_every=4, tune_share=0.3, tune_evaluations=9
)


ROWS = {
    "iterations": "iteration, island, prefix, parents, inspirations, rival, candidate, rejection, excerpt, "
    "origin, operator, told, added",
    "events": "iteration, kind, data",
    "evaluations": "program, split, status, fitness, executions",
}
"""All that a store says of a campaign but times."""


@dataclass
class Fakes:
    """What a campaign on fakes is made of.

    Attributes:
        folder: of its store.
        campaign: filled by `run`.
    """

    folder: Path
    population: PopulationSettings = POPULATION
    settings: SearchSettings = SETTINGS
    seed: int = 1
    control: Control = Control.NONE
    pace: Pace = field(default_factory=lambda: Pace(4))
    starts: tuple[str, ...] = (START,)
    evaluator: FakeEvaluator = field(default_factory=FakeEvaluator)
    sandbox: FakeSandbox = field(default_factory=FakeSandbox)
    proposer: Proposer = field(default_factory=lambda: FakeProposer([]))
    executor: Executor | None = None
    observe: Callable[[Campaign], None] = lambda campaign: None
    store_of: Callable[[Path], Store] = Store
    points: Any = None
    prefixes: tuple[int, ...] | None = None
    guided: bool = False
    beside: Proposer | None = None
    offline_share: float = 0.0
    programs: int = 1

    @property
    def proposed(self) -> list[Context]:
        """The contexts that the proposer was given."""
        assert isinstance(self.proposer, FakeProposer)
        return self.proposer.seen

    def search(self, store: Store | None = None) -> Search:
        """A search that has asked for nothing yet; its start programs are recorded in the store."""
        executor = FakeExecutor(type(self.evaluator)(self.evaluator.count))
        admission, memory, starts = Admission(self.sandbox, "solve", ("math",)), CandidateRegistry(()), []
        for text in self.starts:
            examined = admission.examined(Proposal({"heuristic.py": text}, Origin.START, "start"))
            assert isinstance(examined, Proposal)
            candidate = memory.admit(examined, (), 0, 0)
            last = self.prefixes[0] if self.prefixes else None
            job = EvaluationJob(self.evaluator.program(examined.files), "train", last=last)
            starts.append((candidate, executor.done(job)))
        instances = self.evaluator.instances("train")
        space = MeasureSpace.of(("size", "profile"), starts[0][1], instances, self.evaluator.loss)
        archive = settled(space, 1 if self.control is not Control.NONE else self.population.islands, starts)
        start = archive.elite(*starts[0], 0)
        if store is not None and not store.read.candidate_ids():
            splits = [
                i for split in ("train", "valid", "test") for i in self.evaluator.instances(split).values()
            ]
            store.put_instances(splits, self.evaluator.references)
            for candidate, evaluation in starts:
                store.put_start(candidate, evaluation, "fake")
        return Search(
            archive,
            start,
            Context(problem=None, iteration=0, instances=instances, start=start),
            seed=self.seed,
            control=self.control,
            population=self.population,
            settings=self.settings,
            starts=[candidate for candidate, _ in starts],
            points=self.points,
            prefixes=self.prefixes,
            guided=self.guided,
            offline_share=self.offline_share,
            programs=self.programs,
        )

    def campaign(
        self, store: Store, kept: Callable[[Campaign], float] = lambda campaign: 0.0, **limits: Any
    ) -> Campaign:
        """A campaign that has not begun, on a store that may hold a part of it."""
        drafter = self.executor if isinstance(self.executor, Drafter) and not self.pace.waits else None
        ports = Ports(
            self.evaluator,
            self.proposer,
            self.executor or FakeExecutor(self.evaluator),
            Admission(self.sandbox, "solve", ("math",)),
            store,
            self.beside,
            drafter,
        )
        return Campaign(
            self.search(store),
            ports,
            Budget(**limits),
            self.pace,
            stop_file=self.folder / "STOP",
            observe=self.observe,
            kept=kept,
        )

    def run(self, **limits: Any) -> Campaign:
        """Runs or resumes the campaign until a limit; the store is closed afterwards."""
        self.folder.mkdir(parents=True, exist_ok=True)
        store = self.store_of(self.folder)
        try:
            campaign = self.campaign(store, **limits)
            try:
                campaign.run()
            finally:
                campaign.close()
        finally:
            store.close()
        return campaign

    def course(self) -> dict[str, list[tuple[Any, ...]]]:
        """All that the store says of the campaign but times."""
        with closing(Reader.open(self.folder)) as read:
            found = {
                table: [tuple(row) for row in read.rows(f"SELECT {columns} FROM {table} ORDER BY rowid")]
                for table, columns in ROWS.items()
            }
        found["evaluations"].sort()  # validations end in any order
        return found

    def growths(self) -> list[int]:
        """The prefixes that the campaign went on to (counts)."""
        events = self.course()["events"]
        return [json.loads(data)["prefix"] for _, kind, data in events if kind == "growth"]


@pytest.fixture
def fakes(tmp_path: Path) -> Callable[..., Fakes]:
    """Makes campaigns on fakes: `fakes("name", seed=2, …)`."""
    return lambda name="run", **parts: Fakes(tmp_path / name, **parts)


@pytest.fixture
def pooled(fakes: Callable[..., Fakes]) -> Callable[..., Fakes]:
    """Makes campaigns on fakes with a pool of 64 training instances."""
    settings = replace(SETTINGS, pool_share=0.5)

    def make(name: str = "run", **parts: Any) -> Fakes:
        pool = {"settings": settings, "prefixes": (8, 16, 32, 64), "evaluator": FakeEvaluator(64)}
        return fakes(name, **{**pool, **parts})

    return make

"""Names become objects: the one place where a campaign is put together, and the Python API."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..evaluators.base import Evaluation
from ..evaluators.statistics import surpasses
from ..evolve import champion
from ..evolve.admission import Admission
from ..evolve.archive import settled
from ..evolve.budget import Budget, StopReason
from ..evolve.campaign import Campaign, Ports
from ..evolve.champion import TimeReserve
from ..evolve.executor import Executor
from ..evolve.llm.base import Closable
from ..evolve.measures import MeasureSpace
from ..evolve.racing import best_elite
from ..evolve.remote.proposals import Drafter, RemoteProposer
from ..evolve.search import Search
from ..evolve.selection import Control
from ..evolve.store.reader import BASELINE
from ..evolve.store.schema import FILE_NAME
from ..evolve.store.store import Store
from ..evolve.timing import Times
from ..evolve.types import Candidate, Context
from ..problems.base import SPLITS
from .config import Config, resolve_budget
from .errors import INTERRUPTED, KEPT, UserError
from .plugins.loader import load_selection
from .proposers import SourceOf, live_source
from .runs.champions import best_baseline, claims, class_champions, floor_of
from .runs.folders import STOP_NAME, Group, at_work, log_end, put_text, run_log
from .runs.record import open_record
from .runs.standalone import program_text
from .runs.summary import summarise
from .setup.baselines import Founder, evaluate_baselines, founders_of, shipped_programs
from .setup.executors import open_executor
from .setup.prepare import record_config, record_setup, setup_of_campaign, setup_of_plan
from .setup.reruns import keep_drawing, stored_setup
from .setup.setup import Notify, Setup
from .setup.timing import baselines_until, in_time, keep_left_out, keep_preparation, keep_timing, keeper_of

if TYPE_CHECKING:
    from .bench.episode import CampaignBench

BEST_NAME = "best.py"


SourceOfRun = Callable[[Store], SourceOf]
"""The source of a run with this store."""


@dataclass(frozen=True, slots=True)
class Watcher:
    """What is called while a campaign works, to show or steer it; every part may be left out.

    Attributes:
        notify: what is being prepared, how much of it is done, how much there is.
        started: called once with the campaign before its loop, for example to catch signals.
        observe: called after every outcome and at least a few times a second.
    """

    notify: Notify = lambda what, done, total: None
    started: Callable[[Campaign], None] = lambda campaign: None
    observe: Callable[[Campaign], None] = lambda campaign: None


def run(
    config: Config,
    folder: Path,
    *,
    start: Mapping[str, Mapping[str, str]] | None = None,
    group: Group | None = None,
    watcher: Watcher | None = None,
    adopt: bool = False,
    source_of: SourceOfRun | None = None,
) -> dict[str, Any]:
    """Starts a campaign in an empty run folder, or goes on with the one that is there.

    Args:
        config: whole configuration with a budget, which the caller stands behind.
        folder: run folder; holds the store afterwards.
        start: start programs (name → files); the problem's own by default. Ignored on resume.
        group: of runs that this one belongs to.
        watcher: told what happens.
        adopt: sign a foreign run as this user's own.
        source_of: where texts and steps come from, given the store; by default the configuration's proposer.

    Returns:
        The JSON contract's document.

    Raises:
        UserError: whatever a person can mend.
    """
    watcher = watcher or Watcher()
    began = time.monotonic()
    with at_work(folder), run_log(folder) as log:
        (folder / STOP_NAME).unlink(missing_ok=True)  # of an earlier session
        watcher = _heeding(folder, watcher)
        if not (folder / FILE_NAME).is_file():
            watcher = replace(watcher, notify=in_time(watcher.notify, config, began))
        setup = stored_setup(folder, config) or setup_of_campaign(config, watcher.notify, start)
        store = Store(folder)
        try:
            record_setup(store, setup, folder, group, start, adopt)
            source = None if source_of is None else source_of(store)
            with prepared(setup, store, folder, start, watcher, source, began=began) as campaign:
                stopped = _work(campaign, setup, store, watcher)
            write_best(folder)
            keep_drawing(folder, setup, store)
            store.set("stop_reason", stopped.value)
            log_end(log, stopped, store.read.events("fault"))
        except Exception:
            log.exception("ended by an exception")
            raise
        finally:
            store.close()
    return read_summary(folder)


def _heeding(folder: Path, watcher: Watcher) -> Watcher:
    """The watcher, which ends the preparation of a search when the run is asked to stop."""
    begun = False

    def started(campaign: Campaign) -> None:
        nonlocal begun
        begun = True
        watcher.started(campaign)

    def notify(what: str, done: int, total: int) -> None:
        if not begun and (folder / STOP_NAME).exists():
            raise UserError(INTERRUPTED, "asked to stop before the search began", KEPT)
        watcher.notify(what, done, total)

    return replace(watcher, notify=notify, started=started)


def write_best(folder: Path) -> None:
    """Writes the best heuristic so far as a program that runs alone into the run folder."""
    with open_record(folder) as record:
        if record.best is not None:
            put_text(folder / BEST_NAME, program_text(record, record.best, BEST_NAME))


def read_summary(folder: Path) -> dict[str, Any]:
    """The JSON contract's document of a run folder."""
    with open_record(folder) as record:
        return summarise(folder, record.reader)


@contextmanager
def prepared(
    setup: Setup,
    store: Store,
    folder: Path,
    start: Mapping[str, Mapping[str, str]] | None,
    watcher: Watcher,
    source_of: SourceOf | None = None,
    splits: Sequence[str] = SPLITS,
    began: float | None = None,
) -> Iterator[Campaign]:
    """A campaign with all its ports, its start programs and baselines evaluated; ends them afterwards.

    Texts and steps come from `source_of`, by default the configuration's proposer, live; baselines are
    evaluated on `splits`; what is prepared since `began` (monotonic clock) counts as the run's time.
    """
    with ThreadPoolExecutor(1, "open-slot") as opening:
        describer = opening.submit(setup.open_slot)
        with open_executor(setup, store) as executor, closing(describer.result()) as slot:
            if setup.config.timed:
                keep_timing(store, slot, setup.policy)
            admission = setup.admission(slot, plain=not store.read.record("docstrings"))
            until = baselines_until(setup.config, began)
            baselines = _baselines(setup, store, executor, watcher.notify, splits, until)
            founders = founders_of(setup, store, admission, executor, start, baselines)
            bench = _bench(setup, store, folder) if source_of is None else None
            source_of = source_of or live_source(setup.config, store, folder, setup.evaluator, bench=bench)
            keep_preparation(store, began)
            setup = _with_budget(setup, store, folder)
            campaign = _campaign(
                setup, store, admission, executor, founders, baselines, folder, watcher, source_of
            )
            setup.record_layers(store)
            if bench is not None:
                bench.sit(campaign)
            try:
                yield campaign
            finally:
                campaign.close()
                if bench is not None:
                    bench.close()
                setup.record_layers(store)
                if isinstance(campaign.ports.proposer, Closable):
                    campaign.ports.proposer.close()


def _with_budget(setup: Setup, store: Store, folder: Path) -> Setup:
    """The setup with the default budget where none was named: it depends on how long the preparation took."""
    config = resolve_budget(setup.config, store.read.record("prepared_seconds") or 0.0)
    if config is setup.config:
        return setup
    record_config(store, config, folder)
    return replace(setup, config=config)


def _bench(setup: Setup, store: Store, folder: Path) -> CampaignBench | None:
    """Where the operations of episodes are done; None in a campaign without episodes."""
    if not (setup.config.episode.on and setup.config.uses_models):
        return None
    from .bench.episode import CampaignBench

    return CampaignBench(folder, setup, store)


def _work(campaign: Campaign, setup: Setup, store: Store, watcher: Watcher) -> StopReason:
    """Runs the loop, chooses and tests the champion."""
    watcher.started(campaign)
    stopped = campaign.run()
    if campaign.budget.seconds is not None:
        store.set("reserved_seconds", campaign.kept(campaign))
    store.set("ending", campaign.ending or None)
    baselines = _stored_baselines(store)
    crown(campaign, setup, store, stopped, keeper_of(setup, baselines, store))
    if campaign.trouble is not None:
        store.set("stop_reason", stopped.value)
        raise campaign.trouble
    return stopped


def dry_run(config: Config, *, start: Mapping[str, Mapping[str, str]] | None = None) -> dict[str, Any]:
    """What a campaign would ask for and cost, with one rendered prompt; sends nothing and leaves no run.

    Raises:
        UserError: whatever a person can mend.
    """
    import tempfile

    from .plan import plan

    watcher = Watcher()
    with tempfile.TemporaryDirectory(prefix="gapsmith-plan-") as place:
        folder = Path(place)
        setup, lines = setup_of_plan(config, start)
        store = Store(folder)
        try:
            record_setup(store, setup, folder, None)
            source = live_source(config, store, folder, setup.evaluator, sends=False)
            with prepared(setup, store, folder, start, watcher, source, ("train",)) as campaign:
                document = plan(campaign, config)
                return {**document, "lines": [*lines, *document["lines"]]}
        finally:
            store.close()


def _campaign(
    setup: Setup,
    store: Store,
    admission: Admission,
    executor: Executor,
    founders: list[Founder],
    baselines: Mapping[str, Mapping[str, Evaluation]],
    folder: Path,
    watcher: Watcher,
    source_of: SourceOf,
) -> Campaign:
    """The search, its ports, its budget and its pace."""
    config = setup.config
    evaluator = setup.evaluator
    problem = setup.loaded.problem
    instances = evaluator.instances("train")
    control = Control(config.campaign.control)
    floor = floor_of(store.read)
    limit = config.evaluation.time_budget
    space = MeasureSpace.of(config.archive.measures, founders[0][1], instances, evaluator.loss, floor, limit)
    # A control learns nothing from an archive: one island holds what it found.
    archive = settled(space, config.archive.islands if control is Control.NONE else 1, founders)
    elites = [archive.elite(*founder, 0) for founder in founders]
    source = source_of(admission, archive)
    whole = config.search.founders == "all"
    context = Context(
        problem=problem,
        iteration=0,
        instances=instances,
        start=elites[0],
        baseline=best_baseline(baselines, "train"),
        modules=tuple(admission.modules),
        cpu_seconds=config.sandbox.limits.cpu_seconds,
        times=Times(floor, limit) if config.timed else None,
        founders=tuple(sorted(elites, key=lambda elite: -elite.fitness)) if whole else (),
    )
    own = config.search.selection if control is Control.NONE else None
    search = Search(
        archive,
        best_elite(elites) if whole else elites[0],
        context,
        seed=config.campaign.seed,
        control=control,
        selection=None if own is None else load_selection(own),
        population=config.archive,
        settings=config.search,
        starts=[candidate for candidate, _ in founders],
        founders=elites if whole else (),
        seconds=store.read.record("founder_seconds") or {},
        points=source.points,
        offline_share=source.beside_share,
        prefixes=setup.prefixes,
        guided=source.guided,
        notes_every=config.prompts.notes if source.pace.waits else 0,
        programs=config.programs if source.pace.waits else 1,
    )
    shipped = shipped_programs(problem).values() if whole else problem.start_programs().values()
    for candidate, _ in founders:
        if next(iter(candidate.files.values())) in shipped:
            search.tuner.skip(candidate.files)  # tuning is for what the search finds
    remote = isinstance(source.proposer, RemoteProposer) and not source.pace.waits
    drafter = executor if remote and isinstance(executor, Drafter) else None
    campaign = Campaign(
        search,
        Ports(
            evaluator, source.proposer, executor, admission, store, source.beside, drafter, source.submissions
        ),
        Budget(**asdict(config.budget), gates=tuple((a, b) for a, b in store.read.record("gates") or ())),
        source.pace,
        stop_file=folder / STOP_NAME,
        observe=watcher.observe,
        kept=keeper_of(setup, baselines, store),
    )
    for id, name in (store.read.record("founders") or {}).items():
        if (judged := baselines[name].get("valid")) is not None:
            campaign.validation.add(id, judged)
    return campaign


def _baselines(
    setup: Setup,
    store: Store,
    executor: Executor,
    notify: Notify,
    splits: Sequence[str],
    until: float | None = None,
) -> dict[str, dict[str, Evaluation]]:
    """Baseline → split → evaluation, from the store, the cache or the sandbox; `until` as in
    `evaluate_baselines`.
    """
    if found := _stored_baselines(store):
        return found
    evaluations = evaluate_baselines(setup, executor, splits, notify, until)
    with store.transaction():
        for name, by in evaluations.items():
            for evaluation in by.values():
                store.put_evaluation(BASELINE + name, evaluation, setup.evaluator.version)
    return evaluations


def _stored_baselines(store: Store) -> dict[str, dict[str, Evaluation]]:
    """Baseline → split → evaluation, from the store."""
    return {
        name: {s: e for s in SPLITS if (e := store.read.evaluation(BASELINE + name, s)) is not None}
        for name in store.read.baselines()
    }


def crown(
    campaign: Campaign, setup: Setup, store: Store, stopped: StopReason, keeper: TimeReserve | None = None
) -> None:
    """After a whole campaign: the champion by validation, tested once, beside the start program.

    What a budget of seconds has no time to validate is recorded, so that a replay leaves it out as well.
    """
    if stopped.halts:
        return
    keep_timing(store, campaign.ports.admission.sandbox, setup.policy)  # not while a first question waits
    settings = setup.config.evaluation
    floor = floor_of(store.read)
    best = champion.choose(campaign, settings, floor, surpasses, keeper, setup.config.sandbox.cpu_seconds)
    keep_left_out(campaign, store)
    first = store.read.candidate(store.read.record("start"))
    for candidate in (first, None if best is None else best.candidate):
        if candidate is not None:
            _keep_baseline_test(store, candidate, setup.evaluator.version)
            champion.evaluate_on_test(campaign, candidate, divided=setup.divided)
    if best is not None:
        store.set("champion", best.candidate.id)
        store.set("claims", claims(store.read, best.candidate.id, setup.evaluator.loss))
    if setup.config.timed:
        champion.validate_leaders(campaign, floor, keeper)
        keep_left_out(campaign, store)
        _crown_classes(campaign, store, setup)


def _crown_classes(campaign: Campaign, store: Store, setup: Setup) -> None:
    """Where the user asks for time: tests the champion of each time class.

    A campaign without that wish evaluates the same programs on every machine.
    """
    for one in class_champions(store.read):
        candidate = store.read.candidate(one.program)
        if candidate is not None:
            _keep_baseline_test(store, candidate, setup.evaluator.version)
            champion.evaluate_on_test(campaign, candidate, divided=setup.divided)


def _keep_baseline_test(store: Store, candidate: Candidate, version: str) -> None:
    """Gives a founder that is a baseline the baseline's test evaluation, which was made already."""
    name = (store.read.record("founders") or {}).get(candidate.id)
    judged = None if name is None else store.read.evaluation(BASELINE + name, "test")
    if judged is not None and store.read.evaluation(candidate.id, "test") is None:
        store.put_evaluation(candidate.id, judged, version)

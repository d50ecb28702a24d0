"""The Python API beside the command line: runs, their list, `evaluate` and `baselines`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ..evolve.budget import BudgetSettings, StopReason
from ..evolve.store.progress import mean_gap
from ..evolve.store.schema import FILE_NAME
from ..sandbox.base import MAIN_FILE
from . import compose
from .analysis.compare import compare as compared
from .analysis.evaluate import baselines_document, evaluate_program
from .analysis.verify import verify as verified
from .bench import agent
from .bench.budget import EXPERIMENT_CPU_SECONDS
from .bench.workbench import Workbench
from .config import Config, parse, resolve_budget
from .errors import USAGE, UserError
from .overrides import choose_models
from .plugins.loader import load_problem
from .plugins.session_problems import spec_of
from .plugins.source_text import program_text
from .proposers import agent_of, check_models
from .result import RunResult
from .runs.curves import BUDGETS
from .runs.folders import all_runs, begun_before, find_run, new_folder, new_name, preparing_runs, runs_folder
from .runs.record import open_record, run_row
from .runs.resume import stored_config
from .runs.summary import best_candidate
from .runs.trust import Use
from .setup.prepare import setup_of_problem
from .setup.reruns import setup_of_record
from .views.live import LiveView

if TYPE_CHECKING:
    from ..evaluators.base import Plugin
    from ..evolve.campaign import Campaign
    from ..problems.base import Problem
    from .plugins.short_form import ShortProblem

    ProblemLike = str | Path | type[Problem] | Plugin | ShortProblem

Start: TypeAlias = "str | Callable[..., Any]"
"""A start program: source text, or a function."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a campaign is.

    Attributes:
        step: `references`, `baselines`, …, or `search`.
        done: of the step (count); iterations of a search.
        total: of the step (count); the budget of iterations of a search, None without one.
        evaluations: candidates evaluated in training (count).
        best_gap_percent: mean gap of the best candidate on validation; None before there is one.
        seconds: wall seconds of the search and of what follows it.
    """

    step: str
    done: int
    total: int | None
    evaluations: int = 0
    best_gap_percent: float | None = None
    seconds: float = 0.0


class SavedRun(RunResult):
    """A run that can go on, be verified, and be compared."""

    def resume(self, **totals: Any) -> SavedRun:
        """Goes on with the run; the totals are those of `gapsmith.resume_campaign`."""
        return resume_campaign(self.folder, **totals)

    def verify(self, every: bool = False, references: int = 10) -> dict[str, Any]:
        """Runs the champions again, and compares every answer and gap with the record.

        Args:
            every: whether all elites are run again, not the champions alone.
            references: references that are proved again (count).

        Returns:
            The document of `gapsmith verify --json`; its `differences` are empty iff all is as recorded.

        Raises:
            UserError: the run is another machine's, which `gapsmith verify --trust-run` may run.
        """
        with open_record(self.folder) as record:
            setup = setup_of_record(record, uses=[Use.INSTANCE_FILES])
            return verified(record, setup, every=every, sample=references)

    def compare(self, *others: RunResult, by: str = "evaluations") -> dict[str, Any]:
        """Puts the run beside others at an equal budget, as `gapsmith compare --json` does.

        Args:
            others: runs of the same problem, at least one.
            by: what is equal: `evaluations`, `executions`, `cpu`, `usd`.
        """
        if by not in BUDGETS:
            raise UserError(USAGE, f"compare: by: got {by!r}, expected one of {', '.join(BUDGETS)}")
        if not others or not all(isinstance(other, RunResult) for other in others):
            raise UserError(
                USAGE, f"compare: got {len(others)} others, expected runs as load_run returns them"
            )
        runs = [self, *others]
        with ExitStack() as stack:
            records = [[stack.enter_context(open_record(run.folder))] for run in runs]
            return compared([run.folder.name for run in runs], records, by)


def run_campaign(
    problem: ProblemLike,
    *,
    model: str | Sequence[str] | None = None,
    iterations: int | None = None,
    evaluations: int | None = None,
    seconds: float | None = None,
    cpu_seconds: float | None = None,
    usd: float | None = None,
    tokens: int | None = None,
    seed: int | None = None,
    start: Start | Sequence[Start] | Mapping[str, Start] | None = None,
    control: str | None = None,
    workers: int | str | None = None,
    runs: str | Path | None = None,
    settings: Mapping[str, Any] | None = None,
    progress: bool | Callable[[Progress], object] = False,
) -> SavedRun:
    """Runs a campaign to its end, as `gapsmith run` does.

    Args:
        problem: a name, a file, `module:attribute`, a problem in the short form, a problem's class, or a
            Plugin.
        model: `openai/NAME` or another specification, or several; without one the offline proposer works.
        iterations, evaluations: budget (counts).
        seconds: budget in wall seconds of the whole campaign, from references to test.
        cpu_seconds: budget in CPU seconds of executions.
        usd: budget in US dollars, a hard cap.
        tokens: budget in tokens in and out, a hard cap.
        seed: of the search's random streams.
        start: source text or function of a start program, several, or name → program; the problem's own by
            default.
        control: `best-of-n` or `random` in place of the search.
        workers: as `--workers`; by default a thread per processor.
        runs: folder for the run; `GAPSMITH_RUNS` or `./runs` by default.
        settings: further configuration by dotted path (`{"archive.islands": 2}`).
        progress: True shows the progress on standard error; a function is called with each `Progress`. One
            that returns False during the search ends the run as Ctrl-C does: `resume_campaign` goes on.

    Raises:
        UserError: whatever a person can mend, with an exit code and a hint.
    """
    budget = {"iterations": iterations, "evaluations": evaluations, "seconds": seconds}
    budget["cpu_seconds"] = cpu_seconds
    place = runs_folder(None if runs is None else Path(runs))
    config = _config(
        "run_campaign",
        {
            "campaign": {"problem": spec_of(problem, place), "seed": seed, "control": control},
            "budget": {**budget, "usd": usd, "tokens": tokens},
            "run": {"workers": workers},
        },
        settings,
        [model] if isinstance(model, str) else list(model or ()),
    )
    config = check_models(resolve_budget(config) if config.uses_models else config, place)
    spec = config.campaign.problem
    programs = _programs(start, config)
    stem = Path(spec).stem if isinstance(problem, str) else load_problem(spec, config.problem).name
    name = new_name(stem, config.campaign.seed, time.time())
    with new_folder(place, name) as folder:
        view = LiveView(spec, config.run.words) if progress is True else None
        with view or nullcontext(), _resumable(folder):
            _way_of(config)(config, folder, start=programs, watcher=_watcher(progress, view))
        return SavedRun(folder)


def resume_campaign(
    run: str | Path = "latest",
    *,
    iterations: int | None = None,
    evaluations: int | None = None,
    seconds: float | None = None,
    cpu_seconds: float | None = None,
    usd: float | None = None,
    tokens: int | None = None,
    workers: int | str | None = None,
    runs: str | Path | None = None,
    settings: Mapping[str, Any] | None = None,
    progress: bool | Callable[[Progress], object] = False,
) -> SavedRun:
    """Goes on with a run that was stopped or interrupted, as `gapsmith resume` does.

    A problem that was handed over as a class must be there under its name, as in the notebook that ran it.

    Args:
        run: folder, name, unambiguous prefix, or `latest`.
        iterations, evaluations, seconds, cpu_seconds, usd, tokens: new totals of the budget.
        workers: as `--workers`; by default as the run was configured.
        runs: folder of the runs; `GAPSMITH_RUNS` or `./runs` by default.
        settings: further totals by dotted path (`{"budget.patience": 80}`).
        progress: as for `run_campaign`.

    Raises:
        UserError: whatever a person can mend, with an exit code and a hint.
    """
    folder = find_run(str(run), runs_folder(None if runs is None else Path(runs)))
    totals = {"iterations": iterations, "evaluations": evaluations, "seconds": seconds}
    totals |= {"cpu_seconds": cpu_seconds, "usd": usd, "tokens": tokens}
    for path, value in (settings or {}).items():
        section, _, key = path.partition(".")
        if section != "budget" or key not in BudgetSettings.__dataclass_fields__:
            raise UserError(
                USAGE, f"resume_campaign: settings: got {path!r}, expected a total such as budget.patience"
            )
        totals[key] = value
    config = stored_config(folder, {k: v for k, v in totals.items() if v is not None}, workers)
    view = LiveView(config.campaign.problem, config.run.words) if progress is True else None
    with view or nullcontext(), _resumable(folder):
        _way_of(config)(config, folder, watcher=_watcher(progress, view))
    return SavedRun(folder)


def _way_of(config: Config) -> Callable[..., object]:
    """What carries out a campaign: the search, or an agent at the run's bench."""
    return compose.run if agent_of(config) is None else agent.work


def _programs(
    start: Start | Sequence[Start] | Mapping[str, Start] | None, config: Config
) -> dict[str, dict[str, str]] | None:
    """Start programs by name, as a campaign takes them.

    Raises:
        UserError: it is something else, or holds something else than texts and functions.
    """
    if start is None:
        return None
    named: Mapping[Any, Any] = {}
    if isinstance(start, str) or callable(start):
        named = {"start": start}
    elif isinstance(start, Mapping):
        named = start
    elif isinstance(start, Sequence):
        named = {f"start-{number}": program for number, program in enumerate(start, 1)}
    fit = all(isinstance(one, str) or callable(one) for one in named.values())
    if not named or not fit or not all(isinstance(name, str) for name in named):
        got = f"{type(start).__name__} {start!r:.60}"
        expected = "expected source text, a function, a list of them, or name → one of them"
        raise UserError(
            USAGE,
            f"run_campaign: start: got {got}, {expected}",
            'start=Path("mine.py").read_text()',
        )
    return {name: {MAIN_FILE: _text("start", program, config)} for name, program in named.items()}


@contextmanager
def _resumable(folder: Path) -> Iterator[None]:
    """Says in an exception that ends a search, a caller's own included, how to go on."""
    try:
        yield
    except BaseException as error:
        if (folder / FILE_NAME).is_file():
            error.add_note(f"the run is saved; gapsmith.resume_campaign({str(folder)!r}) goes on")
        raise


def open_workbench(
    problem: ProblemLike,
    *,
    evaluations: int | None = None,
    iterations: int | None = None,
    instances: str | None = None,
    start: Start | Sequence[Start] | Mapping[str, Start] | None = None,
    experiment_cpu_seconds: float = EXPERIMENT_CPU_SECONDS,
    runs: str | Path | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Workbench:
    """Makes a run that waits for programs, as `gapsmith bench open` does.

    Args:
        problem, start, runs, settings: as for `run_campaign`.
        evaluations, iterations: budget of submissions (counts); 400 iterations without either.
        instances: a named set in place of the usual training instances.
        experiment_cpu_seconds: CPU seconds that all experiments together may use.

    Raises:
        UserError: whatever a person can mend, with an exit code and a hint.
    """
    from .bench.creation import open_bench

    place = runs_folder(None if runs is None else Path(runs))
    config = _config(
        "open_workbench",
        {
            "campaign": {"problem": spec_of(problem, place)},
            "budget": {
                "evaluations": evaluations,
                "iterations": 400 if evaluations is None and iterations is None else iterations,
            },
            "evaluation": {"instances": None if instances is None else [instances]},
        },
        settings,
        [],
    )
    spec = config.campaign.problem
    programs = _programs(start, config)
    stem = Path(spec).stem if isinstance(problem, str) else load_problem(spec, config.problem).name
    name = new_name(stem, config.campaign.seed, time.time())
    with new_folder(place, name) as folder:
        open_bench(config, folder, start=programs, experiment_cpu_seconds=experiment_cpu_seconds)
    return Workbench(folder)


def workbench(run: str | Path = "latest", *, runs: str | Path | None = None) -> Workbench:
    """The workbench of a run that was opened before, also from the command line.

    Args:
        run: folder, name, unambiguous prefix, or `latest`.
        runs: folder of the runs; `GAPSMITH_RUNS` or `./runs` by default.

    Raises:
        UserError: there is no such run; whether it has a workbench is said by the first operation.
    """
    return Workbench(find_run(str(run), runs_folder(None if runs is None else Path(runs))))


def load_run(run: str | Path = "latest", *, runs: str | Path | None = None) -> SavedRun:
    """A run that has ended or is at work, as `run_campaign` returns it.

    Args:
        run: folder, name, unambiguous prefix, or `latest`.
        runs: folder of the runs; `GAPSMITH_RUNS` or `./runs` by default.

    Raises:
        UserError: there is no such run, or it cannot be read.
    """
    return SavedRun(find_run(str(run), runs_folder(None if runs is None else Path(runs))))


def list_runs(runs: str | Path | None = None) -> list[dict[str, Any]]:
    """The runs of a folder, the oldest first, each as a row of `gapsmith list --json`.

    Args:
        runs: the folder; `GAPSMITH_RUNS` or `./runs` by default.
    """
    folder = runs_folder(None if runs is None else Path(runs))
    return [run_row(run) for run in sorted([*all_runs(folder), *preparing_runs(folder)], key=begun_before)]


def evaluate(
    problem: ProblemLike,
    source: str | Callable[..., Any],
    *,
    instances: str = "test",
    workers: int | str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Scores a program, as `gapsmith evaluate` does, and returns its JSON document.

    Args:
        problem: as for `run_campaign`.
        source: Python text that defines the problem's entry point, or a function with its parameters.
        instances: `train`, `valid`, `test`, a named set, or a path of an instance file.
        workers: as `--workers`; by default a thread per processor.
        settings: further configuration by dotted path.

    Raises:
        UserError: whatever a person can mend, with an exit code and a hint.
    """
    tables: dict[str, dict[str, Any]] = {
        "campaign": {"problem": spec_of(problem)},
        "run": {"workers": workers},
    }
    config = _config("evaluate", tables, settings, [])
    text = _text("source", source, config)
    setup = setup_of_problem(config, sets=[instances])
    return evaluate_program(setup, setup.instances_from, {MAIN_FILE: text}, "source", False)


def baselines(
    problem: ProblemLike,
    *,
    instances: str = "test",
    workers: int | str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Scores the problem's baselines, as `gapsmith baselines` does, and returns its JSON document.

    Args:
        problem: as for `run_campaign`.
        instances, workers, settings: as for `evaluate`.

    Raises:
        UserError: whatever a person can mend, with an exit code and a hint.
    """
    tables: dict[str, dict[str, Any]] = {
        "campaign": {"problem": spec_of(problem)},
        "run": {"workers": workers},
    }
    setup = setup_of_problem(_config("baselines", tables, settings, []), sets=[instances])
    return baselines_document(setup, setup.instances_from, None, lambda what, done, total: None)


def _text(argument: str, program: Any, config: Config) -> str:
    """The source text of a program that is given as text or as a function.

    Raises:
        UserError: it is neither, or the function has no text that runs alone.
    """
    if isinstance(program, str):
        return program
    if not callable(program):
        raise UserError(
            USAGE,
            f"{argument}: got a {type(program).__name__}, expected source text or a function",
            "for several programs, call once for each",
        )
    return program_text(load_problem(config.campaign.problem, config.problem).problem, program, argument)


def _config(
    function: str,
    tables: Mapping[str, Mapping[str, Any]],
    settings: Mapping[str, Any] | None,
    models: Sequence[str],
) -> Config:
    """The configuration that arguments make; settings are applied last.

    Raises:
        UserError: a key or value is wrong, or the settings are no mapping of paths.
    """
    if settings is not None and not isinstance(settings, Mapping):
        raise UserError(
            USAGE,
            f"{function}: settings: got {type(settings).__name__}, expected a dictionary",
            'write settings={"problem.jobs": 10}',
        )
    document: dict[str, Any] = {
        section: {key: value for key, value in table.items() if value is not None}
        for section, table in tables.items()
    }
    for path, value in (settings or {}).items():
        section, dot, key = str(path).partition(".")
        if not (dot and key):
            raise UserError(
                USAGE, f"{function}: settings: got {path!r}, expected section.key", "e.g. search.pool"
            )
        document.setdefault(section, {})[key] = value
    return parse(choose_models(document, models)[0] if models else document, function)


def _watcher(progress: bool | Callable[[Progress], object], view: LiveView | None) -> compose.Watcher:
    """What tells a caller of a campaign's progress."""
    if view is not None:
        return compose.Watcher(view.notify, observe=view.observe)
    if not callable(progress):
        return compose.Watcher()
    tell = progress

    def notify(what: str, done: int, total: int) -> None:
        tell(Progress(what, done, total))

    def observe(campaign: Campaign) -> None:
        usage = campaign.usage()
        reader = campaign.ports.store.read
        gap = mean_gap(reader, best_candidate(reader), "valid")
        total = campaign.budget.iterations
        told = Progress("search", usage.iterations, total, usage.evaluations, gap, usage.wall_seconds)
        if tell(told) is False:
            campaign.interrupt(StopReason.INTERRUPTED)

    return compose.Watcher(notify, observe=observe)

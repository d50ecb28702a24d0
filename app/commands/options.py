"""Options that several verbs share, and the configuration and start programs that they make."""

from __future__ import annotations

import difflib
import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from ..errors import INVALID, USAGE, UserError
from . import completion

if TYPE_CHECKING:
    from ..config import Config
    from ..runs.trust import Trust


class Sentences(TyperGroup):
    """A group of verbs whose help page lists each verb with its whole first sentence."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """See click."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(n, c.get_short_help_str(200)) for n, c in commands if c is not None])


Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]


def folder_name(value: str | None) -> str | None:
    """Refuses an empty name, which would mean the working folder."""
    if value is not None and not str(value).strip():
        raise typer.BadParameter("got an empty name, expected a folder; . is the working folder")
    return value


def _folder(text: str) -> Path:
    return Path(str(folder_name(text)))


Runs = Annotated[
    Path | None,
    typer.Option(
        "--runs",
        parser=_folder,
        metavar="DIR",
        help="Folder of the runs [default: GAPSMITH_RUNS, else ./runs].",
        show_default=False,
    ),
]


Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="SECTION.KEY=VALUE", help="Set a configuration key (repeatable)."),
]


Slots = Annotated[
    int | None, typer.Option("--workers", min=1, help="Solvers at work [default: one per processor].")
]


def _workers(text: str) -> int | str:
    from ..config import read_workers

    try:
        return read_workers(text)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r}: {error}.") from None


Workers = Annotated[
    Any,
    typer.Option(
        "--workers",
        parser=_workers,
        metavar="N|processes[:N]|ray[://HOST:PORT]",
        help="Sandbox slots at work: N threads, a process each, or each processor of a Ray cluster "
        "[default: a thread per processor].",
        show_default=False,
    ),
]


Without = Annotated[
    list[str] | None,
    typer.Option(
        "--unsafe-without", metavar="LAYER", help="Go on without a sandbox layer; the run stores this."
    ),
]


TrustRun = Annotated[
    bool, typer.Option("--trust-run", help="Allow what the record of a run made elsewhere asks for.")
]


WithoutAgain = Annotated[
    list[str] | None,
    typer.Option("--unsafe-without", metavar="LAYER", help="A sandbox layer that the run was made without."),
]


Run = Annotated[
    str,
    typer.Argument(
        metavar="RUN", help="Folder, name, unambiguous prefix, or latest.", autocompletion=completion.runs
    ),
]


Force = Annotated[bool, typer.Option("--force", help="Replace a file that exists.")]


Port = Annotated[
    int | None, typer.Option("--port", min=1, max=65535, help="Port of the page [default: a free one].")
]
Candidate = Annotated[
    str,
    typer.Argument(
        metavar="CANDIDATE",
        help="Id, unambiguous prefix, best or start.",
        autocompletion=completion.candidates,
    ),
]


Problem = Annotated[
    str,
    typer.Argument(
        metavar="PROBLEM",
        help="A name, a file.py, or module:attribute.",
        autocompletion=completion.problems,
    ),
]


def duration(text: str) -> float:
    """CPU seconds of an option's value such as `10ms`."""
    from ...evolve.timing import seconds_of

    try:
        return seconds_of(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def trust_of(trust_run: bool, without: list[str] | None) -> Trust:
    """The caller's trust; standard error says what a record gets by it.

    Raises:
        UserError: there is no such layer.
    """
    from ...sandbox.policy import LAYERS
    from ..formatting import clean
    from ..runs.trust import Trust
    from .terminal import console

    if unknown := sorted({*(without or ())} - {*LAYERS}):
        raise UserError(USAGE, f"--unsafe-without {unknown[0]}: expected one of {', '.join(LAYERS)}")

    def say(line: str) -> None:
        console(stderr=True).print(clean(line), markup=False, soft_wrap=True)

    return Trust(trust_run, frozenset(without or ()), say)


def one_set(split: str | None, instances: str | None) -> str | None:
    """The set or file that two options name, None if neither was given.

    Raises:
        UserError: both were.
    """
    if split is not None and instances is not None:
        raise UserError(USAGE, "--split and --instances: got both, expected one of them")
    return split or instances


def parameters(assign: list[str] | None) -> dict[str, Any]:
    """The `[problem]` table that `--set problem.KEY=VALUE` options make."""
    from ..errors import USAGE, UserError
    from ..overrides import override

    document = override({}, assign or [])
    if other := [section for section in document if section != "problem"]:
        raise UserError(USAGE, f"--set {other[0]}: only problem.KEY=VALUE matters here")
    return dict(document.get("problem", {}))


# Arguments and flags become a configuration and start programs.

_STARTS = "expected a program (.py), a program's name of the problem, or a run"


def build_config(
    what: str,
    assign: list[str],
    *,
    model: list[str] | None = None,
    budget: dict[str, Any] | None = None,
    seed: int | None = None,
    workers: int | str | None = None,
    without: list[str] | None = None,
    instances: list[str] | None = None,
    time_budget: float | None = None,
    measures: list[str] | None = None,
    control: str | None = None,
    unused: bool = True,
) -> Config:
    """The configuration of a file or a problem's name with all flags applied.

    Where `unused` is true, a line names the keys of a foreign task's configuration that are not used.

    Raises:
        UserError: a key or value is wrong.
    """
    from ...evolve.store.schema import FILE_NAME
    from ..config import parse, read
    from ..formatting import clean
    from ..overrides import choose_models, override
    from ..plugins.foreign import with_task_defaults
    from ..runs.trust import check_file
    from .terminal import console

    document: dict[str, Any] = {}
    where = "command line"
    recorded = False
    if what.endswith(".toml"):
        document = read(Path(what))
        where = what
        recorded = (Path(what).absolute().parent / FILE_NAME).exists()  # maybe of an earlier version
        check_file(Path(what), parse(document, what, recorded=recorded), without or ())
    else:
        document["campaign"] = {"problem": what}
    if model:
        document, dropped = choose_models(document, model)
        if dropped:
            note = f"{what}: left out {', '.join(dropped)}, for --model names the models of this campaign"
            console(stderr=True).print(clean(note), markup=False, soft_wrap=True)
    document = override(document, assign, lambda: _parameter_names(document))
    flags = {
        "campaign": {"seed": seed, "control": control},
        "budget": budget or {},
        "run": {"workers": workers},
        "sandbox": {"without": without},
        "archive": {"measures": measures},
        "evaluation": {"instances": instances, "time_budget": time_budget},
    }
    for section, values in flags.items():
        settings = {key: value for key, value in values.items() if value is not None}
        if settings and isinstance(document.get(section, {}), dict):  # `parse` names what is no table
            document[section] = {**document.get(section, {}), **settings}
    document, note = with_task_defaults(document)
    if note and unused:
        console(stderr=True).print(clean(note), markup=False, soft_wrap=True)
    return parse(document, where, recorded=recorded)


def _parameter_names(document: dict[str, Any]) -> list[str]:
    """The parameters of the problem that a configuration names; none if it cannot be loaded."""
    from ..plugins.loader import load_problem

    campaign = document.get("campaign")
    problem = campaign.get("problem") if isinstance(campaign, dict) else None
    if not isinstance(problem, str):
        return []
    try:
        return [spec.name for spec in load_problem(problem).specs]
    except UserError:
        return []


def start_programs(words: list[str], runs: Path, config: Config) -> dict[str, dict[str, str]]:
    """Start programs by name: your files, programs that the problem ships, or a run's elites.

    Args:
        words: of `--start`; empty for the problem's own start programs.
        runs: folder of the runs.
        config: of the campaign, whose problem ships programs.

    Raises:
        UserError: a word names none of these.
    """
    from ...sandbox.base import MAIN_FILE

    programs: dict[str, dict[str, str]] = {}
    shipped = _shipped_programs(config) if any(not Path(word).is_file() for word in words) else {}
    for word in words:
        path = Path(word)
        if not word.strip():
            raise UserError(USAGE, f"--start {word!r}: an empty name, {_STARTS}")
        if path.is_file():
            programs[word if path.name in programs else path.name] = read_program(path)
        elif word in shipped:
            programs[word] = {MAIN_FILE: shipped[word]}
        elif path.suffix == ".py":
            raise UserError(USAGE, f"--start {word}: no such file, {_STARTS}")
        else:
            programs.update(_elites(word, runs, shipped))
    return programs


def _shipped_programs(config: Config) -> dict[str, str]:
    """Name → source of the programs that the campaign's problem ships."""
    from ..plugins.loader import load_problem
    from ..setup.baselines import shipped_programs

    return shipped_programs(load_problem(config.campaign.problem, config.problem).problem)


def _elites(word: str, runs: Path, shipped: dict[str, str]) -> dict[str, dict[str, str]]:
    """The elites of the run that a word names; the error for others suggests shipped programs too."""
    from ...evolve.store.schema import FILE_NAME
    from ..runs.folders import find_run
    from ..runs.resume import elites_of

    try:
        return elites_of(find_run(word, runs))
    except UserError as error:
        if Path(word).is_dir() and not (Path(word) / FILE_NAME).exists():
            raise UserError(USAGE, f"--start {word}: a folder that holds no run, {_STARTS}") from error
        near = difflib.get_close_matches(word, shipped, 3, 0.6)
        if not near:
            raise UserError(
                error.code, f"--start {word}: {error}", "; ".join(filter(None, (_STARTS, error.hint)))
            ) from error
        hint = f"did you mean {', '.join(near)}?"
        raise UserError(USAGE, f"--start {word}: no file, program of the problem or run", hint) from error


_MOST_PROGRAM_BYTES = 2**20
"""Of a file that is read as a program; the sandbox takes a sixteenth."""


def read_program(path: Path) -> dict[str, str]:
    """A program's files from a path.

    Raises:
        UserError: it cannot be read, is no UTF-8 text, or far longer than any program.
    """
    from ...sandbox.base import MAIN_FILE

    try:
        with path.open("rb") as stream:
            content = stream.read(_MOST_PROGRAM_BYTES + 1)  # a device never ends
        if len(content) > _MOST_PROGRAM_BYTES:
            raise UserError(INVALID, f"{path}: more than {_MOST_PROGRAM_BYTES:,} bytes, expected a program")
        with io.TextIOWrapper(io.BytesIO(content), "utf-8-sig") as text:
            return {MAIN_FILE: text.read()}
    except OSError as error:
        raise UserError(USAGE, f"{path}: {error.strerror}, expected a Python file") from error
    except UnicodeDecodeError as error:
        raise UserError(INVALID, f"{path}: {error}, expected UTF-8 text") from error

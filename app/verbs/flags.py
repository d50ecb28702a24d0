"""Arguments and flags become a configuration and start programs."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import INVALID, USAGE, UserError

if TYPE_CHECKING:
    from ..config import Config


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
    from ..assignments import choose_models, override
    from ..config import parse, read
    from ..door.foreign import with_task_defaults
    from ..record.own_file import check_file
    from ..words import clean
    from .terminal import console

    document: dict[str, Any] = {}
    where = "command line"
    if what.endswith(".toml"):
        document, where = read(Path(what)), what
        check_file(Path(what), parse(document, what), without or ())
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
    return parse(document, where)


def _parameter_names(document: dict[str, Any]) -> list[str]:
    """The parameters of the problem that a configuration names; none if it cannot be loaded."""
    from ..door.plugins import load_problem

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
    from ..door.plugins import load_problem
    from ..opening.baselines import shipped_programs

    return shipped_programs(load_problem(config.campaign.problem, config.problem).problem)


def _elites(word: str, runs: Path, shipped: dict[str, str]) -> dict[str, dict[str, str]]:
    """The elites of the run that a word names; the error for others suggests shipped programs too."""
    from ...evolve.store.schema import FILE_NAME
    from ..record.resume import elites_of
    from ..record.runs import find_run

    try:
        return elites_of(find_run(word, runs))
    except UserError as error:
        if Path(word).is_dir() and not (Path(word) / FILE_NAME).exists():
            raise UserError(USAGE, f"--start {word}: a folder that holds no run, {_STARTS}") from error
        near = difflib.get_close_matches(word, shipped, 3, 0.6)
        if not near:
            raise
        hint = f"did you mean {', '.join(near)}?"
        raise UserError(USAGE, f"--start {word}: no file, program of the problem or run", hint) from error


def read_program(path: Path) -> dict[str, str]:
    """A program's files from a path.

    Raises:
        UserError: it cannot be read or is no UTF-8 text.
    """
    from ...sandbox.base import MAIN_FILE

    try:
        return {MAIN_FILE: path.read_text("utf-8-sig")}
    except OSError as error:
        raise UserError(USAGE, f"{path}: {error.strerror}, expected a Python file") from error
    except UnicodeDecodeError as error:
        raise UserError(INVALID, f"{path}: {error}, expected UTF-8 text") from error

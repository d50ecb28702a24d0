"""Arguments and flags become a configuration and start programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import INVALID, USAGE, UserError

if TYPE_CHECKING:
    from ..config import Config


def build_config(
    what: str,
    assign: list[str],
    *,
    model: list[str] | None = None,
    budget: dict[str, Any] | None = None,
    seed: int | None = None,
    workers: int | None = None,
    without: list[str] | None = None,
    instances: list[str] | None = None,
    control: str | None = None,
) -> Config:
    """The configuration of a file or a problem's name with all flags applied.

    Raises:
        UserError: a key or value is wrong.
    """
    from ..assignments import choose_models, override
    from ..config import parse, read
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
    document = override(document, assign)
    flags = {
        "campaign": {"seed": seed, "control": control},
        "budget": budget or {},
        "run": {"workers": workers},
        "sandbox": {"without": without},
        "evaluation": {"instances": instances},
    }
    for section, values in flags.items():
        known = {key: value for key, value in values.items() if value is not None}
        if known and isinstance(document.get(section, {}), dict):  # `parse` names what is no table
            document[section] = {**document.get(section, {}), **known}
    return parse(document, where)


def start_programs(given: list[str], runs: Path) -> dict[str, dict[str, str]]:
    """Start programs from files (your own) or runs (their elites); empty for the problem's own."""
    from ..record.resume import elites_of
    from ..record.runs import find_run

    programs: dict[str, dict[str, str]] = {}
    for text in given:
        path = Path(text)
        if path.is_file():
            programs[text if path.name in programs else path.name] = read_program(path)
        elif path.suffix == ".py":
            raise UserError(USAGE, f"--start {text}: no such file, expected a program or a run")
        else:
            programs.update(elites_of(find_run(text, runs)))
    return programs


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

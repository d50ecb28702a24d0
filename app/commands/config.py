"""`config`: the resolved configuration, a starter file, the meaning of one key."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Json, Sentences, Set
from .terminal import console, emit_json, errors

app = typer.Typer(
    help="The resolved configuration, a starter file, one key's meaning.", no_args_is_help=True, cls=Sentences
)


@app.command()
def show(
    what: Annotated[str, typer.Argument(metavar="PROBLEM|campaign.toml")] = "smtt",
    assign: Set = None,
    json: Json = False,
) -> None:
    """Show the resolved configuration, defaults included."""
    with errors(json):
        from ..config import resolve_budget
        from ..formatting import dump
        from ..plugins.loader import load_problem
        from .options import build_config

        config = resolve_budget(build_config(what, assign or []))
        document = config.document()
        document["problem"] = dict(load_problem(config.campaign.problem, config.problem).parameters)
        if json:
            emit_json(document)
        else:
            console().print(dump(document), markup=False)


@app.command()
def init(
    file: Annotated[Path, typer.Argument(metavar="FILE")] = Path("campaign.toml"),
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
    json: Json = False,
) -> None:
    """Write a commented starter file with every key at its default."""
    with errors(json):
        import shlex

        from ..config import starter
        from .terminal import write_new

        write_new(file, starter(), force)
        if json:
            emit_json({"written": str(file)})
        else:
            start = shlex.join(["gapsmith", "run", str(file)])
            console().print(f"{file}: written; start with `{start}`", markup=False)


@app.command()
def explain(key: Annotated[str, typer.Argument(metavar="SECTION.KEY")], json: Json = False) -> None:
    """Tell one key's meaning, unit, range and default."""
    with errors(json):
        from ..config import describe

        section, _, name = key.partition(".")
        text = describe(section, name)
        if json:
            emit_json({"key": key, "text": text})
        else:
            console().print(text, markup=False)

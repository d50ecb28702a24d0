"""Verbs about this installation and its settings: `config` and `doctor`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import TROUBLE, UNSAFE
from ..views.words import clean
from .common import Json, Set, Without, console, emit_json, errors


def register(app: typer.Typer) -> None:
    """Adds the verbs to the command line."""
    group = typer.Typer(
        help="The resolved configuration, a starter file, one key's meaning.", no_args_is_help=True
    )
    group.command("show")(show)
    group.command("init")(init)
    group.command("explain")(explain)
    app.add_typer(group, name="config")
    app.command("doctor")(doctor)


def show(
    what: Annotated[str, typer.Argument(metavar="[PROBLEM|campaign.toml]")] = "smtt",
    assign: Set = None,
    json: Json = False,
) -> None:
    """Show the resolved configuration, defaults included."""
    with errors(json):
        from ..compose import resolve_budget
        from ..config import dump
        from ..opening.setup import open_problem
        from .flags import build_config

        config = resolve_budget(build_config(what, assign or []))
        document = config.model_dump(mode="json")
        document["problem"] = dict(open_problem(config).parameters)
        if json:
            emit_json(document)
        else:
            console().print(dump(document), markup=False)


def init(
    file: Annotated[Path, typer.Argument(metavar="FILE")] = Path("campaign.toml"),
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
    json: Json = False,
) -> None:
    """Write a commented starter file with every key at its default."""
    with errors(json):
        import shlex

        from ..config import starter
        from .inspect import write_new

        write_new(file, starter(), force)
        if json:
            emit_json({"written": str(file)})
        else:
            start = shlex.join(["gapsmith", "run", str(file)])
            console().print(f"{file}: written; start with `{start}`", markup=False)


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


def doctor(
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model", metavar="SPEC", help="Ask it one short question: is it reachable? (repeatable)"
        ),
    ] = None,
    assign: Set = None,
    unsafe_without: Without = None,
    json: Json = False,
) -> None:
    """Check versions, solvers, the sandbox's layers and its self-test, which keys are present, and models."""
    with errors(json):
        from ..audit.doctor import examine
        from .flags import build_config

        config = build_config("smtt", assign or [], model=model, without=unsafe_without)
        document = examine(frozenset(config.sandbox.without), config.model)
        if json:
            emit_json(document)
        else:
            _print_doctor(document)
        if document["sandbox"]["self_test"] != "passed":
            raise typer.Exit(UNSAFE)
        if not all(row["reachable"] for row in document["models"]):
            raise typer.Exit(TROUBLE)


def _print_doctor(document: dict[str, Any]) -> None:
    out = console()
    for name, version in document["versions"].items():
        out.print(f"{name:<14} {version or 'not installed'}", markup=False)
    for name, state in document["solvers"].items():
        out.print(f"solver {name:<7} {state}", markup=False)
    for name, layer in document["sandbox"]["layers"].items():
        state = "active" if layer["active"] else "off"
        out.print(f"layer {name:<11} {state:<7} {layer['reason']}", markup=False)
    out.print(f"self-test      {document['sandbox']['self_test']}", markup=False)
    if document["sandbox"]["reason"]:
        out.print(f"               {document['sandbox']['reason']}", markup=False)
    for name, present in document["keys"].items():
        out.print(f"{name:<22} {'present' if present else 'not set'}", markup=False)
    for row in document["models"]:
        said = f"answered after {row['wall_seconds']:.1f} s" if row["reachable"] else row["reason"]
        out.print(clean(f"model {row['spec']:<16} {said}"), markup=False)

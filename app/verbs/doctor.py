"""`doctor`: what works on this machine."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ..errors import TROUBLE, UNSAFE
from ..words import clean
from .common import Json, Set, Without
from .terminal import console, emit_json, errors


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

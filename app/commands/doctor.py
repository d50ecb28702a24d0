"""`doctor`: what works on this machine."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ..errors import INVALID, MISSING, TROUBLE, UNSAFE, USAGE, UserError
from ..formatting import clean
from .options import Json, Set, Without
from .terminal import console, emit_json, errors


def doctor(
    task: Annotated[
        str | None,
        typer.Argument(
            metavar="TASK",
            help="Look at openevolve:PATH, or another tool's: packages, workshop, unused keys; nothing else.",
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model", metavar="SPEC", help="Ask it one short question: is it reachable? (repeatable)"
        ),
    ] = None,
    nodes: Annotated[
        str | None,
        typer.Option(
            "--nodes", metavar="ray[://HOST:PORT]", help="Check each node of a Ray cluster; nothing else."
        ),
    ] = None,
    assign: Set = None,
    unsafe_without: Without = None,
    json: Json = False,
) -> None:
    """Check versions, solvers, the sandbox's layers and its self-test, which keys are present, and models."""
    with errors(json):
        from ...evaluators.toolbox.runners import without_pandas
        from ..analysis.doctor import examine
        from .options import build_config

        if task is not None:
            _task(task, assign or [], unsafe_without or [], json)
            return
        config = build_config("smtt", assign or [], model=model, workers=nodes, without=unsafe_without)
        if nodes is not None:
            _nodes(nodes, frozenset(config.sandbox.without), json)
            return
        without_pandas()
        document = examine(frozenset(config.sandbox.without), config.model)
        if json:
            emit_json(document)
        else:
            _print_doctor(document)
        if document["sandbox"]["self_test"] != "passed":
            raise typer.Exit(UNSAFE)
        if not all(row["reachable"] for row in document["models"]):
            raise typer.Exit(TROUBLE)


def _task(spec: str, assign: list[str], without: list[str], json: bool) -> None:
    """Prints what a task needs and gets; exit code 7 where nothing can be run, 4 if a package is missing."""
    from ..analysis.doctor import examine_task
    from ..config import parse
    from ..overrides import override
    from ..plugins.foreign import TOOLS, is_foreign

    if not is_foreign(spec):
        expected = " or ".join(f"{tool}:PATH" for tool in TOOLS)
        hint = f"`gapsmith problems check {spec}` checks a problem, `gapsmith doctor` this machine"
        raise UserError(USAGE, f"doctor {spec}: expected {expected}", hint)
    table: dict[str, Any] = {"campaign": {"problem": spec}, "sandbox": {"without": without}}
    config = parse(override(table, assign), "command line")
    document = examine_task(spec, config.problem, frozenset(config.sandbox.without))
    if json:
        emit_json(document)
    else:
        _print_task(document)
    if document["workshop"]["self_test"] != "passed":
        raise typer.Exit(UNSAFE)
    if document["install"]:
        raise typer.Exit(MISSING)


def _print_task(document: dict[str, Any]) -> None:
    out = console()
    lines = [f"task           {document['task']}"]
    version = document["python_version"] or "version not known"
    lines.append(f"interpreter    {document['python']} ({version})")
    for name, here in (document["packages"] or {}).items():
        state = "installed" if here["installed"] else "missing" if here["needed"] else "missing, not needed"
        lines.append(f"package {name:<14} {state}")
    if document["install"]:
        lines.append(f"install them   {document['install']}")
    if document["unshared"]:
        lines.append(f"packages are imported by each evaluation: {document['unshared']}")
    elif document["shared"]:
        lines.append(f"imported once for all evaluations: {', '.join(document['shared'])}")
    for name, layer in document["workshop"]["layers"].items():
        lines.append(f"layer {name:<11} {'active' if layer['active'] else 'off':<7} {layer['reason']}")
    lines.append(f"self-test      {document['workshop']['self_test']}")
    lines += [f"               {reason}" for reason in (document["workshop"]["reason"],) if reason]
    unused = ", ".join(document["unused_keys"]) or "none"
    lines.append(f"configuration  {document['configuration'] or 'none'}; keys that are not used: {unused}")
    for line in lines:
        out.print(clean(line), markup=False, soft_wrap=True)


def _nodes(spec: str, without: frozenset[str], json: bool) -> None:
    """Prints a row for each node of a cluster; exit code 7 if one is not safe, 3 if one differs."""
    from ..analysis.doctor import examine_nodes

    rows = examine_nodes(spec, without)
    if json:
        emit_json({"nodes": rows})
    else:
        out = console()
        for row in rows:
            state = "usable" if row["usable"] else f"left out: {row['reason']}"
            what = f"Gapsmith {row['gapsmith']}, Python {row['python']}, {row['machine']}"
            out.print(clean(f"{row['node']}: {row['processors']} processors, {what}: {state}"), markup=False)
    if any(row["self_test"] == "failed" for row in rows):
        raise typer.Exit(UNSAFE)
    if not all(row["usable"] for row in rows):
        raise typer.Exit(INVALID)


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

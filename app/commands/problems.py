"""Verbs about problems: what can be solved, a scaffold for a new one, and its check."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import CHECK_FAILED
from .budget import duration_in_seconds
from .options import Json, Problem, Sentences, Set, parameters
from .terminal import console, emit_json, errors

if TYPE_CHECKING:
    from ...problems.base import Problem as AnyProblem
    from ..check import CheckReport
    from ..plugins.loader import LoadedProblem, ProblemEntry

_FAMILIES = {
    "smtt": "one machine, total tardiness",
    "classics": "classical problems",
    "shops": "job shops",
    "placement": "placement of models on GPUs",
    "training": "training of models",
    "memory": "memory of programs",
    "cluster": "clusters",
    "graphs": "graphs of tasks",
    "serving": "serving of models",
}
"""Package of built-in problems → title in the list."""
_ONE_THREAD = "one: no other can be started, linear algebra gets the same one, and its CPU time counts"

app = typer.Typer(
    help="What can be solved; a new problem of your own, and its check.", no_args_is_help=True, cls=Sentences
)


@app.command("list")
def list_(json: Json = False) -> None:
    """Every built-in and installed problem; a broken plug-in is named with its error."""
    with errors(json):
        from ..plugins.loader import list_problems

        rows = list_problems()
        if json:
            emit_json([_row(entry) for entry in rows])
        else:
            _print_list(rows)


@app.command()
def show(problem: Problem, assign: Set = None, json: Json = False) -> None:
    """A problem's task, sets, parameters, programs, references and optional parts."""
    with errors(json):
        from ..plugins.loader import load_problem

        document = _details(load_problem(problem, parameters(assign)))
        if json:
            emit_json(document)
        else:
            _print_details(document)


@app.command()
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Lower case with hyphens, like night-shift.")],
    package: Annotated[bool, typer.Option("--package", help="A distribution instead of one file.")] = False,
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            help="assignment, permutation, routing, packing, amounts, offsets, online or rule; another word "
            "explains them.",
        ),
    ] = "assignment",
    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="TASK",
            help="Take over openevolve:PATH, skydiscover:PATH or shinka:PATH.",
            show_default=False,
        ),
    ] = "",
    as_class: Annotated[
        bool, typer.Option("--class", help="The class with all its members, not the short form.")
    ] = False,
    folder: Annotated[Path, typer.Option("--folder", help="Where to write.", show_default=False)] = Path(),
    json: Json = False,
) -> None:
    """Write a new problem that runs, checks and improves at once; change it into your own."""
    with errors(json):
        from shlex import quote

        from ..plugins.scaffold import write_problem

        paths = write_problem(name, folder, package=package, kind=kind, source=source, as_class=as_class)
        if json:
            emit_json({"problem": name, "files": [str(path) for path in paths]})
            return
        out = console()
        for path in paths:
            out.print(f"wrote {path}", markup=False)
        spec = name if package else quote(str(paths[0]))
        if source:
            out.print(f"next: fill in the places marked TO DO in {spec}", markup=False)
        if package:
            out.print(f"next: pip install -e {quote(str(paths[0].parent.parent))}", markup=False)
        out.print(f"next: gapsmith problems check {spec}", markup=False)
        out.print(f"next: gapsmith run {spec}", markup=False)


@app.command()
def read(
    problem: Problem,
    sources: Annotated[
        list[str],
        typer.Argument(metavar="FILE", help="Files, folders, patterns or archives (zip, tar, gz)."),
    ],
    assign: Set = None,
    json: Json = False,
) -> None:
    """Read instance files, and say of each what was read or why it was refused."""
    with errors(json):
        from ..plugins.instance_files import readings_of
        from ..plugins.loader import load_problem
        from ..views.tables import print_readings

        loaded = load_problem(problem, parameters(assign))
        rows = [
            {"file": one.name, "instances": len(one.instances), "fault": one.fault}
            for source in sources
            for one in readings_of(loaded, source)
        ]
        refused = sum(row["fault"] is not None for row in rows)
        if json:
            emit_json({"problem": loaded.name, "files": rows, "refused": refused})
        else:
            print_readings(console(), rows, refused)
        if refused:
            raise typer.Exit(CHECK_FAILED)


@app.command()
def check(
    problem: Problem,
    assign: Set = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            parser=duration_in_seconds,
            metavar="TIME",
            help="Most wall seconds of the whole check; a check that is left out for that is named, "
            "and the problem has not passed.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Test a problem's contract, and attack its verification as candidates would."""
    with errors(json):
        import sys
        from contextlib import redirect_stdout

        from ..check import check_problem
        from ..check.check_record import remember
        from ..plugins.loader import load_problem

        with console(stderr=True).status("checking") as status, redirect_stdout(sys.stderr):
            report = check_problem(
                problem,
                parameters(assign),
                notify=lambda name: status.update(f"checking: {name}"),
                limit=seconds,
            )
            if report.whole:
                remember(load_problem(problem, parameters(assign)), report)
        if json:
            emit_json(report.document())
        else:
            _print_report(report)
        if not (report.passed and report.whole):
            raise typer.Exit(CHECK_FAILED)


def _row(entry: ProblemEntry) -> dict[str, Any]:
    """One problem of the list."""
    from ..check.parts import parts_of

    loaded = entry.loaded
    if loaded is None:
        error = entry.error
        return {
            "name": entry.name,
            "origin": entry.origin,
            "error": error and {"message": error.message, "hint": error.hint},
        }
    problem = loaded.problem
    return {
        "name": entry.name,
        "origin": loaded.origin,
        "family": _family(entry.name),
        "summary": _summary(problem),
        "version": problem.version,
        "sense": problem.sense.value,
        "unit": problem.unit,
        "sets": list(problem.sets()),
        "reference_kinds": _declared_kinds(loaded),
        "references": None if loaded.references is None else loaded.references.version,
        "parts": [name for name, has in parts_of(problem).items() if has],
        "error": None,
    }


def _family(name: str) -> str:
    """The family that a problem is listed in: that of its built-in package, or `installed`."""
    from ..plugins.loader import BUILT_INS

    if name not in BUILT_INS:
        return "installed"
    package = BUILT_INS[name].partition(":")[0].split(".")[2]
    return _FAMILIES.get(package, package.replace("_", " "))


def _summary(problem: AnyProblem) -> str:
    """A problem in one sentence: the first paragraph of its class, else the beginning of its statement."""
    import inspect

    paragraph = (inspect.getdoc(type(problem)) or "").partition("\n\n")[0]
    return " ".join(paragraph.split()) or problem.statement.partition(". ")[0].rstrip(".") + "."


def _details(loaded: LoadedProblem) -> dict[str, Any]:
    """Everything about one problem."""
    from ..check.parts import parts_of

    problem = loaded.problem
    return {
        "name": loaded.name,
        "origin": loaded.origin,
        "version": problem.version,
        "digest": loaded.digest,
        "sense": problem.sense.value,
        "unit": problem.unit,
        "entry_point": problem.entry_point,
        "signature": problem.signature,
        "statement": problem.statement,
        "answers": None if (kind := getattr(problem, "answer_kind", None)) is None else repr(kind),
        "limits": _limits(loaded),
        "sets": dict(problem.sets()),
        "parameters": [
            {
                "name": spec.name,
                "value": loaded.parameters[spec.name],
                "default": spec.default,
                "expected": spec.expected,
                "meaning": spec.parameter.meaning,
            }
            for spec in loaded.specs
        ],
        "start_programs": list(problem.start_programs()),
        "baselines": list(problem.baselines()),
        "references": None if loaded.references is None else loaded.references.version,
        **_known(loaded),
        "parts": parts_of(problem),
        "instance_format": getattr(problem, "instance_format", None),
    }


def _limits(loaded: LoadedProblem) -> dict[str, Any]:
    """What a program may use: CPU seconds and MiB of an execution, modules, threads, and what it may keep."""
    from ...problems.base import DescribesCalls, Driven
    from ...problems.reported import Reported
    from ..config import Config
    from ..setup.prepare import with_limits

    problem = loaded.problem
    reported = isinstance(problem, Reported)
    sandbox = with_limits(Config(), loaded).sandbox
    keeps = "nothing: it is called once for an instance, in a process of its own"
    if isinstance(problem, DescribesCalls):
        keeps = problem.calls
    elif isinstance(problem, Driven):
        keeps = (
            "as its task says: the problem calls it within one execution, which is in a process of its own; "
            "nothing from one instance to the next"
        )
    return {
        "cpu_seconds": sandbox.limits.cpu_seconds,
        "memory_mb": sandbox.memory_mb,
        "modules": None if reported else sorted({name.partition(".")[0] for name in sandbox.policy.modules}),
        "threads": "as its evaluator starts them; linear algebra gets one" if reported else _ONE_THREAD,
        "keeps": keeps,
    }


def _declared_kinds(loaded: LoadedProblem) -> list[str] | None:
    """Kinds that a problem's references declare (attribute `kinds`), None if they do not."""
    if loaded.references is None:
        return ["baseline"]
    kinds = getattr(loaded.references, "kinds", None)
    return None if kinds is None else [str(kind) for kind in kinds]


def _known(loaded: LoadedProblem) -> dict[str, Any]:
    """What is known of the references that are computed already, nulls without references.

    `reference_kinds` maps split → kind → count, `proofs` kind of proof → count over all splits.
    """
    from collections import Counter

    from ...problems.base import SPLITS
    from ..config import Config
    from ..setup.references import stored
    from ..setup.setup import installed

    if loaded.references is None:
        return {"reference_kinds": None, "proofs": None}
    loaded = installed(loaded)
    proofs: Counter[str] = Counter()
    kinds: dict[str, dict[str, int]] = {}
    section = Config().evaluation
    for split in SPLITS:
        counts: dict[str, int] = {}
        for instance in loaded.instances(split, section.instance_seed):
            reference = stored(loaded, instance, section.reference_seconds)
            kind = "not computed yet" if reference is None else reference.kind.value
            counts[kind] = counts.get(kind, 0) + 1
            if reference is not None and reference.proof is not None:
                proofs[reference.proof.value] += 1
        kinds[split] = counts
    return {"reference_kinds": kinds, "proofs": dict(proofs)}


def _print_list(problems: list[ProblemEntry]) -> None:
    """Families of problems, four lines for each problem; broken ones last, with their error."""
    out = console()
    rows = [row for row in (_row(entry) for entry in problems) if row["error"] is None]
    family = None
    for row in rows:
        if row["family"] != family:
            out.print("" if family is None else "\n", end="")
            family = row["family"]
            out.print(family.upper(), markup=False)
        kinds = ", ".join(row["reference_kinds"] or ["kinds not declared"]).replace("_", " ")
        references = f"{kinds} (version {row['references']})" if row["references"] else "the best baseline"
        out.print(f"{row['name']} {row['version']}  ({row['origin']})", style="bold", markup=False)
        out.print(f"  {row['summary']}", markup=False)
        out.print(f"  {row['sense']} {row['unit']}; references: {references}", markup=False)
        parts = ", ".join(row["parts"]) or "no optional parts"
        out.print(f"  {len(row['sets'])} sets: {_few(row['sets'])}; {parts}", markup=False)
    for entry in problems:
        if entry.error is not None:
            out.print(f"broken: {entry.error.message}", markup=False, style="red")
            if entry.error.hint:
                out.print(f"  hint: {entry.error.hint}", markup=False)


def _few(names: list[str], most: int = 5) -> str:
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def _print_details(document: dict[str, Any]) -> None:
    from rich.table import Table

    from ..formatting import standings

    out = console()

    def say(text: str = "") -> None:
        out.print(text, markup=False)

    say(f"{document['name']} {document['version']}  ({document['origin']})")
    say(f"{document['sense']} {document['unit']}")
    say()
    say(document["statement"])
    say()
    say(document["signature"])
    if document["answers"]:
        say(f"each answer, or decision, is checked as {document['answers']}")
    say()
    limits = document["limits"]
    modules = "whatever is installed" if limits["modules"] is None else ", ".join(limits["modules"])
    say(f"CPU limit: {limits['cpu_seconds']:g} s for an instance; memory: {limits['memory_mb']:g} MiB")
    say(f"modules: {modules}")
    say(f"threads: {limits['threads']}")
    say(f"keeps between calls: {limits['keeps']}")
    say()
    table = Table(box=None, pad_edge=False, title="sets", title_justify="left")
    table.add_column("name")
    table.add_column("what it holds")
    for name, words in document["sets"].items():
        table.add_row(name, words)
    out.print(table)
    if document["parameters"]:
        table = Table(box=None, pad_edge=False, title="\n[problem] parameters", title_justify="left")
        for title in ("key", "value", "expected", "meaning"):
            table.add_column(title, overflow="fold")
        for row in document["parameters"]:
            table.add_row(row["name"], str(row["value"]), row["expected"], row["meaning"])
        out.print(table)
    say()
    say(f"start programs: {', '.join(document['start_programs'])}")
    say(f"baselines: {', '.join(document['baselines']) or 'none'}")
    version = document["references"]
    none = "the best baseline of each instance; no optimality gap"
    say(f"references: version {version}" if version else f"references: {none}")
    for split, counts in (document["reference_kinds"] or {}).items():
        say(f"  {split}: " + ", ".join(f"{count} {kind}" for kind, count in counts.items()))
    if document["proofs"]:
        say(f"  proofs: {standings(document['proofs'])}")
    has = [name for name, there in document["parts"].items() if there]
    say(f"optional parts: {', '.join(has) or 'none'}")
    if document["instance_format"]:
        say(f"files: {document['instance_format']}")


def _print_report(report: CheckReport) -> None:
    from ..check.findings import shown

    out = console()
    for row in shown(report.findings):
        out.print(row.finding.check, style="bold red", markup=False)
        for name in ("sent", "got", "why", "fix"):
            out.print(f"  {name + ':':<6}{getattr(row.finding, name)}", markup=False)
        if len(row.splits) > 1:
            out.print(f"  sets: the same for {', '.join(row.splits)}", markup=False)
    seconds = report.measured.get("seconds")
    made = len(report.checks)
    if report.passed and report.whole:
        out.print(f"{report.problem}: passed {made} checks in {seconds} s", markup=False)
    elif report.passed:
        of_all = f"{made} of {made + len(report.left_out)} checks"
        out.print(f"{report.problem}: not passed yet: made {of_all} in {seconds} s", markup=False)
    else:
        count = len(report.findings)
        out.print(f"{report.problem}: {count} finding{'s' * (count > 1)} in {seconds} s", markup=False)
    if report.left_out:
        names = ", ".join(report.left_out)
        out.print(
            f"no time for {len(report.left_out)} checks (a longer --seconds makes them): {names}",
            markup=False,
        )
    if report.unseen:
        out.print("not seen by this check:", markup=False)
    for line in report.unseen:
        out.print(f"- {line}", markup=False)

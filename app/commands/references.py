"""Verbs about references: list, build and re-prove the certified values that gaps are relative to."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import CHECK_FAILED
from .budget import duration_in_seconds
from .options import Json, Problem, Sentences, Set, Slots, one_set, parameters
from .terminal import console, emit_json, errors

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...problems.base import Instance
    from ..plugins.loader import LoadedProblem

app = typer.Typer(help="The proven values that gaps are relative to.", no_args_is_help=True, cls=Sentences)


POOL = "pool"
"""In place of a split: the instances that the default pool of a campaign adds to the training set."""

Instances = Annotated[
    str | None,
    typer.Option("--instances", metavar="SET|FILE", help="A split, a named set or a file [default: splits]."),
]


Split = Annotated[
    str | None,
    typer.Option("--split", help="train, valid, test, or pool: what a campaign adds [default: first three]."),
]


Seconds = Annotated[
    float | None,
    typer.Option(
        "--seconds",
        parser=duration_in_seconds,
        metavar="TIME",
        help="Wall seconds for each, or as 2min [default: 10].",
        show_default=False,
    ),
]


Seed = Annotated[
    int | None, typer.Option("--seed", min=0, help="Of the instances [default: 1].", show_default=False)
]


Ship = Annotated[
    bool,
    typer.Option("--ship", help="Write certificates into the package's own file: for whoever builds it."),
]


Sample = Annotated[int | None, typer.Option("--sample", min=1, help="Only N of them, evenly spaced.")]


@app.command()
def show(
    problem: Problem,
    split: Split = None,
    instances: Instances = None,
    sample: Sample = None,
    seed: Seed = None,
    assign: Set = None,
    json: Json = False,
) -> None:
    """The stored reference of each instance, with its kind and proof."""
    with errors(json):
        from ..setup.references import table

        loaded, instance_list = _choose(problem, split, instances, sample, seed, assign)
        rows = table(loaded, instance_list)
        if json:
            emit_json({"problem": loaded.name, "unit": loaded.problem.unit, "references": rows})
        else:
            _print_rows(rows, loaded.problem.unit)


@app.command()
def compute(
    problem: Problem,
    split: Split = None,
    instances: Instances = None,
    sample: Sample = None,
    seconds: Seconds = None,
    seed: Seed = None,
    workers: Slots = None,
    assign: Set = None,
    ship: Ship = False,
    json: Json = False,
) -> None:
    """Compute what is not stored yet; may be stopped and started again at any time."""
    with errors(json):
        from ..setup.references import compute as compute_references
        from ..setup.references import ship as ship_references

        loaded, instance_list = _choose(problem, split, instances, sample, seed, assign, secret=not ship)
        work = ship_references if ship else compute_references
        document = _with_bar("references", work, loaded, instance_list, seconds, workers)
        if json:
            emit_json(document)
            return
        kinds = ", ".join(f"{count} {kind}" for kind, count in document["kinds"].items())
        if ship:
            console().print(
                f"{loaded.name}: {document['instances']} certificates, {document['stored']} closed before, "
                f"{document['computed']} computed in {document['wall_seconds']} s, {document['shipped']} "
                f"written ({kinds or 'none'})",
                markup=False,
            )
            return
        console().print(
            f"{loaded.name}: {document['instances']} references ({kinds}); {document['stored']} were stored, "
            f"{document['computed']} computed in {document['wall_seconds']} s",
            markup=False,
        )


@app.command()
def verify(
    problem: Problem,
    split: Split = None,
    instances: Instances = None,
    sample: Sample = None,
    seconds: Seconds = None,
    seed: Seed = None,
    workers: Slots = None,
    assign: Set = None,
    json: Json = False,
) -> None:
    """Prove references once more and compare; exit code 5 if one differs."""
    with errors(json):
        from ..setup.references import verify as verify_references

        loaded, instance_list = _choose(problem, split, instances, sample, seed, assign)
        document = _with_bar("proofs", verify_references, loaded, instance_list, seconds, workers)
        if json:
            emit_json(document)
        else:
            _print_verification(document)
        if document["differences"]:
            raise typer.Exit(CHECK_FAILED)


def _choose(
    problem: str,
    split: str | None,
    instances: str | None,
    sample: int | None,
    seed: int | None,
    assign: list[str] | None,
    secret: bool = True,
) -> tuple[LoadedProblem, list[Instance]]:
    """The problem, and the instances that are meant: what ships is of the public draw, without a secret."""
    from ...problems.base import SPLITS
    from ..config import Config, parse
    from ..plugins.instance_files import names_file, read_source
    from ..plugins.loader import load_problem
    from ..setup.instances import further
    from ..setup.setup import installed

    set_name = one_set(split, instances)
    loaded = load_problem(problem, parameters(assign))
    if secret:
        loaded = installed(loaded)
    draw = Config().evaluation.instance_seed if seed is None else seed
    if set_name is not None and set_name not in loaded.problem.sets() and names_file(set_name):
        drawn = list(read_source(loaded, set_name))
    elif set_name == POOL and POOL not in loaded.problem.sets():
        config = parse({"evaluation": {"instance_seed": draw}}, "references")
        splits = {name: loaded.instances(name, draw) for name in SPLITS}
        drawn = further(loaded, config, splits)
    else:
        names = SPLITS if set_name is None else (set_name,)
        drawn = [instance for name in names for instance in loaded.instances(name, draw)]
    if sample is not None and sample < len(drawn):
        drawn = [drawn[k * len(drawn) // sample] for k in range(sample)]
    return loaded, drawn


def _with_bar(
    title: str,
    work: Callable[..., dict[str, Any]],
    loaded: LoadedProblem,
    instances: list[Instance],
    seconds: float | None,
    workers: int | str | None,
) -> dict[str, Any]:
    """Computes or proves the references of instances under a progress bar on standard error."""
    from rich.progress import Progress

    from ..config import Config

    seconds = seconds or Config().evaluation.reference_seconds
    with Progress(console=console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)

        def progress(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        return work(loaded, instances, seconds, workers=workers, progress=progress)


def _print_rows(rows: list[dict[str, Any]], unit: str) -> None:
    from rich.table import Table

    from ...problems.base import decode_number
    from ..formatting import UNKNOWN, standings

    table = Table(box=None, pad_edge=False)
    for title in ("instance", f"value ({unit})", "kind", "proof", "solver", "seconds"):
        table.add_column(title, overflow="fold")
    for row in rows:
        if row["value"] is None:
            table.add_row(row["instance"], UNKNOWN, "not computed yet")
            continue
        value = decode_number(row["value"])
        text = str(value) if isinstance(value, int) else f"{float(value):.6g}"
        seconds = UNKNOWN if row["wall_seconds"] is None else f"{row['wall_seconds']:.3f}"
        table.add_row(row["instance"], text, row["kind"], row["proof"] or UNKNOWN, row["solver"], seconds)
    console().print(table)
    if proofs := Counter(row["proof"] for row in rows if row["proof"] is not None):
        console().print(f"proofs: {standings(proofs)}", markup=False)


def _print_verification(document: dict[str, Any]) -> None:
    out = console()
    proofs = ", ".join(f"{count} by {kind}" for kind, count in document["by_proof"].items())
    for row in document["differences"]:
        out.print(f"{row['what']}: recorded {row['recorded']}, now {row['now']}", markup=False, style="red")
    out.print(
        f"{document['problem']}: {document['agree']} of {document['checked']} references agree ({proofs})",
        markup=False,
    )
    if answers := document["answers_checked"]:
        out.print(
            f"{answers} of them ship with an answer, judged by the problem's own verification", markup=False
        )
    if bounded := document["optima_not_proved_again"]:
        out.print(
            f"{bounded} of them optima that only met a bound this time: not contradicted, not proved again; "
            "--seconds gives each more time",
            markup=False,
        )
    if weaker := document["bounds_not_reached_again"]:
        out.print(
            f"{weaker} of them bounds that only met a weaker one this time: not proved again", markup=False
        )

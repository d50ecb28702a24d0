"""`demo`: a first campaign that takes a minute and draws what it found."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import USAGE, UserError
from .budget import Limits, budget_of
from .options import Json, Runs
from .terminal import console, emit_json, errors

if TYPE_CHECKING:
    from ..runs.record import RunRecord

SECONDS = 52.0
"""Wall seconds of a demonstration's campaign; start, chart and report fit into the rest of a minute."""


@dataclass(frozen=True, slots=True)
class Demonstration:
    """A problem that a search improves on within a minute.

    Attributes:
        what: the decision, one line.
        where: when a heuristic is needed although there is an exact method.
    """

    what: str
    where: str


DEMOS = {
    "job-shop": Demonstration(
        "operations of jobs on machines: minimise the makespan",
        "a heuristic is needed where a plan must be there in milliseconds, or for shops that are larger than "
        "these",
    ),
    "smtt": Demonstration(
        "the order of jobs on one machine: minimise the total tardiness",
        "at this size take the exact method; a heuristic is needed as a rule in a larger model, or where no "
        "solver may be installed",
    ),
    "bin-packing": Demonstration(
        "items in bins: minimise the bins",
        "a heuristic is needed where a packing must be there in milliseconds, or for many more items",
    ),
    "expert-placement": Demonstration(
        "copies of experts on GPUs: minimise the largest load",
        "the reference is a bound that no answer need reach, so a heuristic is needed for a placement",
    ),
}
"""Problem → what is shown, the default first."""


def demo(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="What is shown; --list names all.", show_default=True)
    ] = "job-shop",
    list_: Annotated[bool, typer.Option("--list", help="Name what can be shown.")] = False,
    seed: Annotated[int, typer.Option("--seed", min=0, metavar="NUMBER", help="Of the search.")] = 1,
    limits: Limits = None,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Find a better heuristic within a minute, without a key, and draw what it does."""
    with errors(json):
        if list_:
            _list(json)
            return
        if name not in DEMOS:
            raise UserError(
                USAGE,
                f"demo {name}: expected one of {', '.join(DEMOS)}",
                "`gapsmith demo --list` says what each shows",
            )
        began = time.monotonic()
        document, folder = _search(name, seed, budget_of(limits) or {"seconds": SECONDS}, runs)
        from ..runs.record import open_record

        with open_record(folder) as record:
            report = _report(record, folder)
            seconds = time.monotonic() - began
            last = f"{_exact(document)}; {DEMOS[name].where}"
            if json:
                shown = {"report": str(report), "exact_method": last, "demo_seconds": seconds}
                emit_json({**document, "demo": shown})
                return
            _show(record, document)
        console().print(
            f"\n{document['run']} took {seconds:.0f} s; the whole report: {report}\n{last}", markup=False
        )
        from .session import print_next

        print_next(document, runs)


def _list(json: bool) -> None:
    if json:
        emit_json([{"name": name, "what": one.what, "where": one.where} for name, one in DEMOS.items()])
        return
    for name, one in DEMOS.items():
        console().print(f"gapsmith demo {name:<17} {one.what}", markup=False)


def _search(name: str, seed: int, budget: dict[str, Any], runs: Path | None) -> tuple[dict[str, Any], Path]:
    """Runs the campaign: its document and its folder."""
    from threading import Event

    from ..runs.folders import new_name, runs_folder
    from .options import build_config
    from .session import search_new

    config = build_config(name, [], budget=budget, seed=seed)
    folder = runs_folder(runs)
    run = new_name(name, seed, time.time())
    return search_new(config, folder, run, {}, None, Event()), folder / run


def _exact(document: dict[str, Any]) -> str:
    """What the exact method takes for the validation instances, and what the champion takes."""
    from ..formatting import time_words

    best = document["best"]
    figures = best and (best["splits"]["test"] or best["splits"]["valid"])
    took = "" if not figures else f"; the champion takes {time_words(figures['cpu_seconds_median'])}"
    proof = document["proof"]
    if not proof or not proof["proven"]:
        return f"no exact method proved one of these instances{took}"
    return (
        f"exact method ({', '.join(proof['methods'])}): {proof['proven']} of {proof['instances']} validation "
        f"instances proved, {time_words(proof['seconds_median'])} in the median, 90 % within "
        f"{time_words(proof['seconds_p90'])}{took}"
    )


def _report(record: RunRecord, folder: Path) -> Path:
    """Writes the report and returns where it is."""
    from ..views import report
    from .terminal import write_new

    path = folder / "report.html"
    write_new(path, report.html(record, report.context(record)), True)
    return path.absolute()


def _show(record: RunRecord, document: dict[str, Any]) -> None:
    """Prints the headline, and the answers of best baseline and champion as pictures."""
    from ..formatting import clean
    from ..runs.champions import Conclusion
    from ..runs.stored_run import stored_drawings
    from ..views.plots.drawing import print_drawings

    out = console()
    kept = stored_drawings(record.reader)
    if kept is not None:
        out.print(f"\ntest instance {clean(kept.instance)}, drawn on one scale", markup=False)
        print_drawings(out, {record.title(program): drawing for program, drawing in kept.programs.items()})
    out.print(f"\n{clean(document['headline']['text'])}", markup=False)
    if document["headline"]["verdict"] == Conclusion.NO_IMPROVEMENT:
        longer = f"gapsmith demo {clean(document['problem'])} --budget 3m"
        out.print(f"a machine that has other work to do leaves little of a minute: `{longer}`", markup=False)

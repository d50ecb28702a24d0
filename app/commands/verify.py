"""`verify`: run a record again and compare."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import CHECK_FAILED
from .options import Json, Run, Runs, TrustRun, WithoutAgain, Workers, trust_of
from .run_arguments import folders_of, opened
from .terminal import console, emit_json, errors

_MOST_SHOWN = 10
_LONG_SECONDS = 600.0
"""CPU seconds that a foreign run may take without a word."""


def verify(
    run: Run,
    every: Annotated[bool, typer.Option("--all", help="All elites, not the champions alone.")] = False,
    references: Annotated[
        int, typer.Option("--references", min=0, help="References to prove again (count).")
    ] = 10,
    references_seed: Annotated[
        int | None,
        typer.Option("--references-seed", min=0, help="Draw the references that an earlier call drew."),
    ] = None,
    fresh: Annotated[
        int | None,
        typer.Option("--fresh", min=1, help="Draw N new test instances that nobody could know, and compare."),
    ] = None,
    workers: Workers = None,
    trust_run: TrustRun = False,
    unsafe_without: WithoutAgain = None,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Run the best candidate and the champions of time classes again, and compare every answer and gap.

    RUN may be a FILE.zip of `gapsmith export RUN --bundle`, from another machine.
    """
    with errors(json):
        from ..analysis.verify import check_fresh, seconds_at_most
        from ..analysis.verify import verify as check
        from ..runs.export import champion_difference, is_bundle, unpacked
        from ..runs.trust import Use
        from ..setup.reruns import setup_of_record
        from .evaluate import progress_line

        documents = []
        trust = trust_of(trust_run, unsafe_without)
        with ExitStack() as stack:
            bundled = is_bundle(run)
            folders = [stack.enter_context(unpacked(Path(run)))] if bundled else folders_of(run, runs)
            for folder in folders:
                with opened(folder) as record:
                    setup = setup_of_record(record, trust, uses=[Use.INSTANCE_FILES], workers=workers)
                    if record.foreign:
                        _say_time(
                            record.name, *seconds_at_most(record, setup, every=every, sample=references)
                        )
                    documents.append(
                        check(
                            record,
                            setup,
                            every=every,
                            sample=references,
                            seed=references_seed,
                            notify=progress_line(),
                        )
                    )
                    if bundled:
                        _compare_champion(documents[-1], champion_difference(folder, record))
                    if fresh is not None:
                        documents[-1]["fresh"] = check_fresh(record, setup, fresh)
                if not json:
                    _print(documents[-1])
        if json:
            emit_json(documents[0] if len(documents) == 1 else documents)
        if any(document["differences"] for document in documents):
            raise typer.Exit(CHECK_FAILED)


def _say_time(run: str, recorded: float, limit: float) -> None:
    """Says how long a foreign run may take: its programs need not do as the record says."""
    from ..formatting import duration

    if limit > _LONG_SECONDS:
        console(stderr=True).print(
            f"{run}: its programs took {duration(recorded)} of CPU time, says the record; by its limits they "
            f"and the references may take {duration(limit)}; Ctrl-C ends the check",
            markup=False,
            soft_wrap=True,
        )


def _compare_champion(document: dict[str, Any], difference: dict[str, str] | None) -> None:
    """Adds the comparison of a bundle's champion with that of its store."""
    document["checked"] += 1
    document["compared"]["champion files"] = 1
    if difference is None:
        document["agree"] += 1
    else:
        document["differences"].append(difference)


def _print(document: Mapping[str, Any]) -> None:
    from ..formatting import clean, count

    out = console()
    counts = document["compared"]
    parts = ", ".join(
        f"{number:,} {name.removesuffix('s') if number == 1 else name}" for name, number in counts.items()
    )
    programs = count(len(document["programs"]), "program")
    verdict = "holds" if not document["differences"] else "DOES NOT HOLD"
    out.print(
        f"{document['run']}: the record {verdict}: {document['agree']:,} of {document['checked']:,} "
        f"comparisons agree ({programs}: {parts})",
        markup=False,
        style="green" if not document["differences"] else "red",
    )
    if counts.get("references proved again"):
        out.print(f"  references drawn with --references-seed {document['references_seed']}", markup=False)
    if weaker := document["references_not_proved_again"]:
        out.print(
            f"  {count(weaker, 'reference')} met only a weaker bound or no solver: "
            "not contradicted, not proved again"
        )
    for title, rows in (("differs", document["differences"]), ("changed since", document["changed"])):
        for row in rows[:_MOST_SHOWN]:
            line = f"  {title}: {row['what']}: recorded {_short(row['recorded'])}, now {_short(row['now'])}"
            out.print(clean(line), markup=False)
        if len(rows) > _MOST_SHOWN:
            out.print(f"  … and {len(rows) - _MOST_SHOWN} more; --json lists all", markup=False)
    if document["changed"] and not document["differences"]:
        out.print("  the changes since this run make no difference to the compared results")
    if "fresh" in document:
        _print_fresh(document["fresh"])


def _short(value: object) -> str:
    """A value as text; a digest by its first twelve digits."""
    text = str(value)
    return text[:12] if len(text) == 64 and all(digit in "0123456789abcdef" for digit in text) else text


def _print_fresh(document: Mapping[str, Any]) -> None:
    """Each program's mean gap on the test split and on new instances, and whether chance explains it."""
    from ..formatting import percent, spread

    out = console()
    if "skipped" in document:
        out.print(f"no fresh instances: {document['skipped']}", markup=False)
        return
    out.print(
        f"{document['instances']:,} fresh instances (instance seed {document['instance_seed']}), mean gaps "
        "with 95 % intervals:",
        markup=False,
    )
    for role, row in document["programs"].items():
        gaps = [
            f"{percent(row[name]['mean_gap_percent'])} {spread(row[name])} {words}"
            for name, words in (("fresh", "on fresh instances"), ("test", "on the test split"))
        ]
        out.print(f"  {role} {row['id'][:8]}: {', '.join(gaps)}: {_judgement(row)}", markup=False)


def _judgement(row: Mapping[str, Any]) -> str:
    """Whether a program does differently on fresh instances, in words."""
    from ..formatting import signed

    if row["fresh"]["failed"]:
        return f"FAILS on {row['fresh']['failed']} of {row['fresh']['instances']} fresh instances"
    if row["p"] is None:
        return "no gaps to compare"
    verdict = "DIFFERS beyond noise" if row["beyond_noise"] else "within noise"
    change = row["difference_percentage_points"]
    return f"{signed(change)} percentage points, p = {row['p']:.3g} (permutation test): {verdict}"

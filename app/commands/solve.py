"""`solve`: the best verified answer to an instance of your own, within a few seconds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import NO_CANDIDATE, USAGE, UserError
from .budget import duration_in_seconds
from .options import Force, Json, Problem, Runs, Set, Without, Workers
from .terminal import console, emit_json, errors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...problems.base import Instance
    from ..plugins.loader import LoadedProblem


def solve(
    problem: Problem,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Your instance, in a format of the problem.")],
    seconds: Annotated[
        float,
        typer.Option(
            "--budget",
            parser=duration_in_seconds,
            metavar="TIME",
            help="Wall time in all, as 2s or 1m [default: 2s].",
            show_default=False,
        ),
    ] = 2.0,
    own: Annotated[
        str | None, typer.Option("--with", metavar="RUN", help="Try the best program of a run of yours too.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write the answer: CSV, or JSON lines."),
    ] = None,
    force: Force = False,
    workers: Workers = None,
    assign: Set = None,
    unsafe_without: Without = None,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Solve an instance now: run what is known to be good, sealed, and say how far the answer can be off."""
    with errors(json):
        import time

        from ..analysis.solve import known_programs
        from ..analysis.solve import solve as solved
        from ..plugins.instance_files import read_source
        from ..plugins.loader import load_problem
        from ..setup.prepare import with_limits
        from .options import build_config
        from .terminal import check_new

        began = time.monotonic()
        if output is not None:
            check_new(output, force)
        config = build_config(problem, assign or [], workers=workers, without=unsafe_without, unused=False)
        loaded = load_problem(config.campaign.problem, config.problem)
        instances = read_source(loaded, file)
        _check_form(loaded, instances, output)
        fixed = config.sandbox.cpu_seconds is not None
        config = with_limits(config, loaded)
        programs = known_programs(loaded, _own(own, loaded, runs))
        rows = solved(loaded, config, instances, programs, seconds, fixed=fixed)
        written = None if output is None else _write(loaded, instances, rows, output, force)
        if json:
            took = time.monotonic() - began
            head = {"problem": loaded.name, "file": file, "budget_seconds": seconds, "wall_seconds": took}
            emit_json({**head, "written": written, "instances": rows})
        else:
            _print(rows)
            if written is not None:
                console().print(f"{output}: {written} answers", markup=False)
        if not all(row["answer"] is not None for row in rows):
            raise typer.Exit(NO_CANDIDATE)


def _own(run: str | None, loaded: LoadedProblem, runs: Path | None) -> dict[str, str]:
    """The best program of the run that `--with` names.

    Raises:
        UserError: there is no such run, or it is of another problem.
    """
    if run is None:
        return {}
    from .run_arguments import best_of, folders_of, opened

    with opened(best_of(folders_of(run, runs))) as record:
        name = (record.reader.record("problem") or {}).get("name")
        if name != loaded.name:
            raise UserError(USAGE, f"--with {run}: a run of {name}, expected one of {loaded.name}")
        id = record.resolve("best")
        return {f"{record.name}/{id[:8]}": next(iter(record.candidate(id).files.values()))}


def _check_form(loaded: LoadedProblem, instances: Sequence[Instance], path: Path | None) -> None:
    """Refuses a CSV file where there is no such format, or more than one instance.

    Raises:
        UserError: see there.
    """
    from ...problems.base import WritesAnswers

    if path is None or path.suffix.lower() != ".csv":
        return
    hint = "write JSON lines: -o FILE.jsonl"
    if not isinstance(loaded.problem, WritesAnswers):
        raise UserError(USAGE, f"-o {path}: {loaded.name} has no CSV format for answers", hint)
    if len(instances) > 1:
        why = f"-o {path}: {len(instances)} instances, a CSV file takes the answer to one"
        raise UserError(USAGE, why, hint)


def _write(
    loaded: LoadedProblem, instances: Sequence[Instance], rows: list[dict[str, Any]], path: Path, force: bool
) -> int:
    """Writes the answers and returns their number: one in the field's CSV format, or JSON lines.

    Raises:
        UserError: the file cannot be written.
    """
    import json

    from ...problems.base import WritesAnswers
    from .terminal import write_new

    answered = [(one, row) for one, row in zip(instances, rows, strict=True) if row["answer"] is not None]
    if path.suffix.lower() == ".csv" and isinstance(loaded.problem, WritesAnswers):
        text = "".join(loaded.problem.answer_file(one, row["answer"]) for one, row in answered)
    else:
        lines = [{"instance": one.id, "answer": row["answer"]} for one, row in answered]
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    write_new(path, text, force)
    return len(answered)


def _print(rows: list[dict[str, Any]]) -> None:
    """One paragraph for each instance: the answer's objective, its program, its gap, the exact method."""
    from ..formatting import clean

    for row in rows:
        for line in _lines(row):
            console().print(clean(line), markup=False, soft_wrap=True)


def _lines(row: dict[str, Any]) -> list[str]:
    from collections import Counter

    from ...evaluators.base import ScoreStatus
    from ..formatting import count, percent, time_words

    tried = count(len(row["tried"]), "program")
    if row["answer"] is None:
        ends = Counter(one["status"] for one in row["tried"])
        why = ", ".join(f"{status} {number}" for status, number in ends.items()) or "none has ended"
        lines = [f"{row['instance']}: no valid answer of {tried} ({why}); a larger --budget may help"]
        if set(ends) == {ScoreStatus.MEMORY}:
            needed = 512 + row["instance_bytes"] * 20 // 2**20
            lines.append(
                f"  the instance has {row['instance_bytes']:,} bytes: --set sandbox.memory_mb={needed}"
            )
        return lines
    lines = [
        f"{row['instance']}: {row['objective']:g} {row['unit']}, by {row['program']} in "
        f"{time_words(row['cpu_seconds'])} of CPU time; best of {tried}"
        + (f", no time for {len(row['left_out'])} more" if row["left_out"] else "")
    ]
    if row["reference"] is None:
        lines.append("  no bound within this time: how far it is from the optimum is not known")
        return lines
    what = f"{row['reference_kind'].replace('_', ' ')} {row['reference']:g}"
    gap = "no ratio" if row["gap_percent"] is None else percent(row["gap_percent"])
    proof = "" if row["exact_seconds"] is None else f" in {time_words(row['exact_seconds'])}"
    if row["proved"] and row["reference_kind"] in ("optimum", "bound"):
        lines.append(f"  proved optimal: {row['solver']} gives the {what}{proof}")
    else:
        lines.append(f"  certified: at most {gap} from the optimum; {row['solver']} gives the {what}{proof}")
    if row["reference_kind"] == "optimum" and row["exact_seconds"] is not None:
        lines.append(
            f"  the exact method needs {time_words(row['exact_seconds'])} here: take it where that will do"
        )
    return lines

"""`replay`: run a campaign again from its record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer

from ..errors import CHECK_FAILED
from .options import Json, Run, Runs, TrustRun, WithoutAgain, Workers, trust_of
from .run_arguments import folders_of
from .terminal import console, emit_json, errors


def replay(
    run: Run,
    workers: Workers = None,
    trust_run: TrustRun = False,
    unsafe_without: WithoutAgain = None,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Run the campaign again from its record, asking no model; the archive must come out the same."""
    with errors(json):
        from ..analysis.replay import replay as again

        documents = []
        trust = trust_of(trust_run, unsafe_without)
        for folder in folders_of(run, runs):
            documents.append(again(folder, trust, workers=workers))
            if not json:
                _print(documents[-1])
        if json:
            emit_json(documents[0] if len(documents) == 1 else documents)
        if any(document["differences"] for document in documents):
            raise typer.Exit(CHECK_FAILED)


def _print(document: Mapping[str, Any]) -> None:
    from ..formatting import clean, count, unsafe

    out = console()
    counts = document["compared"]
    if document["differences"]:
        first = document["differences"][0]
        line = (
            f"{document['run']}: the replay DOES NOT HOLD: {first['what']}: "
            f"recorded {first['recorded']}, got {first['now']}"
        )
    else:
        champion = document["champion"]
        line = (
            f"{document['run']}: the replay holds: {count(document['iterations'], 'iteration')} "
            f"in the recorded order, the same {count(document['evaluations'], 'candidate')}, "
            f"{counts['executions']:,} answers, {count(counts['fitness values'], 'fitness value')}, "
            f"{count(document['elites'], 'elite')} in their cells"
            + (f", champion {champion[:8]}" if champion else ", no champion yet")
        )
    out.print(clean(line), markup=False, style="red" if document["differences"] else "green")
    if document["unsafe_without"]:
        out.print(unsafe(document["unsafe_without"]), markup=False)
    for row in document["changed"]:
        text = f"  changed since: {row['what']}: recorded {row['recorded']}, now {row['now']}"
        out.print(clean(text), markup=False)

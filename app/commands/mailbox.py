"""`mailbox`: prompts of a manual campaign and their replies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..formatting import clean
from .options import Json, Runs
from .terminal import console, emit_json, errors


def mailbox(
    run: Annotated[str, typer.Argument(metavar="RUN")],
    name: Annotated[str | None, typer.Argument(metavar="PROMPT", help="Number, e.g. 0007.")] = None,
    reply: Annotated[Path | None, typer.Option("--reply", metavar="FILE", help="Answer with a file.")] = None,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """List the prompts of a manual campaign, show one, or answer one with a file."""
    with errors(json):
        from ...evolve.llm.mailbox import letters, put_reply, shown
        from ..errors import USAGE, UserError
        from ..proposers import MAILBOX
        from ..runs.folders import find_run, runs_folder

        folder = find_run(run, runs_folder(runs)) / MAILBOX
        by_name = {letter.name: letter for letter in letters(folder)}
        if name is not None and name not in by_name:
            raise UserError(USAGE, f"prompt {name!r}: not in {folder}", "`gapsmith mailbox RUN` lists them")
        if reply is not None:
            if name is None:
                raise UserError(USAGE, "--reply: got no prompt, expected its number before it")
            try:
                text = reply.read_text("utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise UserError(USAGE, f"{reply}: {error}, expected a text file") from error
            written = put_reply(folder, name, text)
            if json:
                emit_json({"prompt": name, "reply": str(written)})
            else:
                console().print(f"{name}: answered in {written}", markup=False)
            return
        rows = [
            {"prompt": one.name, "state": one.state.value, "file": str(one.prompt), "problem": one.problem}
            for one in by_name.values()
        ]
        if json:
            emit_json(rows)
        elif name is not None:
            console().print(clean(shown(by_name[name].prompt)), markup=False)
        else:
            for row in rows:
                note = f"  {row['problem']}" if row["problem"] else ""
                words = f"{row['prompt']}  {row['state']:<9} {row['file']}{note}"
                console().print(clean(words), markup=False)
            if not rows:
                console().print(f"no prompts in {folder}", markup=False)

"""The `gapsmith` command: parse, call the application, exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from . import __version__
from .app.commands import (
    baselines,
    bench,
    best,
    compare,
    config,
    delete,
    demo,
    diff,
    doctor,
    evaluate,
    export,
    lineage,
    mailbox,
    member,
    models,
    plot,
    problems,
    references,
    replay,
    report,
    resume,
    run,
    show,
    simplify,
    solve,
    stop,
    verify,
    watch,
    worker,
)
from .app.commands import delete as delete_module
from .app.commands import list as listing
from .app.commands.budget import Budgeted
from .app.commands.terminal import emit_json, errors, printing
from .app.errors import EXIT_CODES


class _Verbs(TyperGroup):
    """The verbs; with `--json` an error of usage is a document too, beside the text on standard error."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Lists the verbs in groups, each with its whole first sentence; then the exit codes."""
        for title, names in SECTIONS.items():
            with formatter.section(title):
                commands = [(name, self.get_command(ctx, name)) for name in names]
                formatter.write_dl([(n, c.get_short_help_str(200)) for n, c in commands if c is not None])
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), words) for code, words in EXIT_CODES.items()])

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """Reads the options before the verb."""
        with _told():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        """Runs a verb."""
        with _told():
            return super().invoke(ctx)


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        _name_value(error)
        say = getattr(error, "format_message", None)  # what errors of usage have, whatever their class
        if say is not None and "--json" in sys.argv:
            hint = "`gapsmith --help` lists the verbs, and each verb has its own --help"
            emit_json({"error": {"code": getattr(error, "exit_code", 2), "message": say(), "hint": hint}})
        raise


def _name_value(error: Exception) -> None:
    """Puts the value that was given into an error of usage that speaks of its form alone."""
    faults = getattr(error.__cause__, "errors", None)
    message = getattr(error, "message", None)
    if not callable(faults) or not isinstance(message, str):
        return
    given = repr(faults()[0].get("input"))
    if given not in message:
        error.message = f"got {given}. {message}"  # type: ignore[attr-defined]


app = typer.Typer(
    name="gapsmith",
    cls=_Verbs,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"gapsmith {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_version, help="Print the version and exit.")
    ] = False,
) -> None:
    """Discover heuristics, and certify how far each answer is from the proven optimum."""


VERBS: dict[str, Callable[..., None]] = {
    "demo": demo.demo,
    "run": run.run,
    "resume": resume.resume,
    "stop": stop.stop,
    "list": listing.list_,
    "show": show.show,
    "best": best.best,
    "diff": diff.diff,
    "lineage": lineage.lineage,
    "export": export.export,
    "watch": watch.watch,
    "compare": compare.compare,
    "simplify": simplify.simplify,
    "delete": delete.delete,
    "prune": delete_module.prune,
    "report": report.report,
    "plot": plot.plot,
    "verify": verify.verify,
    "evaluate": evaluate.evaluate,
    "solve": solve.solve,
    "baselines": baselines.baselines,
    "models": models.models,
    "mailbox": mailbox.mailbox,
    "replay": replay.replay,
    "doctor": doctor.doctor,
}
"""Verb → function, in the order of the help page."""
GROUPS = {"bench": bench.app, "problems": problems.app, "references": references.app, "config": config.app}
"""Group → its verbs."""
SECTIONS = {
    "Run": ("demo", "run", "bench", "resume", "stop", "watch", "list", "delete", "prune"),
    "Look": ("show", "best", "diff", "lineage", "report", "plot", "export"),
    "Judge": ("solve", "evaluate", "baselines", "compare", "verify", "replay", "simplify"),
    "Plug in": ("problems", "references", "models", "mailbox", "config", "doctor"),
}
"""Title on the help page → verbs."""

for name, verb in VERBS.items():
    app.command(name, cls=Budgeted if name in ("run", "resume", "demo") else None)(verb)
app.command("member", hidden=True)(member.member)
app.command("worker", hidden=True)(worker.worker)
for name, group in GROUPS.items():
    app.add_typer(group, name=name)


def main() -> None:
    """Runs the command line."""
    try:
        with errors(), printing():  # help and version are no verbs: nothing else names their errors
            app()
    except typer.Exit as ended:
        sys.exit(ended.exit_code)


if __name__ == "__main__":
    main()

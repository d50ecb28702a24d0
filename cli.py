"""The `gapsmith` command: parse, call the application, exit code."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from . import __version__
from .app.errors import EXIT_CODES

if TYPE_CHECKING:
    from types import ModuleType

VERBS = {
    "demo": "Find a better heuristic within a minute, without a key, and draw what it does.",
    "run": "Start a campaign: search for a heuristic and certify its gap.",
    "resume": "Go on with a run or a group after a stop, a crash or a kill; budget options are new totals.",
    "list": "List the runs with problem, model, iterations, best gap and status.",
    "show": "Show what a campaign found, or one candidate with code, gaps and origin.",
    "best": "Print the best heuristic's source, or write it as a program that runs alone.",
    "report": "Write report.html, one self-contained page, report.md, the same text, and share.png to post.",
    "watch": "Follow a campaign of another process, or look at a finished one; it is left alone.",
    "dashboard": "Show all runs of a folder in a browser of this machine, live, and each run's page.",
    "evaluate": "Score a heuristic by the same path as every candidate.",
    "verify": "Run the best candidate and the champions of time classes again, and compare "
    "every answer and gap.",
    "compare": "Put campaigns side by side at an equal budget; the first named is compared with "
    "each other one.",
    "solve": "Solve an instance now: run what is known to be good, sealed, and say how far "
    "the answer can be off.",
    "doctor": "Check versions, solvers, the sandbox's layers and its self-test, which keys are "
    "present, and models.",
    "stop": "Ask a running campaign to finish what is under way and end.",
    "delete": "Delete runs for good; a running one is refused, files that are yours stay.",
    "export": "Hand candidates, iterations, scores, elites or calls to other programs, as JSON lines or CSV.",
    "simplify": "Reduce a heuristic as long as its validation gap does not get worse beyond noise.",
    "plot": "Write a picture for a paper; an unknown KIND lists them all.",
    "baselines": "The gap table of all baselines: overall and by stratum, both averages, CPU time.",
    "replay": "Run the campaign again from its record, asking no model; the archive must come out the same.",
    "models": "List provider specifications that work here, with what each needs.",
    "mailbox": "List the prompts of a manual campaign, show one, or answer one with a file.",
}
"""Verb → the first sentence of its help, so that the page of all verbs need not load them."""
GROUPS = {
    "problems": "What can be solved; a new problem of your own, and its check.",
    "bench": "Work on a problem by hand or by an agent: submit, probe, experiment, compare, then finish.",
    "references": "The proven values that gaps are relative to.",
    "config": "The resolved configuration, a starter file, one key's meaning.",
}
"""Group of verbs → the first sentence of its help."""
SECTIONS = {
    "Every day": (
        *("demo", "run", "resume", "list", "show", "best", "report", "watch", "dashboard", "problems"),
        *("evaluate", "verify", "compare", "solve", "bench", "doctor"),
    ),
    "Advanced": (
        *("stop", "delete", "export", "simplify", "plot", "baselines", "replay", "references"),
        *("models", "mailbox", "config"),
    ),
}
"""Title on the help page → verbs."""
_HIDDEN = {"diff": "diff", "lineage": "lineage", "prune": "delete", "member": "member", "worker": "worker"}
"""Hidden verb → its module: old names that stay for a version, and what other commands call."""
_RARE = {"run": frozenset({"control", "fronts", "workers", "unsafe_without", "slurm"})}
"""Verb → parameters that only `--help-all` shows."""
_BUDGETED = ("run", "resume", "demo")


_EXPECTED = {
    "int_parsing": "a whole number",
    "float_parsing": "a number",
    "greater_than_equal": "at least {ge:g}",
    "less_than_equal": "at most {le:g}",
}
"""Kind of a fault that typer's validator finds → what is expected."""


class _Verbs(TyperGroup):
    """The verbs, each loaded when it is called.

    With `--json` an error of usage is a document too, beside the text on standard error.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        """The verbs in the order of the help page."""
        return [name for names in SECTIONS.values() for name in names]

    def get_command(self, ctx: Any, name: str) -> Any:
        """A verb or a group of verbs; None if there is none of that name."""
        if name not in self.commands and name in (*VERBS, *GROUPS, *_HIDDEN):
            self.commands[name] = _loaded(name)
        return self.commands.get(name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Lists the verbs in groups, each with its whole first sentence; then the exit codes."""
        sentences = {**VERBS, **GROUPS}
        for title, names in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, sentences[name].rstrip(".")) for name in names])
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), words) for code, words in EXIT_CODES.items()])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """See click; a mistyped verb is told the nearest ones, loaded or not."""
        try:
            return super().resolve_command(ctx, args)
        except Exception as error:
            near = get_close_matches(args[0], self.list_commands(ctx))
            message = getattr(error, "message", "")
            if near and "Did you mean" not in message:
                error.message = f"{message.rstrip('.')}. Did you mean {' or '.join(near)}?"  # type: ignore[attr-defined]
            raise

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """Reads the options before the verb."""
        from .app.commands.help_page import spare

        spare(self)
        with _told():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        """Runs a verb."""
        with _told():
            return super().invoke(ctx)


def _loaded(name: str) -> Any:
    """The command of a verb or a group."""
    from .app.commands.budget import Budgeted
    from .app.commands.help_page import Verb, arrange

    module: ModuleType = import_module(f".app.commands.{_HIDDEN.get(name, name)}", __package__)
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    if name in GROUPS:
        alone.add_typer(module.app, name=name)
        root: Any = typer.main.get_command(alone)
        return arrange(root.commands[name])
    function = getattr(module, {"list": "list_"}.get(name, name))
    alone.command(name, cls=Budgeted if name in _BUDGETED else Verb)(function)
    return arrange(typer.main.get_command(alone), _RARE.get(name, frozenset()))


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        _name_value(error)
        say = getattr(error, "format_message", None)  # what errors of usage have, whatever their class
        if say is not None and "--json" in sys.argv:
            hint = "`gapsmith --help` lists the verbs, and each verb has its own --help"
            from .app.commands.terminal import emit_json

            emit_json({"error": {"code": getattr(error, "exit_code", 2), "message": say(), "hint": hint}})
        raise


def _name_value(error: Exception) -> None:
    """Puts the value that was given into an error of usage that speaks of its form alone."""
    faults = getattr(error.__cause__, "errors", None)
    message = getattr(error, "message", None)
    if not callable(faults) or not isinstance(message, str):
        return
    message = message.removeprefix("Value error, ")
    fault = faults()[0]
    given = repr(fault.get("input"))
    expected = _EXPECTED.get(fault["type"])
    if expected is not None:
        error.message = f"got {given}, expected {expected.format(**fault.get('ctx', {}))}"  # type: ignore[attr-defined]
    else:
        error.message = message if given in message else f"got {given}. {message}"  # type: ignore[attr-defined]


app = typer.Typer(
    name="gapsmith",
    cls=_Verbs,
    no_args_is_help=True,
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


def main() -> None:
    """Runs the command line."""
    from .app.commands.terminal import errors, printing

    try:
        with errors(), printing():  # help and version are no verbs: nothing else names their errors
            app()
    except typer.Exit as ended:
        sys.exit(ended.exit_code)


if __name__ == "__main__":
    main()

"""The `gapsmith` command: parse, call the application, exit code."""

from __future__ import annotations

from typing import Annotated

import typer

from . import __version__
from .app.verbs import config, evaluate, inspect, models, problems, references, report, run, verify

app = typer.Typer(
    name="gapsmith",
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


for verbs in (run, inspect, report, verify, evaluate, models, problems, references, config):
    verbs.register(app)


def main() -> None:
    """Runs the command line."""
    app()


if __name__ == "__main__":
    main()

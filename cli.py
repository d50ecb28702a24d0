"""The `gapsmith` command: parse, call the application, exit code."""

from __future__ import annotations

import typer

from .app.verbs import config, evaluate, inspect, models, problems, references, report, run, verify

app = typer.Typer(
    name="gapsmith",
    help="Discover heuristics, and certify how far each answer is from the proven optimum.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for verbs in (run, inspect, report, verify, evaluate, models, problems, references, config):
    verbs.register(app)


def main() -> None:
    """Runs the command line."""
    app()


if __name__ == "__main__":
    main()

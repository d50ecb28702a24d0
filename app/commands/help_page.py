"""The help page of a verb: values are named in words, and rarely needed options are on a second page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from typer.core import TyperCommand

ALL = "--help-all"
_WORDS = (
    ("int", "NUMBER"),
    ("float", "NUMBER"),
    ("str", "TEXT"),
    ("file", "FILE"),
    ("path", "PATH"),
    ("dir", "DIR"),
)
"""Part of a type's name → how its values are called."""


class Verb(TyperCommand):
    """A verb; `rare` names the parameters that only `--help-all` shows."""

    rare: frozenset[str] = frozenset()

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """See click; `--help-all` is `--help` with all options."""
        if ALL in args:
            for param in self.params:
                if param.name in self.rare:
                    param.hidden = False  # type: ignore[attr-defined]
            args = ["--help"]
        return super().parse_args(ctx, args)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Says how many options are left out."""
        super().format_epilog(ctx, formatter)
        hidden = sum(param.name in self.rare and getattr(param, "hidden", False) for param in self.params)
        if hidden:
            formatter.write_paragraph()
            formatter.write_text(f"{ALL} shows {hidden} more options.")


def arrange(command: Any, rare: frozenset[str] = frozenset()) -> Any:
    """A command whose help names values in words and leaves out what is rarely needed; groups likewise."""
    for member in getattr(command, "commands", {}).values():
        arrange(member)
    spare(command)
    for param in command.params:
        if hasattr(param, "_get_number_range_help_str"):
            param._get_number_range_help_str = partial(_range, param)
        if param.param_type_name == "argument":
            param.display_type_rich = lambda ctx: None  # its name says it
        elif param.metavar is None and not getattr(param, "is_flag", False):
            shown = str(getattr(param, "display_type_rich", lambda ctx: "")(None)).lower()
            param.metavar = next((word for part, word in _WORDS if part in shown), None)
    if rare:
        command.rare = rare
        for param in command.params:
            if param.name in rare:
                param.hidden = True
    return command


def _range(param: Any) -> str | None:
    """The range of a number in words; None without one."""
    if param.min is not None and param.max is not None:
        return f"{param.min} to {param.max}"
    return None if param.min is None else f"at least {param.min}"


def spare(command: Any) -> None:
    """Converts no text and no value that was not given: typer does so by pydantic, 0.09 s of CPU."""
    every = command.get_params

    def params(ctx: Any) -> Any:
        found = every(ctx)
        for param in found:
            if "process_value" not in vars(param):
                param.process_value = partial(_processed, param, param.process_value)
        return found

    command.get_params = params


def _processed(param: Any, convert: Callable[[Any, Any], Any], ctx: Any, value: Any) -> Any:
    """What click makes of a parameter's value."""
    type_ = getattr(getattr(param, "type_descriptor", None), "annotation", None)
    several = param.multiple or param.nargs == -1
    text = type_ is str and type(value) is str and value.isascii() and not several
    if not text and (value is not None or param.required):
        return convert(ctx, value)
    value = () if several else value
    return value if param.callback is None else param.callback(ctx, param, value)

"""Advice for a problem that Python code handed over: no command loads it, so calls of Python do the same."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from ...evolve.timing import seconds_of

_BUDGET = ("--iterations", "--evaluations", "--seconds", "--usd", "--tokens")


def python_of(command: str, spec: str) -> str:
    """The call that does what a command does, for the problem `spec`; a command that needs no problem stays.

    Args:
        command: of the shell, `gapsmith VERB …`.
        spec: name of the problem in the command.
    """
    name = spec.partition(":")[2].replace("given", "YourProblem") if ":" in spec else spec
    _, verb, *words = shlex.split(command)
    match verb, words:
        case "run", [problem, *options] if problem == spec:
            return f"gapsmith.run_campaign({', '.join([name, *_arguments(options, name)])})"
        case "resume", [run, *options]:
            return f"gapsmith.resume_campaign({', '.join([repr(run), *_arguments(options, name)])})"
        case "baselines", [problem, "--source", program] if problem == spec:
            return f"print({name}().baselines()[{program!r}])"
        case "problems", ["show", problem] if problem == spec:
            return f"print({name}.statement)"
        case "verify", _:
            return f"write {name} to a file, run it from there, then {command}"
    return command


def _arguments(options: Sequence[str], name: str) -> Iterator[str]:
    """Keyword arguments in place of options, each of which has a value."""
    settings: dict[str, object] = {}
    for option, value in zip(options[::2], options[1::2], strict=True):
        if option == "--start":
            yield f"start={name}().baselines()[{value!r}]"
        elif option == "--model":
            yield f"model={value!r}"
        elif option in _BUDGET:
            yield f"{option[2:]}={value}"
        elif option == "--fronts":
            settings["archive.measures"] = ["time", "size"]
        elif option == "--time-budget":
            settings["evaluation.time_budget"] = seconds_of(value)
        elif option == "--set":
            key, _, number = value.partition("=")
            settings[key] = _number(number)
        else:
            settings[f"budget.{option[2:].replace('-', '_')}"] = _number(value)
    if settings:
        yield f"settings={settings!r}"


def _number(text: str) -> object:
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return text

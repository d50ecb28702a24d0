"""The textbook's dispatching rules, and the programs that they make: as a rule, and with their loop."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal

from ..rule_form import rule_text

Dispatching = Literal["active", "non-delay"]

RULES = {
    "spt": ("Shortest processing time", "processing"),
    "lpt": ("Longest processing time", "-processing"),
    "fifo": ("First in, first out: the job that has waited longest", "job_ready"),
    "mwkr": ("Most work remaining", "-work_left"),
    "mopnr": ("Most operations remaining", "-operations_left"),
    "spt-wkr": ("Shortest processing time over the job's remaining work", "processing / work_left"),
    "fdd-mwkr": (
        "Flow due date (the job's work up to the end of the operation) over its remaining work",
        "(work_done + processing) / work_left",
    ),
    "tail": ("Most work after the operation", "processing - work_left"),
}
"""Name → what a rule prefers, and its priority as an expression; Haupt 1989, doi:10.1007/BF01721162."""

BLOCKING_RULES = {
    **{name: RULES[name] for name in ("mwkr", "mopnr", "spt", "lpt", "spt-wkr")},
    "fifo": ("First in, first out: the job that has waited longest", "-waited"),
    "lwkr": ("Least work remaining", "work_left"),
}

_BELOW_ONE = ("spt-wkr",)
"""Rules whose priorities are in (0, 1], no more than the least difference between two start times."""

_WHOLE = '''"""{title}."""

{imports}


def schedule(machines: int, routes: list[list[int]], times: list[list[int]]) -> list[list[int]]:
    """Start times by the dispatch loop below."""
    return drive(priority, {{"machines": machines, "routes": routes, "times": times}})
'''


def driver(dispatching: Dispatching) -> str:
    """The dispatch loop of a job shop."""
    text = _program("job_shop", "dispatch")
    return text.replace('DISPATCHING = "active"', f'DISPATCHING = "{dispatching}"')


def moves() -> str:
    """The objective of a job shop with buffers, and moves in the order of its operations."""
    return _program("job_shop", "moves")


def blocking_moves() -> str:
    """The objective of a job shop without buffers, and moves that take jobs out and bring them back."""
    return _program("blocking_job_shop", "moves")


def blocking_driver() -> str:
    """The dispatch loop of a blocking job shop."""
    return _program("blocking_job_shop", "dispatch")


def rule_programs(dispatching: Dispatching, arguments: str) -> dict[str, str]:
    """Id → text of every rule, named after its schedules; in the active loop each rule for both kinds.

    There the schedule is non-delay if the competitor that can start first goes first.

    Args:
        dispatching: the loop around the rule.
        arguments: the parameters in the rule's signature.
    """
    texts = {
        f"{dispatching}-{name}": _rule(f"{title}, {dispatching} schedules", expression, arguments)
        for name, (title, expression) in RULES.items()
    }
    if dispatching == "active":
        for name, (title, expression) in RULES.items():
            form = "{0} + {1}" if name in _BELOW_ONE else "np.where({0} > 0, np.inf, {1})"
            imitation = form.format("start - start.min()", expression)
            texts[f"non-delay-{name}"] = _rule(f"{title}, non-delay schedules", imitation, arguments)
    return texts


def blocking_rule_programs(arguments: str) -> dict[str, str]:
    """Id → text of every rule of a blocking job shop."""
    return {name: _rule(title, expression, arguments) for name, (title, expression) in BLOCKING_RULES.items()}


def schedule_programs(arguments: str) -> dict[str, str]:
    """Id → text of a program for each rule and loop that returns start times."""
    loops: tuple[Dispatching, ...] = ("active", "non-delay")
    return {
        f"{loop}-{name}": _whole(
            f"{title}, {loop} schedules", driver(loop), _rule(title, expression, arguments)
        )
        for loop in loops
        for name, (title, expression) in RULES.items()
    }


def blocking_schedule_programs(arguments: str) -> dict[str, str]:
    """The same for the blocking job shop."""
    return {
        name: _whole(title, blocking_driver(), _rule(title, expression, arguments))
        for name, (title, expression) in BLOCKING_RULES.items()
    }


def _rule(title: str, expression: str, arguments: str) -> str:
    signature = f"def priority({arguments}) -> np.ndarray:"
    return rule_text(signature, title, "The smallest number goes first.", expression)


def _whole(title: str, loop: str, rule: str) -> str:
    """Rule and loop in one text, after the imports of the loop, which the rule needs too."""
    last = "import numpy as np\n"
    imports, _, machinery = loop.partition('"""\n\n')[2].partition(last)
    parts = [_WHOLE.format(title=title, imports=(imports + last).strip()), rule.partition(last)[2], machinery]
    return "\n\n\n".join(part.strip("\n") for part in parts) + "\n"


@cache
def _program(folder: str, name: str) -> str:
    return files(__package__).joinpath("programs", folder, f"{name}.py").read_text("utf-8")

"""Rules that schedule requests, and the programs that they make: as a rule, and with the rounds around it."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from ..rule_form import rule_text

RULES = {
    "shortest-output": ("Shortest output first; what does not fit is skipped", "outputs"),
    "fcfs": ("First come, first served; what does not fit is skipped", "-waited"),
    "fcfs-strict": (
        "First come, first served, strictly: nobody passes the first, as in vLLM",
        "np.where(np.arange(len(waited)) == 0, 0.0, np.inf)",
    ),
    "mc-sf": (
        "MC-SF (Jaillet et al. 2025): shortest output first, strictly: nobody passes the shortest",
        "np.where(np.arange(len(outputs)) == outputs.argmin(), 0.0, np.inf)",
    ),
    "smallest-area": ("Least memory added up over the rounds first; what does not fit is skipped", "areas"),
    "smallest-peak": ("Smallest peak of memory first; what does not fit is skipped", "peaks"),
}
"""Name → what a rule prefers, and its priority as an expression."""

_ONLINE = '''
def drive(
    entry: Any, instance: dict[str, Any], receive: Callable[[], bytes | None], send: Callable[[bytes], None]
) -> None:
    """Runs the rounds: a line brings a request, or asks what starts in this round."""
    servers = Servers(**instance)
    with np.errstate(all="ignore"):
        while (line := receive()) is not None:
            servers.round, *lengths = map(int, line.split())
            if lengths:
                servers.arrive([tuple(lengths)])
            starts = [] if lengths else servers.decide(entry)
            send(" ".join([f"{number} {worker}" for number, worker in starts]).encode() or b"-")
'''

_WHOLE = '''
def schedule(
    workers: int, memory: int, arrivals: list[int], prompts: list[int], outputs: list[int]
) -> list[list[int]]:
    """The worker and the round of the start of each request, by the rounds below."""
    servers = Servers(workers, memory)
    answer = [[0, 0] for _ in arrivals]
    order = sorted(range(len(arrivals)), key=lambda number: arrivals[number])
    come = 0
    with np.errstate(all="ignore"):
        while come < len(order) or servers.waiting:
            if not servers.waiting:
                servers.round = max(servers.round, arrivals[order[come]])
            first = come
            while come < len(order) and arrivals[order[come]] <= servers.round:
                come += 1
            servers.arrive([(prompts[number], outputs[number]) for number in order[first:come]])
            for number, worker in servers.decide(priority):
                answer[order[number]] = [worker, servers.round]
            servers.round += 1
    return answer
'''


def driver() -> str:
    """The rounds around an online rule, for the sandbox."""
    imports = "from collections.abc import Callable\nfrom typing import Any\n"
    return _program("loop").replace("from typing import Any\n", imports, 1) + _ONLINE


def moves() -> str:
    """The objective, and moves that take requests out and start them again."""
    return _program("moves")


def rule_programs(arguments: str) -> dict[str, str]:
    """Id → text of every rule; `arguments` are the parameters of its signature."""
    signature = f"def priority({arguments}) -> np.ndarray:"
    return {
        name: rule_text(signature, title, "Of the requests that fit the smallest number starts.", expression)
        for name, (title, expression) in RULES.items()
    }


def schedule_programs(arguments: str) -> dict[str, str]:
    """Id → text of a program for each rule that returns a whole schedule."""
    last = "import numpy as np\n"
    imports, _, machinery = _program("loop").partition('"""\n\n')[2].partition(last)
    return {
        name: "\n\n\n".join(
            text.strip("\n")
            for text in (
                f'"""{RULES[name][0]}."""\n\n{imports}{last}',
                _WHOLE,
                rule.partition(last)[2],
                machinery,
            )
        )
        + "\n"
        for name, rule in rule_programs(arguments).items()
    }


@cache
def _program(name: str) -> str:
    return files(__package__).joinpath("programs", f"{name}.py").read_text("utf-8")

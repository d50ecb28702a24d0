"""The literature's list schedulers, and the programs that they make: as a rule, and with their loop."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from ..rule_form import rule_text

RULES = {
    "heft": (
        "HEFT (Topcuoglu, Hariri, Wu 2002): largest upward rank, then earliest finish",
        "finish - 1000000.0 * upward_rank",
    ),
    "cpop": (
        "CPOP (Topcuoglu, Hariri, Wu 2002): longest path through a task, critical path on one processor",
        "finish * (1.0 + 1000.0 * on_critical_path * (1.0 - critical_processor)) "
        "- 1000000000.0 * (upward_rank + downward_rank)",
    ),
    "peft": (
        "PEFT (Arabnejad, Barbosa 2014): largest mean optimistic cost, then finish plus optimistic cost",
        "finish + optimistic_cost - 1000000.0 * mean_optimistic_cost",
    ),
    "rank-optimistic": (
        "Largest upward rank, then finish plus optimistic cost",
        "finish + optimistic_cost - 1000000.0 * upward_rank",
    ),
    "min-min": ("Min-min: the pair that finishes first", "finish"),
    "sufferage": (
        "Sufferage: the task that loses most on its second processor, then earliest finish",
        "finish - 1000000.0 * (second_finish - least_finish)",
    ),
    "first-ready": (
        "The ready task with the lowest number, then earliest finish",
        "finish + 1000000.0 * task",
    ),
}
"""Name → what a rule prefers, and its score as an expression."""

WHOLE = "def schedule(times: list[list[int | None]], edges: list[list[int]]) -> list[list[int]]:"

_START = f'''{WHOLE}
    """The processor and the start of each task, by the loop below."""
    return drive(score, {{"times": times, "edges": edges}})
'''
_LOOK_AHEAD_TITLE = "Look-ahead (Bittencourt, Sakellariou, Madeira 2010): rank, then the successors' ends"
_LOOK_AHEAD = '''
def schedule(times: list[list[int | None]], edges: list[list[int]]) -> list[list[int]]:
    """Tasks by upward rank; of the processors the one after which the worst successor can end first."""
    graph = Graph(times, edges)
    ranks = graph.facts[COLUMNS.index("upward_rank"), :, 0]
    while graph.ready:
        task = max(graph.ready, key=lambda ready: (ranks[ready], -ready))
        choice = min(graph.allowed[task], key=lambda p: (ahead(graph, task, p), graph.ends[task][p], p))
        graph.place(task, choice)
    return graph.answer


def ahead(graph: "Graph", task: int, processor: int) -> float:
    """Latest of the successors' least ends after a trial placement; other tasks before them do not count."""
    end = graph.ends[task][processor]
    free = [busy[-1][1] if busy else 0 for busy in graph.busy]
    free[processor] = max(free[processor], end)
    latest = 0.0 if graph.after[task] else end
    for k, size in graph.after[task]:
        arrival = [end + (size if p != processor else 0) for p in range(graph.processors)]
        ends = [max(arrival[p], free[p]) + graph.times[k][p] for p in graph.allowed[k]]
        latest = max(latest, min(ends))
    return latest
'''


def driver() -> str:
    """The loop around a rule."""
    return _program("loop")


def moves() -> str:
    """The objective, and moves in the order and between processors."""
    return _program("moves")


def rule_programs(arguments: str) -> dict[str, str]:
    """Id → text of every rule; `arguments` are the parameters of its signature."""
    signature = f"def score({arguments}) -> np.ndarray:"
    return {
        name: rule_text(signature, title, "The smallest number is placed next.", expression)
        for name, (title, expression) in RULES.items()
    }


def schedule_programs(arguments: str) -> dict[str, str]:
    """Id → text of a program for each rule, and of look-ahead, that returns a schedule."""
    programs = {
        name: _whole(RULES[name][0], _START, rule.partition("import numpy as np\n")[2])
        for name, rule in rule_programs(arguments).items()
    }
    programs["look-ahead"] = _whole(_LOOK_AHEAD_TITLE, _LOOK_AHEAD)
    return programs


def _whole(title: str, *parts: str) -> str:
    """Title, the imports of the loop, the parts, and the loop in one text."""
    last = "import numpy as np\n"
    imports, _, machinery = driver().partition('"""\n\n')[2].partition(last)
    texts = [f'"""{title}."""\n\n{imports}{last}', *parts, machinery]
    return "\n\n\n".join(text.strip("\n") for text in texts) + "\n"


@cache
def _program(name: str) -> str:
    return files(__package__).joinpath("programs", f"{name}.py").read_text("utf-8")

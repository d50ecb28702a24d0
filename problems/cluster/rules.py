"""The schedulers that ship: one loop over the machines that hold a job, with different scores."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

_AFTER = "u = (x - cpu) / self.cpu\nv = (y - memory) / self.memory\n"
_SHAPES = """\
a = cpu / self.cpu
b = memory / self.memory
f = x / self.cpu
g = y / self.memory
"""
_SCORES = {
    "first-fit": ("First fit: the first machine that holds the job", "return 0.0"),
    "best-fit": ("Best fit: the machine with the least room after the job", f"{_AFTER}return -(u + v)"),
    "worst-fit": ("Worst fit: the machine with the most room after the job", f"{_AFTER}return u + v"),
    "l2": (
        "Least squared room after the job (Panigrahy, Talwar, Uyeda and Wieder 2011)",
        f"{_AFTER}return -(u * u + v * v)",
    ),
    "dot-product": (
        "Largest dot product of demand and free room (Tetris: Grandl and others, SIGCOMM 2014)",
        f"{_SHAPES}return a * f + b * g",
    ),
    "cosine": (
        "Free room of the shape of the job: largest cosine of demand and free room",
        f"{_SHAPES}return (a * f + b * g) / max(1e-9, math.hypot(a, b) * math.hypot(f, g))",
    ),
    "balance": (
        "Least room after the job, and the least difference between its two shares",
        f"{_AFTER}return -(u + v) - abs(u - v)",
    ),
    "alphaevolve": (
        "The rule that AlphaEvolve found for Google's fleet (arXiv:2506.13131, section 3.3.1), as printed",
        "c = max(cpu, 1e-9) / max(x, 1e-9)\nm = max(memory, 1e-9) / max(y, 1e-9)\n"
        "return -(c + m + m / c + c / m)",
    ),
}
"""Id → what wins, and the lines of the score."""

START = "best-fit"
_PLACE = "            "


def driver() -> str:
    """The loop that asks a scheduler."""
    return _program("driver")


def scheduler_programs() -> dict[str, str]:
    """Id → text of every scheduler."""
    text = _program("scheduler")
    lines = _indented(_SCORES[START][1])
    assert lines in text
    return {
        name: text.replace("TITLE", title).replace(lines, _indented(score))
        for name, (title, score) in _SCORES.items()
    }


def churn_programs() -> dict[str, str]:
    """The same for jobs that end: `place` is told the time and a duration, which these scores do not use."""
    before = "free_cpu: list[int], free_memory: list[int]) -> int:"
    after = "free_cpu: list[int], free_memory: list[int], duration: int, now: int) -> int:"
    programs = scheduler_programs()
    assert all(before in text for text in programs.values())
    return {
        name: text.replace(
            f"def place(self, cpu: int, memory: int, {before}",
            f"def place(\n        self, cpu: int, memory: int, {after[:-9]}\n    ) -> int:",
        )
        for name, text in programs.items()
    }


def churn_driver() -> str:
    """The loop that asks a scheduler for jobs that end."""
    return _program("churn_driver")


def _indented(score: str) -> str:
    return "\n".join(_PLACE + line for line in score.splitlines())


@cache
def _program(name: str) -> str:
    return files(__package__).joinpath("programs", f"{name}.py").read_text("utf-8")

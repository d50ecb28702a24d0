"""What a prompt says of CPU times, where time decides something."""

from __future__ import annotations

from ..prompts.text import percent
from .base import Context, Elite
from .timing import CLASSES, Times, edge, net_seconds, time_class


def time_sentences(parent: Elite, context: Context) -> str:
    """The parent's time, the best losses at other times, and what this ask wants; empty without times.

    Asks take turns: a better answer in the same class, the same answers in a faster class, a better answer in
    the next slower class. Where a budget alone is set, every second ask is for a slower parent's speed.
    """
    times = context.times
    if times is None:
        return ""
    seconds = net_seconds(parent.evaluation.scores, times.floor_seconds)
    sentences = [
        "CPU times are means of an execution above the start of a process; they repeat within about 10 %. "
        f"The program to change takes {_words(seconds)}."
    ]
    if times.budget_seconds is not None:
        sentences.append(
            f"The campaign's result must take at most {_words(times.budget_seconds)} in the mean over all "
            "instances; one of them may take longer."
        )
        if seconds <= times.budget_seconds or times.losses or context.iteration % 2:
            sentences.append("Slower programs help to find it.")
        else:
            sentences.append(
                f"Wanted now: answers as good with less work, within {_words(times.budget_seconds)}. "
                "Count moves or restarts, for the program has no clock."
            )
    if times.losses:
        sentences += _of_classes(seconds, context.iteration, times)
    return " ".join(sentences)


def budget_words(context: Context) -> str:
    """The most CPU time of the campaign's result, in words; empty without a time budget."""
    budget = None if context.times is None else context.times.budget_seconds
    return "" if budget is None else _words(budget)


def _of_classes(seconds: float, iteration: int, times: Times) -> list[str]:
    """The classes, the best losses around the parent's class, and the wish of an iteration."""
    number = time_class(seconds)
    ends = ", ".join(_words(one) for one in CLASSES[: max(times.losses) + 2])
    groups = {
        "faster": [loss for n, loss in times.losses.items() if n < number],
        "its own": [loss for n, loss in times.losses.items() if n == number],
        "slower": [loss for n, loss in times.losses.items() if n > number],
    }
    bests = [f"{percent(min(losses))} in {name} classes" for name, losses in groups.items() if losses]
    bests = [text.replace("its own classes", "its own class") for text in bests]
    own, slower = edge(number), edge(number + 1)
    within = "" if own is None else f" within {_words(own)}"
    wishes = [f"Wanted now: a smaller gap{within}."]
    if number:
        wishes.append(f"Wanted now: the same answers with less work, within {_words(CLASSES[number - 1])}.")
    if slower is not None:
        wishes.append(
            f"Wanted now: a smaller gap; you may spend up to {_words(slower)}. Count moves or restarts, for "
            "the program has no clock."
        )
    return [
        f"Time classes end at {ends}. Best mean gap so far: {', '.join(bests)}.",
        wishes[iteration % len(wishes)],
    ]


def _words(seconds: float) -> str:
    return f"{seconds * 1000:.2g} ms" if seconds < 0.0995 else _long(seconds)


def _long(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:g} s"

"""Scores, times, attempts and explained instances in a prompt."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from ...evaluators.base import ReferenceKind, Score
from ...problems.base import Instance, Number
from ...prompts.parts import Answer, Case, Tried
from ...prompts.text import decimal, percent, short_inputs, shortened
from ..timing import CLASSES, Times, edge, net_seconds, time_class
from ..types import Attempt, Context, Elite, End, Origin

WORST = 2
"""Instances that are shown of the parent; one more where the best program loses most."""
Explain = Callable[[Elite, str], str]
"""What the problem says of an elite's answer to a training instance (its id); empty if nothing."""


def nothing(elite: Elite, instance: str) -> str:
    """An `Explain` that says nothing."""
    return ""


def is_reported(elite: Elite) -> bool:
    """Whether a foreign evaluator reported the scores of a program."""
    return any(score.reference_kind is ReferenceKind.REPORTED for score in elite.evaluation.scores)


def gaps_of(scores: Iterable[Score], instances: Mapping[str, Instance]) -> dict[str, float]:
    """The gap of each training instance in percent, relative to max(|reference|, scale)."""
    return {
        score.instance: 100
        * float(score.excess)
        / max(abs(float(score.reference)), float(instances[score.instance].scale))
        for score in scores
        if score.excess is not None and score.instance in instances
    }


def cases_of(
    parent: Elite, best: Elite, beside: tuple[str, Elite], context: Context, explain: Explain
) -> Iterable[Case]:
    """Instances on which the parent loses most, then the one of the best program's, with all answers.

    Where the parent is the best program, the answers of another program stand beside its own: what two
    principles do with one instance says more than what one does.

    Args:
        parent, best: programs of the prompt.
        beside: label and elite of the other program.
        context: what the search knows.
        explain: what the problem says of answers.
    """
    elites = [("This program", parent), ("The best program", best)]
    if best.candidate.id == parent.candidate.id:
        alone = beside[1].candidate.id == parent.candidate.id or is_reported(parent)
        elites[1:] = [] if alone else [beside]
    for id in _chosen(parent, best, context):
        scores = {label: _score(elite, id) for label, elite in elites}
        first = scores["This program"]
        if first is None:
            continue
        yield Case(
            name=id,
            stratum=context.instances[id].stratum,
            inputs=short_inputs(context.instances[id].public),
            reference=number_text(first.reference),
            reference_kind=first.reference_kind.value,
            answers=tuple(
                _answer(label, elite, score, context, explain)
                for label, elite in elites
                if (score := scores[label]) is not None and score.excess is not None
            ),
        )


def _chosen(parent: Elite, best: Elite, context: Context) -> list[str]:
    """The instances of a prompt (ids): of a reported score all."""
    chosen = _worst(parent, context.instances)[:WORST]
    if best.candidate.id != parent.candidate.id:
        chosen += [id for id in _worst(best, context.instances) if id not in chosen][:1]
    return chosen


def _worst(elite: Elite, instances: Mapping[str, Instance]) -> list[str]:
    """The instances on which a program loses anything, from the largest gap; of reported scores, all."""
    gaps = gaps_of(elite.evaluation.scores, instances)
    if is_reported(elite):
        return list(gaps)
    return sorted((id for id, gap in gaps.items() if gap > 0), key=lambda id: -gaps[id])


def _score(elite: Elite, id: str) -> Score | None:
    return next((score for score in elite.evaluation.scores if score.instance == id), None)


def _answer(label: str, elite: Elite, score: Score, context: Context, explain: Explain) -> Answer:
    return Answer(
        label=label,
        objective=number_text(score.objective),
        gap_percent=gaps_of([score], context.instances)[score.instance],
        cpu_seconds=score.cpu_seconds,
        explanation=explain(elite, score.instance),
    )


def number_text(value: Number | None) -> str:
    """A number as prompts write it; a dash if there is none."""
    if value is None:
        return "–"
    return str(value) if isinstance(value, int) else f"{float(value):.6g}"


# What a prompt says of a candidate that was tried, in one line.

_NAMES = {Origin.STALLED.value: "asked at a stand-still", Origin.DESIGN.value: "a new design"}
REASON = 200
"""Characters of how a candidate ended."""


IDEA = 160
"""Characters of an idea in a line."""


def line_of(
    attempt: Attempt,
    labels: Mapping[str, str],
    groups: Mapping[str, Sequence[str]],
    bests: Mapping[str, float],
) -> Tried:
    """A told candidate as a line.

    Args:
        attempt: the candidate.
        labels: id → name of the programs that the prompt shows.
        groups: name → ids of the instances of the groups that the prompt tells.
        bests: name of a group → smallest mean gap there (percent), of groups on which no program that the
            prompt shows has it.
    """
    shown = f" ({labels[attempt.id]})" if attempt.id in labels else ""
    duplicate = f"same answers as {labels.get(attempt.duplicate, 'an earlier program')}"
    stopped = f"stopped after {attempt.executed} of {attempt.instances} instances"
    endings = {
        End.KEPT: "kept",
        End.BEHIND: "valid, but another program is better where it is good",
        End.DUPLICATE: f"{duplicate} on all instances",
        End.STOPPED: f"{stopped}: {duplicate} there"
        if attempt.duplicate
        else f"{stopped}{_beside_incumbent(attempt)}",
        End.FAILED: f"failed: {attempt.reason}",
    }
    return Tried(
        operator=_NAMES.get(operator := attempt.operator.split(" ")[0], operator),
        gap_percent=None if attempt.loss is None else 100 * attempt.loss,
        ending=" ".join(f"{shortened(endings[attempt.end], REASON)}{shown}".split()),
        idea=shortened(" ".join(attempt.idea.split()), IDEA),
        difference="" if attempt.duplicate or attempt.end is End.FAILED else _beside_parent(attempt),
        seconds=f"{attempt.seconds:.3g} s of CPU time" if attempt.seconds else "",
        groups=_leads(attempt, groups, bests) if attempt.end in (End.KEPT, End.BEHIND) else "",
    )


def _beside_incumbent(attempt: Attempt) -> str:
    """Mean gaps on the instances that were executed, and whether the rest could not have made up for them."""
    if attempt.means is None:
        return ""
    mine, incumbent = (percent(100 * mean) for mean in attempt.means)
    more = f", in sum more than its rival loses on all {attempt.instances}" if attempt.beyond else ""
    return f": {mine} there, its rival {incumbent}{more}"


def _beside_parent(attempt: Attempt) -> str:
    """The difference to the first parent on the same instances (percentage points)."""
    if attempt.difference is None:
        return ""
    mean, half, count = attempt.difference
    interval = "" if half is None else f" ± {decimal(100 * half)}"
    instances = "1 instance" if count == 1 else f"{count} instances"
    difference = decimal(100 * mean, "+")
    return f"{difference}{interval} points to its parent on {instances}"


def means_of(attempt: Attempt, groups: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Group → mean gap (percent), of the groups whose instances were all executed."""
    return {
        name: 100 * fmean(attempt.losses[id] for id in ids)
        for name, ids in groups.items()
        if ids and all(id in attempt.losses for id in ids)
    }


def _leads(attempt: Attempt, groups: Mapping[str, Sequence[str]], bests: Mapping[str, float]) -> str:
    """The groups on which no program is better; empty where there is none."""
    means = means_of(attempt, groups)
    led = [f"{name} {decimal(means[name])}" for name, best in bests.items() if means.get(name) == best]
    return f"none is better on {', '.join(led)}" if led else ""


# What a prompt says of CPU times, where time decides something.


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
    own = edge(number)
    slower = edge(number + 1)
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


# A problem's explanations of candidates' answers, recorded so that later prompts and replays repeat them.

KIND = "explained"
"""Kind of the events that record explanations."""

Key = tuple[str, str]
"""A candidate and a training instance, by their ids."""


class Explanations:
    """Explanations by candidate and instance; each is made once. Thread-safe."""

    def __init__(
        self,
        recorded: Iterable[Mapping[str, Any]],
        make: Callable[[Elite, str], str] | None = None,
        record: Callable[[Mapping[str, Any]], None] = lambda data: None,
    ) -> None:
        """Takes what is in the record.

        Args:
            recorded: `candidate`, `instance` and `text` of each explanation.
            make: makes an explanation that the record lacks; None to use the record alone.
            record: stores a new explanation.
        """
        self._texts: dict[Key, str] = {(d["candidate"], d["instance"]): str(d["text"]) for d in recorded}
        self._make = make
        self._record = record
        self._lock = threading.Lock()

    def __call__(self, elite: Elite, instance: str) -> str:
        """The explanation of an elite's answer; empty if there is none."""
        key = elite.candidate.id, instance
        with self._lock:
            if key not in self._texts and self._make is not None:
                self._texts[key] = self._make(elite, instance)
                self._record({"candidate": key[0], "instance": instance, "text": self._texts[key]})
            return self._texts.get(key, "")

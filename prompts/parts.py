"""The parts of a prompt, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Task:
    """The task of every program.

    Attributes:
        statement: the problem in the field's words.
        entry_point, signature: name and signature of the function or class that a program defines.
        minimise: whether a smaller objective is better.
        unit: unit of the objective, plural.
        modules: module names that a program may import.
        cpu_seconds: CPU limit of one execution, on one instance (seconds).
        driven: whether a driver of the problem calls the program, several times in one execution.
        calls: how the driver calls it, in the problem's own words; empty if the problem does not say.
        references: what gaps are measured against, one sentence.
        reported: whether a foreign evaluator runs the program and reports its score.
    """

    statement: str
    entry_point: str
    signature: str
    minimise: bool
    unit: str
    modules: tuple[str, ...]
    cpu_seconds: float
    driven: bool = False
    calls: str = ""
    references: str = ""
    reported: bool = False


@dataclass(frozen=True, slots=True)
class Stratum:
    """Mean gaps on one group of instances.

    Attributes:
        name: of the group, a stratum or all strata that share a value (`tf=0.6`).
        instances: number of instances in the group.
        gaps: one for each of the prompt's `columns` (percent; None if unknown).
        best: smallest mean of all programs that the prompt knows of (percent; None if unknown).
        noise: half the 95 % interval of the mean difference of two programs there (percentage points); None
            for few instances.
    """

    name: str
    instances: int
    gaps: tuple[float | None, ...]
    best: float | None = None
    noise: float | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A program's answer to an instance.

    Attributes:
        label: of the program.
        objective: text in the problem's unit.
        gap_percent: gap in percent.
        cpu_seconds: CPU seconds of the execution.
        explanation: what the problem says of the answer; empty if it says nothing.
    """

    label: str
    objective: str
    gap_percent: float
    cpu_seconds: float
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """One instance in short form, with what programs made of it.

    Attributes:
        name, stratum: name and stratum of the instance.
        inputs: the program's inputs, summarised.
        reference: text in the problem's unit.
        reference_kind: kind of the reference (`optimum`, `bound`, …).
        answers: of the program to change, then of the best one if that is another.
    """

    name: str
    stratum: str
    inputs: str
    reference: str
    reference_kind: str
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A program to show.

    Attributes:
        label: a short name (`Program A`).
        code: text of the program.
        gap_percent: mean gap on the training instances (percent, 0 is the reference everywhere).
        cpu_seconds: largest CPU seconds on one instance.
        note: a remark on the program, empty for none.
        instances: training instances that the mean is over (count).
        spread: half of the mean's 95 % interval (percent); None for few instances.
        score: the mean score that a foreign evaluator reported; empty where gaps are verified.
    """

    label: str
    code: str
    gap_percent: float
    cpu_seconds: float
    note: str = ""
    instances: int = 0
    spread: float | None = None
    score: str = ""


@dataclass(frozen=True, slots=True)
class Founder:
    """A program that the campaign began with, in brief.

    Attributes:
        name: a short name.
        gap_percent: mean gap on the training instances (percent).
        idea: in its author's words; empty if it does not say.
    """

    name: str
    gap_percent: float
    idea: str = ""


@dataclass(frozen=True, slots=True)
class Tried:
    """A line of the ledger: a candidate that was told.

    Attributes:
        operator: what the candidate was asked for.
        gap_percent: mean gap on the training instances (percent); None if it was stopped or failed.
        ending: how it ended, in words.
        idea: what was changed and why, in the reply's own sentence; empty if it did not say.
        difference: to its first parent on the same instances, in words; empty where that says nothing.
        groups: groups on which none is better, in words; empty where there is none.
        seconds: largest CPU time of an execution, in words; empty where it is not known.
    """

    operator: str
    gap_percent: float | None
    ending: str
    idea: str
    difference: str = ""
    groups: str = ""
    seconds: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """The failure of a program or reply.

    Attributes:
        sentence: the failure in one sentence.
        text: the failed reply or program.
        output: the program's own output; quoted, because it is untrusted.
        inputs: the inputs on which the program failed, summarised.
        ran: whether `text` is a program that was run, rather than a reply that could not be used.
        measured: what was measured before and beside the failure, sentences; empty for a reply.
    """

    sentence: str
    text: str = ""
    output: str = ""
    inputs: str = ""
    ran: bool = False
    measured: str = ""


@dataclass(frozen=True, slots=True)
class Parts:
    """All data that a template may use.

    Attributes:
        parent: the program to change.
        partner: a second parent, for *combine*.
        best: the best program so far; None if it is the parent or the partner.
        others: further programs, those first that are better than the best one somewhere.
        founders: programs that the campaign began with, in brief.
        columns: whose gaps the rows of `strata` hold.
        strata: mean gaps by group of instances, the row of all instances last.
        worst: the instances on which the parent, then the best program loses most.
        gains: how the partner compares with the parent, group by group, one sentence.
        tried: what was tried so far, newest first, then the best of what is older.
        under_way: earlier replies' programs without an outcome (count).
        lineage: at most three lines on the parent's ancestry.
        notes: the campaign's page of notes; empty without one.
        time: CPU times and what is wanted in which time, sentences; empty where time decides nothing.
        time_budget: most CPU time of the campaign's result, in words; empty without one.
        failure: the failure to mend, for *repair*.
        solved: whether the best program attains a proven optimum on every training instance.
        hunks: whether the reply shall be SEARCH/REPLACE hunks rather than a whole program.
        edits: whether the reply may be such hunks in place of a whole program.
        episode: what the conversation that begins may use; empty for a single question.
        operations: what may be called in it, a line each.
        blocks: whether only regions between EVOLVE-BLOCK marks may change.
    """

    task: Task
    parent: Source
    partner: Source | None = None
    best: Source | None = None
    others: tuple[Source, ...] = field(default=())
    founders: tuple[Founder, ...] = ()
    columns: tuple[str, ...] = ()
    strata: tuple[Stratum, ...] = ()
    worst: tuple[Case, ...] = ()
    gains: str = ""
    tried: tuple[Tried, ...] = ()
    under_way: int = 0
    lineage: tuple[str, ...] = ()
    notes: str = ""
    time: str = ""
    time_budget: str = ""
    failure: Failure | None = None
    solved: bool = False
    hunks: bool = False
    edits: bool = False
    blocks: bool = False
    episode: str = ""
    operations: str = ""


def names_of(value: object) -> Collection[str]:
    """Names of the fields of a dataclass's instance; none of any other value."""
    names: Collection[str] = getattr(type(value), "__dataclass_fields__", ())
    return names


def with_texts(parts: Parts, text: Callable[[str], str], code: Callable[[str], str]) -> Parts:
    """Applies `code` to all programs in the parts and `text` to all other texts."""

    def changed(value: Any, change: Callable[[str], str] = text) -> Any:
        if isinstance(value, str):
            return change(value)
        if isinstance(value, tuple):
            return tuple(map(changed, value))
        names = names_of(value)
        if not names:
            return value
        programs = ("code", "text") if isinstance(value, Failure) and value.ran else ("code",)
        return type(value)(
            **{name: changed(getattr(value, name), code if name in programs else text) for name in names}
        )

    result: Parts = changed(parts)
    return result

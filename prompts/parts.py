"""What a prompt is made of, as plain data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Task:
    """What is asked of every program.

    Attributes:
        statement: the problem in the field's words.
        entry_point, signature: what a program defines.
        minimise: whether a smaller objective is better.
        unit: of the objective, plural.
        modules: module names that a program may import.
        cpu_seconds: CPU limit per instance (seconds).
    """

    statement: str
    entry_point: str
    signature: str
    minimise: bool
    unit: str
    modules: tuple[str, ...]
    cpu_seconds: float


@dataclass(frozen=True, slots=True)
class Stratum:
    """Mean gaps on one group of instances (percent; None when not known), and instances with reference 0.

    Attributes:
        instances: number of instances in the group (count).
        gap_percent, start_percent, baseline_percent: of this program, the start program, the best baseline.
        zeros, zeros_missed: instances whose reference is 0, and how many of them this program did not reach.
    """

    name: str
    instances: int
    gap_percent: float | None
    start_percent: float | None
    baseline_percent: float | None
    zeros: int = 0
    zeros_missed: int = 0


@dataclass(frozen=True, slots=True)
class Case:
    """One instance in short form.

    Attributes:
        name, stratum: the instance's.
        inputs: what the program was given, shortened.
        objective, reference: texts in the problem's unit.
        reference_kind: what the reference is (`optimum`, `bound`, …).
        gap_percent: None when the reference is 0.
        cpu_seconds: CPU seconds of the execution.
    """

    name: str
    stratum: str
    inputs: str
    objective: str
    reference: str
    reference_kind: str
    gap_percent: float | None
    cpu_seconds: float


@dataclass(frozen=True, slots=True)
class Source:
    """A program to show.

    Attributes:
        label: a short name (`program A`).
        code: its text.
        gap_percent: mean normalised loss on the training instances (percent, 0 is optimal everywhere).
        cpu_seconds: largest CPU seconds on one instance.
        note: what is special about it, empty when nothing is.
    """

    label: str
    code: str
    gap_percent: float
    cpu_seconds: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """What was wrong with a program or reply.

    Attributes:
        sentence: what happened.
        text: the reply or program in question.
        output: what the program itself said; untrusted, it is quoted.
        inputs: what the program was given when it failed, shortened.
        ran: whether `text` is a program that was run, rather than a reply that could not be used.
    """

    sentence: str
    text: str = ""
    output: str = ""
    inputs: str = ""
    ran: bool = False


@dataclass(frozen=True, slots=True)
class Parts:
    """All that a template may use.

    Attributes:
        parent: the program to change.
        partner: a second parent, for *combine*.
        strata, worst: how the parent does.
        baseline: name of the best baseline, empty when there is none.
        lineage: at most three lines on how the parent came about.
        inspirations: further programs.
        failure: for *repair*.
        hunks: whether the reply shall be SEARCH/REPLACE hunks rather than a whole program.
        blocks: whether only regions between EVOLVE-BLOCK marks may change.
    """

    task: Task
    parent: Source
    partner: Source | None = None
    strata: tuple[Stratum, ...] = ()
    worst: tuple[Case, ...] = ()
    baseline: str = ""
    lineage: tuple[str, ...] = ()
    inspirations: tuple[Source, ...] = field(default=())
    failure: Failure | None = None
    hunks: bool = False
    blocks: bool = False


def with_texts(parts: Parts, text: Callable[[str], str], code: Callable[[str], str]) -> Parts:
    """Parts whose programs were changed by `code`, and all other texts by `text`."""

    def changed(value: Any, change: Callable[[str], str] = text) -> Any:
        if isinstance(value, str):
            return change(value)
        if isinstance(value, tuple):
            return tuple(map(changed, value))
        if not is_dataclass(value) or isinstance(value, type):
            return value
        programs = ("code", "text") if isinstance(value, Failure) and value.ran else ("code",)
        values = {f.name: getattr(value, f.name) for f in fields(value)}
        return replace(
            value, **{name: changed(v, code if name in programs else text) for name, v in values.items()}
        )

    result: Parts = changed(parts)
    return result

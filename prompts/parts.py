"""The parts of a prompt, as plain data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass, replace
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
    """Mean gaps on one group of instances (percent; None if unknown), and its instances with reference 0.

    Attributes:
        instances: number of instances in the group.
        gap_percent, start_percent, baseline_percent: gap of this program, start program and best baseline.
        zeros, zeros_missed: number of instances with reference 0, and of those where this program misses 0.
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
        name, stratum: name and stratum of the instance.
        inputs: the program's inputs, shortened.
        objective, reference: texts in the problem's unit.
        reference_kind: kind of the reference (`optimum`, `bound`, …).
        gap_percent: gap in percent; None if the reference is 0.
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
        code: text of the program.
        gap_percent: mean normalised loss on the training instances (percent, 0 is optimal everywhere).
        cpu_seconds: largest CPU seconds on one instance.
        note: a remark on the program, empty for none.
    """

    label: str
    code: str
    gap_percent: float
    cpu_seconds: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """The failure of a program or reply.

    Attributes:
        sentence: the failure in one sentence.
        text: the failed reply or program.
        output: the program's own output; quoted, because it is untrusted.
        inputs: the inputs on which the program failed, shortened.
        ran: whether `text` is a program that was run, rather than a reply that could not be used.
    """

    sentence: str
    text: str = ""
    output: str = ""
    inputs: str = ""
    ran: bool = False


@dataclass(frozen=True, slots=True)
class Parts:
    """All data that a template may use.

    Attributes:
        parent: the program to change.
        partner: a second parent, for *combine*.
        strata, worst: the parent's gaps by stratum, and its worst instances.
        baseline: name of the best baseline, empty without one.
        lineage: at most three lines on the parent's ancestry.
        inspirations: further programs.
        failure: the failure to mend, for *repair*.
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
    """Applies `code` to all programs in the parts and `text` to all other texts."""

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

"""The behavioural self-test: real attacks and honest programs in real children.

A list of active layers is no evidence: a layer may be on and still stop nothing. A sandbox that stops
everything would stop attacks too, so honest programs must run. Attacks and honest programs run on a slot's
own server, so the self-test tests the server that candidates use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

from .base import Execution, ExecutionStatus, Limits, Program, SandboxError
from .policy import LAYERS, Policy

TRIAL = Limits(cpu_seconds=0.25, memory_bytes=64 << 20, output_bytes=64 << 10)
_SHORT = Limits(cpu_seconds=0.01, memory_bytes=64 << 20, output_bytes=64 << 10)

# Each attack of `sealed/probes.py` and the layer to blame when it gets through.
ATTACKS: Mapping[str, str] = {
    "open a file": "seccomp",
    "open a socket": "seccomp",
    "fork": "seccomp",
    "start a thread": "seccomp",
    "run a program": "seccomp",
    "signal the parent": "seccomp",
    "exceed the memory": "rlimits",
    "exceed the CPU time": "rlimits",
}

_NUMBERS = b'{"xs": [3, 1, 2]}'
_ANSWERS = Program({"heuristic.py": "def f(xs):\n    print(xs)\n    return sorted(xs)\n"}, "f")
_ARRAYS = Program(
    {
        "heuristic.py": "import random\nimport numpy as np\ndef f(xs):\n"
        "    rows = np.linalg.inv(np.eye(30) + np.outer(xs * 10, xs * 10))\n"
        "    np.random.default_rng().shuffle(rows)\n"
        "    return sorted(x for x in xs if random.random() < 2 and np.isfinite(rows).all())\n"
    },
    "f",
)


@dataclass(frozen=True, slots=True)
class Honest:
    """A program that every sandbox must let through.

    Attributes:
        name: what it is called in a message.
        program: its text.
        instance: public part of an instance (UTF-8 JSON object).
    """

    name: str
    program: Program
    instance: bytes


@dataclass(frozen=True, slots=True)
class Layer:
    """State of one layer: whether it is active, and one sentence on why or why not."""

    active: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack of the self-test: what it tried, whether it was stopped, which layer answers for it."""

    name: str
    stopped: bool
    layer: str


@dataclass(frozen=True, slots=True)
class SelfTest:
    """What the self-test found. An attack that got through is here only if its layer was switched off.

    Attributes:
        layers: state of every layer by name.
        attacks: outcome of every attack.
        seconds: wall-clock time that the attacks took.
    """

    layers: Mapping[str, Layer]
    attacks: tuple[Attack, ...]
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether every attack was stopped."""
        return all(attack.stopped for attack in self.attacks)


class Testable(Protocol):
    """A slot as the self-test sees it."""

    @property
    def policy(self) -> Policy:
        """What the slot was opened with."""

    def report(self) -> Mapping[str, Layer]:
        """State of every layer."""

    def probe(self, name: str, limits: Limits) -> Execution:
        """Runs one attack by name; its answer is True when it got through."""

    def execute(self, program: Program, instance: bytes, limits: Limits, seed: int) -> Execution:
        """Runs a program."""


def check(slot: Testable, honest: Sequence[Honest] = ()) -> SelfTest:
    """Runs every attack on a slot, and honest programs before and after.

    Args:
        slot: what is tested.
        honest: programs that must come through, beside the self-test's own.

    Raises:
        SandboxError: an attack got through although its layer is not switched off, an honest program failed,
            or no child can be sealed.
    """
    begun = perf_counter()
    answers = Honest("one that sorts three numbers", _ANSWERS, _NUMBERS)
    _let_through(slot, answers)
    attacks = []
    for name, layer in ATTACKS.items():
        outcome = slot.probe(name, _SHORT if "CPU" in name else TRIAL)
        stopped = outcome.status is not ExecutionStatus.OK or outcome.answer is not True
        if not stopped and layer not in slot.policy.without:
            raise SandboxError(
                layer,
                f"candidate code could {name}: the layer {layer} does not hold on this machine",
                f"run on Linux 5.3 or later, not emulated, or accept it with `--unsafe-without {layer}`",
            )
        attacks.append(Attack(name, stopped, layer))
    _let_through(slot, answers)  # a second fork: some half-made sandboxes allow one
    if "numpy" in slot.policy.modules:
        _let_through(slot, Honest("one that computes with numpy", _ARRAYS, _NUMBERS))
    for one in honest:
        _let_through(slot, one)
    return SelfTest(slot.report(), tuple(attacks), perf_counter() - begun)


def _let_through(slot: Testable, honest: Honest) -> None:
    done = slot.execute(honest.program, honest.instance, Limits(), 1)
    good = done.status is ExecutionStatus.OK
    if good and (honest.instance is not _NUMBERS or done.answer == [1, 2, 3]):
        return
    got = f"{done.status}: {done.error}" if not good else f"the answer {done.answer!r:.60}"
    raise SandboxError(
        "platform",
        f"the self-test's honest program, {honest.name}, got {got}; so would every candidate",
        "look at the layers in `gapsmith doctor`; try `--unsafe-without namespaces`, then other layers",
    )


def unavailable(error: SandboxError) -> dict[str, Layer]:
    """State of the layers if no child can be sealed: names the layer to blame; nothing runs."""
    rest = f"nothing is run, because of {error.layer}"
    return {name: Layer(False, error.reason if name == error.layer else rest) for name in LAYERS}

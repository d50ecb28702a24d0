"""Runs inside the sandbox around a scheduler of jobs that end: frees room when the parent says so."""

import operator
from collections.abc import Callable
from typing import Any


def drive(
    entry: Any, instance: dict[str, Any], receive: Callable[[], bytes | None], send: Callable[[bytes], None]
) -> None:
    """Asks for a machine for each job as it arrives; the parent judges every decision again."""
    free_cpu, free_memory = list(instance["free_cpu"]), list(instance["free_memory"])
    machines = len(free_cpu)
    place = entry(instance["cpu"], instance["memory"], machines).place
    while (line := receive()) is not None:
        now, cpu, memory, duration, *departed = map(int, line.split())
        for k in range(0, len(departed), 3):
            free_cpu[departed[k]] += departed[k + 1]
            free_memory[departed[k]] += departed[k + 2]
        decision = place(cpu, memory, free_cpu.copy(), free_memory.copy(), duration, now)
        try:
            machine = decision if type(decision) is int else operator.index(decision)
        except TypeError:
            machine = -1
        if type(decision) is bool or not 0 <= machine < machines:
            send(repr(decision).encode("ascii", "replace")[:80].replace(b"\n", b" "))
            return
        send(b"%d" % machine)
        free_cpu[machine] -= cpu
        free_memory[machine] -= memory
        if free_cpu[machine] < 0 or free_memory[machine] < 0:
            return

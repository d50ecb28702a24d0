"""What the sandbox costs: sealed executions against a bare fork, an unsealed child and a fresh interpreter.

All figures come from one run and are taken in turns, so that a busy machine slows all of them alike; the
ratios are what counts. `python benchmarks/sandbox.py` prints them beside the numbers that they have to reach.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from gapsmith.sandbox.base import Execution, Json, Limits, Program
from gapsmith.sandbox.policy import DEFAULT_MODULES, LAYERS, Policy
from gapsmith.sandbox.slot import Slot, self_test

TRIVIAL = Program({"heuristic.py": "def f(xs):\n    return sorted(xs)\n"}, "f")
INSTANCE = b'{"xs": [' + b", ".join(b"%d" % (n * 7919 % 1000) for n in range(100)) + b"]}"
STEPS = 5000

# The same modules in the same interpreter, and nothing but fork, exit and wait.
BARE = f"""
import gc, os, sys, time
for name in {DEFAULT_MODULES!r}:
    __import__(name)
gc.collect(); gc.freeze(); gc.disable()
for line in sys.stdin:
    begun, cpu = time.perf_counter(), sum(os.times()[:4])
    for _ in range(int(line)):
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        os.wait4(pid, 0)
    print((time.perf_counter() - begun) / int(line), flush=True)
"""
FRESH = "import json, sys, numpy; print(json.dumps(sorted(json.load(sys.stdin)['xs'])))"

INSIDE = f"""
def drive(entry, instance):
    history = 0
    for item in range({STEPS}):
        history += int(b"%d" % entry(int(b"%d" % item), history)) >= 0
    return history
"""
PIPED = """
def drive(entry, instance, receive, send):
    history = 0
    while (line := receive()) is not None:
        send(b"%d" % entry(int(line), history))
        history += 1
"""
DECIDE = {"heuristic.py": "def f(item, history):\n    return item % 7\n"}


class Counting:
    """A dialogue of `STEPS` items."""

    def __init__(self) -> None:
        self.decisions: list[Json] = []

    def next(self, line: bytes) -> bytes | None:
        """The next number, once the last one is decided."""
        if line:
            self.decisions.append(int(line))
        return b"%d" % len(self.decisions) if len(self.decisions) < STEPS else None

    def answer(self) -> Json:
        """Number of decisions."""
        return len(self.decisions)


def timed(work: Callable[[], object]) -> float:
    """Wall-clock seconds of one call."""
    begun = perf_counter()
    work()
    return perf_counter() - begun


def tree_cpu_seconds(slot: Slot) -> float:
    """CPU seconds of a slot's server and of all its ended children."""
    found = [slot.server.pid]
    total = 0
    for pid in found:
        found += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
        total += sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]))
    return total / os.sysconf("SC_CLK_TCK")


def own_cpu_seconds() -> float:
    """CPU seconds of this process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def show(what: str, value: str, wanted: str = "") -> None:
    """One line of the table."""
    print(f"{what:58} {value:>12}   {wanted}")


def run_fresh() -> None:
    """One execution in an interpreter of its own, with numpy and without any protection."""
    subprocess.run([sys.executable, "-I", "-c", FRESH], input=INSTANCE, capture_output=True, check=True)


def measure_latency(rounds: int) -> None:
    """Sealed, unsealed, bare fork and fresh interpreter, in turns."""
    bare = subprocess.Popen(
        [sys.executable, "-c", BARE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"OPENBLAS_NUM_THREADS": "1"},
    )
    assert bare.stdin is not None
    assert bare.stdout is not None
    fork, sealed, unsealed, fresh = [], [], [], []
    own = tree = 0.0
    with Slot(Policy()) as slot, Slot(Policy(without=frozenset(LAYERS))) as open_slot:

        def run(where: Slot) -> Execution:
            found = where.execute(TRIVIAL, INSTANCE, Limits(), 1)
            assert found.answer is not None, found
            return found

        for number in range(-3, rounds):
            bare.stdin.write("10\n")
            bare.stdin.flush()
            took = float(bare.stdout.readline())
            before_own, before_tree = own_cpu_seconds(), tree_cpu_seconds(slot)
            one = [timed(lambda: run(slot)) for _ in range(10)]
            used_own, used_tree = own_cpu_seconds() - before_own, tree_cpu_seconds(slot) - before_tree
            two = [timed(lambda: run(open_slot)) for _ in range(10)]
            if number >= 0:  # the first rounds warm up
                fork.append(took)
                sealed += one
                unsealed += two
                own, tree = own + used_own, tree + used_tree
            if number >= 0 and number % 4 == 0:
                fresh.append(timed(run_fresh))
    bare.stdin.close()
    bare.wait()
    a, b, c, d = (statistics.median(values) * 1000 for values in (fork, sealed, unsealed, fresh))
    count = len(sealed)
    show("bare fork + exit + wait of a warm process, median", f"{a:.2f} ms")
    show("unsealed child (all layers off), median", f"{c:.2f} ms")
    show("sealed execution, median", f"{b:.2f} ms")
    show("fresh interpreter with numpy, median", f"{d:.1f} ms")
    show("sealed / bare fork", f"{b / a:.2f}", "at most 2.5")
    show("sealed / unsealed", f"{b / c:.2f}", "at most 1.20")
    show("fresh interpreter / sealed", f"{d / b:.1f}", "at least 20")
    show(
        "executions per second of CPU, server and children and tool",
        f"{count / (own + tree):.0f}",
        "at least 150",
    )
    show("executions per second of wall-clock time, one slot", f"{1000 / (sum(sealed) * 1000 / count):.0f}")
    show("the tool's own CPU per execution", f"{own / count * 1000:.3f} ms")


def measure_dialogue(rounds: int) -> None:
    """The price of asking the parent for every item."""
    with Slot(Policy()) as slot:
        inside, piped = [], []
        for _ in range(rounds):
            inside.append(timed(lambda: slot.execute(Program(DECIDE, "f", INSIDE), b"{}", Limits(), 1)))
            piped.append(
                timed(lambda: slot.execute(Program(DECIDE, "f", PIPED), b"{}", Limits(), 1, Counting()))
            )
    extra = statistics.median(b - a for a, b in zip(inside, piped, strict=True))
    show(f"{STEPS} interactive steps, more than inside the child", f"{extra:.3f} s", "at most 0.25 s")


def measure_limits() -> None:
    """How late a busy and a sleeping candidate are stopped."""
    with Slot(Policy()) as slot:
        busy = Program({"heuristic.py": "def f():\n    while True: pass\n"}, "f")
        limits = Limits(cpu_seconds=2.0)
        found = slot.execute(busy, b"{}", limits, 1)
        late = max(found.cpu_seconds - limits.cpu_seconds, found.wall_seconds - limits.wall_seconds)
        show("busy loop, seconds past its limit of 2 CPU seconds", f"{late:.3f} s", "at most 0.5 s")
        text = 'import sys\ndef f():\n    sys.modules["time"].sleep(1000)\n'
        limits = Limits(cpu_seconds=0.2)
        found = slot.execute(Program({"heuristic.py": text}, "f"), b"{}", limits, 1)
        late = found.wall_seconds - limits.wall_seconds
        show("sleeper, seconds past its wall limit", f"{late:.3f} s", "at most 0.5 s")


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40, help="rounds of 10 executions each (count)")
    rounds = parser.parse_args().rounds
    load = os.getloadavg()[0]
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} CPUs, load {load:.1f}, {os.uname().machine}")
    measure_latency(rounds)
    measure_dialogue(9)
    measure_limits()
    with Slot(Policy()) as slot:
        text = Path(__file__).read_text(encoding="utf-8")
        spent = statistics.median(timed(lambda: slot.describe(text, "main")) for _ in range(20))
    show(f"description of a text of {len(text.splitlines())} lines, median", f"{spent * 1000:.1f} ms")
    booted = statistics.median(timed(lambda: Slot(Policy()).close()) for _ in range(5))
    show("start and end of a slot, median", f"{booted * 1000:.0f} ms")
    tested = statistics.median(self_test().seconds for _ in range(5))
    show("self-test, median", f"{tested * 1000:.0f} ms", "about 50 ms")


if __name__ == "__main__":
    main()

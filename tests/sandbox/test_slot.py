"""What a slot promises to honest programs and to the tool: answers, limits, seeds, recovery."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from gapsmith.sandbox.base import Execution, ExecutionStatus, Limits, Program, SandboxError
from gapsmith.sandbox.policy import DEFAULT_MODULES, Policy
from gapsmith.sandbox.slot import Slot, open_sandbox

RunText = Callable[..., Execution]
SORT = Program({"heuristic.py": "def f(xs): return sorted(xs)"}, "f")


@pytest.mark.parametrize(
    ("expression", "answer"),
    [
        ("np.argsort([3, 1, 2])", [1, 2, 0]),
        ("(1, (2, 3))", [1, [2, 3]]),
        ("[np.int64(2**62 + 1), np.uint8(3)]", [2**62 + 1, 3]),
        ("np.float64(0.1)", 0.1),
        ("np.float32(0.5)", 0.5),
        ("np.bool_(True)", True),
        ("np.array([[1, 2], [3, 4]])", [[1, 2], [3, 4]]),
        ("{'a': np.arange(3), 'b': None}", {"a": [0, 1, 2], "b": None}),
        ("range(3)", [0, 1, 2]),
        ("collections.deque([1, 2])", [1, 2]),
        ("None", None),
        ("'ü'", "ü"),
    ],
)
def test_natural_answers_become_plain_data(run_text: RunText, expression: str, answer: object) -> None:
    """Tuples, ranges and numpy's numbers and arrays arrive as exact plain data of the same kind."""
    found = run_text(f"import collections\nimport numpy as np\ndef f(): return {expression}")
    assert (found.status, found.answer) == (ExecutionStatus.OK, answer)
    assert repr(found.answer) == repr(answer)


def test_allowed_modules_work_sealed(run_text: RunText) -> None:
    """Every module of the default policy can be imported, and the usual work can be done with them."""
    lines = "\n".join(f"import {name}" for name in DEFAULT_MODULES if name != "__future__")
    text = f"""from __future__ import annotations
{lines}
from dataclasses import dataclass, field
from typing import NamedTuple

@dataclass(order=True)
class Job:
    due: int
    name: str = field(compare=False, default="é")

class Point(NamedTuple):
    x: float

def f(xs):
    a = numpy.asarray(xs, dtype=float)
    values = [
        float(numpy.linalg.svd(numpy.outer(a, a))[1][0]), float(abs(numpy.fft.fft(a)[0])),
        str(a), repr(Job(3)), "\\N{{GREEK SMALL LETTER ALPHA}}", statistics.median(xs),
        str(fractions.Fraction(1, 3)), str(decimal.Decimal(1) / 3), hashlib.sha256(b"x").hexdigest(),
        re.sub("a+", "b", "caat"), "é".encode("ascii", "replace").decode(), f"{{xs[0]:>10,.2f}}",
        copy.deepcopy([1]), float(numpy.einsum("i,i", a, a)), functools.reduce(operator.add, xs),
        Point(1.0).x, int(numpy.random.default_rng(1).integers(9)), random.choice(xs),
        heapq.nsmallest(2, xs), textwrap.dedent(" a"), string.ascii_letters, json.loads("[1]"),
        float(numpy.median(a)), numpy.unique(a).tolist(), float(numpy.polynomial.Polynomial([1, 2])(3)),
        numpy.ma.array(a).sum(), queue.Queue().qsize(),
    ]
    warnings.warn("careful")
    return values
"""
    found = run_text(text, b'{"xs": [3, 1, 2]}')
    assert found.error is None
    assert "careful" in found.output


def test_programs_of_several_files(run_text: RunText) -> None:
    """Files import each other from memory, in folders too, and relatively."""
    files = {
        "pick.py": "from tools.order import up\ndef best(xs): return up(xs)[0]",
        "tools/order.py": "from .base import BASE\ndef up(xs): return sorted(xs + [BASE])",
        "tools/base.py": "BASE = 0",
    }
    found = run_text("import pick\ndef f(xs): return pick.best(xs)", b'{"xs": [3]}', files=files)
    assert (found.answer, found.error) == (0, None)


def test_drivers_run_around_the_entry_point(run_text: RunText) -> None:
    """A driver gets the entry point and the instance, and its return value is the answer."""
    driver = "import heapq\ndef drive(entry, instance): return [entry(x) for x in instance['xs']]"
    found = run_text("class f:\n    def __new__(cls, x): return x * 2", b'{"xs": [1, 2]}', driver=driver)
    assert found.answer == [2, 4]


def test_errors_name_the_candidates_own_lines(run_text: RunText) -> None:
    """An error says type, message, file, line, function and the line's text, nothing of the harness."""
    found = run_text("def g(x):\n    return 1 / x\n\ndef f():\n    return g(0)\n")
    assert found.status is ExecutionStatus.RAISED
    assert found.error == (
        "ZeroDivisionError: division by zero\n"
        "heuristic.py line 5 in f: return g(0)\n"
        "heuristic.py line 2 in g: return 1 / x"
    )
    broken = run_text("def f(:\n")
    assert broken.error is not None
    assert "heuristic.py line 1: def f(:" in broken.error


@pytest.mark.parametrize("text", ["sys.stdout = None", "sys.stdout.close()", "del sys.stdout, sys.stderr"])
def test_a_program_may_do_without_its_streams(run_text: RunText, text: str) -> None:
    """An answer counts although the program closed or replaced where it prints to."""
    assert run_text(f"import sys\ndef f():\n    {text}\n    return 1").answer == 1


def test_missing_entry_point_and_wrong_arguments(run_text: RunText) -> None:
    """A text without the entry point, or one that takes other arguments, has raised; nothing else happens."""
    assert "does not define 'f'" in str(run_text("x = 1").error)
    assert run_text("def f(other): return 1", b'{"xs": [1]}').status is ExecutionStatus.RAISED


def test_forbidden_imports_can_be_caught(run_text: RunText) -> None:
    """A module out of reach is an ImportError, so that honest fallbacks work; uncaught it is a refusal."""
    text = "try:\n    import numba\nexcept ImportError:\n    numba = None\ndef f(): return numba is None"
    assert run_text(text).answer is True
    refused = run_text("import scipy.optimize\ndef f(): return 1")
    assert refused.status is ExecutionStatus.REFUSED
    assert "'scipy' is not allowed; available: " in str(refused.error)


def test_seeds_decide_all_randomness(run_text: RunText) -> None:
    """Same seed, same answer, for unseeded generators and hashes too; another seed, another answer."""
    text = """import random
import numpy as np
def f():
    return [random.random(), random.Random().random(), np.random.rand(), np.random.default_rng().random(),
            np.random.default_rng().random(), list({"a", "b", "c", "d"}), hash("x")]
"""
    first, again, other = (run_text(text, seed=seed).answer for seed in (7, 7, 8))
    assert isinstance(first, list)
    assert isinstance(other, list)
    assert first == again
    assert [a != b for a, b in zip(first, other, strict=True)] == [True] * 5 + [False] * 2
    assert first[3] != first[4]


def test_programs_over_the_caps_are_refused(slot: Slot) -> None:
    """Too much text, text that is no text, and paths that lead elsewhere are a status, not an exception."""
    for files in (
        {"heuristic.py": "#" * 70_000},
        {"../heuristic.py": "f = 1"},
        {"/etc/x.py": "f = 1"},
        {"heuristic.txt": "f = 1"},
    ):
        found = slot.execute(Program(files, "f"), b"{}", Limits(), 1)
        assert found.status is ExecutionStatus.REFUSED
    odd = slot.execute(Program({"heuristic.py": "f = '\ud800'"}, "f"), b"{}", Limits(), 1)
    assert odd.status is ExecutionStatus.RAISED


def test_figures_of_an_execution(run_text: RunText) -> None:
    """CPU time, wall time, peak memory and the tail of the output are told."""
    found = run_text(
        "def f():\n    x = bytearray(50 << 20)\n    print('first' + '.' * 5000 + 'last')\n    return 1"
    )
    assert 0 < found.cpu_seconds <= found.wall_seconds + 0.05
    assert found.peak_memory_bytes is not None
    assert found.peak_memory_bytes > 50 << 20
    assert found.output.endswith("last")
    assert len(found.output) <= 2048


def test_limits_are_those_of_the_call(run_text: RunText) -> None:
    """The same program passes or fails by the limits of its execution alone."""
    text = "def f(): return len(bytearray(100 << 20))"
    assert run_text(text, limits=Limits(memory_bytes=200 << 20)).status is ExecutionStatus.OK
    assert run_text(text, limits=Limits(memory_bytes=50 << 20)).status is ExecutionStatus.MEMORY
    text = "def f(): return 'x' * 2000"
    assert run_text(text, limits=Limits(output_bytes=3000)).status is ExecutionStatus.OK
    assert run_text(text, limits=Limits(output_bytes=1000)).status is ExecutionStatus.OUTPUT


def test_large_instances_and_answers_pass(run_text: RunText) -> None:
    """A megabyte in each direction arrives whole."""
    instance = b'{"xs": [' + b",".join(b"%d" % n for n in range(150_000)) + b"]}"
    found = run_text("def f(xs): return xs[::-1]", instance, limits=Limits(output_bytes=2 << 20))
    assert found.answer == list(range(149_999, -1, -1))


def test_a_killed_server_is_replaced_once() -> None:
    """After its server was killed a slot goes on with a new one, and the same answer."""
    with Slot(Policy()) as slot:
        old = slot.server.pid
        os.killpg(old, signal.SIGKILL)
        assert slot.execute(SORT, b'{"xs": [2, 1]}', Limits(), 1).answer == [1, 2]
        assert slot.server.pid != old


def test_an_interrupted_execution_does_not_disturb_the_next() -> None:
    """Ctrl-C in the middle of an execution leaves the slot usable and in step with its server."""
    # Who starts the tests in the background of a script may have Ctrl-C ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with Slot(Policy()) as slot:
        main = threading.main_thread().ident
        assert main is not None
        timer = threading.Timer(0.3, signal.pthread_kill, [main, signal.SIGINT])
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            slot.execute(
                Program({"heuristic.py": "def f():\n    while True: pass"}, "f"), b"{}", Limits(5), 1
            )
        timer.join()
        signal.signal(signal.SIGINT, before)
        assert slot.execute(SORT, b'{"xs": [2, 1]}', Limits(), 1).answer == [1, 2]


def test_slots_in_threads_outlive_the_thread_that_opened_them() -> None:
    """The end of a thread does not end the server that it started."""
    made: list[Slot] = []
    thread = threading.Thread(target=lambda: made.append(open_sandbox()))
    thread.start()
    thread.join()
    with made[0] as slot:
        pid = slot.server.pid
        time.sleep(0.05)
        assert slot.execute(SORT, b'{"xs": [2, 1]}', Limits(), 1).answer == [1, 2]
        assert slot.server.pid == pid


def test_a_closed_slot_leaves_nothing(corpus: ModuleType) -> None:
    """After `close` the server's processes are gone, and no descriptor is left."""
    before = len(os.listdir("/proc/self/fd"))
    slot = open_sandbox()
    slot.execute(SORT, b'{"xs": [2, 1]}', Limits(), 1)
    pids = corpus.processes(slot)
    slot.close()
    _wait_until_gone(pids)
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_killed_tool_leaves_no_process(tmp_path: Path) -> None:
    """When the tool is killed outright, server and running candidate are gone within a second."""
    script = """
import sys
from gapsmith.sandbox.base import Limits, Program
from gapsmith.sandbox.policy import Policy
from gapsmith.sandbox.slot import Slot
slot = Slot(Policy())
print(slot.server.pid, flush=True)
slot.execute(Program({"heuristic.py": "def f():\\n    while True: pass"}, "f"), b"{}", Limits(60), 1)
"""
    tool = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=tmp_path)
    assert tool.stdout is not None
    session = int(tool.stdout.readline())
    time.sleep(0.3)
    alive = _in_session(session)
    assert len(alive) >= 2
    tool.kill()
    tool.wait()
    tool.stdout.close()
    _wait_until_gone(alive)


def _in_session(session: int) -> list[int]:
    found = []
    for folder in Path("/proc").iterdir():
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if folder.name.isdigit() and fields[3] == str(session) and fields[0] != "Z":
            found.append(int(folder.name))
    return found


def _wait_until_gone(pids: list[int]) -> None:
    """Waits for at most a second of quiet machine time; fails when a process is left."""
    for _ in range(50):
        left = [pid for pid in pids if Path(f"/proc/{pid}").exists() and "\nState:\tZ" not in _status(pid)]
        if not left:
            return
        time.sleep(0.02)
    pytest.fail(f"still alive after a second: {left}")


def _status(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return "\nState:\tZ"


def test_a_candidate_has_five_descriptors_however_many_the_tool_has() -> None:
    """Whatever the tool holds open, a child sees its job, its output and the place of its answer."""
    opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(40)]
    text = """import sys
def f():
    fcntl = sys.modules["ctypes"].CDLL(None).fcntl
    return [number for number in range(1024) if fcntl(number, 1) >= 0]
"""
    try:
        with Slot(Policy()) as slot:
            found = slot.execute(Program({"heuristic.py": text}, "f"), b"{}", Limits(), 1)
    finally:
        for descriptor in opened:
            os.close(descriptor)
    assert found.answer == [0, 1, 2, 3, 6]


def test_policies_that_cannot_be_served() -> None:
    """A module that is not installed, or is no name, and an unknown layer are said by name."""
    with pytest.raises(SandboxError, match="no_such_module") as caught:
        open_sandbox(Policy(modules=("math", "no_such_module")))
    assert caught.value.layer == "policy"
    with pytest.raises(ValueError, match="dotted name"):
        Policy(modules=("a b",))
    with pytest.raises(ValueError, match="expected names from"):
        Policy(without=frozenset({"sandbox"}))


def test_policies_extend_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that a user names can be imported by candidates, and changes the policy's digest."""
    (tmp_path / "my_helpers.py").write_text("def double(x): return 2 * x\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    policy = Policy(modules=(*DEFAULT_MODULES, "my_helpers"))
    assert policy.digest != Policy().digest
    with open_sandbox(policy) as slot:
        text = "from my_helpers import double\ndef f(): return double(4)"
        assert slot.execute(Program({"heuristic.py": text}, "f"), b"{}", Limits(), 1).answer == 8


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_ten_thousand_executions_stay_flat(corpus: ModuleType) -> None:
    """After 10,000 executions memory and descriptors of tool and server are what they were after 200."""

    def state(slot: Slot) -> tuple[int, list[int], int]:
        own = len(os.listdir("/proc/self/fd"))
        servers = corpus.processes(slot)
        counts = [len(os.listdir(f"/proc/{pid}/fd")) for pid in servers]
        pages = sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in servers)
        return own, counts, pages * os.sysconf("SC_PAGESIZE")

    with open_sandbox() as slot:
        for number in range(200):
            slot.execute(SORT, b'{"xs": [2, 1]}', Limits(), number)
        own, counts, memory = state(slot)
        for number in range(10_000):
            assert slot.execute(SORT, b'{"xs": [2, 1]}', Limits(), number).answer == [1, 2]
        assert state(slot)[:2] == (own, counts)
        assert state(slot)[2] < memory + (2 << 20)


def test_the_kernel_ends_candidates_before_the_tool(slot: Slot, corpus: ModuleType) -> None:
    """Where memory runs out, server and children are the first to go (largest `oom_score_adj`)."""
    scores = {Path(f"/proc/{pid}/oom_score_adj").read_text().strip() for pid in corpus.processes(slot)[-1:]}
    assert scores == {"1000"}
    assert Path("/proc/self/oom_score_adj").read_text().strip() != "1000"

"""An evaluated program reaches nothing outside its workshop; its own score it can forge."""

from __future__ import annotations

import ctypes
import json
import os
import platform
import socket
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from gapsmith.sandbox.base import ExecutionStatus, Limits, Program
from gapsmith.sandbox.policy import Policy
from gapsmith.sandbox.trusted_evaluator import EvaluatorTask, Workshop

TEXT = (Path(__file__).parent / "attacks.py").read_text()
NAMES = sorted(
    line[4:].partition("(")[0]
    for line in TEXT.splitlines()
    if line.startswith("def ") and line.endswith("(facts):")
)
MEMORY = 256 << 20
DRIVER = """
def drive(path, folder, instance, options, seed, report):
    names = {"__name__": "attacks"}
    exec(open(path).read(), names)
    done = {}
    for name, attack in names["ATTACKS"].items():
        if instance["harmless"] and name not in names["HARMLESS"]:
            continue
        try:
            done[name] = "through" if attack(instance) is True else "stopped"
        except BaseException as error:
            done[name] = f"stopped: {type(error).__name__}: {error}"
    report(done)
"""
pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="raw call numbers are of x86-64")


def attempts(folder: Path, without: frozenset[str]) -> Mapping[str, str]:
    """Attack → how it ended; what each one goes for is really there."""
    task, home = folder / "task", folder / "home"
    (task / "runs" / "one").mkdir(parents=True)
    (task / "runs" / "one" / "campaign.sqlite").write_text("scores")
    (task / "evaluator.py").write_text("")
    (task / ".env").write_text("OPENAI_API_KEY=sk-secret")
    home.mkdir()
    (home / "key").write_text("sk-secret")
    libc = ctypes.CDLL(None, use_errno=True)
    key = os.getpid() | 0x40000000
    segment = libc.shmget(key, 4096, 0o1666)
    with (
        socket.socket() as internet,
        socket.socket(socket.AF_UNIX) as local,
        socket.socket(socket.AF_UNIX) as abstract,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as datagrams,
    ):
        internet.bind(("127.0.0.1", 0))
        local.bind(str(folder / "socket"))
        abstract.bind("\0" + folder.name)
        datagrams.bind(str(folder / "datagrams"))
        for listening in (internet, local, abstract):
            listening.listen()
        facts = {
            "task": str(task),
            "secret": str(home / "key"),
            "parent": os.getpid(),
            "port": internet.getsockname()[1],
            "socket": str(folder / "socket"),
            "abstract": folder.name,
            "datagrams": str(folder / "datagrams"),
            "segment": key,
            "memory": MEMORY,
            "harmless": "landlock" in without,
        }
        jail = EvaluatorTask(task, DRIVER, packages=("numpy", "numpy.linalg"))
        try:
            with Workshop(jail, Policy(without=without)) as workshop:
                for text in ("ATTACKS = {}", TEXT):  # the second jail of one template
                    done = workshop.execute(
                        Program({"h.py": text}, "f"), json.dumps(facts).encode(), Limits(60, MEMORY), 1
                    )
                assert workshop.unshared == ""
        finally:
            libc.shmctl(segment, 0, None)
    assert done.status is ExecutionStatus.OK, done
    assert (home / "key").read_text() == "sk-secret"
    return done.answer  # type: ignore[return-value]


@pytest.fixture(scope="module")
def outcome(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Mapping[str, str]]:
    """Layers that are off → how each attack ended there; each workshop is attacked once."""
    known: dict[str, Mapping[str, str]] = {}

    def of(off: str) -> Mapping[str, str]:
        if off not in known:
            before = os.environ.get("OPENAI_API_KEY")
            os.environ["OPENAI_API_KEY"] = "sk-secret"
            try:
                folder = tmp_path_factory.mktemp("jail")
                known[off] = attempts(folder, frozenset(off.split()))
            finally:
                os.environ.pop("OPENAI_API_KEY")
                if before is not None:
                    os.environ["OPENAI_API_KEY"] = before
        return known[off]

    return of


@pytest.mark.parametrize("off", ["", "namespaces"])
@pytest.mark.parametrize("name", NAMES)
def test_attack_is_stopped(name: str, off: str, outcome: Callable[[str], Mapping[str, str]]) -> None:
    """No attack gets through, with namespaces and where the system refuses them."""
    if off and name == "fill_disk":
        pytest.skip("without a mount namespace only each file has a limit")
    assert outcome(off)[name].startswith("stopped"), outcome(off)[name]


def test_attacks_work_without_layers(outcome: Callable[[str], Mapping[str, str]]) -> None:
    """Without the layers the harmless attacks get through, so the tests above test something."""
    bare = outcome("namespaces landlock seccomp uid rlimits")
    assert {name: end for name, end in bare.items() if end != "through"} == {}
    assert len(bare) >= 20


LEAVES = """
import builtins, json, numpy, os, random, sys, threading
builtins.left = json.left = numpy.left = threading.left = sys.left = 1000
os.environ["LEFT"] = "1"
sys.path.insert(0, os.getcwd())
sys.modules["left"] = sys
random.seed(1); numpy.random.seed(1)
numpy.set_printoptions(precision=1)
numpy.linalg.norm = lambda *_: 1000
"""
SEES = """
def drive(path, folder, instance, options, seed, report):
    import sys
    imported = "numpy" in sys.modules
    import builtins, json, numpy, os, threading
    some = {m.__name__: hasattr(m, "left") for m in (builtins, json, numpy, threading, sys)}
    state = [numpy.random.get_state()[1][:3].tolist(), sys.path, sorted(os.environ)]
    state += [numpy.get_printoptions()["precision"], float(numpy.linalg.norm([3.0, 4.0]))]
    report([imported, some, "left" in sys.modules, state])
    exec(open(path).read(), {})
"""


def test_nothing_of_a_program_stays_in_the_template(tmp_path: Path) -> None:
    """Modules, numpy's stream of random numbers, paths and variables are as in the first evaluation."""
    with Workshop(
        EvaluatorTask(tmp_path, SEES, packages=("numpy", "numpy.linalg", "numpy.random")), Policy()
    ) as workshop:
        runs = [
            workshop.execute(Program({"h.py": LEAVES}, "f"), b"{}", Limits(60, MEMORY), 1) for _ in range(3)
        ]
    assert runs[0].error is None
    assert isinstance(runs[0].answer, list)
    assert runs[0].answer[0] is True
    assert set(runs[0].answer[1].values()) == {False}
    assert runs[0].answer[2] is False
    assert runs[0].answer == runs[1].answer == runs[2].answer


def test_own_score_can_be_forged(tmp_path: Path) -> None:
    """A program shares its evaluator's process and writes what it likes: so scores are *reported*."""
    driver = "def drive(path, folder, instance, options, seed, report):\n"
    driver += "    exec(open(path).read())\n    report(1)\n"
    forger = 'import os\nos.pwrite(100, b"1000", 0)\nos._exit(0)\n'
    with Workshop(EvaluatorTask(tmp_path, driver), Policy()) as workshop:
        forged = workshop.execute(Program({"h.py": forger}, "f"), b"{}", Limits(20, MEMORY), 1)
        honest = workshop.execute(Program({"h.py": "x = 1"}, "f"), b"{}", Limits(20, MEMORY), 1)
    assert (forged.answer, honest.answer) == (1000, 1)

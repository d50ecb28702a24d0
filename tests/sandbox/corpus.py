"""The corpus of hostile candidates: read from `attacks/`, run through the public door, judged.

`python tests/sandbox/corpus.py ablation` runs the corpus again with layers switched off, inside fresh
namespaces with everything mounted read-only, so that what gets through there harms nobody, and prints one
JSON document of what broke under which layers. `… corpus.py unprivileged`, started by root, runs it as an
ordinary user.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import re
import struct
import sys
from dataclasses import dataclass
from pathlib import Path

from gapsmith.sandbox.base import Execution, ExecutionStatus, Json, Limits, Program, SandboxError
from gapsmith.sandbox.policy import Policy
from gapsmith.sandbox.slot import Slot

ATTACKS = Path(__file__).parent / "attacks"
NUMBERS = [5, 3, 9, 1, 1, 7]
INSTANCE = json.dumps({"xs": NUMBERS}).encode()
HONEST = Program(
    {"heuristic.py": 'MARK = "the text of an earlier candidate"\ndef f(xs): return sorted(xs)\n'}, "f"
)
SUCCESS = "got through"
LEFTOVERS = (Path("/dev/shm"), Path("/tmp"), Path("/var/tmp"))
LOOP = """
def drive(entry, instance, receive, send):
    history = []
    while True:
        line = receive()
        if line is None:
            return
        send(b"%d" % entry(int(line), list(history)))
        history.append(int(line))
"""


class Items:
    """A dialogue of the items 1 to 20; an honest candidate decides each as itself."""

    def __init__(self) -> None:
        self.decisions: list[Json] = []

    def next(self, line: bytes) -> bytes | None:
        """The next item, once the last one is decided."""
        if line:
            self.decisions.append(int(line))
        return b"%d" % (len(self.decisions) + 1) if len(self.decisions) < 20 else None

    def answer(self) -> Json:
        """The decisions, in order."""
        return self.decisions


@dataclass(frozen=True)
class Attack:
    """One hostile candidate with what it declares in its header."""

    name: str
    text: str
    expect: frozenset[str]
    may_be_off: frozenset[str]
    limits: Limits
    dialogue: bool
    machine: str | None

    @property
    def family(self) -> str:
        """First word of the file's name."""
        return self.name.partition("_")[0]


def read_attacks() -> list[Attack]:
    """All attacks of the folder, by name."""
    return [_read(path) for path in sorted(ATTACKS.glob("*.py"))]


def _read(path: Path) -> Attack:
    text = path.read_text(encoding="utf-8")
    header = dict(re.findall(r"^# ([a-z ]+): (.*)$", text, flags=re.MULTILINE))
    off = header["may be off"].split()
    return Attack(
        name=path.stem,
        text=text,
        expect=frozenset(header["expect"].split()),
        may_be_off=frozenset(off if off != ["none"] else []),
        limits=Limits(float(header.get("cpu", "0.1")), 128 << 20, 64 << 10),
        dialogue="dialogue" in header,
        machine=header.get("machine"),
    )


def honest(slot: Slot) -> Execution:
    """One honest execution."""
    return slot.execute(HONEST, INSTANCE, Limits(), 1)


def run(slot: Slot, attack: Attack, strict: bool = True) -> str | None:
    """Runs one attack, then an honest candidate; returns what broke, in one sentence, or None.

    Args:
        slot: where it runs.
        attack: what runs.
        strict: whether another failure than the declared one counts; in the ablation it does not.
    """
    driver = LOOP if attack.dialogue else None
    program = Program({"heuristic.py": attack.text}, "f", driver)
    instance = b"{}" if attack.dialogue else INSTANCE
    try:
        found = slot.execute(program, instance, attack.limits, 1, Items() if attack.dialogue else None)
        after = honest(slot)
    except SandboxError as error:
        return f"the sandbox itself ended: {error}"
    failures = set() if strict else set(ExecutionStatus) - {ExecutionStatus.OK, ExecutionStatus.TIMEOUT}
    if found.status.value not in attack.expect | failures:
        return f"got {found.status} ({found.error}), expected {' or '.join(sorted(attack.expect))}"
    if isinstance(found.answer, list) and 1000 in found.answer:
        return "saw an item before its time"
    if SUCCESS in json.dumps(found.answer):
        return f"answered {found.answer!r:.80}"
    if found.error is not None and (len(found.error.encode()) > 2048 or not _printable(found.error)):
        return "unclean error text"
    if len(found.output.encode()) > 2048 or not _printable(found.output):
        return "unclean output"
    if after.status is not ExecutionStatus.OK or after.answer != sorted(NUMBERS):
        return f"an honest candidate after it got {after.status}, {after.answer!r:.80}"
    return _left_behind(slot)


def _printable(text: str) -> bool:
    return text.replace("\n", "").isprintable()


def _left_behind(slot: Slot) -> str | None:
    """Processes beyond the server's own two, and files with the corpus's mark."""
    alive = processes(slot)
    expected = 2 if slot.report()["namespaces"].active else 1
    if len(alive) > expected:
        return f"{len(alive) - expected} process(es) left"
    marked = _remove_marked()
    return f"left {', '.join(marked)}" if marked else None


def _remove_marked() -> list[str]:
    marked = [file for folder in LEFTOVERS for file in folder.glob("gapsmith_attack*")]
    for file in marked:
        file.rmdir() if file.is_dir() else file.unlink()
    return [str(file) for file in marked]


def processes(slot: Slot) -> list[int]:
    """Process numbers of a slot's server and of all that descends from it, seen from outside."""
    found = [slot.server.pid]
    for pid in found:
        try:
            found += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
        except OSError:
            continue  # ended meanwhile
    return [pid for pid in found if _alive(pid)]


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


CONFIGURATIONS = (
    (),
    ("landlock",),
    ("namespaces",),
    ("uid",),
    ("rlimits",),
    ("seccomp",),
    ("seccomp", "landlock"),
    ("seccomp", "landlock", "namespaces", "rlimits", "uid"),
)


def ablate() -> list[dict[str, object]]:
    """The corpus under every configuration: attacks tried, those that broke something, and how."""
    attacks = [a for a in read_attacks() if a.machine in (None, platform.machine())]
    rows: list[dict[str, object]] = []
    for off in CONFIGURATIONS:
        tried = [attack for attack in attacks if set(off) <= attack.may_be_off]
        breaks = {}
        slot = Slot(Policy(without=frozenset(off)))
        for attack in tried:
            problem = run(slot, attack, strict=not off)
            if problem is not None:
                breaks[attack.name] = problem
                _remove_marked()
                if not problem.startswith(("got ok", "answered")):
                    slot.close()  # whatever it left dies with the server
        slot.close()
        rows.append({"off": list(off), "tried": len(tried), "breaks": breaks})
    return rows


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def _unshare(flags: int, inside: int, count: int) -> None:
    """Enters a new user namespace, and others; one's ids are called `inside` and on there."""
    target, (ready, go) = os.getpid(), os.pipe()
    maps = {"uid_map": os.getuid(), "gid_map": os.getgid()}
    privileged = os.getuid() == 0
    helper = os.fork()
    if helper == 0:  # stays outside: only there may root hand more than one id in
        os.read(ready, 1)
        if not privileged:
            Path(f"/proc/{target}/setgroups").write_text("deny")
        for name, number in maps.items():
            Path(f"/proc/{target}/{name}").write_text(f"{inside} {number} {count}")
        os._exit(0)
    _check(_libc().unshare(0x10000000 | flags), "unshare")
    os.write(go, b"x")
    if os.waitpid(helper, 0)[1] != 0:
        raise OSError("the maps of ids could not be written")
    os.close(ready)
    os.close(go)


def enter_fresh_namespaces() -> None:
    """New user, process, network, IPC and mount namespaces; everything read-only but three fresh folders.

    Raises:
        OSError: namespaces cannot be had here.
    """
    libc = _libc()
    _unshare(0x20000000 | 0x40000000 | 0x08000000 | 0x00020000, os.getuid(), 65536 if os.getuid() == 0 else 1)
    child = os.fork()
    if child:
        os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    _check(libc.mount(b"none", b"/", None, 0x44000, None), "private mounts")
    attributes = (1).to_bytes(8, "little") + bytes(24)  # MOUNT_ATTR_RDONLY
    _check(
        libc.syscall(442, -100, b"/", 0x8000, attributes, 32), "read-only mounts"
    )  # mount_setattr, recursive
    _check(libc.mount(b"proc", b"/proc", b"proc", 0, None), "mount /proc")
    for folder in LEFTOVERS:
        if folder.name == "tmp" and (Path(sys.prefix).is_relative_to(folder) or not folder.exists()):
            continue  # the interpreter lives there; it stays read-only
        _check(libc.mount(b"none", str(folder).encode(), b"tmpfs", 0, b"size=64m"), f"tmpfs on {folder}")


def become_ordinary() -> None:
    """From root to an ordinary user without any capability, who may still read the interpreter.

    Raises:
        OSError: namespaces cannot be had here.
    """
    _unshare(0, 1000, 1)
    header = struct.pack("<Ii", 0x20080522, 0)
    _check(_libc().capset(header, bytes(24)), "give up capabilities")


def run_all(slow: bool) -> dict[str, str]:
    """What broke, by attack, with every layer on; without the attacks that wait for a clock unless `slow`."""
    found = {}
    with Slot(Policy()) as slot:
        for attack in read_attacks():
            clocked = attack.family in ("time", "dialogue") and "timeout" in attack.expect
            if attack.machine in (None, platform.machine()) and (slow or not clocked):
                problem = run(slot, attack)
                if problem is not None:
                    found[attack.name] = problem
    return found


if __name__ == "__main__":
    try:
        if sys.argv[1:] == ["ablation"]:
            enter_fresh_namespaces()
            outcome: object = ablate()
        else:
            become_ordinary()
            outcome = run_all(slow=False)
    except OSError as error:
        sys.exit(f"cannot be had here: {error}")
    json.dump(outcome, sys.stdout, indent=1)

"""The sandbox where a layer is missing: `python tests/sandbox/faults.py FAULT [user]`, started by root.

Faults are the kernel's own refusals: an outer system call filter, or a `/proc` that cannot be written. Prints
one JSON document: state of the layers, how the self-test ended, statuses of honest programs.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import platform
import struct
import sys

from corpus import HONEST, INSTANCE, _check, _libc, _unshare
from gapsmith.sandbox import slot
from gapsmith.sandbox.base import Limits, SandboxError
from gapsmith.sandbox.policy import Policy
from gapsmith.sandbox.sealed import filter
from gapsmith.sandbox.sealed.syscalls import NUMBERS

_PRCTL = {"x86_64": 157, "aarch64": 167}
_SECCOMP = {"x86_64": 317, "aarch64": 277}
FAULTS = ("none", "unshare", "uid_map", "landlock", "seccomp")


def refuse(numbers: dict[int, int], option: int | None = None) -> None:
    """Loads a filter that answers calls (number → error), and one option of `prctl`, with an error."""
    machine, step = platform.machine(), filter.Instruction
    program = [step(filter.LOAD, 0, 0, filter.NUMBER)]
    for number, error in numbers.items():
        program += [step(filter.EQUAL, 0, 1, number), step(filter.RETURN, 0, 0, filter.ERRNO | error)]
    if option is not None:
        program += [
            step(filter.EQUAL, 0, 3, _PRCTL[machine]),
            step(filter.LOAD, 0, 0, 16),
            step(filter.EQUAL, 0, 1, option),
            step(filter.RETURN, 0, 0, filter.ERRNO | errno.EINVAL),
        ]
    program.append(step(filter.RETURN, 0, 0, filter.ALLOW))
    code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *one) for one in program))
    header = struct.pack("<HxxxxxxQ", len(program), ctypes.addressof(code))
    libc = _libc()
    _check(libc.prctl(38, 1, 0, 0, 0), "no new privileges")
    _check(libc.prctl(22, 2, ctypes.create_string_buffer(header), 0, 0), "filter")


def become_ordinary(proc_is_read_only: bool) -> None:
    """From root to an ordinary user who may still read the interpreter."""
    _unshare(0x00020000, 1000, 1)
    if proc_is_read_only:
        libc, attributes = _libc(), (1).to_bytes(8, "little") + bytes(24)
        _check(libc.mount(b"none", b"/", None, 0x44000, None), "private mounts")
        _check(libc.syscall(442, -100, b"/proc", 0x8000, attributes, 32), "read-only /proc")
    header = struct.pack("<Ii", 0x20080522, 0)
    _check(_libc().capset(header, bytes(24)), "give up capabilities")


def inject(fault: str) -> None:
    """Makes this process and its children lack something."""
    machine = platform.machine()
    if fault == "unshare":
        refuse({NUMBERS[machine]["unshare"]: errno.EPERM})
    elif fault == "landlock":
        refuse(dict.fromkeys((444, 445, 446), errno.ENOSYS))
    elif fault == "seccomp":
        refuse({_SECCOMP[machine]: errno.ENOSYS}, option=22)


def examine() -> dict[str, object]:
    """The self-test, then three honest programs on one slot."""
    found: dict[str, object] = {"uid": os.getuid(), "layers": {}, "blamed": None, "statuses": []}
    found["layers"] = {name: layer.active for name, layer in slot.layers().items()}
    try:
        slot.self_test()
    except SandboxError as error:
        found["blamed"] = error.layer
    with slot.Slot(Policy()) as opened:
        try:
            done = [opened.execute(HONEST, INSTANCE, Limits(), 1) for _ in range(3)]
        except SandboxError as error:
            found["statuses"] = [error.layer]
        else:
            found["statuses"] = [one.status.value for one in done]
    found["recorded"] = slot.active_layers(Policy())
    return found


if __name__ == "__main__":
    wanted = sys.argv[1]
    try:
        if "user" in sys.argv[2:]:
            become_ordinary(wanted == "uid_map")
        inject(wanted)
    except OSError as problem:
        sys.exit(f"cannot be had here: {problem}")
    json.dump(examine(), sys.stdout)

"""The seccomp-bpf filter of a child, built as data: an allow-list that fails closed.

The program is a list of classic BPF instructions (linux/filter.h); `tests/sandbox` interprets it for every
call number. Order matters: first the architecture (a 32-bit entry has other numbers), then the x32 bit.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Iterable
from typing import NamedTuple

from . import syscalls
from .access_log import MARKS

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32_BIT = 0x40000000

KILL_PROCESS = 0x80000000
ALLOW = 0x7FFF0000
ERRNO = 0x00050000

# linux/bpf_common.h: BPF_LD|W|ABS, BPF_JMP|JEQ|K, JGE, JSET, BPF_RET|K
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
# struct seccomp_data: nr, arch, instruction pointer, six 64-bit arguments (both machines little-endian)
NUMBER, ARCHITECTURE = 0, 4
F_COMMANDS = (0, 1, 2, 3, 1030)  # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC: none sends signals
PROT_EXEC = 4
# MADV_DONTNEED, FREE, HUGEPAGE, NOHUGEPAGE: for allocators and numpy; none shares pages with other processes
ADVICE = (4, 8, 14, 15)
# FUTEX_WAIT, WAKE, WAIT_BITSET, WAKE_BITSET, each with FUTEX_PRIVATE_FLAG (128), the third with
# FUTEX_CLOCK_REALTIME (256) too: what locks of the C library need. No other kind: none that lends priority.
FUTEX = (0, 128, 1, 129, 9, 137, 265, 393, 10, 138)
CLOCKS = 8  # ids below are the machine's clocks and one's own; ids with the top bit name other processes


class Instruction(NamedTuple):
    """One BPF instruction: operation, jump distances if true and if false, operand."""

    code: int
    yes: int
    no: int
    operand: int


def _low(argument: int) -> int:
    return 16 + 8 * argument


def _refuse(number: int) -> Instruction:
    return Instruction(RETURN, 0, 0, ERRNO | number)


def _checked(name: str) -> list[Instruction]:
    """Body for a call that is allowed for some arguments only; every path returns."""
    allow, deny = Instruction(RETURN, 0, 0, ALLOW), _refuse(errno.EPERM)
    if name in ("mmap", "mprotect"):  # no new machine code: nothing honest makes any after the imports
        return [Instruction(LOAD, 0, 0, _low(2)), Instruction(ANY_BIT, 0, 1, PROT_EXEC), deny, allow]
    if name == "close":  # every descriptor but the one that marks go to, so that nothing can take its place
        return [Instruction(LOAD, 0, 0, _low(0)), Instruction(EQUAL, 0, 1, MARKS), deny, allow]
    if name == "prlimit64":  # reading one's own limits; with a pid it could starve the parent
        zero = [
            step
            for place in (_low(0), _low(2), _low(2) + 4)
            for step in (Instruction(LOAD, 0, 0, place), Instruction(EQUAL, 1, 0, 0), deny)
        ]
        return [*zero, allow]
    if name in ("clock_gettime", "clock_getres", "clock_nanosleep"):
        return [Instruction(LOAD, 0, 0, _low(0)), Instruction(AT_LEAST, 0, 1, CLOCKS), deny, allow]
    argument, values = _LISTED[name]
    steps = [step for value in values for step in (Instruction(EQUAL, 0, 1, value), allow)]
    return [Instruction(LOAD, 0, 0, _low(argument)), *steps, deny]


_LISTED = {
    "fcntl": (1, F_COMMANDS),
    "futex": (1, FUTEX),
    "madvise": (2, ADVICE),
    "sched_getaffinity": (0, (0,)),
}
"""Call → argument that is looked at, and the values that are allowed; the kernel takes each as 32 bits."""


def build(machine: str) -> list[Instruction]:
    """BPF program for a machine (`x86_64` or `aarch64`).

    Raises:
        KeyError: another machine; nothing may run there.
    """
    numbers = syscalls.NUMBERS[machine]
    kill = Instruction(RETURN, 0, 0, KILL_PROCESS)
    program = [
        Instruction(LOAD, 0, 0, ARCHITECTURE),
        Instruction(EQUAL, 1, 0, AUDIT_ARCH[machine]),
        kill,
        Instruction(LOAD, 0, 0, NUMBER),
    ]
    if machine == "x86_64":
        program += [Instruction(AT_LEAST, 0, 1, X32_BIT), kill]

    def group(names: Iterable[str], verdict: Instruction) -> None:
        for name in names:
            if name in numbers:
                program.extend((Instruction(EQUAL, 0, 1, numbers[name]), verdict))

    group(syscalls.ALLOWED, Instruction(RETURN, 0, 0, ALLOW))
    for name in syscalls.CHECKED:
        body = _checked(name)
        program.extend((Instruction(EQUAL, 0, len(body), numbers[name]), *body))
    group(syscalls.DENIED, _refuse(errno.EACCES))
    group(syscalls.ABSENT, _refuse(errno.ENOSYS))
    group(syscalls.NOT_A_TERMINAL, _refuse(errno.ENOTTY))
    group(syscalls.FATAL, kill)
    program.append(_refuse(errno.EPERM))
    return program


class Loader:
    """A filter in the kernel's form, ready to be loaded by many children of one process."""

    def __init__(self, program: list[Instruction]) -> None:
        code = b"".join(struct.pack("<HBBI", *instruction) for instruction in program)
        self._code = ctypes.create_string_buffer(code, len(code))
        header = struct.pack("<HxxxxxxQ", len(program), ctypes.addressof(self._code))
        self._header = ctypes.create_string_buffer(header, len(header))
        self._prctl = ctypes.CDLL(None, use_errno=True).prctl
        self._prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4

    def load(self) -> None:
        """Puts the filter on the calling process, for good.

        Raises:
            OSError: the kernel has no seccomp filters or refuses this one.
        """
        if self._prctl(22, 2, ctypes.addressof(self._header), 0, 0):  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
            number = ctypes.get_errno()
            raise OSError(number, f"the kernel refused the filter: {os.strerror(number)}")

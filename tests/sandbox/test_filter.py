"""The system call filter as data: interpreted for every number, compared with a reviewed list."""

from __future__ import annotations

import errno
import itertools
from collections.abc import Sequence

import pytest
from gapsmith.sandbox.sealed import filter, syscalls

MACHINES = ("x86_64", "aarch64")

# What a candidate may call, whatever the arguments; a change needs a reason in docs/explanation/sandbox.md.
OPEN = """
brk close exit exit_group getcpu getegid geteuid getgid getpid getrandom getrlimit getrusage gettid
gettimeofday getuid lseek membarrier mremap munmap nanosleep ppoll pread64 pselect6 read readv restart_syscall
rseq rt_sigaction rt_sigprocmask rt_sigreturn sched_yield set_robust_list sigaltstack times write writev
"""
OPEN_ON_X86 = ["poll", "select", "time"]
GOLDEN = {
    "x86_64": "0 1 3 7 8 11 12 13 14 15 17 19 20 23 24 25 35 39 60 96 97 98 100 102 104 107 108 131 186 "
    "201 219 231 270 271 273 309 318 324 334",
    "aarch64": "57 62 63 64 65 66 67 72 73 93 94 99 101 124 128 132 134 135 139 153 "
    "163 165 168 169 172 174 175 176 177 178 214 215 216 278 283 293",
}


def interpret(
    program: Sequence[filter.Instruction], number: int, arch: int, arguments: Sequence[int] = ()
) -> int:
    """Runs a filter on one call as the kernel would: returns its verdict."""
    data = number.to_bytes(4, "little") + arch.to_bytes(4, "little") + bytes(8)
    data += b"".join(value.to_bytes(8, "little") for value in [*arguments, *[0] * (6 - len(arguments))])
    place, accumulator = 0, 0
    for _ in range(len(program)):
        code, yes, no, operand = program[place]
        place += 1
        if code == filter.RETURN:
            return operand
        if code == filter.LOAD:
            accumulator = int.from_bytes(data[operand : operand + 4], "little")
            continue
        holds = {
            filter.EQUAL: accumulator == operand,
            filter.AT_LEAST: accumulator >= operand,
            filter.ANY_BIT: bool(accumulator & operand),
        }[code]
        place += yes if holds else no
    raise AssertionError("the program does not end")


def verdict(machine: str, name: str, *arguments: int) -> int:
    """Verdict on a call by name."""
    return interpret(
        filter.build(machine), syscalls.NUMBERS[machine][name], filter.AUDIT_ARCH[machine], arguments
    )


@pytest.mark.parametrize("machine", MACHINES)
def test_open_calls_are_the_reviewed_ones(machine: str) -> None:
    """Of the numbers 0 to 1023 exactly the reviewed ones are open with arguments that no check likes."""
    program, arch = filter.build(machine), filter.AUDIT_ARCH[machine]
    hostile = [2**64 - 1] * 6
    opened = [n for n in range(1024) if interpret(program, n, arch, hostile) == filter.ALLOW]
    assert opened == [int(number) for number in GOLDEN[machine].split()]
    names = {number: name for name, number in syscalls.NUMBERS[machine].items()}
    expected = sorted(OPEN.split() + (OPEN_ON_X86 if machine == "x86_64" else []))
    assert sorted(names[number] for number in opened) == expected


@pytest.mark.parametrize("machine", MACHINES)
def test_every_verdict_is_one_of_three(machine: str) -> None:
    """Every number, checked calls included, is allowed, answered with an error, or the end of the process."""
    program, arch = filter.build(machine), filter.AUDIT_ARCH[machine]
    errors = {filter.ERRNO | number for number in (errno.EPERM, errno.EACCES, errno.ENOSYS, errno.ENOTTY)}
    for number in range(1024):
        assert interpret(program, number, arch) in {filter.ALLOW, filter.KILL_PROCESS, *errors}


@pytest.mark.parametrize("machine", MACHINES)
def test_foreign_architectures_end_the_process(machine: str) -> None:
    """A call by another entry (32-bit, the other machine, x32) ends the process whatever its number."""
    program = filter.build(machine)
    others = {0x40000003, 0x40000028, *filter.AUDIT_ARCH.values()} - {filter.AUDIT_ARCH[machine]}
    for arch, number in itertools.product(others, range(1024)):
        assert interpret(program, number, arch) == filter.KILL_PROCESS
    if machine == "x86_64":
        own = filter.AUDIT_ARCH[machine]
        assert {interpret(program, 0x40000000 + n, own) for n in range(1024)} == {filter.KILL_PROCESS}


@pytest.mark.parametrize("machine", MACHINES)
def test_arguments_decide_where_they_must(machine: str) -> None:
    """Memory is never executable, limits are only read and one's own, descriptors send no signals."""
    refused = filter.ERRNO | errno.EPERM
    for name in ("mmap", "mprotect"):
        assert verdict(machine, name, 0, 4096, 3) == filter.ALLOW
        assert verdict(machine, name, 0, 4096, 7) == refused
        assert verdict(machine, name, 0, 4096, 4) == refused
    assert verdict(machine, "prlimit64", 0, 7, 0, 1) == filter.ALLOW
    for pid, new in ((1, 0), (0, 1), (2**32, 0), (0, 2**32)):
        assert verdict(machine, "prlimit64", pid, 7, new, 0) == (filter.ALLOW if pid == 2**32 else refused)
    assert verdict(machine, "fcntl", 1, 3) == filter.ALLOW
    for command in (4, 8, 10, 15, 1024, 1031, 1033):
        assert verdict(machine, "fcntl", 1, command) == refused


@pytest.mark.parametrize("machine", MACHINES)
def test_other_processes_cannot_be_asked_about(machine: str) -> None:
    """Clocks are the machine's and one's own, so are processors; advice and locks are the listed kinds."""
    refused = filter.ERRNO | errno.EPERM
    for name in ("clock_gettime", "clock_getres", "clock_nanosleep"):
        opened = [n for n in range(64) if verdict(machine, name, n) == filter.ALLOW]
        assert opened == list(range(8))
        for pid in (0, 1, 4711, 2**22):
            clock = ((~pid << 3) | 2) & 0xFFFFFFFF
            assert verdict(machine, name, clock) == refused
            assert verdict(machine, name, clock | 0xFFFFFFFF00000000) == refused
    assert verdict(machine, "sched_getaffinity", 0) == filter.ALLOW
    assert {verdict(machine, "sched_getaffinity", pid) for pid in (1, 4711, 2**31)} == {refused}
    advice = [n for n in range(128) if verdict(machine, "madvise", 0, 4096, n) == filter.ALLOW]
    assert advice == [4, 8, 14, 15]
    locks = [n for n in range(1024) if verdict(machine, "futex", 0, n) == filter.ALLOW]
    assert locks == [0, 1, 9, 10, 128, 129, 137, 138, 265, 393]


@pytest.mark.parametrize("machine", MACHINES)
def test_jumps_stay_inside(machine: str) -> None:
    """The kernel's own limits hold: at most 4,096 instructions, every jump lands on one of them."""
    program = filter.build(machine)
    assert len(program) <= 4096
    for place, (code, yes, no, _) in enumerate(program):
        assert max(yes, no) <= 255
        assert code == filter.RETURN or place + 1 + max(yes, no) < len(program)


def test_no_group_overlaps_another() -> None:
    """Each name is in one group only, and both tables know every name that their machine has."""
    groups = (
        syscalls.ALLOWED,
        syscalls.CHECKED,
        syscalls.DENIED,
        syscalls.ABSENT,
        syscalls.NOT_A_TERMINAL,
        syscalls.FATAL,
    )
    named = [name for group in groups for name in group if name != "openat2"]
    assert len(named) == len(set(named))
    assert set(syscalls.NUMBERS["x86_64"]) >= set(named)
    assert set(syscalls.NUMBERS["aarch64"]) < set(syscalls.NUMBERS["x86_64"])


def test_unknown_machines_are_refused() -> None:
    """There is no filter for a machine whose numbers were not reviewed."""
    with pytest.raises(KeyError):
        filter.build("riscv64")

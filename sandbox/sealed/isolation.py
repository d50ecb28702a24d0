"""Layers that the fork server puts on itself once, before the first job: children inherit them.

Each function returns what it did as `(active, reason)`; only what a person must fix is an exception.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import resource
import struct
import sys
from collections.abc import Iterable

Outcome = tuple[bool, str]
Rule = tuple[str, int]
"""A file or folder, and the Landlock rights that hold there and below (bits as in `landlock.h`)."""

NOBODY = 65534
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS, SIGKILL = 1, 4, 38, 9

_CLONE_NEWUTS, _CLONE_NEWIPC, _CLONE_NEWUSER = 0x04000000, 0x08000000, 0x10000000
_CLONE_NEWPID, _CLONE_NEWNET, _CLONE_NEWNS = 0x20000000, 0x40000000, 0x00020000
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446  # the same on every architecture

_libc = ctypes.CDLL(None, use_errno=True)


def check(result: int, what: str) -> int:
    """The result of a call of the C library.

    Raises:
        OSError: the call failed.
    """
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def prctl(option: int, value: int) -> None:
    """One `prctl` with one argument.

    Raises:
        OSError: the kernel refused.
    """
    check(
        _libc.prctl(option, ctypes.c_ulong(value), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0)),
        f"prctl({option}, {value})",
    )


def enter_namespaces(mounts: bool = False, refused: str | None = None) -> Outcome:
    """Moves into fresh user, process, network, IPC and host-name namespaces; returns as their first process.

    The process that called stays outside and waits for the one that returns. Root keeps its user namespace:
    there its ids are dropped for good, which is worth more. A throwaway child goes first: where the kernel
    gives namespaces but refuses the maps of ids, a process is left half inside, and can fork only once.

    Args:
        mounts: whether a mount namespace is entered too.
        refused: what a throwaway child met, for a caller that has sent one already.

    Raises:
        OSError: the throwaway child came in, and this process did not.
    """
    refused = refused_to_a_child(mounts) if refused is None else refused
    if refused:
        return False, f"not available here ({refused})"
    _enter(mounts)
    return True, "own process, network, IPC and host-name namespaces" + (
        "" if os.geteuid() == 0 else ", own user namespace"
    )


def _enter(mounts: bool) -> None:
    flags = _CLONE_NEWPID | _CLONE_NEWNET | _CLONE_NEWIPC | _CLONE_NEWUTS | (_CLONE_NEWNS if mounts else 0)
    root, uid, gid = os.geteuid() == 0, os.geteuid(), os.getegid()
    check(_libc.unshare(flags if root else flags | _CLONE_NEWUSER), "unshare")
    if not root:
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{uid} {uid} 1"),
            ("gid_map", f"{gid} {gid} 1"),
        ):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)


def refused_to_a_child(mounts: bool) -> str:
    """Why a forked child cannot enter the namespaces and fork twice there; empty if it can."""
    inbound, outbound = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            _enter(mounts)
            said = b"" if _forks(2) else b"no process can be made in them"
        except OSError as error:
            said = (error.strerror or str(error)).encode()
        except BaseException as error:
            said = repr(error).encode()
        os.write(outbound, b"." + said)
        os._exit(0)
    os.close(outbound)
    said = os.read(inbound, 1000)
    os.close(inbound)
    os.waitpid(child, 0)
    return said[1:].decode(errors="replace") if said else "the process that tried it ended"


def _forks(depth: int) -> bool:
    """Whether a process can be forked, and from that another one, so deep."""
    if depth == 0:
        return True
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if _forks(depth - 1) else 1)
        finally:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def stay_outside() -> None:
    """Forks; the child returns as first process of the new process namespace, the caller waits and ends."""
    inner = os.fork()
    if inner == 0:
        return
    os.closerange(0, 256)
    with contextlib.suppress(OSError):
        os.waitpid(inner, 0)
    os._exit(0)


def volunteer() -> None:
    """Where memory runs out the kernel ends this process and its children first, and not the tool."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


def drop_ids() -> Outcome:
    """Gives up root for `NOBODY`, or at least every capability where no other id exists.

    Raises:
        OSError: neither worked; the caller refuses to go on.
    """
    if os.geteuid() != 0:
        drop_capabilities()
        return True, f"runs as uid {os.geteuid()}"
    try:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EPERM):
            raise
        drop_capabilities()
        return True, "capabilities given up; the ids stay 0, for no other id is mapped here"
    drop_capabilities()
    return True, f"started as root, runs as uid {NOBODY}"


def drop_capabilities() -> None:
    """Empties the effective, permitted and inheritable sets (capset(2), version 3 of its header).

    Raises:
        OSError: the kernel refused.
    """
    header = ctypes.create_string_buffer(struct.pack("<Ii", 0x20080522, 0), 8)
    check(_libc.capset(header, ctypes.create_string_buffer(24)), "capset")


def landlock(rules: Iterable[Rule] = ()) -> Outcome:
    """Denies files but those of the rules, TCP, foreign abstract sockets and foreign signals.

    Needs `no_new_privs`. A rule for a path that does not exist is left out.
    """
    abi = _libc.syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint(1))
    if abi < 1:
        return False, f"the kernel has no Landlock ({os.strerror(ctypes.get_errno())})"
    rights = {1: 13, 2: 14, 3: 15, 4: 15}.get(abi, 16)  # file rights known to this ABI, one bit each
    network = 0b11 if abi >= 4 else 0
    scopes = 0b11 if abi >= 6 else 0
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    handled = ctypes.create_string_buffer(struct.pack("<QQQ", (1 << rights) - 1, network, scopes), 24)
    listed = list(rules)
    try:
        create = _libc.syscall(_LANDLOCK_CREATE, handled, ctypes.c_size_t(size), ctypes.c_uint(0))
        fd = check(create, "create")
        try:
            for path, wanted in listed:
                _allow(fd, path, wanted & ((1 << rights) - 1))
            check(_libc.syscall(_LANDLOCK_RESTRICT, ctypes.c_int(fd), ctypes.c_uint(0)), "restrict")
        finally:
            os.close(fd)
    except OSError as error:
        return False, f"the kernel refused it ({error})"
    return True, f"every file denied{' but those of the task' if listed else ''} (ABI {abi})"


_FILE_RIGHTS = 0b1100_0000_0000_0111  # execute, write, read, truncate, ioctl: the others are of folders


def _allow(ruleset: int, path: str, rights: int) -> None:
    """Adds one rule to a Landlock ruleset."""
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        rights &= -1 if os.path.isdir(path) else _FILE_RIGHTS
        rule = ctypes.create_string_buffer(struct.pack("<Qi", rights, place), 12)
        add = (_LANDLOCK_ADD, ctypes.c_int(ruleset), ctypes.c_int(1), rule, ctypes.c_uint(0))
        check(_libc.syscall(*add), f"rule for {path}")
    finally:
        os.close(place)


def fixed_limits() -> None:
    """Limits that no job changes: no core file, no locked memory, no queues, 8 MB of stack."""
    for what, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_STACK, 8 * 1024 * 1024),
    ):
        set_limit(what, value)


def set_limit(what: int, value: int) -> None:
    """Sets soft and hard limit, never above a hard limit that is there already."""
    hard = resource.getrlimit(what)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(what, (value, value))


def check_process(descriptors: set[int]) -> int:
    """Checks that forking is safe and shares nothing; returns the address space in bytes.

    Args:
        descriptors: those that may be open; a child inherits every one.

    Raises:
        RuntimeError: an imported module started a thread, or left a descriptor or a writable shared mapping.
    """
    found = {int(name) for name in os.listdir("/proc/self/fd")} - descriptors
    left = [number for number in found if os.path.lexists(f"/proc/self/fd/{number}")]
    if left:
        raise RuntimeError(f"the imported modules left descriptors open: {left}, expected none")
    threads = len(os.listdir("/proc/self/task"))
    if threads != 1:
        raise RuntimeError(f"the imported modules started {threads - 1} thread(s), expected none")
    with open("/proc/self/maps") as file:
        shared = [line.split()[-1] for line in file if "w" in line.split()[1] and line.split()[1][3] == "s"]
    if shared:
        raise RuntimeError(f"the imported modules left writable shared memory: {', '.join(shared)}")
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def machine() -> str:
    """Name of the instruction set that this interpreter runs on: `x86_64`, `aarch64` or another."""
    return os.uname().machine if sys.maxsize > 2**32 else "32-bit"

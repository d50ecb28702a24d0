"""The seccomp deny-list of a workshop: what an evaluator needs stays open, what reaches outside is refused.

The sandbox's own filter is an allow-list. An evaluator starts threads, processes and other programs, so its
filter names what is closed: sockets, other processes' memory and limits, mounts, namespaces, the kernel.
"""

from __future__ import annotations

import errno

from .filter import (
    ALLOW,
    ANY_BIT,
    ARCHITECTURE,
    AT_LEAST,
    AUDIT_ARCH,
    EQUAL,
    ERRNO,
    KILL_PROCESS,
    LOAD,
    NUMBER,
    RETURN,
    X32_BIT,
    Instruction,
)

MASK = 0x54  # BPF_ALU | BPF_AND | BPF_K
_NEW_NAMESPACES = 0x7E020000  # CLONE_NEW* of clone(2)
_AF_UNIX, _SOCK_STREAM, _SOCK_KIND = 1, 1, 0xF


def _table(text: str) -> dict[str, tuple[int, int]]:
    """Name → number on x86-64 and on aarch64; -1 where a machine has no such call."""
    rows = (word.split("=") for word in text.split())
    return {name: (int(pair.split("/")[0]), int(pair.split("/")[1])) for name, pair in rows}


# A socket of any family reaches something: a path of AF_UNIX is not looked at by Landlock.
REFUSED = _table(
    "socket=41/198 connect=42/203 bind=49/200 listen=50/201 accept=43/202 accept4=288/242 "
    "ptrace=101/117 process_vm_readv=310/270 process_vm_writev=311/271 kcmp=312/272 pidfd_getfd=438/438 "
    "process_madvise=440/440 process_mrelease=448/448 migrate_pages=256/238 move_pages=279/239 "
    "mount=165/40 umount2=166/39 pivot_root=155/41 chroot=161/51 mount_setattr=442/442 move_mount=429/429 "
    "open_tree=428/428 fsopen=430/430 fsconfig=431/431 fsmount=432/432 fspick=433/433 "
    "open_tree_attr=467/467 statmount=457/457 listmount=458/458 "
    "unshare=272/97 setns=308/268 bpf=321/280 perf_event_open=298/241 userfaultfd=323/282 "
    "io_uring_setup=425/425 io_uring_enter=426/426 io_uring_register=427/427 "
    "keyctl=250/219 add_key=248/217 request_key=249/218 "
    "init_module=175/105 finit_module=313/273 delete_module=176/106 kexec_load=246/104 "
    "kexec_file_load=320/294 reboot=169/142 swapon=167/224 swapoff=168/225 acct=163/89 syslog=103/116 "
    "name_to_handle_at=303/264 open_by_handle_at=304/265 quotactl=179/60 quotactl_fd=443/443 "
    "fanotify_init=300/262 fanotify_mark=301/263 lookup_dcookie=212/18 "
    "settimeofday=164/170 clock_settime=227/112 clock_adjtime=305/266 adjtimex=159/171 "
    "sethostname=170/161 setdomainname=171/162 vhangup=153/58 personality=135/92 "
    "iopl=172/-1 ioperm=173/-1 modify_ldt=154/-1 "
    "setpriority=141/140 ioprio_set=251/30 sched_setscheduler=144/119 sched_setparam=142/118 "
    "sched_setattr=314/274 "
    "shmget=29/194 shmat=30/196 shmctl=31/195 semget=64/190 semop=65/193 semctl=66/191 semtimedop=220/192 "
    "msgget=68/186 msgsnd=69/189 msgrcv=70/188 msgctl=71/187 mq_open=240/180 mq_unlink=241/181 "
    "chown=92/-1 fchown=93/55 lchown=94/-1 fchownat=260/54 "
    "setxattr=188/5 lsetxattr=189/6 fsetxattr=190/7 setxattrat=463/463 "
    "removexattr=197/14 lremovexattr=198/15 fremovexattr=199/16 removexattrat=466/466"
)
SIGNALS = _table(
    "kill=62/129 tkill=200/130 tgkill=234/131 rt_sigqueueinfo=129/138 rt_tgsigqueueinfo=297/240 "
    "pidfd_send_signal=424/424"
)
"""Refused where there is no process namespace: others' processes would be in reach."""
CHANGES = _table(
    "chmod=90/-1 fchmod=91/52 fchmodat=268/53 fchmodat2=452/452 utime=132/-1 utimes=235/-1 futimesat=261/-1 "
    "utimensat=280/88"
)
"""Modes and times of files, which Landlock does not look at. Where files outside are not mounted read-only,
the calls do nothing and report success: copying a file would fail otherwise."""
ABSENT = _table("clone3=435/435")
"""ENOSYS, as if the kernel were older: the C library then uses clone(2), whose flags can be looked at."""
OWN_ONLY = _table("prlimit64=302/261 sched_setaffinity=203/122")
"""Allowed for the calling process (0) alone."""


def _refuse(number: int) -> Instruction:
    return Instruction(RETURN, 0, 0, ERRNO | number)


def _argument(place: int, high: bool = False) -> int:
    return 16 + 8 * place + (4 if high else 0)


def build(machine: str, namespaces: bool) -> list[Instruction]:
    """BPF program for a machine (`x86_64` or `aarch64`).

    Args:
        machine: the instruction set.
        namespaces: whether the process has process and mount namespaces of its own.

    Raises:
        KeyError: another machine; nothing may run there.
    """
    column = {"x86_64": 0, "aarch64": 1}[machine]
    kill, allow = Instruction(RETURN, 0, 0, KILL_PROCESS), Instruction(RETURN, 0, 0, ALLOW)
    program = [
        Instruction(LOAD, 0, 0, ARCHITECTURE),
        Instruction(EQUAL, 1, 0, AUDIT_ARCH[machine]),
        kill,
        Instruction(LOAD, 0, 0, NUMBER),
    ]
    if machine == "x86_64":
        program += [Instruction(AT_LEAST, 0, 1, X32_BIT), kill]

    def each(table: dict[str, tuple[int, int]], *body: Instruction) -> None:
        for numbers in table.values():
            if numbers[column] >= 0:
                program.extend((Instruction(EQUAL, 0, len(body), numbers[column]), *body))

    each(REFUSED, _refuse(errno.EPERM))
    each(ABSENT, _refuse(errno.ENOSYS))
    if not namespaces:
        each(SIGNALS, _refuse(errno.EPERM))
        each(CHANGES, _refuse(0))
    each(
        OWN_ONLY,
        Instruction(LOAD, 0, 0, _argument(0)),
        Instruction(EQUAL, 1, 0, 0),
        _refuse(errno.EPERM),
        allow,
    )
    each(
        _table("clone=56/220"),
        Instruction(LOAD, 0, 0, _argument(0)),
        Instruction(ANY_BIT, 0, 1, _NEW_NAMESPACES),
        _refuse(errno.EPERM),
        allow,
    )
    # Pairs of streams alone: a datagram socket of a pair can still send to any path.
    each(
        _table("socketpair=53/199"),
        Instruction(LOAD, 0, 0, _argument(0)),
        Instruction(EQUAL, 1, 0, _AF_UNIX),
        _refuse(errno.EPERM),
        Instruction(LOAD, 0, 0, _argument(1)),
        Instruction(MASK, 0, 0, _SOCK_KIND),
        Instruction(EQUAL, 1, 0, _SOCK_STREAM),
        _refuse(errno.EPERM),
        allow,
    )
    # TIOCSTI and TIOCLINUX put text into a terminal.
    each(
        _table("ioctl=16/29"),
        Instruction(LOAD, 0, 0, _argument(1)),
        Instruction(EQUAL, 1, 0, 0x5412),
        Instruction(EQUAL, 0, 1, 0x541C),
        _refuse(errno.EPERM),
        allow,
    )
    program.append(allow)
    return program

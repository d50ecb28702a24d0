"""System calls by name and what a candidate gets for each; numbers for x86-64 and aarch64.

The numbers are those of the kernel's own headers (`asm/unistd_64.h`, `asm-generic/unistd.h`). A name that a
machine does not have is simply absent from its table. What is in no group is answered with EPERM.
"""

from __future__ import annotations


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Compute, own memory, own descriptors, own signals, clocks: what numpy and the interpreter need, no more.
ALLOWED = _names(
    "read write readv writev pread64 lseek "
    "munmap mremap brk "
    "rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack restart_syscall "
    "set_robust_list rseq membarrier sched_yield getcpu "
    "getpid gettid getuid geteuid getgid getegid "
    "nanosleep gettimeofday time times getrusage getrlimit "
    "getrandom exit exit_group poll ppoll select pselect6"
)

# Allowed for harmless arguments only; the conditions are in `filter.py`.
CHECKED = _names(
    "close mmap mprotect madvise futex clock_gettime clock_getres clock_nanosleep sched_getaffinity "
    "prlimit64 fcntl"
)

# EACCES, so that a candidate that opens a file meets Python's PermissionError with its own line.
# `fstat` is among them: number and times of an inherited file tell how many executions there were, and when.
DENIED = _names(
    "open openat creat stat fstat lstat newfstatat statx access faccessat faccessat2 "
    "readlink readlinkat getcwd chdir getdents getdents64 statfs"
)

# ENOSYS: the C library then tries the older call, which is refused in its turn.
ABSENT = ("clone3", "openat2")

# ENOTTY: `isatty` asks this way and takes no for an answer.
NOT_A_TERMINAL = ("ioctl",)

# No honest program comes near these: the process ends at once.
FATAL = _names(
    "execve execveat ptrace process_vm_readv process_vm_writev process_madvise "
    "kill tkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal pidfd_getfd "
    "unshare setns mount umount2 pivot_root chroot bpf perf_event_open "
    "io_uring_setup io_uring_enter io_uring_register userfaultfd keyctl add_key request_key "
    "init_module finit_module delete_module kexec_load kexec_file_load reboot swapon"
)


def _table(text: str) -> dict[str, int]:
    pairs = (word.split("=") for word in text.split())
    return {name: int(number) for name, number in pairs}


NUMBERS = {
    "x86_64": _table(
        "read=0 write=1 open=2 close=3 stat=4 fstat=5 lstat=6 poll=7 lseek=8 mmap=9 mprotect=10 munmap=11 "
        "brk=12 rt_sigaction=13 rt_sigprocmask=14 rt_sigreturn=15 ioctl=16 pread64=17 readv=19 writev=20 "
        "access=21 select=23 sched_yield=24 mremap=25 madvise=28 nanosleep=35 getpid=39 execve=59 exit=60 "
        "kill=62 fcntl=72 getdents=78 getcwd=79 chdir=80 creat=85 readlink=89 gettimeofday=96 getrlimit=97 "
        "getrusage=98 times=100 ptrace=101 getuid=102 getgid=104 geteuid=107 getegid=108 rt_sigqueueinfo=129 "
        "sigaltstack=131 statfs=137 pivot_root=155 chroot=161 mount=165 umount2=166 swapon=167 reboot=169 "
        "init_module=175 delete_module=176 gettid=186 tkill=200 time=201 futex=202 sched_getaffinity=204 "
        "getdents64=217 restart_syscall=219 clock_gettime=228 clock_getres=229 clock_nanosleep=230 "
        "exit_group=231 kexec_load=246 add_key=248 request_key=249 keyctl=250 openat=257 newfstatat=262 "
        "readlinkat=267 faccessat=269 pselect6=270 ppoll=271 unshare=272 set_robust_list=273 "
        "rt_tgsigqueueinfo=297 perf_event_open=298 prlimit64=302 setns=308 getcpu=309 process_vm_readv=310 "
        "process_vm_writev=311 finit_module=313 getrandom=318 kexec_file_load=320 bpf=321 execveat=322 "
        "userfaultfd=323 membarrier=324 statx=332 rseq=334 pidfd_send_signal=424 io_uring_setup=425 "
        "io_uring_enter=426 io_uring_register=427 clone3=435 openat2=437 pidfd_getfd=438 faccessat2=439 "
        "process_madvise=440 "
    ),
    "aarch64": _table(
        "getcwd=17 fcntl=25 ioctl=29 umount2=39 mount=40 pivot_root=41 statfs=43 faccessat=48 chdir=49 "
        "chroot=51 openat=56 close=57 getdents64=61 lseek=62 read=63 write=64 readv=65 writev=66 pread64=67 "
        "pselect6=72 ppoll=73 readlinkat=78 newfstatat=79 fstat=80 exit=93 exit_group=94 unshare=97 futex=98 "
        "set_robust_list=99 nanosleep=101 kexec_load=104 init_module=105 delete_module=106 clock_gettime=113 "
        "clock_getres=114 clock_nanosleep=115 ptrace=117 sched_getaffinity=123 sched_yield=124 "
        "restart_syscall=128 kill=129 tkill=130 sigaltstack=132 rt_sigaction=134 rt_sigprocmask=135 "
        "rt_sigqueueinfo=138 rt_sigreturn=139 reboot=142 times=153 getrlimit=163 getrusage=165 getcpu=168 "
        "gettimeofday=169 getpid=172 getuid=174 geteuid=175 getgid=176 getegid=177 gettid=178 brk=214 "
        "munmap=215 mremap=216 add_key=217 request_key=218 keyctl=219 execve=221 mmap=222 swapon=224 "
        "mprotect=226 madvise=233 rt_tgsigqueueinfo=240 perf_event_open=241 prlimit64=261 setns=268 "
        "process_vm_readv=270 process_vm_writev=271 finit_module=273 getrandom=278 bpf=280 execveat=281 "
        "userfaultfd=282 membarrier=283 statx=291 rseq=293 kexec_file_load=294 pidfd_send_signal=424 "
        "io_uring_setup=425 io_uring_enter=426 io_uring_register=427 clone3=435 openat2=437 pidfd_getfd=438 "
        "faccessat2=439 process_madvise=440 "
    ),
}

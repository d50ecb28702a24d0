# ruff: noqa: D103, SIM905
"""Attacks of an evaluated program on what is outside its workshop; run there by `test_workshop_attacks.py`.

Each function gets the facts that the test prepared. It returns True where the attack got through; an
exception, or any other result, means that it was stopped.
"""

import array
import ctypes
import fcntl
import mmap
import os
import resource
import socket
import stat
import struct
import subprocess
import sys

libc = ctypes.CDLL(None, use_errno=True)


def call(*arguments):
    """One raw system call of x86-64; True if the kernel took it."""
    return libc.syscall(*(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments)) >= 0


def reads(path):
    """Whether a file can be read."""
    with open(path, "rb") as stream:
        return len(stream.read(1)) == 1


def outside(line):
    """Whether a fresh interpreter gets through with a line that prints `yes`."""
    done = subprocess.run([sys.executable, "-c", line], capture_output=True, check=False)
    return b"yes" in done.stdout


def open_descriptors():
    """Numbers of the descriptors that are open, as far as a process may have any."""
    for number in range(resource.getrlimit(resource.RLIMIT_NOFILE)[0] + 4096):
        try:
            os.fstat(number)
        except OSError:
            continue
        yield number


def read_password_file(facts):
    return reads("/etc/passwd")


def read_secret_of_user(facts):
    return reads(facts["secret"])


def read_hidden_file_of_task(facts):
    return reads(facts["task"] + "/.env")


def read_run_in_task_folder(facts):
    return reads(facts["task"] + "/runs/one/campaign.sqlite")


def read_by_link(facts):
    os.symlink(facts["secret"], "link")
    return reads("link")


def read_by_hard_link(facts):
    os.link(facts["secret"], "hard")
    return reads("hard")


def read_by_other_program(facts):
    return outside(f"print('yes' if open({facts['secret']!r}).read() else '')")


def read_by_handle(facts):
    handle = array.array("i", [128, 0, *[0] * 32])
    return call(303, -100, facts["secret"].encode(), handle.tobytes(), bytes(8), 0)


def list_home(facts):
    return os.listdir(os.path.dirname(facts["secret"])) != []


def read_environment_of_parent(facts):
    return reads(f"/proc/{facts['parent']}/environ")


def read_own_proc(facts):
    return reads("/proc/self/maps")


def find_key_in_environment(facts):
    return any("KEY" in name or "sk-secret" in value for name, value in os.environ.items())


def write_to_evaluator(facts):
    return open(facts["task"] + "/evaluator.py", "a").write("#") == 1


def create_in_task(facts):
    return open(facts["task"] + "/new.py", "w").write("#") == 1


def write_to_secret(facts):
    return open(facts["secret"], "a").write("#") == 1


def truncate_outside(facts):
    return os.truncate(facts["secret"], 0) is None


def remove_outside(facts):
    return os.remove(facts["secret"]) is None


def rename_outside(facts):
    return os.rename(facts["secret"], facts["secret"] + "2") is None


def make_folder_outside(facts):
    return os.mkdir(facts["task"] + "/made") is None


def make_device(facts):
    return os.mknod("device", 0o60600, os.makedev(8, 0)) is None


def write_to_shared_temporary_folder(facts):
    return open("/tmp/gapsmith-left-here", "w").write("#") == 1


def change_mode_outside(facts):
    os.chmod(facts["secret"], 0o777)
    return os.stat(facts["secret"]).st_mode & 0o777 == 0o777


def change_times_outside(facts):
    os.utime(facts["secret"], (1, 1))
    return os.stat(facts["secret"]).st_mtime == 1


def change_owner_outside(facts):
    return os.chown(facts["secret"], 1, 1) is None


def set_attribute_outside(facts):
    return os.setxattr(facts["secret"], "user.mark", b"1") is None


def connect_by_name(facts):
    return socket.create_connection(("localhost", facts["port"]), 1) is not None


def connect_by_number(facts):
    socket.socket().connect(("127.0.0.1", facts["port"]))
    return True


def send_datagram(facts):
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9)) == 1


def connect_to_path(facts):
    socket.socket(socket.AF_UNIX).connect(facts["socket"])
    return True


def connect_to_abstract_name(facts):
    socket.socket(socket.AF_UNIX).connect("\0" + facts["abstract"])
    return True


def send_from_a_pair_to_path(facts):
    one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    return one.sendto(b"x", facts["datagrams"]) == 1


def reconnect_stream_of_a_pair(facts):
    one, _ = socket.socketpair()
    one.connect(facts["socket"])
    return True


def open_netlink(facts):
    return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) is not None


def connect_in_other_program(facts):
    line = f"import socket; socket.create_connection(('127.0.0.1', {facts['port']}), 1); print('yes')"
    return outside(line)


def signal_parent(facts):
    return os.kill(facts["parent"], 0) is None


def trace_parent(facts):
    return call(101, 16, facts["parent"], 0, 0)


def trace_keeper(facts):
    return call(101, 16, os.getppid(), 0, 0)


def read_memory_of_keeper(facts):
    buffer = ctypes.create_string_buffer(8)
    local = struct.pack("QQ", ctypes.addressof(buffer), 8)
    return call(310, os.getppid(), local, 1, local, 1, 0)


def limit_parent(facts):
    return resource.prlimit(facts["parent"], resource.RLIMIT_NOFILE, (9, 9)) is not None


def limit_keeper(facts):
    return resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (9, 9)) is not None


def slow_down_user(facts):
    return os.setpriority(os.PRIO_USER, os.getuid(), 19) is None


def bind_parent_to_processor(facts):
    return os.sched_setaffinity(facts["parent"], {0}) is None


def raise_own_limits(facts):
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    return resource.setrlimit(resource.RLIMIT_DATA, (hard * 2, hard * 2)) is None


def new_user_namespace(facts):
    return libc.unshare(0x10000000) == 0


def new_namespace_by_clone(facts):
    pid = libc.syscall(ctypes.c_long(56), ctypes.c_long(0x10000011), None, None, None, None)
    if pid == 0:
        os._exit(0)
    return pid > 0


def new_namespace_by_clone3(facts):
    return call(435, struct.pack("<QQQQQQQQ", 0x10000000, 0, 0, 0, 17, 0, 0, 0), 64)


def mount_memory(facts):
    return libc.mount(b"none", os.getcwd().encode(), b"tmpfs", 0, None) == 0


def make_writable_again(facts):
    attributes = struct.pack("<QQQQ", 0, 1, 0, 0)
    return call(442, -100, b"/", 0x8000, attributes, 32)


def unmount(facts):
    return libc.umount2(os.getcwd().encode(), 2) == 0


def chroot_in_other_program(facts):
    return outside("import os; os.chroot('.'); print('yes')")


def become_other_user(facts):
    if os.getuid():
        return os.setuid(0) is None
    return outside("import os; os.setuid(12345); print('yes')")


def kernel_program(facts):
    return call(321, 0, bytes(64), 64)


def key_ring(facts):
    return call(250, 0, -3, 0)


def performance_counter(facts):
    return call(298, bytes(112), 0, -1, -1, 0)


def ring(facts):
    return call(425, 4, bytes(120))


def user_fault(facts):
    return call(323, 0)


def shared_segment_of_user(facts):
    return call(29, facts["segment"], 4096, 0o666)


def find_socket_of_template(facts):
    return any(stat.S_ISSOCK(os.fstat(int(name)).st_mode) for name in open_descriptors())


def type_into_terminal(facts):
    return fcntl.ioctl(0, 0x5412, b"x") is not None


def take_more_memory(facts):
    return len(mmap.mmap(-1, facts["memory"] * 2, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)) > 0


def fill_disk(facts):
    with open("big", "wb") as stream:
        for _ in range(64):
            stream.write(bytes(facts["memory"] // 16))
    return True


ATTACKS = {
    name: attack
    for name, attack in list(globals().items())
    if callable(attack) and getattr(attack, "__module__", "") == __name__
}
for helper in ("call", "reads", "outside", "open_descriptors"):
    del ATTACKS[helper]

HARMLESS = """
read_password_file read_secret_of_user read_hidden_file_of_task read_run_in_task_folder read_by_link
read_by_other_program list_home read_environment_of_parent read_own_proc write_to_evaluator create_in_task
make_folder_outside change_times_outside connect_by_name connect_by_number send_datagram connect_to_path
connect_to_abstract_name send_from_a_pair_to_path open_netlink connect_in_other_program signal_parent
""".split()
"""Attacks that may get through on the machine that runs the tests."""

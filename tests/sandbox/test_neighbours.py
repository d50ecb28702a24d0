"""What a child can learn of executions before it on the same server: nothing."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable

from gapsmith.sandbox.base import Execution, ExecutionStatus, Limits

RunText = Callable[..., Execution]
SCAN = """
import sys

ctypes, os = sys.modules["ctypes"], sys.modules["os"]
libc = ctypes.CDLL(None, use_errno=True)
libc.write.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t]
FLIPPED = bytes(255 - c for c in range(256))

def f(wanted, decoy):
    hidden, found = bytes(wanted), []
    own = bytes(decoy).translate(FLIPPED)
    stack = ctypes.c_void_p.in_dll(ctypes.CDLL(None), "__libc_stack_end").value
    starts = [id(own), id(sys), id(object), id(1.5), ctypes.addressof(ctypes.create_string_buffer(10)), stack]
    pages = {(start & ~4095) + 4096 * step for start in starts for step in range(-2000, 2000)}
    for page in sorted(pages):
        os.lseek(1, 0, 0)
        if page > 0 and libc.write(1, page, 4096) == 4096:
            data = os.pread(1, 4096, 0).translate(FLIPPED)
            found += [name for name, text in (("hidden", hidden), ("decoy", bytes(decoy))) if text in data]
    os.lseek(1, 0, 0)
    os.write(1, bytes(4096))
    return sorted(set(found))
"""


def test_no_child_finds_how_long_an_earlier_one_ran(run_text: RunText) -> None:
    """A child that searches its whole memory finds a decoy of its own, but no other one's CPU time."""
    for count in (10, 100_000):
        earlier = run_text("def f(n): return sum(i for i in range(n))", b'{"n": %d}' % count)
        wanted, decoy = (
            [255 - byte for byte in struct.pack("<d", value)] for value in (earlier.cpu_seconds, 0.123456789)
        )
        found = run_text(
            SCAN, json.dumps({"wanted": wanted, "decoy": decoy}).encode(), limits=Limits(cpu_seconds=5)
        )
        assert (found.status, found.answer) == (ExecutionStatus.OK, ["decoy"])

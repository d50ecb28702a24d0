"""The few words that the tool, the server and its children exchange. No payload is among them."""

from __future__ import annotations

import struct

REQUEST = struct.Struct("<Bddqqi")  # kind, CPU seconds, wall seconds, memory bytes, output bytes, CPU or -1
# Wait status, cause, then of the kernel's `struct rusage` user and system time, each in seconds and
# microseconds, peak resident kilobytes, and how often the child gave the processor up and had it taken away.
VERDICT = struct.Struct("<i4xB7x5q88x2q")
SEAL_FAILED = (
    b"S"  # then a message; sent by a child that could not seal itself, and only before it runs a job
)
JOB = struct.Struct("<QII?")  # seed, bytes of the program, bytes of the instance, whether a dialogue follows

MAX_CONFIG = 1 << 17  # bytes of JSON: modules, layers that are off, where modules are imported from

RUN, DESCRIBE, PROBE = range(3)  # kinds of job
ENDED, OUT_OF_CPU, OUT_OF_TIME, ON_REQUEST = range(4)  # causes of an end

COMPUTING = 0.05  # share of the wall limit from which a child's CPU seconds in it say that the child computes

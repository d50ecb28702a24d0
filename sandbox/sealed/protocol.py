"""The few words that the tool, the server and its children exchange. No payload is among them."""

from __future__ import annotations

import struct

REQUEST = struct.Struct("<Bddqqi")  # kind, CPU seconds, wall seconds, memory bytes, output bytes, CPU or -1
VERDICT = struct.Struct("<iBdq")  # wait status, cause, CPU seconds, peak resident kilobytes
SEAL_FAILED = (
    b"S"  # then a message; sent by a child that could not seal itself, and only before it runs a job
)
JOB = struct.Struct("<QII?")  # seed, bytes of the program, bytes of the instance, whether a dialogue follows

RUN, DESCRIBE, PROBE = range(3)  # kinds of job
ENDED, OUT_OF_CPU, OUT_OF_TIME, ON_REQUEST = range(4)  # causes of an end

"""Reads a user's training steps: the lengths of their sequences, and the devices and times they share."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from ..base import Instance
from . import packing_laws as laws
from .trace_files import MOST_TOKENS, Trace, read_trace, refuse

FORMAT = """\
One training step a line, each an instance. CSV (.csv): header lines `devices,32`, `capacity,8192` (tokens
of a device), optionally `overhead,62936` (of a microbatch, units of 10 µs), `quadratic,…` and `linear,…`
(units of 10 µs per token squared and per token that a sequence adds to its group, one number for each
degree 1, 2, 4, … up to `devices`; the published 7B model's by default); then for each step its name and the
tokens of its sequences in order of arrival. JSON lines (.jsonl): first an object with the same keys
(`quadratic` and `linear` lists), then for each step an object with `name` and `lengths`. Times are rounded
up to whole units; a sequence fits the largest group; a step has at most 20,000 sequences."""
_KEYS = ("devices", "capacity", "overhead", "quadratic", "linear")
_MOST_DEVICES = 4_096
_MOST_TIME = 10**12


def read(path: Path) -> list[Instance]:
    """The instances of a file, one per line with lengths.

    Raises:
        InstanceFileError: names file, line, what was got and what was expected.
    """
    trace = read_trace(path, _KEYS, ())
    devices = trace.whole("devices", 1, _MOST_DEVICES)
    capacity = trace.whole("capacity", 1, MOST_TOKENS)
    overhead = trace.whole("overhead", 0, _MOST_TIME, laws.OVERHEAD)
    costs = _costs(trace, devices.bit_length())
    room = 2 ** (devices.bit_length() - 1) * capacity
    instances = []
    for job in trace.jobs:
        for number, tokens in enumerate(job.lengths, 1):
            if tokens > room:
                expected = f"at most the {room} tokens that the largest group holds"
                refuse(path, f"{job.place}, length {number}", tokens, expected)
        instances.append(
            Instance(
                id=job.name,
                split=path.name,
                stratum="file",
                public=laws.public_part(devices, capacity, overhead, job.lengths, costs),
                scale=max(1, overhead),
                source=f"{path.name}, {job.place}",
            )
        )
    return instances


def _costs(trace: Trace, degrees: int) -> list[tuple[Fraction, Fraction]] | None:
    """Per degree, units of 10 µs per token squared and per token; None if the file leaves the model's."""
    if "quadratic" not in trace.header and "linear" not in trace.header:
        return None
    rows = []
    for key in ("quadratic", "linear"):
        place, values = trace.numbers(key, degrees)
        for value in values:
            if not 0 <= value <= _MOST_TIME:
                refuse(trace.path, f"{place}, {key}", value, "a number >= 0 (units of 10 µs)")
        rows.append([Fraction(value) for value in values])
    return list(zip(*rows, strict=True))

"""Reads a user's LoRA training jobs: the lengths of each adapter's samples, and the pipeline they share."""

from __future__ import annotations

from pathlib import Path

from ..base import Instance
from . import lora_laws as laws
from .trace_files import MOST_TOKENS, Trace, TraceJob, read_trace, refuse

FORMAT = """\
One instance a file, one job (adapter) a line. CSV (.csv): header lines `stages,4`, `capacity,4096` (tokens
of a microbatch), `tile,128` (tokens that an adapter's part is padded to; the default) and `times,4,1,8,2`
(ticks of a forward pass, fixed and per tile, then of a backward pass; the default); then for each job its
name, its global batch size, and the tokens of its samples in the order of training, of which each
`batch_size` make a batch. JSON lines (.jsonl): first an object with the same keys (`times` a list), then
for each job an object with `name`, `batch_size` and `lengths`. Tokens are whole, and padded they are at
most the capacity; fixed times are at least 1 tick in all; a job has at most 20,000 samples."""
_KEYS = ("stages", "capacity", "tile", "times")
_MOST_STAGES = 64
_MOST_TICKS = 10**9
_MOST_BATCH = 20_000


def read(path: Path) -> list[Instance]:
    """The instance of a file.

    Raises:
        InstanceFileError: names file, line, what was got and what was expected.
    """
    trace = read_trace(path, _KEYS, ("batch_size",))
    stages = trace.whole("stages", 1, _MOST_STAGES)
    capacity = trace.whole("capacity", 1, MOST_TOKENS)
    tile = trace.whole("tile", 1, capacity, min(laws.TILE, capacity))
    times = trace.wholes("times", 4, 0, _MOST_TICKS, laws.TIMES)
    if times[0] + times[2] < 1:
        refuse(path, "header, times", "no fixed time", "f0 + b0 of at least 1 tick")
    samples = [
        sample
        for adapter, job in enumerate(trace.jobs)
        for sample in _samples(trace, job, adapter, capacity // tile * tile, tile)
    ]
    public = {"stages": stages, "capacity": capacity, "tile": tile, "times": times, "samples": samples}
    return [
        Instance(
            id=path.stem,
            split=path.name,
            stratum="file",
            public=public,
            scale=laws.scale(times, samples, tile),
            source=path.name,
            hidden={"adapters": [job.name for job in trace.jobs]},
        )
    ]


def _samples(trace: Trace, job: TraceJob, adapter: int, room: int, tile: int) -> list[list[int]]:
    """Samples of one job as [adapter, batch, tokens]."""
    size = job.settings["batch_size"]
    if size != size.to_integral_value() or not 1 <= size <= _MOST_BATCH:
        refuse(trace.path, f"{job.place}, batch_size", size, f"a whole number from 1 to {_MOST_BATCH:,}")
    for number, tokens in enumerate(job.lengths, 1):
        if -(-tokens // tile) * tile > room:
            expected = f"at most the {room} tokens that a microbatch holds"
            refuse(trace.path, f"{job.place}, length {number}", tokens, expected)
    return [[adapter, place // int(size), tokens] for place, tokens in enumerate(job.lengths)]

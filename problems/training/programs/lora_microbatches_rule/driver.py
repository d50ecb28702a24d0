"""Runs inside the sandbox around a rule: fills microbatches, always with the sample rated highest."""

from collections.abc import Callable
from typing import Any


class Job:
    """What is left of one adapter: its batches in order, each with its samples by falling length."""

    def __init__(self, batches: list[list[int]], samples: list[list[int]]) -> None:
        """Takes the adapter's batches and all samples."""
        self.batches = batches
        self.tokens = [sum(samples[i][2] for i in batch) for batch in batches]
        self.begun = False
        self.ready = 0


def drive(entry: Callable[..., float], instance: dict[str, Any]) -> list[list[int]]:
    """The microbatches that the rule makes; it rates every sample that could enter the open one."""
    samples, tile, stages = instance["samples"], instance["tile"], instance["stages"]
    jobs = jobs_of(samples)
    microbatches: list[list[int]] = []
    place = 0
    remaining = len(samples)
    while remaining:
        microbatch: list[int] = []
        held: dict[int, int] = {}
        room = capacity = instance["capacity"] // tile
        ended: set[int] = set()
        while True:
            best = None
            highest = 0.0
            for a, job in jobs.items():
                if not job.batches or a in ended or not (job.begun or job.ready <= place):
                    continue
                have = held.get(a, 0)
                left, later = job.tokens[0], sum(job.tokens[1:])
                before = 0
                for i in job.batches[0]:
                    tokens = samples[i][2]
                    tiles = -(-(have + tokens) // tile) - -(-have // tile)
                    if tokens == before or tiles > room:
                        continue
                    before = tokens
                    value = entry(
                        tokens=tokens,
                        tiles=tiles,
                        room=room,
                        capacity=capacity,
                        left=left,
                        later=later,
                        begun=int(job.begun),
                        held=len(microbatch),
                        place=place,
                        remaining=remaining,
                        stages=stages,
                        tile=tile,
                    )
                    if best is None or value > highest:
                        best, highest, adapter, size = i, value, a, tiles
            if best is None or (microbatch and highest < 0):
                break
            job = jobs[adapter]
            microbatch.append(best)
            job.batches[0].remove(best)
            job.tokens[0] -= samples[best][2]
            job.begun = True
            held[adapter] = held.get(adapter, 0) + samples[best][2]
            room -= size
            remaining -= 1
            if not job.batches[0]:
                job.batches.pop(0)
                job.tokens.pop(0)
                job.begun = False
                job.ready = place + stages
                ended.add(adapter)
        if microbatch:
            microbatches.append(microbatch)
        place += 1
    return microbatches


def jobs_of(samples: list[list[int]]) -> dict[int, Job]:
    """Adapter → its batches in order, samples by falling length."""
    batches: dict[tuple[int, int], list[int]] = {}
    for i in sorted(range(len(samples)), key=lambda i: (*samples[i][:2], -samples[i][2])):
        batches.setdefault((samples[i][0], samples[i][1]), []).append(i)
    adapters = sorted({a for a, _ in batches})
    return {a: Job([batches[key] for key in batches if key[0] == a], samples) for a in adapters}

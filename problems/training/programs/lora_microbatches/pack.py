"""Samples of a step to microbatches."""

from .padded import padded


def pack(step: list[int], samples: list[list[int]], capacity: int, tile: int) -> list[list[int]]:
    """First fit decreasing on padded size."""
    packed: list[list[int]] = []
    for i in sorted(step, key=lambda i: -samples[i][2]):
        for microbatch in packed:
            if padded([*microbatch, i], samples, tile) <= capacity:
                microbatch.append(i)
                break
        else:
            packed.append([i])
    return packed

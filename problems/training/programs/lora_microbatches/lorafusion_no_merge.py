"""LoRAFusion's scheduler without its merge pass: grouping, greedy packing, order."""

import math

from .pack import pack
from .padded import padded


def schedule(
    stages: int, capacity: int, tile: int, times: list[int], samples: list[list[int]]
) -> list[list[int]]:
    """Microbatches in the order in which they enter the pipeline."""
    steps = []
    groups = group_adapters(samples, capacity, stages)
    for batch in sorted({sample[1] for sample in samples}):
        for group in groups:
            step = [i for i in range(len(samples)) if samples[i][1] == batch and samples[i][0] in group]
            if step:
                packed = pack(step, samples, capacity, tile)
                packed.sort(key=lambda microbatch: -padded(microbatch, samples, tile))
                steps.append((group, packed))
    return [microbatch for group, packed in steps for microbatch in packed]


def group_adapters(samples: list[list[int]], capacity: int, stages: int) -> list[list[int]]:
    """Groups of one or two adapters; the others fill the pipeline between two batches of a group."""
    mean, fewest, most = {}, {}, {}
    for a in sorted({sample[0] for sample in samples}):
        lengths = [sample[2] for sample in samples if sample[0] == a]
        size = len(lengths) / len({sample[1] for sample in samples if sample[0] == a})
        mean[a] = sum(lengths) / len(lengths)
        spread = math.sqrt(sum((x - mean[a]) ** 2 for x in lengths) / max(1, len(lengths) - 1))
        fewest[a] = math.ceil(size * (mean[a] - 0.25 * spread) / capacity)
        most[a] = math.ceil(size * mean[a] / capacity)
    order = sorted(mean, key=lambda a: -mean[a])

    def fills(group: list[int]) -> bool:
        return sum(fewest[a] for a in order if a not in group) >= stages - 1

    if not fills(order[:1]):
        return [[a] for a in order]
    groups: list[list[int]] = []
    while len(order_left := [a for a in order if not any(a in group for group in groups)]) > 1:
        head, tail = order_left[0], order_left[-1]
        if fills([head, tail]):
            groups.append([head, tail])
        else:
            groups.append([head] if most[head] >= most[tail] else [tail])
    return groups + [[a] for a in order_left]

"""LoRAFusion's scheduler (arXiv:2510.00206): grouping, greedy packing, order, merge pass."""

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
    merge(steps, samples, capacity, tile, stages)
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


def merge(
    steps: list[tuple[list[int], list[list[int]]]],
    samples: list[list[int]],
    capacity: int,
    tile: int,
    stages: int,
) -> None:
    """Fills each step's last microbatch from the next step's last one, where the pipeline stays full."""
    counts = [len(packed) for group, packed in steps]
    for n in range(len(steps) - 1):
        group, packed = steps[n]
        later = [k for k in range(n + 1, len(steps)) if steps[k][0] == group]
        following = steps[n + 1][1]
        if not later or later[0] == n + 1 or not packed or not following:
            continue
        if sum(counts[n + 1 : later[0]]) >= stages - 1:
            last = following[-1]
            for i in sorted(last, key=lambda i: samples[i][2]):
                if padded([*packed[-1], i], samples, tile) <= capacity:
                    packed[-1].append(i)
                    last.remove(i)
            if not last:
                following.pop()

"""Round robin: adapters take turns with each global batch, first fit decreasing, no microbatch is shared."""

from .padded import padded


def schedule(
    stages: int, capacity: int, tile: int, times: list[int], samples: list[list[int]]
) -> list[list[int]]:
    """Microbatches in the order in which they enter the pipeline."""
    microbatches: list[list[int]] = []
    for step in sorted({(sample[1], sample[0]) for sample in samples}):
        packed: list[list[int]] = []
        members = [i for i in range(len(samples)) if (samples[i][1], samples[i][0]) == step]
        for i in sorted(members, key=lambda i: -samples[i][2]):
            for microbatch in packed:
                if padded([*microbatch, i], samples, tile) <= capacity:
                    microbatch.append(i)
                    break
            else:
                packed.append([i])
        microbatches += packed
    return microbatches

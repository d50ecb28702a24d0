"""Round robin: adapters take turns with each global batch, next fit, no microbatch is shared."""


def schedule(
    stages: int, capacity: int, tile: int, times: list[int], samples: list[list[int]]
) -> list[list[int]]:
    """Microbatches in the order in which they enter the pipeline."""
    microbatches: list[list[int]] = []
    before = None
    for i in sorted(range(len(samples)), key=lambda i: (samples[i][1], samples[i][0])):
        if samples[i][:2] != before or not fits(microbatches[-1], i, capacity, tile, samples):
            microbatches.append([])
        microbatches[-1].append(i)
        before = samples[i][:2]
    return microbatches


def fits(microbatch: list[int], i: int, capacity: int, tile: int, samples: list[list[int]]) -> bool:
    """Whether one more sample of the same adapter fits."""
    tokens = sum(samples[k][2] for k in microbatch) + samples[i][2]
    return -(-tokens // tile) * tile <= capacity

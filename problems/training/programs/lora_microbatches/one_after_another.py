"""One adapter after another (Megatron): microbatches of four samples in order of arrival."""


def schedule(
    stages: int, capacity: int, tile: int, times: list[int], samples: list[list[int]]
) -> list[list[int]]:
    """Microbatches in the order in which they enter the pipeline."""
    microbatches: list[list[int]] = []
    room = 4
    before = None
    for i in sorted(range(len(samples)), key=lambda i: samples[i][:2]):
        if (
            samples[i][:2] != before
            or len(microbatches[-1]) == room
            or not fits(microbatches[-1], i, capacity, tile, samples)
        ):
            microbatches.append([])
        microbatches[-1].append(i)
        before = samples[i][:2]
    return microbatches


def fits(microbatch: list[int], i: int, capacity: int, tile: int, samples: list[list[int]]) -> bool:
    """Whether one more sample of the same adapter fits."""
    tokens = sum(samples[k][2] for k in microbatch) + samples[i][2]
    return -(-tokens // tile) * tile <= capacity

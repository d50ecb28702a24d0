"""Each global batch number of all adapters is packed by first fit decreasing, adapters together."""


def schedule(
    stages: int, capacity: int, tile: int, times: list[int], samples: list[list[int]]
) -> list[list[int]]:
    """Microbatches in the order in which they enter the pipeline."""
    microbatches: list[list[int]] = []
    for step in sorted({sample[1] for sample in samples}):
        packed: list[list[int]] = []
        members = [i for i in range(len(samples)) if samples[i][1] == step]
        for i in sorted(members, key=lambda i: -samples[i][2]):
            for microbatch in packed:
                if padded([*microbatch, i], samples, tile) <= capacity:
                    microbatch.append(i)
                    break
            else:
                packed.append([i])
        microbatches += packed
    return microbatches


def padded(microbatch: list[int], samples: list[list[int]], tile: int) -> int:
    """Tokens of a microbatch, each adapter's rounded up to tiles."""
    tokens: dict[int, int] = {}
    for i in microbatch:
        tokens[samples[i][0]] = tokens.get(samples[i][0], 0) + samples[i][2]
    return sum(-(-total // tile) * tile for total in tokens.values())

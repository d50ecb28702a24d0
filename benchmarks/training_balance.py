"""Two neighbours of sequence packing that need no search: ByteScale's balance, and vocabulary layers.

    python benchmarks/training_balance.py

Both print how far a simple method is from an arithmetic bound. Vocabulary layers are solved exactly.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction


def stage_loads(layers: int, hidden: int, vocabulary: int) -> list[Fraction]:
    """Work of each layer in units of a transformer layer; the last is the output head (arXiv:2411.05288)."""
    return [Fraction(1)] * layers + [Fraction(vocabulary, 12 * hidden)]


def equal_split(loads: Sequence[Fraction], stages: int) -> Fraction:
    """Largest load of a stage when the transformer layers are shared out evenly and the last has the head."""
    per_stage = (len(loads) - 1) // stages
    return per_stage + loads[-1]


def best_partition(loads: Sequence[Fraction], stages: int) -> Fraction:
    """Smallest largest load of contiguous stages, exact: the least possible load that needs few stages.

    The largest load is the sum of some run of layers, so there are O(n²) values; filling stages from the left
    uses the fewest stages for each.
    """
    runs = {sum(loads[i:j], Fraction(0)) for i in range(len(loads)) for j in range(i + 1, len(loads) + 1)}
    values = sorted(value for value in runs if value >= max(loads))
    low, high = 0, len(values) - 1
    while low < high:
        middle = (low + high) // 2
        if stages_needed(loads, values[middle]) <= stages:
            high = middle
        else:
            low = middle + 1
    return values[low]


def stages_needed(loads: Sequence[Fraction], most: Fraction) -> int:
    """Stages of at most this load, each filled before the next one is begun."""
    count, held = 1, Fraction(0)
    for load in loads:
        if held + load > most:
            count, held = count + 1, Fraction(0)
        held += load
    return count


def balance(times: Sequence[int], tokens: Sequence[int], ranks: int, capacity: int, fixed: int) -> int:
    """ByteScale's form without a barrier: time of the slowest rank, longest sequences first.

    Each rank packs its own sequences into microbatches by best fit decreasing and pays `fixed` for each.

    Args:
        times: of the sequences, each on one rank.
        tokens: of the sequences, at most `capacity`.
        ranks: of the mesh.
        capacity: tokens of a microbatch.
        fixed: time of a microbatch, whatever it holds.
    """
    loads = [0] * ranks
    members: list[list[int]] = [[] for _ in range(ranks)]
    for k in sorted(range(len(times)), key=lambda k: -times[k]):
        rank = min(range(ranks), key=lambda r: loads[r])
        loads[rank] += times[k]
        members[rank].append(k)
    return max(
        load + fixed * len(best_fit([tokens[k] for k in own], capacity))
        for load, own in zip(loads, members, strict=True)
    )


def best_fit(sizes: Sequence[int], capacity: int) -> list[int]:
    """Free room of the bins that best fit decreasing opens."""
    rooms: list[int] = []
    for size in sorted(sizes, reverse=True):
        fits = [b for b, room in enumerate(rooms) if room >= size]
        if fits:
            rooms[min(fits, key=lambda b: rooms[b])] -= size
        else:
            rooms.append(capacity - size)
    return rooms


def balance_bound(
    times: Sequence[int], tokens: Sequence[int], ranks: int, capacity: int, fixed: int
) -> Fraction:
    """No rank is faster than the mean work with the fewest microbatches, nor than the longest sequence."""
    work = sum(times) + fixed * -(-sum(tokens) // capacity)
    return max(Fraction(work, ranks), Fraction(max(times) + fixed))


def main() -> None:
    """Prints both tables."""
    print(
        "vocabulary layers, 32 layers, 8 stages, hidden size 3072: largest load over the ideal (sum / stages)"
    )
    for thousands in (32, 64, 128, 256):
        loads = stage_loads(32, 3_072, thousands * 1_024)
        ideal = sum(loads) / 8
        even, best = equal_split(loads, 8) / ideal, best_partition(loads, 8) / ideal
        print(f"  {thousands:4}k  equal split {float(even):.2f}  exact partition {float(best):.2f}")
    print("balance without a barrier, 16 ranks, microbatches of 8192 tokens: percent above the bound")
    stream = random.Random(1)
    for sequences in (120, 250):
        for fixed in (0, 20_000):
            tokens = [int(64 * 128 ** stream.random()) for _ in range(sequences)]
            times = [(5_128 * n * n + 183_957_600 * n) // 10**7 for n in tokens]
            value, bound = (
                balance(times, tokens, 16, 8_192, fixed),
                balance_bound(times, tokens, 16, 8_192, fixed),
            )
            bins = sum(tokens) / 8_192 / 16
            gap = 100 * (value / bound - 1)
            print(f"  {bins:.2f} bins a rank, {fixed / 100:5.0f} ms a microbatch: {float(gap):5.2f} %")


if __name__ == "__main__":
    main()

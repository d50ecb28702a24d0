"""Laws of item sizes: seeded generators of the instances that the field packs.

Streams come from numpy's legacy `RandomState`, whose values are frozen for good (NEP 19), so that a seed
means the same instance with every numpy.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy.random import RandomState


@dataclass(frozen=True, slots=True)
class ItemDraw:
    """Items of one instance.

    Attributes:
        capacity: of every bin (units of size, > 0).
        sizes: in order of arrival (units of size, 1 to capacity).
        witness: bin of each item in a packing that fills every bin exactly, where the law makes one.
    """

    capacity: int
    sizes: list[int]
    witness: list[int] | None = None


@dataclass(frozen=True, slots=True)
class ItemLaw:
    """A named distribution of instances.

    Attributes:
        name: stratum of its instances (`u120`, `weibull-1k`).
        meaning: the distribution in one phrase with capacity and number of items.
        draw: one instance from a random stream.
    """

    name: str
    meaning: str
    draw: Callable[[RandomState], ItemDraw]


def uniform(low: int, high: int, capacity: int, items: int) -> Callable[[RandomState], ItemDraw]:
    """Integer sizes uniform on low..high (inclusive); Falkenauer's u class is 20..100 with capacity 150.

    E. Falkenauer, "A hybrid grouping genetic algorithm for bin packing", J. Heuristics 2 (1996) 5–30.
    """
    return lambda stream: ItemDraw(capacity, stream.randint(low, high + 1, items).tolist())


def weibull(capacity: int, items: int) -> Callable[[RandomState], ItemDraw]:
    """Weibull(shape 3) times 45, rounded, clipped to 1..100.

    I. Castiñeiras, M. De Cauwer, B. O'Sullivan, "Weibull-based benchmarks for bin packing", CP 2012, with the
    parameters of Romera-Paredes et al., Nature 625 (2024) 468–475.
    """
    return lambda stream: ItemDraw(capacity, weibull_sizes(stream, items))


def weibull_sizes(stream: RandomState, items: int) -> list[int]:
    """Sizes of the Weibull law (1 to 100) from a stream, which moves on by `items` draws."""
    import numpy

    sizes: list[int] = numpy.clip(numpy.rint(stream.weibull(3, items) * 45), 1, 100).astype(int).tolist()
    return sizes


def beta(capacity: int, items: int) -> Callable[[RandomState], ItemDraw]:
    """Sizes int(50 − 40·Beta(2, 5)), between 10 and 50: L1 lies far below the optimum."""
    return lambda stream: ItemDraw(capacity, (50 - 40 * stream.beta(2, 5, items)).astype(int).tolist())


def triplets(bins: int) -> Callable[[RandomState], ItemDraw]:
    """Three items fill each of `bins` bins of 1000 exactly, in shuffled order (Falkenauer 1996, in tenths).

    The largest item is uniform on 380..490, the second on 250 to half of what is left, the third is the rest.
    """

    def draw(stream: RandomState) -> ItemDraw:
        sizes: list[int] = []
        for _ in range(bins):
            first = int(stream.randint(380, 491))
            second = int(stream.randint(250, (1000 - first) // 2 + 1))
            sizes += [first, second, 1000 - first - second]
        order = stream.permutation(3 * bins).tolist()
        return ItemDraw(1000, [sizes[j] for j in order], [j // 3 for j in order])

    return draw


def any_length(
    low: int, high: int, law: Callable[[int], Callable[[RandomState], ItemDraw]]
) -> Callable[[RandomState], ItemDraw]:
    """A law whose number of items is log-uniform on low..high, so that one rule has to serve all lengths.

    Where all sequences of a law are equally long, an online rule can learn the length that it is not told.

    Args:
        low: smallest number of items (items, ≥ 1).
        high: largest number of items (items, ≥ low).
        law: number of items → the law of a sequence of this length.
    """
    return lambda stream: law(round(low * (high / low) ** float(stream.uniform())))(stream)


def discrete(values: tuple[int, ...], capacity: int, items: int) -> Callable[[RandomState], ItemDraw]:
    """Sizes uniform on a few values."""
    return lambda stream: ItemDraw(capacity, [values[j] for j in stream.randint(0, len(values), items)])


def stream_for(*key: str | int, secret: str = "") -> RandomState:
    """A random stream of its own for a key (problem, set, stratum, number, seed).

    With a secret all 256 bits of the digest seed the stream, so that nobody finds it by trying seeds.
    """
    from numpy.random import RandomState

    parts = [str(part) for part in key]
    if secret:
        digest = hashlib.sha256("\0".join([*parts, secret]).encode()).digest()
        return RandomState([int.from_bytes(digest[k : k + 4], "big") for k in range(0, 32, 4)])
    return RandomState(int.from_bytes(hashlib.sha256("\0".join(parts).encode()).digest()[:4], "big"))


def reordered(draw: ItemDraw, *key: str | int) -> ItemDraw:
    """The same items in an order that follows from the key, by the SHA-256 of key and place.

    The state of `RandomState` can be worked out from enough of its values in a row, and then what comes next.
    """
    prefix = "\0".join(str(part) for part in key)
    order = sorted(
        range(len(draw.sizes)), key=lambda place: hashlib.sha256(f"{prefix}\0{place}".encode()).digest()
    )
    witness = None if draw.witness is None else [draw.witness[place] for place in order]
    return ItemDraw(draw.capacity, [draw.sizes[place] for place in order], witness)

"""Random sets of buffers: networks whose fast memory is kept full, tiles, and a rectangle cut into pieces."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from ..strata import Cell, Draw

BUFFERS = 120
SLICED = (400, 1024)
"""Steps and units of the rectangle that the law `sliced` cuts."""
_DROPPED = 0.1
_TURNS = (0.5, 0.75, 1, 1, 1.5, 2)
_SCRATCH = (0.25, 0.5, 1)
_GRADIENT = (0.5, 1, 1)


def cells(buffers: int = BUFFERS) -> tuple[Cell, ...]:
    """One stratum for each law, with about so many buffers."""
    laws: tuple[tuple[str, Callable[[int, random.Random], Draw]], ...] = (
        ("inference", inference),
        ("training", training),
        ("tiles", tiles),
        ("sliced", sliced),
    )
    return tuple(Cell(name, partial(law, buffers)) for name, law in laws)


def sliced_cells(buffers: int, shapes: Sequence[tuple[int, float]]) -> tuple[Cell, ...]:
    """Strata of cut rectangles, one for each (height in units, share of pieces that is dropped)."""
    return tuple(
        Cell(f"height {height} drop {dropped:g}", partial(sliced, buffers, height=height, dropped=dropped))
        for height, dropped in shapes
    )


@dataclass(slots=True)
class _Network:
    """Buffers of a network's operations; those that can be fetched ahead stand apart."""

    operations: int
    buffers: list[list[int]] = field(default_factory=list)
    movable: list[list[int]] = field(default_factory=list)

    def add(self, start: int, end: int, size: float, *, movable: bool = False) -> None:
        """One buffer, its times clipped to the operations and its size rounded (at least 1)."""
        row = [max(0, start), min(self.operations, end), max(1, round(size))]
        if row[0] < row[1]:
            (self.movable if movable else self.buffers).append(row)

    def filled(self, stream: random.Random, most: int) -> Draw:
        """The buffers in random order, after a compiler fetched ahead as early as there was room."""
        loads = [0] * self.operations
        for start, end, size in self.buffers + self.movable:
            for step in range(start, end):
                loads[step] += size
        room = max(loads)
        for row in stream.sample(self.movable, len(self.movable)):
            for _ in range(stream.randint(2, 39)):
                before = row[0] - 1
                if before < 0 or loads[before] + row[2] > room:
                    break
                row[0] = before
                loads[before] += row[2]
        buffers = self.buffers + self.movable
        return _draw(stream.sample(buffers, min(most, len(buffers))))


def _layers(stream: random.Random, count: int) -> tuple[list[float], list[float], list[int]]:
    """For each layer the size of its activation, the size of its weights, and its last reader."""
    stage = 128
    sizes, weights, readers = [], [], []
    for layer in range(count):
        if stream.random() < 3 / count:
            stage = max(32, stage // 2)
        sizes.append(stage * stream.choice(_TURNS))
        weights.append(48 * 2 ** stream.uniform(-2.5, 2.5))
        skips = [layer + 1 + int(stream.expovariate(1 / 5)) for _ in range(stream.randint(0, 2))]
        readers.append(min(max([layer + 1, *skips]), count - 1))
    return sizes, weights, readers


def _forward(stream: random.Random, network: _Network, layer: int, size: float, weight: float) -> None:
    """Scratch and weights of a layer's operation."""
    if stream.random() < 0.5:
        network.add(layer, layer + 1, size * stream.choice(_SCRATCH))
    network.add(layer - 1, layer + 1, weight, movable=True)
    if stream.random() < 0.5:
        network.add(layer - 1, layer + 1, weight * stream.uniform(0.2, 1), movable=True)


def inference(buffers: int, stream: random.Random) -> Draw:
    """A network in the order of execution: activations with skips, scratch, and weights fetched ahead."""
    count = max(2, round(buffers / 3.3))
    network = _Network(count)
    for layer, (size, weight, last) in enumerate(zip(*_layers(stream, count), strict=True)):
        network.add(layer, last + 1, size)
        _forward(stream, network, layer, size, weight)
    return network.filled(stream, buffers)


def training(buffers: int, stream: random.Random) -> Draw:
    """Forward and backward passes: kept and offloaded activations, gradients, and weights fetched again."""
    count = max(2, round(buffers / 5.6))
    network = _Network(2 * count)
    for layer, (size, weight, last) in enumerate(zip(*_layers(stream, count), strict=True)):
        back = 2 * count - 1 - layer
        if stream.random() < 0.55:
            network.add(layer, last + 1, size)
            network.add(back - 1, back + 1, size, movable=True)
        else:
            network.add(layer, back + 1, size)
        _forward(stream, network, layer, size, weight)
        network.add(back, back + 2, size * stream.choice(_GRADIENT))
        network.add(back - 1, back + 1, weight, movable=True)
        if stream.random() < 0.7:
            network.add(back, back + 1 + int(stream.expovariate(1 / 4)), weight)
    return network.filled(stream, buffers)


def tiles(buffers: int, stream: random.Random) -> Draw:
    """Long lives that begin one after another: 1 to 4 steps apart, 14 to 39 steps long, 32 to 99 units."""
    rows, start = [], 0
    for _ in range(buffers):
        rows.append([start, start + stream.randint(14, 39), stream.randint(32, 99)])
        start += stream.randint(1, 4)
    return _draw(stream.sample(rows, len(rows)))


def sliced(buffers: int, stream: random.Random, height: int = SLICED[1], dropped: float = _DROPPED) -> Draw:
    """A rectangle cut again and again, without some pieces; its optimum is the height, which is hidden.

    Of four random pieces the largest is cut at 20 to 80 % of its longer side (in proportion
    to the rectangle's); pieces that are alive at one instant stay.
    """
    pieces = [(0, SLICED[0], 0, height)]
    while len(pieces) < round(buffers / (1 - dropped)):
        piece = max(stream.sample(pieces, min(4, len(pieces))), key=_area)
        halves = _halves(piece, height, stream)
        if halves:
            pieces.remove(piece)
            pieces += halves
    instant = stream.randrange(SLICED[0])
    others = [piece for piece in pieces if not piece[0] <= instant < piece[1]]
    gone = set(stream.sample(others, min(len(others), len(pieces) - buffers)))
    kept = [piece for piece in pieces if piece not in gone]
    stream.shuffle(kept)
    witness = [low for _, _, low, _ in kept]
    return _draw([[start, end, high - low] for start, end, low, high in kept], witness)


def _area(piece: tuple[int, int, int, int]) -> int:
    return (piece[1] - piece[0]) * (piece[3] - piece[2])


def _halves(
    piece: tuple[int, int, int, int], height: int, stream: random.Random
) -> list[tuple[int, int, int, int]]:
    """The two parts of a piece, cut across its longer side; none if that side cannot be cut there."""
    start, end, low, high = piece
    share = stream.uniform(0.2, 0.8)
    if (end - start) * height > (high - low) * SLICED[0]:
        cut = start + round(share * (end - start))
        return [(start, cut, low, high), (cut, end, low, high)] if start < cut < end else []
    cut = low + round(share * (high - low))
    return [(start, end, low, cut), (start, end, cut, high)] if low < cut < high else []


def _draw(buffers: list[list[int]], witness: list[int] | None = None) -> Draw:
    hidden = None if witness is None else {"witness": witness}
    return Draw({"buffers": buffers}, 1, hidden)

"""Random streams and stratified, disjoint splits of generated instances."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .base import Instance

SPLIT_WORDS = {"train": "steers the search", "valid": "chooses the champion", "test": "judges it once"}
_ATTEMPTS = 1_000


@dataclass(frozen=True, slots=True)
class Draw:
    """A drawn instance without id and set: its public part, its scale and its hidden part."""

    public: Mapping[str, Any]
    scale: int | Fraction
    hidden: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """A stratum: its name in tables and the law that draws its instances."""

    stratum: str
    draw: Callable[[random.Random], Draw]


def stream(key: str) -> random.Random:
    """A separate random stream for each key; equal keys give equal streams on every machine."""
    return random.Random(int.from_bytes(hashlib.sha256(key.encode()).digest(), "big"))


def draw_set(
    problem: str,
    label: str,
    seed: int,
    cells: Sequence[Cell],
    rounds: int,
    law: str,
    taken: set[str] | None = None,
) -> list[Instance]:
    """Draws the instances of a set in stratified order: each round has one instance of every cell.

    Args:
        problem: name of the problem, part of the streams' keys.
        label: name of the set; sets of different names use different streams.
        seed: any integer.
        cells: the strata.
        rounds: instances per stratum, ≥ 1.
        law: one phrase for the instances' source.
        taken: digests that may not appear again; the function adds the digests of the set.

    Raises:
        ValueError: a cell gave no new instance, because its law has too few values for so many instances.
    """
    taken = set() if taken is None else taken
    instances: list[Instance] = []
    for turn in range(rounds):
        for cell in cells:
            for attempt in range(_ATTEMPTS):
                drawn = cell.draw(stream(f"{problem}/{label}/{seed}/{cell.stratum}/{turn}/{attempt}"))
                instance = Instance(
                    id=f"{label}-{len(instances) + 1:03d}",
                    split=label,
                    stratum=cell.stratum,
                    public=drawn.public,
                    scale=drawn.scale,
                    source=f"{law}, set {label}, seed {seed}",
                    hidden=drawn.hidden,
                )
                if instance.digest not in taken:
                    break
            else:
                raise ValueError(f"set {label}, {cell.stratum}: got no new instance in {_ATTEMPTS} draws")
            taken.add(instance.digest)
            instances.append(instance)
    return instances


def draw_splits(
    problem: str, seed: int, cells: Sequence[Cell], rounds: Mapping[str, int], law: str
) -> dict[str, list[Instance]]:
    """The splits of one seed, disjoint by digest; `rounds` maps a split to its instances per stratum."""
    taken: set[str] = set()
    return {
        split: draw_set(problem, split, seed, cells, count, law, taken) for split, count in rounds.items()
    }


def split_sentences(cells: Sequence[Cell], rounds: Mapping[str, int]) -> dict[str, str]:
    """Name of each split → one sentence with its size."""
    return {
        split: f"{len(cells) * count} instances, {count} per stratum; {SPLIT_WORDS[split]}"
        for split, count in rounds.items()
    }

"""Files of OR-Library's multidimensional knapsacks (`mknap`)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NoReturn

from ..base import Instance, InstanceFileError
from ..files import read_text, shown, split_lines

FORMAT = """\
A text file in the layout of OR-Library's `mknap`: the number of instances, then for each one n items, m rows
and the known optimum (0 if it is unknown; not used), n profits, m rows of n weights and m capacities.
Integers from 0 to 10⁹, separated by blanks and line breaks."""

_LARGEST = 10**9
_MOST = 100_000


def read(path: Path) -> list[Instance]:
    """The instances of a file, named after the file and numbered if they are several.

    Raises:
        InstanceFileError: names file, line and word, what was got and what was expected.
    """
    text = read_text(path)
    numbers = _Numbers(path, text)
    count = numbers.take("the number of instances", 1, 1_000)
    instances = []
    for number in range(1, count + 1):
        items = numbers.take(f"the items of instance {number}", 1, 10_000)
        rows = numbers.take(f"the rows of instance {number}", 1, 1_000)
        if items * rows > _MOST:
            numbers.refuse(f"{items} x {rows}", f"at most {_MOST:,} weights in an instance")
        numbers.take("the known optimum or 0", 0, 10**15, fraction=True)
        profits = [numbers.take("a profit", 0, _LARGEST) for _ in range(items)]
        weights = [[numbers.take("a weight", 0, _LARGEST) for _ in range(items)] for _ in range(rows)]
        capacities = [numbers.take("a capacity", 0, _LARGEST) for _ in range(rows)]
        public: dict[str, Any] = {"profits": profits, "weights": weights, "capacities": capacities}
        name = path.stem if count == 1 else f"{path.stem}-{number:0{len(str(count))}}"
        instances.append(Instance(name, path.name, f"{items}x{rows}", public, 1, f"file {path.name}"))
    numbers.end()
    return instances


class _Numbers:
    """The numbers of a text, one after the other."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._words = [
            (word, line, place)
            for line, content in enumerate(split_lines(text), 1)
            for place, word in enumerate(content.split(), 1)
        ]
        self._next = 0

    def take(self, meaning: str, low: int, high: int, fraction: bool = False) -> int:
        """The next number; `fraction` allows, and drops, digits behind a point."""
        expected = f"{meaning}, an integer from {low} to {high:,}"
        if self._next == len(self._words):
            self.refuse("the end of the file", expected)
        word = self._words[self._next][0]
        self._next += 1
        match = re.fullmatch(r"([+-]?[0-9]{1,20})(\.[0-9]{0,20})?", word)
        if match is None or (match[2] and not fraction) or not low <= int(match[1]) <= high:
            self.refuse(shown(word), expected)
        return int(match[1])

    def end(self) -> None:
        """Refuses numbers behind the last instance."""
        if self._next < len(self._words):
            self._next += 1
            self.refuse(shown(self._words[self._next - 1][0]), "the end of the file")

    def refuse(self, got: str, expected: str) -> NoReturn:
        """Names the place of the last number that was taken."""
        where = ""
        if self._next:
            _, line, place = self._words[self._next - 1]
            where = f" line {line} number {place}"
        raise InstanceFileError(f"{self._path}{where}: got {got}, expected {expected}")

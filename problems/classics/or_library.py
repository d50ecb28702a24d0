"""Files of OR-Library's multidimensional knapsacks (`mknap`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn

from ..base import Instance, InstanceFileError
from ..files import read_text, shown, split_lines

FORMAT = """\
A text file in the layout of OR-Library's `mknap`: the number of instances, then for each one n items, m rows
and the known optimum (0 if it is unknown; not used), n profits, m rows of n weights and m capacities.
Numbers from 0 to 10⁹, separated by blanks and line breaks; decimals of at most 6 digits behind the point are
scaled to integers exactly, profits all by one power of ten (the source says by which), each row with its
capacity by one of its own. At most 100,000 weights (`--set problem.most_weights=N` lifts that up to
1,000,000)."""

_LARGEST = 10**9
_MOST_WEIGHTS = 1_000_000
_DIGITS = 6


def read(path: Path, most: int = 100_000) -> list[Instance]:
    """The instances of a file, of at most `most` weights each, numbered if they are several.

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
        if items * rows > most:
            numbers.refuse(f"{items} x {rows}", _too_many(items * rows, most))
        numbers.decimal("the known optimum or 0", 10**15)
        profits, factor = _scaled([numbers.decimal("a profit") for _ in range(items)])
        written = [[numbers.decimal("a weight") for _ in range(items)] for _ in range(rows)]
        table = [_scaled([*row, numbers.decimal("a capacity")])[0] for row in written]
        public: dict[str, Any] = {
            "profits": profits,
            "weights": [row[:-1] for row in table],
            "capacities": [row[-1] for row in table],
        }
        name = path.stem if count == 1 else f"{path.stem}-{number:0{len(str(count))}}"
        source = f"file {path.name}" + (f", profits x {factor:,}" if factor > 1 else "")
        instances.append(Instance(name, path.name, f"{items}x{rows}", public, factor, source))
    numbers.end()
    return instances


def _scaled(numbers: Sequence[Decimal]) -> tuple[list[int], int]:
    """Numbers as integers, and the least power of ten that makes them whole."""
    digits = max(0, *(-int(number.normalize().as_tuple().exponent) for number in numbers))
    return [int(number.scaleb(digits)) for number in numbers], 10**digits


def _too_many(count: int, most: int) -> str:
    if count > _MOST_WEIGHTS:
        return f"at most {_MOST_WEIGHTS:,} weights in an instance"
    return f"at most {most:,} weights in an instance (`--set problem.most_weights={count}` lifts the limit)"


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

    def take(self, meaning: str, low: int, high: int) -> int:
        """The next number, an integer."""
        expected = f"{meaning}, an integer from {low} to {high:,}"
        word = self._word(expected)
        if not re.fullmatch(r"[+-]?[0-9]{1,20}", word) or not low <= int(word) <= high:
            self.refuse(shown(word), expected)
        return int(word)

    def decimal(self, meaning: str, high: int = _LARGEST) -> Decimal:
        """The next number, from 0, exact, with up to six digits behind the point."""
        expected = f"{meaning}, a number from 0 to {high:,} with at most {_DIGITS} digits behind the point"
        word = self._word(expected)
        if not re.fullmatch(r"[+-]?[0-9]{0,20}[0-9](\.[0-9]{0,6}0{0,20})?|\.[0-9]{1,6}", word):
            self.refuse(shown(word), expected)
        if not 0 <= Decimal(word) <= high:
            self.refuse(shown(word), expected)
        return Decimal(word)

    def _word(self, expected: str) -> str:
        if self._next == len(self._words):
            self.refuse("the end of the file", expected)
        self._next += 1
        return self._words[self._next - 1][0]

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

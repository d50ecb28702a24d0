"""Files of TSPLIB: symmetric instances with distances of the plane, the globe, or explicit ones.

G. Reinelt, TSPLIB, ORSA Journal on Computing 3 (1991) 376-384, doi:10.1287/ijoc.3.4.376.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import acos, ceil, cos, floor, hypot, sqrt
from pathlib import Path
from typing import Any, NoReturn

from ..base import Instance, InstanceFileError
from ..files import read_text, shown, split_lines
from .distances import distances

FORMAT = """\
A text file of TSPLIB with one symmetric instance: lines `KEY : value` (TYPE TSP, DIMENSION, EDGE_WEIGHT_TYPE
EUC_2D, CEIL_2D, MAN_2D, MAX_2D, ATT, GEO or EXPLICIT, of the last one EDGE_WEIGHT_FORMAT FULL_MATRIX,
UPPER_ROW, UPPER_DIAG_ROW, LOWER_ROW, LOWER_DIAG_ROW, or COL in place of ROW), then NODE_COORD_SECTION with
lines `node x y`, nodes from 1 in their order, or EDGE_WEIGHT_SECTION with integers, then EOF. At least 3
nodes, at most 2,000 (`--set problem.most_nodes=N` lifts that up to 6,000). COMMENT, NODE_COORD_TYPE,
DISPLAY_DATA_TYPE and DISPLAY_DATA_SECTION change no instance and are read over. A file with other keys or
sections (FIXED_EDGES_SECTION …), or with something behind EOF, is refused: it would be ignored."""

MOST_NODES = 6_000
"""Of any file: distances of more nodes take gigabytes."""
_LARGEST = 10**9
_SHAPES: Mapping[str, Callable[[int, int], range]] = {
    "FULL_MATRIX": lambda row, n: range(n),
    "UPPER_ROW": lambda row, n: range(row + 1, n),
    "UPPER_DIAG_ROW": lambda row, n: range(row, n),
    "LOWER_ROW": lambda row, n: range(row),
    "LOWER_DIAG_ROW": lambda row, n: range(row + 1),
    "UPPER_COL": lambda row, n: range(row),
    "UPPER_DIAG_COL": lambda row, n: range(row + 1),
    "LOWER_COL": lambda row, n: range(row + 1, n),
    "LOWER_DIAG_COL": lambda row, n: range(row, n),
}
"""Columns that a format lists in each row; the columns of a symmetric half are the rows of the other."""

_READERS = {"TSP": "tsp", "CVRP": "cvrp", "OP": "orienteering"}
"""TYPE → the problem that reads files of that type."""

KEYS = (
    *("NAME", "COMMENT", "TYPE", "DIMENSION", "EDGE_WEIGHT_TYPE", "EDGE_WEIGHT_FORMAT"),
    *("NODE_COORD_TYPE", "DISPLAY_DATA_TYPE"),
)
"""Keys that every file may have."""
SECTIONS = ("NODE_COORD_SECTION", "EDGE_WEIGHT_SECTION", "DISPLAY_DATA_SECTION")
"""Sections that every file may have; those for display change no instance."""


def _geo(a: float, b: float, c: float, d: float) -> int:
    """Kilometres on TSPLIB's sphere; the coordinates are latitude and longitude as degrees.minutes."""
    lat, long, other_lat, other_long = (
        _PI * (int(x) + 5.0 * (x - int(x)) / 3.0) / 180.0 for x in (a, b, c, d)
    )
    turn = cos(long - other_long)
    arc = 0.5 * ((1.0 + turn) * cos(lat - other_lat) - (1.0 - turn) * cos(lat + other_lat))
    return int(_RADIUS * acos(max(-1.0, min(1.0, arc))) + 1.0)


_PI = 3.141592
"""As TSPLIB has it."""
_RADIUS = 6378.388
METRICS: Mapping[str, Callable[[float, float, float, float], int]] = {
    "EUC_2D": lambda a, b, c, d: floor(sqrt((a - c) ** 2 + (b - d) ** 2) + 0.5),
    "CEIL_2D": lambda a, b, c, d: ceil(sqrt((a - c) ** 2 + (b - d) ** 2)),
    "MAN_2D": lambda a, b, c, d: floor(abs(a - c) + abs(b - d) + 0.5),
    "MAX_2D": lambda a, b, c, d: max(floor(abs(a - c) + 0.5), floor(abs(b - d) + 0.5)),
    "ATT": lambda a, b, c, d: ceil(sqrt(((a - c) ** 2 + (b - d) ** 2) / 10)),
    "GEO": _geo,
}
"""Distance of two nodes x, y by EDGE_WEIGHT_TYPE."""


def _unrounded(points: Sequence[Sequence[float]], scale: int) -> list[list[int]]:
    """Euclidean distances times `scale`, to the nearest integer."""
    return [[floor(scale * hypot(a - c, b - d) + 0.5) for c, d in points] for a, b in points]


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a file with its line, from 1."""

    text: str
    line: int


def read(path: Path, most: int = 2_000) -> list[Instance]:
    """The instance of a file of at most `most` nodes, named after the file.

    Raises:
        InstanceFileError: names file and line, what was got and what was expected.
    """
    file = SectionFile(path, "TSP")
    public = file.nodes(3, most)
    count = len(public["distances"])
    return [Instance(path.stem, path.name, f"{count} nodes", public, 1, f"file {path.name}")]


class SectionFile:
    """Keys and sections of a file in the manner of TSPLIB."""

    def __init__(self, path: Path, type: str, keys: Sequence[str] = (), sections: Sequence[str] = ()) -> None:
        """Reads a file.

        Args:
            path: of the file.
            type: first word of TYPE, if the file has that key.
            keys: that the format has beside `KEYS`.
            sections: that the format has beside `SECTIONS`.

        Raises:
            InstanceFileError: it is no text or of another type, holds a key or a section twice or
                one that is not understood, or goes on after EOF.
        """
        text = read_text(path)
        self._path = path
        self._type = type
        self._known = (*KEYS, *keys), (*SECTIONS, *sections)
        self.keys: dict[str, Word] = {}
        self.sections: dict[str, list[Word]] = {}
        section: list[Word] | None = None
        ended = False
        for number, line in enumerate(split_lines(text), 1):
            if ended and line.strip():
                self.fault(Word(line.strip(), number), "nothing after EOF: a file holds one instance")
            key = re.match(r"\s*([A-Z_0-9]+)\s*(?::(.*))?$", line)
            if key and key[1] == "EOF":
                ended = True
            elif key and not key[1][0].isdigit():
                section = self._begin(Word(key[1], number), (key[2] or "").strip())
            elif line.strip():
                if section is None:
                    self.fault(Word(line.strip(), number), "`KEY : value` or a section")
                section += [Word(word, number) for word in line.split()]
        coordinates = self.keys.get("NODE_COORD_TYPE")
        if coordinates is not None and coordinates.text not in ("TWOD_COORDS", "NO_COORDS"):
            self.fault(coordinates, "NODE_COORD_TYPE TWOD_COORDS or NO_COORDS")

    def _begin(self, name: Word, value: str) -> list[Word] | None:
        """Takes the line of a key or a section; the words of the section, None for a key."""
        keys, sections = self._known
        if name.text not in (*keys, *sections):
            what = "section" if name.text.endswith("_SECTION") else "key"
            known = ", ".join(sections if what == "section" else keys)
            self.fault(name, f"a {what} that is understood here: {known}")
        if name.text in self.sections or (name.text in self.keys and name.text != "COMMENT"):
            self.fault(name, "each key and section once")
        if name.text in keys:
            self.keys[name.text] = Word(value, name.line)
            if name.text == "TYPE" and value.split()[:1] != [self._type]:
                self._refuse_type(Word(value, name.line))
            return None
        if value:
            self.fault(Word(value, name.line), f"nothing behind {name.text} on its line")
        words = self.sections[name.text] = []
        return words

    def _refuse_type(self, value: Word) -> NoReturn:
        """Refuses a file of another type, and names the problem that reads it."""
        reader = _READERS.get(value.text.partition(" ")[0])
        others = f"; `{reader}` reads such files" if reader else "; no problem here reads this type"
        self.fault(value, f"TYPE {self._type}{others}, if the label is right")

    def nodes(self, least: int, most: int, decimals: int = 0) -> dict[str, Any]:
        """Coordinates (empty without them) and distances of `least` to `most` nodes.

        Args:
            least: nodes at least.
            most: nodes at most.
            decimals: digits behind the point that EUC_2D distances keep, as whole units of 10^-decimals.
        """
        dimension = self.key("DIMENSION")
        count = self.integer(dimension, least, 10**9)
        if count > most:
            lifted = f" (`--set problem.most_nodes={count}` lifts the limit)" if count <= MOST_NODES else ""
            self.fault(dimension, f"at most {most if lifted else MOST_NODES:,} nodes{lifted}")
        kind = self.key("EDGE_WEIGHT_TYPE")
        if decimals and kind.text != "EUC_2D":
            self.fault(kind, "EUC_2D, where `problem.decimals` is not 0")
        if kind.text == "EXPLICIT":
            return {"coordinates": [], "distances": self._matrix(count)}
        if kind.text not in METRICS:
            self.fault(kind, f"EDGE_WEIGHT_TYPE {', '.join(METRICS)} or EXPLICIT")
        if "EDGE_WEIGHT_SECTION" in self.sections:
            self.fault(kind, "EDGE_WEIGHT_TYPE EXPLICIT, since the file lists weights in EDGE_WEIGHT_SECTION")
        words = self.section("NODE_COORD_SECTION", 3 * count)
        for node in range(count):
            if self.integer(words[3 * node], 0, count) != node + 1:
                self.fault(words[3 * node], f"node {node + 1}: nodes in their order, from 1")
        points = [[self._number(words[3 * node + k]) for k in (1, 2)] for node in range(count)]
        if decimals:
            return {"coordinates": points, "distances": _unrounded(points, 10**decimals)}
        if kind.text == "EUC_2D" and all(isinstance(x, int) for point in points for x in point):
            return {"coordinates": points, "distances": distances(points)}  # type: ignore[arg-type]
        metric = METRICS[kind.text]
        matrix = [[0 if p is q else metric(*p, *q) for q in points] for p in points]
        return {"coordinates": points, "distances": matrix}

    def key(self, name: str) -> Word:
        """The value of a key."""
        if name not in self.keys:
            self._refuse(f"no key {name}", f"a line `{name} : value`")
        return self.keys[name]

    def section(self, name: str, count: int) -> list[Word]:
        """The words of a section, `count` of them."""
        if name not in self.sections:
            self._refuse(f"no {name}", f"{name} with {count} numbers")
        words = self.sections[name]
        if len(words) != count:
            self._refuse(f"{len(words)} numbers in {name}", f"{count}")
        return words

    def integer(self, word: Word, low: int, high: int) -> int:
        """A word as an integer of [low, high]."""
        value = int(word.text) if re.fullmatch(r"[+-]?[0-9]{1,20}", word.text) else None
        if value is None or not low <= value <= high:
            self.fault(word, f"an integer from {low} to {high}")
        return value

    def fault(self, word: Word, expected: str) -> NoReturn:
        """Refuses a word.

        Raises:
            InstanceFileError: always.
        """
        self._refuse(shown(word.text), expected, word.line)

    def _number(self, word: Word) -> int | float:
        """A coordinate, an integer if it is a whole number."""
        if not re.fullmatch(
            r"[+-]?([0-9]{1,20}\.?[0-9]{0,20}|\.[0-9]{1,20})([eE][+-]?[0-9]{1,3})?", word.text
        ):
            self.fault(word, "a coordinate")
        value = float(word.text)
        if not abs(value) <= _LARGEST:
            self.fault(word, f"a coordinate of at most {_LARGEST:,}")
        return int(value) if value.is_integer() else value

    def _matrix(self, count: int) -> list[list[int]]:
        form = self.key("EDGE_WEIGHT_FORMAT")
        if form.text not in _SHAPES:
            self.fault(form, f"EDGE_WEIGHT_FORMAT {', '.join(_SHAPES)}")
        places = [(row, column) for row in range(count) for column in _SHAPES[form.text](row, count)]
        words = self.section("EDGE_WEIGHT_SECTION", len(places))
        matrix = [[0] * count for _ in range(count)]
        for (row, column), word in zip(places, words, strict=True):
            value = self.integer(word, 0, _LARGEST)
            if row == column:
                continue  # some files have numbers other than 0 there
            if form.text == "FULL_MATRIX" and column < row and matrix[row][column] != value:
                self.fault(word, f"{matrix[row][column]}, the distance of nodes {column + 1} and {row + 1}")
            matrix[row][column] = matrix[column][row] = value
        return matrix

    def _refuse(self, got: str, expected: str, line: int = 0) -> NoReturn:
        where = f" line {line}" if line else ""
        raise InstanceFileError(f"{self._path}{where}: got {got}, expected {expected}")

"""The uniform instances of OR-Library's binpack1 to binpack4, as counts of sizes.

Items: Falkenauer, Journal of Heuristics 2 (1996) 5-30, doi:10.1007/BF00226291; OR-Library: Beasley, J. Oper.
Res. Soc. 41 (1990) 1069-1072. Taken from the arrays of Gecode 6.2.0, `examples/bin-packing.cpp` (SHA-256
591b664edc691c5491ae6dab8722b06983cdc466d74b0f1252d5a896b0381ac6), which hold each instance in descending
order: the order of OR-Library's files is not known from them, so there is no online set. Under the licence of
that file:

    Copyright: Christian Schulte, 2010

    Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
    associated documentation files (the "Software"), to deal in the Software without restriction, including
    without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
    copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the
    following conditions:

    The above copyright notice and this permission notice shall be included in all copies or substantial
    portions of the Software.

    THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
    LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO
    EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER
    IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR
    THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files

from .laws import ItemDraw

_ITEMS = {"binpack1": 120, "binpack2": 250, "binpack3": 500, "binpack4": 1000}
_FILE = "data/or_library.json"

SETS: Mapping[str, str] = {
    name: f"OR-Library's 20 instances u{items}: {items} items on 20..100, capacity 150, in descending order; "
    "the same for every seed."
    for name, items in _ITEMS.items()
}
"""Name of each set → one sentence."""

SOURCE = "OR-Library's items as Gecode 6.2.0 holds them, in descending order"


def or_library_draws(name: str) -> Iterator[tuple[str, str, ItemDraw]]:
    """(id, stratum, items) of every instance of a set.

    Raises:
        KeyError: no set of this name.
    """
    stratum = f"u{_ITEMS[name]}"
    table = json.loads(files(__package__).joinpath(_FILE).read_text("utf-8"))
    for id, counts in table["counts"].items():
        if id.startswith(f"{stratum}_"):
            sizes = [table["smallest"] + n for n, count in enumerate(counts) for _ in range(count)]
            yield id, stratum, ItemDraw(table["capacity"], sizes[::-1])

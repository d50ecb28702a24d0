"""What parents far behind the best brought, in the recorded campaigns of `benchmarks/model_campaigns`.

    python benchmarks/weak_parents.py

A prompt says the mean gaps of its parent and of the best program so far; a later prompt says that of the
reply's program, which is found there by its sentence. Replies that repair a program do not count, nor do
those of which no later prompt tells.
"""

from __future__ import annotations

import lzma
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from gapsmith.evolve.llm.cassette import Cassette, Exchange
from gapsmith.evolve.llm.replies import idea_of

FOLDER = Path(__file__).parent / "model_campaigns"
BANDS = ((0.0, 1.0), (1.0, 1.25), (1.25, 2.0), (2.0, float("inf")))
"""Parent's loss divided by the best's: above the first, up to the second."""
LATE = 20
"""Asks before an ask that counts as late (count)."""
_PARENT = re.compile(r"^The program: mean gap ([\d.]+) %", re.MULTILINE)
_BEST = re.compile(r"## The best program so far\n\n.*?: mean gap ([\d.]+) %", re.DOTALL)


def gap_of(idea: str, later: list[str]) -> float | None:
    """The mean gap (percent) that prompts tell of the program with a sentence; infinite if it was stopped.

    None if they tell nothing of it.
    """
    for prompt in later:
        for line in prompt.split("\n"):
            if line.startswith("> ") and line.endswith(f": {idea}"):
                told = re.match(r"> ([\d.]+) %", line)
                return float(told[1]) if told else float("inf")
    return None


def asks(exchanges: list[Exchange]) -> Iterator[tuple[bool, float, bool]]:
    """(late, parent's loss / best's loss, new best) of each ask."""
    firsts = sorted(
        (e for e in exchanges if e.round == 1 and e.operator != "repair"), key=lambda e: e.iteration
    )
    for number, exchange in enumerate(firsts):
        parent, best = _PARENT.search(exchange.prompt.user), _BEST.search(exchange.prompt.user)
        if parent is None or exchange.completion is None:
            continue
        least = float(best[1]) if best else float(parent[1])
        gap = gap_of(idea_of(exchange.completion.text), [e.prompt.user for e in firsts[number + 1 :]])
        ratio = float(parent[1]) / least if least else 1.0
        if gap is not None:
            yield number >= LATE, ratio, gap < least


def main() -> None:
    """Prints, for early and late asks, how many parents in each band brought a new best."""
    rows: list[tuple[bool, float, bool]] = []
    for packed in sorted(FOLDER.glob("*.jsonl.xz")):
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
            file.write(lzma.decompress(packed.read_bytes()))
            file.flush()
            rows += asks(Cassette.load(Path(file.name)).exchanges)
    for late in (False, True):
        for low, high in BANDS:
            won = [new for when, ratio, new in rows if when is late and low < ratio <= high]
            print(f"{'late' if late else 'early'}, {low:g} to {high:g}: {sum(won)} of {len(won)}")


if __name__ == "__main__":
    main()

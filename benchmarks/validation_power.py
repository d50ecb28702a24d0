"""How many validation instances choose the better of two programs.

    python benchmarks/validation_power.py RUN …

Each RUN is a folder whose store holds the scores of the problem's baselines on all splits. Baselines are put
in order of their mean gap, and each is compared with the next one, paired by instance. If d is the mean of
the differences and s their standard deviation over instances, the better one has the smaller mean on n
instances with a probability of about Φ(d √n / s), so (1.2816 s / d)² instances make it 0.9. The typical
difference is the median of d over the pairs.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import NormalDist, fmean, median, stdev

from gapsmith.evolve.store.reader import Reader
from gapsmith.problems.base import SPLITS

PROBABILITY = 0.9


def gaps(reader: Reader) -> dict[str, dict[str, float]]:
    """Baseline → instance → gap in percent; of baselines that are valid on all instances of all splits."""
    rows = reader.rows("SELECT DISTINCT program FROM evaluations WHERE program LIKE 'baseline/%'")
    table: dict[str, dict[str, float]] = {}
    for program in (row["program"] for row in rows):
        found = [reader.evaluation(program, split) for split in SPLITS]
        scores = [score for evaluation in found if evaluation is not None for score in evaluation.scores]
        if len(scores) and all(e is not None and e.fitness is not None for e in found):
            table[program.split("/")[1]] = {
                s.instance: 100 * float(s.gap) for s in scores if s.gap is not None
            }
    return table


def pairs(table: Mapping[str, Mapping[str, float]]) -> Iterator[tuple[float, float]]:
    """Mean and standard deviation of the difference of each baseline from the next better one (points)."""
    order = sorted(table.values(), key=lambda by: fmean(by.values()))
    for better, worse in itertools.pairwise(order):
        differences = [worse[i] - better[i] for i in better if i in worse]
        if fmean(differences) > 0:
            yield fmean(differences), stdev(differences)


def needed(difference: float, deviation: float) -> int:
    """Instances on which the better one wins with `PROBABILITY` (count)."""
    return max(1, math.ceil((NormalDist().inv_cdf(PROBABILITY) * deviation / difference) ** 2))


def row(folder: Path) -> str:
    """A row of the table for one run."""
    reader = Reader.open(folder)
    try:
        table = gaps(reader)
        valid = len(reader.instances("valid"))
        problem = folder.name.split("-", 2)[-1].rpartition("-")[0]
    finally:
        reader.close()
    found = list(pairs(table))
    typical = median(d for d, _ in found)
    spread = median(s for _, s in found)
    best = needed(*found[0])
    chosen = NormalDist().cdf(typical * math.sqrt(valid) / spread)
    return (
        f"| {problem} | {len(table)} | {typical:.2f} | {spread:.2f} | {needed(typical, spread)} | {best} "
        f"| {valid} | {chosen:.2f} |"
    )


def main() -> None:
    """Prints the table of some runs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", nargs="+", type=Path)
    heads = "problem | baselines | typical difference, points | its deviation | instances for 0.9"
    print(f"| {heads} | for the best two | in validation | probability there |\n|" + "---|" * 8)
    for folder in parser.parse_args().run:
        print(row(folder), flush=True)


if __name__ == "__main__":
    main()

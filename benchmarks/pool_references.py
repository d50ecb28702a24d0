"""Builds the shipped references of pools: the further training instances that built-in problems draw.

    python benchmarks/pool_references.py flow-shop flow-shop-rule --seconds 60

Writes evaluators/pools/FAMILY.json.gz for the pool of eight training sets of instance seed 1. An optimum in
the file is kept, a bound is tried again. What takes less than 20 ms in the mean is not kept: it is computed
when it is needed. Prints one line a problem.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path

from gapsmith.app.config import parse
from gapsmith.app.plugins.built_ins import BUILT_INS
from gapsmith.app.plugins.loader import load_problem
from gapsmith.app.setup.instances import further, splits_of
from gapsmith.app.setup.references import parallel
from gapsmith.evaluators import pooled
from gapsmith.evaluators.base import Reference, ReferenceKind
from gapsmith.problems.base import Instance, Keyed

FOLDER = Path(__file__).resolve().parents[1] / "evaluators" / pooled.FOLDER
QUICK = 0.02
"""Mean wall seconds up to which references do not ship."""


def main() -> None:
    """Reads the command line and writes one file a family."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("problem", nargs="*", default=list(BUILT_INS))
    parser.add_argument("--seconds", type=float, default=60, help="wall seconds that one reference may take")
    parser.add_argument("--workers", type=int, default=2, help="references at a time")
    arguments = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    families: dict[str, list[str]] = {}
    for problem in arguments.problem:
        families.setdefault(pooled.family(problem), []).append(problem)
    for family, problems in families.items():
        table: dict[str, Reference] = {}
        for problem in problems:
            add(problem, table, arguments.seconds, arguments.workers)
        if table:
            (FOLDER / f"{family}.json.gz").write_bytes(pooled.encode_pool(table))


def add(problem: str, table: dict[str, Reference], seconds: float, workers: int) -> None:
    """Adds a problem's references to the table of its family, unless they are quick."""
    loaded = load_problem(problem, {})
    if loaded.references is None or isinstance(loaded.problem, Keyed):  # drawn with a secret
        return
    own: dict[str, Reference] = {}
    missing = []
    config = parse({"campaign": {"problem": problem}}, "pool_references")
    for instance in further(loaded, config, splits_of(loaded, config)):
        reference = table.get(instance.digest) or pooled.pooled(problem, instance)
        if reference is None or reference.kind is not ReferenceKind.OPTIMUM:
            missing.append(instance)
        if reference is not None:
            own[instance.digest] = reference
    began = time.monotonic()

    def compute(instance: Instance) -> Reference:
        reference = loaded.reference(instance, seconds)
        assert reference is not None
        return reference

    for instance, reference in parallel(compute, missing, workers):
        own[instance.digest] = reference
    spent = workers * (time.monotonic() - began) / max(1, len(missing))
    kinds = Counter(reference.kind.value for reference in own.values())
    quick = len(missing) == len(own) and spent < QUICK
    print(
        f"{problem:28} {len(own):4} references {dict(kinds)}, {len(missing)} computed, {spent:.3f} s each"
        + (", quick: not kept" if quick else ""),
        flush=True,
    )
    if not quick:
        table.update(own)


if __name__ == "__main__":
    main()

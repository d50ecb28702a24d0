"""What a proof costs: wall time of the exact methods on the default validation instances.

    python benchmarks/proof_times.py smtt smwtt job-shop flow-shop

Prints a table. References that ship keep the time that they took where they were computed; the others are
computed here, within ten seconds each.
"""

from __future__ import annotations

import argparse

from gapsmith.app.plugins.loader import load_problem
from gapsmith.evaluators.base import Reference, ReferenceKind

SECONDS = 10.0


def references(name: str) -> list[Reference]:
    """References of a problem's default validation instances."""
    loaded = load_problem(name, {})
    source = loaded.references
    if source is None:
        raise SystemExit(f"{name}: the problem has no references")
    return [source.reference(instance, SECONDS) for instance in loaded.problem.instances("valid", 1)]


def row(name: str) -> str:
    """Problem, share proven, median and 90th percentile of the seconds of a proof, and the methods."""
    every = references(name)
    proven = [one for one in every if one.kind is ReferenceKind.OPTIMUM]
    times = sorted(one.seconds for one in proven if one.seconds is not None)
    cells = [f"{1000 * times[rank]:,.1f} ms" for rank in (len(times) // 2, 9 * len(times) // 10) if times]
    methods = ", ".join(sorted({one.solver for one in proven}))
    return f"| `{name}` | {len(proven)} of {len(every)} | {' | '.join(cells) or '– | –'} | {methods} |"


def main() -> None:
    """Prints one row for each problem."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("problems", nargs="+")
    print("| problem | proven optimal | median | 90 % within | method |\n|---|---|---|---|---|")
    for name in parser.parse_args().problems:
        print(row(name), flush=True)


if __name__ == "__main__":
    main()

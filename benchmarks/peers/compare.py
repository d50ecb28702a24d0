"""Two arms on the same test instances: paired by instance, seeds pooled.

    python benchmarks/peers/compare.py PROBLEM --a FOLDER … --b FOLDER … [--split test]

Each folder is one of `drive.py`'s, one a seed. Of each instance the gaps of an arm's seeds are averaged, so
the instance is the unit. Says mean gaps, the mean difference with its standard error, who wins where, the p
value of a randomisation test (signs of the differences), CPU time and length of the champions, and tokens.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import gapsmith
from gapsmith.evaluators.statistics import sign_flip, wins_ties_losses


def measured(problem: str, folders: list[Path], split: str) -> tuple[dict[str, float], dict[str, Any]]:
    """Instance → mean gap of an arm's champions (percent), and the arm's figures."""
    gaps: dict[str, list[float]] = {}
    seconds: list[float] = []
    for folder in folders:
        text = (folder / "champion.py").read_text("utf-8")
        for row in gapsmith.evaluate(problem, text, instances=split)["instances"]:
            if row["gap_percent"] is None:
                raise SystemExit(f"{folder}: no valid answer on {row['instance']}: {row['message']}")
            gaps.setdefault(row["instance"], []).append(row["gap_percent"])
            seconds.append(row["cpu_seconds"])
    results = [json.loads((folder / "result.json").read_text("utf-8")) for folder in folders]
    return {name: fmean(values) for name, values in gaps.items()}, {
        "seeds": len(folders),
        "cpu_ms": round(1000 * fmean(seconds), 1),
        "lines": [result["lines"] for result in results],
        "price_tokens": round(fmean(result["price_tokens"] for result in results)),
    }


def main() -> None:
    """Prints the comparison as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("problem")
    parser.add_argument("--a", nargs="+", type=Path, required=True)
    parser.add_argument("--b", nargs="+", type=Path, required=True)
    parser.add_argument("--split", default="test")
    options = parser.parse_args()
    first, a = measured(options.problem, options.a, options.split)
    second, b = measured(options.problem, options.b, options.split)
    differences = [first[name] - second[name] for name in first]
    error = stdev(differences) / len(differences) ** 0.5 if len(differences) > 1 else None
    print(json.dumps({
        "instances": len(differences),
        "a": {"mean_gap_percent": fmean(first.values()), **a},
        "b": {"mean_gap_percent": fmean(second.values()), **b},
        "difference_points": fmean(differences),
        "standard_error": error,
        "a_against_b": wins_ties_losses((first[name], second[name]) for name in first),
        "p": sign_flip(differences),
    }, indent=1))  # fmt: skip


if __name__ == "__main__":
    main()

"""Turns the output of `gapsmith baselines … --json` into Markdown tables and a front of gap against time.

gapsmith baselines smtt --instances n=100 --json > n100.json
python benchmarks/smtt_table.py n100.json
python benchmarks/smtt_table.py n100.json --strata mdd mddc mdd-insertion
python benchmarks/smtt_table.py n100.json --front front.json
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

Rows = dict[str, dict[str, Any]]


def overall(rows: Rows) -> None:
    """One row a baseline, best ratio of sums last."""
    print(
        "| baseline | mean of ratios, % | 95 % interval | ratio of sums, % | solved | zeros missed | CPU ms |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, row in sorted(rows.items(), key=lambda item: -item[1]["ratio_of_sums_percent"]):
        low, high = row["mean_gap_ci95_percent"]
        print(
            f"| {name} | {row['mean_gap_percent']:.2f} | {low:.2f} – {high:.2f} "
            f"| {row['ratio_of_sums_percent']:.2f} | {row['solved']} of {row['instances']} "
            f"| {row['zeros_missed']} of {row['zero_references']} | {1e3 * row['cpu_seconds_median']:.1f} |"
        )


def by_stratum(rows: Rows, names: list[str]) -> None:
    """Ratio of sums of some baselines in each stratum."""
    print("| stratum | " + " | ".join(names) + " |")
    print("|---|" + "---:|" * len(names))
    for stratum in rows[names[0]]["strata"]:
        cells = [rows[name]["strata"][stratum]["ratio_of_sums_percent"] for name in names]
        print(f"| {stratum} | " + " | ".join("–" if cell is None else f"{cell:.2f}" for cell in cells) + " |")


def front(rows: Rows) -> list[dict[str, Any]]:
    """Baselines that no other beats in both ratio of sums and median CPU seconds."""
    points = sorted(
        (row["cpu_seconds_median"], row["ratio_of_sums_percent"], name) for name, row in rows.items()
    )
    best, found = float("inf"), []
    for seconds, gap, name in points:
        if gap < best:
            best = gap
            found.append({"baseline": name, "ratio_of_sums_percent": gap, "cpu_seconds_median": seconds})
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Tables of baselines.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--strata", nargs="+", metavar="BASELINE")
    parser.add_argument("--front", type=Path, metavar="FILE")
    options = parser.parse_args()
    baselines: Rows = json.loads(options.file.read_text())["baselines"]
    if options.strata:
        by_stratum(baselines, options.strata)
    elif options.front:
        options.front.write_text(json.dumps(front(baselines), indent=1) + "\n")
    else:
        overall(baselines)

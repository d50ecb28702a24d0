"""What a short campaign brings on every built-in problem, paired with the best shipped baseline; resumable.

    python benchmarks/built_ins.py run --seeds 1-5 --cpu 30 --runs runs/built-ins
    python benchmarks/built_ins.py save --runs runs/built-ins
    python benchmarks/built_ins.py table

Each problem and seed is one campaign of the offline proposer: defaults but for the CPU seconds, one sandbox
slot, the public draw of instances of seed 1 (so that references are shared), all founders. A campaign that
has ended is not run again. `save` adds the champions' and the best baselines' losses on each test instance to
`benchmarks/ablation/built_ins.json`; `table` compares the two over seeds and instances, from that file alone.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from statistics import fmean, median
from typing import Any

from gapsmith.app.plugins.built_ins import BUILT_INS
from gapsmith.app.runs.record import open_record
from gapsmith.evaluators.base import Evaluation
from gapsmith.evaluators.intervals import LEVEL as INTERVAL
from gapsmith.evaluators.intervals import student, within
from gapsmith.evaluators.scoring import normalised_loss

SAVED = Path(__file__).parent / "ablation" / "built_ins.json"
LEVEL = 0.05
"""p value from which on a difference is noise (probability)."""


def campaign(runs: Path, problem: str, seed: int, cpu: float) -> str:
    """Runs or goes on with one campaign; its headline."""
    place = runs / f"{problem}-{seed}"
    begun = [path.name for path in place.glob("*") if path.is_dir()]
    words = ["--seed", str(seed), "--cpu-seconds", str(cpu), "--workers", "1"]
    for text in ("evaluation.instance_seed=1", 'evaluation.secret=""'):
        words += ["--set", text]
    command = ["resume", begun[0]] if begun else ["run", problem, *words]
    done = subprocess.run(
        [sys.executable, "-m", "gapsmith.cli", *command, "--runs", str(place), "--json"],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        return f"ended with {done.returncode}: {done.stderr.strip()[-300:]}"
    return str(json.loads(done.stdout)["headline"]["text"])


def run(problems: list[str], seeds: range, cpu: float, runs: Path, jobs: int) -> None:
    """Runs all campaigns, the first seed of every problem before the second of any."""
    pairs = list(product(seeds, problems))
    with ThreadPoolExecutor(jobs) as pool:
        texts = pool.map(lambda pair: campaign(runs, pair[1], pair[0], cpu), pairs)
        for (seed, problem), text in zip(pairs, texts, strict=True):
            print(f"{problem}, seed {seed}: {text}", flush=True)


def result(folder: Path) -> dict[str, Any] | None:
    """Losses (percent) of best baseline and champion on each test instance; None before the end."""
    with open_record(folder) as record:
        headline, reader = record.headline, record.reader
        if headline["split"] != "test" or headline["baseline"] is None:
            return None
        instances = reader.instances("test")
        mine = reader.evaluation(headline["champion"], "test")
        its = reader.evaluation(f"baseline/{headline['baseline']}", "test")

        def losses(evaluation: Evaluation) -> list[float | None]:
            each = [normalised_loss(s, instances[s.instance]) for s in evaluation.scores]
            return [None if loss is None else round(100 * float(loss), 5) for loss in each]

        def milliseconds(evaluation: Evaluation) -> float:
            return round(1000 * median(s.cpu_seconds for s in evaluation.scores), 2)

        return {
            "baseline": headline["baseline"],
            "founder": headline["founder"] is not None,
            "losses": [losses(its), losses(mine)],
            "milliseconds": [milliseconds(its), milliseconds(mine)],
        }


def save(runs: Path) -> None:
    """Adds the results of all campaigns that have ended to the saved file."""
    document = saved()
    for place in sorted(runs.glob("*-*")):
        problem, _, seed = place.name.rpartition("-")
        for folder in place.glob("*"):
            if (folder / "archive.sqlite").is_file() and (one := result(folder)) is not None:
                document.setdefault(problem, {})[seed] = one
    SAVED.write_text(json.dumps(document, separators=(",", ":")) + "\n", "utf-8")


def saved() -> dict[str, dict[str, Any]]:
    """Problem → seed → result, as `save` wrote them; empty without a file."""
    document: dict[str, dict[str, Any]] = json.loads(SAVED.read_text("utf-8")) if SAVED.is_file() else {}
    return document


def table() -> Iterator[str]:
    """Lines of a Markdown table: test losses, champion against best baseline, over seeds and instances."""
    yield (
        "| problem | seeds | best baseline | its loss % | champions' loss % | difference, points [95 %] | p "
        "| seeds better, as the founder, worse | CPU ms, baseline, champion |"
    )
    yield "|---" * 9 + "|"
    verdicts, results = [], saved()
    for problem in BUILT_INS:
        by = results.get(problem)
        if not by:
            continue
        figures, verdict = row(list(by.values()))
        verdicts.append(verdict)
        yield f"| `{problem}` | {figures} |"
    counts = ", ".join(f"{verdicts.count(word)} {word}" for word in ("better", "undecided", "worse"))
    yield ""
    yield f"Beyond noise (p < {LEVEL}), of {len(verdicts)} problems: {counts}."


def row(results: list[dict[str, Any]]) -> tuple[str, str]:
    """The figures of a problem, and whether its champions are better, undecided or worse."""
    whole = [one for one in results if all(loss is not None for side in one["losses"] for loss in side)]
    failures = len(results) - len(whole)
    seeds = f"{len(results)}{f', {failures} failed' if failures else ''} | {results[0]['baseline']}"
    base_ms, champion_ms = (fmean(one["milliseconds"][side] for one in results) for side in (0, 1))
    if not whole:
        return f"{seeds} | – | – | – | – | – | {base_ms:.1f}, {champion_ms:.1f}", "worse"
    rows = [[b - a for a, b in zip(*one["losses"], strict=True)] for one in whole]
    means = [fmean(differences) for differences in rows]
    if len(rows) < 2:
        return f"{seeds} | – | – | – | – | – | {base_ms:.1f}, {champion_ms:.1f}", "undecided"
    low, high, p = judged(rows)
    base, champion = (fmean(fmean(one["losses"][side]) for one in whole) for side in (0, 1))
    better, worse = sum(mean < 0 for mean in means), sum(mean > 0 for mean in means) + failures
    verdict = "undecided" if p >= LEVEL else "better" if fmean(means) < 0 else "worse"
    return (
        f"{seeds} | {base:.2f} | {champion:.2f} | {fmean(means):+.3f} [{low:+.3f}, {high:+.3f}] "
        f"| {'< 0.0001' if p < 1e-4 else f'{p:.4f}'} | {better}, {len(results) - better - worse}, {worse} "
        f"| {base_ms:.1f}, {champion_ms:.1f}"
    ), "undecided" if failures and verdict == "better" else verdict


def judged(rows: list[list[float]]) -> tuple[float, float, float]:
    """95 % interval (low, high) of the mean of a table, seeds x instances, and its p value against 0.

    Other seeds and other instances would both give other means, so both vary: the two-way random-effects
    test of Clark (1973, doi:10.1016/S0022-5371(73)80014-3). Averaging seeds first would test instances alone
    and take the luck of three seeds for a property of the search.
    """
    import numpy as np

    sample = np.asarray(rows)
    seeds, instances = sample.shape
    mean = float(sample.mean())
    by_seed, by_instance = sample.mean(axis=1), sample.mean(axis=0)
    rest = sample - by_seed[:, None] - by_instance + mean
    squares = (
        instances * float(by_seed.var(ddof=1)),
        seeds * float(by_instance.var(ddof=1)),
        float((rest**2).sum()) / ((seeds - 1) * (instances - 1)),
    )
    freedoms = (seeds - 1, instances - 1, (seeds - 1) * (instances - 1))
    total = max(squares[0] + squares[1] - squares[2], *squares[:2])
    if not total:
        return mean, mean, float(mean == 0)
    freedom = total**2 / sum(square**2 / free for square, free in zip(squares, freedoms, strict=True))
    error = (total / (seeds * instances)) ** 0.5
    reach = student(INTERVAL, max(1, int(freedom))) * error
    return mean - reach, mean + reach, 1 - within(abs(mean) / error, max(1, int(freedom)))


def main() -> None:
    """Reads the arguments and does what they say."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("run", "save", "table"))
    parser.add_argument("problem", nargs="*", help="all built-in problems if none is named")
    parser.add_argument("--seeds", default="1-5", help="first-last [default: 1-5]")
    parser.add_argument("--cpu", type=float, default=30.0, help="CPU seconds of a campaign [default: 30]")
    parser.add_argument("--jobs", type=int, default=1, help="campaigns at a time [default: 1]")
    parser.add_argument(
        "--runs", type=Path, default=Path("runs/built-ins"), help="folder [default: runs/built-ins]"
    )
    asked = parser.parse_args()
    first, last = (int(word) for word in asked.seeds.split("-"))
    if asked.what == "run":
        unknown = sorted(set(asked.problem) - BUILT_INS.keys())
        if unknown:
            parser.error(f"no built-in problem is called {unknown[0]!r}")
        run(asked.problem or list(BUILT_INS), range(first, last + 1), asked.cpu, asked.runs, asked.jobs)
    elif asked.what == "save":
        save(asked.runs)
    else:
        for line in table():
            print(line)


if __name__ == "__main__":
    main()

"""What each part of the search contributes: an ablation at equal CPU time, resumable.

    python benchmarks/search.py run smtt-rule --seeds 101-105 --cpu 60 --folder ablation
    python benchmarks/search.py table smtt-rule --folder ablation
    python benchmarks/search.py parts smtt-rule online-bin-packing --folder ablation
    python benchmarks/search.py picture smtt-rule --folder ablation -o docs/benchmarks/ablation-smtt-rule.svg

Each arm and seed is one campaign in a process of its own with one sandbox slot, ended by the CPU seconds of
its executions in training and validation; the proposer's own time is not counted. A seed draws its own
training, validation and test instances, the same for all arms. A campaign that was ended before is not run
again; one that was cut short is gone on with. The table is of the champion's loss on the test split, which no
arm saw. `save` keeps the results of all campaigns in a file of the folder, which stands for their runs from
then on: `benchmarks/ablation` holds those of the documents.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean, median

from gapsmith.evaluators.intervals import mean_interval
from gapsmith.evaluators.statistics import sign_flip
from gapsmith.evolve.store.reader import Reader

DEFAULTS = ('search.founders="all"', "search.pool=8")
ARMS: dict[str, tuple[str, ...]] = {
    "full": (),
    "without islands": ("archive.islands=1",),
    "without cells": ("archive.measures=[]",),
    "without racing": ("search.race_level=0",),
    "without tuning": ("search.tune_share=0",),
    "without fresh starts": ("search.fresh_share=0",),
    "best of n": ('campaign.control="best-of-n"',),
    "random": ('campaign.control="random"',),
    "all founders": ('search.founders="all"',),
    # Of records alone: its share of executions, 1, is no setting any more.
    "all founders with a pool of 8": ('search.founders="all"', "search.pool=8"),
    "all founders with the default pool": ('search.founders="all"', "search.pool=8"),
    "all founders without moves": ('search.founders="all"',),
    "defaults": DEFAULTS,
    "defaults without tuning": (*DEFAULTS, "search.tune_share=0"),
    "defaults without crossover": DEFAULTS,
    "defaults without phases": DEFAULTS,
}
PATCHES = {
    "moves": """
from gapsmith.evolve.offline.neighbours import Ground
Ground.of = classmethod(lambda cls, problem: None)
""",
    "crossover": """
from gapsmith.evolve.offline import crossover, proposer
proposer.OPERATORS = tuple(one for one in proposer.OPERATORS if one not in crossover.OPERATORS)
""",
    "phases": """
from gapsmith.evolve.offline import proposer
proposer.operators_of = lambda phases: ()
""",
}
"""What runs before the command line where an arm goes without a part that no setting ends."""


@dataclass(frozen=True)
class Step:
    """A new best in training: evaluations and executions so far (counts), its validation loss (percent)."""

    evaluations: int
    executions: int
    valid: float


@dataclass(frozen=True)
class Outcome:
    """Results of one campaign: losses in percent of the reference, counts, the way there.

    The loss of a champion that failed on a test instance is None.
    """

    test: float | None
    start: float
    evaluations: int
    executions: int
    curve: list[Step]


def place(folder: Path, problem: str, arm: str, seed: int) -> Path:
    """Folder that holds the one run of an arm and seed."""
    return folder / f"{problem}-{arm.replace(' ', '-')}-{seed}"


def campaign(folder: Path, problem: str, arm: str, seed: int, budget: str, extra: Sequence[str]) -> str:
    """Runs or goes on with one campaign; its result in a few words."""
    runs = place(folder, problem, arm, seed)
    if (found := saved(folder, problem).get(arm, {}).get(seed) or outcome(runs)) is not None:
        return f"there already: {said(found)}"
    settings = (
        f"evaluation.instance_seed={seed}",
        budget,
        "run.workers=1",
        'search.founders="start"',  # start programs and training set alone, unless the arm says otherwise
        "search.pool=1",
        *extra,
    )
    words = [word for text in (*settings, *ARMS[arm]) for word in ("--set", text)]
    known = [path.name for path in runs.glob("*") if path.is_dir()]
    begin = ["resume", known[0]] if known else ["run", problem, "--seed", str(seed), *words]
    runs.mkdir(parents=True, exist_ok=True)
    patch = PATCHES.get(arm.rpartition("without ")[2])
    program = (
        ["-m", "gapsmith.cli"] if patch is None else ["-c", f"{patch}from gapsmith.cli import main\nmain()"]
    )
    done = subprocess.run(
        [sys.executable, *program, *begin, "--runs", str(runs), "--json"],
        capture_output=True,
        text=True,
    )
    found = outcome(runs)
    if done.returncode or found is None:
        return f"ended with {done.returncode}: {done.stderr.strip()[-300:]}"
    return f"{said(found)}, {found.evaluations} evaluations, {found.executions} executions"


def said(found: Outcome) -> str:
    """The test loss in words."""
    return "failed on test" if found.test is None else f"test loss {found.test:.3f} %"


def outcome(runs: Path) -> Outcome | None:
    """Results of the campaign in a folder; None if no campaign there has ended."""
    folders = [path for path in runs.glob("*") if (path / "archive.sqlite").is_file()]
    if not folders:
        return None
    reader = Reader.open(folders[0])
    try:
        champion = reader.record("champion")
        tested = reader.evaluation(champion, "test") if champion else None
        started = reader.evaluation(reader.record("start"), "test") if champion else None
        if tested is None or started is None or started.fitness is None:
            return None
        counts = reader.rows(
            "SELECT count(*) AS evaluations, sum(executions) AS executions FROM evaluations "
            "WHERE split = 'train' AND program NOT LIKE 'baseline/%'"
        )[0]
        return Outcome(
            None if tested.fitness is None else -100 * tested.fitness,
            -100 * started.fitness,
            counts["evaluations"],
            counts["executions"],
            list(curve(reader)),
        )
    finally:
        reader.close()


def curve(reader: Reader) -> Iterator[Step]:
    """The start program and each validated candidate that became the best in training."""
    rows = reader.rows(
        "SELECT t.executions AS executions, t.fitness AS fitness, v.fitness AS valid FROM iterations i "
        "JOIN evaluations t ON t.program = i.candidate AND t.split = 'train' "
        "LEFT JOIN evaluations v ON v.program = i.candidate AND v.split = 'valid' "
        "WHERE i.told IS NOT NULL ORDER BY i.told"
    )
    start = reader.evaluation(reader.record("start"), "valid")
    if start is not None and start.fitness is not None:
        yield Step(0, 0, -100 * start.fitness)
    best, executions = -float("inf"), 0
    for number, row in enumerate(rows, start=1):
        executions += row["executions"]
        if row["fitness"] is not None and row["valid"] is not None and row["fitness"] > best:
            best = row["fitness"]
            yield Step(number, executions, -100 * row["valid"])


def spread(values: Sequence[float], digits: int = 3) -> str:
    """The mean over seeds with its 95 % interval; alone where seeds are fewer than four or equal."""
    bounds = mean_interval(values)
    if bounds is None or max(values) - min(values) < 1e-9:
        return f"{fmean(values):.{digits}f}"
    low, high = bounds
    return f"{fmean(values):.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def collected(folder: Path, problem: str) -> dict[str, dict[int, Outcome]]:
    """Arm → seed → outcome, of what was saved and of what has ended since."""
    found = saved(folder, problem)
    for arm in ARMS:
        prefix = f"{problem}-{arm.replace(' ', '-')}-"
        for path in sorted(folder.glob(f"{prefix}*")):
            if path.name.removeprefix(prefix).isdigit() and (one := outcome(path)) is not None:
                found.setdefault(arm, {})[int(path.name.removeprefix(prefix))] = one
    return {arm: found[arm] for arm in ARMS if arm in found}


def saved(folder: Path, problem: str) -> dict[str, dict[int, Outcome]]:
    """Arm → seed → outcome, as `save` wrote them; empty without a file."""
    path = folder / f"{problem}.json"
    document = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return {
        arm: {
            int(seed): Outcome(**{**row, "curve": [Step(*step) for step in row["curve"]]})
            for seed, row in by.items()
        }
        for arm, by in document.items()
    }


def save(folder: Path, problem: str) -> Path:
    """Writes all outcomes into a file of the folder; losses with five digits."""
    document = {
        arm: {
            seed: asdict(one)
            | {"test": one.test and round(one.test, 5), "start": round(one.start, 5)}
            | {"curve": [[s.evaluations, s.executions, round(s.valid, 5)] for s in one.curve]}
            for seed, one in sorted(by.items())
        }
        for arm, by in collected(folder, problem).items()
    }
    path = folder / f"{problem}.json"
    path.write_text(json.dumps(document, separators=(",", ":")) + "\n", "utf-8")
    return path


def table(folder: Path, problem: str, base: str = "full") -> Iterator[str]:
    """Lines of a Markdown table: losses on the test split, paired by seed with those of one arm, the base.

    A failed champion has no loss: means leave its seed out, the counts of seeds take it for the worst.
    """
    arms = collected(folder, problem)
    full = arms.get(base, {})
    yield (
        f"| arm | seeds | test loss %, mean [95 %] | against {base}, mean | p | {base} better, worse (seeds) "
        "| evaluations | executions |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    starts = [one.start for one in full.values()]
    if starts:
        yield f"| start program | {len(starts)} | {spread(starts)} | | | | | |"
    for arm, by in arms.items():
        losses = [one.test for one in by.values() if one.test is not None]
        figures = spread(losses) if losses else "–"
        both = [(one.test, full[seed].test) for seed, one in by.items() if seed in full]
        pairs = [mine - its for mine, its in both if mine is not None and its is not None]
        worst = [[math.inf if loss is None else loss for loss in pair] for pair in both]
        failed = f", {len(by) - len(losses)} failed" if len(losses) < len(by) else ""
        better, worse = sum(its < mine for mine, its in worst), sum(its > mine for mine, its in worst)
        against = (
            f"{fmean(pairs):+.3f} | {sign_flip(pairs):.3f} | {better}, {worse}"
            if pairs and arm != base
            else " | | "
        )
        evaluations = fmean(one.evaluations for one in by.values())
        executions = fmean(one.executions for one in by.values())
        yield (
            f"| {arm} | {len(losses)}{failed} | {figures} | {against} "
            f"| {evaluations:.0f} | {executions:.0f} |"
        )


def parts(folder: Path, problems: Sequence[str]) -> Iterator[str]:
    """Lines of a Markdown table over several problems: test loss relative to the full engine's.

    Ratios are paired by problem and seed, and averaged as logarithms; a failed champion leaves its seed out.
    """
    yield "| arm | pairs | " + " | ".join(problems) + " | all, geometric mean [95 %] | p |"
    yield "|---" * (len(problems) + 4) + "|"
    found = {problem: collected(folder, problem) for problem in problems}
    for arm in ARMS:
        if arm == "full" or not all(arm in arms and "full" in arms for arms in found.values()):
            continue
        logs = [
            [
                math.log(one.test / its)
                for seed, one in arms[arm].items()
                if seed in arms["full"] and one.test and (its := arms["full"][seed].test)
            ]
            for arms in found.values()
        ]
        pooled = [value for by in logs for value in by]
        bounds = mean_interval(pooled)
        shown = "" if bounds is None else f" [{math.exp(bounds[0]):.2f}, {math.exp(bounds[1]):.2f}]"
        each = " | ".join(f"{math.exp(fmean(by)):.2f}" for by in logs)
        p = sign_flip(pooled)
        yield (
            f"| {arm} | {len(pooled)} | {each} | {math.exp(fmean(pooled)):.2f}{shown} "
            f"| {'< 0.001' if p < 0.001 else f'{p:.3f}'} |"
        )


def racing(folder: Path, problem: str) -> Iterator[str]:
    """How many executions the full engine needs to be where the one without racing comes to.

    Both are counted to the first validated candidate that is as good as the best one without racing.
    """
    arms = collected(folder, problem)
    full, without = arms.get("full", {}), arms.get("without racing", {})
    ratios, nothing = [], 0
    for seed in sorted(full.keys() & without.keys()):
        target = min(step.valid for step in without[seed].curve)
        needed = next(step.executions for step in without[seed].curve if step.valid <= target)
        there = [step.executions for step in full[seed].curve if step.valid <= target]
        if not needed:
            nothing += 1  # it ended with its start program: nothing to compare
        else:
            ratios.append(there[0] / needed if there else math.inf)
    shown = ", ".join("not reached" if ratio == math.inf else f"{ratio:.2f}" for ratio in sorted(ratios))
    middle = f"; median {median(ratios):.2f}" if ratios and median(ratios) < math.inf else ""
    yield (
        "Executions that racing needs to reach the best validation loss of the search without it, over those "
        f"that this search needed, by seed: {shown or 'none'}{middle}."
        + (f" Seeds on which the search without racing found nothing: {nothing}." if nothing else "")
    )


def picture(folder: Path, problem: str, target: Path) -> None:
    """Mean over seeds of the best validation loss against evaluations, one line an arm."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    for arm, by in collected(folder, problem).items():
        most = max(one.evaluations for one in by.values())
        xs = sorted({round(most * n / 200) for n in range(201)})
        means = [
            fmean(min(s.valid for s in one.curve if s.evaluations <= x) for one in by.values()) for x in xs
        ]
        axes.plot(xs, means, label=f"{arm} ({len(by)} seeds)")
    axes.set_xlabel("evaluations in training (count)")
    axes.set_ylabel("best loss on validation so far\n(percent of the reference, mean over seeds)")
    axes.set_title(f"{problem}: equal CPU time; a seed that has ended keeps its last value")
    axes.legend(fontsize=8)
    figure.savefig(target, metadata={"Date": None} if target.suffix == ".svg" else None)


def main() -> None:
    """Reads the arguments and does what they say."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("run", "table", "parts", "picture", "save"))
    parser.add_argument("problem", nargs="+", help="one; several for parts")
    parser.add_argument("--folder", type=Path, default=Path("ablation"))
    parser.add_argument("--seeds", default="1-5", help="first-last")
    parser.add_argument("--cpu", type=float, default=120.0, help="CPU seconds of executions per campaign")
    scratch = ",".join(arm for arm in ARMS if not arm.startswith(("all founders", "defaults")))
    parser.add_argument(
        "--executions", type=int, help="executions per campaign (count), in place of CPU seconds"
    )
    parser.add_argument("--arms", default=scratch, help="names, separated by commas")
    parser.add_argument("--base", default="full", choices=ARMS, help="arm that a table compares with")
    parser.add_argument("--jobs", type=int, default=2, help="campaigns at a time")
    parser.add_argument("--set", action="append", default=[], help="section.key=value for every arm")
    parser.add_argument("-o", "--output", type=Path)
    words = parser.parse_args()
    if words.what == "parts":
        print("\n".join(parts(words.folder, words.problem)))
        return
    if len(words.problem) > 1:
        parser.error(f"{words.what}: got {len(words.problem)} problems, expected one")
    (words.problem,) = words.problem
    if words.what == "table":
        print(
            "\n".join(
                [*table(words.folder, words.problem, words.base), "", *racing(words.folder, words.problem)]
            )
        )
    elif words.what == "save":
        print(save(words.folder, words.problem))
    elif words.what == "picture":
        picture(words.folder, words.problem, words.output or Path(f"ablation-{words.problem}.svg"))
    else:
        by_cpu = words.executions is None
        budget = f"budget.cpu_seconds={words.cpu}" if by_cpu else f"budget.executions={words.executions}"
        first, _, last = words.seeds.partition("-")
        work = [
            (arm, seed) for seed in range(int(first), int(last or first) + 1) for arm in words.arms.split(",")
        ]
        with ThreadPoolExecutor(words.jobs) as pool:

            def one(pair: tuple[str, int]) -> str:
                arm, seed = pair
                came = campaign(words.folder, words.problem, arm, seed, budget, words.set)
                return f"{words.problem}, {arm}, seed {seed}: {came}"

            for line in pool.map(one, work):
                print(line, flush=True)


if __name__ == "__main__":
    main()

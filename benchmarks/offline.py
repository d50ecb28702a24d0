"""What the offline proposer does alone: validity, novelty and speed of its children, and plain hill climbing.

    python benchmarks/offline.py validity smtt smtt-rule online-bin-packing
    python benchmarks/offline.py climb smtt --seeds 1-5 --evaluations 600

`climb` is no campaign: one population of the 20 best programs, parents by rank, no islands, no racing. Every
program runs in the sandbox; the best on the training instances is judged once on the test instances.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from gapsmith.app.plugins.loader import load_problem
from gapsmith.evaluators.base import EvaluationStatus, ReferenceKind
from gapsmith.evaluators.evaluator import GapEvaluator
from gapsmith.evolve.offline import Operator, change, operators_for, rates
from gapsmith.evolve.types import stream
from gapsmith.problems.base import HasPrimitives, Primitive
from gapsmith.sandbox.base import MAIN_FILE, Limits
from gapsmith.sandbox.slot import Slot, open_sandbox

POPULATION = 20
REFERENCE_SECONDS = 5.0


@dataclass
class Bench:
    """A problem with its training and test instances, and a slot to run programs in."""

    name: str
    seed: int
    train: int
    slot: Slot

    def __post_init__(self) -> None:
        loaded = load_problem(self.name)
        self.problem = loaded.problem
        splits = {
            "train": list(self.problem.instances("train", self.seed))[: self.train],
            "test": list(self.problem.instances("test", self.seed)),
        }
        assert loaded.references is not None, f"{self.name}: this benchmark needs references of its own"
        find = loaded.references.reference
        self.evaluator = GapEvaluator(
            self.problem,
            splits,
            lambda instance: find(instance, REFERENCE_SECONDS),
            limits=Limits(cpu_seconds=2.0),
            seed=self.seed,
            policy="benchmark",
        )
        kinds = Counter(r.kind for r in self.evaluator.references.values())
        self.kinds = ", ".join(f"{kind.value} {kinds[kind]}" for kind in ReferenceKind if kinds[kind])

    @property
    def primitives(self) -> tuple[Primitive, ...]:
        """What the problem declares."""
        return tuple(self.problem.primitives()) if isinstance(self.problem, HasPrimitives) else ()

    def fitness(self, text: str, split: str = "train") -> tuple[str, float | None]:
        """Status word of an evaluation, and the fitness when it is complete."""
        program = self.evaluator.program({MAIN_FILE: text})
        found = self.evaluator.evaluate(program, split, self.slot)
        if found.status is EvaluationStatus.COMPLETE:
            return "ok", found.fitness
        return found.scores[-1].status.value, None

    def ratio_of_sums(self, text: str, split: str = "test") -> tuple[float, float, float]:
        """Fitness, gap as ratio of sums (percent) and mean CPU milliseconds per instance on a split."""
        found = self.evaluator.evaluate(self.evaluator.program({MAIN_FILE: text}), split, self.slot)
        if found.status is not EvaluationStatus.COMPLETE or found.fitness is None:
            print(f"  fails on {split}: {found.scores[-1].message}")
            return float("nan"), float("nan"), float("nan")
        loss = sum((Fraction(s.excess or 0) for s in found.scores), Fraction(0))
        total = sum((Fraction(abs(s.reference)) for s in found.scores), Fraction(0))
        seconds = sum(s.cpu_seconds for s in found.scores) / len(found.scores)
        return found.fitness, float(100 * loss / total), 1000 * seconds


def children(bench: Bench, text: str, number: int) -> Iterator[tuple[str, str, float]]:
    """Operator, text and CPU milliseconds of the children of one program."""
    for count in range(number):
        begun = time.process_time()
        made = change(
            text,
            bench.problem.entry_point,
            stream(bench.seed, "child", count),
            bench.primitives,
            text,
            operators_for(bench.problem),
        )
        spent = 1000 * (time.process_time() - begun)
        if made is not None:
            yield made[0].name, made[1], spent


def validity(bench: Bench, number: int) -> None:
    """Prints how many children of each start program run, how many differ, and what they cost to make."""
    for id, text in bench.problem.start_programs().items():
        made = list(children(bench, text, number))
        bench_one = Counter(bench.fitness(child)[0] for _, child, _ in made)
        spent = sorted(ms for _, _, ms in made)
        print(
            f"{bench.name} {id}: {len(made)}/{number} made, {100 * bench_one['ok'] / number:.0f} % run, "
            f"{100 * len({child for _, child, _ in made}) / number:.0f} % distinct, "
            f"{spent[len(spent) // 2]:.1f} ms median; {dict(bench_one.most_common())}"
        )


def climb(bench: Bench, evaluations: int, operators: Sequence[Operator], show: bool) -> None:
    """Prints one run of plain hill climbing from the first start program."""
    begun = time.perf_counter()
    start = next(iter(bench.problem.start_programs().values()))
    _, value = bench.fitness(start)
    assert value is not None
    population = [(value, start)]
    seen, tally, statuses = {start}, dict[str, tuple[int, int]](), Counter[str]()
    gains: list[str] = []
    done = number = 0
    while done < evaluations:
        number += 1
        rng = stream(bench.seed, "climb", number)
        first = population[int(len(population) * rng.random() ** 2)]
        second = rng.choice(population)[1]
        made = change(
            first[1], bench.problem.entry_point, rng, bench.primitives, second, rates(operators, tally)
        )
        if made is None or made[1] in seen:
            continue
        name, child = made[0].name, made[1]
        seen.add(child)
        done += 1
        status, value = bench.fitness(child)
        statuses[status] += 1
        tries, better = tally.get(name, (0, 0))
        tally[name] = tries + 1, better + (value is not None and value > first[0])
        if value is None or any(value == other for other, _ in population):
            continue
        if value > population[0][0]:
            gains.append(f"{done}:{name}")
        population = sorted([*population, (value, child)], key=lambda one: -one[0])[:POPULATION]
    report(bench, population[0][1], start, statuses, time.perf_counter() - begun)
    if show:
        print("  gains", " ".join(gains))
        print("  operators", {name: tally[name] for name in sorted(tally)})
        print(population[0][1])


def report(bench: Bench, best: str, start: str, statuses: Counter[str], seconds: float) -> None:
    """Prints train and test figures of start program and best."""
    rows = []
    for split in ("train", "test"):
        before, after = bench.ratio_of_sums(start, split), bench.ratio_of_sums(best, split)
        rows.append(
            f"{split} fitness {before[0]:.5f} -> {after[0]:.5f}, sum gap {before[1]:.3f} -> {after[1]:.3f} % "
            f"({after[1] / before[1]:.2f}x), {before[2]:.1f} -> {after[2]:.1f} ms"
        )
    failed = sum(statuses.values()) - statuses["ok"]
    print(f"{bench.name} seed {bench.seed} ({bench.kinds}; {failed} failed, {seconds:.0f} s)", flush=True)
    for row in rows:
        print("  " + row, flush=True)


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("task", choices=("validity", "climb"))
    parser.add_argument("problems", nargs="+")
    parser.add_argument("--seeds", default="1", help="one seed or a range, such as 1-5")
    parser.add_argument("--evaluations", type=int, default=600, help="of `climb` (count)")
    parser.add_argument("--children", type=int, default=200, help="of `validity`, per start program (count)")
    parser.add_argument("--train", type=int, default=20, help="training instances (count)")
    parser.add_argument("--show", action="store_true", help="print operators and the best program")
    arguments = parser.parse_args()
    low, _, high = arguments.seeds.partition("-")
    with open_sandbox() as slot:
        for name in arguments.problems:
            for seed in range(int(low), int(high or low) + 1):
                bench = Bench(name, seed, arguments.train, slot)
                if arguments.task == "validity":
                    validity(bench, arguments.children)
                else:
                    climb(bench, arguments.evaluations, operators_for(bench.problem), arguments.show)


if __name__ == "__main__":
    main()

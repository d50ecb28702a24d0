"""Writes a finished run of any size without a sandbox, for the views' tests and benchmarks.

The first 2,000 candidates are true (instances, references, scores, archive) but made in this process from
variants of one trusted rule; further ones repeat their scores, so that 50,000 take a minute or two.

    python benchmarks/synthetic_run.py FOLDER --candidates 50000
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import random
import time
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from gapsmith import __version__
from gapsmith.app.runs.signature import SEAL, seal
from gapsmith.evaluators.base import Evaluation, EvaluationStatus, ProofKind, Reference, Score
from gapsmith.evaluators.scoring import fitness, normalised_loss, score
from gapsmith.evolve.admission import ID_CHARACTERS
from gapsmith.evolve.archive import Archive
from gapsmith.evolve.islands import Islands, IslandSettings
from gapsmith.evolve.llm.base import Call, Request
from gapsmith.evolve.measures import DEFAULT_NAMES, MeasureSpace
from gapsmith.evolve.store.store import Store, StoredCalls
from gapsmith.evolve.types import (
    AddStatus,
    Candidate,
    Completion,
    Elite,
    Origin,
    Prompt,
    Rejection,
    RejectionReason,
    unique,
)
from gapsmith.problems.base import SPLITS, Instance
from gapsmith.problems.smtt import total_tardiness
from gapsmith.sandbox.base import MAIN_FILE, Description, Execution, ExecutionStatus, Statement
from gapsmith.sandbox.sealed.text import token_digest

EVALUATOR = "synthetic"
TRUE = 2_000
"""Candidates that are really evaluated; further ones repeat their scores under a new id."""
_RULE = """\
\"\"\"A variant of the modified due date rule.\"\"\"


def schedule(processing_times, due_dates):
    remaining = list(range(len(due_dates)))
    order = []
    time = 0
{padding}    while remaining:
        chosen = min(
            remaining,
            key=lambda j: max(due_dates[j], time + {a} * processing_times[j]) + {b} * processing_times[j],
        )
        remaining.remove(chosen)
        order.append(chosen)
        time += processing_times[chosen]
    return order
"""
_FAULTY = _RULE.replace("    order = []\n", "    order = []\n    order[{a}]\n")
_REASONS = (RejectionReason.DUPLICATE, RejectionReason.SYNTAX, RejectionReason.NO_CODE)


@dataclass(frozen=True, slots=True)
class Shape:
    """What a synthetic run looks like: sizes are counts."""

    candidates: int = 30
    jobs: int = 8
    per_stratum: int = 1
    islands: int = 2
    model: bool = False
    finished: bool = True
    feasible: bool = True
    seed: int = 1


class Synthetic:
    """Builds one run in a store."""

    def __init__(self, folder: Path, shape: Shape) -> None:
        self.shape = shape
        self.store = Store(folder)
        self.problem = total_tardiness(shape.jobs, shape.per_stratum, shape.per_stratum, shape.per_stratum)
        self.rng = random.Random(shape.seed)
        self.splits = {split: list(self.problem.instances(split, 1)) for split in SPLITS}
        every = [i for split in self.splits.values() for i in split]
        self.references = {i.id: optimum(i) for i in every}
        self.store.put_instances(every, self.references)

    def build(self) -> None:
        """Writes the whole run."""
        self._record()
        start = self.candidate(0, _RULE.format(a="0.3", b="0", padding=""), (), Origin.START, "start")
        evaluation = self.evaluate(start.files[MAIN_FILE], "train")
        train = {i.id: i for i in self.splits["train"]}
        space = MeasureSpace.of(
            DEFAULT_NAMES, evaluation, train, lambda score: normalised_loss(score, train[score.instance])
        )
        self.archive = Archive(space, self.shape.islands)
        self.islands = Islands(self.archive, IslandSettings(reset_after=80), seed=self.shape.seed)
        self.store.put_start(start, evaluation, EVALUATOR)
        for island in range(self.shape.islands):
            self.archive.add(start, evaluation, island)
        self.store.set("start", start.id)
        self.store.set("starts", [start.id])
        self._baselines()
        self.store.put_evaluation(start.id, self.evaluate(start.files[MAIN_FILE], "valid"), EVALUATOR)
        self.known = {start.id}
        self.made: list[tuple[Candidate, Evaluation]] = []
        best = self.archive.best
        for number in range(1, min(self.shape.candidates, TRUE) + 1):
            self._iterate(number)
            if self.archive.best is not best and self.archive.best is not None:
                best = self.archive.best
                self._validate(best)
        for first in range(TRUE + 1, self.shape.candidates + 1, 1000):
            with self.store.transaction():
                for number in range(first, min(first + 1000, self.shape.candidates + 1)):
                    self._copy(number)
        if self.shape.finished:
            self._finish(start)
        self.store.close()

    def candidate(
        self, number: int, text: str, parents: tuple[str, ...], origin: Origin, operator: str
    ) -> Candidate:
        """A candidate with the id and description of its text."""
        id = token_digest(text, ast.parse(text))[:ID_CHARACTERS]
        island = (number - 1) % self.shape.islands if number else 0
        return Candidate(id, {MAIN_FILE: text}, parents, origin, operator, island, number, describe(text))

    def evaluate(self, text: str, split: str) -> Evaluation:
        """Runs trusted text in this process."""
        names: dict[str, Any] = {}
        exec(text, names)
        scores: list[Score] = []
        for instance in self.splits[split]:
            scores.append(self._score(names["schedule"], instance))
            if scores[-1].objective is None:
                return Evaluation(split, tuple(scores), EvaluationStatus.FAILED, None)
        value = fitness(scores, self.splits[split])
        return Evaluation(split, tuple(scores), EvaluationStatus.COMPLETE, value)

    def _score(self, function: Any, instance: Instance) -> Score:
        seconds = 0.001 + self.rng.random() / 1000
        try:
            execution = Execution(ExecutionStatus.OK, function(**instance.public), cpu_seconds=seconds)
        except Exception as error:
            words = f"{type(error).__name__}: {error}\nheuristic.py line 7 in schedule: order[0]"
            execution = Execution(ExecutionStatus.RAISED, error=words, cpu_seconds=seconds)
        return score(self.problem, instance, self.references[instance.id], execution)

    def _record(self) -> None:
        shape, problem = self.shape, self.problem
        config = {
            "campaign": {"problem": "smtt", "seed": shape.seed, "in_flight": 8},
            "archive": {
                "islands": shape.islands,
                "migration_every": 40,
                "reset_after": 80,
                "inspirations": 1,
            },
            "budget": {"iterations": shape.candidates},
            "evaluation": {"instance_seed": 1, "reference_seconds": 10.0, "champions": 10},
            "sandbox": {},
            "run": {},
            "problem": {"jobs": shape.jobs, **{f"{s}_per_stratum": shape.per_stratum for s in SPLITS}},
            "model": [{"spec": "openai/test-model"}] if shape.model else [],
        }
        named = {
            "name": problem.name,
            "version": problem.version,
            "sense": problem.sense.value,
            "unit": problem.unit,
            "origin": "built-in",
            "digest": "synthetic",
            "entry_point": problem.entry_point,
            "statement": problem.statement,
            "strata": problem.strata,
        }
        record = {
            "config": config,
            "problem": named,
            "versions": {"gapsmith": __version__, "python": "3.11.7"},
            "group": None,
            "model": ["openai/test-model" if shape.model else "offline"],
            "unsafe_without": [],
            SEAL: seal(config, named),
            "created": "2026-01-02T20:33:01",
            "champion": None,
        }
        for key, value in record.items():
            self.store.set(key, value)

    def _baselines(self) -> None:
        for name in ("edd", "mdd"):
            text = self.problem.baselines()[name]
            for split in SPLITS:
                self.store.put_evaluation(f"baseline/{name}", self.evaluate(text, split), EVALUATOR)

    def _iterate(self, number: int) -> None:
        rng, shape = self.rng, self.shape
        island = (number - 1) % shape.islands
        pool = self.archive.elites(island)  # not the loop's own selection: these runs stay as they are
        parents = tuple(e.candidate.id for e in rng.sample(pool, min(2, len(pool))))
        origin = (Origin.IMPROVE if rng.random() < 0.7 else Origin.EXPLORE) if shape.model else Origin.MUTATE
        operator = origin.value if shape.model else rng.choice(("number", "comparison", "insert"))
        outcome = self._outcome(number, parents, origin, operator)
        with self.store.transaction():
            self.store.asked(number, island, parents[:1], parents[1:], None)
            if shape.model:
                self._call(number, outcome)
            self.store.admitted(number, outcome)
            self._tell(number, island, outcome)

    def _copy(self, number: int) -> None:
        """A further candidate with the scores of an earlier one: true in shape, cheap to make."""
        told, evaluation = self.rng.choice(self.made)
        text = told.files[MAIN_FILE].replace("order = []", f"order = []  # {number}", 1)
        found = replace(
            told,
            id=hashlib.sha256(text.encode()).hexdigest()[:ID_CHARACTERS],
            files={MAIN_FILE: text},
            iteration=number,
            island=(number - 1) % self.shape.islands,
        )
        self.store.asked(number, found.island, found.parents, (), None)
        if self.shape.model:
            self._call(number, found)
        self.store.admitted(number, found)
        added = AddStatus.NOT_ADDED
        if evaluation.fitness is not None:
            added = self.archive.add(found, evaluation, found.island)
        self.store.told(number, evaluation, EVALUATOR, added)
        self._meet(number)

    def _meet(self, told: int) -> None:
        """Lets the islands meet as they do in a campaign."""
        for event in self.islands.meet(told):
            self.store.event(told, event.kind, event.data)

    def _outcome(
        self, number: int, parents: tuple[str, ...], origin: Origin, operator: str
    ) -> Candidate | Rejection:
        rng = self.rng
        if rng.random() < 0.12:
            return Rejection(rng.choice(_REASONS), "an excerpt of what was got", origin, operator)
        faulty = not self.shape.feasible or rng.random() < 0.05
        padding = "".join(f"    unused_{n} = {rng.randrange(9)}\n" for n in range(rng.randrange(12)))
        a, b = f"{rng.gauss(0.6, 0.3):.6f}", f"{rng.gauss(0, 0.4):.6f}"
        text = (_FAULTY if faulty else _RULE).format(a="0" if faulty else a, b=b, padding=padding)
        found = self.candidate(number, text, parents[:1], origin, operator)
        if found.id in self.known:
            return Rejection(RejectionReason.DUPLICATE, f"same tokens as {found.id}", origin, operator)
        self.known.add(found.id)
        return found

    def _tell(self, number: int, island: int, outcome: Candidate | Rejection) -> None:
        if isinstance(outcome, Rejection):
            self.store.told(number, None, EVALUATOR, None)
            self._meet(number)
            return
        evaluation = self.evaluate(outcome.files[MAIN_FILE], "train")
        if evaluation.fitness is not None and self.rng.random() < 0.1:
            scores = evaluation.scores[: 1 + self.rng.randrange(len(evaluation.scores) // 2)]
            evaluation = Evaluation("train", scores, EvaluationStatus.STOPPED, None)
        before = self.archive.best
        added = AddStatus.NOT_ADDED
        if evaluation.fitness is not None:
            added = self.archive.add(outcome, evaluation, island)
        self.store.told(number, evaluation, EVALUATOR, added)
        self.made.append((outcome, evaluation))
        if self.archive.best is not before and self.archive.best is not None:
            data = {"candidate": outcome.id, "fitness": self.archive.best.fitness}
            self.store.event(number, "best", data)
        self._meet(number)

    def _call(self, number: int, outcome: Candidate | Rejection) -> None:
        prompt = Prompt("You improve heuristics.", f"Task of iteration {number}: improve the rule.")
        request = Request(prompt, 1000, 60.0, number)
        calls = StoredCalls(self.store)
        call = calls.requested(Call("openai/test-model", "improve", request, 1, 2000, Decimal("0.01")))
        text = outcome.files[MAIN_FILE] if isinstance(outcome, Candidate) else "I would rather not."
        reply = Completion(f"```python\n{text}```", "test-model", 900, 300, 0.002, 1.5, "stop")
        calls.replied(call, reply)

    def _validate(self, elite: Elite) -> None:
        if self.store.read.evaluation(elite.candidate.id, "valid") is None:
            evaluation = self.evaluate(elite.candidate.files[MAIN_FILE], "valid")
            self.store.put_evaluation(elite.candidate.id, evaluation, EVALUATOR)

    def _finish(self, start: Candidate) -> None:
        top = unique(self.archive.elites())[:10]
        for elite in top:
            self._validate(elite)
        read = self.store.read
        best = read.best("valid")[0][0] if self.shape.feasible else None
        self.store.set("champion", best)
        for id in dict.fromkeys(i for i in (start.id, best) if i is not None):
            found = read.candidate(id)
            assert found is not None
            self.store.put_evaluation(id, self.evaluate(found.files[MAIN_FILE], "test"), EVALUATOR)
        self.store.set("stop_reason", "iterations")
        self.store.set("search_seconds", 12.5)


def optimum(instance: Instance) -> Reference:
    """Least total tardiness of a small instance, by dynamic programming over subsets (Held and Karp 1962)."""
    times, dates = instance.public["processing_times"], instance.public["due_dates"]
    least = {0: 0}
    for done in range(1, 1 << len(times)):
        jobs = [j for j in range(len(times)) if done >> j & 1]
        clock = sum(times[j] for j in jobs)
        least[done] = min(least[done & ~(1 << j)] + max(0, clock - dates[j]) for j in jobs)
    value = least[(1 << len(times)) - 1]
    return Reference.optimum(value, ProofKind.CONSTRUCTION, "subsets", "1", None, "computed")


def describe(text: str) -> Description:
    """Description of trusted text, made in this process."""
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))
    statements = sorted(
        (
            Statement(node.lineno, node.end_lineno or node.lineno, type(node).__name__, 0)
            for node in nodes
            if isinstance(node, ast.stmt)
        ),
        key=lambda s: (s.line, -s.end_line),
    )
    return Description(
        entry_point=True,
        token_digest=token_digest(text, tree),
        nodes=len(nodes),
        depth=10,
        descriptors={"loops": 1},
        statements=tuple(statements),
    )


def make(folder: Path, shape: Shape) -> Path:
    """Writes a run into a folder, which is made; returns the folder."""
    folder.mkdir(parents=True)
    (folder / "campaign.log").touch()
    Synthetic(folder, shape).build()
    return folder


def main() -> None:
    """Writes a run of the given size and says how long it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--candidates", type=int, default=50_000)
    parser.add_argument("--per-stratum", type=int, default=2)
    parser.add_argument("--model", action="store_true")
    given = parser.parse_args()
    begun = time.monotonic()
    make(given.folder, Shape(given.candidates, 8, given.per_stratum, 4, given.model))
    print(json.dumps({"folder": str(given.folder), "seconds": round(time.monotonic() - begun, 1)}))


if __name__ == "__main__":
    main()

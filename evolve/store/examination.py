"""What the rows of a store must say of each other."""

from __future__ import annotations

import json

from .reader import Reader

_INFINITE = (
    "SELECT 1 FROM calls WHERE 9e999 IN (abs(seconds), abs(cost_usd), abs(at))",
    "SELECT 1 FROM iterations WHERE 9e999 IN (abs(asked_at), abs(told_at))",
    "SELECT 1 FROM evaluations WHERE 9e999 IN (abs(fitness), abs(cpu_seconds), abs(at))",
    "SELECT 1 FROM executions WHERE abs(cpu_seconds) = 9e999",
    "SELECT 1 FROM instance_references WHERE abs(seconds) = 9e999",
    "SELECT 1 FROM events WHERE abs(at) = 9e999",
)


def examine(reader: Reader) -> None:
    """Reads all rows of a store and what they say of each other.

    Raises:
        StoreError: a row is no object of a run, or contradicts another row.
    """
    for row in reader.rows("SELECT key FROM run"):
        reader.record(row["key"])
    reader.references()
    reader.events()
    with reader.sound("candidates"):
        _examine_candidates(reader)
        _examine_evaluations(reader)
        for call in reader.rows("SELECT parameters FROM calls"):
            json.loads(call["parameters"])
        for query in _INFINITE:
            if reader.rows(query):
                raise ValueError(f"a number is not finite in {query.split()[3]}")


def _examine_candidates(reader: Reader) -> None:
    iterations = {}
    for id in reader.candidate_ids():
        candidate = reader.candidate(id)
        if candidate is None:
            raise KeyError(id)
        iterations[id] = candidate.iteration
        for parent in candidate.parents:
            if iterations.get(parent, candidate.iteration) >= candidate.iteration:
                raise ValueError(f"candidate {id} is no younger than its parent {parent}")
    for step in reader.iterations():
        for id in (*step.parents, *step.inspirations, *filter(None, (step.rival, step.candidate))):
            _ = iterations[id]
    for id in (reader.record("start"), reader.record("champion"), *(reader.record("starts") or ())):
        _ = None if id is None else iterations[id]
    for event in reader.events():
        for id in (event.data.get("candidate"), *event.data.get("candidates", ())):
            _ = None if id is None else iterations[id]


def _examine_evaluations(reader: Reader) -> None:
    instances = reader.instances()
    for row in reader.rows("SELECT program, split FROM evaluations"):
        split = row["split"].partition("/")[0]
        evaluation = reader.evaluation(row["program"], split)
        for score in evaluation.scores if evaluation else ():
            if instances[score.instance].split != split:
                raise ValueError(f"{score.instance} is not an instance of the split {row['split'][:20]!r}")

"""What the prompts of model campaigns held, and what the campaigns had reached after how many calls.

    python benchmarks/model_loops.py RUN [RUN …]

A row a run. Runs of earlier versions can be read too: the tables of their stores that are asked here did not
change. Pages of notes and repairs are questions as well, but hold no parent, so that only questions for
programs count where the best program is looked for.
"""

from __future__ import annotations

import argparse
import json
import math
import sqlite3
import statistics
from dataclasses import dataclass
from pathlib import Path

AFTER = (10, 20, 25, 30, 40, 50, 60)
"""Questions for programs after which the best loss is told (count)."""
BYTES_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Question:
    """One prompt for a program: when it was asked (Unix seconds), its text, and the loss of its reply."""

    asked_at: float
    text: str
    loss: float
    """In training, infinite for a reply that was stopped, failed or refused."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A complete evaluation in training: when it ended (Unix seconds), the loss, and the program's text."""

    told_at: float
    loss: float
    source: str


def squeezed(text: str) -> str:
    """A text without white space, so that indentation and line ends do not matter."""
    return "".join(text.split())


def read(run: Path) -> tuple[list[Question], list[Outcome], list[str]]:
    """Questions for programs in the order of asking, all outcomes, and the digests of all prompts."""
    store = sqlite3.connect(f"file:{run / 'archive.sqlite'}?mode=ro", uri=True)
    rows = store.execute(
        "SELECT coalesce(i.told_at, e.at), e.fitness, c.files FROM candidates c "
        "JOIN evaluations e ON e.program = c.id AND e.split = 'train' AND e.status = 'complete' "
        "LEFT JOIN iterations i ON i.candidate = c.id ORDER BY 1"
    ).fetchall()
    outcomes = [Outcome(at, -fitness, "".join(json.loads(files).values())) for at, fitness, files in rows]
    losses = dict(
        store.execute(
            "SELECT i.iteration, min(-e.fitness) FROM iterations i JOIN evaluations e "
            "ON e.program = i.candidate AND e.split = 'train' AND e.status = 'complete' GROUP BY i.iteration"
        ).fetchall()
    )
    calls = store.execute(
        "SELECT k.iteration, k.at, p.user, p.digest, k.round FROM calls k "
        "JOIN prompts p ON p.digest = k.prompt "
        "WHERE k.text IS NOT NULL ORDER BY k.at"
    ).fetchall()
    store.close()
    questions = [
        Question(at, user, losses.get(iteration, math.inf))
        for iteration, at, user, _digest, number in calls
        if number == 1
    ]
    return questions, outcomes, [digest for *_rest, digest, _number in calls]


def with_best(questions: list[Question], outcomes: list[Outcome]) -> int:
    """Questions whose text holds the program that was the best in training when they were asked (count)."""
    count = 0
    for question in questions:
        before = [outcome for outcome in outcomes if outcome.told_at < question.asked_at]
        if before:
            least = min(outcome.loss for outcome in before)
            best = [squeezed(outcome.source) for outcome in before if outcome.loss == least]
            text = squeezed(question.text)
            count += any(source in text for source in best)
    return count


def row(run: Path) -> str:
    """One line of the table."""
    questions, outcomes, digests = read(run)
    tokens = [len(question.text.encode()) / BYTES_A_TOKEN for question in questions]
    first = min(outcome.loss for outcome in outcomes if outcome.told_at <= questions[0].asked_at)
    bests = []
    for number in AFTER:
        if number <= len(questions):
            bests.append(f"{100 * min([first, *(q.loss for q in questions[:number])]):.2f}")
    numbers = ", ".join(map(str, AFTER[: len(bests)]))
    return (
        f"{run.name}: {len(digests)} questions, {len(set(digests))} distinct, {len(questions)} for programs, "
        f"{with_best(questions, outcomes)} with the best so far; tokens (bytes / {BYTES_A_TOKEN}) median "
        f"{statistics.median(tokens):.0f}, in all {sum(tokens):.0f}; best training loss of replies, "
        f"percent, at the start {100 * first:.2f}, after {numbers} questions " + ", ".join(bests)
    )


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    for run in parser.parse_args().runs:
        print(row(run))


if __name__ == "__main__":
    main()

"""What is chosen of a campaign for a prompt: groups, columns, comparisons, and the words about a failure."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from gapsmith.evaluators.base import Evaluation, EvaluationStatus, ReferenceKind, Score, ScoreStatus
from gapsmith.evolve.llm.prompt_context import EDITS_FROM_LINES, LEDGER_TOKENS, context_for, failure_of
from gapsmith.evolve.llm.prompt_scores import IDEA
from gapsmith.evolve.types import (
    Attempt,
    Candidate,
    Complement,
    Context,
    Elite,
    End,
    Failed,
    Origin,
)
from gapsmith.problems.base import Instance, Sense
from gapsmith.prompts.builder import NOTES, OPERATORS, Builder
from gapsmith.prompts.parts import Failure
from gapsmith.prompts.text import tokens
from gapsmith.sandbox.base import Description

STRATA = [f"n={n} tf={tf} law=a" for n, tf in product((100, 40), ("0.2", "0.4", "0.6", "0.8"))]
"""Eight strata of two words that differ and one that does not."""
KIND = ReferenceKind.OPTIMUM


class Problem:
    """A problem of a few words."""

    name, version, sense, unit, entry_point = "p", "1", Sense.MINIMISE, "bins", "f"
    signature, statement = "def f(x): ...", "Pack."


def elite(id: str, *losses: float, iteration: int = 1) -> Elite:
    """An elite with these gaps (ratios) on the instances, in the order of `STRATA`."""
    scores = tuple(
        Score(
            f"i{n}", ScoreStatus.OK, 10 + 10 * loss, 10, ReferenceKind.OPTIMUM, loss, 10 * loss, 0.01 * n, id
        )
        for n, loss in enumerate(losses)
    )
    fitness = -sum(losses) / len(losses)
    candidate = Candidate(
        id, {"h.py": f"# {id}\n"}, (), Origin.IMPROVE, "improve", 0, iteration, Description()
    )
    return Elite(candidate, Evaluation("train", scores, EvaluationStatus.COMPLETE, fitness), 0, (0,), (0.0,))


START = elite("start", 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.0, iteration=0)
BEST = elite("best", 0.0, 0.1, 0.0, 0.1, 0.0, 0.0, 0.0, 0.0)
OTHER = elite("other", 0.1, 0.0, 0.1, 0.1, 0.0, 0.0, 0.0, 0.0)


def context(strata: list[str] = STRATA, **changes: Any) -> Context:
    """A context with one instance in each stratum, and the best program known."""
    instances = {
        f"i{n}": Instance(f"i{n}", "train", name, {"x": n}, 1, "by hand") for n, name in enumerate(strata)
    }
    return replace(Context(Problem(), 5, instances, START, best=BEST), **changes)  # type: ignore[arg-type]


def test_a_mean_has_an_interval_and_its_number_of_instances() -> None:
    """Half of Student's interval in percent; a few instances have none."""
    source = context_for("improve", [BEST], context(), None, 150).parent
    assert source.instances == 8
    assert source.spread == pytest.approx(2.365 * 4.6291 / 8**0.5, rel=0.01)
    few = elite("few", 0.1, 0.2)
    assert context_for("improve", [few], context(start=few, best=few), None, 150).parent.spread is None


def test_a_small_change_of_a_longer_program_may_be_given_as_hunks() -> None:
    """From forty lines on, but not where another program is asked for."""
    code = "\n".join(f"x = {n}" for n in range(EDITS_FROM_LINES))
    long = replace(BEST, candidate=replace(BEST.candidate, files={"h.py": code}))
    operators = ("improve", "combine", "simplify", "explore")
    assert [context_for(operator, [long, OTHER], context(), None, 150).edits for operator in operators] == [
        True, True, True, False,
    ]  # fmt: skip
    assert not context_for("improve", [BEST], context(), None, 150).edits
    assert not context_for("improve", [long], context(), None, EDITS_FROM_LINES).edits


def test_many_strata_are_shown_by_the_values_that_they_share() -> None:
    """Values in the order of their numbers; what all share, and groups without a loss, are left out."""
    parts = context_for("improve", [BEST], context(), None, 150)
    assert parts.columns == ("this program", "start program")
    assert [(row.name, row.instances) for row in parts.strata] == [
        ("n=40", 4), ("n=100", 4), ("tf=0.2", 2), ("tf=0.4", 2), ("tf=0.6", 2), ("tf=0.8", 2), ("all", 8),
    ]  # fmt: skip
    assert parts.strata[1].gaps == (pytest.approx(5.0), pytest.approx(20.0))
    few = context_for("improve", [BEST], context([*"aabbcc", "d", "d"]), None, 150).strata
    assert [row.name for row in few] == [*"abcd", "all"]
    solved = elite("solved", *[0.1] * 6, 0.0, 0.0)
    assert (
        context_for("improve", [solved], context([*"aabbcc", "d", "d"], start=solved, best=solved), None, 150)
        .strata[-2]
        .name
        == "c"
    )


def test_the_best_program_is_shown_once() -> None:
    """Beside the parent, as the parent or as the partner; other programs are complements and inspirations."""
    complement = Complement(OTHER, tuple(STRATA))
    told = context(complements=(complement,), inspirations=(OTHER, BEST, START))
    parts = context_for("improve", [START], told, None, 150)
    assert parts.best is not None
    assert parts.best.code == "# best\n"
    assert [source.code for source in parts.others] == ["# other\n"]
    assert parts.others[0].note.startswith("better than the best program on 8 groups (n=100 tf=0.2 law=a, ")
    assert parts.columns == ("this program", "best program", "program A")
    assert context_for("improve", [BEST], told, None, 150).best is None
    assert context_for("combine", [OTHER, BEST], told, None, 150).best is None


def test_a_baseline_that_loses_as_another_program_does_has_no_column() -> None:
    """A column that repeats one says nothing."""
    other = context(baseline=("same", START.evaluation))
    assert context_for("improve", [START], other, None, 150).columns == ("this program", "best program")
    other = context(baseline=("mdd", OTHER.evaluation))
    assert context_for("improve", [START], other, None, 150).columns[-1] == "best baseline (mdd)"


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (
            BEST,
            OTHER,
            "The first program has the smaller gap on n=100 tf=0.2 law=a, n=100 tf=0.6 law=a; ",
        ),
        (
            BEST,
            START,
            "The first program is better, or as good, on every group; the second one has",
        ),
        (START, BEST, "The second program is better, or as good, on every group; the first one has another"),
        (BEST, replace(BEST, candidate=OTHER.candidate), "The two are as good as each other on every group"),
    ],
)
def test_two_programs_are_compared_by_what_they_do(first: Elite, second: Elite, words: str) -> None:
    """No program is called strong where it is not; one that is asked for something else has no partner."""
    assert context_for("combine", [first, second], context(), None, 150).gains.startswith(words)
    improved = context_for("improve", [first, second], context(), None, 150)
    assert (improved.partner, improved.gains) == (None, "")


def cases(parent: Elite, told: Context, operator: str = "improve") -> list[tuple[str, list[str]]]:
    """Name of each instance of a prompt, with the labels of the answers shown."""
    worst = context_for(operator, [parent], told, None, 150).worst
    return [(case.name, [answer.label for answer in case.answers]) for case in worst]


def test_another_principle_stands_beside_the_best_program_on_its_instances() -> None:
    """Another program of the prompt, else the start program; nothing where the prompt has no other."""
    told = context(inspirations=(OTHER,))
    assert cases(BEST, told)[0] == ("i1", ["This program", "Program A"])
    assert cases(START, context(best=START))[0] == ("i0", ["This program"])
    assert cases(START, told)[0] == ("i0", ["This program", "The best program"])


@pytest.mark.parametrize("operator", [*OPERATORS, NOTES])
def test_what_is_asked_for_stands_at_the_top(operator: str) -> None:
    """In the third line, whatever is asked for."""
    failure = Failure("slow", ran=True) if operator == "repair" else None
    user = Builder().render(operator, context_for(operator, [BEST, OTHER], context(), failure, 150))[1]
    assert user.split("\n")[2].startswith("Asked for in this prompt: ")


def test_a_failure_is_told_with_what_was_measured() -> None:
    """How far it came, how long it took before, the limit, and how long the program takes that works."""
    timeout = Score(
        "i3", ScoreStatus.TIMEOUT, None, 10, ReferenceKind.OPTIMUM, None, None, 1.02, message="slow"
    )
    evaluation = Evaluation("train", (*OTHER.evaluation.scores[:3], timeout), EvaluationStatus.FAILED, None)
    failure = failure_of(Failed(OTHER.candidate, evaluation), context(cpu_seconds=1.0), BEST)
    assert failure.sentence == "timeout on i3"
    assert failure.measured == (
        "Before it, 3 of 8 training instances had a valid answer, in 0.02 s of CPU time at the most and "
        "0.01 s in the mean. On this instance it had used 1.02 s when it was ended; the limit is 1 s. The "
        "program that works takes 0.03 s there."
    )
    parts = context_for("repair", [BEST], context(inspirations=(OTHER,)), failure, 150)
    assert (parts.others, parts.strata, parts.worst, parts.notes) == ((), (), (), "")


def test_each_complete_attempt_is_told_by_group_and_beside_its_parent() -> None:
    """Kept or not; a stopped one has its difference on the executed instances, a twin says whose it is."""
    losses = {f"i{n}": 0.1 * (n % 2) for n in range(8)}
    whole = Attempt(
        "a",
        "improve",
        "Sort.",
        0.05,
        End.BEHIND,
        losses=losses,
        difference=(0.004, 0.0021, 8),
        instances=8,
        seconds=0.0123,
    )
    stopped = Attempt(
        "s", "improve openai/x", "Swap.", None, End.STOPPED, executed=2, instances=8, losses={"i0": 0.3},
        difference=(0.25, None, 1), means=(0.3, 0.05), beyond=True,
    )  # fmt: skip
    twin = replace(whole, id="t", end=End.DUPLICATE, duplicate="best")
    failed = replace(stopped, end=End.FAILED, reason="raised: no")
    alike = replace(stopped, duplicate="best")
    told = context(attempts=(whole, replace(whole, end=End.KEPT), stopped, twin, failed, alike))
    first, kept, second, third, last, same = context_for("improve", [BEST], told, None, 150).tried
    assert same.ending == "stopped after 2 of 8 instances: same answers as this program there"
    assert first.difference == kept.difference == "+0.400 ± 0.210 points to its parent on 8 instances"
    assert first.groups == kept.groups
    assert first.groups == ""
    assert (second.operator, second.groups) == ("improve", "")
    assert second.difference == "+25.00 points to its parent on 1 instance"
    assert second.ending == (
        "stopped after 2 of 8 instances: 30.00 % there, its rival 5.00 %, in sum more than its rival "
        "loses on all 8"
    )
    assert (first.seconds, second.seconds) == ("0.0123 s of CPU time", "")
    assert third.ending == "same answers as this program on all instances"
    assert (third.difference, third.groups, last.difference, last.groups) == ("", "", "", "")


def test_an_idea_is_one_line_and_the_ledger_has_a_limit() -> None:
    """An idea ends after a sentence or a word; of a hundred lines those stand that 2,000 tokens hold."""
    attempt = Attempt("a", "improve", "One idea. " * 60, 0.05, End.FAILED, reason="raised: " + "word " * 99)
    (line,) = context_for("improve", [BEST], context(attempts=(attempt,)), None, 150).tried
    assert line.ending.endswith(" word …")
    assert 140 <= len(line.idea) <= IDEA
    lines = context_for("improve", [BEST], context(attempts=(attempt,) * 100), None, 150).tried
    user = Builder().render(
        "improve", context_for("improve", [BEST], context(attempts=(attempt,) * 100), None, 150)
    )[1]
    told = user.partition("## What was tried so far")[2].partition("## ")[0]
    assert 10 < len(lines) < 40
    assert 1_500 <= tokens(told) <= LEDGER_TOKENS + 300


def test_a_group_has_its_noise_and_the_best_of_all_programs() -> None:
    """Paired differences show the noise, from three instances on; a program that is not shown may lead."""
    strata = ["low"] * 4 + ["high"] * 2
    mine = elite("mine", 0.10, 0.20, 0.30, 0.40, 0.1, 0.1)
    best = elite("best", 0.10, 0.10, 0.10, 0.10, 0.1, 0.2)
    losses = {f"i{n}": 0.05 if n < 4 else 0.3 for n in range(6)}
    lost = Attempt("a", "improve", "Look.", 0.13, End.BEHIND, losses=losses, instances=6)
    told = context(strata, start=mine, best=best, attempts=(lost,))
    parts = context_for("improve", [mine], told, None, 150)
    rows = {row.name: row for row in parts.strata}
    assert rows["low"].best == pytest.approx(5.0)
    assert rows["low"].noise == pytest.approx(3.182 * 12.90994 / 2, rel=0.005)
    assert rows["high"].noise is None
    assert rows["high"].best == pytest.approx(10.0)
    assert parts.tried[0].groups == "none is better on low 5.00"
    user = Builder().render("improve", parts)[1]
    assert "| low | 4 | 25.00 % | 10.00 % | 5.00 % | 20.52 |" in user
    assert "| high | 2 | 10.00 % | 15.00 % | 10.00 % | – |" in user
    assert "±" not in user.partition("## What was tried so far")[0]

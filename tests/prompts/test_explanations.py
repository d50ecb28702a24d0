"""What problems say of answers: all built-in problems, hostile explanations, and what a campaign records."""

import json
from dataclasses import replace
from itertools import permutations
from types import SimpleNamespace

import pytest
from gapsmith.app.plugins.loader import list_problems, load_problem
from gapsmith.evaluators import judging
from gapsmith.evaluators.judging import EXPLAINED_CHARACTERS, Judges, NotExplained
from gapsmith.evolve.llm.prompt_scores import Explanations
from gapsmith.problems.base import DescribesCalls, Driven, Explains, Instance, Interactive, VerdictStatus
from gapsmith.problems.bin_packing.explaining import explain_arrivals
from gapsmith.problems.smtt.explaining import explain_sequence
from gapsmith.problems.smtt.verification import total_tardiness
from hypothesis import given
from hypothesis import strategies as st

BUILT_IN = sorted(row.name for row in list_problems() if row.origin == "built-in")


def answer_of(problem, instance):
    """The answer of a problem's first start program, computed in this process."""
    scope = {"__name__": "candidate"}
    exec(next(iter(problem.start_programs().values())), scope)
    entry, public = scope[problem.entry_point], dict(instance.public)
    if not isinstance(problem, Driven):
        return entry(**public)
    driver = {"__name__": "driver"}
    exec(problem.driver, driver)
    if not isinstance(problem, Interactive):
        return driver["drive"](entry, public)
    dialogue, lines = problem.dialogue(instance), [b""]
    driver["drive"](entry, public, lambda: dialogue.next(lines.pop()), lines.append)
    return dialogue.answer()


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_problem_explains_its_answers(name):
    """A few lines, the same ones each time, within the cap; driven problems also say how they call."""
    problem = load_problem(name).problem
    assert isinstance(problem, Explains)
    assert isinstance(problem, DescribesCalls) == isinstance(problem, Driven)
    for instance in problem.instances("train", 1)[:2]:
        answer = json.loads(json.dumps(answer_of(problem, instance)))
        assert problem.verify(instance, answer).status is VerdictStatus.VALID
        text = problem.explain(instance, answer)
        assert text == problem.explain(instance, answer)
        assert len(text.splitlines()) >= 2
        assert len(text) <= EXPLAINED_CHARACTERS


def test_an_online_answer_tells_nothing_of_items_to_come():
    """The explanation of a prefix is that of an instance that ends there, and lists no run of items."""
    problem = load_problem("online-bin-packing").problem
    instance = problem.instances("train", 1)[0]
    sizes, answer = list(instance.hidden["sizes"]), answer_of(problem, instance)
    assert problem.explain(instance, answer[:50]) == explain_arrivals(sizes[:50], 100, answer[:50])
    later = replace(instance, hidden={"sizes": [*sizes[:50], *reversed(sizes[50:])]})
    assert problem.explain(later, answer[:50]) == problem.explain(instance, answer[:50])
    assert ", ".join(map(str, sizes[:4])) not in problem.explain(instance, answer)


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 30), st.integers(1, 3)), min_size=2, max_size=6),
    st.randoms(use_true_random=False),
)
def test_the_best_move_of_a_job_is_that_of_brute_force(jobs, rng):
    """The gain that is told is the largest one over all jobs and positions, and none is told without one."""
    columns = ("processing_times", "due_dates", "weights")
    public = dict(zip(columns, map(list, zip(*jobs, strict=True)), strict=True))
    order = rng.choice(list(permutations(range(len(jobs)))))
    now = total_tardiness(public, order)
    moved = []
    for place, job in enumerate(order):
        rest = [*order[:place], *order[place + 1 :]]
        moved += [total_tardiness(public, [*rest[:to], job, *rest[to:]]) for to in range(len(order))]
    text = explain_sequence(public, list(order))
    if not now:
        assert "move" not in text
    elif min(moved) == now:
        assert "No job alone would make it better" in text
    else:
        assert text.endswith(f"by {now - min(moved)}.")


class Telling:
    """A problem that explains by a function."""

    name = "telling"

    def __init__(self, explain):
        self.explain = lambda instance, answer: explain(answer)


def explained(explain, answer=1):
    """What a helper process makes of an explanation."""
    instance = Instance("a", "train", "all", {"x": 1}, 1, "by hand")
    judges = Judges(Telling(explain), {"a": instance})
    try:
        return judges.explain(instance, answer)
    finally:
        judges.close()


def forever(answer):
    """Never comes to an end."""
    while True:
        sum(range(10_000))


def raised(answer):
    """Fails on an answer."""
    raise KeyError(answer)


def left(answer):
    """Ends the process that it runs in."""
    __import__("os")._exit(3)


@pytest.mark.parametrize(
    ("explain", "words"),
    [
        (raised, "explain raised KeyError"),
        (left, "explain ended its process"),
        (forever, "explain took more than 0.2 CPU seconds"),
        (lambda answer: ["a list"], "explain gave"),
    ],
)
def test_an_explanation_that_fails_is_told_as_such(explain, words, monkeypatch):
    """It ends nothing but itself, and says whose fault it was."""
    monkeypatch.setattr(judging, "EXPLAIN_SECONDS", 0.2)
    with pytest.raises(NotExplained, match=f"telling: {words}"):
        explained(explain)


def test_an_explanation_is_cut_and_cleaned():
    """Whatever a hostile answer brings into it, it is short and has no character that cannot be seen."""
    text = explained(lambda answer: answer * 5000, "a\u202e\x1b[2J")
    assert len(text) == EXPLAINED_CHARACTERS
    assert not {"\u202e", "\x1b"} & set(text)


def test_an_explanation_is_made_once_and_recorded():
    """A second prompt, a resumed run and a replay say what the first one said."""
    made, record = [], []

    def make(elite, instance):
        made.append(instance)
        return f"{elite.candidate.id} on {instance}"

    elite = SimpleNamespace(candidate=SimpleNamespace(id="x"))
    live = Explanations([], make, record.append)
    assert [live(elite, "a"), live(elite, "a"), live(elite, "b")] == ["x on a", "x on a", "x on b"]
    assert made == ["a", "b"]
    replayed = Explanations(record)
    assert [replayed(elite, "a"), replayed(elite, "b"), replayed(elite, "c")] == ["x on a", "x on b", ""]

"""What problems hand over for local search, and the phases that are made of it, on trusted texts."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from gapsmith.app.plugins.loader import BUILT_INS, load_problem
from gapsmith.evolve.offline import change
from gapsmith.evolve.offline.local_search import OPERATORS
from gapsmith.evolve.offline.neighbours import Ground
from gapsmith.problems.base import Instance, Problem, Sense

EXAMPLES = Path(__file__).parents[3] / "examples"
SPECS = [*BUILT_INS, *(str(EXAMPLES / f"{name}.py") for name in ("knapsack", "flow_shop", "routing"))]
GROUNDS = {
    Path(spec).stem: (loaded.problem, ground)
    for spec in SPECS
    if (ground := Ground.of((loaded := load_problem(spec)).problem)) is not None
}
each = pytest.mark.parametrize("name", GROUNDS)


def run(text: str) -> dict[str, Any]:
    """Names that a text defines."""
    names: dict[str, Any] = {}
    exec(compile("import random\n" + text, "text", "exec"), names)
    return names


def case(name: str) -> tuple[Problem, Ground, Instance, str, dict[str, Any]]:
    """A problem, its ground, its smallest training instance, a start program, and the names of both texts."""
    problem, ground = GROUNDS[name]
    instance = min(problem.instances("train", 3), key=lambda i: len(json.dumps(dict(i.public))))
    program = next(iter(problem.start_programs().values()))
    return problem, ground, instance, program, run(program + "\n" + ground.text)


def neighbours(ground: Ground, instance: Instance, names: dict[str, Any], answer: Any, guide: Any) -> Any:
    """The class of moves on an answer."""
    given = [instance.public[argument] for argument in ground.arguments]
    return names["Neighbours"](answer, *given, *([guide] if ground.moves.guide else []))


def term(ground: Ground) -> Callable[..., float] | None:
    """The problem's term as a function."""
    moves = ground.moves
    return eval(f"lambda {', '.join(moves.guide)}: {moves.term}") if moves.guide else None


def test_whole_forms_hand_over_moves() -> None:
    """Whole forms have moves, rules and schedulers of clusters have none."""
    rules = [name for name in BUILT_INS if name.endswith("-rule") or name.startswith("online")]
    assert not set(rules) & set(GROUNDS)
    without = {"cluster-scheduling", "cluster-churn"}
    assert set(BUILT_INS) - set(rules) - without <= {*GROUNDS}


@each
def test_moves_keep_answers_valid_and_count_their_changes(name: str) -> None:
    """After many moves the answer is valid, `objective` is what verification says, and changes add up."""
    problem, ground, instance, _, names = case(name)
    answer = names[problem.entry_point](**instance.public)
    given = [instance.public[argument] for argument in ground.arguments]
    guide = term(ground)
    moves = neighbours(ground, instance, names, answer, guide)
    stream = random.Random(5)
    before = names["objective"](answer, *given)
    total = made = 0
    for _ in range(2000):
        change, move = moves.draw(stream.random)
        if move is not None and change < 1e100 and stream.random() < 0.5:
            moves.make(move)
            total += change
            made += 1
    now = moves.answer()
    verdict = problem.verify(instance, json.loads(json.dumps(now)))
    assert made > 20
    assert verdict.objective is not None, verdict.violations
    value = names["objective"](now, *given)
    assert float(verdict.objective) == pytest.approx(value)
    again = neighbours(ground, instance, names, now, guide)
    if hasattr(moves, "terms"):
        assert sum(moves.terms) == pytest.approx(sum(again.terms))
    elif ground.moves.total == "sum":
        assert total == pytest.approx((value - before) * (-1 if problem.sense is Sense.MAXIMISE else 1))


@pytest.mark.parametrize("name", [name for name in GROUNDS if GROUNDS[name][1].moves.restarts])
def test_an_object_that_goes_on_from_another_answer_is_as_good_as_a_new_one(name: str) -> None:
    """After a restart the same draws rate the same moves as in a new object of that answer."""
    problem, ground, instance, _, names = case(name)
    first, *others = (run(text)[problem.entry_point] for text in problem.start_programs().values())
    answer = first(**instance.public)
    moves = neighbours(ground, instance, names, others[0](**instance.public), None)
    for _ in range(50):
        change, move = moves.draw(random.Random(3).random)
        if move is not None and change < 1e100:
            moves.make(move)
    moves.restart(answer)
    courses = []
    for one in (moves, neighbours(ground, instance, names, answer, None)):
        stream, course = random.Random(8), []
        for _ in range(300):
            change, move = one.draw(stream.random)
            course.append((change, move))
            if move is not None and stream.random() < 0.3:
                one.make(move)
        courses.append((course, one.answer()))
    assert courses[0] == courses[1]


@pytest.mark.parametrize("name", ["gpu-fleet-aggregate", "knapsack", "routing", "tsp"])
def test_phases_are_sound_and_no_worse(name: str) -> None:
    """A child of each operator runs, is no worse than its parent, and holds the problem's text unchanged."""
    problem, ground, instance, program, names = case(name)
    entry, stream = problem.entry_point, random.Random(2)
    given = [instance.public[argument] for argument in ground.arguments]
    sign = -1 if problem.sense is Sense.MAXIMISE else 1
    text, parent = program, names
    for operator in OPERATORS:
        made = change(text, entry, stream, donor=program, operators=[operator], ground=ground)
        assert made is not None, operator.name
        child = run(made[1])
        values = [
            sign * names["objective"](one[entry](**json.loads(json.dumps(dict(instance.public)))), *given)
            for one in (child, parent)
        ]
        assert operator.name in ("moves-drop", "moves-effort") or values[0] <= values[1]
        assert operator.name == "moves-drop" or made[1].endswith(ground.text)
        if operator.name in ("moves-descent", "moves-effort"):
            text, parent = made[1], child


def test_a_phase_follows_a_program_with_a_variable_of_the_entry_point_s_name() -> None:
    """A variable may be called as the entry point is; a call of itself keeps a program closed."""
    problem, ground, instance, _, names = case("cvrp")
    entry, descent = problem.entry_point, [one for one in OPERATORS if one.name == "moves-descent"]
    text = problem.baselines()["savings-best-shape"]
    assert f"lambda {entry}: " in text
    made = change(text, entry, random.Random(2), operators=descent, ground=ground)
    assert made is not None
    given = dict(instance.public)
    values = [names["objective"](run(one)[entry](**given), *given.values()) for one in (made[1], text)]
    assert values[0] <= values[1]
    own = f"def {entry}({', '.join(ground.arguments)}):\n    a = 1\n    return {entry}(coordinates)\n"
    assert change(own, entry, random.Random(2), operators=descent, ground=ground) is None


@pytest.mark.quick("0.1")
@pytest.mark.parametrize("effort", [1.0, 0.1])
def test_phases_make_fewer_moves_where_a_champion_must_be_quick(effort: float) -> None:
    """Moves of new phases are a share of the usual ones, at least one for each part of an instance."""
    problem, ground, *_ = case("cvrp")
    program = problem.baselines()["savings"]
    descent = [one for one in OPERATORS if one.name == "moves-descent"]
    rounds = set()
    for seed in range(40):
        stream = random.Random(seed)
        made = change(program, problem.entry_point, stream, operators=descent, ground=ground, effort=effort)
        assert made is not None
        rounds.update(int(n) for n in re.findall(r"steps = int\((\d+) \* moves.size\)", made[1]))
    assert rounds == {round(usual * effort) for usual in (30, 100, 300, 1000)}


@pytest.mark.slow
def test_other_operators_leave_the_problem_s_text_alone() -> None:
    """Children of many generations of all operators end with the same text, or do without it."""
    problem, ground, _, program, _ = case("flow_shop")
    stream = random.Random(1)
    text = program
    held = 0
    for _ in range(25):
        made = change(text, problem.entry_point, stream, donor=program, numpy=True, ground=ground)
        phased = change(text, problem.entry_point, stream, donor=program, operators=OPERATORS, ground=ground)
        text = (made or ("", text))[1] if phased is None or stream.random() < 0.5 else phased[1]
        if "Neighbours" in text:
            held += 1
            assert text.endswith(ground.text)
    assert held > 10


def test_imports_of_the_moves_go_into_the_functions_that_use_them() -> None:
    """A child runs though its parent imports nothing of that, and loses the import with the moves."""
    problem: Any = load_problem(str(EXAMPLES / "routing.py")).problem
    source = "from fractions import Fraction\nimport bisect\n\n" + problem.moves().source
    with_import = source.replace("    return total", "    return int(Fraction(total))")
    assert with_import != source
    ground = Ground.of(
        SimpleNamespace(  # type: ignore[arg-type]
            moves=lambda: replace(problem.moves(), source=with_import),
            signature=problem.signature,
            sense=problem.sense,
            primitives=list,
        )
    )
    assert ground is not None
    assert "bisect" not in ground.text
    program = next(iter(problem.start_programs().values()))

    def child(text: str, name: str) -> str:
        local = [operator for operator in OPERATORS if operator.name == name]
        made = change(text, problem.entry_point, random.Random(1), operators=local, ground=ground)
        assert made is not None
        return made[1]

    text = child(program, "moves-descent")
    assert "    from fractions import Fraction\n" in text
    instance = problem.instances("train", 3)[0]
    answer = run(text)[problem.entry_point](**instance.public)
    assert problem.verify(instance, answer).objective is not None
    assert "Fraction" not in child(text, "moves-drop")

"""The short form of a problem: what it makes, what it derives, and what it says of mistakes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from gapsmith import HasMoves, Interactive, ProblemError, ReferenceKind, check_problem
from gapsmith.app.plugins.fingerprint import used_digest
from gapsmith.app.plugins.loader import LoadedProblem, load_problem
from gapsmith.evolve.offline.neighbours import Ground
from gapsmith.problems.base import VerdictStatus

EXAMPLE = Path(__file__).parents[3] / "examples" / "watch_posts.py"
LATE = '''
"""Jobs are done one after the other; how late are they together?"""

import math
from fractions import Fraction
from functools import lru_cache

import gapsmith
from gapsmith import require

PENALTY = 3
RATES = {"low": Fraction(1, 2), "high": [1.5, math.inf]}

problem = gapsmith.problem("late-jobs", minimise="minutes", answer=gapsmith.Permutation("times"))


@problem.instances(train=4, valid=4, test=4)
def shop(rng, *, jobs: int = 8):
    times = [rng.randint(1, 9) for _ in range(jobs)]
    return {"times": times, "due": [rng.randint(1, 40) for _ in range(jobs)]}


@lru_cache(maxsize=None)
def lateness(end: int, due: "Minutes") -> int:
    """Minutes."""
    require(end < 10_000, "the day is over")
    return PENALTY * max(0, end - due)


@problem.heuristic
def in_order(due, times):
    return sorted(range(len(times)), key=lambda j: j)


@problem.heuristic
def earliest_due(due):
    """Earliest due date first."""
    return sorted(range(len(due)), key=lambda j: rank(due, j))


def rank(due, job):
    # ties by number
    return due[job], job


@problem.objective
def minutes(plan, times, due):
    """Lateness of all jobs, thrice."""
    end = total = 0
    for job in plan:
        end += times[job]
        gapsmith.require(job != 0 or end <= 40, f"job 0 ends at {end}, after minute 40")
        total += lateness(end, due[job])
    return total


@problem.reference
def none_late(times):
    return gapsmith.bound(0)
'''

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a problem's file with (old, new) replacements; each old text must be there."""

    def put(text: str, *changes: tuple[str, str]) -> Path:
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        path = tmp_path / f"problem_{len(list(tmp_path.iterdir()))}.py"
        path.write_text(text.lstrip(), "utf-8")
        return path

    return put


@pytest.fixture
def late(write: Write) -> LoadedProblem:
    """The problem of late jobs."""
    return load_problem(str(write(LATE)))


def test_the_example_is_short_and_what_it_says() -> None:
    """At most 45 lines make a problem with typed signature, statement, sets, strata and certified optima."""
    assert len(EXAMPLE.read_text("utf-8").splitlines()) <= 45
    loaded = load_problem(str(EXAMPLE), {"crossings": 12})
    problem = loaded.problem
    assert problem.signature == "def choose(crossings: int, roads: list[list[int]]) -> list[int]:"
    assert problem.statement.startswith("Roads join crossings; each road must be watched")
    assert "different whole numbers from 0 to `crossings - 1`" in problem.statement
    assert list(problem.start_programs()) == ["first-end"]
    assert [spec.name for spec in loaded.specs] == ["crossings"]
    train = loaded.instances("train", 1)
    assert [one.stratum for one in train[:3]] == ["sparse", "dense", "sparse"]
    assert loaded.instances("train", 2)[0].digest != train[0].digest
    reference = loaded.reference(train[0], 10.0)
    assert reference is not None
    assert reference.kind is ReferenceKind.OPTIMUM


@pytest.mark.slow
def test_the_example_passes_its_check() -> None:
    """Contract and attacks find nothing."""
    report = check_problem(str(EXAMPLE), seconds=4.0)
    assert report.passed, report.findings


def test_programs_are_functions_with_what_they_use(late: LoadedProblem) -> None:
    """A program has the derived header, its helpers, its comments, and runs alone."""
    programs = late.problem.baselines()
    head = "def order(times: list[int], due: list[int]) -> list[int]:"
    assert late.problem.signature == head
    assert programs["in-order"] == f"{head}\n    return sorted(range(len(times)), key=lambda j: j)\n"
    assert "# ties by number" in programs["earliest-due"]
    space: dict[str, Callable[..., list[int]]] = {}
    exec(programs["earliest-due"], space)
    assert space["order"](times=[1, 1, 1], due=[5, 2, 2]) == [1, 2, 0]


def test_form_constraints_and_objective_are_judged_in_this_order(late: LoadedProblem) -> None:
    """The kind refuses what is no permutation, `require` what is infeasible; the rest has its objective."""
    instance = next(one for one in late.instances("train", 1) if sum(one.public["times"]) > 40)
    size = len(instance.public["times"])
    verify = late.problem.verify
    wrong = verify(instance, [0] * size)
    assert (wrong.status, wrong.violations) == (
        VerdictStatus.INVALID_ANSWER,
        ("0 stands twice, expected different numbers",),
    )
    plans = [[*range(1, size), 0], [0, *range(1, size)]]
    verdicts = [verify(instance, plan) for plan in plans]
    total = sum(instance.public["times"])
    assert verdicts[0].violations == (f"job 0 ends at {total}, after minute 40",)
    assert verdicts[1].objective == _lateness(plans[1], instance.public)


def _lateness(plan: list[int], public: dict[str, list[int]]) -> int:
    ends = [sum(public["times"][j] for j in plan[: place + 1]) for place in range(len(plan))]
    return sum(3 * max(0, end - public["due"][j]) for end, j in zip(ends, plan, strict=True))


def test_local_search_has_the_objective_that_judges(late: LoadedProblem) -> None:
    """The text for the sandbox agrees on random answers, infeasible ones included, without Gapsmith."""
    assert isinstance(late.problem, HasMoves)
    ground = Ground.of(late.problem)
    assert ground is not None
    assert "gapsmith" not in ground.text
    space: dict[str, Callable[..., float]] = {}
    exec(ground.text, space)
    kind = late.problem.answer_kind  # type: ignore[attr-defined]
    seen = set()
    for instance in late.instances("train", 1):
        values = instance.public["times"], instance.public["due"]
        for number in range(40):
            import random

            answer = kind.draw(instance.public, random.Random(number))
            exact = late.problem.verify(instance, answer).objective
            assert space["objective"](answer, *values) == (float("inf") if exact is None else exact)
            seen.add(exact is None)
    assert seen == {True, False}


def test_a_broken_constraint_in_a_helper_is_infinity(write: Write) -> None:
    """`require` in a helper, in a lambda and in a list ends the objective in the sandbox as in the parent."""
    path = write(
        LATE,
        ("@lru_cache(maxsize=None)\n", ""),
        ("require(end < 10_000,", "require(end < 30,"),
        ("    end = total = 0\n", "    end = total = 0\n    check = lambda j: require(j >= 0, 'below')\n"),
        ("        end += times[job]\n", "        end += times[job]\n        check(job)\n"),
        ('        gapsmith.require(job != 0 or end <= 40, f"job 0 ends at {end}, after minute 40")\n', ""),
    )
    problem = load_problem(str(path)).problem
    ground = Ground.of(problem)
    assert ground is not None
    space: dict[str, Callable[..., float]] = {}
    exec(ground.text, space)
    assert space["objective"]([0, 1], [9, 9], [9, 9]) == 27
    assert space["objective"]([0, 1], [9, 29], [9, 9]) == float("inf")
    assert space["objective"]([-1, 1], [9, 9], [9, 9]) == float("inf")


def test_versions_follow_what_matters(write: Write) -> None:
    """Words, heuristics and comments leave the version as it is; objective, helpers, constants change it."""

    def version(*changes: tuple[str, str]) -> tuple[str, str | None]:
        loaded = load_problem(str(write(LATE, *changes)))
        return loaded.problem.version, loaded.references and loaded.references.version

    first = version()
    for same in (
        ("# ties by number", "# smallest number first"),
        ('"""Lateness of all jobs, thrice."""', '"""What is lost."""'),
        ("key=lambda j: j)", "key=lambda j: -j)"),
        ("together?", "in all?"),
    ):
        assert version(same) == first, same
    for other in (
        ("PENALTY = 3", "PENALTY = 4"),
        ("max(0, end - due)", "max(1, end - due)"),
        ("total += lateness", "total += 1 + lateness"),
        ('Permutation("times")', 'Permutation("due")'),
    ):
        changed = version(other)
        assert changed[0] != first[0], other
        assert changed[1] != first[1], other
    drawn = version(("rng.randint(1, 40)", "rng.randint(1, 41)"))
    assert drawn[0] != first[0]
    assert drawn[1] == first[1]
    bound = version(("gapsmith.bound(0)", "gapsmith.bound(-1)"))
    assert bound[0] == first[0]
    assert bound[1] != first[1]


def test_references_of_a_file_follow_its_reference_and_objective() -> None:
    """The digest under which references are stored sees functions under the problem's decorators."""
    assert used_digest(LATE) == used_digest(LATE.replace("lambda j: j)", "lambda j: -j)"))
    assert used_digest(LATE) != used_digest(LATE.replace("gapsmith.bound(0)", "gapsmith.bound(-1)"))
    assert used_digest(LATE) != used_digest(LATE.replace("total += lateness", "total += 2 * lateness"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "@problem.heuristic\ndef in_order(due, times):\n",
            "problem.heuristic(lambda due: due)\n\n\ndef x():\n",
            "heuristic <lambda>: got a lambda, expected a function",
        ),
        (
            "def minutes(plan, times, due):",
            "def minutes(plan, times, dues):",
            "objective minutes: asks for dues, expected one of times, due",
        ),
        ("@problem.objective\n", "", "problem late-jobs: has no objective"),
        ("@problem.heuristic\n", "", "problem late-jobs: has no heuristic"),
        (
            'Permutation("times")',
            'Permutation("time")',
            "'time': NameError: name 'time' is not defined; expected an expr",
        ),
        ('minimise="minutes", ', "", "problem late-jobs: got 0 units, expected one"),
        (
            'minimise="minutes", ',
            'minimise="minutes", maximise="jobs", ',
            "problem late-jobs: got 2 units, expected one",
        ),
        ('gapsmith.Permutation("times")', "gapsmith.Permutation", "expected a kind of answer or None"),
        ("gapsmith.bound(0)", "0", "reference none_late returned 0, expected a model of PuLP"),
        ("jobs: int = 8", "jobs: int", "instances shop: jobs has no default"),
        (
            "test=4)",
            'test=4, strata={"few": {"job": 3}})',
            "instances shop: stratum few sets job, expected one of jobs",
        ),
        ("train=4", "train=0", "instances train: got 0, expected a number ≥ 1"),
        ("rank(due, j))", "order_of(due, j))", "uses order_of, which earliest_due's module does not define"),
        (
            "rank(due, j))",
            "(gapsmith.require(True), j))",
            "uses gapsmith of Gapsmith, which a program cannot import",
        ),
        ("rank(due, j))", "(problem, j))", "uses problem, a ShortProblem, which no text can bring along"),
        ('"late-jobs"', '"Late jobs"', "problem: got the name 'Late jobs', expected lower case with hyphens"),
        ("return total\n", "return None\n", "objective minutes returned None, expected a number"),
        ('return {"times": times, ', 'return {1: 2, "times": times, ', "expected texts as keys"),
        ("import math\n", "import math\nsecond = None\n", ""),
    ],
)
def test_mistakes_are_named(write: Write, old: str, new: str, message: str) -> None:
    """What is wrong, where, and what is expected; never another exception."""
    path = write(LATE, (old, new))
    if not message:
        assert load_problem(str(path)).name == "late-jobs"
        return
    with pytest.raises((ProblemError, TypeError)) as caught:
        _use(path)
    assert message in str(caught.value)


@pytest.mark.parametrize("kind", ["SystemExit", "GeneratorExit"])
@pytest.mark.parametrize("line", ["times = [rng", "return gapsmith.bound(0)"])
def test_what_is_no_exception_is_named_too(write: Write, line: str, kind: str) -> None:
    """A generator or a reference that ends Python, or a generator, is blamed as for any error."""
    with pytest.raises(ProblemError, match=f"raised {kind}"):
        _use(write(LATE, (line, f"raise {kind}\n    {line}")))


def _use(path: Path) -> None:
    """Calls all that a campaign calls."""
    loaded = load_problem(str(path))
    instance = loaded.instances("train", 1)[0]
    loaded.problem.baselines()
    loaded.reference(instance, 1.0)
    loaded.problem.verify(instance, [0, *range(1, len(instance.public["times"]))])


def test_a_closure_and_a_missing_source_are_named(tmp_path: Path) -> None:
    """A function that holds a local variable, and one whose text nobody kept, are refused at once."""
    code = (
        "import gapsmith\n"
        "p = gapsmith.problem('some-task', minimise='minutes')\n"
        "def outer(limit):\n"
        "    def inner(values):\n        return limit\n"
        "    return inner\n"
        "for make in (lambda: outer(3), lambda: bare):\n"
        "    try:\n        p.heuristic(make())\n"
        "    except gapsmith.ProblemError as error:\n        print(error)\n"
    )
    head = "exec(compile('def bare(values):\\n    return 0\\n', '<gone>', 'exec'), globals())\n"
    script = tmp_path / "script.py"
    script.write_text(head + code, "utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "heuristic inner: uses limit of the function around it, which its text cannot take along",
        "heuristic bare: its source text is not there (<gone>)",
    ]


def test_two_problems_in_a_file_need_a_name(write: Write) -> None:
    """The error lists both; `plugin` names the one that is meant."""
    two = LATE + '\nother = gapsmith.problem("other-task", maximise="points")\n'
    with pytest.raises(ProblemError, match=r"holds 2 problems, problem \(late-jobs\), other \(other-task\)"):
        load_problem(str(write(two)))
    assert load_problem(str(write(two + "\nplugin = problem.plugin()\n"))).name == "late-jobs"


CHARGING = '''
"""Cars stand at a charger with a limit; who gets how much in each slot?"""

import gapsmith as gs

problem = gs.problem(
    "charger",
    minimise="cents",
    answer=gs.Values("cars", 0, "min(cars[i])", integer=True),
    scale="sum(prices)",
)


@problem.instances(train=4, valid=4, test=4)
def day(rng, *, slots: int = 6, limit: int = 9):
    cars = [[rng.randrange(slots), rng.randint(1, 9), rng.randint(1, 5)] for _ in range(5)]
    return {"prices": [rng.randint(1, 9) for _ in range(slots)], "limit": limit, "visits": sorted(cars)}


@problem.online(public=["prices", "limit"])
def charger(prices, limit, visits):
    cost = 0
    for slot, price in enumerate(prices):
        here = [car for car in visits if car[0] <= slot and car[1] > 0]
        if here:
            power = yield slot, [car[1:] for car in here]
            gs.require(sum(power) <= limit, f"{sum(power)} kW of {limit} in slot {slot}")
            for car, units in zip(here, power, strict=True):
                car[1] -= units
                cost += units * price
    return [cost, sum(car[1] for car in visits)]


@problem.objective
def bill(answer):
    """Energy and a penalty."""
    cost, lacking = answer
    return cost + 100 * lacking


@problem.heuristic
def first_come(prices, limit, slot, cars):
    power = []
    for need, most in cars:
        power.append(min(need, most, limit - sum(power)))
    return power


@problem.explain
def where(answer, prices):
    return f"{answer[1]} units are lacking, {len(prices)} slots"
'''


def test_an_online_problem_is_one_generator(write: Write) -> None:
    """The parent tells step by step, keeps the decisions, and judges them by the generator alone."""
    loaded = load_problem(str(write(CHARGING)))
    problem = loaded.problem
    assert isinstance(problem, Interactive)
    assert not isinstance(problem, HasMoves)
    assert problem.signature == (
        "def amounts(prices: list[int], limit: int, slot: int, cars: list[list[int]]) -> list[int]:"
    )
    instance = loaded.instances("train", 1)[0]
    assert set(instance.public) == {"prices", "limit"}
    assert instance.hidden is not None
    assert instance.scale == sum(instance.public["prices"])
    dialogue = problem.dialogue(instance)
    slot, cars = __import__("json").loads(dialogue.next(b""))
    assert slot == instance.hidden["visits"][0][0]
    assert cars == [visit[1:] for visit in instance.hidden["visits"] if visit[0] == slot]
    with pytest.raises(ValueError, match="expected a list of whole numbers, got None"):
        dialogue.next(b"null")
    with pytest.raises(ValueError, match="expected a decision as JSON, got b'NaN'"):
        dialogue.next(b"NaN")
    before = instance.digest, dict(instance.hidden)
    answer = _led(problem.dialogue(instance), lambda told: [0] * len(told[1]))
    verdict = problem.verify(instance, answer)
    assert verdict.objective == 100 * sum(need for _, need, _ in instance.hidden["visits"])
    assert (instance.digest, dict(instance.hidden)) == before
    lacking = sum(need for _, need, _ in instance.hidden["visits"])
    assert problem.explain(instance, answer) == f"{lacking} units are lacking, 6 slots"  # type: ignore[attr-defined]


def _led(dialogue: object, decide: Callable[[list[object]], object]) -> list[object]:
    """The record of a dialogue in which every question is answered."""
    import json

    line = dialogue.next(b"")  # type: ignore[attr-defined]
    while line is not None:
        line = dialogue.next(json.dumps(decide(json.loads(line))).encode())  # type: ignore[attr-defined]
    return dialogue.answer()  # type: ignore[attr-defined,no-any-return]


def test_decisions_are_judged_again(write: Write) -> None:
    """Too few, too many, of another form, or against a constraint: each has its sentence."""
    loaded = load_problem(str(write(CHARGING)), {"limit": 0})
    instance = loaded.instances("train", 1)[0]
    problem = loaded.problem
    answer = _led(problem.dialogue(instance), lambda told: [0] * len(told[1]))  # type: ignore[attr-defined]
    assert problem.verify(instance, answer[:-1]).violations == (
        f"expected more than {len(answer) - 1} decisions",
    )
    assert problem.verify(instance, [*answer, []]).violations == (
        f"expected {len(answer)} decisions, got {len(answer) + 1}",
    )
    assert "decision 0: expected a list of" in problem.verify(instance, [[], *answer[1:]]).violations[0]
    full = _led(problem.dialogue(instance), lambda told: [1] * len(told[1]))  # type: ignore[attr-defined]
    assert len(full) == 1  # the dialogue ends where a constraint is broken
    broken = problem.verify(instance, full)
    assert broken.status is VerdictStatus.INFEASIBLE
    assert "kW of 0 in slot" in broken.violations[0]
    assert problem.verify(instance, None).status is VerdictStatus.INVALID_ANSWER


@pytest.mark.slow
def test_a_check_of_an_online_problem_finds_nothing(write: Write) -> None:
    """The dialogue takes any line, reveals nothing ahead, and hidden parts depend on the secret."""
    report = check_problem(str(write(CHARGING)), seconds=4.0)
    assert report.passed, report.findings


DATA = '''
"""Pick the smallest value."""

import gapsmith

problem = gapsmith.problem("smallest", minimise="points", answer=gapsmith.Choice("values"))


@problem.heuristic
def first(values):
    return 0


@problem.objective
def points(answer, values):
    return values[answer]
'''


def test_fixed_data_is_divided_once(write: Write) -> None:
    """Sets are disjoint, equal instances count once, strata are divided alike, seeds change nothing."""
    path = write(
        DATA + "\nproblem.data({'a': [{'values': [n, 5]} for n in range(10)] * 2,"
        " 'b': [{'values': [n, 7]} for n in range(10)]})\n"
    )
    loaded = load_problem(str(path))
    splits = {name: loaded.instances(name, 1) for name in ("train", "valid", "test")}
    assert {name: len(every) for name, every in splits.items()} == {"train": 6, "valid": 6, "test": 8}
    digests = [one.digest for every in splits.values() for one in every]
    assert len(set(digests)) == 20
    assert [one.stratum for one in splits["train"]] == ["a", "b"] * 3
    assert [one.digest for one in loaded.instances("train", 2)] == digests[:6]
    assert loaded.specs == ()
    few = write(DATA + "\nproblem.data([{'values': [1]}, {'values': [2]}])\n")
    with pytest.raises(
        ProblemError, match="got 2 different instances, expected at least enough for 1 train, 1"
    ):
        load_problem(str(few))


def test_files_are_read_where_the_problem_lies(write: Write, tmp_path: Path) -> None:
    """JSON files by a pattern, folders as strata; a reader of the author's own; its errors name the file."""
    for name, values in {
        "x/a.json": "[3, 1]",
        "x/b.json": "[2, 1]",
        "y/c.json": "[1]",
        "y/d.json": "[9]",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f'{{"values": {values}}}')
    loaded = load_problem(str(write(DATA + "\nproblem.files('*/*.json')\n")))
    found = [one for name in ("train", "valid", "test") for one in loaded.instances(name, 1)]
    assert [(one.id, one.stratum) for one in found] == [
        ("train-a", "x"),
        ("valid-c", "y"),
        ("test-b", "x"),
    ]
    (tmp_path / "values.txt").write_text("5 4\n1 2\n3 9\n")
    reader = (
        "\n@problem.read\ndef lines(path):\n    '''Numbers, a line for each instance.'''\n"
        "    return [{'values': [int(w) for w in line.split()]} for line in path.read_text().splitlines()]\n"
        "\nproblem.files('values.txt')\n"
    )
    loaded = load_problem(str(write(DATA + reader)))
    assert loaded.instances("train", 1)[0].public == {"values": [5, 4]}
    assert loaded.problem.instance_format == "Numbers, a line for each instance."  # type: ignore[attr-defined]
    (tmp_path / "own.txt").write_text("8 x\n")
    with pytest.raises(ValueError, match=r"own.txt: invalid literal for int\(\)"):
        loaded.problem.read_instances(tmp_path / "own.txt")  # type: ignore[attr-defined]
    with pytest.raises(ProblemError, match="files none/\\*: there are none in"):
        load_problem(str(write(DATA + "\nproblem.files('none/*')\n")))


@pytest.mark.parametrize(
    "reader", ["", "\n@problem.read\ndef one(path):\n    return json.loads(path.read_text())\n"]
)
def test_a_pattern_follows_no_link_and_waits_for_no_pipe(write: Write, tmp_path: Path, reader: str) -> None:
    """A link out of the data's folder is refused, so is what is no file, for readers of any kind."""
    data = tmp_path / "data"
    data.mkdir()
    for number in range(4):
        (data / f"{number}.json").write_text(f'{{"values": [{number}]}}')
    (tmp_path / "elsewhere.json").write_text('{"values": [123]}')
    text = DATA.replace("import gapsmith", "import json\n\nimport gapsmith") + reader
    path = str(write(text + "\nproblem.files('data/*')\n"))
    (data / "link.json").symlink_to("0.json")
    assert load_problem(path).instances("test", 1)
    os.mkfifo(data / "pipe.json")
    with pytest.raises(ProblemError, match=r"pipe.json: got a folder, a pipe or a device, expected a file"):
        load_problem(path)
    (data / "pipe.json").unlink()
    (data / "link.json").unlink()
    (data / "link.json").symlink_to("../elsewhere.json")
    with pytest.raises(ProblemError, match=r"link.json: a link that leads out of .*data"):
        load_problem(path)


def test_a_reference_changes_no_instance(write: Write) -> None:
    """A function under `reference` that sorts a list sorts its own one: programs get what was drawn."""
    text = "\n@problem.reference\ndef least(values):\n    values.sort()\n"
    text += "    return gapsmith.optimum(values[0])\n"
    loaded = load_problem(
        str(write(DATA + text + "\nproblem.data([{'values': [9, k]} for k in range(9)])\n"))
    )
    instance = loaded.instances("train", 1)[0]
    before = dict(instance.public)
    assert loaded.references is not None
    assert loaded.references.reference(instance, 1.0).value == min(before["values"])
    assert instance.public == {"values": [9, before["values"][1]]}


def test_a_data_file_has_each_key_once(write: Write, tmp_path: Path) -> None:
    """Python would keep the last value in silence."""
    (tmp_path / "a.json").write_text('{"values": [1], "values": [2]}')
    with pytest.raises(ProblemError, match=r"a.json: got the key 'values' twice"):
        load_problem(str(write(DATA + "\nproblem.files('*.json')\n")))


def test_a_class_of_moves_and_a_model_with_its_answer(write: Write) -> None:
    """`neighbours` takes a class as it is; a reference's solution is read back and judged."""
    text = EXAMPLE.read_text("utf-8")
    moves = '''

@problem.neighbours
class Swap:
    """Nothing moves."""

    def __init__(self, answer, crossings, roads):
        self.size = crossings
        self.kept = list(answer)

    def draw(self, random):
        return (0, None)

    def make(self, move):
        self.kept = move

    def answer(self):
        return list(self.kept)
'''
    answer = "return model, lambda solved: [c for c in range(crossings) if solved[post[c]] > 0.5]"
    loaded = load_problem(str(write(text + moves, ("return model\n", f"{answer}\n"))), {"crossings": 12})
    assert isinstance(loaded.problem, HasMoves)
    made = loaded.problem.moves()
    assert made is not None
    assert made.by_increment
    assert "class Neighbours:" in made.source
    instance = loaded.instances("train", 1)[0]
    reference = loaded.reference(instance, 10.0)
    assert reference is not None
    assert reference.kind is ReferenceKind.OPTIMUM
    worse = load_problem(
        str(
            write(
                text, ("return model\n", f"{answer}\n"), ("post[a] + post[b] >= 1", "post[a] + post[b] >= 0")
            )
        ),
        {"crossings": 12},
    )
    with pytest.raises(ProblemError, match="nobody watches road"):
        worse.reference(instance, 10.0)

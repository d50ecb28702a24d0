"""`problems check` names what can be gamed where no reference is proven, and passes the honest twins.

`gameable/` holds honest evaluators. Each flaw below is one that public evaluators have had. A flaw is put in
by replacing lines, so the honest twin differs in nothing else.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
from gapsmith import check_problem
from gapsmith.app.check.bench import Bench, SampleCase
from gapsmith.app.check.check_process import examine
from gapsmith.app.check.contract import draw
from gapsmith.app.check.coverage import check_coverage, check_ignored
from gapsmith.app.check.execution import runs_text
from gapsmith.app.check.findings import CheckReport
from gapsmith.app.check.forms import check_items
from gapsmith.app.check.inputs import check_labels
from gapsmith.app.check.programs import check_programs, sample, say_unseen
from gapsmith.app.plugins.loader import load_problem
from gapsmith.sandbox.slot import open_sandbox

FOLDER = Path(__file__).parent / "gameable"
SECONDS = 1.0
Flaw = tuple[str, str, list[tuple[str, str]]]

RANGE = 'return Verdict.invalid("expected city numbers")'
ONCE = "if len(set(answer)) != len(cities):"
KEYS = "if not isinstance(answer, dict) or set(answer) != set(people):"
COST = "sum(costs[people[name]][task] for name, task in answer.items())"
LIMIT = 'sum(weights[item] for item in items) > instance.public["capacity"]'
DIFFERENT = "if len(set(items)) != len(items):"
COUNTED = "if type(count) is not int or count != len(items):"
ROADS = "for a, b in roads:"
TEXT = "if not isinstance(answer, str) or len(answer) > 100:"
WORDS = "numbers = [int(word) for word in words]"
STEP = "if done[job] or duration != durations[job]:"
NEED = "if sum(answer[max(0, hour - 2) : hour + 1]) < need:"
PEOPLE = "if not all(type(people) is int and 0 <= people <= 1_000_000 for people in answer):"
THREE = 'if not re.fullmatch(r"-?[0-9]{1,6} -?[0-9]{1,6} -?[0-9]{1,6}", answer):'
ENOUGH = 'enough = total >= given["need"]'
MARKS = 'if type(answer) is not list or len(answer) != given["marks"]:'
LATE_MARKS = (
    "if type(answer) is not list or any(type(m) is not int for m in answer) or len(Counter(answer)) < 2:"
)
NUMBERED = "if not all(type(mark) is int and 0 <= mark <= size for mark in answer):"
FAR = "if not all(-1e6 <= v <= 1e6 for v in point):"

FLAWS: dict[str, Flaw] = {
    "a claimed sum": (
        "knapsack",
        "believed-claim",
        [
            ('"count": len(items)}', '"count": len(items), "value": sum(values[i] for i in items)}'),
            ('{"items", "count"}:', '{"items", "count", "value"} or type(answer["value"]) is not int:'),
            ("Verdict.valid(sum(values[item] for item in items))", 'Verdict.valid(answer["value"])'),
        ],
    ),
    "a claim that no program makes": (
        "knapsack",
        "believed-claim",
        [
            ('set(answer) != {"items", "count"}', 'not {"items", "count"} <= set(answer)'),
            (
                "Verdict.valid(sum(values[item] for item in items))",
                'Verdict.valid(answer.get("worth", sum(values[item] for item in items)))',
            ),
        ],
    ),
    "a count that is believed": (
        "jobs",
        "believed-claim",
        [
            ("    return steps\n'''", '    return {"steps": steps, "length": len(steps)}\n\'\'\''),
            (
                "        if not isinstance(answer, list) or len(answer) != len(durations):",
                '        length = answer["length"] if isinstance(answer, dict) else None\n'
                '        answer = answer["steps"] if isinstance(answer, dict) else None\n'
                "        if not isinstance(answer, list) or type(length) is not int:",
            ),
            ("for step in answer:", "for step in answer[:length]:"),
        ],
    ),
    "a tour without distinctness": ("tour", "repeated-items", [(ONCE, "if False:")]),
    "items packed twice": ("knapsack", "repeated-items", [(DIFFERENT, "if False:")]),
    "tasks that nobody does": (
        "crew",
        "missing-items",
        [
            (KEYS, "if not isinstance(answer, dict) or not set(answer) <= set(people):"),
            ("if len(set(tasks)) != len(costs):", "if len(set(tasks)) != len(tasks):"),
        ],
    ),
    "text that is evaluated": (
        "formula",
        "runs-answers",
        [
            (TEXT, "if not isinstance(answer, str):"),
            (
                "        words = answer.split",
                "        answer = str(eval(answer))\n        words = answer.split",
            ),
        ],
    ),
    "text that is evaluated out of sight": (
        "formula",
        "runs-answers",
        [
            (TEXT, "if not isinstance(answer, str):"),
            (
                "        words = answer.split",
                '        answer = str(vars(__import__("builtins"))["ev" + "al"](answer))\n'
                "        words = answer.split",
            ),
        ],
    ),
    "text that is a format": (
        "formula",
        "runs-answers",
        [('f"expected integers, got {answer}"', '("expected integers, got " + answer).format(self)')],
    ),
    "half of the roads": ("cover", "partly-checked", [(ROADS, "for a, b in roads[: len(roads) // 2]:")]),
    "all hours but the last": (
        "shifts",
        "partly-checked",
        [("enumerate(needs):\n            if", "enumerate(needs[:-1]):\n            if")],
    ),
    "ranges of the first positions": (
        "shifts",
        "partly-checked",
        [
            (PEOPLE, PEOPLE.replace("in answer", "in answer[:8]")),
            ("return Verdict.valid(sum(answer))", "return Verdict.valid(sum(answer[:10]))"),
        ],
    ),
    "keys that are converted": (
        "crew",
        "key-aliases",
        [
            (KEYS, "if not isinstance(answer, dict) or {int(k) for k in answer} != set(people.values()):"),
            (COST, "sum(costs[int(name)][task] for name, task in answer.items())"),
            (
                "tasks = list(answer.values())",
                "tasks = list({int(k): t for k, t in answer.items()}.values())",
            ),
        ],
    ),
    "numbers in texts that are converted": (
        "formula",
        "key-aliases",
        [("and str(int(word)) == word", "")],
    ),
    "a percent over the capacity": (
        "knapsack",
        "tolerance",
        [(LIMIT, LIMIT.replace("instance.", "1.01 * instance."))],
    ),
    "a percent below the need": ("shifts", "tolerance", [(NEED, NEED.replace("need:", "0.99 * need:"))]),
    "a set before the ranges": (
        "tour",
        "sets-before-ranges",
        [
            (
                "        if not isinstance(answer, list) or len(answer) != len(cities):",
                "        if not isinstance(answer, list) or len(set(answer)) != len(cities):",
            )
        ],
    ),
    "a norm that overflows": ("vectors", "overflow", [(" and abs(x) <= 1e6 ", " ")]),
    "negative durations": (
        "jobs",
        "unbounded",
        [("duration != durations[job]", "duration > durations[job]")],
    ),
    "an empty answer": (
        "cover",
        "trivial-answers",
        [
            (
                "        for a, b in roads:",
                "        if not answer:\n            return Verdict.valid(0)\n        for a, b in roads:",
            )
        ],
    ),
    "a reference that follows the answers": (
        "cover",
        "references",
        [
            (
                "        return Verdict.valid(len(answer))",
                "        Cover.best = min(Cover.best, len(answer))\n"
                "        return Verdict.valid(len(answer))",
            ),
            (
                "        rest, posts = list(instance.",
                "        kind = ReferenceKind.BEST_KNOWN\n"
                "        return Reference(self.best, kind, None, None, 'x', '1', None, 'x')\n"
                "        rest, posts = list(instance.",
            ),
            ("    def sets(", "    best = 30\n\n    def sets("),
        ],
    ),
    "an instance that is used up": (
        "cover",
        "verify-pure",
        [
            (
                'return Verdict.infeasible(f"nobody watches road {a}-{b}")',
                'roads.remove([a, b])\n                return Verdict.infeasible("not watched")',
            )
        ],
    ),
    "booleans as positions": (
        "shifts",
        "boolean-aliases",
        [(PEOPLE, PEOPLE.replace("type(people) is int", "isinstance(people, int)"))],
    ),
    "fractions of people": (
        "shifts",
        "float-aliases",
        [(PEOPLE, PEOPLE.replace("type(people) is int", "type(people) in (int, float)"))],
    ),
    "an order of keys": (
        "crew",
        "key-order",
        [(COST, "sum(costs[p][task] for p, task in enumerate(answer.values()))")],
    ),
    "a report that is believed within bounds": (
        "lanes",
        "tolerance",
        [("if span != max(spans):", "if not max(times) <= span <= sum(times):")],
    ),
    "sites that are used twice": ("places", "repeated-items", [("count > 1", "count > n")]),
    "text that is evaluated under another name": (
        "fit",
        "runs-answers",
        [
            ("import re\n", "import re\nfrom builtins import eval as value_of\n"),
            ("return int(word)", "return value_of(word)"),
            (THREE, 'if len(re.split(" ", answer)) != 3:'),
        ],
    ),
    "a sample of the pairs": (
        "frequencies",
        "partly-checked",
        [('checked = given["pairs"]', 'checked = random.Random(5).sample(given["pairs"], 9)')],
    ),
    "names in any case": ("menu", "key-aliases", [("dish = label", "dish = label.strip().lower()")]),
    "two percent below the need": (
        "mixture",
        "tolerance",
        [(ENOUGH, ENOUGH + ' or math.isclose(total, given["need"], rel_tol=0.02)')],
    ),
    "a counter before the ranges": (
        "cuts",
        "sets-before-ranges",
        [(MARKS, LATE_MARKS), (NUMBERED, "if False:")],
    ),
    "distances that overflow": ("spread", "overflow", [(FAR, "if False:")]),
    "a generator that ignores its seed": ("tour", "seed-ignored", [('f"{set} {seed} {', 'f"{set} {')]),
    "a signature with another name": (
        "tour",
        "signature",
        [
            (
                'def visit(cities: list[list[int]]) -> list[int]:"',
                'def visit(towns: list[list[int]]) -> list[int]:"',
            )
        ],
    ),
}
QUICK = ("text that is evaluated out of sight",)
"""Flaws that the default suite plants; the others are planted with the slow tests."""


@pytest.mark.quick("knapsack")
@pytest.mark.parametrize("name", sorted(p.stem for p in FOLDER.glob("*.py")))
def test_an_honest_twin_passes(name: str) -> None:
    """What checks all of the work exactly has no finding, though no reference is proven."""
    report = examine(str(FOLDER / f"{name}.py"), {}, SECONDS)
    assert report.passed, report.findings


@pytest.mark.quick(*QUICK)
@pytest.mark.parametrize("flaw", FLAWS)
def test_a_flaw_is_named(flaw: str, tmp_path: Path) -> None:
    """The flaw is named with what was sent, what came back, why it can be gamed and how to mend it."""
    check, path = FLAWS[flaw][1], _planted(flaw, tmp_path)
    report = examine(str(path), {}, SECONDS)
    found = [finding for finding in report.findings if finding.check == check]
    assert found, [(finding.check, finding.sent, finding.got) for finding in report.findings]
    assert all((found[0].sent, found[0].got, found[0].why, found[0].fix))


CLASS_ALONE = {
    "a reference that follows the answers": "a reference is a function of the instance",
    "a generator that ignores its seed": "the random numbers are handed in",
    "a signature with another name": "the signature follows from the data",
}
"""Flaw → why the short form cannot have it."""


@pytest.mark.slow
@pytest.mark.parametrize("flaw", sorted({*FLAWS} - {*CLASS_ALONE}))
def test_a_flaw_is_named_in_the_short_form(flaw: str, tmp_path: Path) -> None:
    """The same flaw in the objective of the same problem in the short form has the same name."""
    path = _planted(flaw, tmp_path)
    path.write_text(short_text(path.read_text("utf-8")), "utf-8")
    report = examine(str(path), {}, SECONDS)
    found = [(finding.check, finding.sent, finding.got) for finding in report.findings]
    assert FLAWS[flaw][1] in [check for check, _, _ in found], found


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({name for name, _, _ in FLAWS.values()}))
def test_an_honest_twin_passes_in_the_short_form(name: str, tmp_path: Path) -> None:
    """The short form of what checks all of the work has no finding either."""
    path = tmp_path / f"{name}.py"
    path.write_text(short_text((FOLDER / f"{name}.py").read_text("utf-8")), "utf-8")
    report = examine(str(path), {}, SECONDS)
    assert report.passed, report.findings


class _Judges(ast.NodeTransformer):
    """Makes the body of an objective of that of `verify`."""

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        call = self.generic_visit(node).value  # type: ignore[attr-defined]
        assert isinstance(call, ast.Call)
        assert isinstance(call.func, ast.Attribute)
        if call.func.attr == "valid":
            return ast.copy_location(ast.Return(call.args[0]), node)
        refused = ast.parse("gs.require(False)", mode="eval").body
        assert isinstance(refused, ast.Call)
        refused.args.append(call.args[0])
        return ast.copy_location(ast.Expr(refused), node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        return ast.Name("given", ast.Load()) if ast.unparse(node) == "instance.public" else node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Name("given", node.ctx) if node.id == "self" else node


def short_text(text: str) -> str:
    """A class of `gameable/` in the short form: `verify` as its objective, its instances, its programs."""
    tree = ast.parse(text)
    (owner,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    verify = next(node for node in owner.body if isinstance(node, ast.FunctionDef) and node.name == "verify")
    body = "\n".join(
        ast.unparse(ast.fix_missing_locations(_Judges().visit(part))) for part in verify.body[1:]
    )
    space: dict[str, Any] = {"__name__": "of_a_class"}
    exec(text, space)
    made = space[owner.name]()
    programs = {**made.start_programs(), **made.baselines()}
    heuristics = [
        program.replace(f"def {made.entry_point}(", f"@problem.heuristic\ndef program_{place}(")
        for place, program in enumerate(programs.values())
    ]
    sets = {name: [one.public for one in made.instances(name, 1)] for name in ("train", "valid", "test")}
    needed = [ast.unparse(node) for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    needed += [ast.unparse(node) for node in tree.body if isinstance(node, ast.FunctionDef)]
    kept = "\n\n".join(line for line in needed if "gapsmith" not in line and "__future__" not in line)
    counts = ", ".join(f"{name}={len(every)}" for name, every in sets.items())
    return f"""{made.statement!r}
{kept}
import gapsmith as gs

problem = gs.problem("{made.name}", {made.sense}="{made.unit}", statement={made.statement!r})
problem.data({[one for every in sets.values() for one in every]!r}, {counts})

{"".join(heuristics)}

@problem.objective
def judged(answer, **given):
{indent(body, "    ")}
"""


TWICE = ("if len(set(answer)) != len(times):", "if False:")
SAME = ("sorted(range(len(times)), key=lambda job: -sum(times[job]))", "[0] * len(times)")


@pytest.mark.parametrize(
    ("changes", "named"), [([], False), ([TWICE], True), ([TWICE, SAME], False)], ids=str
)
def test_a_repeat_is_named_where_programs_only_order(
    tmp_path: Path, changes: list[tuple[str, str]], named: bool
) -> None:
    """An accepted repeat is named though most repeats score worse, unless a program repeats an item."""
    text = (FOLDER / "shop.py").read_text("utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    path = tmp_path / "shop.py"
    path.write_text(text, "utf-8")
    bench = _examined(str(path), check_items)
    assert [finding.check for finding in bench.report.findings] == ["repeated-items"] * named
    assert all("every number replaced by" in finding.sent for finding in bench.report.findings)


NO_LIMIT = (LIMIT, "False")
NO_RULE = ("together they weigh at most ", "together they weigh about ")
BOXES = [
    ('public = {"values"', 'public = {"boxes": [{"weight": w, "colour": 7} for w in weights], "values"'),
    ("capacity: int) ->", "capacity: int, boxes: list[dict[str, int]]) ->"),
    ('instance.public["weights"]', '[box["weight"] for box in instance.public["boxes"]]'),
]


@pytest.mark.parametrize(
    ("changes", "found", "said"),
    [
        ([], [], []),
        ([NO_LIMIT], ["capacity"], ["weights"]),
        ([NO_LIMIT, NO_RULE], [], ["weights", "capacity"]),
        (BOXES, [], ["boxes[…]['colour']", "weights"]),
    ],
    ids=["honest", "ignored limit", "limit that the statement does not name", "field of records"],
)
def test_data_on_which_no_verdict_depends_are_named(
    tmp_path: Path, changes: list[tuple[str, str]], found: list[str], said: list[str]
) -> None:
    """A limit of the statement is a finding, any other part is said to be one that verify does not check."""
    text = (FOLDER / "knapsack.py").read_text("utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    path = tmp_path / "knapsack.py"
    path.write_text(text, "utf-8")
    report = _examined(str(path), check_ignored).report
    assert [finding.check for finding in report.findings] == ["ignored-data"] * len(found)
    assert [name for name in found if f"`{name}`" not in str(report.findings)] == []
    assert [name for line in report.unseen for name in line.split("`")[1::2]] == said


def _planted(flaw: str, folder: Path) -> Path:
    """The plug-in of a flaw."""
    name, _, changes = FLAWS[flaw]
    text = (FOLDER / f"{name}.py").read_text("utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    path = folder / f"{name}.py"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.slow
def test_a_list_of_which_a_sample_is_checked_is_named(tmp_path: Path) -> None:
    """Elements here and there that matter to no answer are named; the honest twin has none."""
    flawed = _examined(str(_planted("a sample of the pairs", tmp_path)), check_coverage).report
    assert [finding.check for finding in flawed.findings] == ["partly-checked"]
    assert _examined(str(FOLDER / "frequencies.py"), check_coverage).report.findings == []


def test_text_that_runs_under_another_name_is_read(tmp_path: Path) -> None:
    """An import that gives `eval` another name hides nothing from the check."""
    problem = load_problem(str(_planted("text that is evaluated under another name", tmp_path))).problem
    assert [place.text for place in runs_text(problem)] == ["value_of(word)"]
    assert runs_text(load_problem(str(FOLDER / "fit.py")).problem) == []


def test_what_is_not_seen_is_said() -> None:
    """No reference, a best known value, and a reference that there was no time for are told apart."""
    for name, references, words in (
        ("tour", 0, "1 of 1 sample instances have no proven bound (no references)"),
        ("cover", 1, "1 of 1 sample instances have no proven bound (best known values only)"),
        ("cover", 0, "the references of 1 of 1 sample instances"),
    ):
        loaded = load_problem(str(FOLDER / f"{name}.py"))
        case = SampleCase(loaded.instances("train", 1)[0], answers={"one": ([], 1)})
        if references:
            case.reference = loaded.reference(case.instance, 1.0)
        bench = Bench(loaded, CheckReport(loaded.name), 0.0, cases=[case])
        say_unseen(bench)
        assert bench.report.unseen[0].startswith(words)
        assert "every rule of the statement" in bench.report.unseen[-1]


@pytest.mark.slow
def test_a_plugin_without_end_does_not_hold_up_the_check(tmp_path: Path) -> None:
    """A `verify` that loops for good and swallows every interruption ends with its check named."""
    endless = (
        "        if answer is True:\n"
        "            while True:\n"
        "                try:\n"
        "                    sum(range(10**6))\n"
        "                except BaseException:\n"
        "                    pass\n"
        "        cities ="
    )
    text = (FOLDER / "tour.py").read_text("utf-8").replace("        cities =", endless, 1)
    path = tmp_path / "tour.py"
    path.write_text(text, "utf-8")
    report = check_problem(str(path), seconds=SECONDS, patience=10.0)
    (finding,) = report.findings
    assert (finding.check, finding.sent) == ("check-failed", "the check: hostile answers")
    assert "no end within 10 s" in finding.got


NUMBERED = {
    "labels-matter": ("return Verdict.valid(", "return Verdict.valid(answer[0] // 9 + "),
    "labels-tell": (
        '{"cities": [[stream.randrange(1000), stream.randrange(1000)] for _ in range(12)]}',
        '{"cities": [[round(500 + 400 * math.cos(i / 2)), round(500 + 400 * math.sin(i / 2))]'
        " for i in range(12)]}",
    ),
}


@pytest.mark.parametrize("check", NUMBERED)
def test_item_numbers_must_not_matter(tmp_path: Path, check: str) -> None:
    """Neither what an answer is worth nor where the items stand may depend on how they are numbered."""
    old, new = NUMBERED[check]
    text = (FOLDER / "tour.py").read_text()
    assert old in text
    path = tmp_path / "tour.py"
    path.write_text(text.replace(old, new))
    for spec, expected in ((FOLDER / "tour.py", set()), (path, {check})):
        bench = _labelled(str(spec))
        assert {finding.check for finding in bench.report.findings} == expected
        assert not bench.report.unseen or expected


def test_a_problem_whose_items_are_not_plain_is_named() -> None:
    """The kit says where it cannot number the items of an instance otherwise."""
    bench = _labelled(str(FOLDER / "shifts.py"))
    assert bench.report.passed
    assert "item numbers" in bench.report.unseen[0]


def _labelled(spec: str) -> Bench:
    """The bench of a problem after the check of its item numbers, on answers of its programs."""
    return _examined(spec, check_labels)


def _examined(spec: str, check: Callable[[Bench], None]) -> Bench:
    """The bench of a problem after one check, on answers of its programs."""
    loaded = load_problem(spec)
    bench = Bench(loaded, CheckReport(loaded.name), 0.0)
    with open_sandbox() as slot:
        draw(bench)
        sample(bench)
        check_programs(bench, slot, 1.0)
        check(bench)
    return bench

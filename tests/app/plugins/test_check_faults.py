"""`problems check` finds planted faults by name, and finds nothing where there is nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith import check_problem
from gapsmith.app.check.bench import Bench, SampleCase
from gapsmith.app.check.findings import CheckReport
from gapsmith.app.check.parts import check_moves
from gapsmith.app.check.programs import check_references
from gapsmith.app.check.second_process import ProcessAnswers, elsewhere
from gapsmith.app.plugins.loader import load_problem

EXAMPLES = Path(__file__).parents[3] / "examples"
Planted = Callable[..., Path]
SECONDS = 1.5

LENGTH = (
    "if not isinstance(answer, list) or len(answer) != len(durations):",
    "if not isinstance(answer, list):",
)
FORM = (
    "if not isinstance(answer, list) or len(answer) != len(durations):",
    "if len(answer) != len(durations):",
)
RANGE = "if type(machine) is not int or not 0 <= machine < machines:"
FIRST = 'durations, machines = instance.public["durations"], instance.public["machines"]\n        if'
BOUND = (
    'return Reference.proven_bound(bound, ProofKind.ARITHMETIC, "load bound", self.version, None, "computed")'
)
STREAM = 'random.Random(f"{self.name} {set} {seed}")'

FAULTS: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "a missing length check": ("partial-answers", [LENGTH]),
    "no look at the type of the answer": ("verify-raises", [FORM]),
    "a stream without a seed": ("deterministic", [(STREAM, "random.Random()")]),
    "a stream keyed by hash()": ("deterministic", [(STREAM, "random.Random(hash(set) + seed)")]),
    "one stream for all splits": ("splits-disjoint", [(STREAM, "random.Random(seed)")]),
    "a hidden part that JSON changes": (
        "hidden-json",
        [("            public={", '            hidden={"due": {3: 1}},\n            public={')],
    ),
    "one id in several splits": ("instance-ids", [('id=f"{set}-{number:03}"', 'id=f"{number:03}"')]),
    "the global random state": ("global-random", [(STREAM, "(random.seed(f'{set} {seed}'), random)[1]")]),
    "the wrong sense": ("sense", [("sense = Sense.MINIMISE", "sense = Sense.MAXIMISE")]),
    "a false bound": ("reference-beaten", [("bound = max(-(-sum", "bound = 3 + max(-(-sum")]),
    "an objective for the moves that is another one": (
        "moves",
        [("    return max(loads)\n", "    return sum(loads)\n")],
    ),
    "moves with a constant beside their functions": (
        "moves",
        [
            (
                "def objective(answer, durations, machines):",
                "NONE = 0\n\n\ndef objective(answer, durations, machines):",
            ),
            ("    return max(loads)\n", "    return max(loads) + NONE\n"),
        ],
    ),
    "moves of a kind that there is not": ("moves", [('kind="assignment"', 'kind="assignments"')]),
    "booleans as numbers": (
        "boolean-aliases",
        [("type(machine) is not int", "not isinstance(machine, int)")],
    ),
    "floats as numbers": (
        "float-aliases",
        [
            (
                RANGE,
                "machine = int(machine) if type(machine) is float else machine\n            " + RANGE,
            )
        ],
    ),
    "negative positions": (
        "negative-aliases",
        [("not 0 <= machine < machines", "not -machines <= machine < machines")],
    ),
    "values out of range": (
        "range-ignored",
        [
            (RANGE, "if type(machine) is not int:"),
            (
                "loads[machine] += durations[job]\n        return Verdict",
                "inside = 0 <= machine < machines\n            "
                "loads[machine * inside] += durations[job] * inside\n"
                "        return Verdict",
            ),
        ],
    ),
    "a secret in public": (
        "hidden-in-public",
        [
            ("            scale=1,", '            hidden={"plan": [3, 1, 4, 1, 5]},\n            scale=1,'),
            (
                '"machines": self.machines,\n',
                '"machines": self.machines,\n                "hint": [1, 1, 3, 4, 5],\n',
            ),
            ("durations: list[int], machines: int)", "durations: list[int], machines: int, hint: list[int])"),
        ],
    ),
    "an instance sorted in place": (
        "verify-pure",
        [(FIRST, FIRST.replace("\n        if", "\n        durations.sort()\n        if"))],
    ),
    "a memory between calls": (
        "verify-pure",
        [
            (
                "return Verdict.valid(max(loads))",
                "self.calls = getattr(self, 'calls', 0) + 1\n        "
                "return Verdict.valid(max(loads) + self.calls)",
            )
        ],
    ),
    "a claim that is believed": (
        "beats-reference",
        [
            ("    return plan\n", '    return {"plan": plan, "makespan": max(loads)}\n'),
            (
                FIRST,
                'if isinstance(answer, dict) and type(answer.get("makespan")) is int:\n'
                '            return Verdict.valid(answer["makespan"])\n        ' + FIRST,
            ),
        ],
    ),
    "an infeasible baseline": (
        "baselines",
        [
            (
                "plan[job] = machine\n    return plan\n'''\n\nMOVES",
                "plan[job] = machine\n    return plan[1:]\n'''\n\nMOVES",
            )
        ],
    ),
    "a start program that raises": (
        "start-programs",
        [("    loads = [0] * machines\n    plan", "    raise KeyError\n    plan")],
    ),
    "a loop over what was sent": (
        "verify-slow",
        [
            (
                FIRST,
                FIRST.replace(
                    "\n        if",
                    "\n        for _ in range(answer if type(answer) is int else 0):\n"
                    "            pass\n        if",
                ),
            )
        ],
    ),
    "a huge objective": (
        "verify-result",
        [("Verdict.valid(max(loads))", "Verdict.valid(10**5000 + max(loads))")],
    ),
    "a verdict of NaN": ("verify-result", [("Verdict.valid(max(loads))", 'Verdict.valid(float("nan"))')]),
    "a reference that a baseline beats": (
        "reference-worse",
        [
            (
                BOUND,
                'return Reference(sum(durations), ReferenceKind.BEST_KNOWN, None, None, "x", "1", None, "x")',
            ),
            ("    Reference,\n", "    Reference,\n    ReferenceKind,\n"),
        ],
    ),
    "any name for a set": ("sets", [('"test": 40}[set]', '"test": 40}.get(set, 9)')]),
    "a tuple in public": (
        "public-json",
        [
            (
                '"durations": [stream.randint(1, longest) for _ in range(self.jobs)]',
                '"durations": tuple([stream.randint(1, longest) for _ in range(self.jobs)])',
            )
        ],
    ),
    "a name with blanks": ("names", [('"longest-first": LONGEST', '"Longest first": LONGEST')]),
    "a reference that raises": (
        "references",
        [
            (
                "durations = sorted(instance.public",
                "raise OverflowError\n        durations = sorted(instance.public",
            )
        ],
    ),
}
QUICK = ("the wrong sense",)
"""Faults that the default suite plants; the others are planted with the slow tests."""


def test_the_scaffold_passes(planted: Planted) -> None:
    """What `problems new` writes has no findings, and says what was measured."""
    report = check_problem(str(planted()), seconds=SECONDS)
    assert report.passed, report.findings
    assert len(report.checks) == 37
    assert report.measured["search_answers"] > 0


@pytest.mark.quick(*QUICK)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_named(planted: Planted, fault: str) -> None:
    """Each fault is found under the name of its check, with what was sent, what came back, why and a fix."""
    check, changes = FAULTS[fault]
    report = check_problem(str(planted(*changes)), seconds=SECONDS)
    assert not report.passed
    found = [finding for finding in report.findings if finding.check == check]
    assert found, [finding.check for finding in report.findings]
    assert all((found[0].sent, found[0].got, found[0].why, found[0].fix))


@pytest.mark.slow
def test_a_check_that_breaks_is_a_finding(planted: Planted) -> None:
    """What breaks inside one check is named with its line; the other checks are made and find their own."""
    sense = "sense = Sense.MINIMISE"
    later = "1 / 0 if 'loaded' in vars(self) else vars(self).update(loaded=True) or 0"
    broken = (sense, f"tolerance = property(lambda self: {later})\n    {sense}")
    path = planted(broken, FORM)
    report = check_problem(str(path), seconds=SECONDS)
    found = {finding.check: finding for finding in report.findings}
    assert {"check-failed", "verify-raises"} <= set(found)
    assert "ZeroDivisionError" in found["check-failed"].got
    assert f"{path.name}:" in found["check-failed"].got
    assert len(report.checks) == 37


@pytest.mark.slow
def test_the_files_of_the_working_folder_hide_no_module(
    planted: Planted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A good problem in `random.py` draws the same in the other process, which is started in its folder."""
    path = planted()
    named = path.rename(path.with_name("random.py"))
    monkeypatch.chdir(named.parent)
    found = elsewhere("random.py", {}, 1)
    here = load_problem("random.py").instances("train", 1)
    assert isinstance(found, ProcessAnswers), found
    assert found.digests["train"] == [instance.digest for instance in here]


def test_a_reference_that_raises_is_corrected_where_it_does(planted: Planted) -> None:
    """A mistake in `reference` is no matter of time limits: the advice is the line; else what to return."""
    line = "durations = sorted(instance.public"
    for put, got, fix in (
        ("len(3)", "TypeError", "correct the line that is named"),
        ("return 3", "got int", "return a Reference"),
    ):
        loaded = load_problem(str(planted((line, f"{put}\n        {line}"))))
        bench = Bench(
            loaded, CheckReport(loaded.name), 0.0, cases=[SampleCase(loaded.instances("train", 1)[0])]
        )
        check_references(bench, 1.0)
        (finding,) = bench.report.findings
        assert (finding.check, finding.fix[: len(fix)]) == ("references", fix)
        assert got in finding.got


@pytest.mark.slow
def test_a_wrong_sense_is_no_change_of_inputs(planted: Planted) -> None:
    """Where an honest answer beats the bound already, no program is said to gain by changing its inputs."""
    report = check_problem(str(planted(*FAULTS["the wrong sense"][1])), seconds=SECONDS)
    assert "inputs-changed" not in [finding.check for finding in report.findings]


def test_moves_show_a_limit_that_is_one_too_wide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The objective for local search refuses what verification accepts, on an answer one move away."""
    text = (EXAMPLES / "routing.py").read_text("utf-8")
    wide = text.replace("<= capacity,", "<= capacity + 1,")
    assert wide != text
    moves = load_problem(str(EXAMPLES / "routing.py")).problem.moves()  # type: ignore[attr-defined]
    found = {}
    for name, source in {"right": text, "wrong": wide}.items():
        path = tmp_path / f"{name}.py"
        path.write_text(source, "utf-8")
        loaded = load_problem(str(path))
        monkeypatch.setattr(type(loaded.problem), "moves", lambda self: moves)
        cases = []
        for instance in loaded.instances("train", 1)[:4]:
            program: dict[str, Any] = {}
            exec(next(iter(loaded.problem.start_programs().values())), program)
            answer = program[loaded.problem.entry_point](**instance.public)
            objective = loaded.problem.verify(instance, answer).objective
            assert objective is not None
            cases.append(SampleCase(instance, answers={"start": (answer, objective)}))
        bench = Bench(loaded, CheckReport(loaded.name), 0.0, cases=cases)
        check_moves(bench, loaded.problem)  # type: ignore[arg-type]
        found[name] = [finding.got for finding in bench.report.findings]
    assert found["right"] == []
    assert found["wrong"][0].startswith("inf after a random move from the answer of start to ")

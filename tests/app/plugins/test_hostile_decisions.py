"""What a candidate sends to a careless plug-in's dialogue costs the candidate its score, and nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from gapsmith.app.check.bench import Bench, SampleCase
from gapsmith.app.check.findings import CheckReport
from gapsmith.app.check.inputs import check_dialogue
from gapsmith.app.check.parts import check_parts
from gapsmith.app.plugins.loader import LoadedProblem, load_problem
from gapsmith.evaluators.base import ScoreStatus
from gapsmith.evaluators.evaluator import GapEvaluator
from gapsmith.sandbox.base import MAIN_FILE, Limits
from gapsmith.sandbox.slot import Slot, open_sandbox

EXAMPLE = Path(__file__).parent / "gameable" / "machines.py"
CAREFUL = "if not (line.isdigit() and len(line) < 6 and int(line) < self._machines):"
SENT = "if type(machine) is not int or not 0 <= machine < len(loads):\n            send(repr(machine)"
CARELESS = {
    "a record with NaN": ("float(line)", "NaN", "dialogue gave [nan] as answer, expected int, finite float"),
    "an index of its own": ("[0, 1, 2, 3][int(line)]", "9", "dialogue raised IndexError: list index out of"),
}


@pytest.fixture(scope="module")
def slot() -> Iterator[Slot]:
    """One warm slot."""
    with open_sandbox() as opened:
        yield opened


def changed(folder: Path, *changes: tuple[str, str]) -> LoadedProblem:
    """The example with some texts replaced, each of which it has."""
    text = EXAMPLE.read_text("utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    path = folder / "changed.py"
    path.write_text(text, "utf-8")
    return load_problem(str(path))


def bench_of(loaded: LoadedProblem) -> Bench:
    """What checks report to, with one training instance."""
    return Bench(loaded, CheckReport(loaded.name), 0.0, cases=[SampleCase(loaded.instances("train", 1)[0])])


def careless(folder: Path, decision: str) -> LoadedProblem:
    """The example with a dialogue that ends at the first decision, which it takes as it comes."""
    return changed(
        folder,
        (CAREFUL, "if False:"),
        ("self._plan.append(int(line))", f"self._plan.append({decision})\n            return None"),
        (SENT, "if True:\n            send(str(machine)"),
    )


@pytest.mark.parametrize(
    ("seed", "found"), [('f"{self.name} {set} {seed}"', ["keyed"]), ('f"{self.name} {set}"', [])]
)
def test_what_is_revealed_step_by_step_is_drawn_with_a_secret(
    tmp_path: Path, slot: Slot, seed: str, found: list[str]
) -> None:
    """An interactive problem whose seed alone decides the hidden parts is named; fixed sequences are not."""
    unkeyed = ("def keyed(", "def _keyed("), ('f"{self.name} {set} {seed}{self._secret}"', seed)
    bench = bench_of(changed(tmp_path, *unkeyed))
    check_parts(bench, slot)
    assert [finding.check for finding in bench.report.findings] == found


@pytest.mark.parametrize("fault", CARELESS)
def test_a_hostile_decision_is_an_invalid_answer(tmp_path: Path, slot: Slot, fault: str) -> None:
    """Whatever a dialogue makes of a line, or raises on it, the execution ends with a status."""
    decision, sent, words = CARELESS[fault]
    loaded = careless(tmp_path, decision)
    instances = loaded.instances("train", 1)[:1]
    evaluator = GapEvaluator(
        loaded.problem,
        {"train": instances},
        lambda instance: loaded.reference(instance, 1.0),  # type: ignore[arg-type,return-value]
        limits=Limits(),
        seed=1,
        policy="test",
    )
    program = evaluator.program({MAIN_FILE: f"def choose(duration, loads): return {sent!r}"})
    (score,) = evaluator.evaluate(program, "train", slot).scores
    assert score.status is ScoreStatus.INVALID_ANSWER
    assert words in (score.message or "")


@pytest.mark.parametrize(
    ("fault", "check"), list(zip(CARELESS, ("dialogue-answer", "dialogue-raises"), strict=True))
)
def test_the_check_names_a_careless_dialogue(tmp_path: Path, fault: str, check: str) -> None:
    """`problems check` says what a candidate could send, before one does."""
    bench = bench_of(careless(tmp_path, CARELESS[fault][0]))
    check_dialogue(bench)
    assert check in [finding.check for finding in bench.report.findings]


def test_the_check_asks_for_no_answer_before_the_end(tmp_path: Path) -> None:
    """A run asks a dialogue for its answer once it has ended: one that has none before is no fault."""
    late = (
        (CAREFUL, 'if line not in (b"0", b"0.5"):'),
        ("self._plan.append(int(line))", "self._plan.append(float(line))"),
        ("return list(self._plan)", "return {len(self._durations): list(self._plan)}[len(self._plan)]"),
    )
    bench = bench_of(changed(tmp_path, *late))
    check_dialogue(bench)
    assert bench.report.findings == []


def test_the_check_names_what_is_revealed_after_the_first_decision(tmp_path: Path) -> None:
    """A dialogue that begins with one item and then tells of all others lets a candidate look ahead."""
    line = 'return b"%d" % self._durations[len(self._plan)]'
    told = (
        'return b" ".join(b"%d" % d for d in self._durations[len(self._plan) :][: 99 if self._plan else 1])'
    )
    for sent, expected in ((line, []), (told, ["reveals-ahead"])):
        bench = bench_of(changed(tmp_path, (line, sent)))
        check_dialogue(bench)
        assert [finding.check for finding in bench.report.findings] == expected

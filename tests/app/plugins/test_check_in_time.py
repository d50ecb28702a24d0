"""A check that has a time limit names what it leaves out; references that campaigns stored are taken."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from gapsmith.app.check.bench import Bench, SampleCase, attempt
from gapsmith.app.check.check_process import _guarded, examine
from gapsmith.app.check.check_record import look_up
from gapsmith.app.check.findings import CheckReport
from gapsmith.app.check.programs import check_references
from gapsmith.app.errors import CHECK_FAILED
from gapsmith.app.plugins.loader import load_problem
from gapsmith.app.setup.references import compute
from gapsmith.cli import app
from typer.testing import CliRunner

Planted = Callable[..., Path]
REFERENCE = "def reference(self, instance: Instance, seconds: float) -> Reference:"
BOUND = (
    'return Reference.proven_bound(bound, ProofKind.ARITHMETIC, "load bound", self.version, None, "computed")'
)


def waiting(seconds: float) -> tuple[str, str]:
    """The change by which a reference waits first."""
    return REFERENCE, f"{REFERENCE}\n        __import__('time').sleep({seconds})"


@pytest.mark.slow
def test_what_a_limit_leaves_out_is_named(planted: Planted) -> None:
    """A reference without end is no finding then; the file does not count as checked, nor as passed."""
    path = str(planted(waiting(600)))
    done = CliRunner().invoke(app, ["problems", "check", path, "--seconds", "2"])
    assert done.exit_code == CHECK_FAILED, done.output
    assert ": not passed yet: made " in done.stdout
    assert "\nno time for " in done.stdout
    assert look_up(load_problem(path)) is None


def test_checks_that_would_begin_too_late_are_left_out(planted: Planted) -> None:
    """What a pass is worth is said all the same."""
    told: list[tuple[str, object]] = []
    report = examine(str(planted()), {}, 1.0, lambda kind, value: told.append((kind, value)), limit=0.0)
    assert report.checks == ["what is not seen"]
    assert report.unseen
    assert [len(names) for kind, names in told if kind == "checks" and isinstance(names, list)] == [37]


def test_stored_references_are_taken(planted: Planted, tmp_path: Path) -> None:
    """The first is computed all the same; the others are those of the cache."""
    calls = tmp_path / "calls"
    path = planted((REFERENCE, f"{REFERENCE}\n        open({str(calls)!r}, 'a').write('x')"))
    bench = benched(path)
    compute(bench.loaded, [case.instance for case in bench.cases], 10.0)
    before = len(calls.read_text())
    check_references(bench, 0.0)
    assert len(calls.read_text()) == before + 1
    assert all(case.reference is not None for case in bench.cases)
    assert bench.report.passed


def test_a_stored_reference_that_is_contradicted_is_named(planted: Planted, tmp_path: Path) -> None:
    """A bound by arithmetic that comes out differently now is no reference."""
    calls = tmp_path / "calls"
    later = (
        f"bound += len(open({str(calls)!r}).read()) if __import__('os').path.exists({str(calls)!r}) else 0"
    )
    bench = benched(planted((BOUND, f"{later}\n        {BOUND}")))
    compute(bench.loaded, [case.instance for case in bench.cases], 10.0)
    calls.write_text("x")
    check_references(bench, 0.0)
    assert [finding.check for finding in bench.report.findings] == ["references"]


@pytest.mark.parametrize("kind", [KeyboardInterrupt, GeneratorExit, SystemExit])
def test_checks_go_on_whatever_a_plug_in_raises(planted: Planted, kind: type[BaseException]) -> None:
    """A verdict and a check that end by what is no `Exception` are findings like any other."""
    head = "def verify(self, instance: Instance, answer: Json) -> Verdict:"
    bench = benched(planted((head, f"{head}\n        raise {kind.__name__}")))
    assert bench.judge(bench.cases[0].instance, [], "an answer") is None

    def check() -> None:
        raise kind

    _guarded(bench, "names", check)
    assert [(one.check, kind.__name__ in one.got) for one in bench.report.findings] == [
        ("verify-raises", True),
        ("check-failed", True),
    ]


def benched(path: Path) -> Bench:
    """The bench of a problem with five training instances."""
    loaded = load_problem(str(path))
    bench = Bench(loaded, CheckReport(loaded.name), 0.0)
    bench.cases = [SampleCase(instance) for instance in loaded.instances("train", 1)[:5]]
    return bench


def test_a_persons_interruption_is_no_fault_of_a_plug_in() -> None:
    """Where optional parts are tried in the command's own process, Ctrl-C ends the command."""

    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attempt(interrupted)
    assert isinstance(attempt(lambda: sys.exit(3))[1], SystemExit)

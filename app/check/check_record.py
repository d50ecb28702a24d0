"""Whether a plug-in's file was checked since it changed; if not, a quick check of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ...evaluators.cache import Cache
from ..plugins.loader import LoadedProblem
from . import check_problem
from .findings import CheckReport, in_order

QUICK_SECONDS = 4.0
_PATIENCE_SECONDS = 20.0
_KIND = "checked"


@dataclass(frozen=True, slots=True)
class CheckRecord:
    """What is known of a plug-in's file as it is now.

    Attributes:
        whole: whether `problems check` made all checks; a quick check makes a part of them.
        report: of the last check.
        fresh: whether this check was made just now.
    """

    whole: bool
    report: CheckReport
    fresh: bool = False


def remember(loaded: LoadedProblem, report: CheckReport, *, whole: bool = True) -> None:
    """Keeps the result of a check until the problem's source or parameters change."""
    Cache().put(_KIND, loaded.fingerprint, {"whole": whole, "report": report.document()})


def look_up(loaded: LoadedProblem) -> CheckRecord | None:
    """The result of the last check of a problem as it is now; None if there was none."""
    row = Cache().get(_KIND, loaded.fingerprint)
    try:
        return None if row is None else CheckRecord(row["whole"], CheckReport.of(row["report"]))
    except (KeyError, TypeError):  # another version of Gapsmith wrote it
        return None


def checked(
    loaded: LoadedProblem,
    spec: str,
    parameters: Mapping[str, Any],
    notify: Callable[[str], None] = lambda name: None,
) -> CheckRecord:
    """The last check of a problem as it is now, or a quick check.

    Args:
        loaded: the problem.
        spec, parameters: that it was loaded by.
        notify: called with the name of each check as it starts.

    Raises:
        SandboxError: its programs cannot be run safely here.
    """
    earlier = look_up(loaded)
    if earlier is not None:
        return earlier
    report = check_problem(
        spec, parameters, seconds=QUICK_SECONDS, patience=_PATIENCE_SECONDS, notify=notify, quick=True
    )
    remember(loaded, report, whole=False)
    return CheckRecord(False, report, fresh=True)


def sentences(spec: str, result: CheckRecord, options: str = "") -> list[str]:
    """What `run` says of a check; nothing if the file passed all checks since it changed.

    Args:
        spec: the problem, for a shell.
        result: of the check.
        options: the caller's parameters of the problem, for a shell, with a space before each.
    """
    findings = in_order(result.report.findings)
    again = f"`gapsmith problems check {spec}{options}`"
    lines = [f"{spec}: {finding.check}: {finding.got}; {finding.fix}" for finding in findings]
    if result.whole:
        return reminder(spec, result, options)
    before = f"{spec}: not checked since it changed"
    if not result.fresh:
        before = f"{spec}: only quickly checked since it changed"
    if not findings:
        return [f"{before}; a quick check found nothing, {again} makes all checks"]
    return [f"{before}; a quick check found the following, {again} says more", *lines]


def reminder(spec: str, result: CheckRecord, options: str = "") -> list[str]:
    """The line that `run` repeats below its results: the first finding by name; nothing without findings."""
    findings = in_order(result.report.findings)
    if not findings:
        return []
    check = "check" if result.whole else "quick check"
    again = f"`gapsmith problems check {spec}{options}`"
    return [f"{spec}: did not pass its {check} ({findings[0].check}); {again} says why"]

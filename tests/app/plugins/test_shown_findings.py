"""Which findings a person reads, in which order."""

from __future__ import annotations

import pytest
from gapsmith.app.check.check_record import CheckRecord, reminder, sentences
from gapsmith.app.check.findings import CheckReport, Finding, FindingGroup, in_order, shown
from gapsmith.app.commands.problems import _print_report


def finding(check: str, sent: str = "an answer", got: str = "accepted") -> Finding:
    """A finding of which only these parts matter."""
    return Finding(check, sent, got, "a reason", "a change")


def test_a_believed_claim_stands_before_the_bound_that_it_beats() -> None:
    """Only if both are there; the others keep their order."""
    claim, beaten, other = finding("believed-claim"), finding("beats-reference"), finding("tolerance")
    assert in_order([other, beaten, claim]) == [claim, other, beaten]
    assert in_order([other, claim]) == [other, claim]


def test_findings_that_only_name_another_split_are_shown_once() -> None:
    """All splits are named; another value or two splits in one finding stay apart."""
    same = [
        finding("deterministic", f"instances('{split}', 1) twice") for split in ("train", "valid", "test")
    ]
    ids = [finding("public-json", f"{split}_003.public") for split in ("train", "test")]
    apart = [
        finding("instance-ids", "instances('test', 1)", "id a in train and test"),
        finding("public-json", "train_003.public", "key 7"),
    ]
    assert shown([*same, *ids, *apart]) == [
        FindingGroup(same[0], ("train", "valid", "test")),
        FindingGroup(ids[0], ("train", "test")),
        FindingGroup(apart[0], ()),
        FindingGroup(apart[1], ("train",)),
    ]


def test_the_printed_report_names_the_splits_and_no_empty_list(capsys: pytest.CaptureFixture[str]) -> None:
    """A list of what was not seen has its title only where something stands below."""
    report = CheckReport(
        "p", [finding("deterministic", f"instances('{split}', 1)") for split in ("train", "valid")]
    )
    _print_report(report)
    printed = capsys.readouterr().out
    assert printed.count("deterministic") == 1
    assert "sets: the same for train, valid" in printed
    assert "not seen by this check" not in printed
    report.unseen.append("a rule")
    _print_report(report)
    assert "not seen by this check:\n- a rule" in capsys.readouterr().out


def test_a_file_that_did_not_pass_is_named_with_its_first_finding() -> None:
    """At the start of a run and below its results; a file that passed is not."""
    report = CheckReport("p", [finding("beats-reference"), finding("believed-claim")])
    line = "p.py: did not pass its check (believed-claim); `gapsmith problems check p.py` says why"
    assert (
        sentences("p.py", CheckRecord(True, report)) == reminder("p.py", CheckRecord(True, report)) == [line]
    )
    assert reminder("p.py", CheckRecord(False, report))[0].startswith("p.py: did not pass its quick check (")
    assert reminder("p.py", CheckRecord(False, CheckReport("p"))) == []

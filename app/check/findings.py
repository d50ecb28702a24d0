"""What a check found: what was sent, what came back, how to mend it, and which findings come first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Finding:
    """One way in which a problem breaks the contract or can be cheated.

    Attributes:
        check: name of the check, in lower case with hyphens.
        sent: what the problem was asked or given.
        got: what came back.
        why: what would go wrong in a campaign.
        fix: what to change.
    """

    check: str
    sent: str
    got: str
    why: str
    fix: str


@dataclass(slots=True)
class CheckReport:
    """All findings on one problem, and what was measured on the way.

    Attributes:
        problem: name.
        findings: empty iff it passed.
        checks: names of the checks that were made.
        measured: seconds and counts, by name.
        unseen: sentences on what these checks cannot see in this problem.
        left_out: names of the checks for which there was no time.
    """

    problem: str
    findings: list[Finding] = field(default_factory=list)
    checks: list[str] = field(default_factory=list)
    measured: dict[str, float | int | None] = field(default_factory=dict)
    unseen: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    @property
    def whole(self) -> bool:
        """Whether there was time for all checks."""
        return not self.left_out

    def add(self, check: str, *, sent: str, got: str, why: str, fix: str) -> None:
        """Notes a finding; a check speaks at most three times."""
        if sum(finding.check == check for finding in self.findings) < 3:
            self.findings.append(Finding(check, shorten(sent), shorten(got), why, fix))

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> CheckReport:
        """The report that `document` made a document of."""
        findings = [Finding(**finding) for finding in document["findings"]]
        names = ("checks", "measured", "unseen", "left_out")
        return cls(document["problem"], findings, *(document[name] for name in names))

    def document(self) -> dict[str, Any]:
        """The JSON contract's document."""
        return {
            "problem": self.problem,
            "passed": self.passed,
            "findings": [asdict(finding) for finding in self.findings],
            "checks": self.checks,
            "measured": self.measured,
            "unseen": self.unseen,
            "left_out": self.left_out,
        }


def shorten(text: str, limit: int = 300) -> str:
    """A text of one line and at most `limit` characters."""
    line = " ".join(str(text).split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


# Which findings are shown first, and which are shown once for several splits.

_SPLIT = re.compile(r"(?<![A-Za-z])(train|valid|test)(?![A-Za-z])")


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """A finding, and the splits for which the same was found.

    Attributes:
        finding: of the first of these splits.
        splits: their names; empty if the finding does not name exactly one split.
    """

    finding: Finding
    splits: tuple[str, ...]


def in_order(findings: Sequence[Finding]) -> list[Finding]:
    """The findings; a believed claim stands first if a bound is beaten too, for the claim explains that."""
    beaten = any(finding.check == "beats-reference" for finding in findings)
    return sorted(findings, key=lambda finding: beaten and finding.check != "believed-claim")


def shown(findings: Sequence[Finding]) -> list[FindingGroup]:
    """The findings in order; those that differ by the name of the split alone are one."""
    merged: dict[tuple[str, ...], FindingGroup] = {}
    for finding in in_order(findings):
        texts = (finding.check, finding.sent, finding.got, finding.why, finding.fix)
        names = set(_SPLIT.findall(f"{finding.sent} {finding.got}"))
        if len(names) != 1:
            merged.setdefault(texts, FindingGroup(finding, ()))
            continue
        key = tuple(_SPLIT.sub("SPLIT", text) for text in texts)
        first = merged.setdefault(key, FindingGroup(finding, ()))
        merged[key] = FindingGroup(first.finding, tuple(dict.fromkeys((*first.splits, *names))))
    return list(merged.values())

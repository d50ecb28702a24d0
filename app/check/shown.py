"""Which findings are shown first, and which are shown once for several splits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .findings import Finding

_SPLIT = re.compile(r"(?<![A-Za-z])(train|valid|test)(?![A-Za-z])")


@dataclass(frozen=True, slots=True)
class Shown:
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


def shown(findings: Sequence[Finding]) -> list[Shown]:
    """The findings in order; those that differ by the name of the split alone are one."""
    merged: dict[tuple[str, ...], Shown] = {}
    for finding in in_order(findings):
        texts = (finding.check, finding.sent, finding.got, finding.why, finding.fix)
        names = set(_SPLIT.findall(f"{finding.sent} {finding.got}"))
        if len(names) != 1:
            merged.setdefault(texts, Shown(finding, ()))
            continue
        key = tuple(_SPLIT.sub("SPLIT", text) for text in texts)
        first = merged.setdefault(key, Shown(finding, ()))
        merged[key] = Shown(first.finding, tuple(dict.fromkeys((*first.splits, *names))))
    return list(merged.values())

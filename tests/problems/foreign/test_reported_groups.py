"""What is said of a group of campaigns whose scores are only reported."""

from __future__ import annotations

import io
from typing import Any

from gapsmith.app.runs.summary import group_summary
from gapsmith.app.views.overview import print_group
from gapsmith.problems.base import SPLITS
from rich.console import Console


def documents(*scores: float) -> list[dict[str, Any]]:
    """Documents of campaigns, as far as a group reads them."""
    return [
        {
            "run": f"run-{score}",
            "trust": "reported",
            "test_evaluations": 1,
            "best": {
                "splits": {split: {"mean_gap_percent": None, "reported_score": score} for split in SPLITS}
            },
        }
        for score in scores
    ]


def test_a_group_has_scores_and_no_gap() -> None:
    """The table and the summary hold the mean and the range of the scores, and call them unverified."""
    summary = group_summary([*documents(2.0, 4.0), {"run": "empty", "trust": "reported", "best": None}])
    assert summary["trust"] == "reported"
    assert summary["test"]["runs"] == 2
    assert summary["test"]["mean_gap_percent"] is None
    assert summary["test"]["reported_score"]["mean"] == 3.0
    assert summary["test"]["reported_score"]["range"] == [2.0, 4.0]
    text = io.StringIO()
    print_group(Console(file=text, width=100), "two", documents(2.0, 4.0))
    assert "gap" not in text.getvalue()
    assert "unverified" in text.getvalue()
    assert "3" in text.getvalue().split("test")[1]

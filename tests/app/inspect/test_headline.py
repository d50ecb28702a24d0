"""The headline says what the paired comparison proves, in which direction, and no more."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from gapsmith.app.runs.champions import headline


def _splits(**gaps: float | None) -> dict[str, Any]:
    return {
        split: None if gap is None else {"mean_gap_percent": gap, "fitness": -gap / 100}
        for split, gap in gaps.items()
    }


def _summary(difference: float | None, p: float | None, iteration: int = 7) -> dict[str, Any]:
    claim = {"against": "baseline mdd", "instances": 48, "difference_percent": difference, "p_value": p}
    return {
        "start": {"splits": _splits(train=9.0, valid=9.0, test=9.0)},
        "best": {
            "candidate": "ab",
            "iteration": iteration,
            "splits": _splits(train=1.0, valid=1.0, test=2.0),
        },
        "baselines": {
            "edd": _splits(train=5.0, valid=5.0, test=1.5),
            "mdd": _splits(train=3.0, valid=3.0, test=3.0),
        },
        "claims": [{**claim, "wins": 17, "ties": 13, "losses": 18}],
    }


def _headline(summary: dict[str, Any], name: str | None = None) -> dict[str, Any]:
    reader: Any = SimpleNamespace(
        record=lambda key: {"ab": name} if name and key == "founders" else None,
        candidate=lambda id: SimpleNamespace(operator="heaviest"),
    )
    return headline(reader, summary)


@pytest.mark.parametrize(
    ("difference", "p", "verdict", "words"),
    [
        (
            -0.4,
            0.01,
            "better",
            "better beyond noise (17 better, 13 equal, 18 worse of 48 instances",
        ),
        (0.4, 0.01, "worse", "worse beyond noise"),
        (-0.4, 0.2, "undecided", "no difference beyond noise, pointing to the champion"),
        (0.4, 0.2, "undecided", "no difference beyond noise, pointing to the baseline"),
        (None, None, "undecided", "no mean difference, for an answer is missing"),
    ],
)
def test_the_comparison_decides(difference: float | None, p: float | None, verdict: str, words: str) -> None:
    """The baseline beside the champion is the best on validation, not the best on test."""
    found = _headline(_summary(difference, p))
    assert (found["verdict"], found["baseline"]) == (verdict, "mdd")
    assert found["text"].startswith(f"best baseline mdd 3.00 % → champion 2.00 % on test: {words}")


def test_a_founder_is_named() -> None:
    """By its name as a baseline, or as a start program beside the best baseline."""
    found = _headline(_summary(0.0, 1.0, iteration=0), "mdd")
    assert (found["verdict"], found["founder"]) == ("no_improvement", "mdd")
    assert found["text"] == "no improvement found; best baseline: mdd, 2.00 % on test"
    found = _headline(_summary(0.0, 1.0, iteration=0))
    assert found["text"].endswith("best baseline: mdd, 3.00 %; best start program: heaviest, 2.00 % on test")


def test_a_given_start_program_stands_beside_the_baseline() -> None:
    """After `--start mine.py` the headline says what the champion is worth against that program too."""
    summary = _summary(-0.4, 0.01)
    summary["start"]["candidate"] = "cd"
    own = {**summary["claims"][0], "against": "start program", "difference_percent": -6.0, "p_value": 0.001}
    summary["claims"].append(own)
    reader: Any = SimpleNamespace(
        record=lambda key: True if key == "start_given" else None,
        candidate=lambda id: SimpleNamespace(operator="mine.py"),
    )
    found = headline(reader, summary)
    assert "; your start program mine.py 9.00 %: better beyond noise (17 better" in found["text"]
    assert found["text"].startswith("best baseline mdd 3.00 % → champion 2.00 % on test: better beyond noise")
    assert "start program" not in _headline(summary)["text"]
    assert "your start program mine.py 9.00 %" in headline(reader, {**summary, "claims": []})["text"]


def test_without_a_test_nothing_is_proven() -> None:
    """A run under way compares on validation and says that validation takes part in the search."""
    summary = _summary(-0.4, 0.01)
    for splits in (summary["best"]["splits"], *summary["baselines"].values()):
        splits["test"] = None
    found = _headline({**summary, "claims": []})
    assert (found["verdict"], found["split"]) == ("untested", "valid")
    assert found["text"].startswith("so far: best baseline mdd 3.00 % → best candidate 1.00 % on validation")
    assert _headline({**summary, "best": None})["verdict"] == "nothing"

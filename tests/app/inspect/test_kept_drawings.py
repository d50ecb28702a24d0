"""What a run keeps of its answers: drawings for the report and for papers."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from gapsmith.app.runs.stored_run import DRAWING_KEY, MOST_SHAPES, StoredDrawings, encode, stored_drawings
from gapsmith.app.setup import reruns
from gapsmith.cli import app
from gapsmith.evolve.store.schema import StoreError
from gapsmith.problems.base import SPLITS, Drawing, Shape
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

places = st.floats(-1e9, 1e9)
texts = st.text(max_size=20)
shapes = st.builds(
    Shape, st.sampled_from(["rectangle", "line", "label"]), places, places, places, places, texts, texts
)
drawings = st.builds(Drawing, texts, texts, texts, st.lists(shapes, max_size=5).map(tuple))


class Records:
    """A reader of one record."""

    def __init__(self, document: Any) -> None:
        self.document = document

    def record(self, key: str) -> Any:
        """The document, under the key of drawings."""
        assert key == DRAWING_KEY
        return self.document


def read(document: Any) -> StoredDrawings | None:
    """The drawings that a store with this document keeps."""
    return stored_drawings(Records(document))  # type: ignore[arg-type]


@given(st.builds(StoredDrawings, texts, st.dictionaries(texts, drawings, min_size=1, max_size=4)))
@pytest.mark.slow
def test_drawings_are_read_as_they_were_written(kept: StoredDrawings) -> None:
    """A drawing survives its way through JSON."""
    assert read(json.loads(json.dumps(encode(kept)))) == kept


def document(*rows: Any) -> dict[str, Any]:
    """A record of one program's drawing with these shapes."""
    return {"instance": "a", "programs": {"p": ["title", "x", "y", list(rows)]}}


@pytest.mark.parametrize(
    "damaged",
    [
        [],
        {"instance": "a"},
        {"instance": "a", "programs": {}},
        {"instance": "a", "programs": {str(n): ["t", "x", "y", []] for n in range(5)}},
        document(["circle", 0, 0, 1, 1, "", ""]),
        document(["line", 0, float("nan"), 1, 1, "", ""]),
        document(["line", 0, 1e300, 1, 1, "", ""]),
        document(["line", 10**400, 0, 1, 1, "", ""]),
        document(["line", True, 0, 1, 1, "", ""]),
        document(["line", 0, 0, 1, 1, "x" * 201, ""]),
        document(["line", 0, 0, 1, 1, ""]),
        document(*[["line", 0, 0, 1, 1, "", ""]] * (MOST_SHAPES + 1)),
    ],
)
def test_a_damaged_drawing_is_one_clear_error(damaged: Any) -> None:
    """Other kinds, endless or huge places, too many shapes or programs: the record is called damaged."""
    with pytest.raises(StoreError, match="drawing is damaged"):
        read(damaged)


@pytest.mark.parametrize(
    ("shape", "kept"),
    [
        (Shape("line", 0, 0, 1, 1), True),
        (Shape("line", 0, 0, float("nan"), 1), False),
        (Shape("label", 0, 0, text="x" * 201), False),
        (Shape("circle", 0, 0), False),
        (Shape("line", [0], 0), False),  # type: ignore[arg-type]
    ],
)
def test_a_drawing_that_no_report_reads_is_a_fault_in_place_of_a_record(
    shape: Shape, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The campaign ends well, and its record stays readable."""
    answers = {"p": 1, "baseline/b": 2}
    monkeypatch.setattr(reruns, "open_record", lambda folder: MagicMock())
    monkeypatch.setattr(reruns, "typical", lambda record, setup: MagicMock(id="test-1"))
    monkeypatch.setattr(reruns, "answers", lambda record, setup, programs, instance: answers)
    setup, store = MagicMock(), MagicMock()
    setup.loaded.problem = SimpleNamespace(draw=print)  # from Python 3.12 on a mock is no Drawable
    setup.evaluator.draw.side_effect = lambda instance, answer: Drawing(f"{answer}", "x", "y", (shape,))
    reruns.keep_drawing(Path(), setup, store)
    assert (store.set.called, store.event.called) == (kept, not kept)
    if kept:
        assert read(store.set.call_args.args[1]) is not None


@pytest.mark.slow
def test_a_campaign_keeps_the_answers_of_its_champion(tmp_path: Path) -> None:
    """The report and `plot answers` show the champion's answer to a test instance beside the baseline's."""
    words = ["run", "smtt", "--evaluations", "4", "--workers", "1", "--runs", str(tmp_path)]
    small = [word for split in SPLITS for word in ("--set", f"problem.{split}_per_stratum=1")]
    assert CliRunner().invoke(app, [*words, *small]).exit_code == 0
    picture = tmp_path / "answers.svg"
    made = CliRunner().invoke(app, ["plot", "latest", "answers", "-o", str(picture), "--runs", str(tmp_path)])
    assert made.exit_code == 0, made.output
    assert "test-" in picture.read_text()
    made = CliRunner().invoke(app, ["report", "latest", "--runs", str(tmp_path)])
    assert made.exit_code == 0, made.output
    page = next(tmp_path.rglob("report.html")).read_text()
    assert "Answers to one test instance" in page

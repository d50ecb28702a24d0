"""The notebook of the examples runs; what does not depend on the search prints what it holds."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
NOTEBOOK = ROOT / "examples" / "first_campaign.ipynb"


@pytest.mark.slow
def test_the_notebook_prints_what_it_holds() -> None:
    """Cells marked `exact` have their stored outputs; every other cell gives outputs of the same kinds."""
    outputs = runpy.run_path(str(ROOT / "benchmarks" / "notebook.py"))["execute"](NOTEBOOK)
    cells = [c for c in json.loads(NOTEBOOK.read_text("utf-8"))["cells"] if c["cell_type"] == "code"]
    assert len(cells) == len(outputs)
    for cell, now in zip(cells, outputs, strict=True):
        stored = cell["outputs"]
        if "exact" in cell["metadata"].get("tags", ()):
            assert now == stored, cell["id"]
        kinds = [[(o["output_type"], sorted(o.get("data", ()))) for o in some] for some in (stored, now)]
        assert kinds[0] == kinds[1], cell["id"]


def test_the_notebook_holds_outputs() -> None:
    """It was executed: a heuristic that is better than the best baseline, and a picture."""
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    text = json.dumps([cell.get("outputs") for cell in cells])
    assert "better beyond noise" in text
    assert "image/svg+xml" in text

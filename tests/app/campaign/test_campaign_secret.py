"""A run keeps the secret that its instances were drawn with, and whoever has it draws the same."""

from __future__ import annotations

import json
import shlex
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app import compose
from gapsmith.app.analysis.verify import verify
from gapsmith.app.config import parse, read
from gapsmith.app.runs.folders import CONFIG_NAME
from gapsmith.app.runs.record import open_record
from gapsmith.app.runs.standalone import evaluate_command
from gapsmith.app.setup.reruns import setup_of_record
from gapsmith.app.views.report import html
from gapsmith.cli import app
from typer.testing import CliRunner

Campaign = Callable[..., tuple[dict[str, Any], Path]]
SPLITS = {f"{split}_per_stratum": 1 for split in ("train", "valid", "test")}


def _digests(folder: Path) -> list[Any]:
    """Instances, candidates and answers of a run, as stored."""
    with sqlite3.connect(folder / "archive.sqlite") as database:
        return [
            database.execute(query).fetchall()
            for query in (
                "SELECT name, digest FROM instances ORDER BY name",
                "SELECT id FROM candidates ORDER BY id",
                "SELECT x.instance, x.answer, x.objective FROM executions x "
                "JOIN evaluations e ON e.id = x.evaluation ORDER BY e.program, e.split, x.position",
            )
        ]


@pytest.mark.slow
def test_a_run_is_repeated_from_its_own_configuration(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With another installation's secret: the same bytes from `campaign.toml`, and `verify` holds."""
    _, first = campaign(
        "first",
        campaign={"problem": "online-bin-packing"},
        budget={"iterations": 2},
        problem={"law": "t60", **SPLITS},
    )
    stored = read(first / CONFIG_NAME)
    secret = stored["evaluation"]["secret"]
    assert len(secret) == 64
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path / "elsewhere"))
    second = tmp_path / "runs" / "second"
    second.mkdir()
    compose.run(parse(stored, "test"), second)
    assert _digests(first) == _digests(second)
    with open_record(first) as record:
        document = verify(record, setup_of_record(record))
        assert document["differences"] == []
        assert document["compared"]["instances drawn"] == 10  # eight of the pool, validation and test
        assert secret not in html(record)
        assert secret not in (first / compose.BEST_NAME).read_text("utf-8")
        command = shlex.split(evaluate_command(record, str(first / compose.BEST_NAME)))
        recorded = record.figures(record.best or "", "test")
    said = CliRunner().invoke(app, [*command[1:], "--json"])
    assert recorded is not None
    assert json.loads(said.stdout)["summary"]["mean_gap_percent"] == recorded.mean_gap_percent
    other = tmp_path / "runs" / "other"
    other.mkdir()
    del stored["evaluation"]["secret"]
    compose.run(parse(stored, "test"), other)
    assert all(a[1] != b[1] for a, b in zip(_digests(first)[0], _digests(other)[0], strict=True))
    assert secret not in (other / CONFIG_NAME).read_text()

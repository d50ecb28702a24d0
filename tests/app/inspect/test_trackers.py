"""The documented scripts that feed W&B and MLflow from `export --follow`, run as a user runs them."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow
PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "inspect-a-run.md"
FINISHED = "20260102-203301-smtt-aaaa"
READ_WANDB = """
import json, pathlib, struct
from wandb.proto import wandb_internal_pb2
(path,) = pathlib.Path("wandb").glob("offline-run-*/*.wandb")
data, place, record = path.read_bytes(), 7, b""
while place + 7 <= len(data):  # 32 KiB blocks of pieces: checksum, length, kind (1 whole, 2 first, 4 last)
    if 32768 - place % 32768 < 7:
        place += 32768 - place % 32768
        continue
    _, length, kind = struct.unpack_from("<IHB", data, place)
    record = (b"" if kind in (1, 2) else record) + data[place + 7 : place + 7 + length]
    place += 7 + length
    if kind not in (1, 4):
        continue
    history = wandb_internal_pb2.Record.FromString(record).history
    row = {item.nested_key[0] if item.nested_key else item.key: item.value_json for item in history.item}
    for name in row:
        if name.endswith("_loss_percent"):
            print(json.dumps([name, int(row["iteration"]), float(row[name])]))
"""
READ_MLFLOW = """
import json, mlflow
client = mlflow.MlflowClient()
(run,) = client.search_runs(["0"])
for name in run.data.metrics:
    for point in client.get_metric_history(run.info.run_id, name):
        print(json.dumps([name, point.step, point.value]))
"""


def script(package: str) -> str:
    """The script of the page that imports a package."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.S)
    (found,) = [block for block in blocks if re.search(rf"^import .*\b{package}\b", block, re.M)]
    return found


@pytest.mark.parametrize(("package", "read"), [("wandb", READ_WANDB), ("mlflow", READ_MLFLOW)])
def test_every_loss_arrives_in_the_tracker(
    package: str, read: str, runs: Path, say: Callable[..., Any], tmp_path: Path
) -> None:
    """What the tracker gives back are the losses of all rows, each at the iterations told by then."""
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed: `pip install {package.replace('mlflow', 'mlflow-skinny')}`")
    # Without a database and a server, MLflow writes files only where that is allowed.
    quiet = {"WANDB_MODE": "offline", "WANDB_SILENT": "true", "MLFLOW_ALLOW_FILE_STORE": "true"}
    environment = {**os.environ, **quiet, "MLFLOW_TRACKING_URI": (tmp_path / "mlflow").as_uri()}
    path = tmp_path / f"to_{package}.py"
    path.write_text(script(package), "utf-8")
    follow = [sys.executable, "-m", "gapsmith.cli", "export", str(runs / FINISHED), "--follow"]
    with subprocess.Popen(follow, stdout=subprocess.PIPE) as source:
        done = subprocess.run(
            [sys.executable, path], stdin=source.stdout, capture_output=True, cwd=tmp_path, env=environment
        )
    assert done.returncode == 0, done.stderr
    words = [sys.executable, "-c", read]
    back = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert back.returncode == 0, back.stderr
    expected, told = [], 0
    for row in map(json.loads, say("export", FINISHED, "--follow").out.splitlines()):
        told = row["told"] if row["what"] == "outcome" else told
        fitness = {"outcome": "train_fitness", "evaluation": "fitness"}.get(row["what"], "")
        if row.get(fitness) is not None:
            expected.append((f"{row.get('split', 'train')}_loss_percent", told, -100 * row[fitness]))
    arrived = [tuple(json.loads(line)) for line in back.stdout.splitlines()]
    assert {name for name, *_ in arrived} >= {"train_loss_percent", "valid_loss_percent"}
    assert sorted(arrived) == sorted(expected)

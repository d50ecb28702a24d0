"""The programs of the page on production run with the gallery's files and without Gapsmith."""

from __future__ import annotations

import ast
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from gapsmith.problems.programs import program

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "how-to" / "into-production.md").read_text("utf-8")
COPIES = {
    "fleet": ("gpu-fleet/simplified.py", "gpu_fleet"),
    "dispatch": ("weighted-tardiness-rule/simplified.py", "atc"),
    "pack": ("online-packing/found.py", "packing"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the page's programs and the copies that they import."""
    for name, (source, module) in COPIES.items():
        block = rf'^```python title="{name}\.py"\n(.*?)^```$'
        (text,) = re.findall(block, PAGE, re.MULTILINE | re.DOTALL)
        assert f"`gallery/{source}`, copied as `{module}.py`" in PAGE
        (tmp_path / f"{name}.py").write_text(text, "utf-8")
        shutil.copy(ROOT / "gallery" / source, tmp_path / f"{module}.py")
    return tmp_path


def said(folder: Path, name: str, *more: str) -> list[Any]:
    """What a program of the page prints, with lines added, in a process that imports no Gapsmith."""
    lines = [f"from {name} import *", *more, "import sys; assert 'gapsmith' not in sys.modules"]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return [ast.literal_eval(line) for line in done.stdout.splitlines()]


def refused(call: str, error: str = "ValueError") -> str:
    """Lines that print whether a call is refused with an error."""
    return f"try:\n    {call}\nexcept {error}:\n    print(True)"


def test_the_fleet_serves_every_slice_and_bad_input_is_refused(folder: Path) -> None:
    """Sixteen slices at the price that is counted; floats, unserved buckets and short rows do not get in."""
    bad = ["fleet([1.5], [[3]], [1])", "fleet([7], [[None]], [1])", "fleet([7, 8], [[3]], [1])"]
    (gpus, price), *refusals = said(folder, "fleet", *map(refused, bad))
    assert sorted(bucket for _, buckets in gpus for bucket in buckets) == [0] * 9 + [1] * 7
    assert price == sum((7000, 20000)[kind] for kind, _ in gpus)
    assert refusals == [True] * len(bad)


def test_a_fleet_that_leaves_a_slice_out_is_not_believed(folder: Path) -> None:
    """The answer is counted again, whatever the heuristic says."""
    lie = "import fleet as page; page.rent = lambda *given: [(0, [0])]"
    assert said(folder, "fleet", lie, refused("fleet([7], [[3]], [2])", "RuntimeError"))[1:] == [True]


def test_the_loop_of_the_page_decides_as_the_problems_own(folder: Path) -> None:
    """The same sequence as the driver that the campaign ran, on jobs in any order and with ties."""
    stream = random.Random(5)
    instance = {
        "processing_times": [stream.randint(1, 9) for _ in range(40)],
        "due_dates": [stream.randint(1, 20) for _ in range(40)],
        "weights": [stream.randint(1, 5) for _ in range(40)],
    }
    space: dict[str, Any] = {}
    exec(program("gapsmith.problems.smtt", "smtt-rule", "driver"), space)
    exec((folder / "atc.py").read_text("utf-8"), space)
    bad = ["sequence([1, 2], [3], [1, 1])", "sequence([0], [3], [1])"]
    _, mine, *refusals = said(folder, "dispatch", f"print(sequence(**{instance}))", *map(refused, bad))
    assert mine == space["drive"](space["priority"], instance)
    assert refusals == [True] * len(bad)


def test_bins_of_the_page_hold_what_is_put_into_them(folder: Path) -> None:
    """Counts of gaps and free space agree after many items; a policy that lies is overruled by first fit."""
    put = (
        "import random\nstream = random.Random(3)\nfor _ in range(200):\n    bins.put(stream.randint(1, 100))"
    )
    counts = "print(all(bins.gaps[g] == bins.free.count(g) for g in range(101)) and min(bins.free) >= 0)"
    lie = "bins.packer.place = lambda item, free, gaps: -7\nbins.put(1)"
    first, *rest = said(
        folder, "pack", put, counts, lie, counts, refused("bins.put(101)"), refused("bins.put(0.5)")
    )
    assert first[0] == 0
    assert rest == [True] * 4

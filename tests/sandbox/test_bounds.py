"""Numbers and texts at the edges: limits, huge integers, invisible characters, byte order marks."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from gapsmith.app import formatting
from gapsmith.app.commands.options import read_program
from gapsmith.app.config import parse, read
from gapsmith.app.errors import UserError
from gapsmith.app.views import history
from gapsmith.evaluators.base import Reference, ReferenceKind, ScoreStatus
from gapsmith.evaluators.scoring import score
from gapsmith.problems.base import Instance, Sense, Verdict
from gapsmith.problems.bin_packing import bin_packing
from gapsmith.problems.placement import gpu_fleet
from gapsmith.sandbox.answers import clean
from gapsmith.sandbox.base import Execution, ExecutionStatus, Limits, Program
from gapsmith.sandbox.slot import Slot

BOM = "\ufeff"
INVISIBLE = (
    "\u034f\u115f\u1160\u17b4\u180b\u200b\u200d\u202e\u2060\u2800\u3164\ufe0f\uffa0\ufeff\U000e0041\U000e0101"
)


@pytest.mark.parametrize("key", ["cpu_seconds", "memory_mb"])
@pytest.mark.parametrize("value", ["inf", "nan", "1e12", "0", "-1.0"])
def test_limits_of_the_configuration_have_bounds(key: str, value: str, tmp_path: Path) -> None:
    """Infinity, NaN and what no machine has are refused with the key and its range."""
    file = tmp_path / "campaign.toml"
    file.write_text(f"[sandbox]\n{key} = {value}\n")
    with pytest.raises(UserError, match=rf"\[sandbox\] {key}: got .*per "):
        parse(read(file), str(file))


@pytest.mark.parametrize("value", [math.inf, math.nan, 1e12, 0, -1])
def test_limits_of_an_execution_have_bounds(value: float) -> None:
    """The sandbox refuses them too, whoever asks."""
    with pytest.raises(ValueError, match="cpu_seconds: got"):
        Limits(cpu_seconds=value)


def test_largest_limits_work(slot: Slot) -> None:
    """A day of CPU time and a TiB of memory are limits that the kernel and the server take."""
    limits = Limits(86_400, 1 << 40, 1 << 28)
    assert slot.execute(Program({"heuristic.py": "def f(): return 1"}, "f"), b"{}", limits, 1).answer == 1


def test_huge_integers_are_refused_with_their_line(slot: Slot) -> None:
    """An integer of 300 digits passes, one of 301 is named with its line, in any notation."""
    assert slot.describe(f"def f(): return {'9' * 300}", "f").error is None
    for literal in ("1" + "0" * 300, hex(10**300), "-1" + "0" * 300):
        found = slot.describe(f"\ndef f(): return {literal}", "f")
        assert found.error == "an integer of more than 300 digits; write it as a power or a product"
        assert found.error_line == 2


@pytest.mark.parametrize("cleaned", [clean, formatting.clean])
def test_invisible_characters_are_dropped(cleaned: Callable[[str], str]) -> None:
    """What shows nothing hides nothing: ignorable letters, marks, tags and the blank Braille cell go."""
    hidden = "".join(f"{mark}{letter}" for mark, letter in zip(INVISIBLE, "abcdefghijklmnop", strict=True))
    assert cleaned(hidden) == "abcdefghijklmnop"
    assert cleaned("naïve – 日本 ☺ é ⠁") == "naïve – 日本 ☺ é ⠁"
    ignorable = [
        chr(n) for n in (*range(0xE0000, 0xE1000), *range(0xFE00, 0xFE10)) if chr(n) in cleaned(chr(n))
    ]
    assert ignorable == []
    assert all(unicodedata.category(c) != "Cf" for c in cleaned("".join(map(chr, range(0x3000)))))


@pytest.mark.parametrize(
    "objective", [10**301, -(10**5000), Fraction(10**400, 3)], ids=["int", "huge", "fraction"]
)
def test_objectives_beyond_floats_are_no_score(objective: Any) -> None:
    """An exact objective that no float can hold is an invalid answer, not an exception of the tool."""
    instance = Instance("i", "test", "s", {}, 1, "test")
    reference = Reference(1, ReferenceKind.BEST_KNOWN, None, None, "none", "1", None, "test")
    execution = Execution(ExecutionStatus.OK, answer=None)
    problem: Any = SimpleNamespace(
        name="huge", sense=Sense.MINIMISE, verify=lambda instance, answer: Verdict.valid(objective)
    )
    found = score(problem, instance, reference, execution)
    assert found.status is ScoreStatus.INVALID_ANSWER
    assert "10^300" in (found.message or "")


def test_byte_order_marks_are_no_part_of_a_file(tmp_path: Path) -> None:
    """Files that an editor began with a byte order mark are read as if it were not there."""
    program = tmp_path / "rule.py"
    program.write_text(BOM + "def pack(sizes, capacity): return []\n", "utf-8")
    assert next(iter(read_program(program).values())).startswith("def pack")
    config = tmp_path / "campaign.toml"
    config.write_text(BOM + "[campaign]\nseed = 3\n", "utf-8")
    assert parse(read(config), "test").campaign.seed == 3
    items = tmp_path / "items.csv"
    items.write_text(BOM + "instance,capacity,size\na,10,4\na,10,6\n", "utf-8")
    assert bin_packing().read_instances(items)[0].public["sizes"] == [4, 6]
    fleet = tmp_path / "fleet.json"
    fleet.write_text(BOM + "[]", "utf-8")
    with pytest.raises(ValueError, match="empty list"):
        gpu_fleet().read_instances(fleet)


def test_long_texts_are_compared_at_their_beginning() -> None:
    """20,000 lines that differ everywhere: the first thousand are compared, and a line says so."""
    many = [f"x = {n * n % 97}" for n in range(20_000)]
    other = [f"x = {n * n % 89}" for n in range(20_000)]
    files = {"a": {"heuristic.py": "\n".join(many)}, "b": {"heuristic.py": "\n".join(other)}}
    record: Any = SimpleNamespace(candidate=lambda id: SimpleNamespace(files=files[id]))
    text = history.unified(record, "a", "b")
    assert "… 19,000 more lines, not compared" in text
    assert len(text.splitlines()) < 2_100

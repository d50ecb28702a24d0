"""Texts that run well in the sandbox must not harm the tool that handles them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.errors import UserError
from gapsmith.evolve.llm.edits import find_program
from gapsmith.evolve.offline import OfflineProposer

Run = Callable[..., tuple[dict[str, Any], Path]]


@pytest.mark.parametrize("number", ["9" * 300, "1.7e308"])
def test_huge_numbers_in_a_parent_do_not_end_a_campaign(
    campaign: Run, tmp_path: Path, problem: str, number: str
) -> None:
    """Numbers that cannot be scaled end as rejections or candidates, not as an exception."""
    text = Path(problem).read_text()
    hostile = tmp_path / "hostile.py"
    line = "    return sorted(range(len(times)), key=lambda j: 2 -"
    hostile.write_text(text.replace(line, f"    big = {number}\n{line}"))
    assert number in hostile.read_text()
    summary, _ = campaign(campaign={"problem": str(hostile)}, budget={"iterations": 10})
    assert summary["iterations"] == 10


@pytest.mark.parametrize("number", ["0x" + "F" * 5000, "9" * 401])
def test_numbers_that_cannot_be_written_are_refused(
    campaign: Run, tmp_path: Path, problem: str, number: str
) -> None:
    """A start program with an integer of more than 300 digits is refused in one sentence with its line."""
    hostile = tmp_path / "hostile.py"
    line = "    return sorted(range(len(times)), key=lambda j: 2 -"
    hostile.write_text(Path(problem).read_text().replace(line, f"    big = {number}\n{line}"))
    with pytest.raises(UserError, match="line 5: an integer of more than 300 digits"):
        campaign(campaign={"problem": str(hostile)}, budget={"iterations": 10})


def test_messages_carry_no_control_characters(campaign: Run, tmp_path: Path) -> None:
    """What a candidate returns is quoted in messages without escapes and direction marks."""
    import json
    import sqlite3

    script = tmp_path / "replies.json"
    body = r"return ['\x1b]0;x\x07\u202eabc']"
    script.write_text(json.dumps([f"```python\ndef order(times, weights):\n    {body}\n```"]))
    own = tmp_path / "own.py"
    source = (Path(__file__).parent / "flow_time.py").read_text()
    own.write_text(source.replace('f"expected a list of {count} job numbers"', 'f"got {answer[0]}"'))
    _, folder = campaign(
        campaign={"problem": str(own)}, model=[{"spec": f"scripted/{script}"}], budget={"iterations": 1}
    )
    rows = sqlite3.connect(folder / "archive.sqlite").execute(
        "SELECT message FROM executions WHERE message != ''"
    )
    (message,) = rows.fetchone()
    assert message == "got ]0;xabc"


def test_a_long_reply_of_blank_lines_is_read_at_once() -> None:
    """Reading a reply takes time in proportion to its length: 200,000 line ends and spaces are no trouble."""
    reply = (
        "```python\n" + "\n" * 200_000 + "def order(times, weights):\n    return []\n```\n```" + " " * 200_000
    )
    assert "def order" in find_program(reply, "order")


@pytest.mark.parametrize("number", ["1e308", "1e999"])
def test_no_constant_ends_a_campaign_that_tunes(
    campaign: Run, tmp_path: Path, problem: str, number: str
) -> None:
    """A number near the end of floats, in a place where the tuner looks, leaves a campaign that goes on."""
    hostile = tmp_path / "hostile.py"
    text = Path(problem).read_text().replace("key=lambda j: 2 -", f"key=lambda j: 2 - {number} + 3 *")
    hostile.write_text(text)
    assert number in text
    summary, _ = campaign(
        campaign={"problem": str(hostile)}, budget={"iterations": 12}, search={"tune_share": 0.5}
    )
    assert summary["iterations"] == 12
    assert "fault" not in summary["rejections"]


def test_what_proposing_raises_costs_that_proposal_and_is_told(
    campaign: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault of our own is a rejection, an event, one sentence at the end and a line in the log."""
    whole, asks = OfflineProposer.propose, iter(range(100))

    def propose(self: OfflineProposer, *words: Any) -> Any:
        return {}["nothing"] if next(asks) % 4 == 0 else whole(self, *words)

    monkeypatch.setattr(OfflineProposer, "propose", propose)
    summary, folder = campaign(budget={"iterations": 8})
    assert summary["iterations"] == 8
    assert summary["rejections"]["fault"] >= 1
    (note,) = summary["notes"]
    assert "lost to an error in Gapsmith itself" in note
    assert str(folder / "campaign.log") in note
    assert "KeyError in propose" in (folder / "campaign.log").read_text()

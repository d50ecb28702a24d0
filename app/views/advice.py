"""Prints what to try after a campaign that beat no baseline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..words import clean

if TYPE_CHECKING:
    from rich.console import Console


def _names_run(command: str, summary: Mapping[str, Any]) -> bool:
    return command.startswith("gapsmith ") and str(summary["run"]) in command


def print_advice(console: Console, summary: Mapping[str, Any], where: str = "") -> None:
    """Prints each fact with its command below it.

    Args:
        console: console to print on.
        summary: document of the run, as `summarise` returns it.
        where: option that names the folder of the runs, with a blank before it; empty for the default one.
    """
    if summary["advice"]:
        console.print("what to try next", style="bold")
    for line in summary["advice"]:
        command = line["command"] + (where if _names_run(line["command"], summary) else "")
        console.print(clean(f"{line['reason']}:"), markup=False)
        console.print(clean(f"  {command}"), markup=False, soft_wrap=True)

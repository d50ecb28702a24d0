"""A resumed campaign says that it retraces its record, where that takes more than a second."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from itertools import count
from types import SimpleNamespace
from typing import Any

import gapsmith.app.views.live
import pytest
from gapsmith.app.views.live import LiveView
from gapsmith.evolve.store.store import Store

Make = Callable[..., Any]


def said(fakes: Make, monkeypatch: pytest.MonkeyPatch, capsys: Any, step: float) -> list[str]:
    """The lines of a view of a campaign that goes on after 20 iterations, `step` seconds for each look."""
    clock = count()
    watch = SimpleNamespace(monotonic=lambda: step * next(clock))
    fakes().run(iterations=20)
    monkeypatch.setattr(gapsmith.app.views.live, "time", watch)
    view = LiveView("fakes", "1 slot")
    fakes(observe=view.observe).run(iterations=30)
    return [line for line in capsys.readouterr().err.splitlines() if line.startswith("retracing")]


def test_a_long_retracing_is_said_once(fakes: Make, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """With the iterations of the record, and how many of them are repeated by then."""
    assert said(fakes, monkeypatch, capsys, 0.3) == [
        "retracing the record: 20 iterations without executions, 5 done; the search goes on after them"
    ]


def test_a_short_retracing_is_not_worth_a_line(
    fakes: Make, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """All 20 iterations are repeated within a second."""
    assert said(fakes, monkeypatch, capsys, 0.01) == []


def test_a_line_of_progress_names_what_is_left_of_each_limit(fakes: Make, capsys: Any) -> None:
    """CPU seconds and executions too: a campaign without a budget of its own ends by the former."""
    view = LiveView("fakes", "1 slot")
    limits = {"iterations": 10, "executions": 10**6, "cpu_seconds": 80}
    fake = fakes(observe=view.observe)
    fake.folder.mkdir()
    with closing(Store(fake.folder)) as store:
        store.set("config", {"budget": limits})
    fake.run(**limits)
    first = capsys.readouterr().err.splitlines()[0]
    assert re.search(r"  9 of 10 iterations left, 999,\d{3} of 1,000,000 executions left, ", first)
    assert re.search(r"(80|79\.\d) of 80 CPU seconds left$", first)


def test_a_table_shows_one_estimate_of_the_time_left(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """What is said once above a table holds no estimate, which would soon contradict that of the table."""
    clock = count()
    watch = SimpleNamespace(monotonic=lambda: 20.0 * next(clock))
    for module in (gapsmith.app.views.live, gapsmith.app.views.live):
        monkeypatch.setattr(module, "time", watch)
    view, lines = LiveView("fakes", "1 slot"), list[str]()
    view._live = SimpleNamespace(console=SimpleNamespace(print=lambda text, **_: lines.append(text)))  # type: ignore[assignment]
    for done in range(4):
        view.notify("references", done, 40)
    assert [line for line in lines if "Ctrl-C keeps those" in line]
    assert not [line for line in lines if " left" in line]
    assert "left" in view._preparing

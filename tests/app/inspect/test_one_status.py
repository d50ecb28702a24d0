"""A number of a campaign at work has one value in the terminal, in `watch`, on the page and in the report."""

from __future__ import annotations

import html as markup
import io
import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app import compose
from gapsmith.app.config import parse
from gapsmith.app.formatting import count, counts, duration, percent, usd
from gapsmith.app.runs.record import open_record
from gapsmith.app.runs.summary import summarise
from gapsmith.app.views.live import LiveView
from gapsmith.app.views.report import html
from gapsmith.app.views.watch import watch
from gapsmith.app.views.web import LiveDocuments
from gapsmith.evolve.campaign import Campaign
from gapsmith.evolve.llm.base import Call, ErrorKind, ModelError, Request
from gapsmith.evolve.store.store import Store, StoredCalls
from gapsmith.evolve.types import Prompt
from rich.console import Console

PROBLEM = str(Path(__file__).parents[1] / "campaign" / "flow_time.py")
RULE = (
    "```python\ndef order(times, weights):\n"
    "    return sorted(range(len(times)), key=lambda j: {} + 0 * {})\n```"
)
KEYS = ("-weights[j]", "times[j] - 2 * weights[j]", "times[j] / weights[j]", "1 / 0", "-times[j]")
MOMENTS = 10


def printed(table: Any) -> str:
    """What a wide terminal shows of a table, with one blank in place of several."""
    stream = io.StringIO()
    Console(file=stream, width=300).print(table)
    return re.sub(r" +", " ", stream.getvalue())


class Comparison:
    """Looks at a campaign through all four views, at moments between two outcomes."""

    def __init__(self, folder: Path) -> None:
        """Takes the folder of the run."""
        self.folder = folder
        self.page = LiveDocuments(folder)
        self.moments: list[int] = []
        self.seen: set[tuple[Any, ...]] = set()

    def observe(self, campaign: Campaign) -> None:
        """Compares the views if there is a new outcome."""
        told = campaign.search.tally.told
        if told == 0 or told in self.moments or len(self.moments) == MOMENTS - 1:
            return
        self.moments.append(told)
        time.sleep(1.1)  # a page gets the document of the poll before for a second
        view = LiveView("title", "1 slot")
        view.observe(campaign)
        self.compare(printed(view.table()))

    def compare(self, *terminal: str) -> None:
        """Looks for each figure of the page's document in all texts."""
        now = json.loads(self.page.live())
        stream = io.StringIO()
        watch(self.folder, Console(file=stream, width=300), once=True)
        watched = re.sub(r" +", " ", stream.getvalue())
        with open_record(self.folder) as record:
            text = markup.unescape(re.sub(r"<[^>]+>", "", html(record)))
            shown = summarise(self.folder, record.reader)
        work = f"{count(now['iterations'], 'iteration')}, {count(now['evaluations'], 'evaluation')}, "
        work += f"{count(now['executions'], 'execution')} in {duration(now['wall_seconds'])}"
        spent = usd(now["cost_usd"])
        best = (now["best"] or "none yet")[:8]
        for view in (*terminal, watched):
            assert f"budget {now['budget_words']}\n" in re.sub(r" +\n", "\n", view)
            assert f"best {best}, gap on validation {percent(now['best_gap_percent'])}" in view
            assert f"{count(now['model_calls'], 'call')}, {now['tokens']:,} tokens, {spent}" in view
            assert f"rejected {counts(now['rejections']) or 'nothing'}" in view
            assert work in view
        assert work in text
        assert f"{count(now['model_calls'], 'call')} of models" in text
        assert spent in text
        assert f"Candidate {best}" in text
        assert sum(shown["usage"][name] for name in ("tokens_in", "tokens_out")) == now["tokens"]
        for name in ("status", "stop_reason", "iterations", "evaluations", "executions", "rejections"):
            assert shown[name] == now[name]
        for name in ("wall_seconds", "model_calls", "cost_usd"):
            assert shown["usage"][name] == now[name]
        assert shown["best"]["candidate"] == now["best"]
        figures = shown["best"]["splits"]["valid"]
        assert (None if figures is None else percent(figures["mean_gap_percent"])) in (
            None if now["best_gap_percent"] is None else percent(now["best_gap_percent"]),
        )
        for name, limit in now["budget"].items():
            assert now["budget_left"][name] == max(0, limit - now["budget_used"][name])
        self.seen.add((now["status"], now["iterations"], now["best"], now["best_gap_percent"]))


@pytest.mark.slow
def test_four_views_agree_at_ten_moments_of_a_campaign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a model's campaign with rejections and failures, from the first outcome to the end."""
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path / "cache"))
    replies = [RULE.format(KEYS[n % len(KEYS)], n) if n % 4 else "I would weigh." for n in range(40)]
    (tmp_path / "replies.json").write_text(json.dumps(replies), "utf-8")
    folder = tmp_path / "run"
    folder.mkdir()
    prices = {"price_in_usd_per_million": 1, "price_out_usd_per_million": 10}
    config = parse(
        {
            "campaign": {"problem": PROBLEM, "in_flight": 2},
            "budget": {"iterations": 14, "seconds": 600, "patience": 12, "usd": 5, "cpu_seconds": 500},
            "model": [{"spec": f"scripted/{tmp_path / 'replies.json'}", **prices}],
        },
        "test",
    )
    comparison = Comparison(folder)
    compose.run(config, folder, watcher=compose.Watcher(observe=comparison.observe))
    time.sleep(1.1)
    comparison.compare()
    assert len(comparison.moments) == MOMENTS - 1
    assert {status for status, *_ in comparison.seen} == {"running", "completed"}
    assert len({best for _, _, best, _ in comparison.seen}) > 1
    assert len(comparison.seen) == MOMENTS


def test_calls_without_any_reply_have_no_known_cost(make_run: Any, tmp_path: Path) -> None:
    """A server that answers nothing may bill all the same: `watch` and `show` say that nobody knows."""
    folder = make_run(tmp_path / "20260107-000000-run", candidates=6, finished=False)
    store = Store(folder)
    call = Call("openai/test", "improve", Request(Prompt("system", "question"), 100, 60.0, 1), 1, 100, None)
    calls = StoredCalls(store)
    calls.failed(calls.requested(call), ModelError(ErrorKind.SERVER, "busy"))
    store.close()
    with open_record(folder) as record:
        shown = summarise(folder, record.reader)
    assert shown["usage"]["model_calls"] == 1
    assert shown["usage"]["cost_usd"] is None
    assert json.loads(LiveDocuments(folder).live())["cost_usd"] is None

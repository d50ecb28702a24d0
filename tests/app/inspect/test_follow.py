"""`export --follow` and `--to tensorboard`: each outcome and event exactly once, in another process."""

from __future__ import annotations

import json
import sqlite3
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.runs import export as module
from gapsmith.app.runs.export import follow, write_scalars

Say = Callable[..., Any]
FINISHED = "20260102-203301-smtt-aaaa"
ASKED = "20260103-101500-smtt-bbbb"


class FakeBoard:
    """Keeps scalars in a list."""

    def __init__(self) -> None:
        self.scalars: list[tuple[str, float, int]] = []
        self.closed = False

    def add_scalar(self, tag: str, value: float, step: int, walltime: float) -> None:
        """Keeps a scalar."""
        self.scalars.append((tag, value, step))

    def close(self) -> None:
        """Notes that the board was closed."""
        self.closed = True


def test_a_finished_run_streams_all_and_ends(say: Say) -> None:
    """Every told iteration and every event comes once, as one JSON object a line."""
    said = say("export", FINISHED, "--follow")
    assert said.code == 0
    rows = [json.loads(line) for line in said.out.splitlines()]
    told = [row["told"] for row in rows if row["what"] == "outcome"]
    every = [json.loads(line) for line in say("export", FINISHED, "--what", "iterations").out.splitlines()]
    assert sorted(told) == sorted(row["told"] for row in every if row["told"] is not None)
    events = say("export", FINISHED, "--what", "events").out.splitlines()
    assert sum(row["what"] == "event" for row in rows) == len(events)


def test_rows_of_a_running_campaign_come_once(
    make_run: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is stored between two looks follows, nothing comes twice, and the end of the campaign ends it."""
    folder = make_run(tmp_path / "20260106-000000-run", candidates=12)
    states = iter(["running", "running", "completed"])
    monkeypatch.setattr(module, "status", lambda *_: next(states))

    def store_more(seconds: float) -> None:
        """Stands for the campaign's work during a pause."""
        with sqlite3.connect(folder / "archive.sqlite") as store:
            store.execute("INSERT INTO events (iteration, kind, data, at) VALUES (12, 'note', '{}', 9e9)")
        store.close()

    monkeypatch.setattr(module.time, "sleep", store_more)
    rows = list(follow(folder))
    ids = [row["id"] for row in rows if row["what"] == "event"]
    told = [row["told"] for row in rows if row["what"] == "outcome"]
    assert len(set(ids)) == len(ids)
    assert len(set(told)) == len(told) == 12
    assert [row["kind"] for row in rows[-2:]] == ["note", "note"]


def test_scalars_say_what_the_rows_say(runs: Path) -> None:
    """Each complete candidate has its loss at its step, and the best falls to the smallest of them."""
    board, rows = FakeBoard(), list(follow(runs / FINISHED))
    outcomes = [row for row in rows if row["what"] == "outcome"]
    assert write_scalars(iter(rows), board) == len(outcomes)
    assert board.closed
    losses = [(value, step) for tag, value, step in board.scalars if tag == "training_loss_percent/candidate"]
    expected = [(-100 * r["train_fitness"], r["told"]) for r in outcomes if r["train_fitness"] is not None]
    assert losses == [(pytest.approx(loss), step) for loss, step in expected]
    best = [value for tag, value, _ in board.scalars if tag == "training_loss_percent/best"]
    assert best == sorted(best, reverse=True)
    assert best[-1] == pytest.approx(min(loss for loss, _ in expected))


def read_scalars(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """Name → (step, value) in the order of a board's event file, each event framed by its length."""
    from tensorboardX.proto.event_pb2 import Event

    (path,) = folder.iterdir()
    data, place = path.read_bytes(), 0
    scalars: dict[str, list[tuple[int, float]]] = {}
    while place < len(data):
        (length,) = struct.unpack_from("<Q", data, place)
        event = Event.FromString(data[place + 12 : place + 12 + length])
        place += 12 + length + 4
        for value in event.summary.value:
            scalars.setdefault(value.tag, []).append((event.step, value.simple_value))
    return scalars


def test_a_board_holds_the_runs_losses_and_counts(say: Say, tmp_path: Path, runs: Path) -> None:
    """What is read back from the event files has the names, steps and values of the run."""
    pytest.importorskip("tensorboardX")
    said = say("export", FINISHED, "--to", "tensorboard", "-o", str(tmp_path / "board"))
    assert said.code == 0, said.err
    scalars = read_scalars(tmp_path / "board")
    rows = [json.loads(line) for line in say("export", FINISHED, "--follow").out.splitlines()]
    outcomes = [row for row in rows if row["what"] == "outcome"]
    for name, key in (("candidates", "candidate"), ("rejections", "rejection")):
        steps = [(row["told"], sum(r[key] is not None for r in outcomes[: row["told"]])) for row in outcomes]
        assert scalars[f"count/{name}"] == steps
    losses = [(r["told"], -100 * r["train_fitness"]) for r in outcomes if r["train_fitness"] is not None]
    assert scalars["training_loss_percent/candidate"] == [(at, pytest.approx(loss)) for at, loss in losses]
    watched = say("watch", FINISHED, "--json").document["progress"]
    assert [loss for _, loss in scalars["training_loss_percent/best"]] == pytest.approx(watched)
    assert scalars["training_loss_percent/best"][0][0] == 0
    assert not any("calls" in name or "usd" in name for name in scalars)


def test_a_board_holds_validation_calls_and_dollars(say: Say, tmp_path: Path) -> None:
    """Losses on validation and test are the candidates'; counts of calls end at what the run spent."""
    pytest.importorskip("tensorboardX")
    said = say("export", ASKED, "--to", "tensorboard", "-o", str(tmp_path / "board"))
    assert said.code == 0, said.err
    scalars = read_scalars(tmp_path / "board")
    rows = [json.loads(line) for line in say("export", ASKED, "--what", "candidates").out.splitlines()]
    for name, key in (("validation", "valid_fitness"), ("test", "test_fitness")):
        losses = [-100 * row[key] for row in rows if row[key] is not None]
        assert losses
        written = [loss for _, loss in scalars[f"{name}_loss_percent/candidate"]]
        assert sorted(written) == pytest.approx(sorted(losses))
    best = [loss for _, loss in scalars["validation_loss_percent/best"]]
    assert best == sorted(set(best), reverse=True)
    assert best[-1] == min(loss for _, loss in scalars["validation_loss_percent/candidate"])
    assert "test_loss_percent/best" not in scalars
    spent = say("watch", ASKED, "--json").document
    assert spent["model_calls"] > 1
    for name, total in (("count/model_calls", "model_calls"), ("count/tokens", "tokens"), ("cost_usd",) * 2):
        values = [value for _, value in scalars[name]]
        assert values == sorted(values)
        assert values[-1] == pytest.approx(spent[total])


def test_dollars_end_where_a_price_is_unknown() -> None:
    """A sum that lacks a price is not drawn; the counts go on."""
    row = {"what": "outcome", "candidate": None, "rejection": "no_code", "train_fitness": None, "at": 1.0}
    prices = [0.25, 0.5, None, 0.5]
    rows = [row | {"told": n, "model_calls": 1, "tokens": 7, "cost_usd": c} for n, c in enumerate(prices, 1)]
    board = FakeBoard()
    write_scalars(rows, board)
    assert [(value, step) for tag, value, step in board.scalars if tag == "cost_usd"] == [
        (0.25, 1),
        (0.75, 2),
    ]
    assert [value for tag, value, _ in board.scalars if tag == "count/tokens"] == [7, 14, 21, 28]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--to", "wandb", "-o", "x"], "expected tensorboard"),
        (["--to", "tensorboard"], "name a folder with -o"),
        (["--follow", "-o", "x"], "redirect it"),
        (["--follow", "--what", "scores"], "leave them out"),
    ],
)
def test_wrong_words_are_refused(words: list[str], expected: str, say: Say) -> None:
    """Each mistake is one clear line."""
    said = say("export", FINISHED, *words)
    assert said.code == 2
    assert expected in " ".join(said.err.split())

"""`watch --web`: what the server answers, whom it answers, and what a poll changes."""

from __future__ import annotations

import hashlib
import http.client
import json
import re
import shutil
import socket
import sqlite3
import struct
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.views import web
from gapsmith.app.views.web import STATIC, LiveDocuments, LiveServer, key_of
from gapsmith.problems.base import Drawing, Shape

Say = Callable[..., Any]
MODEL = "20260103-101500-smtt-bbbb"


@pytest.fixture
def serve() -> Iterator[Callable[[Path], LiveServer]]:
    """Serves a run in a thread until the test ends."""
    servers = []

    def start(folder: Path) -> LiveServer:
        server = LiveServer(folder)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def source(server: LiveServer) -> LiveDocuments:
    """The documents of the one run that a server shows."""
    documents = server.runs.of(key_of(server.runs.folder))
    assert documents is not None
    return documents


def path(server: LiveServer) -> str:
    """Where the page of the one run is."""
    return server.path_of(server.runs.folder)


def ask(server: LiveServer, path: str, method: str = "GET", **headers: str) -> tuple[int, Any, str]:
    """Status, headers and body of an answer to a path below the token."""
    port = int(server.server_address[1])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, headers={"Host": f"127.0.0.1:{port}", **headers})
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read().decode("utf-8", "replace")


def test_page_runs_the_servers_files_alone_and_needs_no_network(
    serve: Callable[..., Any], runs: Path
) -> None:
    """No script or style stands in a page, the policy allows the server's own files, and all are there."""
    server = serve(runs / MODEL)
    for page in (path(server), server.path_of()):
        status, headers, text = ask(server, page)
        assert status == 200
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert re.findall(r"<script[^>]*>(.*?)</script>", text, re.S) == ["", ""]
        assert not re.search(r"<style|style=|\son\w+=|https?://", text)
        assert headers["Cache-Control"] == "no-store"
        names = [name.rsplit("/", 1)[-1] for name in re.findall(r'(?:src|href)="([^"]+\.\w+)"', text)]
        assert sorted(names) == sorted(STATIC)
    for name in STATIC:
        assert ask(server, server.path_of() + name)[0] == 200


def test_the_chart_library_is_the_published_one() -> None:
    """The shipped files of uPlot 1.6.32 have the published digests, and the licence is beside them."""
    folder = Path(web.__file__).parent / "templates"
    digests = {
        "uplot.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
        "uplot.css": "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
        "uplot-license.txt": "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
    }
    for name, digest in digests.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    assert "MIT License" in (folder / "uplot-license.txt").read_text("utf-8")


@pytest.mark.parametrize(
    ("path", "host"),
    [
        ("/", None),
        ("/live.json", None),
        ("/wrong-token/live.json", None),
        ("/{token}/live.json", "evil.example"),
        ("/{token}/live.json", "evil.example:{port}"),
        ("/{token}/../archive.sqlite", None),
        ("/{token}/archive.sqlite", None),
        ("/{token}/live.json", None),
        ("/{token}/templates/dashboard.js", None),
        ("/{token}/run", None),
        ("/{token}/run/000000000000/", None),
        ("/{token}/run/000000000000/live.json", None),
        ("/{token}/compare.json/a/b", None),
        ("/{token}/run/{key}", None),
        ("/{token}/run/{key}/candidate/zzzz", None),
        ("/{token}/run/{key}/candidate/..%2fx", None),
        ("/{token}/run/{key}/answer/kept", None),
        ("/{token}/run/{key}/answer/..", None),
        ("/{token}/run/{key}/iterations.json?kind=none", None),
        ("/{token}/run/{key}/iterations.json?before=-1", None),
        ("/{token}/run/{key}/../archive.sqlite", None),
    ],
)
def test_strangers_find_nothing(serve: Callable[..., Any], runs: Path, path: str, host: str | None) -> None:
    """Without the token, with another host's name, and for files of the run the answer is 404."""
    server = serve(runs / MODEL)
    words = {"token": server.token, "port": server.server_address[1], "key": key_of(runs / MODEL)}
    headers = {} if host is None else {"Host": host.format(**words)}
    status, _, text = ask(server, path.format(**words), **headers)
    assert (status, text) == (404, "not found\n")


def test_another_origin_finds_nothing(serve: Callable[..., Any], runs: Path) -> None:
    """A page of another origin gets nothing, even with the right address; the page's own requests do."""
    server = serve(runs / MODEL)
    own = f"http://127.0.0.1:{server.server_address[1]}"
    answers = {
        o: ask(server, path(server) + "live.json", Origin=o)[0] for o in (own, "http://evil.example", "null")
    }
    assert answers == {own: 200, "http://evil.example": 404, "null": 404}


def test_server_listens_on_loopback_and_only_answers_get(serve: Callable[..., Any], runs: Path) -> None:
    """It is bound to 127.0.0.1, and another method is refused."""
    server = serve(runs / MODEL)
    assert server.server_address[0] == "127.0.0.1"
    assert ask(server, path(server) + "live.json", "POST")[0] == 501
    assert ask(server, "*")[0] == 404


def test_live_document_is_that_of_watch(serve: Callable[..., Any], runs: Path, say: Say) -> None:
    """The page gets what `watch --json` prints, the marks of baselines, and the newest candidates."""
    server = serve(runs / MODEL)
    live = json.loads(ask(server, path(server) + "live.json")[2])
    watched = say("watch", MODEL, "--json").document
    assert {key: live[key] for key in watched} == watched
    assert {"edd", "mdd", "start program"} == {mark["name"] for mark in live["marks"]}
    newest = live["newest"]
    assert [row["iteration"] for row in newest] == sorted((r["iteration"] for r in newest), reverse=True)
    candidate = json.loads(ask(server, path(server) + f"candidate/{newest[0]['id']}")[2])
    shown = say("show", MODEL, newest[0]["id"], "--json").document
    assert candidate["source"] in shown["files"].values()
    assert candidate["diff"].startswith("---")


def test_a_poll_without_change_reads_nothing(
    serve: Callable[..., Any], runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the store stays as it is, further polls get the same document without opening the store."""
    server = serve(runs / MODEL)
    first = source(server).live()
    monkeypatch.setattr(web, "open_record", lambda *_, **__: pytest.fail("the store was opened"))
    assert source(server).live() == first


def test_the_server_reads_the_whole_run_before_its_first_poll(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A poll checks no rows: the command did so before it gave the address."""
    from gapsmith.app.runs.record import open_record

    source, checks = web.LiveDocuments(runs / MODEL), []
    with open_record(runs / MODEL) as record:
        source.begin(record)

    def opening(folder: Path, *, checked: bool = True) -> Any:
        checks.append(checked)
        return open_record(folder, checked=checked)

    monkeypatch.setattr(web, "open_record", opening)
    assert json.loads(source.live()) == json.loads(web.LiveDocuments(runs / MODEL).live())
    assert checks == [False, True, False]


def test_hostile_texts_stay_texts(serve: Callable[..., Any], runs: Path, tmp_path: Path) -> None:
    """Markup in the run's name is escaped; operators come as data without unseen characters."""
    folder = shutil.copytree(runs / MODEL, tmp_path / "<script>alert(1)<&script>")
    with sqlite3.connect(folder / "archive.sqlite") as store:
        store.execute("UPDATE candidates SET operator = ?", ("<img src=x>\x1b[31m\u202e",))
    store.close()
    server = serve(folder)
    text = ask(server, path(server))[2]
    assert "<script>alert" not in text
    assert text.count("<script") == 2
    newest = json.loads(ask(server, path(server) + "live.json")[2])["newest"]
    assert all(row["made"].startswith("<img src=x>") for row in newest)
    assert not any(character in row["made"] for row in newest for character in "\x1b\u202e")


@pytest.mark.slow
def test_report_on_demand(serve: Callable[..., Any], runs: Path) -> None:
    """The full report comes from the store as it is now."""
    server = serve(runs / MODEL)
    status, _, text = ask(server, path(server) + "report")
    assert status == 200
    assert "In one minute" in text


def test_port_alone_is_refused(say: Say) -> None:
    """A port without the page is a mistake."""
    said = say("watch", MODEL, "--port", "8123")
    assert said.code == 2
    assert "--web" in said.err


@pytest.mark.parametrize("where", ["live.json", "report", "candidate/aa"])
@pytest.mark.parametrize("damage", ["other bytes", "no file", "a text", "another table", "controls"])
def test_a_damaged_record_is_an_answer(
    serve: Callable[..., Any],
    runs: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    where: str,
    damage: str,
) -> None:
    """The browser gets one clean sentence, and the terminal no traceback and no escape sequence."""
    folder = Path(shutil.copytree(runs / MODEL, tmp_path / "run"))
    server, store = serve(folder), folder / "archive.sqlite"
    if damage == "other bytes":
        store.write_bytes(store.read_bytes()[:4096] + b"\x1b[2J" * 5000)
    elif damage == "no file":
        store.unlink()
    elif damage == "a text":
        store.write_text("\x1b]0;owned\x07")
    elif damage == "another table":
        with sqlite3.connect(store) as db:
            db.execute("ALTER TABLE iterations RENAME TO [\x1b[2J]")
        db.close()
    else:
        with sqlite3.connect(store) as db:
            db.execute("UPDATE run SET value = ?", (json.dumps({"\x1b[2J": "\x1b]0;owned\x07"}),))
        db.close()
    status, _, text = ask(server, path(server) + where)
    assert (status, text) == (404, "not found\n") or (
        status == 503 and json.loads(text)["error"].replace("\n", "").isprintable()
    )
    assert ask(server, path(server))[0] == 200
    said = "".join(capfd.readouterr())
    assert "Traceback" not in said
    assert "\x1b" not in said


def test_any_exception_is_an_answer(
    serve: Callable[..., Any], runs: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """What nobody foresaw is said in the browser, cleaned and within a limit; the server goes on."""
    server = serve(runs / MODEL)
    trouble = ZeroDivisionError("\x1b[2J" + "x" * 10_000)
    with monkeypatch.context() as patch:
        patch.setattr(source(server), "live", lambda: (_ for _ in ()).throw(trouble))
        status, _, text = ask(server, path(server) + "live.json")
    assert (status, len(text) < 3000, "\x1b" in text) == (503, True, False)
    assert ask(server, path(server) + "live.json")[0] == 200
    assert "Traceback" not in "".join(capfd.readouterr())


def test_a_request_that_is_none_leaves_no_traceback(
    serve: Callable[..., Any], runs: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Bytes that are no request, and a connection that is cut, end the connection alone."""
    server = serve(runs / MODEL)
    for sent in (
        b"\x1b[2J\r\n\r\n",
        b"GET /\x1b[2J HTTP/9.9\r\n\r\n",
        b"GET * HTTP/1.1\r\n\r\n",
        b"GET " + b"x" * 70_000,
        b"\x16\x03\x01",
    ):
        with socket.create_connection(("127.0.0.1", server.server_address[1])) as raw:
            raw.sendall(sent)
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert ask(server, path(server) + "live.json")[0] == 200
    said = "".join(capfd.readouterr())
    assert "Traceback" not in said
    assert "\x1b" not in said


@pytest.fixture
def board(runs: Path) -> Iterator[LiveServer]:
    """A server of all runs of a folder, which may run nothing."""
    server = LiveServer(runs, every=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def document(server: LiveServer, where: str) -> Any:
    """A document below the token."""
    status, _, text = ask(server, server.path_of() + where)
    assert status == 200, text
    return json.loads(text)


def test_all_runs_of_a_folder_are_listed(board: LiveServer, runs: Path, say: Say) -> None:
    """The page of all runs has the rows of `list --json`, newest first, each with the key of its page."""
    rows = document(board, "runs.json")["runs"]
    listed = say("list", "--json").document
    listed = listed if isinstance(listed, list) else listed["runs"]
    assert [row["run"] for row in rows] == [row["run"] for row in reversed(listed)]
    assert [row["best_gap_percent"] for row in rows] == [row["best_gap_percent"] for row in reversed(listed)]
    for row in rows:
        assert document(board, f"run/{row['key']}/live.json")["run"] == row["run"]


def test_a_run_is_told_whole(board: LiveServer, runs: Path, say: Say) -> None:
    """Verdict, family, lineage and spending of the page are those that `show` and `lineage` print."""
    where = f"run/{key_of(runs / MODEL)}/"
    facts = document(board, where + "facts.json")
    shown = say("show", MODEL, "--json").document
    assert facts["headline"]["text"] == shown["headline"]["text"]
    assert facts["best"] == shown["best"]["candidate"]
    assert facts["lineage"][-1]["id"] == facts["best"][:8]
    assert [row[0] for row in facts["calls"]] == ["openai/test-model"]
    ids = {node["id"] for node in facts["tree"]}
    assert all(node["parent"] is None or node["parent"] in ids for node in facts["tree"])
    assert {node["id"] for node in facts["tree"] if node["line"]} >= {step["id"] for step in facts["lineage"]}
    kinds = {point["kind"] for point in facts["times"]}
    assert {"best", "baseline"} <= kinds
    points = document(board, where + "progress.json")
    assert min(point[2] for point in points) == min(document(board, where + "live.json")["progress"])


def test_every_iteration_is_found_with_its_reason(board: LiveServer, runs: Path, say: Say) -> None:
    """Pages of iterations hold each once; a filter and a search leave those that fit, with their reasons."""
    where = f"run/{key_of(runs / MODEL)}/iterations.json"
    every = say("export", MODEL, "--what", "iterations", "--json").document["rows"]
    rows = document(board, where)
    numbers = [row["iteration"] for row in reversed(every)]
    assert [row["iteration"] for row in rows] == numbers[:15]
    rest = document(board, f"{where}?before={rows[5]['iteration']}")
    assert [row["iteration"] for row in rest] == numbers[6:21]
    rejected = {row["iteration"]: row for row in every if row["rejection"]}
    assert rejected
    found = document(board, where + "?kind=rejected")
    assert {row["iteration"]: row["status"] for row in found} == {
        number: row["rejection"] for number, row in rejected.items()
    }
    failed = document(board, where + "?kind=failed")
    assert [row["why"] for row in failed if row["status"] == "failed" and ":" not in row["why"]] == []
    one = next(row for row in rows if row["id"])
    assert [row["iteration"] for row in document(board, f"{where}?text={one['id']}")] == [one["iteration"]]
    assert document(board, where + "?text='%20OR%201") == []


def test_a_candidate_is_shown_with_its_groups(board: LiveServer, runs: Path, say: Say) -> None:
    """The best candidate's page has its idea, family and mean gap by group, as `show --json` has them."""
    where = f"run/{key_of(runs / MODEL)}/"
    best = document(board, where + "facts.json")["best"]
    candidate = document(board, where + f"candidate/{best}")
    shown = say("show", MODEL, best, "--json").document
    assert candidate["idea"] == shown["idea"]
    assert candidate["children"] == shown["children"]
    names = [row[0] for row in candidate["groups"]]
    assert names[0] == "all"
    assert set(shown["strata"]["train"]) <= set(names)
    assert candidate["groups"][0][2] == f"{shown['splits']['valid']['mean_gap_percent']:.2f} %"


def test_two_runs_are_compared(board: LiveServer, runs: Path) -> None:
    """Two keys give both verdicts, figures and curves; one key, or an unknown one, gives nothing."""
    keys = [key_of(runs / name) for name in (MODEL, "20260102-203301-smtt-aaaa")]
    two = document(board, f"compare.json/{'/'.join(keys)}")
    assert [side["run"] for side in two] == [MODEL, "20260102-203301-smtt-aaaa"]
    for side in two:
        assert side["curve"][-1][1] == min(point[1] for point in side["curve"])
    assert ask(board, board.path_of() + f"compare.json/{keys[0]}")[0] == 404


def test_answers_are_drawn_on_demand(runs: Path, tmp_path: Path) -> None:
    """The n-th instance's drawings come from what the caller draws with; the picture runs no script."""
    asked = []

    def draw(record: Any, id: str, instance: str) -> dict[str, Drawing]:
        asked.append((id == record.best, instance))
        return {"<script>": Drawing("a plan", "time", "", (Shape("rectangle", 0, 0, 5, 1, "j0", "job"),))}

    server = LiveServer(runs / MODEL, draw=draw)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        status, headers, text = ask(server, path(server) + "answer/1")
        assert (status, headers["Content-Type"]) == (200, "image/svg+xml")
        assert "a plan" in text
        assert "<script" not in text
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert len(asked) == 1
        assert asked[0][0]
        assert ask(server, path(server) + "answer/99999")[0] == 404
    finally:
        server.shutdown()
        server.server_close()


def test_four_views_say_the_same_of_a_run(runs: Path, say: Say) -> None:
    """Terminal, `watch`, page and report give one value to each figure that they share."""
    from gapsmith.app.runs.record import open_record
    from gapsmith.app.views import report

    for name in (MODEL, "20260102-203301-smtt-aaaa"):
        watched = say("watch", name, "--json").document
        shown = say("show", name, "--json").document
        server = LiveServer(runs / name)
        try:
            live, facts = json.loads(source(server).live()), json.loads(source(server).facts())
        finally:
            server.server_close()
        with open_record(runs / name) as record:
            found = report.context(record)
        views = [watched, live, {**shown, "best": shown["best"]["candidate"]}]
        for key in ("status", "stop_reason", "iterations", "evaluations", "executions", "best", "rejections"):
            assert len({json.dumps(view[key], sort_keys=True) for view in views}) == 1, key
        assert live["budget_used"] == watched["budget_used"]
        assert live["budget_used"]["executions"] < live["executions"]  # the budget counts the search alone
        usage = shown["usage"]
        for view in (watched, live):
            assert view["wall_seconds"] == usage["wall_seconds"]
            assert view["model_calls"] == usage["model_calls"]
            assert view["tokens"] == usage["tokens_in"] + usage["tokens_out"]
            assert view["cost_usd"] == pytest.approx(usage["cost_usd"])
            gap = shown["best"]["splits"]["valid"]["mean_gap_percent"]
            assert view["best_gap_percent"] == pytest.approx(gap)
        assert facts["headline"]["text"] == shown["headline"]["text"] == found["headline"]["text"]
        assert facts["cost"] == found["cost"]
        assert facts["tiles"] == found["tiles"]
        assert [told for told in found["answers"] if told in facts["answers"]] == facts["answers"] != []

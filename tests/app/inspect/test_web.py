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
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.views.web import LiveServer

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


def ask(server: LiveServer, path: str, method: str = "GET", **headers: str) -> tuple[int, Any, str]:
    """Status, headers and body of an answer to a path below the token."""
    port = int(server.server_address[1])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, headers={"Host": f"127.0.0.1:{port}", **headers})
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read().decode("utf-8", "replace")


def test_page_runs_its_own_script_alone_and_needs_no_network(serve: Callable[..., Any], runs: Path) -> None:
    """The policy names the hashes of the one style and the one script; nothing is loaded from elsewhere."""
    server = serve(runs / MODEL)
    status, headers, text = ask(server, f"/{server.token}/")
    assert status == 200
    policy = headers["Content-Security-Policy"]
    for tag in ("style", "script"):
        (body,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.S)
        assert f"{tag}-src 'sha256-{b64encode(hashlib.sha256(body.encode()).digest()).decode()}'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)
    assert headers["Cache-Control"] == "no-store"


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
        ("/{token}/candidate/zzzz", None),
        ("/{token}/candidate/..%2fx", None),
    ],
)
def test_strangers_find_nothing(serve: Callable[..., Any], runs: Path, path: str, host: str | None) -> None:
    """Without the token, with another host's name, and for files of the run the answer is 404."""
    server = serve(runs / MODEL)
    words = {"token": server.token, "port": server.server_address[1]}
    headers = {} if host is None else {"Host": host.format(**words)}
    status, _, text = ask(server, path.format(**words), **headers)
    assert (status, text) == (404, "not found\n")


def test_server_listens_on_loopback_and_only_answers_get(serve: Callable[..., Any], runs: Path) -> None:
    """It is bound to 127.0.0.1, and another method is refused."""
    server = serve(runs / MODEL)
    assert server.server_address[0] == "127.0.0.1"
    assert ask(server, f"/{server.token}/live.json", "POST")[0] == 501


def test_live_document_is_that_of_watch(serve: Callable[..., Any], runs: Path, say: Say) -> None:
    """The page gets what `watch --json` prints, the marks of baselines, and the newest candidates."""
    server = serve(runs / MODEL)
    live = json.loads(ask(server, f"/{server.token}/live.json")[2])
    watched = say("watch", MODEL, "--json").document
    assert {key: live[key] for key in watched} == watched
    assert {"edd", "mdd", "start program"} == {mark["name"] for mark in live["marks"]}
    newest = live["newest"]
    assert [row["iteration"] for row in newest] == sorted((r["iteration"] for r in newest), reverse=True)
    candidate = json.loads(ask(server, f"/{server.token}/candidate/{newest[0]['id']}")[2])
    shown = say("show", MODEL, newest[0]["id"], "--json").document
    assert candidate["source"] in shown["files"].values()
    assert candidate["diff"].startswith("---")


def test_a_poll_without_change_reads_nothing(
    serve: Callable[..., Any], runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the store stays as it is, further polls get the same document without opening the store."""
    from gapsmith.app.views import web

    server = serve(runs / MODEL)
    first = server.source.live()
    monkeypatch.setattr(web, "open_record", lambda *_, **__: pytest.fail("the store was opened"))
    assert server.source.live() == first


def test_the_server_reads_the_whole_run_before_its_first_poll(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A poll checks no rows: the command did so before it gave the address."""
    from gapsmith.app.runs.record import open_record
    from gapsmith.app.views import web

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
    text = ask(server, f"/{server.token}/")[2]
    assert "<script>alert" not in text
    assert text.count("<script") == 1
    newest = json.loads(ask(server, f"/{server.token}/live.json")[2])["newest"]
    assert all(row["made"].startswith("<img src=x>") for row in newest)
    assert not any(character in row["made"] for row in newest for character in "\x1b\u202e")


@pytest.mark.slow
def test_report_on_demand(serve: Callable[..., Any], runs: Path) -> None:
    """The full report comes from the store as it is now."""
    server = serve(runs / MODEL)
    status, _, text = ask(server, f"/{server.token}/report")
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
    status, _, text = ask(server, f"/{server.token}/{where}")
    assert (status, text) == (404, "not found\n") or (
        status == 503 and json.loads(text)["error"].replace("\n", "").isprintable()
    )
    assert ask(server, f"/{server.token}/")[0] == 200
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
        patch.setattr(server.source, "live", lambda: (_ for _ in ()).throw(trouble))
        status, _, text = ask(server, f"/{server.token}/live.json")
    assert (status, len(text) < 3000, "\x1b" in text) == (503, True, False)
    assert ask(server, f"/{server.token}/live.json")[0] == 200
    assert "Traceback" not in "".join(capfd.readouterr())


def test_a_request_that_is_none_leaves_no_traceback(
    serve: Callable[..., Any], runs: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Bytes that are no request, and a connection that is cut, end the connection alone."""
    server = serve(runs / MODEL)
    for sent in (
        b"\x1b[2J\r\n\r\n",
        b"GET /\x1b[2J HTTP/9.9\r\n\r\n",
        b"GET " + b"x" * 70_000,
        b"\x16\x03\x01",
    ):
        with socket.create_connection(("127.0.0.1", server.server_address[1])) as raw:
            raw.sendall(sent)
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert ask(server, f"/{server.token}/live.json")[0] == 200
    said = "".join(capfd.readouterr())
    assert "Traceback" not in said
    assert "\x1b" not in said

"""The dashboard: a server on the loopback address that shows one run, or all runs of a folder."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import os
import secrets
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import parse_qsl

from ...evolve.store.progress import iteration_page, training_fitness
from ...evolve.store.schema import FILE_NAME
from ...evolve.store.tally import Tally
from ...problems.base import Drawing
from ...sandbox.unseen import clean as seen
from ..errors import USAGE, UserError, known_error
from ..formatting import clean, json_text
from ..runs.figures import LOSS, REPORTED
from ..runs.folders import all_runs, misnamed
from ..runs.record import SHORT, RunRecord, open_record, run_row
from .run_page import candidate_page, instances_of, progress_points, run_facts, side
from .watch import LEAST_SECONDS, budget_words, snapshot

ADDRESS = "127.0.0.1"
_log = logging.getLogger("gapsmith.web")
_SHARE = 0.01
"""Share of one core that polls may use: the pause between two grows with the CPU time of one."""
_NEWEST = 12
_MOST_RUNS = 500
_PAGE = 15
KINDS_OF_ROWS = ("all", "candidates", "rejected", "failed")
_MARKS = 6
_LONGEST = 300
"""Of a name or sentence in the state of a campaign (characters)."""
_TROUBLE = 2000
"""Longest text of an error that a browser is shown (characters)."""


Draw = Callable[[RunRecord, str, str], Mapping[str, Drawing]]
"""Draws the answers of a candidate (id) and of the best baseline to an instance (id): title → drawing."""


class LiveServer(ThreadingHTTPServer):
    """Serves one run, or all of a folder, to browsers of this machine, under an address nobody can guess."""

    daemon_threads = True

    def __init__(self, folder: Path, port: int = 0, *, every: bool = False, draw: Draw | None = None) -> None:
        """Takes what to show and a port, 0 for any that is free.

        Args:
            folder: of a run, or of runs.
            port: to listen on.
            every: whether `folder` holds the runs.
            draw: draws answers that the run does not keep; None where nothing may be run.

        Raises:
            UserError: the port is taken or not allowed.
        """
        self.runs = RunBoard(folder, every=every, draw=draw)
        self.token = secrets.token_urlsafe(24)
        try:
            super().__init__((ADDRESS, port), _Handler)
        except OSError as error:
            raise UserError(
                USAGE, f"--port {port}: {error.strerror}", "leave it out for a free one"
            ) from error
        self.hosts = {f"{name}:{self.server_address[1]}" for name in (ADDRESS, "localhost")}

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says of a connection that failed only what kind of error it was: a text could hold anything."""
        _log.warning("a request was not answered: %s", type(sys.exception()).__name__)

    def path_of(self, folder: Path | None = None) -> str:
        """Where the page of a run is, or of all runs, below the host."""
        return f"/{self.token}/" + ("" if folder is None else f"run/{key_of(folder)}/")

    def address_of(self, folder: Path | None = None) -> str:
        """The address of the page of a run, or of all runs."""
        return f"http://{ADDRESS}:{self.server_address[1]}{self.path_of(folder)}"


def key_of(folder: Path) -> str:
    """What stands for a run in addresses, whatever characters its name has."""
    return hashlib.sha256(folder.resolve().name.encode("utf-8", "surrogateescape")).hexdigest()[:12]


class RunBoard:
    """The runs that a server shows, and their documents.

    Attributes:
        folder: of the one run, or of all.
    """

    def __init__(self, folder: Path, *, every: bool, draw: Draw | None = None) -> None:
        """Takes the arguments of the server."""
        self.folder = folder
        self._every = every
        self._draw = draw
        self._lock = Lock()
        self._documents: dict[str, LiveDocuments] = {}
        self._rows: dict[str, tuple[object, dict[str, Any]]] = {}

    def of(self, key: str) -> LiveDocuments | None:
        """The documents of a run; None if there is none of this key."""
        with self._lock:
            if key not in self._documents:
                folder = next((f for f in self._folders() if key_of(f) == key), None)
                if folder is None:
                    return None
                self._documents[key] = LiveDocuments(folder, self._draw)
            return self._documents[key]

    def _folders(self) -> list[Path]:
        if not self._every:
            return [self.folder]
        return [folder for folder in all_runs(self.folder) if not misnamed(folder)]

    def rows(self) -> bytes:
        """All runs, newest first, as JSON; of a run that ended only what changed is read again."""
        with self._lock:
            spent = time.thread_time()
            rows = [self._row(folder) for folder in reversed(self._folders()[-_MOST_RUNS:])]
            pause = max(2 * LEAST_SECONDS, (time.thread_time() - spent) / _SHARE)
            return json_text({"runs": _shortened(rows), "pause_seconds": pause}).encode()

    def _row(self, folder: Path) -> dict[str, Any]:
        key = key_of(folder)
        now = stamp_of(folder)
        before = self._rows.get(key)
        if before is None or before[0] != now or before[1]["status"] in ("running", "preparing"):
            row = {
                name: clean(value) if isinstance(value, str) else value
                for name, value in run_row(folder).items()
            }
            self._rows[key] = before = (now, {"key": key, **row})
        return before[1]

    def compared(self, keys: list[str]) -> bytes | None:
        """Two runs side by side as JSON; None if one of them is not there."""
        runs = [self.of(key) for key in keys]
        if len(runs) != 2 or None in runs:
            return None
        return json_text([run.side() for run in runs if run is not None]).encode()


def stamp_of(folder: Path) -> object:
    """What changes when the store of a run is written to, or the campaign ends."""
    stats = []
    for name in (FILE_NAME, f"{FILE_NAME}-wal", "STOP"):
        with suppress(OSError):
            stat = os.stat(f"{folder}/{name}")
            stats.append((name, stat.st_mtime_ns, stat.st_size))
    return stats


class LiveDocuments:
    """Answers of the server, made from the store; one thread at a time makes a document of each kind."""

    def __init__(self, folder: Path, draw: Draw | None = None) -> None:
        """Takes the run's folder, and what draws answers."""
        self._folder = folder
        self._draw = draw
        self._lock, self._slow_lock = Lock(), Lock()
        self._kept: dict[str, tuple[object, float, bytes]] = {}
        self._tally = Tally()
        self._marks: list[dict[str, Any]] | None = None
        self._live: tuple[object, float, bytes] = (None, 0.0, b"")

    @property
    def name(self) -> str:
        """Name of the run."""
        return self._folder.resolve().name

    def begin(self, record: RunRecord) -> None:
        """Reads the whole run once; polls read only what is new since."""
        live_document(record, self._tally)
        self._marks = marks(record)

    def live(self) -> bytes:
        """The state of the campaign as JSON; the last one again while nothing changed or its pause lasts."""
        with self._lock:
            stamp, until, document = self._live
            if document and (time.monotonic() < until or stamp == stamp_of(self._folder)):
                return document
            if self._marks is None:
                with open_record(self._folder) as record:
                    self.begin(record)
            stamp = stamp_of(self._folder)
            spent = time.thread_time()
            with open_record(self._folder, checked=False) as record:
                now = live_document(record, self._tally)
            pause = max(2 * LEAST_SECONDS, (time.thread_time() - spent) / _SHARE)
            document = json_text({**_shortened(now), "marks": self._marks, "pause_seconds": pause}).encode()
            self._live = (stamp, time.monotonic() + pause / 2, document)
            return document

    def candidate(self, id: str) -> bytes | None:
        """A candidate's source and its changes to the parent as JSON; None if there is none of this id."""
        with open_record(self._folder, checked=False) as record:
            ids = record.reader.candidate_ids(id)
            if len(ids) != 1:
                return None
            return json_text(candidate_page(record, ids[0])).encode()

    def iterations(self, query: Mapping[str, str]) -> bytes | None:
        """A page of the iterations before one, as JSON; None for a query that is none."""
        before = query.get("before", "")
        kind = query.get("kind", "all")
        if kind not in KINDS_OF_ROWS or not (before == "" or (before.isdecimal() and len(before) < 12)):
            return None
        with open_record(self._folder, checked=False) as record:
            number = int(before) if before else None
            rows = iteration_page(record.reader, _PAGE, number, kind, query.get("text", "")[:80])
        for row in rows:
            row |= {name: clean(row[name]) for name in ("made", "status", "why")}
            row["id"] = row["id"] and row["id"][:SHORT]
        return json_text(_shortened(rows)).encode()

    def facts(self) -> bytes:
        """Verdict, times, lineage and spending as JSON."""
        return self._seldom("facts", run_facts)

    def progress(self) -> bytes:
        """Training losses by iteration as JSON."""
        return self._seldom("progress", progress_points)

    def _seldom(self, name: str, make: Callable[[RunRecord], Any]) -> bytes:
        """A document that costs more than a poll: the last one again while its pause lasts."""
        with self._slow_lock:
            stamp, until, document = self._kept.get(name, (None, 0.0, b""))
            if document and (time.monotonic() < until or stamp == stamp_of(self._folder)):
                return document
            stamp = stamp_of(self._folder)
            spent = time.thread_time()
            with open_record(self._folder, checked=False) as record:
                document = json_text(_shortened(make(record))).encode()
            self._kept[name] = (stamp, time.monotonic() + (time.thread_time() - spent) / _SHARE, document)
            return document

    def side(self) -> dict[str, Any]:
        """What a comparison shows of the run."""
        with open_record(self._folder) as record:
            found: dict[str, Any] = _shortened(side(record))
            return found

    def picture(self, which: str) -> bytes | None:
        """Answers of best candidate and best baseline, drawn: those kept, or to an instance by number.

        None where there is no such picture.
        """
        from .plots.canvas import render, styled
        from .plots.drawing import draw
        from .plots.kinds import KINDS

        with self._slow_lock, open_record(self._folder) as record:
            if which == "kept":
                figure = KINDS["answers"].draw(record)
                return None if figure is None else render(figure, "svg", which)
            ids = instances_of(record)
            if self._draw is None or record.best is None or not which.isdecimal() or int(which) >= len(ids):
                return None
            drawings = self._draw(record, record.best, ids[int(which)])
            with styled():
                return render(draw(drawings), "svg", which) if drawings else None

    def report(self) -> bytes:
        """The report as the store is now; takes some seconds of CPU time."""
        from .report import html

        with self._slow_lock, open_record(self._folder) as record:
            return html(record).encode("utf-8", "replace")


def live_document(record: RunRecord, tally: Tally) -> dict[str, Any]:
    """What `watch --json` says, with texts cleaned, and the newest candidates."""
    now = snapshot(record, tally)
    return {
        **now,
        "budget_words": budget_words(now),
        "rejections": {clean(name): n for name, n in now["rejections"].items()},
        **({"loss_words": f"{LOSS[0].upper()}{LOSS[1:]}."} if now.get("trust") == REPORTED else {}),
        "newest": [
            {**row, "id": row["id"][:SHORT], "made": clean(row["made"])}
            for row in tally.newest(record.reader, _NEWEST)
        ],
    }


def _shortened(value: Any) -> Any:
    """A document with texts and names of at most `_LONGEST` characters: a record may hold any text."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"
    if isinstance(value, Mapping):
        return {_shortened(name): _shortened(part) for name, part in value.items()}
    return [_shortened(part) for part in value] if isinstance(value, list) else value


def marks(record: RunRecord) -> list[dict[str, Any]]:
    """Training losses of the start program and the best baselines, for comparison with the best candidate."""
    programs = [("start program", record.start)] if record.start else []
    programs += [(program.split("/", 1)[1], program) for program in record.baselines()]
    losses = [(clean(name), training_fitness(record.reader, program or "")) for name, program in programs]
    found = [{"name": name, "loss_percent": -100 * f + 0.0} for name, f in losses if f is not None]
    found = _shortened(found)
    best = sorted(found, key=lambda mark: float(str(mark["loss_percent"])))[:_MARKS]
    return best + [mark for mark in found if mark["name"] == "start program" and mark not in best]


POLICY = (
    "default-src 'none'; connect-src 'self'; img-src 'self'; style-src 'self'; script-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What a page may load: the files of this server and nothing else; no script stands in a page."""
STATIC = {
    "dashboard.js": "text/javascript; charset=utf-8",
    "dashboard.css": "text/css; charset=utf-8",
    "uplot.js": "text/javascript; charset=utf-8",
    "uplot.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
"""Files of the pages → their types."""


def static(name: str) -> bytes:
    """A file of `templates/`."""
    return files(__package__).joinpath("templates", name).read_bytes()


def page(view: str, name: str) -> bytes:
    """The page of all runs (`board`) or of one (`run`), with its title; the script fills it."""
    text = static("dashboard.html").decode()
    root = "../../" if view == "run" else ""
    for mark, words in (("{view}", view), ("{root}", root), ("{name}", _escaped(name))):
        text = text.replace(mark, words)
    return text.encode("utf-8", "replace")


def _escaped(text: str) -> str:
    from html import escape

    return escape(seen(text, tab=" "))


_HTML = "text/html; charset=utf-8"
_JSON = "application/json"
_REPORT_POLICY = "frame-ancestors 'none'"
"""The report carries a policy of its own."""
_PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
"""Lets a picture style itself; a picture runs no script."""


class _Handler(BaseHTTPRequestHandler):
    """GET requests with the server's host and token; everything else is not found."""

    server: LiveServer
    protocol_version = "HTTP/1.1"  # a browser's polls share a connection and its thread
    server_version = "gapsmith"
    sys_version = ""
    timeout = 30

    def do_GET(self) -> None:
        """Answers a request; a record that cannot be read is an answer too."""
        try:
            self._answer()
        except ConnectionError:  # the browser went away
            self.close_connection = True
        except Exception as error:
            trouble = known_error(error)
            said = trouble.message if trouble else f"{type(error).__name__}: {error}"
            self._send_trouble(f"the record cannot be shown: {said}")

    def _answer(self) -> None:
        path, _, query = self.path.partition("?")
        nothing, _, inside = path.partition("/")  # `GET *` has no slash
        token, *rest = inside.split("/")
        right = hmac.compare_digest(token.encode("utf-8", "replace"), self.server.token.encode())
        origin = self.headers.get("Origin")
        own = origin is None or origin.removeprefix("http://") in self.server.hosts
        if nothing or self.headers.get("Host") not in self.server.hosts or not right or not own:
            self._send(None)
        elif len(rest) > 1 and rest[0] == "run":
            self._answer_of_run(rest[1], rest[2:], query)
        else:
            self._answer_of_board(rest)

    def _answer_of_board(self, rest: list[str]) -> None:
        board = self.server.runs
        if rest in ([], [""]):
            self._send(page("board", "all runs"), _HTML)
        elif len(rest) == 1 and rest[0] in STATIC:
            self._send(static(rest[0]), STATIC[rest[0]])
        elif rest == ["runs.json"]:
            self._send(board.rows(), _JSON)
        elif rest[0] == "compare.json":
            self._send(board.compared(rest[1:]), _JSON)
        else:
            self._send(None)

    def _answer_of_run(self, key: str, rest: list[str], query: str) -> None:
        documents = self.server.runs.of(key)
        if documents is None:
            self._send(None)
            return
        makers: Mapping[str, tuple[Callable[[], bytes | None], str]] = {
            "": (lambda: page("run", documents.name), _HTML),
            "live.json": (documents.live, _JSON),
            "facts.json": (documents.facts, _JSON),
            "progress.json": (documents.progress, _JSON),
            "iterations.json": (lambda: documents.iterations(dict(parse_qsl(query))), _JSON),
            "report": (documents.report, _HTML),
        }
        what = rest[1] if len(rest) == 2 and rest[1].isalnum() and rest[1].isascii() else ""
        if len(rest) == 1 and rest[0] in makers:
            make, kind = makers[rest[0]]
            self._send(make(), kind, _REPORT_POLICY if rest[0] == "report" else POLICY)
        elif what and rest[0] == "candidate":
            self._send(documents.candidate(what), _JSON)
        elif what and rest[0] == "answer":
            self._send(documents.picture(what), "image/svg+xml", _PICTURE_POLICY)
        else:
            self._send(None)

    def _send_trouble(self, said: str) -> None:
        text = json.dumps({"error": clean(said)[:_TROUBLE]}).encode("utf-8", "replace")
        self._send(text, "application/json", status=HTTPStatus.SERVICE_UNAVAILABLE)

    def _send(
        self,
        body: bytes | None,
        kind: str = "text/plain",
        policy: str = POLICY,
        status: HTTPStatus = HTTPStatus.OK,
    ) -> None:
        """Sends a body; without one, that there is nothing here."""
        if body is None:
            status = HTTPStatus.NOT_FOUND
            body = b"not found\n"
            kind = "text/plain"
        with suppress(ConnectionError):  # the browser went away
            self.send_response(status)
            for name, value in (
                ("Content-Type", kind),
                ("Content-Length", str(len(body))),
                ("Content-Security-Policy", policy),
                ("Cache-Control", "no-store"),
                ("X-Content-Type-Options", "nosniff"),
                ("Referrer-Policy", "no-referrer"),
                ("Cross-Origin-Resource-Policy", "same-origin"),
            ):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, format: str, *values: Any) -> None:
        """Says nothing: the address holds the token."""

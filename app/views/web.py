"""The live view in a browser: a server on the loopback address; apart, as a terminal needs none."""

from __future__ import annotations

import base64
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

from ...evolve.store.progress import training_fitness
from ...evolve.store.schema import FILE_NAME
from ...evolve.store.tally import Tally
from ...sandbox.unseen import clean as seen
from ..error_mapping import known_error
from ..errors import USAGE, UserError
from ..formatting import clean
from ..runs.figures import LOSS, REPORTED
from ..runs.record import SHORT, RunRecord, open_record
from .history import loss, unified
from .watch import LEAST_SECONDS, snapshot

ADDRESS = "127.0.0.1"
_log = logging.getLogger("gapsmith.web")
_SHARE = 0.01
"""Share of one core that polls may use: the pause between two grows with the CPU time of one."""
_NEWEST = 12
_MARKS = 6
_LONGEST = 300
"""Of a name or sentence in the state of a campaign (characters)."""
_TROUBLE = 2000
"""Longest text of an error that a browser is shown (characters)."""


class LiveServer(ThreadingHTTPServer):
    """Serves one run to browsers of this machine, under an address that nobody can guess."""

    daemon_threads = True

    def __init__(self, folder: Path, port: int = 0) -> None:
        """Takes the run's folder and a port, 0 for any that is free.

        Raises:
            UserError: the port is taken or not allowed.
        """
        self.source = LiveDocuments(folder)
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

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{ADDRESS}:{self.server_address[1]}/{self.token}/"


class LiveDocuments:
    """Answers of the server, made from the store; one thread at a time makes a document of each kind."""

    def __init__(self, folder: Path) -> None:
        """Takes the run's folder."""
        self._folder = folder
        self._lock, self._report_lock = Lock(), Lock()
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
            if document and (time.monotonic() < until or stamp == self._stamp()):
                return document
            if self._marks is None:
                with open_record(self._folder) as record:
                    self.begin(record)
            stamp = self._stamp()
            spent = time.thread_time()
            with open_record(self._folder, checked=False) as record:
                now = live_document(record, self._tally)
            pause = max(2 * LEAST_SECONDS, (time.thread_time() - spent) / _SHARE)
            document = json.dumps({**_shortened(now), "marks": self._marks, "pause_seconds": pause}).encode()
            self._live = (stamp, time.monotonic() + pause / 2, document)
            return document

    def _stamp(self) -> object:
        """What changes when the store is written to, or the campaign ends."""
        stats = []
        for name in (FILE_NAME, f"{FILE_NAME}-wal", "STOP"):
            with suppress(OSError):
                stat = os.stat(f"{self._folder}/{name}")
                stats.append((name, stat.st_mtime_ns, stat.st_size))
        return stats

    def candidate(self, id: str) -> bytes | None:
        """A candidate's source and its changes to the parent as JSON; None if there is none of this id."""
        with open_record(self._folder, checked=False) as record:
            ids = record.reader.candidate_ids(id)
            if len(ids) != 1:
                return None
            candidate = record.candidate(ids[0])
            parent = candidate.parents[0] if candidate.parents else None
            document = {
                "id": candidate.id[:SHORT],
                "iteration": candidate.iteration,
                "made": clean(candidate.operator or candidate.origin.value),
                "parent": parent and parent[:SHORT],
                "training_loss_percent": loss(record, candidate.id),
                "source": clean("\n".join(candidate.files.values())),
                "diff": "" if parent is None else unified(record, parent, candidate.id),
            }
        return json.dumps(document).encode()

    def report(self) -> bytes:
        """The report as the store is now; takes some seconds of CPU time."""
        from .report import html

        with self._report_lock, open_record(self._folder) as record:
            return html(record).encode("utf-8", "replace")


def live_document(record: RunRecord, tally: Tally) -> dict[str, Any]:
    """What `watch --json` says, with texts cleaned, and the newest candidates."""
    now = snapshot(record, tally)
    return {
        **now,
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


def page(name: str) -> tuple[bytes, str]:
    """The page of the live view, and the policy that lets its own style and script run and nothing else."""
    folder = files(__package__).joinpath("templates")
    style = folder.joinpath("live.css").read_text()
    script = folder.joinpath("live.js").read_text()
    body = folder.joinpath("live.html").read_text()
    text = (
        body.replace("/*style*/", style).replace("/*script*/", script).replace("<!--run-->", _escaped(name))
    )
    hashes = [base64.b64encode(hashlib.sha256(t.encode()).digest()).decode() for t in (style, script)]
    policy = (
        f"default-src 'none'; connect-src 'self'; style-src 'sha256-{hashes[0]}'; "
        f"script-src 'sha256-{hashes[1]}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return text.encode(), policy


def _escaped(text: str) -> str:
    from html import escape

    return escape(seen(text, tab=" "))


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
        host, (_, token, *rest) = self.headers.get("Host"), f"{self.path}/".split("/", 2)
        right = hmac.compare_digest(token.encode("utf-8", "replace"), self.server.token.encode())
        if host not in self.server.hosts or not right:
            self._send(None)
            return
        where = rest[0].rstrip("/") if rest else ""
        source = self.server.source
        makers: Mapping[str, tuple[Callable[[], bytes | None], str]] = {
            "live.json": (source.live, "application/json"),
            "report": (source.report, "text/html; charset=utf-8"),
        }
        if where == "":
            text, policy = page(source.name)
            self._send(text, "text/html; charset=utf-8", policy)
        elif where in makers:
            make, kind = makers[where]
            self._send(make(), kind)
        elif where.startswith("candidate/") and where[10:].isalnum():
            self._send(source.candidate(where[10:]), "application/json")
        else:
            self._send(None)

    def _send_trouble(self, said: str) -> None:
        text = json.dumps({"error": clean(said)[:_TROUBLE]}).encode("utf-8", "replace")
        self._send(text, "application/json", status=HTTPStatus.SERVICE_UNAVAILABLE)

    def _send(
        self,
        body: bytes | None,
        kind: str = "text/plain",
        policy: str = "frame-ancestors 'none'",
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

"""`watch --web` as its user meets it: a real server process and a real browser beside a growing run."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.runs.folders import at_work
from gapsmith.app.runs.stored_run import DRAWING_KEY, StoredDrawings, encode
from gapsmith.evolve.store.store import Store
from gapsmith.evolve.types import AddStatus, Origin, Rejection, RejectionReason
from gapsmith.problems.base import Drawing, Shape

pytestmark = pytest.mark.browser
AXE = Path(__file__).parents[3] / "build" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
_SECONDS = 30.0
"""Longest wait for what the page must show."""


class Browser:
    """A headless Chromium that is told what to do through two pipes (DevTools protocol)."""

    def __init__(self, chromium: str, profile: Path) -> None:
        """Starts the browser with a new page."""
        to_child, self._write = os.pipe()
        self._read, from_child = os.pipe()
        flags = "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking"
        words = [chromium, *flags.split(), "--remote-debugging-pipe", f"--user-data-dir={profile}"]
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$0" "$@" 3<&{to_child} 4>&{from_child}', *words, "about:blank"],
            pass_fds=(to_child, from_child),
            stderr=subprocess.DEVNULL,
        )
        os.close(to_child)
        os.close(from_child)
        self._number, self._rest, self._session = 0, b"", ""
        self.console: list[str] = []
        """Errors and warnings of pages."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(f"{domain}.enable")

    def close(self) -> None:
        """Ends the browser."""
        self._process.kill()
        self._process.wait()
        os.close(self._write)
        os.close(self._read)

    def send(self, method: str, **parameters: Any) -> Any:
        """Sends a command and returns its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while (answer := self._receive()).get("id") != self._number:
            if answer.get("method") == "Log.entryAdded":
                entry = answer["params"]["entry"]
                self.console.append(f"{entry['level']}: {entry['text']}")
            if answer.get("method") == "Runtime.exceptionThrown":
                self.console.append(str(answer["params"]["exceptionDetails"]))
        assert "error" not in answer, answer
        return answer["result"]

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            chunk = os.read(self._read, 1 << 16)
            assert chunk, "the browser ended"
            self._rest += chunk
        line, self._rest = self._rest.split(b"\0", 1)
        message: dict[str, Any] = json.loads(line)
        return message

    def open(self, address: str) -> None:
        """Opens a page."""
        self.send("Page.navigate", url=address)

    def value(self, script: str) -> Any:
        """The value of an expression in the page."""
        found = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, script: str) -> Any:
        """The value of an expression as soon as it is true."""
        end = time.monotonic() + _SECONDS
        while not (value := self.value(script)):
            assert time.monotonic() < end, (script, self.value("document.body.innerText"), self.console)
            time.sleep(0.1)
        return value

    def text(self, id: str) -> str:
        """The text of an element."""
        return str(self.value(f"document.getElementById({json.dumps(id)}).innerText"))


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser for all tests of this module."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        if os.environ.get("GAPSMITH_REQUIRE_BROWSER") == "1":
            pytest.fail("no Chromium here")
        pytest.skip("no Chromium here: install it with `apt-get install chromium`")
    with contextlib.closing(Browser(path, tmp_path_factory.mktemp("profile"))) as browser:
        yield browser


class Growing:
    """A run at work whose campaign is this test."""

    def __init__(self, folder: Path) -> None:
        """Takes the folder of a run that has not finished."""
        self.folder, self._store, self._stack = folder, Store(folder), contextlib.ExitStack()
        self._stack.enter_context(at_work(folder))

    @property
    def told(self) -> int:
        """Iterations told so far."""
        return int(self._store.read.value("SELECT count(*) FROM iterations WHERE told IS NOT NULL"))

    def tell_best(self) -> str:
        """Tells a candidate that is better than all others; returns its id."""
        read, number = self._store.read, self.told + 1
        parent = read.candidate(read.best("train")[0][0])
        assert parent is not None
        evaluation = read.evaluation(parent.id, "train")
        assert evaluation is not None
        assert evaluation.fitness is not None
        files = {name: f"{text}\n# more of it\n" for name, text in parent.files.items()}
        id = f"{number:016x}"
        child = replace(
            parent, id=id, files=files, parents=(parent.id,), iteration=number, origin=Origin.MUTATE
        )
        better = replace(evaluation, fitness=evaluation.fitness * 0.9)
        with self._store.transaction():
            self._store.asked(number, child.island, (parent.id,), (), None)
            self._store.admitted(number, child)
            self._store.told(number, better, "test", AddStatus.NOT_ADDED)
            self._store.event(number, "best", {"candidate": id, "fitness": better.fitness})
        return id

    def tell_rejection(self) -> None:
        """Tells a proposal that became no candidate."""
        number = self.told + 1
        self._store.asked(number, 0, (), (), None)
        self._store.admitted(number, Rejection(RejectionReason.NO_CODE, "no", Origin.MUTATE, "number"))
        self._store.told(number, None, "test", None)

    def end(self) -> None:
        """Ends the campaign."""
        self._store.set("stop_reason", "iterations")
        self._store.close()
        self._stack.close()


@pytest.fixture
def growing(make_run: Callable[..., Path], tmp_path: Path) -> Growing:
    """A run of some iterations that is still at work."""
    folder = make_run(tmp_path / "20260107-000000-run", candidates=12, finished=False, model=True)
    return Growing(folder)


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[[Path], str]]:
    """Serves a run by `gapsmith watch --web` in a process of its own; returns the address."""
    servers = []

    def start(folder: Path) -> str:
        words = [sys.executable, "-m", "gapsmith.cli", "watch", str(folder), "--web"]
        server = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        servers.append(server)
        assert server.stdout is not None
        return server.stdout.readline().strip()

    yield start
    for server in servers:
        server.terminate()
        server.communicate()


def test_page_follows_a_campaign_to_its_end(
    browser: Browser, growing: Growing, serve: Callable[[Path], str]
) -> None:
    """New outcomes appear by themselves, a candidate opens with its changes, and the end is said."""
    browser.open("about:blank")  # the page of the test before asks a server that has ended
    browser.console.clear()
    browser.open(serve(growing.folder))
    browser.until("document.body?.dataset.ready === 'yes'")
    assert browser.text("state").startswith("running")
    label = browser.until("document.querySelector('#curve[role=img]')?.ariaLabel")
    assert "start program" in label
    assert "best baseline mdd" in label or "best baseline edd" in label
    browser.until("document.body?.dataset.whole === 'yes'")
    assert browser.value("document.querySelectorAll('#times canvas, #curve canvas').length") >= 1
    assert browser.value("document.querySelectorAll('#islands tr').length") == 2
    assert f"iterations\t{growing.told}" in browser.text("spent")
    assert "US dollars\t0.0" in browser.text("spent")

    growing.tell_rejection()
    id = growing.tell_best()[:8]
    browser.until(f"document.getElementById('newest').innerText.includes('{id}')")
    assert f"best at iteration {growing.told}: {id}" in browser.text("events")
    assert "no code" in browser.text("rejected")
    assert f"iterations\t{growing.told}" in browser.text("spent")

    browser.value(f"document.querySelector('#newest [data-of=\"{id}\"]').focus()")
    growing.tell_rejection()
    browser.until(f"document.getElementById('spent').innerText.includes('iterations\\t{growing.told}')")
    assert browser.value("document.activeElement.dataset.of") == id
    browser.value("document.activeElement.click()")
    dialog = browser.until("document.querySelector('dialog[open]')?.innerText")
    assert "Changes to the parent" in dialog
    assert "+# more of it" in dialog
    assert "def schedule(" in dialog
    browser.value("document.getElementById('close').click()")

    growing.end()
    browser.until("document.getElementById('state').innerText.startsWith('completed (iterations)')")
    assert browser.console == []


def test_other_addresses_and_names_are_refused(
    browser: Browser, runs: Path, serve: Callable[[Path], str]
) -> None:
    """Without the token, and under another name of this machine, a browser gets nothing."""
    address = serve(runs / "20260103-101500-smtt-bbbb")
    base, token, page = address.split("/", 4)[2:]
    for wrong in (
        f"http://{base}/",
        f"http://{base}/{page}",
        f"http://{base}/{page}live.json",
        f"http://{base}/{token[:-1]}/{page}",
        address.replace("127.0.0.1", "gapsmith.localhost"),
    ):
        browser.open(wrong)
        browser.until("document.readyState === 'complete' && location.href !== 'about:blank'")
        assert browser.value("document.body.innerText").strip() == "not found"
    browser.open(address.replace("127.0.0.1", "localhost"))
    browser.until("document.body?.dataset.ready === 'yes'")


def test_full_report_comes_on_demand(
    browser: Browser, runs: Path, serve: Callable[[Path], str], tmp_path: Path
) -> None:
    """The link at the foot of the page leads to the report, with its list, its pictures and kept drawings."""
    folder = shutil.copytree(runs / "20260102-203301-smtt-aaaa", tmp_path / "20260102-203301-smtt-aaaa")
    with contextlib.closing(Store(folder)) as store:
        plan = Drawing("a plan", "time", "machine", (Shape("rectangle", 0, 0, 5, 1, "j0", "job"),))
        store.set(DRAWING_KEY, encode(StoredDrawings("test-000", {store.read.record("champion"): plan})))
    browser.open("about:blank")  # the page of the test before asks a server that has ended
    browser.console.clear()
    browser.open(serve(folder))
    browser.until("document.body?.dataset.ready === 'yes'")
    link = browser.value("document.getElementById('report').href")
    browser.open(link)
    browser.until("document.title.startsWith('Gapsmith report') && document.body.dataset.ready === 'yes'")
    assert browser.value("document.querySelectorAll('figure svg').length") > 5
    assert browser.value("document.querySelectorAll('#list tr').length") > 5
    labels = browser.value("[...document.querySelectorAll('figure svg')].map(e => e.ariaLabel)")
    assert any(label.startswith("Answers to one test instance") for label in labels)
    assert "a plan" in browser.value("document.querySelector('.first').textContent")
    assert browser.console == []


@pytest.fixture
def board(runs: Path) -> Iterator[str]:
    """Serves all runs by `gapsmith dashboard` in a process of its own; the address."""
    words = [sys.executable, "-m", "gapsmith.cli", "dashboard", "--runs", str(runs)]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert server.stdout is not None
    yield server.stdout.readline().strip()
    server.terminate()
    server.communicate()


def test_dashboard_leads_to_code_reasons_and_lineage(browser: Browser, board: str) -> None:
    """Two runs are compared; a run opens; rejections say why; the family and the lineage open candidates."""
    browser.open("about:blank")  # the page of the test before asks a server that has ended
    browser.console.clear()
    browser.send(
        "Emulation.setDeviceMetricsOverride", width=1440, height=900, deviceScaleFactor=1, mobile=False
    )
    browser.open(board)
    browser.until("document.querySelectorAll('#runs tbody tr').length === 3")
    browser.value("[...document.querySelectorAll('#runs input')].slice(1).forEach(e => e.click())")
    browser.until("document.querySelector('#compared-chart canvas') !== null")
    assert "verdict" in browser.text("compared-table")
    browser.value(
        "[...document.querySelectorAll('#runs a')].find(e => e.textContent.includes('bbbb')).click()"
    )
    browser.until("document.body?.dataset.whole === 'yes'")
    assert "est baseline mdd" in browser.text("verdict")
    assert browser.value("document.querySelectorAll('#times canvas, #curve canvas').length") == 2
    for mark in ("#tree a.line", "#line button"):
        browser.value(
            f"document.querySelector('{mark}').dispatchEvent(new MouseEvent('click', {{bubbles: true}}))"
        )
        shown = browser.until("document.querySelector('dialog[open]')?.innerText")
        assert "def schedule(" in shown
        assert "Mean gap by group" in shown
        browser.value("document.getElementById('close').click()")
    browser.value(
        "var k = document.getElementById('kind'); k.value = 'rejected'; k.dispatchEvent(new Event('change'))"
    )
    browser.until("[...document.querySelectorAll('#newest tr')].every(e => e.innerText.startsWith('none'))")
    assert browser.console == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_live_page_is_accessible_and_fits(
    theme: str, width: int, browser: Browser, runs: Path, serve: Callable[[Path], str]
) -> None:
    """The page does not scroll sideways, and axe finds no violation of WCAG 2.1 A and AA."""
    if not AXE.is_file():
        pytest.skip("no axe here: install it with `npm install --prefix build/axe axe-core`")
    browser.send(
        "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
    )
    browser.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
    browser.open(serve(runs / "20260103-101500-smtt-bbbb"))
    browser.until("document.body?.dataset.whole === 'yes'")
    assert browser.value("document.documentElement.scrollWidth") <= width
    browser.value(AXE.read_text("utf-8") + "; 0")
    tags = '["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]'
    found = browser.value(
        f"axe.run(document, {{runOnly: {tags}}}).then(r => [r.passes.length, "
        "r.violations.map(v => [v.id, v.nodes[0].html, v.nodes[0].failureSummary])])"
    )
    assert found[0] > 10
    assert found[1] == []

"""The report and the live page of reported scores in a real browser: no gap, and always *unverified*."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path

import pytest
from gapsmith.app.views.web import LiveServer

pytestmark = pytest.mark.browser
Gapsmith = Callable[..., "subprocess.CompletedProcess[str]"]
Look = Callable[[str], str]
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
    "--virtual-time-budget=20000",
)


@pytest.fixture
def look(tmp_path: Path) -> Look:
    """Opens an address and returns the text of the page as its scripts leave it; their complaints fail."""
    names = ("chromium", "chromium-browser", "google-chrome")
    browser = next((path for name in names if (path := shutil.which(name))), None)
    if browser is None:
        reason = "no Chromium here: install it with `apt-get install chromium`"
        if os.environ.get("GAPSMITH_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)

    def text(address: str) -> str:
        words = [browser, *_FLAGS, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", address]
        done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
        assert [line for line in done.stderr.splitlines() if "CONSOLE" in line] == []
        body = re.sub(r"<(script|style|template)\b.*?</\1>", " ", done.stdout, flags=re.S)
        return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())

    return text


@pytest.fixture
def served(campaign: Path) -> Iterator[str]:
    """The address of the campaign's live page."""
    folder = next((campaign / "runs").iterdir())
    with LiveServer(folder) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.address_of(folder)
        server.shutdown()


def says_reported(text: str) -> None:
    """Fails if a page names a gap or an optimum, or leaves out that scores are reported and unverified."""
    assert not re.search(r"\bgaps?\b|\boptim(al|um|a|ality)\b", text, re.I), text
    assert "reported score" in text.lower()
    assert "unverified" in text.lower()


def test_report_names_no_gap(campaign: Path, gapsmith: Gapsmith, look: Look, tmp_path: Path) -> None:
    """The page, and the window of the best candidate with its metrics, in the words of reported scores."""
    folder = tmp_path / "runs"
    shutil.copytree(campaign / "runs", folder)
    place = ("--runs", str(folder))
    assert gapsmith("report", "latest", *place).returncode == 0
    best = json.loads(gapsmith("show", "latest", "best", "--json", *place).stdout)
    page = next(folder.glob("*/report.html"))
    says_reported(look(page.as_uri()))
    text = look(f"{page.as_uri()}#c-{best['candidate'][:8]}")
    says_reported(text)
    assert f"Candidate {best['candidate'][:8]}" in text
    mean = best["metrics"]["valid"]["combined_score"]["mean"]
    assert "Reported metrics (unverified) metric, mean (least to most) training validation test " in text
    assert f"combined_score {mean:.5g} {mean:.5g}" in text


def test_live_page_names_no_gap(served: str, look: Look) -> None:
    """The page of `watch --web`, after its first poll."""
    text = look(served)
    says_reported(text)
    assert "circle-task" in text

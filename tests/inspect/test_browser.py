"""The report in a real browser: no console errors, every control works, accessible, fits a phone."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser
MODEL = "20260103-101500-smtt-bbbb"
AXE = Path(__file__).parents[2] / "build" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
    "--virtual-time-budget=20000",
)
_REQUIRED = os.environ.get("GAPSMITH_REQUIRE_BROWSER") == "1"

# Injected into a copy of the page; what it finds becomes the text of an element that is read back.
_PROBE = """
<script>
addEventListener("load", async function () {
  var found = {};
  %s
  var out = document.createElement("pre");
  out.id = "found";
  out.textContent = JSON.stringify(found);
  document.body.append(out);
});
</script>
"""


def _chromium() -> str:
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    return _missing("no Chromium here: install it with `apt-get install chromium`")


def _missing(reason: str) -> str:
    """Skips, or fails where browser tests are required."""
    if _REQUIRED:
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def axe() -> str:
    """The text of axe-core; fetched with npm where browser tests are required."""
    if not AXE.is_file() and _REQUIRED and shutil.which("npm"):
        folder = AXE.parents[2]
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--silent", "--prefix", str(folder), "axe-core@4"], check=True)
    if not AXE.is_file():
        _missing("no axe here: install it with `npm install --prefix build/axe axe-core`")
    return AXE.read_text("utf-8")


@pytest.fixture(scope="module")
def report(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of the run with a model."""
    from gapsmith.app.record.record import open_record
    from gapsmith.app.views import report as view

    with open_record(runs / MODEL) as record:
        return view.html(record)


@pytest.fixture
def browse(report: str, tmp_path: Path) -> Callable[..., Any]:
    """Opens the page from a `file:` address with a script added; returns what it found and the console."""

    def call(script: str, *flags: str, before: str = "") -> tuple[dict[str, Any], list[str]]:
        path = tmp_path / "report.html"
        path.write_text(report.replace("</body>", before + _PROBE % script + "</body>"), "utf-8")
        words = [
            _chromium(),
            *_FLAGS,
            f"--user-data-dir={tmp_path / 'profile'}",
            *flags,
            "--dump-dom",
            path.as_uri(),
        ]
        done = subprocess.run(words, capture_output=True, text=True, timeout=120)
        match = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.S)
        assert match is not None, done.stderr[-2000:]
        return json.loads(unescape(match[1])), [
            line for line in done.stderr.splitlines() if "CONSOLE" in line
        ]

    return call


def test_every_link_and_control_works_without_console_errors(browse: Callable[..., Any]) -> None:
    """Each link leads to its target, a cell of the map opens its code, each detail opens, colours change."""
    found, console = browse(
        """
        found.links = 0; found.dead = []; found.closed = [];
        for (var link of document.querySelectorAll("a")) {
          link.dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true}));
          await new Promise(function (next) { setTimeout(next, 20); });
          found.links += 1;
          var target = document.getElementById(location.hash.slice(1));
          if (!target) found.dead.push(link.getAttribute("href"));
          else if (target.tagName === "DETAILS" && !target.open) found.closed.push(target.id);
        }
        for (var details of document.querySelectorAll("details")) {
          details.open = false;
          details.querySelector("summary").click();
          if (!details.open) found.closed.push(details.id);
        }
        var before = getComputedStyle(document.body).backgroundColor;
        document.getElementById("theme").click();
        found.colours = [before, getComputedStyle(document.body).backgroundColor];
        document.getElementById("theme").click();
        found.again = getComputedStyle(document.body).backgroundColor;
        """
    )
    assert console == []
    assert found["links"] > 10
    assert found["dead"] == []
    assert found["closed"] == []
    assert found["colours"][0] != found["colours"][1]
    assert found["again"] == found["colours"][0]


@pytest.mark.parametrize("width", [390, 1200])
def test_page_fits_its_window(width: int, browse: Callable[..., Any]) -> None:
    """At the width of a phone and of a desk the page itself never scrolls sideways; only wide tables do."""
    found, console = browse(
        f"""
        var frame = document.createElement("div");
        document.body.style.width = "{width}px";
        found.wide = [...document.querySelectorAll("body > *, section > *, figure, svg")].filter(
          function (e) {{ return e.getBoundingClientRect().width > {width}; }}
        ).map(function (e) {{ return e.tagName + " " + e.className; }});
        """,
        f"--window-size={max(500, width)},900",
    )
    assert console == []
    assert found["wide"] == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_page_is_accessible(theme: str, browse: Callable[..., Any], axe: str) -> None:
    """axe finds no violation of WCAG 2.1 A and AA in either set of colours."""
    found, _ = browse(
        f"""
        document.documentElement.dataset.theme = "{theme}";
        var result = await axe.run(document, {{runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}});
        found.passes = result.passes.length;
        found.violations = result.violations.map(function (v) {{
          return [v.id, v.nodes.length, v.nodes[0].html.slice(0, 200), v.nodes[0].failureSummary];
        }});
        """,
        before=f"<script>{axe}</script>",
    )
    assert found["passes"] > 10
    assert found["violations"] == []

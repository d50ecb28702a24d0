"""The report in a real browser: no console errors, every control works, accessible, fits a phone."""

from __future__ import annotations

import base64
import hashlib
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
AXE = Path(__file__).parents[3] / "build" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
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
_WIDE = ("Models",)
"""Tables that may scroll: one row for each model with nine figures."""
_REQUIRED = os.environ.get("GAPSMITH_REQUIRE_BROWSER") == "1"

# Injected into a copy of the page; what it finds becomes the text of an element that is read back.
_PROBE = """
<script>
addEventListener("load", async function () {
  var found = {};
  for (var turn = 0; turn < 200 && !document.body.dataset.ready; turn++)
    await new Promise(function (next) { setTimeout(next, 20); });
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


def _allowed(page: str, scripts: str) -> str:
    """The page with scripts added, each allowed by its hash; the page's own policy stays as it is."""
    texts = re.findall(r"<script>(.*?)</script>", scripts, re.S)
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts]
    more = "".join(f" 'sha256-{digest}'" for digest in hashes)
    assert page.count("script-src ") == 1
    return page.replace("script-src ", f"script-src{more} ").replace("</body>", scripts + "</body>")


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
    from gapsmith.app.runs.record import open_record
    from gapsmith.app.views import report as view

    with open_record(runs / MODEL) as record:
        return view.html(record)


@pytest.fixture
def browse(report: str, tmp_path: Path) -> Callable[..., Any]:
    """Opens the page from a `file:` address with a script added; returns what it found and the console."""

    def call(script: str, *flags: str, before: str = "") -> tuple[dict[str, Any], list[str]]:
        path = tmp_path / "report.html"
        path.write_text(_allowed(report, before + _PROBE % script), "utf-8")
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
        for (var link of document.querySelectorAll("a[href]")) {
          link.dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true}));
          await new Promise(function (next) { setTimeout(next, 20); });
          found.links += 1;
          var dialog = document.querySelector("dialog"), hash = location.hash.slice(1);
          var target = document.getElementById(hash);
          if (dialog.open && hash.startsWith("c-")) {
            if (!dialog.innerText.includes(hash.slice(2))) found.dead.push(hash);
            document.getElementById("close").click();
          } else if (!target) found.dead.push(link.getAttribute("href"));
        }
        for (var details of document.querySelectorAll("details")) {
          details.scrollIntoView();
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


@pytest.mark.parametrize("width", [390, 768, 1440])
def test_page_fits_its_window(width: int, browse: Callable[..., Any]) -> None:
    """On a phone, a tablet and a desk neither the page nor a visible table scrolls sideways."""
    found, console = browse(
        f"""
        var frame = document.createElement("iframe");
        frame.style.width = "{width}px"; frame.style.height = "900px";
        frame.srcdoc = document.documentElement.outerHTML.replace(/<script>\\s*addEventListener.*/s, "")
          .replace('data-ready="yes"', "");
        document.body.append(frame);
        await new Promise(function (next) {{ frame.onload = next; }});
        var inner = frame.contentDocument;
        for (var turn = 0; turn < 200 && !inner.body.dataset.ready; turn++)
          await new Promise(function (next) {{ setTimeout(next, 20); }});
        found.page = inner.documentElement.scrollWidth;
        found.tables = [...inner.querySelectorAll(".scroll")].filter(function (e) {{
          return e.offsetParent && e.scrollWidth > e.clientWidth + 1;
        }}).map(function (e) {{ return e.getAttribute("aria-label"); }});
        """,
        "--window-size=1600,1000",
    )
    assert console == []
    assert found["page"] <= width
    assert [name for name in found["tables"] if name not in _WIDE] == []


def test_first_screen_says_what_counts(browse: Callable[..., Any]) -> None:
    """At 1440 × 900 the verdict is the title; tiles, pictures and six lines of code end above the fold."""
    found, console = browse(
        """
        function end(part) { return document.querySelector(part).getBoundingClientRect().bottom; }
        found.title = document.querySelector("h1").textContent;
        found.titles = document.querySelectorAll("h1").length;
        found.ends = ["h1", ".tiles", ".first svg", ".excerpt pre"].map(end);
        found.code = document.querySelector(".excerpt pre").textContent.split("\\n").length;
        var walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), node;
        found.words = 0;
        while (node = walker.nextNode()) {
          var parent = node.parentElement;
          if (parent.checkVisibility() && !parent.closest("svg, script, style, template"))
            found.words += node.textContent.split(/\\s+/).filter(Boolean).length;
        }
        """,
        "--window-size=1440,900",
    )
    assert console == []
    assert found["titles"] == 1
    assert "est baseline mdd" in found["title"]
    assert found["ends"] == sorted(found["ends"])
    assert found["ends"][-1] <= 900
    assert 1 < found["code"] <= 6
    assert 300 < found["words"] <= 1200


def test_list_sorts_filters_and_opens_candidates(browse: Callable[..., Any]) -> None:
    """Headers sort, fields filter, and a candidate opens with its source and its changes."""
    found, console = browse(
        """
        function column(n) {
          var rows = [...document.querySelectorAll("#list tr")];
          return rows.map(function (row) { return row.children[n].textContent; });
        }
        found.losses = column(4);
        document.querySelector("th[data-key=iteration] button").click();
        found.iterations = column(1);
        document.querySelector("th[data-key=iteration] button").click();
        found.reversed = column(1);
        found.sorted = document.querySelector("th[data-key=iteration]").getAttribute("aria-sort");
        document.getElementById("elites").click();
        found.elites = column(0).length;
        document.getElementById("elites").click();
        var words = document.getElementById("words");
        words.value = "no such words anywhere";
        words.dispatchEvent(new Event("input"));
        await new Promise(function (next) { setTimeout(next, 300); });
        found.none = [column(0).length, document.getElementById("where").textContent];
        words.value = "";
        words.dispatchEvent(new Event("input"));
        await new Promise(function (next) { setTimeout(next, 300); });
        location.hash = document.querySelector("#list a").getAttribute("href");
        await new Promise(function (next) { setTimeout(next, 100); });
        found.dialog = document.querySelector("dialog").innerText;
        document.getElementById("close").click();
        found.hash = location.hash;
        """
    )
    assert console == []
    losses = [float(text) for text in found["losses"] if text != "–"]
    assert losses == sorted(losses)
    assert found["iterations"] == sorted(found["iterations"], key=int)
    assert [int(text) for text in found["reversed"]] == sorted(map(int, found["reversed"]), reverse=True)
    assert found["sorted"] == "descending"
    assert 0 < found["elites"] < len(found["losses"])
    assert found["none"] == [0, "no candidate fits"]
    assert "def schedule(" in found["dialog"]
    assert "Changes to the parent" in found["dialog"]
    assert found["hash"] == ""


def test_page_prints_on_some_pages(report: str, tmp_path: Path) -> None:
    """The page becomes a PDF of several pages of paper, and the style for paper hides what is clicked."""
    page, path = tmp_path / "report.html", tmp_path / "report.pdf"
    page.write_text(report, "utf-8")
    words = [_chromium(), *_FLAGS, f"--user-data-dir={tmp_path / 'profile'}", f"--print-to-pdf={path}"]
    subprocess.run([*words, page.as_uri()], capture_output=True, timeout=120, check=True)
    assert 2 < len(re.findall(rb"/Type\s*/Page\b", path.read_bytes())) < 40
    (paper,) = re.findall(r"@media print \{\s*([^{]*)\{ display: none", report)
    assert {"button", "nav", "form", "dialog"} <= set(re.split(r",\s*", paper.strip()))


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

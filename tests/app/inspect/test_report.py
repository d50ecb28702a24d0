"""`report` and `plot`: what the page says, that it is self-contained, and that candidates cannot break it."""

from __future__ import annotations

import base64
import json
import re
import shlex
import shutil
import sqlite3
import struct
import zlib
from collections.abc import Callable
from contextlib import closing
from html import unescape
from html.parser import HTMLParser
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.formatting import inert
from gapsmith.app.runs.record import open_record
from gapsmith.app.views import report, report_answers
from gapsmith.app.views.plots.quality import baseline_points
from gapsmith.app.views.report import code_html
from gapsmith.evolve.store.progress import points
from gapsmith.evolve.store.store import Store

Say = Callable[..., Any]
FINISHED, MODEL, EMPTY = "20260102-203301-smtt-aaaa", "20260103-101500-smtt-bbbb", "20260104-090000-smtt-cccc"


@pytest.fixture(scope="module")
def page(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """HTML and text of the report of the run with a model."""
    with open_record(runs / MODEL) as record:
        found = report.context(record)
        return report.html(record, found), report.markdown(record, found)


def _unpacked(text: str) -> dict[str, Any]:
    pack: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(text)))
    size = pack["size"]
    pack["ids"] = [pack["id"][n : n + size].strip() for n in range(0, len(pack["id"]), size)]
    return pack


def _pack(page: str) -> dict[str, Any]:
    """The packed candidates of a page."""
    match = re.search(r'<template id="pack">(.*?)</template>', page, re.S)
    assert match is not None
    return _unpacked(match[1])


class _Page(HTMLParser):
    """Collects ids, links, headings and what loads something from outside."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.outside: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes what a tag refers to."""
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id" and value:
                self.ids.append(value)
            elif name in ("href", "xlink:href", "src") and value:
                self.links.append(value)
                if not value.startswith(("#", "data:image/png;base64,")):
                    self.outside.append(value)


def test_report_is_one_file_that_needs_nothing(page: tuple[str, str]) -> None:
    """Nothing on the page is loaded from elsewhere, and a policy forbids it; at most 1.5 MB, script 50 kB."""
    parsed = _Page(page[0])
    assert parsed.outside == []
    assert "default-src 'none'" in page[0]
    assert len(page[0].encode()) < 1_500_000
    script = re.search(r"<script>(.*?)</script>", page[0], re.S)
    assert script is not None
    assert len(script[1]) < 50_000


def test_every_link_of_the_page_leads_somewhere(page: tuple[str, str]) -> None:
    """Links of the contents and of the archive map have their targets, and no id stands twice."""
    parsed = _Page(page[0])
    candidates = {f"c-{id[:8]}" for id in _pack(page[0])["ids"]}
    assert {link[1:] for link in parsed.links if link.startswith("#")} <= {*parsed.ids} | candidates
    assert len(parsed.ids) == len(set(parsed.ids))
    assert sum(link.startswith("#c-") for link in parsed.links) > 3


def test_page_holds_every_candidate_with_its_text(page: tuple[str, str], runs: Path) -> None:
    """The packed list says of every candidate what the export says, and a small page holds every source."""
    from gapsmith.app.runs.export import rows

    pack = _pack(page[0])
    with open_record(runs / MODEL) as record:
        every = list(rows(record, "candidates"))
        best = record.best
    assert pack["ids"][pack["best"]] == (best or "")[:8]
    assert pack["ids"] == [row["candidate"][:8] for row in every]
    assert [pack["ids"][p[0]] if p else None for p in pack["parents"]] == [
        row["parents"][0][:8] if row["parents"] else None for row in every
    ]
    assert list(accumulate(pack["step"])) == [row["iteration"] for row in every]
    assert [pack["status_names"][n] for n in pack["status"]] == [row["train_status"] for row in every]
    for number, row in enumerate(every):
        fitness = row["train_fitness"]
        assert pack["loss"][number] == (None if fitness is None else pytest.approx(-100 * fitness, rel=1e-3))
        assert pack["texts"][str(number)][0] == row["files"]["heuristic.py"].rstrip()


def test_a_page_without_room_keeps_the_list_and_the_texts_of_the_best(runs: Path) -> None:
    """The table stays whole; texts are those of the best candidate, its ancestors and the best others."""
    from gapsmith.app.views import report_tables as view

    with open_record(runs / FINISHED) as record:
        rows = view.candidates_of(record)
        small = _unpacked(view.packed(rows, record.best, 0))
        line = [candidate.id for candidate in record.lineage(record.best or "")]
    assert len(small["loss"]) == len(rows)
    assert {small["ids"].index(id[:8]) for id in line} <= {int(n) for n in small["texts"]}


def test_report_names_problem_and_best_baseline(page: tuple[str, str], runs: Path) -> None:
    """Page and text state the problem, what strata mean, and the best baseline beside the champion."""
    with open_record(runs / MODEL) as record:
        statement, baseline = record.problem["statement"], record.headline["baseline"]
    for text in page:
        assert statement.strip().splitlines()[0][:60] in unescape(text)
        assert "range of the due dates" in unescape(text)
        assert f"Best baseline {baseline}" in unescape(text)


def _claim(**values: Any) -> dict[str, Any]:
    return {
        "verdict": "undecided",
        "baseline": "mdd",
        "claim": {
            "instances": 4,
            "ties": 1,
            "difference_percent": 0.4,
            "ci95_percent": [-0.2, 1.0],
            **values,
        },
    }


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            {},
            "Not shown: the difference of +0.40 points of loss is within noise, its 95 % interval [-0.20",
        ),
        ({"ci95_percent": None}, "Not shown: the difference of +0.40 points of loss is within noise."),
        ({"ties": 4, "difference_percent": 0.0}, "No: the two are equal on each of 4 instances."),
        ({"difference_percent": None}, "Not shown: an answer is missing"),
    ],
)
def test_an_undecided_comparison_says_how_wide_the_noise_is(
    values: dict[str, Any], words: str, runs: Path
) -> None:
    """The report of an inconclusive run names interval, rival and how many instances judged."""
    with open_record(runs / MODEL) as record:
        found = report.context(record)
        summary = {**found["summary"], "headline": {**found["summary"]["headline"], **_claim(**values)}}
        summary["headline"]["claim"] |= {"wins": 1, "losses": 2, "p_value": 0.6}
        judged = {**found["headline"], "best": {**found["headline"]["best"], "instances": 4}}
        judged["instances"] = "4 instances"
        said = [a["answer"] for a in report_answers.answers(record, summary, judged, found["code"])]
    assert said[1].startswith(words)
    assert "Take care: 4 instances are few" in said[2]
    source = "gapsmith baselines smtt --source mdd --set problem.jobs=8 "
    assert f"Nothing shows that it is better than the best baseline: {source}" in said[4]


@pytest.mark.parametrize(("baseline", "use"), [(0.5, True), (9.0, False)])
def test_an_undecided_champion_behind_the_baseline_is_not_recommended(
    baseline: float, use: bool, runs: Path
) -> None:
    """Where nothing shows which is better, the reader is told to use the one with the smaller gap."""
    with open_record(runs / MODEL) as record:
        found = report.context(record)
        figures = {
            "champion_percent": 2.0,
            "baseline_percent": baseline,
            **_claim(wins=1, losses=2, p_value=1),
        }
        summary = {**found["summary"], "headline": {**found["summary"]["headline"], **figures}}
        best, _, _, cost, how = report_answers.answers(record, summary, found["headline"], found["code"])
        assert record.rival == f"baseline/{found['summary']['headline']['baseline']}"
    assert ("The baseline mdd has a smaller one." in best["answer"]) is use
    assert ("use the best baseline instead" in how["answer"]) is use
    assert how["command"].startswith("gapsmith baselines" if use else "gapsmith best")
    assert cost["answer"].endswith("Completed: the budget of iterations was spent.")


def test_a_baseline_that_is_ahead_on_test_is_named(runs: Path) -> None:
    """The rival was chosen on validation; a reader of the table wonders about a smaller figure on test."""
    with open_record(runs / MODEL) as record:
        found = report.context(record)
        rows = found["summary"]["baselines"]
        rival, other = found["summary"]["headline"]["baseline"], "edd"
        assert rival != other
        ahead = {**rows[other], "test": {**rows[rival]["test"], "mean_gap_percent": -1.0}}
        summary = {**found["summary"], "baselines": {**rows, other: ahead}}
        before, after = (
            report_answers.answers(record, each, found["headline"], found["code"])[1]["answer"]
            for each in (found["summary"], summary)
        )
    assert "the comparison is with" not in before
    assert after.endswith(
        "edd has -1.00 % there, but the comparison is with the best baseline on validation."
    )


@pytest.mark.slow
def test_report_of_a_failure_says_why(runs: Path) -> None:
    """Where every candidate failed the page says so, how they failed, and which program to use."""
    with open_record(runs / EMPTY) as record:
        text = unescape(report.html(record))
    assert "Is it better than the textbook?" in text
    assert "the search found nothing better than what it began with" in text
    assert "gapsmith baselines smtt --source mdd" in text
    assert "IndexError" in text


@pytest.mark.slow
def test_a_champion_that_is_a_baseline_is_called_so(runs: Path, tmp_path: Path) -> None:
    """Tile and answer name the baseline with which the search began."""
    folder = shutil.copytree(runs / MODEL, tmp_path / MODEL)
    with closing(Store(folder)) as store:
        store.set("founders", {store.read.record("champion"): "mdd"})
    with open_record(folder) as record:
        text = unescape(report.html(record))
    assert "which is the baseline mdd: the search began with it" in text
    assert "= mdd</code>" in text


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"{'a' * 80}\ngoes on", [f"{'a' * 80} goes on"]),
        (f"{'a' * 80}\n- an item", [f"{'a' * 80}", "- an item"]),
        (f"{'a' * 80}\n\nNext", [f"{'a' * 80}", "", "Next"]),
        (f"{'a' * 80}\n    code", [f"{'a' * 80}", "    code"]),
        ("short\nlines", ["short", "lines"]),
    ],
)
def test_lines_wrapped_by_hand_flow(text: str, lines: list[str]) -> None:
    """A long line goes on in the next one; lists, code, paragraphs and short lines stay as they are."""
    assert report.flowing(text).split("\n") == lines


def test_report_answers_the_six_questions(page: tuple[str, str], say: Say) -> None:
    """Page and text say what was found, why, where worse, whether to trust it, its cost and its way."""
    gap = say("show", MODEL, "--json").document["best"]["splits"]["test"]["mean_gap_percent"]
    for text in page:
        assert f"{gap:.2f} %" in text
        assert "references: 20 optima" in text
        assert f"gapsmith verify {MODEL}" in text
        assert "20 calls of models" in text
        assert "$0.0400" in text
        assert "rdd=0.2 tf=0.6" in text
        assert "better than parent" in text
        assert "schedule(processing_times, due_dates):" in text


def test_pictures_have_words_and_follow_the_page(page: tuple[str, str]) -> None:
    """Each picture says what it shows to a screen reader, and its ink is the page's."""
    pictures = re.findall(r"<svg [^>]*>", page[0])
    assert len(pictures) >= 10
    assert all('aria-label="' in picture and 'role="' in picture for picture in pictures)
    assert "currentColor" in page[0]


def test_hostile_candidate_stays_text(runs: Path, tmp_path: Path, say: Say) -> None:
    """Markup and control characters in code, operators, strata and replies reach the page as text."""
    evil = "# </code></pre><script>alert(1)</script><img src=x onerror=alert(2)>\x1b[31m\n"
    shutil.copytree(runs / MODEL, tmp_path / MODEL)
    with sqlite3.connect(tmp_path / MODEL / "archive.sqlite") as db:
        db.execute("UPDATE candidates SET files = ?", (json.dumps({"heuristic.py": evil}),))
        db.execute("UPDATE candidates SET operator = '<b>x</b>'")
        db.execute("UPDATE iterations SET operator = '<b>x</b>'")
        db.execute("UPDATE instances SET stratum = '<i>s</i>'")
    said = say("report", MODEL, runs=tmp_path)
    assert said.code == 0, said.err
    text = (tmp_path / MODEL / "report.html").read_text()
    parsed = _Page(text)
    assert parsed.tags.count("script") == 1
    assert not {"img", "i"} & set(parsed.tags)
    assert "<b>x" not in text
    assert "\x1b" not in text
    text = (tmp_path / MODEL / "report.md").read_text()
    assert r"\<b\>x\</b\>" in text
    assert r"| \<i\>s\</i\> |" in text
    assert "<i>" not in text


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a|b\nc", r"a\|b c"),
        ("[x](http://y)", r"\[x\](http\://y)"),
        ("*a* `b` ~c~ &lt;", r"\*a\* \`b\` \~c\~ \&lt;"),
        ("__a__ earliest_due_date _b", r"\_\_a\_\_ earliest_due_date \_b"),
        ("\\<b>\x1b", r"\\\<b\>"),
        ("rdd=0.2 tf=0.6", "rdd=0.2 tf=0.6"),
    ],
)
def test_names_are_no_markup_in_markdown(name: str, shown: str) -> None:
    """What would be a cell's end, a link, emphasis, code or HTML is escaped; ordinary names stay."""
    assert inert(name) == shown


@pytest.mark.parametrize(
    "text",
    [
        "def f(a):\n    return a < 1 and 'x' & \"</span>\"  # <b>\n",
        "f'{a!r:>{width}}' + f\"{{x}} {y}\" + '''two\nlines'''\n",
        "x = 'never closed\n  if <script>\n",
        "(((\n",
        "  indented\n badly\n",
        "é = 'ü' * 3  # 漢字\u2028\x85\n",
        "# </code></pre><script>alert(1)</script>",
        "",
    ],
)
def test_highlighted_code_is_the_same_text(text: str) -> None:
    """Taking the spans away and unescaping gives the text back; nothing else becomes markup."""
    shown = code_html(text)
    bare = re.sub(r'<span class="[ksnc]">|</span>', "", shown)
    assert unescape(bare) == text
    assert "<" not in bare


def test_highlighting_tells_parts_apart() -> None:
    """Keywords, strings, numbers and comments have their classes."""
    shown = code_html("if x == 1.5:\n    y = 'a'  # b\n")
    assert re.findall(r'<span class="(.)">(.*?)</span>', shown) == [
        ("k", "if"),
        ("n", "1.5"),
        ("s", "&#x27;a&#x27;"),
        ("c", "# b"),
    ]


@pytest.mark.slow
def test_report_of_a_run_without_result(say: Say, tmp_path: Path) -> None:
    """A run that stopped before its champion was chosen still has a report that says so."""
    said = say("report", EMPTY, "-o", str(tmp_path), "--json")
    assert said.code == 0, said.err
    names = ("report.html", "report.md", "share.png")
    assert said.document["written"] == [str(tmp_path / name) for name in names]
    assert (tmp_path / "share.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", (tmp_path / "share.png").read_bytes()[16:24]) == (1200, 630)
    assert "No candidate was tested" in (tmp_path / "report.md").read_text()


def test_only_the_test_split_steered_nothing(page: tuple[str, str], runs: Path, tmp_path: Path) -> None:
    """Figures of the test split are said to have been unseen, those of validation to have taken part."""
    assert all("on instances that the search never saw" in text for text in page)
    shutil.copytree(runs / MODEL, tmp_path / MODEL)
    with sqlite3.connect(tmp_path / MODEL / "archive.sqlite") as db:
        db.execute("DELETE FROM run WHERE key = 'champion'")
        test = "SELECT id FROM evaluations WHERE split = 'test'"
        db.execute(f"DELETE FROM executions WHERE evaluation IN ({test})")
        db.execute("DELETE FROM evaluations WHERE split = 'test'")
    with open_record(tmp_path / MODEL) as record:
        text = report.markdown(record)
    assert "never saw" not in text
    assert "on instances that took part in choosing the candidate" in text


def test_the_same_campaign_is_found(page: tuple[str, str], runs: Path) -> None:
    """The command that runs a campaign again names a file that is there, not one relative to the runs."""
    (command,) = re.findall(r"- `gapsmith run (.*?)`", page[1])
    assert Path(shlex.split(command)[0]) == runs / MODEL / "campaign.toml"


def test_report_of_an_empty_store(say: Say, tmp_path: Path) -> None:
    """A run that holds nothing has a report that says there is no feasible candidate."""
    from gapsmith.evolve.store.store import Store

    (tmp_path / "r").mkdir()
    Store(tmp_path / "r").close()
    said = say("report", "r", runs=tmp_path)
    assert said.code == 0, said.err
    assert "No feasible candidate" in (tmp_path / "r" / "report.html").read_text()


def test_existing_report_is_kept(say: Say, tmp_path: Path) -> None:
    """A report that exists is replaced only with --force."""
    (tmp_path / "report.md").write_text("mine")
    said = say("report", FINISHED, "-o", str(tmp_path))
    assert said.code == 2
    assert "report.md" in said.err
    assert (tmp_path / "report.md").read_text() == "mine"


@pytest.mark.parametrize("kind", ["progress", "archive", "tree", "islands", "spent", "front"])
def test_plot_writes_svg(kind: str, say: Say, tmp_path: Path) -> None:
    """A picture becomes an SVG with titles of axes as real text; twice the same bytes."""
    path = tmp_path / f"{kind}.svg"
    assert say("plot", FINISHED, kind, "-o", str(path)).code == 0
    first = path.read_bytes()
    assert b"<text" in first
    assert say("plot", FINISHED, kind, "-o", str(path), "--force").code == 0
    assert path.read_bytes() == first


@pytest.mark.parametrize(("name", "head"), [("a.png", b"\x89PNG"), ("a.pdf", b"%PDF")])
def test_plot_writes_other_formats(name: str, head: bytes, say: Say, tmp_path: Path) -> None:
    """The file's ending chooses the format."""
    assert say("plot", MODEL, "cost", "-o", str(tmp_path / name)).code == 0
    assert (tmp_path / name).read_bytes().startswith(head)


def test_the_front_in_numbers_is_one(say: Say, tmp_path: Path, runs: Path) -> None:
    """No evaluated program is both as fast and as good as one of the front, and better in one of the two."""
    document = say("plot", FINISHED, "pareto", "-o", str(tmp_path / "front.svg"), "--json").document
    front = document["front"]
    with open_record(runs / FINISHED) as record:
        every = [*points(record.reader), *baseline_points(record)]
    assert len(every) > len(front) > 0
    for one in front:
        for other in every:
            gained = one["cpu_seconds"] - other.seconds, one["training_loss_percent"] - other.loss
            assert min(gained) < 0 or max(gained) == 0, (one, other)
    for other in every:
        assert any(
            one["cpu_seconds"] <= other.seconds and one["training_loss_percent"] <= other.loss
            for one in front
        )


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (["plot", FINISHED, "pie", "-o", "x.svg"], 2, "expected one of progress, time"),
        (["plot", FINISHED, "progress", "-o", "x.bmp"], 2, "expected .svg, .png or .pdf"),
        (["plot", FINISHED, "cost", "-o", "x.svg"], 6, "nothing to draw"),
    ],
)
def test_plot_refuses_clearly(words: list[str], code: int, expected: str, say: Say) -> None:
    """Unknown kinds and formats, and pictures without data, are one clear line each."""
    said = say(*words)
    assert said.code == code
    assert expected in said.err


def test_clouds_are_thinned_and_say_so() -> None:
    """More than 2,000 points are thinned evenly; the first and the last stay."""
    from gapsmith.app.views.plots.canvas import MOST_POINTS, thin

    shown = thin(list(range(50_000)))
    assert len(shown) == MOST_POINTS
    assert (shown[0], shown[-1]) == (0, 49_999)
    assert len(set(shown)) == MOST_POINTS


def test_a_record_brings_no_html_into_the_markdown(runs: Path, tmp_path: Path) -> None:
    """Names, versions and origins of a record show as they are written, outside of code too."""
    evil = "<img src=x onerror=alert(1)>`<b>"
    folder = shutil.copytree(runs / MODEL, tmp_path / MODEL)
    with sqlite3.connect(folder / "archive.sqlite") as store:
        (text,) = store.execute("SELECT value FROM run WHERE key = 'problem'").fetchone()
        problem = {**json.loads(text), **dict.fromkeys(("name", "version", "unit", "origin"), evil)}
        values = {"problem": problem, "versions": {evil: evil}, "unsafe_without": [evil], "created": evil}
        for key, value in values.items():
            store.execute("INSERT OR REPLACE INTO run VALUES (?, ?)", (key, json.dumps(value)))
        store.execute("UPDATE candidates SET operator = ?", (evil,))
        store.execute("UPDATE instances SET stratum = ?", ("<b>",))
    store.close()
    with open_record(folder) as record:
        written = report.markdown(record)
    for line in re.sub(r"(?ms)^(`{3,}).*?^\1", "", written).splitlines():
        outside = re.sub(r"(?<!\\)`[^`]*`", "", line)
        assert not re.search(r"(?<!\\)<", outside), line


def test_the_heart_of_a_class_is_its_first_public_method() -> None:
    """Constants, the constructor and helpers are passed over; of a function, its first lines are shown."""
    text = "import math\nMIX = 0.4\n\nclass Packer:\n    def __init__(self):\n        self.n = 0\n\n"
    text += "    def _help(self):\n        return 1\n\n    def place(self, item):\n        return 0\n"
    assert report.excerpt(text, "Packer").splitlines() == ["def place(self, item):", "    return 0"]
    function = "LIMIT = 3\n\ndef solve(x):\n    # why\n    return x\n"
    assert report.excerpt(function, "solve").splitlines() == ["def solve(x):", "    return x"]
    assert report.excerpt(function, "other").splitlines()[0] == "LIMIT = 3"


def test_the_picture_of_times_has_gaps_as_its_heading_says(runs: Path) -> None:
    """The best candidate lies at its mean gap on validation, and best candidate and baseline are named."""
    from gapsmith.app.views.plots.kinds import KINDS

    with open_record(runs / FINISHED) as record:
        figure = KINDS["front"].draw(record)
        assert figure is not None
        assert record.best is not None
        figures = record.figures(record.best, "valid")
        lines = {str(line.get_label()): line for line in figure.axes[0].lines}
        rival = str(record.rival).removeprefix("baseline/")
        best = lines[f"best candidate {record.best[:8]}"]
    assert figures is not None
    assert list(best.get_ydata()) == [pytest.approx(figures.mean_gap_percent)]
    assert f"best baseline {rival}" in lines
    assert "gap" in figure.axes[0].get_ylabel()


@pytest.mark.parametrize("name", ["report", "dashboard"])
def test_paper_is_light(name: str) -> None:
    """Colours of the dark theme are for screens alone, whatever a person has chosen there."""
    style = (Path(report.__file__).parent / "templates" / f"{name}.css").read_text("utf-8")
    dark = [line for line in style.split("\n") if "--page: #15171b" in line]
    assert dark
    assert all(line.startswith("@media screen") for line in dark)

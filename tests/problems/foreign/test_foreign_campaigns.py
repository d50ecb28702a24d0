"""Campaigns on foreign tasks: what may change, what is said of scores, and what a record may ask for."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from gapsmith.evolve.llm.edits import EditError, apply_reply
from gapsmith.evolve.offline.proposer import spliced

Gapsmith = Callable[..., "subprocess.CompletedProcess[str]"]
Make = Callable[..., Path]
FRAME = """import math

# EVOLVE-BLOCK-START
def inner(x):
    # a comment
    return x + 1


def other(x):
    \"\"\"Stays as it is.\"\"\"
    return x  # so does this
# EVOLVE-BLOCK-END


def outer(x):
    return inner(x) * math.pi
"""


def document(campaign: Path, gapsmith: Gapsmith) -> dict[str, object]:
    """The campaign's document."""
    done = gapsmith("show", "latest", "--json", "--runs", str(campaign / "runs"))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


@pytest.mark.slow
def test_campaign_improves_and_says_reported(campaign: Path, gapsmith: Gapsmith) -> None:
    """A campaign finds a better program; its score is reported, and nowhere a gap."""
    shown = document(campaign, gapsmith)
    assert shown["trust"] == "reported"
    best = shown["best"]
    assert isinstance(best, dict)
    figures = best["splits"]["test"]
    assert figures["trust"] == "reported"
    assert figures["mean_gap_percent"] is None
    assert figures["ratio_of_sums_percent"] is None
    assert figures["change"] > 0
    assert figures["reported_score"] == pytest.approx(-0.67 + figures["change"])
    assert shown["generalisation"] is None


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("show", "latest"),
        ("show", "latest", "best"),
        ("list",),
        ("watch", "latest"),
        ("diff", "latest", "start", "best"),
        ("lineage", "latest"),
    ],
)
@pytest.mark.slow
def test_no_view_names_a_gap(words: tuple[str, ...], campaign: Path, gapsmith: Gapsmith) -> None:
    """Tables of campaigns and programs call the scores unverified and name no gap."""
    text = (campaign / "out").read_text()
    if words:
        done = gapsmith(*words, "--runs", str(campaign / "runs"))
        assert done.returncode == 0, done.stderr
        text = done.stdout
    body = "\n".join(line for line in text.splitlines() if "best gap" not in line)  # the list's column
    assert not re.search(r"\bgap\b", body)
    assert "optimal" not in body
    assert "verified" in body


@pytest.mark.slow
def test_pictures_show_scores_below_zero(campaign: Path, gapsmith: Gapsmith, tmp_path: Path) -> None:
    """Losses of improvements are negative, and a picture says what they mean; gaps by stratum are refused."""
    place = ("--runs", str(campaign / "runs"))
    done = gapsmith("plot", "latest", "progress", "-o", str(tmp_path / "progress.svg"), *place)
    assert done.returncode == 0, done.stderr
    assert "below 0 is better, and nothing is verified" in done.stdout
    assert "unverified" in (tmp_path / "progress.svg").read_text()
    assert gapsmith("plot", "latest", "strata", "-o", str(tmp_path / "s.svg"), *place).returncode == 6


@pytest.mark.slow
def test_best_program_keeps_its_frame_and_says_unverified(
    campaign: Path, gapsmith: Gapsmith, tmp_path: Path
) -> None:
    """`best` writes the program as the evaluator calls it, with its marks and a warning above."""
    file = tmp_path / "best.py"
    gapsmith("best", "latest", "-o", str(file), "--runs", str(campaign / "runs"))
    text = file.read_text()
    assert "# unverified: " in text
    assert "# EVOLVE-BLOCK-START" in text
    assert text.rstrip().endswith("def area():\n    return radius() ** 2")
    assert "__main__" not in text


@pytest.mark.slow
def test_report_says_unverified(campaign: Path, gapsmith: Gapsmith, tmp_path: Path) -> None:
    """The report claims no gap and no verification."""
    folder = tmp_path / "runs"
    shutil.copytree(campaign / "runs", folder)
    done = gapsmith("report", "latest", "--runs", str(folder))
    assert done.returncode == 0, done.stderr
    page = next(folder.glob("*/report.md")).read_text()
    assert "unverified" in page.lower()
    assert "exact arithmetic" not in page
    assert "ptimality gap" not in page


@pytest.mark.slow
def test_exported_scores_say_reported(campaign: Path, gapsmith: Gapsmith) -> None:
    """Every exported score has the kind `reported` and no gap."""
    done = gapsmith(
        "export", "latest", "--what", "scores", "--format", "jsonl", "--runs", str(campaign / "runs")
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {row["reference_kind"] for row in rows} == {"reported"}
    assert {row["gap"] for row in rows} == {None}


@pytest.mark.slow
def test_candidates_differ_inside_the_block_alone(campaign: Path) -> None:
    """Whatever was evaluated has the start program's lines outside of the marks."""
    stores = list((campaign / "runs").glob("*/*.sqlite"))
    with sqlite3.connect(stores[0]) as store:
        texts = [
            next(iter(json.loads(row[0]).values())) for row in store.execute("SELECT files FROM candidates")
        ]
    assert len(texts) > 3
    assert {text.partition("# EVOLVE-BLOCK-START")[0] for text in texts} == {""}
    assert {text.partition("# EVOLVE-BLOCK-END")[2].strip() for text in texts} == {
        "def area():\n    return radius() ** 2"
    }


@pytest.mark.slow
def test_simplified_program_keeps_its_frame(campaign: Path, gapsmith: Gapsmith, tmp_path: Path) -> None:
    """What stands outside of the marks stays in a simplified program, also what the score does not need."""
    folder = tmp_path / "runs"
    shutil.copytree(campaign / "runs", folder)
    done = gapsmith("simplify", "latest", "best", "--json", "--runs", str(folder))
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    (text,) = document["files"].values()
    assert document["accepted"] > 0
    assert text.startswith("# EVOLVE-BLOCK-START")
    assert text.endswith("# EVOLVE-BLOCK-END\n\n\ndef area():\n    return radius() ** 2\n")
    assert document["nodes_after"] < document["nodes_before"]


@pytest.mark.slow
def test_foreign_record_needs_the_callers_word(campaign: Path, gapsmith: Gapsmith, tmp_path: Path) -> None:
    """A run that this user did not sign gets its evaluator run by `--trust-run` alone."""
    folder = tmp_path / "runs"
    shutil.copytree(campaign / "runs", folder)
    store = next(folder.glob("*/*.sqlite"))
    with sqlite3.connect(store) as opened:
        opened.execute("DELETE FROM run WHERE key = 'seal'")
    done = gapsmith("verify", "latest", "--runs", str(folder))
    assert done.returncode == 2
    assert "circle_task" in done.stderr
    assert "--trust-run" in done.stderr


@pytest.mark.slow
def test_reported_is_not_compared_with_verified(campaign: Path, gapsmith: Gapsmith, tmp_path: Path) -> None:
    """`compare` refuses a reported beside a verified campaign."""
    folder = tmp_path / "runs"
    shutil.copytree(campaign / "runs", folder)
    foreign = next(folder.iterdir()).name
    done = gapsmith("run", "bin-packing", "--iterations", "2", "--runs", str(folder), "--json")
    assert done.returncode == 0, done.stderr
    native = json.loads(done.stdout)["run"]
    done = gapsmith("compare", foreign, native, "--runs", str(folder))
    assert done.returncode == 2
    assert "kinds of score differ (reported and verified)" in done.stderr


@pytest.mark.slow
def test_two_reported_campaigns_are_compared_by_scores(
    campaign: Path, gapsmith: Gapsmith, tmp_path: Path
) -> None:
    """Scores and changes stand in the table; no gap, no loss, and a word that nothing is verified."""
    folder = tmp_path / "runs"
    shutil.copytree(campaign / "runs", folder)
    words = ("run", f"openevolve:{campaign / 'circle_task'}", "--iterations", "4", "--seed", "5")
    done = gapsmith(*words, "--runs", str(folder), "--json")
    assert done.returncode == 0, done.stderr
    done = gapsmith("compare", *sorted(run.name for run in folder.iterdir()), "--runs", str(folder))
    assert done.returncode == 0, done.stderr
    assert "reported score (unverified)" in done.stdout
    assert "A better on" in done.stdout
    assert not re.search(r"\b(gap|loss)\b", done.stdout)


@pytest.mark.slow
def test_configuration_becomes_defaults(task: Make, gapsmith: Gapsmith, tmp_path: Path) -> None:
    """Keys of the task count unless the user gives others; unused ones are named."""
    pytest.importorskip("yaml")
    folder = task(
        "def evaluate(path): return {'combined_score': load(path).radius()}",
        "max_iterations: 3\nrandom_seed: 7\nllm:\n  api_base: http://127.0.0.1:9/v1\n"
        "database:\n  num_islands: 3\nprompt:\n  system_message: Grow the circle.\n",
    )
    done = gapsmith("run", f"openevolve:{folder}", "--runs", str(tmp_path / "runs"), "--json")
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    assert (shown["seed"], shown["iterations"], shown["stop_reason"]) == (7, 3, "iterations")
    assert "llm.api_base" in done.stderr
    done = gapsmith("problems", "show", f"openevolve:{folder}", "--json")
    assert json.loads(done.stdout)["statement"].startswith("Grow the circle.")


def test_baselines_are_the_start_program(task: Make, gapsmith: Gapsmith) -> None:
    """A task brings no baselines, so it is the start program; a folder `11` is named with its parent."""
    pytest.importorskip("yaml")
    folder = task("def evaluate(path): return {'combined_score': 2.5}", "log_level: INFO\n")
    folder = folder.rename(folder.parent / "11")
    done = gapsmith("baselines", f"openevolve:{folder}", "--split", "train", "--json")
    assert (done.returncode, done.stderr) == (0, "")  # keys that no campaign uses are no news here
    assert json.loads(done.stdout)["problem"].endswith("-11")
    rows = json.loads(done.stdout)["baselines"]
    assert list(rows) == ["initial-program"]
    assert rows["initial-program"]["reported_score"] == 2.5
    assert rows["initial-program"]["change"] == 0


def test_check_names_what_is_missing(task: Make, gapsmith: Gapsmith) -> None:
    """`problems check` runs the start program three times and names a missing package with its command."""
    folder = task("import missing_for_sure\ndef evaluate(path): return {}")
    done = gapsmith("problems", "check", f"openevolve:{folder}")
    assert done.returncode == 5
    assert "missing_for_sure" in done.stdout
    assert "-m pip install missing_for_sure" in done.stdout


def test_check_tells_noise(task: Make, gapsmith: Gapsmith) -> None:
    """A score that differs from run to run is said."""
    folder = task("import random\ndef evaluate(path): return {'combined_score': random.random()}")
    done = gapsmith("problems", "check", f"openevolve:{folder}")
    assert done.returncode == 0, done.stdout
    assert "differs from run to run" in done.stdout


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("openevolve:/no/such/folder", "no such folder"),
        ("openevolve:{empty}", "no evaluator.py"),
    ],
)
def test_what_is_no_task_is_named(spec: str, words: str, gapsmith: Gapsmith, tmp_path: Path) -> None:
    """A wrong folder is the user's error, in one sentence."""
    done = gapsmith("run", spec.format(empty=tmp_path))
    assert done.returncode in (2, 3)
    assert words in done.stderr


def test_only_changed_statements_inside_are_taken() -> None:
    """Comments, docstrings and everything outside stay, letter by letter."""
    changed = "import math\ndef inner(x):\n    return x + 2\ndef outer(x):\n    return inner(x) * math.pi\n"
    text = spliced(FRAME, changed)
    assert text == FRAME.replace("    # a comment\n    return x + 1", "    return x + 2")


def test_new_functions_and_imports_go_inside() -> None:
    """What a change adds stands behind the first mark."""
    changed = FRAME.replace("return x + 1", "return random.random() + helper(x)")
    changed = "import random\ndef helper(x):\n    return x\n" + changed
    text = spliced(FRAME, changed)
    assert text is not None
    assert text.index("START") < text.index("import random") < text.index("def helper") < text.index("END")


@pytest.mark.parametrize(
    "changed",
    [
        FRAME.replace("math.pi", "math.e"),
        FRAME,
        "def outer(x):\n    return x\n",
    ],
)
def test_changes_outside_are_refused(changed: str) -> None:
    """A changed statement outside, or no change inside, gives no program."""
    assert spliced(FRAME, changed) is None


def test_marks_inside_a_function_are_left_alone() -> None:
    """Where a mark cuts a statement nothing can be taken statement by statement."""
    parent = "def f(x):\n    # EVOLVE-BLOCK-START\n    y = x\n    # EVOLVE-BLOCK-END\n    return y\n"
    assert spliced(parent, "def f(x):\n    y = x + 1\n    return y\n") is None


def test_replies_are_spliced_too() -> None:
    """A model's whole program gives its block alone; one without marks is refused."""
    reply = f"```python\n{FRAME.replace('x + 1', 'x + 3').replace('math.pi', '0')}```"
    text = apply_reply(reply, FRAME, "outer")
    assert text == FRAME.replace("x + 1", "x + 3")
    with pytest.raises(EditError, match="marks 0"):
        apply_reply("```python\ndef outer(x):\n    return 0\n```", FRAME, "outer")

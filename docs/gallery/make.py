"""Makes the gallery: screenshots of a report and a transcript of each verb that looks at a run.

    gapsmith run smtt
    python docs/gallery/make.py runs/NAME

Needs Chromium for the screenshots; everything else comes with Gapsmith.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
SHOTS = {
    "report-light": (1000, 2600, "light"),
    "report-dark": (1000, 2600, "dark"),
    "report-phone": (500, 2400, "light"),
}
VERBS = (
    "list",
    "show RUN",
    "show RUN best",
    "show RUN best --explain",
    "show RUN best --instance INSTANCE",
    "best RUN",
    "diff RUN",
    "lineage RUN",
    "watch RUN",
    "verify RUN",
)


def gapsmith(run: Path, words: list[str]) -> str:
    """Standard output of a command at 80 columns."""
    environment = {**os.environ, "GAPSMITH_RUNS": str(run.parent), "COLUMNS": "80", "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "gapsmith.cli", *words],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def transcripts(run: Path, instance: str) -> str:
    """What each verb prints of a run."""
    parts = ["# What each verb prints", "", "Made by `python docs/gallery/make.py RUN`, at 80 columns.", ""]
    for verb in VERBS:
        words = [
            run.name if word == "RUN" else instance if word == "INSTANCE" else word for word in verb.split()
        ]
        text = gapsmith(run, words)
        text = re.sub(r"[ \t]+$", "", text, flags=re.M).rstrip()
        parts += [f"## {verb}", "", "````text", f"$ gapsmith {' '.join(words)}", text, "````", ""]
    return "\n".join(parts)


def screenshots(run: Path, chromium: str) -> None:
    """Pictures of the report in light, dark and at the width of a phone."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        gapsmith(run, ["report", run.name, "-o", str(folder)])
        page = (folder / "report.html").read_text("utf-8")
        for shot, (width, height, theme) in SHOTS.items():
            path = folder / f"{shot}.html"
            path.write_text(page.replace("<html ", f'<html data-theme="{theme}" ', 1), "utf-8")
            words = [f"--user-data-dir={folder / 'profile'}", f"--window-size={width},{height}"]
            target = f"--screenshot={HERE / f'{shot}.png'}"
            subprocess.run(
                [chromium, *_FLAGS, *words, target, path.as_uri()],
                check=True,
                capture_output=True,
                timeout=300,
            )


def pictures(run: Path) -> None:
    """Every picture of a run as SVG, as for a paper."""
    for kind in ("progress", "strata", "pareto", "archive"):
        gapsmith(run, ["plot", run.name, kind, "-o", str(HERE / f"{kind}.svg"), "--force"])


def main() -> None:
    """Makes everything from one finished run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--instance", default="test-003")
    given = parser.parse_args()
    run = given.run.resolve()
    (HERE / "transcripts.md").write_text(transcripts(run, given.instance), "utf-8")
    pictures(run)
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        print("no Chromium here: the screenshots stay as they are")
        return
    screenshots(run, chromium)


if __name__ == "__main__":
    main()

"""Makes the gallery: screenshots of a report and a transcript of each verb that looks at a run.

    gapsmith run smtt --budget 150eval
    gapsmith run smtt --budget 150eval --control best-of-n
    python docs/gallery/make.py runs/NAME runs/CONTROL

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
from collections.abc import Mapping
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
    "report-phone": (390, 2600, "dark"),
}
_NARROWEST = 500
"""Pixels: Chromium makes no narrower window; a phone is a frame in one."""
VERBS = (
    "list",
    "show RUN",
    "show RUN best",
    "show RUN --strata",
    "show RUN best --explain",
    "show RUN best --instance INSTANCE",
    "best RUN",
    "diff RUN",
    "lineage RUN",
    "watch RUN",
    "verify RUN",
    "compare RUN CONTROL",
    "simplify RUN --evaluations 60",
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
    return done.stdout.replace(f"{run.parent}{os.sep}", f"runs{os.sep}")


def transcripts(run: Path, words_for: Mapping[str, str]) -> str:
    """What each verb prints of a run; `words_for` says what stands for RUN, CONTROL and INSTANCE."""
    parts = ["# What each verb prints", "", "Made by `python docs/gallery/make.py`, at 80 columns.", ""]
    for verb in VERBS:
        words = [words_for.get(word, word) for word in verb.split()]
        text = gapsmith(run, words)
        text = re.sub(r"[ \t]+$", "", text, flags=re.M).strip("\n")
        parts += [f"## {verb}", "", "````text", f"$ gapsmith {' '.join(words)}", text, "````", ""]
    return "\n".join(parts)


def screenshots(run: Path, chromium: str) -> None:
    """Pictures of the report in light, dark and at the width of a phone."""
    from matplotlib.image import imread, imsave

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        gapsmith(run, ["report", run.name, "-o", str(folder)])
        page = (folder / "report.html").read_text("utf-8")
        for shot, (width, height, theme) in SHOTS.items():
            path, frame = folder / f"{shot}.html", folder / f"{shot}-frame.html"
            path.write_text(page.replace("<html ", f'<html data-theme="{theme}" ', 1), "utf-8")
            style = f"border:0;width:{width}px;height:{height}px"
            frame.write_text(f'<body style="margin:0"><iframe src="{path.name}" style="{style}">', "utf-8")
            size = f"--window-size={max(width, _NARROWEST)},{height}"
            target = HERE / f"{shot}.png"
            words = [f"--user-data-dir={folder / 'profile'}", size, f"--screenshot={target}", frame.as_uri()]
            subprocess.run([chromium, *_FLAGS, *words], check=True, capture_output=True, timeout=300)
            imsave(target, imread(target)[:, :width])


def pictures(run: Path, control: Path) -> None:
    """Pictures of a run as SVG, as for a paper."""
    for kind in ("progress", "strata", "pareto", "archive", "diversity"):
        gapsmith(run, ["plot", run.name, kind, "-o", str(HERE / f"{kind}.svg"), "--force"])
    gapsmith(run, ["compare", run.name, control.name, "-o", str(HERE / "compare.svg"), "--force"])


def main() -> None:
    """Makes everything from a finished run and a control of it in the same folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("control", type=Path)
    parser.add_argument("--instance", default="test-003")
    given = parser.parse_args()
    run, control = given.run.resolve(), given.control.resolve()
    words_for = {"RUN": run.name, "CONTROL": control.name, "INSTANCE": given.instance}
    (HERE / "transcripts.md").write_text(transcripts(run, words_for), "utf-8")
    pictures(run, control)
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        print("no Chromium here: the screenshots stay as they are")
        return
    screenshots(run, chromium)


if __name__ == "__main__":
    main()

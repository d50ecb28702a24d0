"""Counts the lines of the product: Python without tests, benchmarks, examples, gallery and shipped programs.

python benchmarks/lines.py              lines and files of each folder, today
python benchmarks/lines.py COMMIT       the same beside a commit: how much each folder grew
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
APART = {"tests", "benchmarks", "examples", "gallery", "docs", ".ci", "programs"}
"""Folders that are no product code; `programs` holds start programs and published heuristics as texts."""


def git(*words: str) -> str:
    """What git prints."""
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def counts(commit: str) -> tuple[Counter[str], Counter[str]]:
    """Lines and files of each folder as of a commit."""
    lines: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for name in git("ls-tree", "-r", "--name-only", commit).splitlines():
        path = PurePosixPath(name)
        if path.suffix != ".py" or APART & set(path.parts):
            continue
        folder = "/".join(path.parts[:-1][:2]) or "."
        lines[folder] += git("show", f"{commit}:{name}").count("\n")
        files[folder] += 1
    return lines, files


def main() -> None:
    """Prints one line for each folder, and the sum."""
    lines, files = counts("HEAD")
    earlier = counts(sys.argv[1])[0] if len(sys.argv) > 1 else None
    for folder in sorted({*lines, *(earlier or ())}):
        change = "" if earlier is None else f"{lines[folder] - earlier[folder]:+8d}"
        print(f"{folder:24}{files[folder]:5d} files{lines[folder]:8d} lines{change}")
    change = "" if earlier is None else f"{lines.total() - earlier.total():+8d}"
    print(f"{'all':24}{files.total():5d} files{lines.total():8d} lines{change}")


if __name__ == "__main__":
    main()

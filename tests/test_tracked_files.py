"""What the repository holds: texts and small data, nothing that a build or a package manager left behind."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MOST_BYTES = 10**6
BUILT = re.compile(
    r"(^|/)(build|dist|node_modules|__pycache__|[^/]+\.egg-info|\.venv)/"
    r"|\.(whl|egg|so|pyc|pyd|dll|dylib|exe|o|a|jar|bin|deb|rpm|zip|tar|tgz|tar\.gz)$"
)
"""Paths of built things; `gz` and `xz` of single texts are data."""
BINARY = re.compile(
    r"^(docs/gallery/[\w-]+\.png|.+\.(json|txt)\.gz|benchmarks/.+\.jsonl\.xz|tests/.+/earlier/.+\.tar\.xz)$"
)
"""Files that are no text: pictures of the documentation, packed references, records and earlier runs."""


def faults(root: Path, paths: list[str]) -> list[str]:
    """What is wrong with files of a folder: built, large, or binary without being one of `BINARY`."""
    found = []
    for path in paths:
        file = root / path
        if BUILT.search(path):
            found.append(f"{path}: built")
        if not file.is_file() or file.is_symlink():
            continue
        if file.stat().st_size > MOST_BYTES:
            found.append(f"{path}: {file.stat().st_size:,} bytes")
        if not BINARY.match(path) and not is_text(file.read_bytes()):
            found.append(f"{path}: binary")
    return found


def is_text(content: bytes) -> bool:
    """Whether bytes are UTF-8 without a zero byte."""
    try:
        return "\0" not in content.decode("utf-8")
    except UnicodeDecodeError:
        return False


def test_tracked_files_are_texts_and_small_data() -> None:
    """No build, wheel or binary is tracked, and no file over a megabyte."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("no checkout")
    paths = listed.stdout.decode().split("\0")[:-1]
    assert len(paths) > 1000
    assert faults(ROOT, paths) == []


def test_what_does_not_belong_is_found(tmp_path: Path) -> None:
    """A wheel in the root, a build, a large text and a binary are each named."""
    files = {
        "py_spy-0.4.3-py2.py3-none-any.whl": b"PK\x00",
        "build/lib/x.py": b"",
        "dist/x.txt": b"",
        "large.txt": b"x" * (MOST_BYTES + 1),
        "tool": b"\x7fELF\x00",
        "README.md": "é".encode(),
        "evaluators/a/data/b.json.gz": b"\x1f\x8b\x00",
    }
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    assert faults(tmp_path, list(files)) == [
        "py_spy-0.4.3-py2.py3-none-any.whl: built",
        "py_spy-0.4.3-py2.py3-none-any.whl: binary",
        "build/lib/x.py: built",
        "dist/x.txt: built",
        "large.txt: 1,000,001 bytes",
        "tool: binary",
    ]

"""A problem that `problems new --class` wrote, whole or with a fault planted in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.plugins.scaffold import write_problem


@pytest.fixture(scope="module", autouse=True)
def lent_slots(slots: Callable[..., Any]) -> Iterator[None]:
    """Checks and campaigns of this folder take sandbox slots that are open already."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gapsmith.sandbox.slot.open_sandbox", slots)
        yield


@pytest.fixture
def planted(tmp_path: Path) -> Callable[..., Path]:
    """Writes the scaffold's problem with (old, new) replacements; each old text must be there."""

    def write(*changes: tuple[str, str]) -> Path:
        folder = tmp_path / f"problem-{len(list(tmp_path.iterdir()))}"
        path = write_problem("night-shift", folder, package=False, as_class=True)[0]
        text = path.read_text("utf-8")
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        path.write_text(text, "utf-8")
        return path

    return write


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is read from or left in the user's cache."""
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path / "cache"))

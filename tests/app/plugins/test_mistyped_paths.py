"""A path that is no problem's file says what it is and which file may be meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from gapsmith.app.errors import UserError
from gapsmith.app.plugins.loader import load_problem


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pfsp.py").write_text("raise RuntimeError('was run')\n", encoding="utf-8")
    (tmp_path / "test_pfsp.py").write_text("", encoding="utf-8")
    (tmp_path / "jobs.csv").write_text("name,minutes\n", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)


def refused(spec: str) -> UserError:
    """The error that a specification ends with."""
    with pytest.raises(UserError) as caught:
        load_problem(spec)
    return caught.value


@pytest.mark.parametrize("spec", ["pfps.py", "PFSP.py", "./pfsp", "pfsp", "./Pfps"])
def test_a_mistyped_path_gets_the_file_beside_it(spec: str) -> None:
    """Letters in another order, in capitals, or no ending."""
    assert "did you mean pfsp.py" in str(refused(spec).hint)


@pytest.mark.parametrize("spec", ["jobs.csv", "./jobs.csv"])
def test_a_file_that_is_no_python_is_not_run(spec: str) -> None:
    """The ending is named."""
    assert refused(spec).message == "jobs.csv: not a Python file (.py)"


def test_a_folder_names_the_python_files_that_it_holds(tmp_path: Path) -> None:
    """Without tests; an only file is the hint."""
    error = refused(str(tmp_path))
    assert error.message == f"{tmp_path}: is a folder; it holds pfsp.py"
    assert error.hint == f"give the file: {tmp_path / 'pfsp.py'}"
    assert refused("empty").message == "empty: is a folder; it holds no Python file"


def test_a_path_that_resembles_nothing_gets_no_guess() -> None:
    """Only the way out is named."""
    assert refused("watch_posts.py").hint == "give the path of a Python file"

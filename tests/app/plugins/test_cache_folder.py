"""The folder in which a user's references and baseline results are kept."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from gapsmith.app.config import parse
from gapsmith.app.setup.prepare import setup_of_problem
from gapsmith.evaluators.cache import Cache, ReferenceCache

PROBLEM = Path(__file__).parents[1] / "campaign" / "flow_time.py"


def test_other_users_cannot_write_into_the_cache(tmp_path: Path) -> None:
    """Whatever the umask, the folder is its user's alone: what lies in it is taken for proven."""
    before = os.umask(0)
    try:
        Cache(tmp_path / "cache").put("reference", "key", {"value": 1})
    finally:
        os.umask(before)
    assert (tmp_path / "cache" / "results").stat().st_mode & 0o777 == 0o700
    assert Cache(tmp_path / "cache").get("reference", "key") == {"value": 1}


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o755, 0o701])
def test_a_folder_that_others_can_use_is_not_trusted(tmp_path: Path, mode: int) -> None:
    """What others could have put there is not read, nothing is written there, and the reason is kept."""
    Cache(tmp_path / "cache").put("reference", "key", {"value": 1})
    folder = tmp_path / "cache" / "results"
    folder.chmod(mode)
    cache = Cache(tmp_path / "cache")
    assert cache.get("reference", "key") is None
    assert f"mode {mode:o}, expected 700" in str(cache.note)
    files = sorted(folder.rglob("*"))
    cache.put("reference", "other", {"value": 2})
    assert sorted(folder.rglob("*")) == files
    folder.chmod(0o700)
    assert cache.get("reference", "key") == {"value": 1}


def test_a_link_is_no_folder(tmp_path: Path) -> None:
    """A link in place of the folder could lead to one that somebody filled."""
    Cache(tmp_path / "cache").put("reference", "key", {"value": 1})
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "results").symlink_to(tmp_path / "cache" / "results")
    cache = Cache(tmp_path / "mine")
    assert cache.get("reference", "key") is None
    assert "link" in str(cache.note)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of another user")
def test_the_folder_of_another_user_is_not_trusted(tmp_path: Path) -> None:
    """Whoever owns the folder could have written any proof."""
    Cache(tmp_path / "cache").put("reference", "key", {"value": 1})
    os.chown(tmp_path / "cache" / "results", 12345, 12345)
    cache = Cache(tmp_path / "cache")
    assert cache.get("reference", "key") is None
    assert "belongs to user 12345" in str(cache.note)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "[1]", "{}", '{"reference": 1}', "\x00", '{"reference": {}}']
)
def test_a_damaged_entry_costs_time_only(tmp_path: Path, text: str) -> None:
    """Whatever stands in a file of the cache, the reference is computed anew."""
    setup = setup_of_problem(parse({"campaign": {"problem": str(PROBLEM)}}, "test"))
    instance = next(iter(setup.evaluator.instances("train").values()))
    cache = Cache(tmp_path / "own")
    references: Any = SimpleNamespace(version="1")
    kept = ReferenceCache(cache, setup.loaded.problem, references, "origin")
    value = setup.evaluator.references[instance.id]
    assert kept.get_or_compute(instance, 1.0, lambda: value) == value
    assert kept.get(instance, 1.0) == value
    (path,) = (tmp_path / "own").rglob("*.json")
    path.write_text(text)
    assert kept.get(instance, 1.0) is None

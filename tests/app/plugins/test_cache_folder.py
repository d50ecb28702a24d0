"""The folder in which a user's references and baseline results are kept."""

import os
from pathlib import Path

from gapsmith.evaluators.cache import Cache


def test_other_users_cannot_write_into_the_cache(tmp_path: Path) -> None:
    """Whatever the umask, the folder is its user's alone: what lies in it is taken for proven."""
    before = os.umask(0)
    try:
        Cache(tmp_path / "cache").put("reference", "key", {"value": 1})
    finally:
        os.umask(before)
    assert (tmp_path / "cache" / "results").stat().st_mode & 0o777 == 0o700
    assert Cache(tmp_path / "cache").get("reference", "key") == {"value": 1}

"""Paths that no system takes are the user's mistake, in whichever place they stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

LONG = {
    "name": "a" * 5000,
    "ending": "a" * 5000 + ".json",
    "parts": "/".join(["b" * 200] * 30),
    "root": "/" + "c" * 300,
}
VERBS = (
    *(
        "problems read smtt {}",
        "problems show {}.py",
        "show {}",
        "watch {} --json",
        "list --runs {}",
        "best {}",
    ),
    *(
        "report {}",
        "compare {} {}",
        "mailbox {}",
        "config init {}",
        "problems new my-x --folder {}",
        "delete {}",
    ),
    *(
        "bench submit {} {}",
        "simplify {}",
        "verify {}",
        "lineage {}",
        "export {}",
        "plot {} progress -o {}.svg",
    ),
)


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_calls_a_long_path_a_bug(say: Callable[..., Any], verb: str) -> None:
    """The message is short, and the exit code is that of a wrong word or of what is not there."""
    for path in LONG.values():
        said = say(*(word.replace("{}", path) for word in verb.split()))
        assert said.code in (2, 3, 6), said.err[-300:]
        assert "bug" not in said.err[-200:]

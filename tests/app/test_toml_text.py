"""Every configuration comes back from its TOML text as it was."""

from __future__ import annotations

import tomllib
from typing import Any

from gapsmith.app.formatting import dump, toml_value
from hypothesis import example, given
from hypothesis import strategies as st

KEYS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.sampled_from(["a b", "a.b", "", '"', "'", "\x7f", "\n", "é", "[x]"]),
)
SCALARS = st.one_of(
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"])),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
TABLES = st.dictionaries(KEYS, VALUES, min_size=1, max_size=4)


@given(problem=TABLES, models=st.lists(TABLES, min_size=1, max_size=3))
@example(problem={"sizes": {"a b": 1, "a.b": 2, "c": {"d.e": "\x7f\x00\t\n"}}}, models=[{"spec": "openai/x"}])
@example(problem={"list": [{"a b": [1, {"c.d": 2}]}, []]}, models=[{"spec": "a", "settings": {"x y": 0.5}}])
def test_texts_come_back(problem: dict[str, Any], models: list[dict[str, Any]]) -> None:
    """Keys and texts may hold spaces, dots, quotes and control characters, at any depth."""
    document = {"campaign": {"seed": 1}, "problem": problem, "model": models}
    assert tomllib.loads(dump(document)) == document


def test_what_has_no_value_is_left_out() -> None:
    """TOML has no null: keys without a value are left out at any depth, and so are empty sections."""
    text = dump({"budget": {"usd": None, "parts": {"a": None, "b": 1}}, "problem": {}, "model": []})
    assert tomllib.loads(text) == {"budget": {"parts": {"b": 1}}}


@given(value=st.one_of(SCALARS, st.lists(SCALARS)))
def test_a_value_stands_on_one_line(value: Any) -> None:
    """What explanations and the starter file show is one line, whatever the value."""
    text = toml_value(value)
    assert "\n" not in text
    assert tomllib.loads(f"x = {text}") == {"x": value}

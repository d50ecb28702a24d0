"""The answer parser: any bytes give a verdict, nothing above the caps, nothing that is not strict JSON."""

from __future__ import annotations

import json
import math
import unicodedata
from typing import Any

import pytest
from gapsmith.sandbox.answers import MAX_DEPTH, InvalidAnswer, clean, parse
from hypothesis import given
from hypothesis import strategies as st

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc"), inner, max_size=3),
    max_leaves=20,
)
PIECES = st.sampled_from(
    ["[", "]", "{", "}", '"', "\\ud800", "\\u0000", "1", "e999", "-", "NaN", ",", ":", " "]
)


def check(raw: bytes) -> None:
    """Parses bytes; whatever is accepted must be plain, finite, encodable data."""
    try:
        value = parse(raw, 10_000)
    except InvalidAnswer:
        return
    text = json.dumps(value, allow_nan=False, ensure_ascii=False)
    assert json.loads(text.encode()) == value


@given(st.binary(max_size=200))
def test_any_bytes_give_a_verdict(raw: bytes) -> None:
    """Arbitrary bytes are either accepted as plain data or refused with a sentence."""
    check(raw)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_near_documents_give_a_verdict(text: str) -> None:
    """So do texts made of the pieces that documents are made of."""
    check(text.encode())


@given(VALUES)
def test_every_document_comes_back(value: Any) -> None:
    """A document within the caps is returned as it was written, types included."""
    found = parse(json.dumps(value).encode(), 1 << 20)
    assert found == value
    assert json.dumps(found) == json.dumps(value)


@pytest.mark.parametrize(
    "raw",
    [
        b"", b" ", b"[1] [2]", b"[1]x", b"[1,", b"NaN", b"[Infinity]", b"-Infinity", b"1e999", b"[-1e400]",
        b"\xff", b'"\xc0\x80"', b"\xef\xbb\xbf1", b'"\\ud800"', b'{"\\udfff": 1}', b"'a'", b"01", b"+1",
        b"1" * 301,
        b"[" * 101 + b"]" * 101, b"[" * 50_000, b'{"a":' * 50_000, b"\x00", b'"\x01"', b"[1,]",
    ],
)  # fmt: skip
def test_documents_that_must_be_refused(raw: bytes) -> None:
    """Each of the known tricks is refused."""
    with pytest.raises(InvalidAnswer):
        parse(raw, 1 << 20)


def test_caps_are_exact() -> None:
    """The largest sizes are accepted, one more is not."""
    assert parse(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, 1000) is not None
    assert parse(b"12345", 5) == 12345
    assert parse(b"9" * 300, 1000) == 10**300 - 1
    with pytest.raises(InvalidAnswer, match="at most 5"):
        parse(b"123456", 5)


def test_booleans_and_integers_stay_apart() -> None:
    """A boolean is not an integer, an integer is not a float."""
    assert [type(item) for item in parse(b"[true, 1, 1.0]", 100)] == [bool, int, float]  # type: ignore[union-attr]


@given(st.text(), st.integers(1, 100))
def test_clean_text_is_fit_for_a_prompt(text: str, cap: int) -> None:
    """No control, direction or invisible character is left but line ends, and the cap holds in bytes."""
    found = clean(text, cap)
    assert len(found.encode()) <= cap
    assert all(c == "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in found)


def test_finite_floats_survive() -> None:
    """Floats at the edge of the range are not taken for infinite."""
    value = parse(b"[1.7976931348623157e308, 5e-324]", 100)
    assert isinstance(value, list)
    assert all(isinstance(x, float) and math.isfinite(x) and x > 0 for x in value)

"""The table of characters that nobody sees, and whoever cleans by it."""

import unicodedata
from pathlib import Path

import gapsmith
import pytest
from gapsmith.app import formatting
from gapsmith.evaluators.scoring import one_line
from gapsmith.evolve.llm.chat import clip
from gapsmith.problems.plain import is_name
from gapsmith.prompts.text import plain_code, plain_text
from gapsmith.sandbox import answers
from gapsmith.sandbox.unseen import CATEGORIES, clean, find_unseen, name_of, unseen
from hypothesis import given
from hypothesis import strategies as st

HERE = Path(gapsmith.__file__).parent
BLANK = "\u034f\u115f\u1160\u17b4\u180b\u2800\u3164\ufe00\ufe0f\uffa0\U000e0041\U000e0100"
SEEN = st.characters(exclude_categories=tuple(CATEGORIES)).filter(lambda c: not unseen(c))
ANY = st.text(st.characters(exclude_categories=[]) | st.sampled_from(BLANK + "\n\t\r\x1b\u202e"))
CLEANERS = {
    "the table": clean,
    "words": formatting.clean,
    "answers": answers.clean,
    "scores": one_line,
    "models": clip,
    "prompts": plain_text,
    "programs in prompts": plain_code,
}


def test_the_table_holds_whole_categories_and_blank_letters() -> None:
    """Over all of Unicode: the categories of the table are unseen, and of the rest only blank letters."""
    others = [c for c in map(chr, range(0x110000)) if unseen(c) != (unicodedata.category(c) in CATEGORIES)]
    assert set(BLANK) - {"\U000e0041"} <= set(others)
    assert len(others) < 300
    assert {unicodedata.category(c) for c in others} <= {"Lo", "Mn", "So"}
    assert all(map(unseen, "\x00\x1b\x7f\x85\xad\u061c\u200b\u202e\u2066\u2028\ufeff\ufff9\ue000\ud800"))


@pytest.mark.parametrize("cleaner", CLEANERS.values(), ids=CLEANERS)
@given(text=ANY)
def test_every_cleaner_leaves_nothing_unseen(cleaner, text: str) -> None:
    """Whatever goes in, only line ends and tabs come out of the table's characters."""
    assert [c for c in cleaner(text) if unseen(c) and c not in "\n\t"] == []


@given(st.text(SEEN | st.just("\n")))
def test_text_that_is_seen_stays(text: str) -> None:
    """A text without unseen characters is left as it is."""
    assert clean(text) == text
    assert find_unseen(text) is None


@given(
    st.text(SEEN | st.sampled_from("\n\t")),
    st.characters(categories=["Cc", "Cf", "Co", "Cn", "Cs"]),
    st.text(SEEN),
)
def test_the_first_unseen_character_is_found_with_its_place(before: str, character: str, after: str) -> None:
    """Line and column count from 1, as editors do."""
    if character in "\n\t" or (character == "\r" and after.startswith("\n")):
        return
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1
    assert find_unseen(before + character + after) == (character, line, column)
    assert name_of(character).startswith(f"U+{ord(character):04X}")


@given(ANY)
def test_a_name_holds_nothing_unseen(text: str) -> None:
    """Names of instances and strata are printed and stored as they are, so they hold none."""
    if is_name(text):
        assert not any(map(unseen, text))


def test_no_program_of_ours_holds_an_unseen_character() -> None:
    """All programs and templates that come with the package pass their own rule."""
    for pattern in ("problems/**/*.py", "problems/**/*.jinja", "prompts/templates/*", "app/**/*.jinja"):
        for path in HERE.glob(pattern):
            assert find_unseen(path.read_text("utf-8")) is None, path

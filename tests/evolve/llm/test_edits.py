"""Replies become program texts, or reasons why they cannot."""

import pytest
from gapsmith.evolve.llm.edits import END, START, EditError, Hunk, apply_hunks, apply_reply, find_program
from gapsmith.evolve.llm.reply_text import ReplyEnding
from gapsmith.evolve.types import RejectionReason
from hypothesis import given
from hypothesis import strategies as st

PARENT = """\
import math


def helper(x):
    return x + 1


def solve(items):
    total = 0
    for item in items:
        total += helper(item)
    return total
"""

BLOCKS = f"""\
import math
{START}
def rule(x):
    return x + 1
{END}


def solve(items):
    return sum(rule(item) for item in items)
"""


def hunk(search, replace):
    """A hunk in the form that the prompt asks for."""
    return f"<<<<<<< SEARCH\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n"


def rejected(reply, parent=PARENT, ended=ReplyEnding.WHOLE):
    """Reason and sentence of a reply that cannot be applied."""
    with pytest.raises(EditError) as caught:
        apply_reply(reply, parent, "solve", ended)
    return caught.value.reason, caught.value.sentence


def test_a_fenced_program_is_taken_whole():
    """Prose around a fence is left out; nothing of the parent is kept."""
    reply = "I change it.\n\n```python\ndef solve(items):\n    return 0\n```\nThat is all."
    assert apply_reply(reply, PARENT, "solve") == "def solve(items):\n    return 0\n"


@pytest.mark.parametrize(
    "reply",
    [
        "~~~py\ndef solve(a):\n    return 1\n~~~",
        "````python\ndef solve(a):\n    return 1\n````",
        "1. So:\n\n   ```python\n   def solve(a):\n       return 1\n   ```",
        "```\r\ndef solve(a):\r\n    return 1\r\n```",
        "<think>```python\ndef solve(a): pass\n```</think>\n```python\ndef solve(a):\n    return 1\n```",
        "```bash\nls\n```\n```python\ndef solve(a):\n    return 1\n```\n```python\nsolve(3)\n```",
        "```python\ndef solve(a):\n    return 0\n```\nBetter:\n```python\ndef solve(a):\n    return 1\n```",
        "def solve(a):\n    return 1",
    ],
)
def test_the_program_is_found_in_any_dress(reply):
    """Fences of all kinds, several of them, thoughts, lists, or no fence at all."""
    assert apply_reply(reply, PARENT, "solve") == "def solve(a):\n    return 1\n"


@pytest.mark.parametrize(
    "reply", ["", "I would sort the items by weight.", "```bash\nls\n```", "```python\n\n```"]
)
def test_a_reply_without_code_is_rejected(reply):
    """No code is a reason, not the parent again."""
    assert rejected(reply)[0] is RejectionReason.NO_CODE


def test_a_program_that_was_cut_off_is_rejected():
    """An open fence counts only if the provider did not cut the reply."""
    reply = "```python\ndef solve(items):\n    return 0"
    assert apply_reply(reply, PARENT, "solve").startswith("def solve")
    reason, sentence = rejected(reply, ended=ReplyEnding.CUT)
    assert reason is RejectionReason.NO_CODE
    assert "too long" in sentence


def test_several_hunks_are_applied_in_order():
    """Each hunk sees what the ones before made."""
    reply = (
        hunk("    return x + 1", "    return x + 2") + "and\n" + hunk("    return x + 2", "    return x + 3")
    )
    assert apply_reply(reply, PARENT, "solve") == PARENT.replace("x + 1", "x + 3")


@pytest.mark.parametrize(
    ("search", "replace"),
    [
        ("total = 0", "total = 5"),
        ("        total = 0   ", "        total = 5"),
        ("\n    total = 0\n", "\n    total = 5\n"),
        ("  total = 0\n  for item in items:", "  total = 5\n  for item in items:"),
        ("    total  =  0", "    total = 5"),
    ],
)
def test_whitespace_may_differ_where_the_match_is_unique(search, replace):
    """Indentation and spaces that a model gets wrong do not cost the reply; the new lines move along."""
    assert apply_reply(hunk(search, replace), PARENT, "solve") == PARENT.replace("total = 0", "total = 5")


def test_a_hunk_that_matches_nothing_is_rejected():
    """Never a silent evaluation of the parent."""
    reason, sentence = rejected(hunk("    total = 17", "    total = 5"))
    assert reason is RejectionReason.HUNK_NOT_FOUND
    assert "matches nothing" in sentence


@pytest.mark.parametrize(
    ("search", "said"),
    [
        ("def solve(items):\n    total = 0\n    for x in item:", "its line 3 is 'for x in item:', and line"),
        ("total", "its first line, 'total', is only a part of line"),
        ("nowhere = 1", "its first line, 'nowhere = 1', is no line of the program"),
    ],
)
def test_a_misfit_names_the_line_that_deviates(search, said):
    """The line of the hunk and of the program, not the hunk's beginning, which may be right."""
    assert said in rejected(hunk(search, "x"))[1]


def test_one_bad_hunk_rejects_all():
    """A reply is applied whole or not at all."""
    assert rejected(hunk("    total = 0", "    total = 1") + hunk("nowhere", "x"))[0] is (
        RejectionReason.HUNK_NOT_FOUND
    )


def test_an_ambiguous_hunk_is_rejected():
    """Two places are none."""
    parent = "def solve(a):\n    x = 1\n    y = 2\n    x = 1\n    return x\n"
    assert "2 places" in rejected(hunk("    x = 1", "    x = 3"), parent)[1]


def test_lines_moved_by_different_amounts_are_no_match():
    """A hunk whose own indentation is inconsistent with the program would change its meaning."""
    search = "for item in items:\ntotal += helper(item)"
    assert rejected(hunk(search, "pass"))[0] is RejectionReason.HUNK_NOT_FOUND


@pytest.mark.parametrize(
    "reply",
    [
        "<<<<<<< SEARCH\n    total = 0\n=======\n    total = 1\n",
        "<<<<<<< SEARCH\n    total = 0\n>>>>>>> REPLACE\n",
        "<<<<<<< SEARCH\n<<<<<<< SEARCH\n",
        "<<<<<<< SEARCH\n=======\nnew\n>>>>>>> REPLACE\n",
    ],
)
def test_broken_hunks_are_rejected(reply):
    """Incomplete, mis-ordered and empty hunks say so."""
    assert rejected(reply)[0] is RejectionReason.HUNK_NOT_FOUND


def test_only_marked_regions_are_taken_from_a_whole_program():
    """What stands outside the marks comes from the parent, whatever the reply holds there."""
    reply = BLOCKS.replace("x + 1", "x + 2").replace("import math", "import os").replace("sum(", "max(")
    assert apply_reply(f"```python\n{reply}```", BLOCKS, "solve") == BLOCKS.replace("x + 1", "x + 2")


def test_a_whole_program_without_the_marks_is_rejected():
    """Without marks nobody can tell what was meant to change."""
    reason, sentence = rejected("```python\ndef rule(x):\n    return 2\n```", BLOCKS)
    assert reason is RejectionReason.NO_CODE
    assert START in sentence


def test_a_hunk_outside_of_the_marks_is_rejected():
    """The sentence says that the place may not change."""
    assert "outside the EVOLVE-BLOCK" in rejected(hunk("import math", "import os"), BLOCKS)[1]


def test_a_hunk_cannot_write_marks():
    """Otherwise a region could grow over its border."""
    new = f"    return 1\n{END}\nimport os\n{START}"
    assert rejected(hunk("    return x + 1", new), BLOCKS)[0] is RejectionReason.HUNK_NOT_FOUND


LINES = st.lists(
    st.sampled_from(["x = 1", "    y = 2", START, END, "", "def solve(a):", "# end"]), max_size=12
)


@given(LINES)
def test_no_reply_changes_text_outside_the_marks(lines):
    """Whatever a whole-program reply holds, the parent's lines outside its region come back unchanged."""
    try:
        text = apply_reply("```python\n" + "\n".join(lines) + "\n```", BLOCKS, "solve")
    except EditError:
        return
    head, tail = BLOCKS.split("def rule", 1)[0], BLOCKS[BLOCKS.index(END) :]
    assert text.startswith(head)
    assert text.endswith(tail)
    assert text.count(START) == text.count(END) == 1


@given(LINES, LINES)
def test_no_hunk_changes_text_outside_the_marks(search, replace):
    """The same for hunks."""
    try:
        text = apply_reply(hunk("\n".join(search), "\n".join(replace)), BLOCKS, "solve")
    except EditError:
        return
    assert text.startswith(BLOCKS.split("def rule", 1)[0])
    assert text.endswith(BLOCKS[BLOCKS.index(END) :])


@given(st.text(max_size=400))
def test_any_text_is_applied_or_rejected_with_a_reason(reply):
    """No reply raises anything but the rejection."""
    try:
        text = apply_reply(reply, PARENT, "solve")
    except EditError as error:
        text = error.sentence + "\n"
    assert len(text) > 1
    assert text.endswith("\n")


def test_lines_that_look_like_fences_are_read_in_one_pass() -> None:
    """A line of a hundred thousand tildes that is no fence is no work: no pattern goes back into it."""
    assert "def order" in find_program("~" * 100_000 + "`\n```python\ndef order(): pass\n```", "order")


def test_hunks_are_looked_up_in_proportion_to_the_lines() -> None:
    """A hunk that is found at the last line, and nearly so at each before, is found."""
    parent = "\n".join(["a = 1"] * 20_000 + ["b = 1"])
    search = "\n".join(["a = 1"] * 999 + ["b = 1"])
    text = apply_hunks(parent, [Hunk(tuple(search.split("\n")), ("c = 1",))])
    assert text.count("\n") == 20_000 - 999
    assert text.endswith("c = 1")


def test_more_hunks_than_a_program_can_need_are_refused() -> None:
    """Hundreds of hunks for thousands of lines are no edit."""
    parent = "\n".join(f"v{i} = 1" for i in range(1000))
    hunks = [Hunk((f"v{i} = 1",), (f"v{i} = 2",)) for i in range(600)]
    with pytest.raises(EditError, match="600 hunks are more than a program can need"):
        apply_hunks(parent, hunks)


@pytest.mark.parametrize("search", ["x = 1", "x\n\ny", "x\n" * 900])
def test_a_hunk_for_empty_blocks_is_a_misfit(search: str) -> None:
    """A reply may empty a block; the next hunk is rejected with its reason and ends no campaign."""
    empty = f"{START}\n{END}\n{START}\n{END}\ndef solve(items):\n    return 0\n"
    reason, sentence = rejected(hunk(search, "z"), empty)
    assert reason is RejectionReason.HUNK_NOT_FOUND
    assert "holds no line" in sentence

"""Replies that were cut, think aloud, quote the old program, or decorate the marks of their hunks."""

import pytest
from gapsmith.evolve.llm.edits import EditError, apply_reply
from gapsmith.evolve.llm.reply_text import ReplyEnding, ending
from gapsmith.evolve.types import RejectionReason

PARENT = "def helper(x):\n    return x + 1\n\n\ndef solve(items):\n    return items\n"
NEW = "def solve(items):\n    return sorted(items)\n"
FENCED = f"```python\n{NEW}```"
DRAFT = "```python\ndef solve(items):\n    return draft\n```"
HUNK = "{search}\n    return x + 1\n{divide}\n    return x + 2\n{replace}\n"
MARKS = {"search": "<<<<<<< SEARCH", "divide": "=======", "replace": ">>>>>>> REPLACE"}


@pytest.mark.parametrize(
    ("word", "ended"),
    [
        *(
            (word, ReplyEnding.CUT)
            for word in ("length", "max_tokens", "MAX_TOKENS", "model_length", "error")
        ),
        *((word, ReplyEnding.CUT) for word in ("incomplete", "FINISH_REASON_MAX_TOKENS", "abort")),
        *((word, ReplyEnding.WITHHELD) for word in ("content_filter", "SAFETY", "refusal", "RECITATION")),
        *((word, ReplyEnding.WHOLE) for word in ("stop", "STOP", "end_turn", "COMPLETE", "eos", "", None)),
        ("out-of-luck", ReplyEnding.UNKNOWN),
    ],
)
def test_finish_reasons_of_all_servers_are_read(word, ended):
    """Whatever their case and prefix."""
    assert ending(word) is ended


def test_a_cut_reply_holds_no_program_even_with_a_closed_fence():
    """What stands in the fence may be a draft: the rest of the reply is not known."""
    with pytest.raises(EditError, match="cut before its end") as caught:
        apply_reply(f"{FENCED}\nBut better:", PARENT, "solve", ReplyEnding.CUT)
    assert caught.value.reason is RejectionReason.NO_CODE


def test_an_open_fence_counts_where_the_reply_is_known_to_be_whole():
    """Some models forget the last fence; with an unknown finish reason the program may be half of one."""
    text = f"```python\n{NEW}"
    assert apply_reply(text, PARENT, "solve", ReplyEnding.WHOLE) == NEW
    with pytest.raises(EditError):
        apply_reply(text, PARENT, "solve", ReplyEnding.UNKNOWN)


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("<think>", "</think>"),
        ("<thinking>", "</thinking>"),
        ("<THOUGHT>", "</THOUGHT>"),
        ("<reasoning>", "</reasoning>"),
        ("<seed:think>", "</seed:think>"),
        ("[THINK]", "[/THINK]"),
        ("◁think▷", "◁/think▷"),
        ("<|begin_of_thought|>", "<|end_of_thought|>"),
        ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ],
)
def test_thoughts_in_any_spelling_are_no_part_of_the_reply(begin, end):
    """Before the reply, after it, begun by the chat template alone, or never ended."""
    assert apply_reply(f"{begin}\n{DRAFT}\n{end}\n{FENCED}", PARENT, "solve") == NEW
    assert apply_reply(f"{DRAFT}\n{end}\n{FENCED}", PARENT, "solve") == NEW
    assert apply_reply(f"{FENCED}\n{begin}\n{DRAFT}", PARENT, "solve") == NEW
    with pytest.raises(EditError, match="ends inside its thoughts"):
        apply_reply(f"{begin}\n{DRAFT}\n", PARENT, "solve")


def test_a_sentence_about_the_mark_is_no_thought():
    """Only a mark at the start of a line begins one."""
    assert apply_reply(f"I leave out <think> here.\n{FENCED}", PARENT, "solve") == NEW


@pytest.mark.parametrize(
    "old", [PARENT, "def solve(items):\n    return items\n", PARENT.replace("    ", "  ")]
)
def test_the_new_program_wins_where_the_old_one_is_quoted_after_it(old):
    """Whole or in part, and whatever its indentation; a reply of the old one alone is still read."""
    assert apply_reply(f"{FENCED}\nBefore it was:\n```python\n{old}```\n", PARENT, "solve") == NEW
    assert apply_reply(f"```python\n{old}```", PARENT, "solve") == old


@pytest.mark.parametrize(
    "marks",
    [
        {"search": "<<<<<<< SEARCH heuristic.py"},
        {"search": "<<<<<<< SEARCH (line 2)", "replace": ">>>>>>> REPLACE (line 2)"},
        {"replace": ">>>>>>> REPLACE```"},
        {"divide": "=======```"},
        {"divide": "======= REPLACE"},
    ],
)
def test_marks_with_words_or_fences_after_them_are_read(marks):
    """A file's name, a line, or the fence that should have had a line of its own."""
    reply = HUNK.format(**{**MARKS, **marks})
    assert "return x + 2" in apply_reply(reply, PARENT, "solve")

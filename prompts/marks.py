"""Marks that a model, or the reader of its reply, would take for more than text; a dot breaks and mends them.

A mark is shown with one dot after its first character: `<|im_start|>` becomes `<⁞|im_start|>`. A mark that
has dots already gets one more, so that `restore` gives back every text exactly: what a model copies from a
program is again the program's own text, with the dots or without them.
"""

from __future__ import annotations

import re

DOT = "\u205e"
"""VERTICAL FOUR DOTS: seen, a character of its own to every tokeniser, and in no program that we know."""

HEADINGS = (
    "Task",
    "The program",
    "Your reply",
    "Your last reply",
    "The program that failed",
    "The program that was to be changed",
    "A program that works",
    "Mean gap per group of training instances",
    "Where it loses most",
    "How it came about",
    "Other programs, for ideas",
    "Improve this program",
    "Try a different idea",
    "Combine two programs",
    "Tune the constants",
    "Simplify this program",
    "Repair a program",
    "Repair your last reply",
)
"""Headings of the prompts' own templates."""
_TAGS = (
    "s|bos|eos|pad|unk|start_of_turn|end_of_turn|think|thinking|tool_call|tool_calls|tool_response|system|user"
    "|assistant|human|function_calls|function_results|invoke"
)
_WORDS = "INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT"
_ROLES = "Human|Assistant|User|System"
_CHAT = "|".join(
    (
        rf"<(?={DOT}*[|｜][^|｜<>\n]{{0,40}}[|｜]>)",  # <|im_start|>, <|endoftext|>, <｜User｜>
        rf"<(?={DOT}*</?SYS>>)",
        rf"<(?={DOT}*/?(?:{_TAGS})>)",
        rf"\[(?={DOT}*/?(?:{_WORDS})\])",
        *(rf"^[ \t]*{role[0]}(?={DOT}*{role[1:]}[ \t]*:)" for role in _ROLES.split("|")),
        rf"^[ \t]*#(?={DOT}*#*[ \t]*(?:Instruction|Response|Input|{_ROLES})[ \t]*:?[ \t]*$)",
    )
)
_SECTIONS = "|".join(
    (
        rf"^[ \t]*#(?={DOT}*#*[ \t]*(?:{'|'.join(HEADINGS)})[ \t]*$)",
        rf"^[ \t]*[`~](?={DOT}*(?:``|~~))",  # fences
        rf"^[ \t]*<(?={DOT}*<{{4,8}}[ \t]*SEARCH[ \t]*$)",
        rf"^[ \t]*=(?={DOT}*={{4,8}}[ \t]*$)",
        rf"^[ \t]*>(?={DOT}*>{{4,8}}[ \t]*REPLACE[ \t]*$)",
    )
)
_FLAGS = re.IGNORECASE | re.MULTILINE
_OF_TEXT = re.compile(_CHAT, _FLAGS)
_OF_CODE = re.compile(f"{_CHAT}|{_SECTIONS}", _FLAGS)
_DOTTED = re.compile(rf"(?:{_CHAT}|{_SECTIONS}){DOT}", _FLAGS)


def neutral_text(text: str) -> str:
    """A text whose marks of chat formats are broken by a dot."""
    return _OF_TEXT.sub(lambda match: match[0] + DOT, text)


def neutral_code(code: str) -> str:
    """A program whose marks of chat formats, and of the prompt's own sections, are broken by a dot."""
    return _OF_CODE.sub(lambda match: match[0] + DOT, code)


def restore(text: str) -> str:
    """The program that `neutral_code` was given; a text that it did not make loses at most such dots."""
    return _DOTTED.sub(lambda match: match[0][:-1], text)

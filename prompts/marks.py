"""Breaks marks that a model, or the parser of its reply, would read as more than text, and restores them.

A prompt shows a mark with a dot after its first character: `<|im_start|>` becomes `<⁞|im_start|>`. A mark
that already has dots gets one more, so that `restore` recovers every text exactly: a program that a model
copies becomes the original program again, whether the model kept the dots or not.
"""

from __future__ import annotations

import re

DOT = "\u205e"
"""VERTICAL FOUR DOTS: visible, a separate character for every tokeniser, and in no program that we know."""

HEADINGS = (
    "Task",
    "The program",
    "Your reply",
    "Your last reply",
    "The program that failed",
    "The program that was to be changed",
    "A program that works",
    "The best program so far",
    "Mean gap by group of training instances",
    "What happened on instances",
    "What the evaluator reported",
    "How the program came about",
    "Other programs",
    "What was tried so far",
    "Notes",
    "CPU times",
    "What to do",
    "The programs of the beginning",
    "The mark to beat",
    "Design a new program",
    "Improve this program",
    "Try a different idea",
    "Combine two programs",
    "The campaign stands still",
    "Rewrite the notes",
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
    """Breaks the marks of chat formats in a text with a dot."""
    return _OF_TEXT.sub(lambda match: match[0] + DOT, text)


def neutral_code(code: str) -> str:
    """Breaks the marks of chat formats and of the prompt's own sections in a program with a dot."""
    return _OF_CODE.sub(lambda match: match[0] + DOT, code)


def restore(text: str) -> str:
    """Undoes `neutral_code`; any other text loses at most such dots."""
    return _DOTTED.sub(lambda match: match[0][:-1], text)

"""Breaks marks that a model, or the parser of its reply, would read as more than text, and restores them.

A prompt shows a mark with a dot after its first character: `<|im_start|>` becomes `<⁞|im_start|>`. A mark
that already has dots gets one more, so that `restore` recovers every text exactly: a program that a model
copies becomes the original program again, whether the model kept the dots or not.
"""

from __future__ import annotations

import re
from functools import cache

DOT = "\u205e"
"""VERTICAL FOUR DOTS: visible, a separate character for every tokeniser, and in no program that we know."""

HEADINGS = (
    "Task",
    "The program",
    "Operations",
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
    "Improve this program",
    "Try a different idea",
    "Combine two programs",
    "Rewrite the notes",
    "Simplify this program",
    "Repair a program",
    "Repair your last reply",
)
"""Headings of the prompts' own templates."""
_OWN_NAMES = "module|lambda|listcomp|setcomp|dictcomp|genexpr|string|stdin|stdout|stderr|unknown|locals"
"""What Python itself writes between angle brackets: `in <module>`."""
_WORDS = "INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT"
_ROLES = ("Human", "Assistant", "User", "System", "问", "答", "用户", "助手")
_OPEN = "<＜"
_CLOSE = ">＞"
_BAR = "|｜￨"


def _few(without: str, most: int) -> str:
    """At most so many characters on one line, none of `without`; dots between them do not count.

    `without` holds the character that opens the mark: of many openings, none is looked at to the end.
    """
    return rf"(?:{DOT}*+[^{re.escape(without)}\n{DOT}]){{1,{most}}}+{DOT}*+"


_CAPITALS = r"/?(?-i:[a-z]?[A-Z]{3}[A-Z0-9_]{0,60}+)\]"
_TOKEN = rf"\[(?={DOT}*+{_CAPITALS})"
"""[gMASK], [UNUSED_TOKEN_146], [/SYS]."""
_NO_SUBSCRIPT = rf"(?<![\w)\]])\[(?={_CAPITALS})|\[(?={_CAPITALS}\w)|\[(?={DOT}++{_CAPITALS})"
"""The same but for the subscript of `a[MOST]`; with dots, that too."""
_CHAT = "|".join(
    (
        # <|im_start|>, <｜User｜>, <｜DSML｜invoke name="x">
        rf"[{_OPEN}](?={DOT}*+/?[{_BAR}](?:{_few(_OPEN + _CLOSE + _BAR, 80)})?[{_BAR}]"
        rf"(?:{_few(_OPEN + _CLOSE + _BAR, 80)})?[{_CLOSE}])",
        rf"<(?={DOT}*+0x[0-9A-F]{{2}}>)",  # <0x0A>, a byte
        # <s>, </think>, <SPECIAL_11>, <extra_id_1>, <reserved_106>, <seed:think>, <tool name="x">
        rf"[{_OPEN}](?={DOT}*+[/!{_BAR}]{{0,2}}+(?!(?:{_OWN_NAMES})[{_CLOSE}]|SYS>{DOT}*+>|\d)\w[\w:.=▁-]{{0,80}}+"
        rf"(?:[ \t]++[\w:-]{{1,40}}+[ \t]*+={_few(_OPEN + _CLOSE, 120)})?[ \t/{_BAR}]{{0,4}}+[{_CLOSE}])",
        # <[begin▁of▁sentence]>
        rf"[{_OPEN}](?={DOT}*+\[{DOT}*+{_few(_OPEN + _CLOSE + '[]', 80)}\][{_CLOSE}])",
        rf"<(?={DOT}*+</?SYS>{DOT}*+>)",
        rf">(?={DOT}*+>(?-i:[A-Z_]{{3,40}}+)<{DOT}*+<)",  # >>QUESTION<<
        rf"\[(?={DOT}*+/?(?:{_WORDS})\])",
        rf"\[(?={DOT}*+(?:/[A-Za-z_]\w{{0,60}}+|unused\d{{1,6}}+|Round[ \t]\d{{1,6}}+)\])",
        rf"\[(?={DOT}*+[{_BAR}]{_few('[]' + _BAR, 80)}[{_BAR}]\])",  # [|assistant|]
        # ]~b], ]~!b[, ]!p~[, [e~[, ]<]image[>[ : brackets that do not pair, as in no program
        rf"\](?={DOT}*+(?:~|!(?!=))(?:{_few('[]', 40)})?[\[\]])",
        rf"\](?={DOT}*+<\])",
        rf"\[(?={DOT}*+(?:>\[|\w{{1,20}}+[~!](?!=)[\[\]]))",
        rf"[◁⟦〖【](?={DOT}*+{_few('◁⟦〖【▷⟧〗】', 80)}[▷⟧〗】])",  # ◁think▷
        *(rf"^[ \t]*+{role[0]}(?={DOT}*+{role[1:]}[ \t]*+[:：])" for role in _ROLES),
        rf"^[ \t]*+#(?={DOT}*+#*+[ \t]*+(?:Instruction|Response|Input|{'|'.join(_ROLES)})[ \t]*+:?+[ \t]*+$)",
    )
)
_SECTIONS = "|".join(
    (
        rf"^[ \t]*+#(?={DOT}*+#*+[ \t]*+(?:{'|'.join(HEADINGS)})[ \t]*+$)",
        rf"^[ \t]*+[`~](?={DOT}*+(?:``|~~))",  # fences
        rf"^[ \t]*+<(?={DOT}*+<{{4,8}}+[ \t]*+SEARCH\b)",
        rf"^[ \t]*+=(?={DOT}*+={{4,8}}+[ \t]*+(?:`{{3}}|REPLACE\b|$))",
        rf"^[ \t]*+>(?={DOT}*+>{{4,8}}+[ \t]*+REPLACE\b)",
    )
)
_FLAGS = re.IGNORECASE | re.MULTILINE
_OF_TEXT = f"{_CHAT}|{_TOKEN}"
_OF_CODE = f"{_CHAT}|{_NO_SUBSCRIPT}|{_SECTIONS}"
_DOTTED = rf"(?:{_CHAT}|{_NO_SUBSCRIPT}|{_SECTIONS}){DOT}"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """A pattern when it is first needed: commands that make no prompt do without its compilation."""
    return re.compile(pattern, _FLAGS)


def neutral_text(text: str) -> str:
    """Breaks the marks of chat formats in a text with a dot."""
    return _compiled(_OF_TEXT).sub(lambda match: match[0] + DOT, text)


def neutral_code(code: str) -> str:
    """Breaks the marks of chat formats and of the prompt's own sections in a program with a dot."""
    return _compiled(_OF_CODE).sub(lambda match: match[0] + DOT, code)


def restore(text: str) -> str:
    """Undoes `neutral_code`; any other text loses at most such dots."""
    return _compiled(_DOTTED).sub(lambda match: match[0][:-1], text)


def without_dots(text: str) -> str:
    """A text without any dot, for comparisons."""
    return text.replace(DOT, "")

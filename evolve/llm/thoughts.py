"""What reasoning models write inline before they answer, in the spellings of their families."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad|seed:think"
_BEGIN = "|".join(
    (
        rf"<(?:{_NAMES})>",
        r"\[THINK\]",
        r"◁think▷",
        r"<\|(?:begin_of_thought|START_THINKING)\|>",
        r"(?:<\|start\|>assistant)?<\|channel\|>\s{0,3}(?:analysis|commentary)[^<\n]{0,80}<\|message\|>",
        r"<unused94>thought",
    )
)
_END = "|".join(
    (
        rf"</(?:{_NAMES})>",
        r"\[/THINK\]",
        r"◁/think▷",
        r"<\|(?:end_of_thought|END_THINKING)\|>",
        r"(?:<\|start\|>assistant)?<\|channel\|>\s{0,3}final[^<\n]{0,80}<\|message\|>",
        r"<unused95>",
    )
)
_MARK = re.compile(
    rf"(?P<begin>^[ \t]{{0,3}}(?:{_BEGIN})|(?<=\|>)(?:{_BEGIN}))|(?P<end>{_END})",
    re.IGNORECASE | re.MULTILINE,
)
_LAST = re.compile(
    r"(?:<\|(?:return|end|im_end|eot_id|endoftext)\|>|</s>|<end_of_turn>|<｜end▁of▁sentence｜>)\s*$"
)
"""Ends of a turn that a server's chat template left in the text."""


@dataclass(frozen=True, slots=True)
class SpokenText:
    """A reply's text without thoughts, and whether the last thought never ends."""

    text: str
    open: bool


def answer_of(reply: str) -> SpokenText:
    """What a reply says beside its thoughts, and without a byte order mark, which would hide a fence.

    The end of a thought that never began, as where the chat template begins it, ends everything before it.
    The beginning counts at the start of a line alone: a sentence may speak of the mark.
    """
    reply = reply.removeprefix("\ufeff")
    kept: list[str] = []
    inside = False
    at = 0
    for mark in _MARK.finditer(reply):
        if mark["begin"] is not None:
            if not inside:
                kept.append(reply[at : mark.start()])
            inside = True
        elif inside:
            inside = False
            at = mark.end()
        else:
            kept.clear()
            at = mark.end()
    if not inside:
        kept.append(reply[at:])
    return SpokenText(_LAST.sub("", "".join(kept)), inside)


def without_thoughts(reply: str) -> str:
    """The reply without a reasoning model's inline thoughts."""
    return answer_of(reply).text

"""The text of a reply: how it ended, and what a reasoning model wrote inline before its answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class ReplyEnding(StrEnum):
    """How a reply ended (closed list)."""

    WHOLE = "whole"
    CUT = "cut"
    WITHHELD = "withheld"
    UNKNOWN = "unknown"


_WHOLE = frozenset((
    "stop", "stopped", "end", "end_turn", "stop_sequence", "eos", "eos_token", "stop_token",
    "stop_str", "end_of_text", "complete", "completed", "done", "finished", "success", "tool_calls",
    "tool_use", "function_call",
))  # fmt: skip
_CUT = frozenset((
    "length", "max_tokens", "max_output_tokens", "max_new_tokens", "model_length", "token_limit",
    "context_length", "context_length_exceeded", "model_context_window_exceeded", "error",
    "error_limit", "error_toxic", "incomplete", "failed", "abort", "aborted", "cancelled", "canceled",
    "timeout", "time_limit", "network_error", "insufficient_system_resource", "pause_turn",
    "malformed_function_call", "malformed_response",
))  # fmt: skip
_WITHHELD = frozenset((
    "refusal", "content_filter", "content_filtered", "content_filter_error", "safety", "recitation",
    "prohibited_content", "blocklist", "spii", "image_safety", "language", "guardrail_intervened",
    "guardrails", "sensitive", "moderation", "flagged",
))  # fmt: skip


def ending(finish_reason: str | None) -> ReplyEnding:
    """How a reply with this finish reason ended; a server that gives none has no objection."""
    if finish_reason is None:
        return ReplyEnding.WHOLE
    word = finish_reason.strip().lower().replace("-", "_").replace(" ", "_").removeprefix("finish_reason_")
    if word in _CUT:
        return ReplyEnding.CUT
    if word in _WITHHELD:
        return ReplyEnding.WITHHELD
    return ReplyEnding.WHOLE if word in _WHOLE or not word else ReplyEnding.UNKNOWN


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

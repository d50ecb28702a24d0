"""How a reply ended, by the finish reasons that servers give."""

from __future__ import annotations

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

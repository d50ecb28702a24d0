"""Limits of tokens as servers state them in their refusals."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBER = r"(?P<{}>\d[\d,_]{{0,12}})"


def _pattern(text: str) -> re.Pattern[str]:
    """A pattern in which `{reply}`, `{below}`, `{context}`, `{prompt}`, `{total}` are counts of tokens."""
    for name in ("reply", "below", "context", "prompt", "total"):
        text = text.replace(f"{{{name}}}", _NUMBER.format(name))
    return re.compile(text, re.IGNORECASE)


_LIMIT_NAME = r"(?:max_(?:completion_|output_|new_)?tokens|maxOutputTokens|integer above maximum value)"
_REPLY = tuple(
    map(
        _pattern,
        (
            r"supports at most {reply} (?:completion|output) tokens",
            r"max_(?:output_)?tokens: \d+ > {reply}, which is the maximum",
            r"range of `?max_(?:completion_)?tokens`? (?:is|should be) \[\d+, ?{reply}\]",
            r"supported range is from \d+ \(inclusive\) to {below} \(exclusive\)",
            rf"{_LIMIT_NAME}[^.]{{0,120}}?(?:less than or equal to|<=|at most|no more than|cannot exceed|"
            r"maximum of|must not exceed)\s*`?{reply}",
        ),
    )
)
_CONTEXT = tuple(
    map(
        _pattern,
        (
            r"context (?:length|window|size|limit)\)? (?:is|of)(?: only)? {context}",
            r"available context size \({context} tokens",
            r"\"?n_ctx\"?[=: ]+{context}",
            r"exceed(?:s)? (?:the )?context (?:limit|window)(?:: \d+ \+ \d+ >| of)? {context}",
            r"too large for model with {context} maximum context",
            r"maximum number of (?:input )?tokens allowed \({context}\)",
            r"prompt is too long: \d+ tokens > {context}",
            r"`?max_new_tokens`? must be <= {context}",
            r"exceed context window of {context}",
            r"`?inputs`? must have less than {context} tokens",
            r"tokens per min[^:]{0,60}: limit {context}",
            r"maximum (?:allowed )?(?:input|prompt|sequence|context) length(?: is| of)? {context}",
        ),
    )
)
_PROMPT = tuple(
    map(
        _pattern,
        (
            r"\({prompt} (?:in the messages|of text input|in your prompt)",
            r"your (?:request|prompt) (?:has|contains) (?:at least )?{prompt} (?:input )?tokens",
            r"request \({prompt} tokens\)",
            r"\"?n_prompt_tokens\"?[=: ]+{prompt}",
            r"input token count \({prompt}\)",
            r"prompt is too long: {prompt} tokens",
            r"prompt contains {prompt} tokens",
            r"given: {prompt} `?inputs`?",
            r"context limit: {prompt} \+",
            r"messages resulted in {prompt} tokens",
            r"`?inputs`? must have less than \d+ tokens\. Given: {prompt}",
            r"keep the first {prompt} tokens",
        ),
    )
)
_TOTAL = tuple(map(_pattern, (r"requested (?:about )?{total}", r"requested tokens \({total}\)")))
_NO_ROOM = re.compile(r"max_tokens must be at least 1, got -\d+", re.IGNORECASE)
_ANY = re.compile(
    r"context[ _](?:length|window|size|limit)|maximum context|exceed_context|prompt is too long|"
    r"too many tokens|input token count|maximum number of (?:input )?tokens|input is too long|"
    r"request too large|requested tokens \(|`?inputs`? tokens \+|context the overflows|too large for model|"
    r"string too long|(?:prompt|input) (?:is )?too long",
    re.IGNORECASE,
)
_REPLY_NAMED = re.compile(
    rf"{_LIMIT_NAME}[^.]{{0,80}}?(?:too large|too high|exceeds|above|maximum)", re.IGNORECASE
)


_ALONE = re.compile(
    r"available context size|prompt is too long|input token count|keep the first|prompt contains|"
    r"must have less",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class StatedLimits:
    """What a refusal says of tokens (counts); None for what it does not say.

    Attributes:
        reply: the largest limit of a reply that the server takes.
        context: prompt and reply together.
        prompt: what the server counted of the prompt.
        total: what it counted of the prompt, and the limit of its reply.
    """

    reply: int | None
    context: int | None
    prompt: int | None
    total: int | None = None

    def room(self, asked: int) -> int | None:
        """Tokens that the context leaves for a reply; negative where the prompt alone is too long.

        Args:
            asked: the limit of the reply that was asked for (tokens).
        """
        if self.context is None:
            return None
        if self.prompt is not None:
            return self.context - self.prompt
        return None if self.total is None or self.total < asked else self.context - (self.total - asked)


def stated_limits(sentence: str) -> StatedLimits | None:
    """The limits in a server's sentence; None where it speaks of something else."""
    reply = _first(_REPLY, sentence)
    context = _first(_CONTEXT, sentence)
    prompt = _first(_PROMPT, sentence)
    total = _first(_TOTAL, sentence)
    if reply is not None and context is None:
        return StatedLimits(reply, None, None)
    if context is not None or _ANY.search(sentence) or _NO_ROOM.search(sentence):
        return StatedLimits(None, context, prompt, total)
    return StatedLimits(None, None, None) if _REPLY_NAMED.search(sentence) else None


def prompt_alone(sentence: str) -> bool:
    """Whether a refusal says that the prompt alone is too long, so that no smaller reply helps."""
    return _NO_ROOM.search(sentence) is not None or _ALONE.search(sentence) is not None


LEAST_ROOM = 1024
"""Tokens of a reply that are worth a prompt."""
_SHARE = 0.7
"""Of a prompt that is kept where the server does not say how much fits."""


def fitting_tokens(sentence: str, estimated: int) -> int:
    """Estimated tokens that the next prompt may have, fewer than the last one had.

    Args:
        sentence: the server's refusal.
        estimated: tokens of the refused prompt, as we estimate them (≥ 1).
    """
    limits = stated_limits(sentence)
    most = int(estimated * _SHARE)
    if limits is None or limits.context is None:
        return most
    reply = min(max(LEAST_ROOM, limits.context // 4), limits.context // 2)
    counted = estimated if limits.prompt is None else limits.prompt
    return max(1, min(int(estimated * 0.95), int(estimated * (limits.context - reply) / max(counted, 1))))


def _first(patterns: tuple[re.Pattern[str], ...], sentence: str) -> int | None:
    for pattern in patterns:
        if (found := pattern.search(sentence)) is not None:
            ((name, digits),) = found.groupdict().items()
            number = int(digits.replace(",", "").replace("_", ""))
            return number - 1 if name == "below" else number
    return None

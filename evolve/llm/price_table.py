"""Dollars per million tokens: input, output, cached; apart, as a script writes this file.

Written by `benchmarks/price_table.py` from the cost map of litellm 1.110.2 (MIT licence); providers may
have changed their prices since.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

DATE = "2026-11-27"
"""Day on which the cost map was read."""

_ROWS = """
litellm/anthropic/claude-fable-5     10 50 1
litellm/anthropic/claude-fable-5-1   10 50 0.25
litellm/anthropic/claude-haiku-4-5   1 5 0.1
litellm/anthropic/claude-haiku-5-5   0.1 0.5 0.01
litellm/anthropic/claude-mythos-5    10 50 1
litellm/anthropic/claude-mythos-5-1  10 50 0.25
litellm/anthropic/claude-opus-4-5    5 25 0.5
litellm/anthropic/claude-opus-4-6    5 25 0.5
litellm/anthropic/claude-opus-4-7    5 25 0.5
litellm/anthropic/claude-opus-4-8    5 25 0.5
litellm/anthropic/claude-opus-5      5 25 0.5
litellm/anthropic/claude-opus-5-5    4 20 0.2
litellm/anthropic/claude-sonnet-4-5  3 15 0.3
litellm/anthropic/claude-sonnet-4-6  3 15 0.3
litellm/anthropic/claude-sonnet-5    2 10 0.2
litellm/anthropic/claude-sonnet-5-5  2 10 0.1
litellm/deepseek/deepseek-chat       0.28 0.42 0.028
litellm/deepseek/deepseek-coder      0.14 0.28 0.014
litellm/deepseek/deepseek-flash      0.3 1.2 0.006
litellm/deepseek/deepseek-r1         0.55 2.19 0.14
litellm/deepseek/deepseek-reasoner   0.28 0.42 0.028
litellm/deepseek/deepseek-v3         0.27 1.1 0.07
litellm/deepseek/deepseek-v3.2       0.28 0.4 0.028
litellm/deepseek/deepseek-v4-flash   0.3 1.2 0.006
litellm/deepseek/deepseek-v4-pro     1.32 3.96 0.044
litellm/gemini/gemini-2.5-flash      0.3 2.5 0.03
litellm/gemini/gemini-2.5-flash-lite 0.1 0.4 0.01
litellm/gemini/gemini-2.5-pro        1.25 10 0.125
litellm/gemini/gemini-3.1-flash-lite 0.25 1.5 0.025
litellm/gemini/gemini-3.5-flash      1.5 9 0.15
litellm/gemini/gemini-3.5-flash-lite 0.3 2.5 0.03
litellm/gemini/gemini-3.6-flash      0.75 3.75 0.075
litellm/gemini/gemini-3.7-flash      0.75 3.75 0.075
litellm/gemini/gemini-3.8-flash      0.75 3.75 0.075
litellm/gemini/gemini-4-argon        2 10 0.1
litellm/gemini/gemini-4-hydrogen     1.5 7.5 0.075
litellm/mistral/mistral-large-3      0.5 1.5 0.05
litellm/mistral/mistral-large-4      0.7 2.1 0.07
litellm/mistral/mistral-large-4-0    0.7 2.1 0.07
litellm/mistral/mistral-medium       1.5 7.5 0.15
litellm/mistral/mistral-medium-3     1.5 7.5 0.15
litellm/mistral/mistral-medium-3-5   1.5 7.5 0.15
litellm/mistral/mistral-medium-3.5   1.5 7.5 0.15
litellm/mistral/mistral-small        0.1 0.3 0.01
litellm/mistral/mistral-tiny         0.25 0.25 0.025
litellm/mistral/open-mistral-nemo    0.3 0.3 0.03
litellm/xai/grok-4.20                1.25 2.5 0.2
litellm/xai/grok-4.20-multi-agent    1.25 2.5 0.2
litellm/xai/grok-4.20-non-reasoning  1.25 2.5 0.2
litellm/xai/grok-4.20-reasoning      1.25 2.5 0.2
litellm/xai/grok-4.3                 1.25 2.5 0.2
litellm/xai/grok-4.5                 2 6 0.3
litellm/xai/grok-4.6                 2 6 0.5
litellm/xai/grok-4.7                 2 6 0.5
litellm/xai/grok-build-0.1           1 2 0.2
litellm/xai/grok-code-fast           1 2 0.2
litellm/xai/grok-code-fast-1         1 2 0.2
openai/gpt-4.1                       2 8 0.5
openai/gpt-4.1-mini                  0.4 1.6 0.1
openai/gpt-4.1-nano                  0.1 0.4 0.025
openai/gpt-4o                        2.5 10 1.25
openai/gpt-4o-mini                   0.15 0.6 0.075
openai/gpt-5                         1.25 10 0.125
openai/gpt-5-chat                    1.25 10 0.125
openai/gpt-5-codex                   1.25 10 0.125
openai/gpt-5-mini                    0.25 2 0.025
openai/gpt-5-nano                    0.05 0.4 0.005
openai/gpt-5-pro                     15 120 -
openai/gpt-5.1                       1.25 10 0.125
openai/gpt-5.1-codex                 1.25 10 0.125
openai/gpt-5.1-codex-max             1.25 10 0.125
openai/gpt-5.1-codex-mini            0.25 2 0.025
openai/gpt-5.2                       1.75 14 0.175
openai/gpt-5.2-codex                 1.75 14 0.175
openai/gpt-5.2-pro                   21 168 -
openai/gpt-5.3-codex                 1.75 14 0.175
openai/gpt-5.4                       2.5 15 0.25
openai/gpt-5.4-mini                  0.75 4.5 0.075
openai/gpt-5.4-nano                  0.2 1.25 0.02
openai/gpt-5.4-pro                   30 180 -
openai/gpt-5.5                       5 30 0.5
openai/gpt-5.5-pro                   30 180 -
openai/gpt-5.6                       4 20 0.4
openai/gpt-5.6-luna                  0.2 1.2 0.02
openai/gpt-5.6-sol                   4 20 0.4
openai/gpt-5.6-terra                 2 12 0.2
openai/gpt-6-astra                   10 50 1
openai/gpt-6-luna                    0.1 0.5 0.01
openai/gpt-6-sol                     2 10 0.2
openai/gpt-6.1-sol                   2 10 0.1
openai/gpt-6.1-terra                 1 5 0.05
openai/o1                            15 60 7.5
openai/o1-pro                        150 600 -
openai/o3                            2 8 0.5
openai/o3-mini                       1.1 4.4 0.55
openai/o3-pro                        20 80 -
openai/o4-mini                       1.1 4.4 0.275
"""


def _price(words: list[str]) -> tuple[Decimal, Decimal, Decimal | None]:
    return Decimal(words[0]), Decimal(words[1]), Decimal(words[2]) if words[2] != "-" else None


PRICES: Mapping[str, tuple[Decimal, Decimal, Decimal | None]] = {
    row.split()[0]: _price(row.split()[1:]) for row in _ROWS.strip().splitlines()
}
"""Specification → input, output, cached input (None: as input)."""

"""What people and proposers read: statements, the columns of the rule, and the field's expressions."""

from __future__ import annotations

from ..base import Primitive
from ..rule_form import parameters

_MODEL = """\
Equal workers serve requests to a language model; each has memory for `memory` tokens of keys and values.
Time goes in rounds. A request with a prompt of s tokens and an output of o tokens that starts on a worker in
round t runs there without a break in the rounds t .. t + o - 1 and holds s + k tokens in its k-th round,
k = 1 .. o. On every worker and in every round the held tokens are at most the memory. A request's latency is
its completion t + o minus its arrival; the sum of latencies (rounds) shall be as small as possible."""

SCHEDULE = f"""{_MODEL}
All requests are known at the beginning: request i arrives in round arrivals[i] and has prompts[i] and
outputs[i] tokens. Return [worker, start] of each request, in the order of the requests, no start before the
arrival. All inputs are integers. The problem is NP-hard, and CPU time is limited."""

COLUMNS = {
    "waited": "rounds since the arrival",
    "prompts": "tokens of the prompt",
    "outputs": "tokens of the output, which are the rounds of service",
    "peaks": "tokens held in the last round: prompt and output",
    "areas": "tokens added up over the rounds of service: token-rounds",
    "slack": "free tokens in the tightest round of its life on the best worker; negative: it does not fit",
    "fits": "1 if it fits on some worker now and for its whole life, else 0",
}
"""Arrays of the rule: one entry for each waiting request, in the order of arrival."""

NUMBERS = {
    "round": "the present round",
    "held": "tokens held on all workers in this round",
    "memory": "tokens that one worker can hold",
    "workers": "number of workers",
}
"""Plain numbers of the rule."""

RULE_ARGUMENTS = parameters(COLUMNS, NUMBERS)

RULE_CALLS = (
    "It is called many times for one instance, as long as a waiting request fits; what arrives later is not "
    "known to anybody in its process."
)

RULE = (
    f"""{_MODEL}
Requests arrive over time, and nothing is known of later ones; the output length of a request is known when it
arrives. In every round, while some waiting request fits, priority(...) is called for all waiting requests;
of those that fit the one with the SMALLEST number starts, on the worker that fits it and holds the fewest
tokens now. Then it is called again. A request fits if no round of its life would overflow beside the requests
that have started. Infinity (or NaN) for all that fit ends the round; where no request runs, the first that
fits starts all the same. Of equal numbers the first to arrive wins. Gaps are measured against a bound that
knows all arrivals: 0 is not attainable. Return one number for each waiting request, as an array of the same
length; numpy is `np`. The arrays (floats), in the order of arrival:"""
    + "".join(f"\n- {name}: {meaning}" for name, meaning in COLUMNS.items())
    + "\nand plain numbers:"
    + "".join(f"\n- {name}: {meaning}" for name, meaning in NUMBERS.items())
)

RULE_PRIMITIVES = (
    *(Primitive(name, "vector", meaning) for name, meaning in COLUMNS.items()),
    *(Primitive(name, "number", meaning) for name, meaning in NUMBERS.items()),
    *(
        Primitive(text, "vector", meaning, term)
        for text, term, meaning in (
            ("areas / outputs", "mean_tokens", "mean tokens held"),
            ("peaks / memory", "peak_share", "share of a worker's memory at the peak"),
            ("waited / outputs", "stretch", "rounds waited for each round of service"),
            ("slack / memory", "slack_share", "share of a worker's memory that stays free"),
            ("waited + outputs", "latency", "latency if it starts now, rounds"),
        )
    ),
    Primitive("len(waited)", "number", "requests that wait", "waiting_count"),
    Primitive("held / (workers * memory)", "number", "share of the memory that is held", "held_share"),
    Primitive("outputs.mean()", "number", "mean output of the waiting requests, tokens"),
    Primitive("areas.mean()", "number", "mean area of the waiting requests, token-rounds"),
)

SCHEDULE_PRIMITIVES = tuple(
    Primitive(text, "number", meaning, term)
    for text, term, meaning in (
        ("workers", "", "number of workers"),
        ("memory", "", "tokens that one worker can hold"),
        ("len(arrivals)", "request_count", "number of requests"),
        ("max(arrivals)", "last_arrival", "round of the last arrival"),
        ("sum(outputs)", "service", "rounds of service of all requests"),
    )
)

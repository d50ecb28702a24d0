"""Hard caps are used to the end, models of no use are set aside, and a cut reply says so."""

import random
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from gapsmith.evolve.llm.base import ModelError
from gapsmith.evolve.llm.caller import Caller, RetryPolicy
from gapsmith.evolve.llm.cassette import Cassette, CassetteModel
from gapsmith.evolve.llm.ledger import MESSAGE_TOKENS, BudgetSpent, Ledger, most_tokens_in
from gapsmith.evolve.llm.prices import cost_range
from gapsmith.evolve.llm.proposer import PromptedProposer
from gapsmith.evolve.llm.settings import ModelSettings, PromptSettings
from gapsmith.evolve.types import Completion, Prompt, Proposal, Rejection
from gapsmith.prompts.builder import Builder

from .test_prompted import WHOLE, context, elite

TOKENS_IN, TOKENS_OUT = 1800, 450
"""Of a usual call."""
SYSTEM = "You write heuristics. " * 120
USER = "A table of gaps, the same in every prompt. " * 60


def prompt(number):
    """A prompt of usual size whose middle differs from all others."""
    return Prompt(SYSTEM, f"{USER[:1500]}Question {number}: improve program {number * 7919}.{USER[1500:]}")


@pytest.mark.parametrize("in_flight", [1, 8])
@pytest.mark.parametrize(
    "cap",
    [{"tokens": 60_000}, {"tokens": 30_000}, {"usd": "0.05"}, {"usd": "0.15", "tokens": 10**7}],
    ids=["tokens", "few tokens", "usd", "both"],
)
def test_a_cap_is_used_to_its_end_and_never_exceeded(loopback, caller, cap, in_flight):
    """A stream of calls of usual size uses at least 95 % of it, one after another or many at once."""
    server = loopback(tokens=(TOKENS_IN, TOKENS_OUT), latency=0.005)
    made = caller(
        server, in_flight=in_flight, price_in_usd_per_million="1", price_out_usd_per_million="8", **cap
    )

    def ask(number):
        try:
            return made.ask(prompt(number), "improve", number)
        except BudgetSpent as error:
            return error

    with ThreadPoolExecutor(in_flight) as pool:
        outcomes = list(pool.map(ask, range(1, 41)))
    spending = made._ledger.spending
    if "usd" in cap:
        used, whole = float(spending.cost_usd), float(cap["usd"])
    else:
        used, whole = spending.tokens_in + spending.tokens_out, cap["tokens"]
    assert 0.95 * whole <= used <= whole
    ends = [str(outcome) for outcome in outcomes if isinstance(outcome, BudgetSpent)]
    assert ends
    assert all(" spent of " in end and " left; the next call may " in end for end in ends)
    limits = [request["max_tokens"] for request in server.seen()["requests"]]
    assert (max(limits) == 16_384) is (whole != 0.05)  # five cents never allow the whole reply
    assert TOKENS_OUT <= min(limits) < 16_384


def test_a_prompt_takes_at_most_what_a_like_one_was_counted_with():
    """Only what stands between a common beginning and a common end is set aside by its bytes."""
    first, second = prompt(1), prompt(2)
    whole = len(SYSTEM) + len(second.user) + MESSAGE_TOKENS
    assert most_tokens_in(second) == whole
    assert most_tokens_in(second, [(first, TOKENS_IN)]) == TOKENS_IN + len("2: improve program 15838") + 64
    assert most_tokens_in(second, [(Prompt("other", first.user), TOKENS_IN)]) == whole
    assert most_tokens_in(first, [(first, TOKENS_IN)]) == TOKENS_IN + MESSAGE_TOKENS


def test_a_prompt_of_known_lines_takes_their_tokens_and_little_more():
    """A line more at the top of a list is set aside by its bytes, and what moved down is not."""
    rows = [f"> {number} %, improve, kept: Idea {number}." for number in range(40)]
    before = Prompt(SYSTEM, "\n".join(["# Program", *rows, "## Question", "5 s"]))
    after = Prompt(SYSTEM, "\n".join(["# Program", "> A new row.", *rows[:-1], "## Question", "6 s"]))
    new = len("> A new row.") + 1 + len("6 s") + 1
    assert most_tokens_in(after, [(before, 700)]) == 700 + new + 4 + MESSAGE_TOKENS
    twice = Prompt(SYSTEM, before.user + "\n" + rows[0])
    assert most_tokens_in(twice, [(before, 700)]) == 700 + len(rows[0]) + 1 + MESSAGE_TOKENS


def test_the_closest_of_many_counted_prompts_bounds_a_prompt():
    """Many counted prompts bound a prompt as the best of them does alone, wherever it stands among them."""
    rng = random.Random(1)

    def text():
        return "\n".join(rng.choice(["a", "bb", "ä", f"line {rng.randrange(3)}"]) for _ in range(8))

    for _ in range(300):
        kept, start = text(), rng.randrange(30)
        asked = Prompt("s", kept[:start] + rng.choice(["", "x", "é"]) + kept[start:])
        counted = [(Prompt("s", rng.choice([kept, text()])), rng.randrange(1, 30)) for _ in range(4)]
        alone = [most_tokens_in(asked, [one]) for one in counted]
        assert most_tokens_in(asked, counted) == min(alone)


class Honest:
    """A model that counts a fixed number of tokens and keeps to the limit of its reply."""

    def __init__(self, name, text=WHOLE, finish="stop"):
        self.name = name
        self.text = text
        self.finish = finish
        self.limits = []

    def complete(self, request):
        """A reply of usual size."""
        self.limits.append(request.max_output_tokens)
        out = min(TOKENS_OUT, request.max_output_tokens)
        return Completion(self.text, self.name, TOKENS_IN, out, finish_reason=self.finish)


def proposer(*models, usd=None, log=None, policy=None, **settings):
    """A proposer of models with their prices (US dollars per million tokens in and out) on one ledger."""
    ledger = Ledger(None if usd is None else Decimal(usd))
    callers = []
    for model, (price_in, price_out) in models:
        table = ModelSettings(
            spec=model.name,
            price_in_usd_per_million=Decimal(price_in),
            price_out_usd_per_million=Decimal(price_out),
            **settings,
        )
        policy = policy or RetryPolicy(first_seconds=0.001, longest_seconds=0.001)
        callers.append(Caller(model, table, ledger, log or Cassette(), 4, policy))
    return PromptedProposer(callers, Builder(), PromptSettings()), ledger


def outcomes(made, count):
    """What some asks in turn end with; the last one is the error that ends them."""
    found = []
    for number in range(1, count + 1):
        try:
            found.append(made.propose([elite()], context(number), random.Random(number)))
        except (BudgetSpent, ModelError) as error:
            return [*found, error]
    return found


def test_a_model_that_is_too_dear_leaves_the_rest_to_one_that_fits():
    """The dear model's reservation never fits; the cap is used by the cheap one, which is what is counted."""
    dear, cheap = Honest("dear"), Honest("cheap")
    made, ledger = proposer((dear, ("2.5", "20")), (cheap, ("0.25", "2")), usd="0.05")
    found = outcomes(made, 100)
    assert isinstance(found[-1], BudgetSpent)
    assert Decimal("0.0475") <= ledger.spending.cost_usd <= Decimal("0.05")
    assert len(cheap.limits) > 20
    assert {proposal.operator.split()[-1] for proposal in found if isinstance(proposal, Proposal)} >= {
        "cheap"
    }
    for proposal in found[:-1]:
        assert proposal.operator.endswith(proposal.completion.model)


def test_a_model_without_a_usable_reply_is_set_aside():
    """After six in succession it is noted and asked no more; a usable one in between starts anew."""
    log = Cassette()
    bad, good = Honest("bad", "prose"), Honest("good")
    made, _ = proposer((bad, ("1", "1")), (good, ("1", "1")), log=log)
    found = outcomes(made, 40)
    assert all(isinstance(outcome, Proposal | Rejection) for outcome in found)
    assert len(bad.limits) == 6
    assert [note for note in log.notes if note.startswith("bad: set aside after 6 unusable replies")]
    alone, _ = proposer((Honest("bad", "prose"), ("1", "1")))
    end = outcomes(alone, 40)[-1]
    assert isinstance(end, ModelError)
    assert end.recourse.value == "person"
    assert "bad: set aside after 6 unusable replies in succession; the last: no_code" in str(end)


def test_a_limit_of_zero_and_a_record_set_nobody_aside():
    """A model may be asked to the end; a record was asked already."""
    patient, _ = proposer((Honest("bad", "prose"), ("1", "1")), unusable_replies=0)
    assert len(outcomes(patient, 20)) == 20
    recorded = CassetteModel("replay/x", Cassette())
    with pytest.raises(ModelError, match="no reply is recorded"):
        proposer((recorded, ("0", "0")), policy=RetryPolicy(sets_aside=False))[0].propose(
            [elite()], context(1), random.Random(1)
        )


def test_a_cut_reply_names_the_limit():
    """The rejection says how long the reply was and which key to raise."""
    cut = Honest("cut", WHOLE[: len(WHOLE) // 2], "length")
    made, _ = proposer((cut, ("1", "1")), max_output_tokens=450)
    rejection = outcomes(made, 1)[0]
    assert isinstance(rejection, Rejection)
    assert "cut after 450 tokens: raise max_output_tokens of the [[model]] table (450)" in rejection.excerpt


def test_a_plan_never_costs_more_than_its_cap():
    """Both ends of the range are at most the cap; without one they are what the calls may cost."""
    table = ModelSettings(spec="m", price_in_usd_per_million=1, price_out_usd_per_million=10)
    free, capped = (cost_range(table, prompt(1), 400, cap) for cap in (None, Decimal("0.30")))
    assert free.high_usd > 10
    assert capped.high_usd == Decimal("0.30")
    assert capped.low_usd <= capped.high_usd

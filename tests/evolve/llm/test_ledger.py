"""Hard caps by reservation: with any number of calls in flight, and over sessions."""

import threading
from decimal import Decimal

import pytest
from gapsmith.evolve.budget import StopReason
from gapsmith.evolve.llm.base import Price
from gapsmith.evolve.llm.ledger import BudgetSpent, Ledger, LedgerEntry, Spending
from gapsmith.evolve.types import Completion

CENT = Decimal("0.01")


def test_what_is_set_aside_counts_until_it_is_settled():
    """A second call does not fit while the first is open, and fits once the first turned out cheap."""
    ledger = Ledger(usd=3 * CENT)
    first = ledger.reserve(100, 2 * CENT)
    fitted = threading.Event()

    def second():
        ledger.reserve(100, 2 * CENT)
        fitted.set()

    thread = threading.Thread(target=second)
    thread.start()
    assert not fitted.wait(0.1)
    ledger.book(first, Completion("x", "m", 10, 10), CENT)
    thread.join(5)
    assert fitted.is_set()


def test_what_cannot_fit_ends_the_campaign_with_its_reason():
    """Nothing in flight could change it, so nobody waits."""
    words = r"\$0.0000 spent of \$0.01, \$0.0100 left; the next call may cost \$0.0200"
    with pytest.raises(BudgetSpent, match=words) as caught:
        Ledger(usd=CENT).reserve(10, 2 * CENT)
    assert caught.value.reason is StopReason.COST
    with pytest.raises(BudgetSpent) as caught:
        Ledger(tokens=9).reserve(10, None)
    assert caught.value.reason is StopReason.TOKENS


def test_a_call_of_unknown_outcome_keeps_its_reservation():
    """It may have been billed, so it counts for good; a call that cost nothing gives everything back."""
    ledger = Ledger(usd=4 * CENT)
    ledger.keep(ledger.reserve(50, 2 * CENT))
    ledger.release(ledger.reserve(50, 2 * CENT))
    ledger.reserve(50, 2 * CENT)
    with pytest.raises(BudgetSpent):
        Ledger(usd=CENT).reserve(50, 2 * CENT)
    assert ledger.spending == Spending(kept_calls=1, kept_tokens=50, kept_usd=2 * CENT)


def test_a_reply_above_its_reservation_is_reported():
    """The server did not honour the limit on the reply, so no cap can be kept."""
    ledger = Ledger(usd=CENT)
    ledger.book(ledger.reserve(100, CENT), Completion("x", "m", 100, 1), CENT)
    assert "101 tokens where 100" in ledger.overrun
    short = Ledger(usd=CENT)  # the bytes of the prompt were set aside, and hide a reply that is too long
    short.book(short.reserve(1000, CENT / 2), Completion("x", "m", 100, 800), CENT)
    assert "$0.0100 where $0.0050" in short.overrun
    again = Ledger(usd=10 * CENT)
    again.restore(
        [LedgerEntry(100, CENT, True, replied=True, tokens_in=100, tokens_out=1, cost_usd=2 * CENT)]
    )
    assert (again.overrun, again.spending.cost_usd) == (None, 2 * CENT)
    free = Ledger()
    free.book(free.reserve(100, None), Completion("x", "m", 100, 1), None)
    assert free.overrun is None


def test_an_unknown_price_makes_the_total_unknown():
    """Never a zero that nobody measured."""
    ledger = Ledger()
    ledger.book(ledger.reserve(100, None), Completion("x", "m", 10, 10), None)
    assert ledger.spending.cost_usd is None
    assert (ledger.spending.tokens_in, ledger.spending.calls) == (10, 1)


def test_earlier_sessions_are_booked_from_the_record():
    """Replies at their cost, calls cut off by a crash at their reservation, known failures at nothing."""
    ledger = Ledger(usd=10 * CENT)
    ledger.restore(
        [
            LedgerEntry(
                100, 3 * CENT, settled=True, replied=True, tokens_in=10, tokens_out=20, cost_usd=CENT
            ),
            LedgerEntry(100, 3 * CENT, settled=False),
            LedgerEntry(100, 3 * CENT, settled=True),
        ]
    )
    assert ledger.spending == Spending(
        1, 10, 20, cost_usd=CENT, kept_calls=1, kept_tokens=100, kept_usd=3 * CENT
    )
    ledger.reserve(100, 6 * CENT)
    with pytest.raises(BudgetSpent):
        Ledger(usd=3 * CENT).reserve(1, 4 * CENT)


def test_many_threads_never_break_the_cap():
    """At every moment spent, kept and open together stay under the cap."""
    ledger, price = Ledger(usd=Decimal("0.5"), tokens=60_000), Price(Decimal(1), Decimal(10))
    worst, lock = [], threading.Lock()

    def work(number):
        try:
            for step in range(40):
                reservation = ledger.reserve(1500, price.cost(500, 1000))
                if (number + step) % 7 == 0:
                    ledger.keep(reservation)
                elif (number + step) % 5 == 0:
                    ledger.release(reservation)
                else:
                    used = Completion("x", "m", 400, 10 * (step % 90))
                    ledger.book(reservation, used, price.cost(400, used.tokens_out))
                now = ledger.spending
                with lock:
                    worst.append(
                        (now.cost_usd + now.kept_usd, now.tokens_in + now.tokens_out + now.kept_tokens)
                    )
        except BudgetSpent:
            pass

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)
    assert max(usd for usd, _ in worst) <= ledger.usd
    assert max(tokens for _, tokens in worst) <= ledger.tokens

"""One option says what a campaign may use; the options that it replaced are read as before."""

from __future__ import annotations

import pytest
import typer
from gapsmith.app.commands.budget import budget_of, budget_part, modern
from gapsmith.app.errors import UserError
from gapsmith.app.formatting import AMOUNTS, amount


@pytest.mark.parametrize(
    ("text", "key", "limit"),
    [
        ("90s", "seconds", 90.0),
        ("5m", "seconds", 300.0),
        ("5min", "seconds", 300.0),
        ("0.5h", "seconds", 1800.0),
        ("400it", "iterations", 400),
        ("1,000eval", "evaluations", 1000),
        ("9kexec", "executions", 9000),
        ("2usd", "usd", 2.0),
        ("$0.5", "usd", 0.5),
        ("1Mtok", "tokens", 10**6),
        ("600cpu", "cpu_seconds", 600.0),
        ("20idle", "patience", 20),
    ],
)
def test_every_unit_is_a_key_of_the_budget(text: str, key: str, limit: float) -> None:
    """With a scale where a count is large."""
    assert budget_part(text) == (key, limit)


@pytest.mark.parametrize(
    "text", ["", "60", "5x", "s", "-1s", "0it", "1.5it", "nanusd", "1e400it", "$5m", "0s", "99999999999it"]
)
def test_what_is_no_amount_is_refused_with_its_text(text: str) -> None:
    """A number without a unit could mean anything."""
    with pytest.raises(typer.BadParameter, match="got"):
        budget_part(text)


@pytest.mark.parametrize("key", AMOUNTS)
def test_an_amount_that_is_advised_is_read_as_the_same_limit(key: str) -> None:
    """Advice writes what `--budget` takes."""
    assert budget_part(amount(key, 600)) == (key, 600)


def test_earlier_options_become_amounts() -> None:
    """Whatever their form; what follows `--` is no option."""
    args = ["smtt", "--seconds", "5min", "--usd=2", "--seed", "3", "--", "--tokens"]
    assert modern(args) == [
        *("smtt", "--budget", "seconds=5min", "--budget", "usd=2", "--seed", "3", "--", "--tokens")
    ]
    assert [budget_part("seconds=5min"), budget_part("usd=2")] == [("seconds", 300.0), ("usd", 2.0)]
    with pytest.raises(typer.BadParameter, match="'many' iterations"):
        budget_part("iterations=many")


def test_a_limit_is_named_once() -> None:
    """Two limits of the same thing are a typing error, not a choice."""
    assert budget_of([("seconds", 60.0), ("usd", 2.0)]) == {"seconds": 60.0, "usd": 2.0}
    assert budget_of(None) == {}
    with pytest.raises(UserError, match="two limits of seconds, 60 and 90"):
        budget_of([("seconds", 60.0), ("seconds", 90.0)])

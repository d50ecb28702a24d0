"""From `[[model]]` tables to callers that are ready to be asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..base import Completion
from ..ledger import Ledger
from .base import CallLog, ErrorKind, Model, ModelError, Request
from .caller import Caller, Policy
from .cassette import RecordedModel
from .prices import require_price, with_price
from .registry import Surroundings, build_model
from .settings import ModelSettings

RECORDED = Policy(useless_attempts=1, useless_calls=10**9, sets_aside=False)
"""A record holds how each question ended: there is nothing to ask again."""


def build_callers(
    tables: Sequence[ModelSettings],
    around: Surroundings,
    ledger: Ledger,
    log: CallLog,
    in_flight: int,
    *,
    sends: bool = True,
) -> list[Caller]:
    """One caller per table, all on one ledger and one record. Nothing is sent, and nothing spent.

    Args:
        tables: the models of a campaign; prices that they leave out are looked up.
        around: what providers need beside their tables.
        ledger: holds the caps.
        log: records the calls.
        in_flight: calls of one model under way at once, at most (count, ≥ 1).
        sends: whether they will be asked; otherwise a model without its key is no trouble.

    Raises:
        ModelError: a specification is unknown, a key, package or price is missing; says how to fix it.
    """
    callers: list[Caller] = []
    try:
        for number, table in enumerate(map(with_price, tables)):
            require_price(table, ledger.usd, "model" if len(tables) == 1 else f"model.{number}")
            model = _model(table, around, sends)
            own = RECORDED if isinstance(model, RecordedModel) else Policy()
            callers.append(Caller(model, table, ledger, log, in_flight, own))
    except BaseException:
        for caller in callers:
            caller.close()
        raise
    return callers


def _model(table: ModelSettings, around: Surroundings, sends: bool) -> Model:
    """The model of a table; one that is never asked stands for a model without its key."""
    try:
        return build_model(table, around)
    except ModelError as error:
        if sends or error.kind is not ErrorKind.KEY:
            raise
        return Unasked(table.spec)


@dataclass(frozen=True, slots=True)
class Unasked:
    """A model that cannot be asked."""

    name: str

    def complete(self, request: Request) -> Completion:
        """See `Model`."""
        raise ModelError(ErrorKind.KEY, f"{self.name}: has no key")

"""Many looks at a growing store sum up to what one look at the whole store says."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.runs.record import open_record
from gapsmith.app.views.watch import snapshot
from gapsmith.evolve.llm.base import Call, ErrorKind, ModelError, Request
from gapsmith.evolve.store.progress import best_so_far, latest_candidates
from gapsmith.evolve.store.reader import Reader
from gapsmith.evolve.store.statistics import (
    budgeted_cpu_seconds,
    budgeted_executions,
    calls,
    executions,
    failures_by_status,
    stopped,
    work,
)
from gapsmith.evolve.store.store import Store, StoredCalls
from gapsmith.evolve.store.tally import Tally
from gapsmith.evolve.types import AddStatus, Completion, Origin, Prompt, Rejection, RejectionReason

RUNS = ("20260102-203301-smtt-aaaa", "20260103-101500-smtt-bbbb", "20260104-090000-smtt-cccc")


def figures(tally: Tally) -> tuple[Any, ...]:
    """All that a tally says."""
    return (
        tally.work,
        tally.operators,
        tally.rejections,
        tally.executions,
        tally.budgeted_executions,
        pytest.approx(tally.cpu_seconds),
        tally.failed,
        tally.stopped,
        tally.bests,
        list(tally.events),
        tally.islands,
        (tally.calls.calls, tally.calls.tokens, tally.calls.usd and pytest.approx(tally.calls.usd)),
    )


@pytest.mark.parametrize("name", RUNS)
def test_a_tally_says_what_queries_over_all_rows_say(name: str, runs: Path) -> None:
    """Counts, sums and the course of the best agree with those of other views."""
    tally = Tally()
    with open_record(runs / name) as record:
        reader = record.reader
        tally.look(reader)
        assert tally.work == work(reader)
        assert tally.calls == calls(reader)
        assert tally.rejections == reader.rejections()
        assert tally.executions == executions(reader)
        assert tally.budgeted_executions == budgeted_executions(reader)
        assert tally.budgeted_executions < tally.executions
        assert tally.cpu_seconds == pytest.approx(budgeted_cpu_seconds(reader))
        assert tally.failed == sum(failures_by_status(reader).values())
        assert tally.stopped == stopped(reader).candidates
        assert [fitness for _, fitness in tally.bests] == [fitness for *_, fitness in best_so_far(reader)]
        assert sum(island.candidates for island in tally.islands) == tally.work.evaluations


class Campaign:
    """Writes a random course into a store, as a campaign with a model does."""

    def __init__(self, store: Store, rng: random.Random) -> None:
        """Takes the store of an unfinished run."""
        self.store, self.rng, self.calls = store, rng, StoredCalls(store)
        self.asked: list[int] = []
        self.waiting: list[int] = []
        self.number = int(store.read.value("SELECT max(iteration) FROM iterations"))

    def step(self) -> None:
        """Asks, sends a request, takes a reply or an error, or tells an outcome."""
        action = self.rng.choice((self.ask, self.request, self.reply, self.tell, self.tell))
        action()

    def ask(self) -> None:
        """Asks for one more iteration."""
        self.number += 1
        self.store.asked(self.number, self.rng.randrange(2), (), (), None)
        self.asked.append(self.number)

    def request(self) -> None:
        """Sends a request to a model."""
        prompt = Prompt("system", f"question {self.number}")
        call = Call("openai/test", "improve", Request(prompt, 100, 60.0, self.number), 1, 100, Decimal("0.1"))
        self.waiting.append(self.calls.requested(call))

    def reply(self) -> None:
        """Takes the reply to any request, with or without a price, or an error."""
        if not self.waiting:
            return
        call = self.waiting.pop(self.rng.randrange(len(self.waiting)))
        price = 0.001 if self.rng.random() < 0.95 else None
        completion = Completion("text", "test", 90, 30, price, 1.0, "stop")
        if self.rng.random() < 0.3:
            paid = completion if self.rng.random() < 0.5 else None
            self.calls.failed(call, ModelError(ErrorKind.SERVER, "busy", completion=paid))
        else:
            self.calls.replied(call, completion)

    def tell(self) -> None:
        """Tells any iteration that was asked for: a rejection, or a candidate, now and then a new best."""
        if not self.asked:
            return
        number = self.asked.pop(self.rng.randrange(len(self.asked)))
        if self.rng.random() < 0.4:
            reason = self.rng.choice((RejectionReason.NO_CODE, RejectionReason.SYNTAX))
            self.store.admitted(number, Rejection(reason, "no", Origin.MUTATE, "cma-es"))
            self.store.told(number, None, "test", None)
            return
        read = self.store.read
        id, best = read.best("train")[0]
        parent, evaluation = read.candidate(id), read.evaluation(id, "train")
        assert parent is not None
        assert evaluation is not None
        fitness = best * self.rng.choice((0.9, 1.0, 1.1))
        child = replace(parent, id=f"{number:016x}", parents=(id,), iteration=number)
        with self.store.transaction():
            self.store.admitted(number, child)
            self.store.told(number, replace(evaluation, fitness=fitness), "test", AddStatus.NOT_ADDED)
            if fitness > best:
                self.store.event(number, "best", {"candidate": child.id, "fitness": fitness})
            self.store.event(number, self.rng.choice(("migration", "reset")), {})


@pytest.mark.parametrize("seed", range(4))
def test_many_looks_sum_up_to_one(seed: int, make_run: Callable[..., Path], tmp_path: Path) -> None:
    """Whatever happened between two looks, a tally that looked before says what a new one says."""
    rng = random.Random(seed)
    folder = make_run(tmp_path / "20260107-000000-run", candidates=6, finished=False, model=True)
    store, old = Store(folder), Tally()
    campaign = Campaign(store, rng)
    for _ in range(40):
        for _ in range(rng.randrange(6)):
            campaign.step()
        reader, new = Reader.open(folder, checked=False), Tally()
        old.look(reader)
        new.look(reader)
        assert figures(old) == figures(new)
        assert figures(new)[0] == work(reader)
        assert old.newest(reader, 3) == latest_candidates(reader, 3)
        trained = reader.best("train")
        assert reader.leader() == trained[0][0]
        reader.close()
    with open_record(folder) as record:
        sums = {"cost_usd": pytest.approx(old.calls.usd), "cpu_seconds": pytest.approx(old.cpu_seconds)}
        now = snapshot(record)
        used = now["budget_used"] | {"usd": sums["cost_usd"], "cpu_seconds": sums["cpu_seconds"]}
        assert snapshot(record, old) == now | sums | {"budget_used": used}
    store.close()

"""The prefix of the pool grows: all elites are evaluated on the new instances before the search goes on."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait

from ..evaluators.base import Evaluation
from .base import Elite
from .executor import Job
from .ports import Ports
from .search import Search


def grow(search: Search, ports: Ports, prefix: int, stopped: Callable[[], bool], tick: float) -> bool:
    """Goes on to a longer prefix; nothing may be in flight.

    Each evaluation is recorded as soon as it ends and never repeated, so after a stop or a kill the growth
    continues where it was.

    Args:
        search: the search for which this prefix is due.
        ports: where evaluations are made and recorded.
        prefix: training instances in use from now on (count).
        stopped: asked at least every `tick` wall seconds whether to leave the rest for later.
        tick: see there.

    Returns:
        False if it was stopped before the end: then the search has not changed.
    """
    store, evaluator = ports.store, ports.evaluator
    evaluations: dict[str, Evaluation] = {}
    under_way: dict[Future[Evaluation], Elite] = {}
    for elite in search.to_grow():
        candidate, count = elite.candidate, len(elite.evaluation.scores)
        recorded = store.read.evaluation(candidate.id, "train", prefix)
        if recorded is not None and len(recorded.scores) > count:
            evaluations[candidate.id] = recorded
        else:
            job = Job(evaluator.program(candidate.files), "train", first=count, last=prefix)
            under_way[ports.executor.submit(job)] = elite
    while under_way:
        wait(under_way, timeout=tick, return_when=FIRST_COMPLETED)
        for future in [future for future in under_way if future.done()]:
            elite = under_way.pop(future)
            whole = evaluator.joined(elite.evaluation, future.result())
            evaluations[elite.candidate.id] = whole
            store.put_growth(elite.candidate.id, prefix, whole, evaluator.version)
        if stopped() and under_way:
            for future in under_way:
                future.cancel()  # what has not begun would hold up validation and test
            return False
    event = search.grow(evaluations)
    if not store.read.grown(event.iteration):
        store.event(event.iteration, event.kind, event.data)
    return True

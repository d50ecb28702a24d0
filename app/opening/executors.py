"""What evaluates the jobs of a campaign: threads, processes of this machine, or actors of a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from typing import TYPE_CHECKING

from ...evolve.executor import Executor, ThreadExecutor
from ...evolve.store.work import asked
from ..workers import Workers
from .setup import Setup

if TYPE_CHECKING:
    from ...evolve.store.store import Store


@contextmanager
def open_executor(setup: Setup, store: Store | None = None) -> Iterator[Executor]:
    """What evaluates jobs, with as many workers as are configured; ended afterwards.

    Args:
        setup: what jobs are evaluated by.
        store: of the run, which records each worker that was lost.

    Raises:
        SandboxError: candidates cannot be run safely here.
        UserError: a worker of another process cannot begin.
    """
    setup.evaluator.prepare()  # forks, so before there are threads
    try:
        threads = setup.config.run.kind is Workers.THREADS
        with _threads(setup) if threads else _crew(setup, store) as executor:
            yield executor
    finally:
        setup.evaluator.close()


def _threads(setup: Setup) -> AbstractContextManager[Executor]:
    return closing(ThreadExecutor(setup.evaluator, setup.open_slot, setup.config.run.slots))


@contextmanager
def _crew(setup: Setup, store: Store | None) -> Iterator[Executor]:
    from .workers import process_crew, warn_of_idle

    def note(sentence: str) -> None:
        if store is not None:
            store.event(asked(store.read), "worker", {"lost": sentence})

    if setup.config.run.kind is Workers.RAY:
        from .cluster import ray_crew

        opening = ray_crew(setup, str(setup.config.run.workers), note)
    else:
        opening = process_crew(setup, setup.config.run.slots, note)
    with opening as crew:
        if store is not None:
            warn_of_idle(crew.size, setup.config.campaign.in_flight)
        yield crew

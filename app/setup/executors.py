"""What evaluates jobs: threads, processes of this machine, or actors of a Ray cluster."""

from __future__ import annotations

import logging
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, chdir, closing, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...evolve.executor import Executor, ThreadExecutor
from ...evolve.remote.executor import RemoteExecutor, Worker, WorkerLost
from ...evolve.store.statistics import asked
from ...sandbox.interpreter import START_FOLDER
from ...sandbox.slot import count_layers
from ..config import Workers
from ..errors import INVALID, MISSING, TROUBLE, UserError
from ..formatting import clean
from .setup import Setup
from .workers import WorkerServer, check_hello, encode_brief, executor_of

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
        with _threads(setup) if threads else _remote(setup, store) as executor:
            yield executor
    finally:
        setup.evaluator.close()


def _threads(setup: Setup) -> AbstractContextManager[Executor]:
    return closing(ThreadExecutor(setup.evaluator, setup.open_slot, setup.config.run.slots))


@contextmanager
def _remote(setup: Setup, store: Store | None) -> Iterator[Executor]:
    from .workers import process_executor, warn_of_idle

    def note(sentence: str) -> None:
        if store is not None:
            store.event(asked(store.read), "worker", {"lost": sentence})

    if setup.config.run.kind is Workers.RAY:
        opening = ray_executor(setup, str(setup.config.run.workers), note)
    else:
        opening = process_executor(setup, setup.config.run.slots, note)
    with opening as crew:
        if store is not None:
            warn_of_idle(crew.size, setup.config.campaign.in_flight)
        yield crew


# Workers as actors on the nodes of a Ray cluster: one for each processor, each with a warm slot.
#
# Ray carries texts only, the same lines as a pipe. Its own restarts and retries are off, for they would go
# to the same node: a job whose actor is lost is given to another one by the executor. A cluster is never
# stopped.

_READY_SECONDS = 120.0
"""Wall seconds that an actor may take to be ready; one whose processor others use never is."""
_CONNECT_SECONDS = 10.0
_log = logging.getLogger("gapsmith.workers")


@dataclass(frozen=True, slots=True)
class Node:
    """A machine of a cluster, with its processors (count)."""

    id: str
    host: str
    processors: int

    @property
    def name(self) -> str:
        """Of the machine and, as several nodes may be on one, the start of its id."""
        return f"{self.host} ({self.id[:6]})"


@contextmanager
def connected(spec: str) -> Iterator[Any]:
    """The package Ray, connected to the cluster that `ray` or `ray://HOST:PORT` names.

    Raises:
        UserError: Ray is not installed, or there is no such cluster.
    """
    try:
        import ray
    except ImportError:
        raise UserError(MISSING, f"{spec}: Ray is not installed", "pip install 'gapsmith[ray]'") from None
    host, _, port = spec.removeprefix("ray").removeprefix("://").rpartition(":")
    ours = not ray.is_initialized()
    if ours:
        try:
            if port:  # Ray itself asks an address where nobody listens for minutes
                socket.create_connection((host.strip("[]"), int(port)), _CONNECT_SECONDS).close()
            address = f"{host}:{port}" if port else "auto"
            with chdir(START_FOLDER):  # Ray gives actors the working folder as a place of modules
                ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
        except (OSError, OverflowError, RuntimeError, ValueError) as error:
            why = str(error).strip().partition("\n")[0]
            hint = "`ray start --head` begins a cluster on this machine; ray://HOST:PORT names another one"
            raise UserError(TROUBLE, f"{spec}: no Ray cluster: {why:.200}", hint) from None
    try:
        yield ray
    finally:
        if ours:
            ray.shutdown()  # disconnects; the cluster belongs to whoever began it


def nodes(ray: Any) -> list[Node]:
    """The nodes that are alive and have a processor, by name of host."""
    alive = [row for row in ray.nodes() if row["Alive"] and int(row["Resources"].get("CPU", 0)) >= 1]
    hosts = [Node(r["NodeID"], r["NodeManagerHostname"], int(r["Resources"]["CPU"])) for r in alive]
    return sorted(hosts, key=lambda node: (node.host, node.id))


def place(ray: Any, work: type, node: Node, *arguments: Any) -> Any:
    """An actor of a class on one node; takes one processor, and is never restarted."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    return (
        ray.remote(work)
        .options(
            num_cpus=1,
            max_restarts=0,
            max_task_retries=0,
            scheduling_strategy=NodeAffinitySchedulingStrategy(node.id, soft=False),
        )
        .remote(*arguments)
    )


class Actor:
    """The worker's side of an actor; runs in a process of Ray."""

    def __init__(self, brief: str) -> None:
        self._serving = WorkerServer(brief)

    def first(self) -> str:
        """The worker's first line."""
        return self._serving.first

    def reply(self, line: str) -> str:
        """The reply's line to a job's line."""
        return self._serving.reply(line)


class RayWorker:
    """The driver's side of an actor."""

    def __init__(self, ray: Any, node: Node, brief: Any) -> None:
        self._ray = ray
        self.node = node
        self.name = f"worker on {node.name}"
        self._actor = place(ray, Actor, node, brief)
        self._coming: Any = self._actor.first.remote()
        self._until = time.monotonic() + _READY_SECONDS

    def first(self) -> str:
        """Waits for the actor's first line.

        Raises:
            WorkerLost: it does not come.
        """
        while not self._ray.wait([self._coming], timeout=1.0)[0]:
            if time.monotonic() > self._until:
                raise WorkerLost(f"not ready after {_READY_SECONDS:g} s; are its processors in use?")
            if self.node.id not in {node.id for node in nodes(self._ray)}:
                raise WorkerLost("its node has gone")
        return self.receive()

    def send(self, line: str) -> None:
        """See `Worker`."""
        try:
            self._coming = self._actor.reply.remote(line)
        except self._ray.exceptions.RayError as error:
            raise WorkerLost(_said(error)) from error

    def receive(self) -> str:
        """See `Worker`."""
        try:
            line = self._ray.get(self._coming)
        except self._ray.exceptions.RayError as error:
            raise WorkerLost(_said(error)) from error
        if type(line) is not str:
            raise WorkerLost(f"it sent {type(line).__name__}, expected a text")
        return line

    def close(self) -> None:
        """See `Worker`."""
        with suppress(Exception):  # Ray is no more, or the actor is
            self._ray.kill(self._actor, no_restart=True)


def _said(error: BaseException) -> str:
    """Kind and first line of an error of Ray, whose full texts are pages long."""
    lines = [line.strip() for line in clean(str(error)).splitlines() if line.strip()]
    return f"{type(error).__name__}: {(lines or ['no message'])[0]:.200}"


@contextmanager
def ray_executor(setup: Setup, spec: str, note: Callable[[str], None]) -> Iterator[RemoteExecutor]:
    """An executor over an actor for each processor of a cluster; the cluster stays as it was.

    Args:
        setup: what jobs are evaluated by.
        spec: `ray` or `ray://HOST:PORT`.
        note: told of each lost worker, each node that is left out, and machines that differ.

    Raises:
        UserError: there is no cluster, or no node of it can work.
    """
    with connected(spec) as ray:
        brief = ray.put(encode_brief(setup))
        started = [RayWorker(ray, node, brief) for node in nodes(ray) for _ in range(node.processors)]
        try:
            ready = _ready(started, setup, note)
        except BaseException:
            for worker in started:
                worker.close()
            raise

        def replace(lost: Worker) -> Worker:
            assert isinstance(lost, RayWorker)
            worker = RayWorker(ray, lost.node, brief)
            try:
                check_hello(worker.first(), setup)
            except BaseException:
                worker.close()
                raise
            return worker

        with executor_of(ready, replace, note, setup) as executor:
            yield executor


def _ready(started: Sequence[RayWorker], setup: Setup, note: Callable[[str], None]) -> list[RayWorker]:
    """The workers that are ready and equal to this process; a line for each node that is left out."""
    ready: list[RayWorker] = []
    troubles: dict[str, UserError] = {}
    machines: Counter[str] = Counter()
    for worker in started:
        try:
            said = check_hello(worker.first(), setup)
        except WorkerLost as error:
            troubles[worker.node.name] = UserError(TROUBLE, str(error))
        except UserError as error:
            troubles[worker.node.name] = error
        else:
            count_layers(setup.policy, said["layers"])
            machines[said["machine"]] += 1
            ready.append(worker)
            continue
        worker.close()
    if not ready:
        raise _nobody(troubles)
    lines = [f"node {name} is left out: {error.message}" for name, error in troubles.items()]
    if len(machines) > 1:
        each = "; ".join(f"{count} workers on {name}" for name, count in machines.most_common())
        lines.append(f"machines differ, so a CPU limit allows more work on some: {each}")
    for line in lines:
        _log.warning(line)
        note(line)
    return ready


def _nobody(troubles: Mapping[str, UserError]) -> UserError:
    """The error for a cluster without a usable worker: reason and exit code of the first node."""
    for name, error in troubles.items():
        return UserError(error.code, f"no node can work; {name}: {error.message}", error.hint)
    return UserError(INVALID, "the cluster has no node with a processor", "`ray status` shows its nodes")

"""Workers on a Ray cluster: the same campaign as with threads, whoever is killed or removed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.config import parse
from gapsmith.app.setup import executors as nodes
from gapsmith.app.setup.executors import connected
from gapsmith.app.setup.prepare import setup_of_problem
from gapsmith.app.setup.workers import PYTHON, hello

PROBLEM = Path(__file__).with_name("flow_time.py")
TABLES = {
    "iterations": "iteration island parents rival candidate rejection told added",
    "scores": "program split instance status objective gap answer_digest",
}

START_SECONDS = 120
"""Limit of each step of a cluster's start on a busy machine (wall seconds)."""
STORE_BYTES = 80 << 20
"""Memory of a node for objects, nearly the least that Ray takes."""


def test_without_ray_the_command_names_what_to_install(
    command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 4 and the command that installs Ray; nothing is imported where Ray is not asked for."""
    monkeypatch.setitem(sys.modules, "ray", None)
    done = command("run", str(PROBLEM), "--iterations", "2", "--workers", "ray")
    assert done.returncode == 4
    assert "pip install 'gapsmith[ray]'" in done.stderr
    assert command("doctor", "--nodes", "ray").returncode == 4


def test_workers_without_nodes_are_refused(command: Callable[..., Any]) -> None:
    """`doctor --nodes` with workers of this machine is the user's error, with what is expected."""
    done = command("doctor", "--nodes", "processes:2")
    assert done.returncode == 2
    assert "expected ray or ray://HOST:PORT" in done.stderr


def test_an_address_where_nobody_listens_is_an_error(command: Callable[..., Any]) -> None:
    """Exit code 8 within seconds, with how to begin a cluster."""
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'gapsmith[ray]'")
    done = command("doctor", "--nodes", "ray://127.0.0.1:1")
    assert done.returncode == 8
    assert "ray start --head" in done.stderr


class Begun:
    """An actor that has said its first line."""

    def __init__(self, host: str, line: str) -> None:
        self.node, self._line, self.closed = nodes.Node(host * 8, host, 1), line, False

    def first(self) -> str:
        """See `RayWorker`."""
        return self._line

    def close(self) -> None:
        """See `RayWorker`."""
        self.closed = True


def test_a_node_with_another_python_is_left_out_with_one_line() -> None:
    """Its workers are ended and named once; the campaign goes on with those of the other node."""
    setup = setup_of_problem(parse({"campaign": {"problem": str(PROBLEM)}}, "test"))
    line = hello(setup, {})
    other = line.replace(f'"python": "{PYTHON}"', '"python": "3.99"')
    assert other != line
    workers: list[Any] = [Begun("a", line), Begun("b", other), Begun("b", other)]
    notes: list[str] = []
    ready = nodes._ready(workers, setup, notes.append)
    assert ready == workers[:1]
    assert [worker.closed for worker in workers] == [False, True, True]
    assert notes == [
        f"node b (bbbbbb) is left out: the version of Python differs: got 3.99, expected {PYTHON}"
    ]


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Actors may take as long to start as a busy machine needs."""
    monkeypatch.setattr(nodes, "_READY_SECONDS", 4.0 * START_SECONDS)


@contextmanager
def cluster_of(*processors: int) -> Iterator[Any]:
    """A cluster on this machine with a node for each number of processors (counts, not real ones)."""
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'gapsmith[ray]'")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_gcs_server_port_wait_time_s", str(START_SECONDS))
        patch.setenv("RAY_worker_niceness", "0")  # 15 by default, which starves actors beside other work
        cluster = started(processors)
    try:
        yield cluster
    finally:
        cluster.shutdown()


def started(processors: Sequence[int]) -> Any:
    """A new cluster; Ray gives a node half a minute to start, which a busy machine may need three times."""
    from ray.cluster_utils import Cluster

    troubles: list[str] = []
    for _ in range(3):
        cluster = Cluster()
        try:
            for number in processors:
                cluster.add_node(
                    wait=False, num_cpus=number, object_store_memory=STORE_BYTES, include_dashboard=False
                )
            cluster.wait_for_nodes(START_SECONDS)
            return cluster
        except Exception as error:  # Ray raises bare ones where a node does not start in time
            troubles.append(f"{type(error).__name__}: {error}")
            cluster.shutdown()
    raise RuntimeError("Ray started no cluster in three tries: " + "; ".join(troubles))


@pytest.fixture(scope="module")
def two_nodes() -> Iterator[Any]:
    """A cluster of two nodes with one processor each."""
    with cluster_of(1, 1) as cluster:
        yield cluster


@pytest.fixture
def course(document: Callable[..., Any]) -> Callable[[Path], list[list[str]]]:
    """The course of a run: its iterations and scores without times."""

    def read(folder: Path) -> list[list[str]]:
        tables = [(key, document("export", folder.name, "--what", key)["rows"]) for key in TABLES]
        return [sorted(repr([row[k] for k in TABLES[key].split()]) for row in rows) for key, rows in tables]

    return read


@pytest.mark.slow
def test_a_cluster_takes_the_course_of_a_thread(
    two_nodes: Any,
    campaign: Callable[..., Any],
    document: Callable[..., Any],
    command: Callable[..., Any],
    course: Callable[[Path], list[list[str]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two nodes; one actor is killed with a job in hand, then its node is removed; the cluster stays."""
    _, threads = campaign("threads", run={"workers": 1}, budget={"iterations": 16})
    address = f"ray://{two_nodes.address}"
    rows = document("doctor", "--nodes", address)["nodes"]
    assert [row["usable"] for row in rows] == [True, True]
    second = two_nodes.list_all_nodes()[-1]
    sent: list[str] = []

    class Watched(nodes.RayWorker):
        """A worker whose third job kills its process and, in the other node's life, removes that node."""

        def send(self, line: str) -> None:
            super().send(line)
            sent.append(self.node.id)
            if sent.count(self.node.id) == 3 and self.node.id != second.node_id:
                self._ray.kill(self._actor, no_restart=True)
            if sent.count(self.node.id) == 5 and self.node.id == second.node_id:
                two_nodes.remove_node(second)

    monkeypatch.setattr(nodes, "RayWorker", Watched)
    _, actors = campaign("actors", run={"workers": address}, budget={"iterations": 16})
    assert course(actors) == course(threads)
    events = document("export", actors.name, "--what", "events")["rows"]
    lost = [row["data"]["lost"] for row in events if row["kind"] == "worker"]
    assert len(set(sent)) == 2
    assert len(lost) >= 2
    assert not [words for words in lost if not words.startswith("worker on ")]
    again = command("resume", actors.name, "--iterations", "18", "--workers", address, "--json")
    assert again.returncode == 0, again.stderr
    with connected(address) as ray:
        assert len(nodes.nodes(ray)) == 1


@pytest.mark.slow
def test_a_node_that_differs_is_left_out(
    two_nodes: Any, command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where all nodes differ from the driver the exit code is 3, and the reason is named."""
    monkeypatch.setattr("gapsmith.app.setup.workers.PYTHON", "3.99")
    words = ("run", str(PROBLEM), "--iterations", "2", "--workers", f"ray://{two_nodes.address}")
    done = command(*words)
    assert done.returncode == 3
    assert "no node can work" in done.stderr
    assert "the version of Python differs" in " ".join(done.stderr.split())


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("processors", [(2, 2), (4,), (1,)], ids=["four on two nodes", "four", "one"])
def test_actors_take_the_course_of_a_thread(
    processors: tuple[int, ...],
    campaign: Callable[..., Any],
    course: Callable[[Path], list[list[str]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One actor or four, on one node or on two: all of them do jobs, and the course is that of one thread."""
    _, threads = campaign("threads", run={"workers": 1}, budget={"iterations": 16})
    sent: list[tuple[str, int]] = []

    class Watched(nodes.RayWorker):
        """A worker that notes its node and itself with each job."""

        def send(self, line: str) -> None:
            sent.append((self.node.id, id(self)))
            super().send(line)

    monkeypatch.setattr(nodes, "RayWorker", Watched)
    with cluster_of(*processors) as cluster:
        _, actors = campaign("actors", run={"workers": f"ray://{cluster.address}"}, budget={"iterations": 16})
    assert course(actors) == course(threads)
    assert len({node for node, _ in sent}) == len(processors)
    assert len({worker for _, worker in sent}) == sum(processors)

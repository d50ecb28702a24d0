"""Cluster scheduling: fill a fleet of machines from a snapshot, job by job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..base import Dialogue, Drawing, Instance, Json, Primitive, Sense, Verdict
from ..stratified import StratifiedProblem
from . import cluster_files, laws, rules
from .dialogue import JobArrivals
from .explaining import explain_fleet
from .picture import picture
from .verification import Fleet, judge

_STATEMENT = """\
A fleet of machines with two resources; every machine has `cpu` cores and `memory` GiB, of which free_cpu[i]
and free_memory[i] are free on machine i when the run begins. Jobs arrive one at a time; neither the queue nor
its length is known. For each job `place` is called with its demand (cpu, memory; integers) and the free room
of all machines; it returns the index of a machine with free_cpu[i] >= cpu and free_memory[i] >= memory. The
decision is final, and no job ends. A job that fits no machine is left out, without a call of `place`. The
lists are copies. The object may keep state of its own between calls.
A job weighs cpu * (memory of a machine) + memory * (cpu of a machine). Maximise the weight of all placed
jobs. Room is lost where one resource of a machine is used up while the other is free (stranded). The queue
would nearly fill the fleet if nothing were stranded, so the total free room tells how much will come.
Gaps are measured against an upper bound: each machine filled as well as possible for itself. One percent of
gap is one percent of the free room: of 10,000 free machines, the jobs of 100 machines."""
_SENTENCES = {
    "large": "16 fleets of 160 machines, mixed and skewed, 8 of each",
}


PRIMITIVES = tuple(
    Primitive(text, "number", meaning, term)
    for text, term, meaning in (
        ("cpu / self.cpu", "cpu_demand", "cpu demand as a share of a machine"),
        ("memory / self.memory", "memory_demand", "memory demand as a share of a machine"),
        ("x / self.cpu", "cpu_room", "free cpu as a share of a machine"),
        ("y / self.memory", "memory_room", "free memory as a share of a machine"),
        ("(x - cpu) / self.cpu", "cpu_left", "cpu that would be left, as a share of a machine"),
        ("(y - memory) / self.memory", "memory_left", "memory that would be left, as a share of a machine"),
        ("cpu / max(x, 1)", "cpu_fill", "share of the free cpu that the job takes"),
        ("memory / max(y, 1)", "memory_fill", "share of the free memory that the job takes"),
        ("x / max(y, 1)", "room_shape", "free cores per free GiB"),
        ("cpu / max(memory, 1)", "job_shape", "cores per GiB of the job"),
        (
            "self.total_cpu / max(self.total_memory, 1)",
            "mean_shape",
            "cores per GiB of all jobs so far, this one included",
        ),
        ("self.total_cpu / self.seen", "mean_cpu", "mean cpu of the jobs so far"),
        ("self.total_memory / self.seen", "mean_memory", "mean memory of the jobs so far"),
        ("self.seen", "", "jobs seen, this one included"),
        ("self.machines", "", "machines of the fleet"),
    )
)


class ClusterScheduling(StratifiedProblem):
    """Vector bin packing online, with machines that are partly full: maximise the placed weight."""

    name = stream = "cluster-scheduling"
    law = "snapshots of fleets with sizes as in public clouds"
    other_sets = _SENTENCES
    version = "1"
    sense = Sense.MAXIMISE
    unit = "weight"
    entry_point = "Scheduler"
    signature = (
        "class Scheduler:  # one object per queue; it may keep state between calls\n"
        "    def __init__(self, cpu: int, memory: int, machines: int) -> None: ...\n"
        "    def place(self, cpu: int, memory: int, free_cpu: list[int], free_memory: list[int]) -> int: ..."
    )
    statement = _STATEMENT
    calls = (
        "For each instance one object is made, and its `place` is called once for each job that fits "
        "somewhere, in the order of arrival; the object may keep state from one of these calls to the next."
    )
    instance_format = cluster_files.FORMAT
    package = __package__
    start_ids = (rules.START,)
    expressions = PRIMITIVES

    def __init__(self, rounds: Mapping[str, int], secret: str = "") -> None:
        """Takes what the splits hold.

        Args:
            rounds: split → instances per stratum, ≥ 1.
            secret: keys fleets and queues; empty for the public draw, which a candidate can draw again.
        """
        super().__init__(rounds)
        self._secret = secret
        self.cells = laws.cells(laws.LAWS, secret)
        if secret:
            self.stream, self.law = f"{self.name}/{secret}", f"{self.law}, drawn with a secret"
        self.driver = rules.driver()

    def keyed(self, secret: str) -> ClusterScheduling:
        """The same problem with other fleets and queues: whoever knew the queue could plan for it."""
        return ClusterScheduling(self._rounds, secret)

    def other(self, set: str, seed: int) -> list[Instance]:
        """Large fleets."""
        return self.draw_other(set, seed, laws.cells(laws.LARGE, self._secret), 8)

    def baselines(self) -> Mapping[str, str]:
        """Textbook scores, and the published one of AlphaEvolve."""
        return rules.scheduler_programs()

    def dialogue(self, instance: Instance) -> Dialogue:
        """A stepper that reveals one job after each decision."""
        return JobArrivals(Fleet(instance.public), _jobs(instance))

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """Placed weight of a transcript of decisions, replayed in integers."""
        return judge(instance.public, _jobs(instance), answer)

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """Two columns for each machine: what was taken of its cpu and of its memory."""
        return picture(instance, _jobs(instance), answer)

    def explain(self, instance: Instance, answer: Json) -> str:
        """Demands that were placed, and what is left free or stranded."""
        return explain_fleet(instance.public, _jobs(instance), answer)

    def read_instances(self, path: Path) -> Sequence[Instance]:
        """A user's queue and fleet, in two files.

        Raises:
            InstanceFileError: with row and column, what was got and what was expected.
        """
        return cluster_files.read(path)


def _jobs(instance: Instance) -> Sequence[Sequence[int]]:
    if instance.hidden is None:
        raise ValueError(f"instance {instance.id}: got no hidden part, expected the queue of jobs")
    jobs: Any = instance.hidden["jobs"]
    return jobs  # type: ignore[no-any-return]

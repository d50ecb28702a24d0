"""Cluster churn: jobs arrive, run and end on a fixed fleet, and what fits nowhere on arrival is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..base import Dialogue, Drawing, Instance, Json, Primitive, Sense, Shape, Verdict
from ..faults import objective_of
from ..stratified import StratifiedProblem
from ..summaries import by_parts, percent, quantiles
from . import churn_laws, cluster_files, rules
from .churn_verification import ARRIVE, CPU, DEPART, MEMORY, Stream, judge, minutes, placed_jobs
from .problem import PRIMITIVES
from .verification import weight

_STATEMENT = """\
A fleet of machines with two resources; every machine has `cpu` cores and `memory` GiB, and free_cpu[i] and
free_memory[i] are free on machine i when the run begins. Jobs arrive one at a time, run, and end. For each
job `place` is called with its demand (cpu, memory; integers), the free room of all machines now, a told
`duration` and the time `now` (minutes from the start); it returns the index of a machine with
free_cpu[i] >= cpu and free_memory[i] >= memory. The job stays there until it ends; its room is then free
again, before the jobs that arrive in the same minute. The told duration is the true one times a random factor
(log-normal, deviation 0.7 of the logarithm, median 1). A job that fits no machine on arrival is lost, without
a call of `place`. The stream of jobs, its length and the end of the run are hidden; at minute 0 the jobs of a
fleet in full operation arrive, later as much work as the fleet holds, or up to a tenth more. The lists are
copies. The object may keep state of its own between calls.
A job weighs cpu * (memory of a machine) + memory * (cpu of a machine). Maximise the weight times minutes of
all placed jobs until the end of the run. Gaps are measured against an upper bound: at every moment the
offered jobs, or the whole fleet, of each resource. One percent of gap is one percent of the fleet's time: of
10,000 machines, the work of 100."""
_SLICES = 60


class ClusterChurn(StratifiedProblem):
    """Dynamic vector bin packing on a fixed fleet: maximise the placed weight times minutes."""

    name = stream = "cluster-churn"
    law = "streams of jobs with lives as in public clouds"
    version = "1"
    sense = Sense.MAXIMISE
    unit = "weight minutes"
    entry_point = "Scheduler"
    signature = (
        "class Scheduler:  # one object per stream; it may keep state between calls\n"
        "    def __init__(self, cpu: int, memory: int, machines: int) -> None: ...\n"
        "    def place(self, cpu: int, memory: int, free_cpu: list[int], free_memory: list[int],\n"
        "              duration: int, now: int) -> int: ..."
    )
    statement = _STATEMENT
    calls = (
        "For each instance one object is made, and its `place` is called once for each job that fits "
        "somewhere, in the order of arrival; the object may keep state from one of these calls to the next."
    )
    instance_format = cluster_files.CHURN_FORMAT
    package = __package__
    start_ids = (rules.START,)

    def __init__(self, rounds: Mapping[str, int], secret: str = "") -> None:
        """Takes split → instances per stratum, ≥ 1, and the secret that keys the streams of jobs."""
        super().__init__(rounds)
        self.cells = churn_laws.cells(secret)
        if secret:
            self.stream, self.law = f"{self.name}/{secret}", f"{self.law}, drawn with a secret"
        self.driver = rules.churn_driver()

    def keyed(self, secret: str) -> ClusterChurn:
        """The same problem with other streams: whoever knew what comes could plan for it."""
        return ClusterChurn(self._rounds, secret)

    def baselines(self) -> Mapping[str, str]:
        """The scores of cluster scheduling."""
        return rules.churn_programs()

    def primitives(self) -> Sequence[Primitive]:
        """Expressions over the names of the start program's score."""
        return (
            *PRIMITIVES,
            Primitive("duration", "number", "told duration of the job, minutes"),
            Primitive("now", "number", "minutes from the start"),
        )

    def dialogue(self, instance: Instance) -> Dialogue:
        """A stepper that reveals one job after each decision."""
        return Stream(instance.public, _hidden(instance)["jobs"])

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """Placed weight times minutes of a transcript of decisions, replayed in integers."""
        return judge(instance.public, _hidden(instance), answer)

    def explain(self, instance: Instance, answer: Json) -> str:
        """Jobs that were placed, their sizes, and their share of the fleet over time."""
        public, hidden = instance.public, _hidden(instance)
        jobs = [job for job, placed in placed_jobs(public, hidden, answer) if placed]
        lines = [f"{len(jobs)} jobs were placed on {len(public['free_cpu'])} machines."]
        if jobs:
            lives = [minutes(job, hidden["horizon"]) for job in jobs]
            lines.append(f"Minutes that they ran before the end, at {quantiles(lives)}.")
            lines.append(f"Their cpu at {quantiles([job[CPU] for job in jobs])}.")
        for name, place in (("cpu", CPU), ("memory", MEMORY)):
            used = _used(jobs, place, hidden["horizon"])
            most = sum(public[f"free_{name}"]) * hidden["horizon"]
            lines.append(
                f"{name.capitalize()} in use {percent(sum(used), most)} of the time; by fifths of the run, "
                f"parts of that use: {by_parts(used)}."
            )
        return "\n".join(lines)

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """Percent of the fleet's cpu and memory in use, over the time of the run.

        Raises:
            ValueError: the answer is not valid.
        """
        public, hidden = instance.public, _hidden(instance)
        objective_of(instance.id, judge(public, hidden, answer))
        jobs = [job for job, placed in placed_jobs(public, hidden, answer) if placed]
        width = hidden["horizon"] / _SLICES
        shapes = []
        for k, (name, place) in enumerate((("cpu", CPU), ("memory", MEMORY))):
            room = sum(public[f"free_{name}"]) * width or 1
            for n, used in enumerate(_used(jobs, place, hidden["horizon"])):
                x = (n + k / 2) * width
                shapes.append(Shape("rectangle", x, 0, 0.45 * width, 100 * used / room, "", name))
        title = f"{instance.id}: {len(jobs)} of {len(hidden['jobs'])} jobs placed"
        return Drawing(title, "time (minutes)", "in use (percent of the fleet)", tuple(shapes))

    def read_instances(self, path: Path) -> Sequence[Instance]:
        """A user's stream of jobs and fleet, in two files."""
        return cluster_files.read_churn(path)


def offered_weight(public: Mapping[str, Any], hidden: Mapping[str, Any]) -> int:
    """Upper bound of the placed weight times minutes: at each moment the offered jobs or the whole fleet."""
    changes: dict[int, list[int]] = {0: [0, 0], hidden["horizon"]: [0, 0]}
    for job in hidden["jobs"]:
        if minutes(job, hidden["horizon"]):
            for moment, sign in ((job[ARRIVE], 1), (min(job[DEPART], hidden["horizon"]), -1)):
                change = changes.setdefault(moment, [0, 0])
                change[0] += sign * job[CPU]
                change[1] += sign * job[MEMORY]
    rooms = sum(public["free_cpu"]), sum(public["free_memory"])
    total, before, cpu, memory = 0, 0, 0, 0
    for moment in sorted(changes):
        total += weight(public, (min(cpu, rooms[0]), min(memory, rooms[1]))) * (moment - before)
        before, cpu, memory = moment, cpu + changes[moment][0], memory + changes[moment][1]
    return total


def _used(jobs: Sequence[Sequence[int]], place: int, horizon: int) -> list[float]:
    """Demand times minutes in each of `_SLICES` equal parts of the run."""
    width = horizon / _SLICES
    used = [0.0] * _SLICES
    for job in jobs:
        end = min(job[DEPART], horizon)
        for n in range(int(job[ARRIVE] / width), min(_SLICES, int(end / width) + 1)):
            used[n] += job[place] * max(0.0, min(end, (n + 1) * width) - max(job[ARRIVE], n * width))
    return used


def _hidden(instance: Instance) -> Mapping[str, Any]:
    if instance.hidden is None:
        raise ValueError(f"instance {instance.id}: got no hidden part, expected the stream of jobs")
    return instance.hidden

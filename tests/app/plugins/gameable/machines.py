"""Jobs arrive one by one, each decision is final: an interactive problem as a class, with its dialogue."""

from __future__ import annotations

import random

from gapsmith import Instance, Json, ProofKind, Reference, Sense, Verdict

LEAST_LOADED = '''\
def choose(duration: int, loads: list[int]) -> int:
    """The machine with the least load (Graham 1966)."""
    return min(range(len(loads)), key=lambda m: loads[m])
'''

LEAVE_ROOM = '''\
def choose(duration: int, loads: list[int]) -> int:
    """The fullest machine that stays below 1.3 times the mean load, else the least loaded one."""
    limit = 1.3 * (sum(loads) + duration) / len(loads)
    fitting = [m for m in range(len(loads)) if loads[m] + duration <= limit]
    if fitting:
        return max(fitting, key=lambda m: loads[m])
    return min(range(len(loads)), key=lambda m: loads[m])
'''

ROUND_ROBIN = '''\
def choose(duration: int, loads: list[int]) -> int:
    """Any machine, by the sum of what was done: a weak rule to start from."""
    return sum(loads) % len(loads)
'''

DRIVER = '''\
def drive(entry, instance, receive, send):
    """Runs around the candidate's function in its process: keeps the loads and hands it copies."""
    loads = [0] * instance["machines"]
    while (line := receive()) is not None:
        duration = int(line)
        machine = entry(duration, loads.copy())
        if type(machine) is not int or not 0 <= machine < len(loads):
            send(repr(machine).encode("ascii", "replace")[:80].replace(b"\\n", b" "))
            return
        loads[machine] += duration
        send(b"%d" % machine)
'''


class Arrivals:
    """The parent's side of one execution: reveals the next job, keeps the record, believes nothing."""

    def __init__(self, durations: list[int], machines: int) -> None:
        """Takes what is hidden from the candidate."""
        self._durations = durations
        self._machines = machines
        self._plan: list[Json] = []
        self._asked = False

    def next(self, line: bytes) -> bytes | None:
        """Takes the last decision (`b""` at first) and reveals the next duration; None at the end."""
        if self._asked:
            if not (line.isdigit() and len(line) < 6 and int(line) < self._machines):
                raise ValueError(f"expected a machine from 0 to {self._machines - 1}, got {line[:40]!r}")
            self._plan.append(int(line))
        if len(self._plan) == len(self._durations):
            return None
        self._asked = True
        return b"%d" % self._durations[len(self._plan)]

    def answer(self) -> Json:
        """The machine of each job, as the parent recorded it."""
        return list(self._plan)


class OnlineMachines:
    """Minimise the makespan (minutes) of jobs that arrive one by one; problem and references in one class."""

    name = "online-machines"
    version = "1"
    sense = Sense.MINIMISE
    unit = "minutes"
    entry_point = "choose"
    signature = "def choose(duration: int, loads: list[int]) -> int:"
    statement = (
        "Jobs arrive one by one. For each, choose(duration, loads) returns the machine, numbered from 0, "
        "that will do it; loads holds the minutes that each machine has been given so far. Nothing is known "
        "of later jobs and no decision can be taken back. Minimise the largest load at the end."
    )
    driver = DRIVER
    _secret = ""

    def keyed(self, secret: str) -> OnlineMachines:
        """The same problem, its jobs drawn with a secret: no candidate can draw them again and look ahead."""
        other = OnlineMachines()
        other._secret = secret
        return other

    def sets(self) -> dict[str, str]:
        """Name of each set → one sentence."""
        return {
            "train": "20 sequences that steer the search",
            "valid": "20 sequences that choose the best heuristic",
            "test": "40 sequences that judge it once",
        }

    def instances(self, set: str, seed: int) -> list[Instance]:
        """Short jobs with a few long ones, which come late in every other sequence."""
        count = {"train": 20, "valid": 20, "test": 40}[set]
        stream = random.Random(f"{self.name} {set} {seed}{self._secret}")
        return [self._draw(stream, set, number) for number in range(count)]

    def _draw(self, stream: random.Random, set: str, number: int) -> Instance:
        late = number % 2 == 1
        durations = [stream.randint(1, 20) for _ in range(40)]
        for _ in range(4):
            place = stream.randint(30, 39) if late else stream.randint(0, 39)
            durations[place] = stream.randint(60, 100)
        return Instance(
            id=f"{set}-{number:03}",
            split=set,
            stratum="long jobs late" if late else "long jobs anywhere",
            public={"machines": 4},
            hidden={"durations": durations},
            scale=1,
            source="40 jobs of 1 to 20 minutes, up to four of 60 to 100",
        )

    def dialogue(self, instance: Instance) -> Arrivals:
        """A fresh stepper over the hidden sequence."""
        assert instance.hidden is not None
        return Arrivals(instance.hidden["durations"], instance.public["machines"])

    def start_programs(self) -> dict[str, str]:
        """What a campaign starts from."""
        return {"round-robin": ROUND_ROBIN}

    def baselines(self) -> dict[str, str]:
        """What results are compared with."""
        return {"round-robin": ROUND_ROBIN, "least-loaded": LEAST_LOADED, "leave-room": LEAVE_ROOM}

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The makespan of the recorded plan."""
        assert instance.hidden is not None
        durations, machines = instance.hidden["durations"], instance.public["machines"]
        if not isinstance(answer, list) or len(answer) != len(durations):
            return Verdict.invalid(f"expected the machine of each of {len(durations)} jobs")
        loads = [0] * machines
        for machine, duration in zip(answer, durations, strict=True):
            if type(machine) is not int or not 0 <= machine < machines:
                return Verdict.invalid(f"expected machines from 0 to {machines - 1}, got {machine!r}")
            loads[machine] += duration
        return Verdict.valid(max(loads))

    def reference(self, instance: Instance, seconds: float) -> Reference:
        """A lower bound (minutes) on any plan, even with the whole sequence known: mean load, longest job."""
        assert instance.hidden is not None
        durations = sorted(instance.hidden["durations"], reverse=True)
        machines = instance.public["machines"]
        bound = max(
            -(-sum(durations) // machines), durations[0], durations[machines - 1] + durations[machines]
        )
        return Reference.proven_bound(
            bound, ProofKind.ARITHMETIC, "offline load bound", "1", None, "computed"
        )

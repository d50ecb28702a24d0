"""Jobs in lanes, with a report that repeats the makespan."""

from __future__ import annotations

import random

from gapsmith import Instance, Json, Sense, Verdict

FIRST = '''\
def solve(times: list[int], lanes: int) -> dict[str, object]:
    """What comes to mind first."""
    rows = [list(range(k, len(times), lanes)) for k in range(lanes)]
    return {'lanes': rows, 'report': {'makespan': max(sum(times[j] for j in row) for row in rows)}}
'''

SECOND = '''\
def solve(times: list[int], lanes: int) -> dict[str, object]:
    """A better one."""
    rows = [[] for _ in range(lanes)]
    for j in sorted(range(len(times)), key=lambda j: -times[j]):
        min(rows, key=lambda row: sum(times[i] for i in row)).append(j)
    return {'lanes': rows, 'report': {'makespan': max(sum(times[j] for j in row) for row in rows)}}
'''


class Lanes:
    """Minimise the largest sum of a lane."""

    name, version, sense, unit, entry_point = "lanes", "1", Sense.MINIMISE, "points", "solve"
    signature = "def solve(times: list[int], lanes: int) -> dict[str, object]:"
    statement = (
        "Return {'lanes': [[job, ...], ...], 'report': {'makespan': int}}: each job is in one "
        "lane; the largest sum of a lane counts."
    )

    def sets(self) -> dict[str, str]:
        """Name of each set → one sentence."""
        return {"train": "steers the search", "valid": "chooses the best", "test": "judges it once"}

    def instances(self, set: str, seed: int) -> list[Instance]:
        """Four random instances."""
        stream = random.Random(f"{set} {seed} {self.sets()[set]}")
        return [self._draw(stream, set, number) for number in range(4)]

    def _draw(self, stream: random.Random, set: str, number: int) -> Instance:
        public = {"times": [stream.randint(5, 40) for _ in range(12)], "lanes": 3}
        return Instance(f"{set}-{number}", set, "random", public, 1, "random")

    def start_programs(self) -> dict[str, str]:
        """What a campaign starts from."""
        return {"first": FIRST}

    def baselines(self) -> dict[str, str]:
        """What results are compared with."""
        return {"second": SECOND}

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """Checks all of the statement and computes the objective from the answer."""
        given = instance.public
        times = given["times"]
        if (
            type(answer) is not dict
            or sorted(answer) != ["lanes", "report"]
            or type(answer["lanes"]) is not list
        ):
            return Verdict.invalid("expected lanes and a report")
        if len(answer["lanes"]) != given["lanes"] or any(type(row) is not list for row in answer["lanes"]):
            return Verdict.invalid("expected a list for each lane")
        jobs = [job for row in answer["lanes"] for job in row]
        if any(type(job) is not int for job in jobs) or sorted(jobs) != list(range(len(times))):
            return Verdict.infeasible("expected each job once")
        spans = [sum(times[job] for job in row) for row in answer["lanes"]]
        report = answer["report"]
        if type(report) is not dict or type(report.get("makespan")) is not int or len(report) != 1:
            return Verdict.invalid("expected a makespan")
        span = report["makespan"]
        if span != max(spans):
            return Verdict.infeasible("the makespan is another")
        return Verdict.valid(span)

"""Jobs one after the other on one machine; the answer says job, start and duration of each step."""

from __future__ import annotations

import random

from gapsmith import Instance, Json, Sense, Verdict

IN_ORDER = '''\
def plan(releases: list[int], durations: list[int]) -> list[dict[str, int]]:
    """In the order of the list."""
    time, steps = 0, []
    for job, duration in enumerate(durations):
        time = max(time, releases[job])
        steps.append({"job": job, "start": time, "duration": duration})
        time += duration
    return steps
'''

BY_RELEASE = IN_ORDER.replace("order of the list", "order in which they can start").replace(
    "in enumerate(durations)", "in sorted(enumerate(durations), key=lambda x: releases[x[0]])"
)


class Jobs:
    """Minimise the sum of the times at which jobs are done."""

    name, version, sense, unit, entry_point = "jobs", "1", Sense.MINIMISE, "minutes", "plan"
    signature = "def plan(releases: list[int], durations: list[int]) -> list[dict[str, int]]:"
    statement = (
        'Return one step {"job": number, "start": minute, "duration": minutes} for each job, in the order of '
        "starts. Job j takes durations[j] and starts at releases[j] or later; one job at a time."
    )

    def sets(self) -> dict[str, str]:
        """Name of each set → one sentence."""
        return {"train": "steers the search", "valid": "chooses the best", "test": "judges it once"}

    def instances(self, set: str, seed: int) -> list[Instance]:
        """Ten random jobs."""
        stream = random.Random(f"{set} {seed} {self.sets()[set]}")
        return [self._draw(stream, set, number) for number in range(4)]

    def _draw(self, stream: random.Random, set: str, number: int) -> Instance:
        releases = [stream.randint(5, 200) for _ in range(10)]
        public = {"releases": releases, "durations": [stream.randint(5, 40) for _ in range(10)]}
        return Instance(f"{set}-{number}", set, "random", public, 1, "random jobs")

    def start_programs(self) -> dict[str, str]:
        """What a campaign starts from."""
        return {"in-order": IN_ORDER}

    def baselines(self) -> dict[str, str]:
        """What results are compared with."""
        return {"by-release": BY_RELEASE}

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The sum of the times at which jobs are done."""
        releases, durations = instance.public["releases"], instance.public["durations"]
        if not isinstance(answer, list) or len(answer) != len(durations):
            return Verdict.invalid("expected a step for each job")
        time, total, done = 0, 0, [False] * len(durations)
        for step in answer:
            if not isinstance(step, dict) or set(step) != {"job", "start", "duration"}:
                return Verdict.invalid("expected job, start and duration")
            job, start, duration = (step[key] for key in ("job", "start", "duration"))
            if not all(type(x) is int for x in (job, start, duration)) or not 0 <= job < len(durations):
                return Verdict.invalid("expected integers, and a job number")
            if done[job] or duration != durations[job]:
                return Verdict.invalid("expected each job once, as long as it is")
            if start < releases[job] or start < time:
                return Verdict.infeasible(f"job {job} starts too early")
            done[job] = True
            time = start + duration
            total += time
        return Verdict.valid(total)

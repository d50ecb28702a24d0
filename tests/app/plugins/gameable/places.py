"""Facilities at sites; the answer is an object of facilities."""

from __future__ import annotations

import random

from gapsmith import Instance, Json, Sense, Verdict

FIRST = '''\
def solve(flow: list[list[int]], distance: list[list[int]]) -> dict[str, int]:
    """What comes to mind first."""
    return {str(k): k for k in range(len(flow))}
'''

SECOND = '''\
def solve(flow: list[list[int]], distance: list[list[int]]) -> dict[str, int]:
    """A better one."""
    n = len(flow)
    order = sorted(range(n), key=lambda k: -sum(flow[k]))
    middle = sorted(range(n), key=lambda s: abs(s - n // 2))
    return {str(k): s for k, s in zip(order, middle)}
'''


class Places:
    """Minimise the flow times the distance."""

    name, version, sense, unit, entry_point = "places", "1", Sense.MINIMISE, "points", "solve"
    signature = "def solve(flow: list[list[int]], distance: list[list[int]]) -> dict[str, int]:"
    statement = (
        "Return {'facility': site} for every facility; no site twice. The sum of flow times distance counts."
    )

    def sets(self) -> dict[str, str]:
        """Name of each set → one sentence."""
        return {"train": "steers the search", "valid": "chooses the best", "test": "judges it once"}

    def instances(self, set: str, seed: int) -> list[Instance]:
        """Four random instances."""
        stream = random.Random(f"{set} {seed} {self.sets()[set]}")
        return [self._draw(stream, set, number) for number in range(4)]

    def _draw(self, stream: random.Random, set: str, number: int) -> Instance:
        public = {
            "flow": [[stream.randint(0, 9) for _ in range(7)] for _ in range(7)],
            "distance": [[abs(a - b) for a in range(7)] for b in range(7)],
        }
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
        n = len(given["flow"])
        match answer:
            case dict() if all(f"{k}" in answer for k in range(n)) and len(answer) == n:
                site = [answer[f"{k}"] for k in range(n)]
            case _:
                return Verdict.invalid("expected every facility")
        if any(type(s) is not int or not 0 <= s < n for s in site):
            return Verdict.invalid("expected sites")
        used = [0] * n
        for s in site:
            used[s] += 1
        if any(count > 1 for count in used):
            return Verdict.infeasible("a site is used twice")
        return Verdict.valid(
            sum(given["flow"][a][b] * given["distance"][site[a]][site[b]] for a in range(n) for b in range(n))
        )

"""TITLE."""

import math


class Scheduler:
    """Keeps the scheduler's state."""

    def __init__(self, cpu: int, memory: int, machines: int) -> None:
        self.cpu = cpu
        self.memory = memory
        self.machines = machines
        self.seen = 0
        self.total_cpu = 0
        self.total_memory = 0

    def place(self, cpu: int, memory: int, free_cpu: list[int], free_memory: list[int]) -> int:
        """Index of the machine for the job."""
        self.seen += 1
        self.total_cpu += cpu
        self.total_memory += memory

        def score(x: int, y: int) -> float:
            """Of the machines with x cpu and y memory free that hold the job: the highest wins."""
            u = (x - cpu) / self.cpu
            v = (y - memory) / self.memory
            return -(u + v)

        best = -1
        highest = -math.inf
        for machine, (x, y) in enumerate(zip(free_cpu, free_memory, strict=True)):
            if x >= cpu and y >= memory:
                value = score(x, y)
                if not math.isfinite(value):
                    value = -math.inf
                if best < 0 or value > highest:
                    best = machine
                    highest = value
        return best

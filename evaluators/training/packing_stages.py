"""The two integer programmes of LoRAFusion's packing (arXiv:2510.00206): fewest, and smallest last one.

They stand beside the greedy packing of the shipped program, to see how much of its gap packing removes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ...problems.training.pipeline import padded_tiles
from ..toolbox import Solved, solve_mip

if TYPE_CHECKING:
    import pulp

Solver = Literal["highs", "cbc"]


def pack(
    public: Mapping[str, Any],
    step: Sequence[int],
    greedy: Sequence[Sequence[int]],
    seconds: float,
    solver: Solver = "highs",
) -> list[list[int]]:
    """Microbatches of the samples of one step: few of them, and the last as small as possible.

    Args:
        public: the instance.
        step: samples to pack, at most one batch of each adapter.
        greedy: a packing of them, kept where the programmes find nothing better in time.
        seconds: wall seconds of each programme.
        solver: HiGHS or CBC.
    """
    best = [list(microbatch) for microbatch in greedy]
    fewest = -(-sum(_least_tiles(public, step)) // (public["capacity"] // public["tile"]))
    if len(best) > fewest:
        model, put = fewest_microbatches(public, step, len(best))
        found = _packing(put, _solve(model, seconds, solver, fewest))
        best = found if found and len(found) < len(best) else best
    model, put = smallest_last(public, step, len(best))
    found = _packing(put, _solve(model, seconds, solver, 0))
    if found and len(found) <= len(best) and _smallest(public, found) < _smallest(public, best):
        best = found
    return best


def fewest_microbatches(
    public: Mapping[str, Any], step: Sequence[int], most: int
) -> tuple[pulp.LpProblem, dict[tuple[int, int], Any]]:
    """First stage: the number of microbatches that are used, at most `most`."""
    import pulp

    model, put, tiles = _assignment(public, step, most, "fewest")
    used = [model.add_variable(f"z{b}", cat="Binary") for b in range(most)]
    for b in range(most):
        model += pulp.lpSum(tiles[b]) <= public["capacity"] // public["tile"] * used[b]
        if b:
            model += used[b] <= used[b - 1]
    model.setObjective(pulp.lpSum(used))
    return model, put


def smallest_last(
    public: Mapping[str, Any], step: Sequence[int], number: int
) -> tuple[pulp.LpProblem, dict[tuple[int, int], Any]]:
    """Second stage: the tiles of the last of `number` microbatches; which one is last is free to choose."""
    import pulp

    model, put, tiles = _assignment(public, step, number, "smallest")
    for row in tiles:
        model += pulp.lpSum(row) <= public["capacity"] // public["tile"]
    model.setObjective(pulp.lpSum(tiles[-1]))
    return model, put


def _assignment(
    public: Mapping[str, Any], step: Sequence[int], number: int, name: str
) -> tuple[pulp.LpProblem, dict[tuple[int, int], Any], list[list[Any]]]:
    """Each sample in one of the microbatches; the padded tiles of each adapter in each microbatch."""
    import pulp

    model = pulp.LpProblem(name, pulp.LpMinimize)
    put = {(i, b): model.add_variable(f"x{i}_{b}", cat="Binary") for i in step for b in range(number)}
    adapters = sorted({public["samples"][i][0] for i in step})
    tiles = []
    for i in step:
        model += pulp.lpSum(put[i, b] for b in range(number)) == 1
    for b in range(number):
        row = [model.add_variable(f"k{a}_{b}", lowBound=0, cat="Integer") for a in adapters]
        for a, count in zip(adapters, row, strict=True):
            own = [i for i in step if public["samples"][i][0] == a]
            tokens = pulp.lpSum(public["samples"][i][2] * put[i, b] for i in own)
            model += tokens <= public["tile"] * count
        tiles.append(row)
    return model, put, tiles


def _solve(model: pulp.LpProblem, seconds: float, solver: Solver, floor: int) -> Solved:
    return solve_mip(model, seconds=seconds, integral_objective=True, solver=solver, known_bound=floor)


def _packing(put: Mapping[tuple[int, int], Any], solved: Solved) -> list[list[int]] | None:
    """Microbatches of a solution, None without one."""
    if solved.solution is None:
        return None
    packed: dict[int, list[int]] = {}
    for (i, b), x in put.items():
        if solved[x]:
            packed.setdefault(b, []).append(i)
    return list(packed.values())


def _least_tiles(public: Mapping[str, Any], step: Sequence[int]) -> list[int]:
    """Tiles of each adapter's samples if they were together."""
    adapters = {public["samples"][i][0] for i in step}
    return [padded_tiles(public, [i for i in step if public["samples"][i][0] == a]) for a in adapters]


def _smallest(public: Mapping[str, Any], packed: Sequence[Sequence[int]]) -> int:
    return min(padded_tiles(public, microbatch) for microbatch in packed)

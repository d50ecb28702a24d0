"""Taillard's 80 job shops, made again from his generator and seeds.

E. Taillard, Benchmarks for basic scheduling problems, European Journal of Operational Research 64 (1993)
278-285, doi:10.1016/0377-2217(93)90182-M.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from ..base import Instance
from .laws import scale

SIZES = ((15, 15), (20, 15), (20, 20), (30, 15), (30, 20), (50, 15), (50, 20), (100, 20))
"""Jobs and machines of each group of ten, in the order of the instances' numbers."""
_MODULUS = 2**31 - 1

_SEEDS = """
840612802 398197754 1314640371 386720536 1227221349 316176388 342269428 1806358582 1603221416 1501949241
1357584978 1734077082 44531661 1374316395 302545136 2092186050 1153780144 1393392374 73896786 1544979948
533484900 317419073 1894307698 1474268163 874340513 509669280 1124986343 1209573668 1463788335 529048107
1056908795 25321885 195672285 1717580117 961965583 1353003786 1610169733 1734469503 532794656 998486810
1035939303 773961798 5997802 1872541150 1357503601 722225039 806159563 1166962073 1902815253 1879990068
1503184031 1850351876 1032645967 99711329 229894219 1158117804 823349822 108033225 1297900341 489486403
98640593 1981283465 1839268120 248890888 573875290 2081512253 1670898570 788294565 1118914567 1074349202
178750207 294279708 1549372605 596993084 798174738 151685779 553410952 1329272528 1661531649 1173386294
1841414609 1357882888 2116959593 1546338557 796392706 1230864158 532496463 254174057 2020525633 978943053
524444252 185526083 1569394691 487269855 1460267840 1631446539 198324822 1937476577 38071822 1541985579
17271 718939 660481279 449650254 352229765 949737911 1197518780 166840558 1376020303 483922052
2106639239 955932362 1765352082 1209982549 1105092880 1349003108 907248070 919544535 2011630757 1845447001
8493988 2738939 1991925010 709517751 342093237 786960785 1634043183 973178279 341706507 286513148
320167954 1411193018 1089696753 298068750 433032965 1589656152 615974477 331205412 236150141 592292984
302034063 1203569070 1437643198 1692025209 1792475497 1039908559 1647273132 1012841433 696480901 1689682358
1785569423 1092647459 117806902 739059626 1639154709 1319962509 2007423389 749368241 682761130 262763021
"""
"""Time seed and machine seed of each instance, in the order of their numbers."""


def instances(label: str = "taillard") -> list[Instance]:
    """The 80 instances (`taillard`), or the ten of one size (`taillard-15x15`), times in 1 to 99.

    Raises:
        KeyError: no set of this name.
    """
    if label not in sets():
        raise KeyError(label)
    return [
        Instance(name, label, _stratum(*size), public(number), scale(public(number)), source)
        for number, name, size, source in _rows()
        if label in ("taillard", f"taillard-{_stratum(*size)}")
    ]


def sets() -> dict[str, str]:
    """Name of each set → one sentence."""
    groups = {
        f"taillard-{_stratum(*size)}": f"ta{10 * k + 1:02d} to ta{10 * k + 10:02d} of Taillard's 80 instances"
        for k, size in enumerate(SIZES)
    }
    return {
        "taillard": "Taillard's 80 instances, ta01 to ta80, compared with the best known values",
        **groups,
    }


@cache
def public(number: int) -> dict[str, Any]:
    """Public part of instance ta`number`, 1 to 80."""
    jobs, machines = SIZES[(number - 1) // 10]
    time_seed, machine_seed = map(int, _SEEDS.split()[2 * number - 2 : 2 * number])
    values = lehmer(time_seed)
    times = [[between(next(values), 1, 99) for _ in range(machines)] for _ in range(jobs)]
    values = lehmer(machine_seed)
    routes = []
    for _ in range(jobs):
        route = list(range(machines))
        for place in range(machines):
            other = between(next(values), place, machines - 1)
            route[place], route[other] = route[other], route[place]
        routes.append(route)
    return {"machines": machines, "routes": routes, "times": times}


def _rows() -> Iterator[tuple[int, str, tuple[int, int], str]]:
    for number in range(1, 81):
        time_seed, machine_seed = _SEEDS.split()[2 * number - 2 : 2 * number]
        source = f"Taillard 1993, ta{number:02d}, time seed {time_seed}, machine seed {machine_seed}"
        yield number, f"ta{number:02d}", SIZES[(number - 1) // 10], source


def lehmer(seed: int) -> Iterator[int]:
    """Lehmer's generator with multiplier 16807; 2147483647 - 1 values before it repeats."""
    while True:
        seed = 16807 * seed % _MODULUS
        yield seed


def between(value: int, low: int, high: int) -> int:
    """A value of the stream as an integer of [low, high]."""
    return low + value * (high - low + 1) // _MODULUS


def _stratum(jobs: int, machines: int) -> str:
    return f"{jobs}x{machines}"

"""Bin packing, offline and online: instances, verification, start programs and baselines."""

from __future__ import annotations

from typing import Annotated

from ..base import Parameter
from .offline import BinPacking
from .online import OnlineBinPacking

LawName = Annotated[
    str, Parameter("law of the sizes in the three splits: mixed, or a stratum's name (u500, weibull-5k)")
]
Count = Annotated[int, Parameter("instances of each stratum in this split", "instances", 1, 1000)]


def bin_packing(
    law: LawName = "mixed",
    train_per_stratum: Count = 4,
    valid_per_stratum: Count = 6,
    test_per_stratum: Count = 10,
) -> BinPacking:
    """All sizes are known at once."""
    return BinPacking(law, _splits(train_per_stratum, valid_per_stratum, test_per_stratum))


def online_bin_packing(
    law: LawName = "weibull-1k",
    train_per_stratum: Count = 6,
    valid_per_stratum: Count = 12,
    test_per_stratum: Count = 40,
) -> OnlineBinPacking:
    """Items arrive one by one; their number is not known."""
    return OnlineBinPacking(law, _splits(train_per_stratum, valid_per_stratum, test_per_stratum), False)


def online_bin_packing_known_n(
    law: LawName = "weibull-1k",
    train_per_stratum: Count = 6,
    valid_per_stratum: Count = 12,
    test_per_stratum: Count = 40,
) -> OnlineBinPacking:
    """Items arrive one by one; their number is told at the start."""
    return OnlineBinPacking(law, _splits(train_per_stratum, valid_per_stratum, test_per_stratum), True)


def _splits(train: int, valid: int, test: int) -> dict[str, int]:
    return {"train": train, "valid": valid, "test": test}

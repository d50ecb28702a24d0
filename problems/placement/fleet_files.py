"""Reads a user's price list and workload in the input form of the published tool (Mélange)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..base import Instance, InstanceFileError
from ..files import JsonFault, decimal, parse_json, read_name, read_text, shown
from .fleet_laws import CAPACITY, DOLLAR, scale

FORMAT = """\
A JSON object, or a list of such objects (one instance each), with: `gpu_info`, an object from each GPU
type's name to its `cost` (dollars per hour, > 0, at most a million) and `tputs`, a matrix of the requests per
second that one such GPU serves of each length range (rows: prompts, columns: replies; 0: it cannot serve the
range); `workload_distribution`, a matrix of the same form with each range's share of the requests (they add
up to 1 within a millionth and are taken as they are); `total_request_rate` (requests per second, > 0);
`slice_factor`, the number of equal slices that a range is split into (1 to 1000; for whole GPUs at most
20,000 slices in all). Pooled, a slice takes at most a million GPUs of a type. Prices are rounded to
ten-thousandths of a dollar; a slice's load is rounded down to a millionth of a GPU, so a GPU may be
overloaded by a millionth for each slice on it."""
_KEYS = ("gpu_info", "workload_distribution", "total_request_rate", "slice_factor")
_MOST_SLICES = 1_000
_MOST_DIGITS = 60
_SUM_TOLERANCE = Fraction(1, 10**6)
"""Of the shares: rounding of the file's numbers, not traffic that would be lost."""
_MOST_DOLLARS = 10**6
"""Per hour and GPU: solvers count prices in 64 bits."""
_MOST_GPUS = 10**6
"""That a slice may take of a type: beyond it a rate or a throughput has a wrong unit."""
_MOST_IN_ALL = 20_000
"""Slices of an instance with whole GPUs: they are placed one by one."""


def read(path: Path, per_gpu: bool) -> list[Instance]:
    """Instances of a file.

    Args:
        path: the file.
        per_gpu: whether a slice must fit one GPU.

    Raises:
        InstanceFileError: with the place, what was got and what was expected.
    """
    text = read_text(path)
    try:
        document = parse_json(text, _fraction, _constant)
    except JsonFault as fault:
        place = f" line {fault.line} column {fault.column}" if fault.line else ""
        raise InstanceFileError(f"{path}{place}: {fault}") from fault
    several = isinstance(document, list)
    if several and not document:
        raise InstanceFileError(f"{path}: got an empty list, expected at least one instance")
    return [
        _instance(entry, path, f"{path} [{number}]" if several else str(path), number, per_gpu)
        for number, entry in enumerate(document if several else [document])
    ]


def _instance(entry: Any, path: Path, where: str, number: int, per_gpu: bool) -> Instance:
    """One instance from an object of the file."""
    _object(entry, where, _KEYS)
    shares = _matrix(entry["workload_distribution"], f"{where} workload_distribution", None)
    total = _total(shares)
    if abs(total - 1) > _SUM_TOLERANCE:
        raise InstanceFileError(
            f"{where} workload_distribution: got shares that add up to {_show(total)}, expected 1 within "
            "0.000001 (divide each by their sum)"
        )
    rate = _number(entry["total_request_rate"], f"{where} total_request_rate", "requests per second, > 0")
    buckets = [(r, c) for r, row in enumerate(shares) for c, share in enumerate(row) if share > 0]
    factor = _factor(entry["slice_factor"], f"{where} slice_factor", len(buckets), per_gpu)
    types = _types(entry["gpu_info"], where, shares)
    rates = {(r, c): rate * shares[r][c] / factor for r, c in buckets}
    loads = _loads(types, rates, where, per_gpu)
    prices = [price for price, _ in types.values()]
    return Instance(
        id=path.stem if where == str(path) else f"{path.stem}-{number:03d}",
        split=path.name,
        stratum="file",
        public={"prices": prices, "loads": loads, "slices": [factor] * len(buckets), "capacity": CAPACITY},
        scale=scale(prices),
        source=path.name,
        hidden={"gpus": list(types), "buckets": [f"[{r}][{c}]" for r, c in buckets]},
    )


def _factor(value: Any, where: str, buckets: int, per_gpu: bool) -> int:
    """Slices of each range: a whole number, also if it is written 4.0."""
    whole = not isinstance(value, bool) and isinstance(value, int | Fraction) and value.denominator == 1
    if not whole or not 1 <= value <= _MOST_SLICES:
        raise InstanceFileError(f"{where}: got {_show(value)}, expected an integer of 1 to {_MOST_SLICES}")
    if per_gpu and buckets * value > _MOST_IN_ALL:
        raise InstanceFileError(
            f"{where}: got {value} for {buckets} ranges, expected at most {_MOST_IN_ALL:,} slices in all; "
            "lower slice_factor, or use gpu-fleet-aggregate"
        )
    return int(value)


def _types(
    info: Any, where: str, shares: Sequence[Sequence[Fraction]]
) -> dict[str, tuple[int, list[list[Fraction]]]]:
    """GPU name → price in ten-thousandths of a dollar, and its matrix of throughputs."""
    if not isinstance(info, dict) or not info:
        raise InstanceFileError(f"{where} gpu_info: got {_show(info)}, expected an object of GPU types")
    types = {}
    for name, entry in info.items():
        read_name(name, f"{where} gpu_info")
        place = f"{where} gpu_info.{name}"
        _object(entry, place, ("cost", "tputs"))
        cost = _number(entry["cost"], f"{place}.cost", "dollars per hour, > 0")
        price = round(cost * DOLLAR)
        if price < 1 or cost > _MOST_DOLLARS:
            raise InstanceFileError(
                f"{place}.cost: got {_show(cost)}, expected 0.0001 to {_MOST_DOLLARS:,} dollars per hour"
            )
        types[name] = (price, _matrix(entry["tputs"], f"{place}.tputs", shares))
    return types


def _loads(
    types: Mapping[str, tuple[int, list[list[Fraction]]]],
    rates: Mapping[tuple[int, int], Fraction],
    where: str,
    per_gpu: bool,
) -> list[list[int | None]]:
    """Load of one slice of each range on each type; `rates` are requests per second of such a slice."""
    place = f"{where} gpu_info"
    loads = []
    for (r, c), rate in rates.items():
        row = [
            _load(rate, tputs[r][c], per_gpu, f"{place}.{name}.tputs[{r}][{c}]")
            for name, (_, tputs) in types.items()
        ]
        if all(load is None for load in row):
            hint = "; a slice must fit one GPU: raise slice_factor, or use gpu-fleet-aggregate"
            hint = hint if per_gpu else ""
            raise InstanceFileError(
                f"{where} workload_distribution[{r}][{c}]: no GPU type serves this range{hint}"
            )
        loads.append(row)
    return loads


def _load(rate: Fraction, most: Fraction, per_gpu: bool, where: str) -> int | None:
    """Millionths of a GPU that a slice of this rate takes where one GPU serves `most`, None if it cannot."""
    if most == 0:
        return None
    load = max(1, int(CAPACITY * rate / most))
    if per_gpu and load > CAPACITY:
        return None
    if load > _MOST_GPUS * CAPACITY:
        raise InstanceFileError(
            f"{where}: got {_show(most)}, with which a slice of {_show(rate)} requests per second takes "
            f"{load // CAPACITY:.3g} GPUs, expected at most {_MOST_GPUS:,} (0: cannot serve the range)"
        )
    return load


def _matrix(value: Any, where: str, like: Sequence[Sequence[Any]] | None) -> list[list[Fraction]]:
    """A rectangle of numbers ≥ 0, of the same form as another if one is given."""
    if not isinstance(value, list) or not value or not all(isinstance(row, list) and row for row in value):
        raise InstanceFileError(
            f"{where}: got {_show(value)}, expected a matrix (a list of lists of numbers)"
        )
    form = [len(row) for row in (value if like is None else like)]
    if len(value) != len(form) or len(set(form)) != 1:
        raise InstanceFileError(f"{where}: got {len(value)} rows, expected {len(form)} of equal length")
    for r, row in enumerate(value):
        if len(row) != form[0]:
            raise InstanceFileError(f"{where}[{r}]: got {len(row)} entries, expected {form[0]}")
        for c, cell in enumerate(row):
            if isinstance(cell, bool) or not isinstance(cell, int | Fraction) or cell < 0:
                raise InstanceFileError(f"{where}[{r}][{c}]: got {_show(cell)}, expected a number >= 0")
    return [[Fraction(cell) for cell in row] for row in value]


def _total(matrix: Sequence[Sequence[Fraction]]) -> Fraction:
    return sum((cell for row in matrix for cell in row), Fraction(0))


def _object(value: Any, where: str, keys: Sequence[str]) -> None:
    if not isinstance(value, dict):
        raise InstanceFileError(f"{where}: got {_show(value)}, expected an object with {', '.join(keys)}")
    missing = [key for key in keys if key not in value]
    unknown = [key for key in value if key not in keys]
    if missing or unknown:
        fault = f"{missing[0]} is missing" if missing else f"{unknown[0]} is not known"
        raise InstanceFileError(f"{where}: {fault}, expected {', '.join(keys)}")


def _number(value: Any, where: str, meaning: str) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | Fraction) or value <= 0:
        raise InstanceFileError(f"{where}: got {_show(value)}, expected {meaning}")
    return Fraction(value)


def _fraction(text: str) -> Fraction | Decimal:
    """A number with a point or an exponent, exact; out of range it stays a Decimal, which is refused by name.

    As a fraction, 1e999999999 would be an integer of as many digits.
    """
    number = decimal(text)
    return number if number and abs(number.adjusted()) > _MOST_DIGITS else Fraction(number)


def _constant(word: str) -> None:
    raise JsonFault(word, "a number")


def _show(value: Any) -> str:
    if isinstance(value, Decimal):
        return shown(value)
    text = f"{float(value):.9g}" if isinstance(value, Fraction) else json.dumps(value, default=float)
    return text if len(text) <= 60 else text[:57] + "..."

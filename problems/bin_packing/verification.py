"""Judges packings in integers: the list of bins that an answer or a transcript gives."""

from __future__ import annotations

from collections.abc import Sequence

from ..base import Json, Verdict


def judge_packing(sizes: Sequence[int], capacity: int, answer: Json) -> Verdict:
    """Number of bins used, if `answer` gives every item a bin and no bin is overfull.

    Args:
        sizes: of the items (units of size).
        capacity: of every bin (units of size).
        answer: expected to be a list with one bin index per item, 0 to items − 1.
    """
    form = _form(answer, len(sizes))
    if form is not None:
        return Verdict.invalid(form)
    loads: dict[int, int] = {}
    for size, bin_index in zip(sizes, answer, strict=True):  # type: ignore[arg-type]
        loads[bin_index] = loads.get(bin_index, 0) + size  # type: ignore[index, arg-type]
    overfull = [(index, load) for index, load in sorted(loads.items()) if load > capacity]
    if overfull:
        return Verdict.infeasible(
            *(f"bin {i} has load {load}, capacity {capacity}" for i, load in overfull[:5])
        )
    return Verdict.valid(len(loads))


def judge_transcript(sizes: Sequence[int], capacity: int, answer: Json) -> Verdict:
    """Number of bins opened by a sequence of decisions, each of which is final.

    Bins are numbered in the order of opening, so a decision is at most the number of bins open before it; the
    first bin that overflows ends the sequence.

    Args:
        sizes: of the items in order of arrival (units of size).
        capacity: of every bin (units of size).
        answer: expected to be a list with one bin index per item.
    """
    if not isinstance(answer, list):
        return Verdict.invalid(f"transcript: got {type(answer).__name__}, expected a list of bin indices")
    loads: list[int] = []
    for number, (size, decision) in enumerate(zip(sizes, answer, strict=False)):
        if isinstance(decision, bool) or not isinstance(decision, int) or not 0 <= decision <= len(loads):
            return Verdict.invalid(decision_error(number, size, len(loads), repr(decision)))
        if decision == len(loads):
            loads.append(0)
        loads[decision] += size
        if loads[decision] > capacity:
            return Verdict.infeasible(
                f"item {number} (size {size}) gives bin {decision} load {loads[decision]}, "
                f"capacity {capacity}"
            )
    if len(answer) != len(sizes):
        return Verdict.invalid(
            f"transcript: got {len(answer)} decisions, expected one for each of {len(sizes)} items"
        )
    return Verdict.valid(len(loads))


def decision_error(number: int, size: int, open_bins: int, got: str) -> str:
    """One sentence on a decision that is no bin: item, what was got and what was expected."""
    return (
        f"item {number} (size {size}): got {got[:40]}, expected a bin index from 0 to {open_bins} "
        f"({open_bins} opens a new bin)"
    )


def _form(answer: Json, items: int) -> str | None:
    """What is wrong with the form of a packing, or None."""
    if not isinstance(answer, list):
        return f"packing: got {type(answer).__name__}, expected a list of {items} bin indices"
    if len(answer) != items:
        return f"packing: got {len(answer)} bin indices, expected one for each of {items} items"
    for item, bin_index in enumerate(answer):
        if isinstance(bin_index, bool) or not isinstance(bin_index, int):
            kind = type(bin_index).__name__
            return f"packing: item {item} got {str(bin_index)[:40]} ({kind}), expected an integer bin index"
        if not 0 <= bin_index < items:
            return f"packing: item {item} got bin {bin_index}, expected an index from 0 to {items - 1}"
    return None

"""Sentences about faults of an answer, for verdicts."""

from __future__ import annotations

from .base import Json, Number, Verdict


def objective_of(instance: str, verdict: Verdict) -> Number:
    """The objective of a valid answer to an instance (id), for what only valid answers have: pictures, words.

    Raises:
        ValueError: the answer is not valid; the text is the first violation.
    """
    if verdict.objective is None:
        raise ValueError(f"instance {instance}: {verdict.violations[0]}")
    return verdict.objective


def integer_fault(value: Json, where: str, low: int, high: int, meaning: str) -> str | None:
    """One sentence on why a value is not an integer in [low, high]; None if it is. Booleans are not."""
    if isinstance(value, bool) or not isinstance(value, int):
        return f"{where}: got {kind(value)}, expected {meaning}, an integer from {low} to {high}"
    if not low <= value <= high:
        got = str(value) if abs(value) < 10**12 else "a huge integer"
        return f"{where}: got {got}, expected {meaning}, an integer from {low} to {high}"
    return None


def list_fault(value: Json, where: str, length: int | None, meaning: str) -> str | None:
    """One sentence on why a value is not a list (of this length); None if it is."""
    if not isinstance(value, list):
        return f"{where}: got {kind(value)}, expected {meaning}"
    if length is not None and len(value) != length:
        return f"{where}: got {len(value)} entries, expected {length}: {meaning}"
    return None


def permutation_fault(answer: Json, count: int, item: str) -> str | None:
    """One sentence on why an answer is not a list with each of 0 to count − 1 once; None if it is.

    Args:
        answer: whatever a candidate returned.
        count: number of items.
        item: what the numbers stand for, singular (`job`).
    """
    meaning = f"each {item} number 0 to {count - 1} once"
    if fault := list_fault(answer, "answer", count, meaning):
        return fault
    assert isinstance(answer, list)
    seen: set[int] = set()
    for place, value in enumerate(answer):
        if fault := integer_fault(value, f"answer[{place}]", 0, count - 1, f"a {item} number"):
            return fault
        assert isinstance(value, int)
        if value in seen:
            return f"answer[{place}]: {item} {value} is there twice, expected {meaning}"
        seen.add(value)
    return None


def kind(value: Json) -> str:
    """The type of a JSON value, in words."""
    if value is None:
        return "nothing (null)"
    words = {bool: "true or false", int: "an integer", float: "a float", str: "a text", dict: "an object"}
    return words.get(type(value), "a list")

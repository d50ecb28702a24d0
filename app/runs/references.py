"""References of a run: whether they know the future, and why their bounds hold, counted."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable

from ...evaluators.base import Reference, ReferenceKind
from ...evolve.store.reader import Reader
from ...evolve.syntax.checks import parsed


def stepwise(driver: str) -> bool:
    """Whether a problem's driver talks to the parent: `drive(entry, instance, receive, send)`.

    Raises:
        ValueError: the driver is no program within the caps.
    """
    for node in parsed(driver).body:
        if isinstance(node, ast.FunctionDef) and node.name == "drive":
            return len(node.args.args) == 4
    return False


def knows_future(reader: Reader) -> bool:
    """Whether a reference of a run is an optimum or a bound for one who knows all that comes.

    Where instances are revealed step by step no rule has to attain it, so it is a bound and no rival.
    """
    driver = (reader.record("problem") or {}).get("driver")
    if not isinstance(driver, str):
        return False
    try:
        online = stepwise(driver)
    except ValueError:  # a hostile store: nothing is said of what cannot be read
        return False
    proven = (ReferenceKind.OPTIMUM, ReferenceKind.BOUND)
    return online and any(reference.kind in proven for reference in reader.references().values())


# Why the bounds of some references hold, counted.


def proofs(references: Iterable[Reference]) -> dict[str, int]:
    """Kind of proof → number of references; a reference without a bound has no proof and is left out."""
    return dict(sorted(Counter(one.proof.value for one in references if one.proof is not None).items()))

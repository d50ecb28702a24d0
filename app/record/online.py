"""Whether a run's references know what its programs must decide without."""

from __future__ import annotations

import ast

from ...evaluators.base import ReferenceKind
from ...evolve.store.reader import Reader
from ...evolve.syntax.guard import parsed


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

"""What rule forms share: a candidate must be a function of its arguments (not so in version 1)."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from functools import cache
from importlib.resources import files
from typing import Any

from .base import Moves, Problem
from .programs import completed

PURE = """
The rule must be a function of its arguments: its text is executed anew between calls, so that nothing is kept
from one call to another; single decisions are asked for again in fresh processes, in random order, and a
candidate that decides otherwise then has failed. If decisions take longer there than one after another, the
longer time counts: no call may rely on work that an earlier one did. Random numbers need a fixed seed of
their own."""
"""The end of every rule form's statement."""

_FIRST = "1"
"""The version whose candidates could keep what they liked."""


class RuleForm:
    """Mixin of a problem whose candidate is a rule in a fixed loop."""

    name: str
    package: str
    version = "2"
    anew = 1
    statement: str

    @property
    def driver(self) -> str:
        """The loop that asks the rule: `programs/NAME/driver.py` of the package."""
        return completed(self.package, self.name, ("driver",))["driver"]

    def moves(self) -> Moves | None:
        """None: a rule returns no whole answer."""
        return None

    @property
    def recorder(self) -> str:
        """What records and repeats decisions."""
        return recording()

    def at(self, version: str) -> Problem:
        """The problem at a version; the first one's candidates could keep what they liked between calls.

        Raises:
            KeyError: there is no such version.
        """
        here: Any = self
        if version == self.version:
            return here  # type: ignore[no-any-return]
        if version != _FIRST:
            raise KeyError(version)
        first = copy(here)
        first.version, first.anew = version, 0
        first.statement = self.statement.removesuffix(PURE)
        return first  # type: ignore[no-any-return]


@cache
def recording() -> str:
    """Source of the recorder for rules whose replies are arrays, the smallest number deciding."""
    return files(__package__).joinpath("recording.py").read_text("utf-8")


_EXPRESSION = '''"""{title}."""
{imports}

{signature}
    """{says}"""
    return {expression}
'''


def rule_text(signature: str, title: str, says: str, expression: str) -> str:
    """Source of a rule that is one expression over the parameters of its signature."""
    imports = "\nimport numpy as np\n" if "np." in signature else ""
    return _EXPRESSION.format(
        title=title, imports=imports, signature=signature, says=says, expression=expression
    )


def parameters(columns: Iterable[str], numbers: Iterable[str]) -> str:
    """The parameters of a rule's signature, one a line: arrays, then floats."""
    rows = [f"{name}: np.ndarray" for name in columns] + [f"{name}: float" for name in numbers]
    return "\n    " + ",\n    ".join(rows) + ",\n"

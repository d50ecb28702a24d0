"""What the rule forms of the classics share: a loop in a file of its own, and no moves."""

from __future__ import annotations

from ..offers import Moves
from ..programs import program
from ..rule_form import RuleForm


class ClassicRule(RuleForm):
    """Mixin of a rule form whose fixed loop is `programs/NAME/driver.py`."""

    name: str

    @property
    def driver(self) -> str:
        """The loop that asks the rule."""
        return program(__package__, self.name, "driver")

    def moves(self) -> Moves | None:
        """None: a rule returns no whole answer."""
        return None


class RatesOnce(ClassicRule):
    """Mixin of a rule that rates everything once; the loop takes one thing after the other, largest first."""

    calls = "The loop calls it once for each instance."

    @property
    def recorder(self) -> str:
        """What records and repeats decisions, which are orders of all that is rated."""
        return f"{super().recorder}\n\n{program(__package__, 'rated-once', 'decisions')}"


class SelectsNode(ClassicRule):
    """Mixin of a rule that selects the next node."""

    @property
    def recorder(self) -> str:
        """What records and repeats decisions, which are nodes."""
        return f"{super().recorder}\n\n{program(__package__, 'select-next-node', 'decisions')}"

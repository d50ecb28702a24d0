"""What the rule forms of the classics share: how decisions are recorded."""

from __future__ import annotations

from ..programs import program
from ..rule_form import RuleForm


class RatesOnce(RuleForm):
    """Mixin of a rule that rates everything once; the loop takes one thing after the other, largest first."""

    calls = "The loop calls it once for each instance."

    @property
    def recorder(self) -> str:
        """What records and repeats decisions, which are orders of all that is rated."""
        return f"{super().recorder}\n\n{program(__package__, 'rated-once', 'decisions')}"


class SelectsNode(RuleForm):
    """Mixin of a rule that selects the next node."""

    @property
    def recorder(self) -> str:
        """What records and repeats decisions, which are nodes."""
        return f"{super().recorder}\n\n{program(__package__, 'select-next-node', 'decisions')}"

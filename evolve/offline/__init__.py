"""The offline proposer: genetic programming on the syntax trees of heuristics."""

from .adaptive import rates
from .proposer import OPERATORS, OfflineProposer, change, operators_for
from .work import Operator

__all__ = ["OPERATORS", "OfflineProposer", "Operator", "change", "operators_for", "rates"]

"""The offline proposer: genetic programming on the syntax trees of heuristics."""

from .mutation import Operator
from .proposer import OPERATORS, OfflineProposer, change, operators_for, rates

__all__ = ["OPERATORS", "OfflineProposer", "Operator", "change", "operators_for", "rates"]

"""The offline proposer: genetic programming on the syntax trees of heuristics."""

from .adaptive import rates
from .proposer import OPERATORS, OfflineProposer, change
from .work import Operator

__all__ = ["OPERATORS", "OfflineProposer", "Operator", "change", "rates"]

"""`require`: a constraint of a problem in one line, with the sentence that its breach deserves."""

from __future__ import annotations


class Infeasible(ValueError):
    """An answer breaks a constraint; the text is the sentence that says which."""


def require(condition: object, sentence: str = "a constraint is broken") -> None:
    """States a constraint in an objective or a dialogue.

    Args:
        condition: whether the answer keeps the constraint.
        sentence: what is wrong where it does not.

    Raises:
        Infeasible: the condition does not hold.
    """
    if not condition:
        raise Infeasible(sentence)

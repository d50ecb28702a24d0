"""Runs inside the sandbox after the recorder: notes the ratings of a rule that rates samples one by one.

Of the ratings of one turn only those are noted that were the highest so far: they decide.
"""

from typing import Any


def decision(reply: Any) -> str:
    """A rating as text, infinity and NaN included."""
    return repr(float(reply))


class Notes:
    """The rule, with the ratings that decided."""

    def __init__(self, entry: Any) -> None:
        """Nothing is rated yet."""
        self.entry = entry
        self.decisions: list[str] = []
        self.calls: list[int] = []
        self.made = 0
        self.turn: tuple[int, int] | None = None
        self.highest = 0.0

    def __call__(self, **arguments: Any) -> Any:
        """The rule's rating of a sample."""
        rating = self.entry(**arguments)
        turn = arguments["place"], arguments["held"]
        if turn != self.turn or rating > self.highest:
            self.turn, self.highest = turn, rating
            self.decisions.append(decision(rating))
            self.calls.append(self.made)
        self.made += 1
        return rating


class Again:
    """Recorded ratings in the place of a rule; keeps the arguments of the wanted ones."""

    def __init__(self, decisions: list[str], calls: list[int], wanted: list[int]) -> None:
        """Takes ratings that decided, the calls that they were made at, and places in their list."""
        self.ratings = dict(zip(calls, map(float, decisions), strict=True))
        self.wanted = {calls[place]: place for place in wanted}
        self.arguments: dict[int, Any] = {}
        self.made = 0

    def __call__(self, **arguments: Any) -> float:
        """The recorded rating, or one that decides nothing."""
        if self.made in self.wanted:
            self.arguments[self.wanted[self.made]] = arguments
        rating = self.ratings.get(self.made, float("-inf"))
        self.made += 1
        return rating

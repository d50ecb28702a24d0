"""The sets that the offline and the online problems share: the same items, whole or one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..base import Instance
from . import or_library
from .laws import ItemDraw
from .sets import HISTORIC, LAWS, NAMED, SetSpec, draws, historic_draws

Maker = Callable[[str, str, str, ItemDraw, str], Instance]
"""(id, set, stratum, items, source) → instance."""

MIXED = "mixed"
_WORDS = {"train": "steers the search", "valid": "chooses the champion", "test": "judges it once"}


class Collection:
    """Splits of a law (or of a mixture of laws) and the named sets."""

    def __init__(
        self,
        law: str,
        mixed: Sequence[str],
        per_stratum: Mapping[str, int],
        make: Maker,
        secret: str = "",
        *,
        ordered: bool,
    ) -> None:
        """Takes what the splits hold.

        Args:
            law: name of one of `LAWS`, or `mixed`.
            mixed: the laws that `mixed` stands for, in the order of execution.
            per_stratum: split → instances of each law, ≥ 1.
            make: turns items into an instance of the problem.
            secret: keys the streams of all but the historic sets; empty for the public draw.
            ordered: whether the order of the items matters: then there are no sets whose order is not known.

        Raises:
            ValueError: no law of this name.
        """
        if law != MIXED and law not in LAWS:
            raise ValueError(f"[problem] law: got {law!r}, expected {MIXED} or one of {', '.join(LAWS)}")
        self._strata = tuple(mixed) if law == MIXED else (law,)
        self._per_stratum = dict(per_stratum)
        self._make = make
        self._secret = secret
        self._files = {} if ordered else or_library.SETS

    def sets(self) -> Mapping[str, str]:
        """Name of each set → one sentence."""
        strata = ", ".join(self._strata)
        splits = {
            split: f"{count} instances of each of {strata}; {_WORDS[split]}."
            for split, count in self._per_stratum.items()
        }
        named = {name: spec.sentence for name, spec in NAMED.items()}
        return {**splits, **named, **HISTORIC, **self._files}

    def instances(self, set: str, seed: int) -> list[Instance]:
        """The instances of a set; every split and set has streams of its own.

        Raises:
            KeyError: no set of this name.
        """
        if set in HISTORIC:
            return [
                self._make(id, set, stratum, draw, f"numpy legacy seed {set.split('-')[1]}")
                for id, stratum, draw in historic_draws(set)
            ]
        if set in self._files:
            return [
                self._make(id, set, stratum, draw, or_library.SOURCE)
                for id, stratum, draw in or_library.or_library_draws(set)
            ]
        if set in self._per_stratum:
            spec = SetSpec("", dict.fromkeys(self._strata, self._per_stratum[set]))
        else:
            spec = NAMED[set]
        source = f"set {set}, seed {seed}{', drawn with a secret' if self._secret else ''}"
        return [
            self._make(
                f"{_label(set, law.name)}-{number:02d}", set, law.name, draw, f"{law.meaning}; {source}"
            )
            for law, number, draw in draws(spec, set, seed, secret=self._secret)
        ]


def _label(set: str, law: str) -> str:
    return set if set == law else f"{set}-{law}"

"""Source texts of the programs that a problem ships."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from .base import Instance, Json, Verdict
from .offers import Moves, Primitive

_HELPERS = re.compile(r"\n(?:from \.[\w.]+ import \w+\n)+")
"""Lines that import helpers from files beside a program's, with the blank line before them."""


def program(package: str, problem: str, name: str) -> str:
    """Source text of one program: `programs/PROBLEM/NAME.py` of a package, hyphens written as underscores."""
    folder = files(package).joinpath("programs", problem.replace("-", "_"))
    text = folder.joinpath(name.replace("-", "_") + ".py").read_text("utf-8")
    # A note to the type checker is nothing for a candidate's reader.
    return text.split("\n", 1)[1] if text.startswith("# mypy:") else text


def programs(package: str, problem: str, names: Sequence[str]) -> dict[str, str]:
    """Id → source text, in the order of the names."""
    return {name: program(package, problem, name) for name in names}


def completed(package: str, problem: str, names: Sequence[str]) -> dict[str, str]:
    """Like `programs`; the functions of helpers that a program imports stand at the end of its text."""
    texts = programs(package, problem, names)
    for name, text in texts.items():
        if lines := _HELPERS.search(text):
            text = text.replace(lines[0], "")
            for folder, helper in re.findall(r"from \.+(?:(\w+)\.)?(\w+) import", lines[0]):
                text += "\n\n" + program(package, folder or problem, helper).partition("\n\n\n")[2]
            texts[name] = text
    return texts


class ShipsPrograms:
    """Base of a problem whose programs are files of its package: `programs/NAME/ID.py`.

    Attributes:
        package: that holds the folder `programs`.
        folder: in place of the problem's name.
        start_ids: of the start programs, among the baselines or not.
        baseline_ids: of the baselines, in their order.
        expressions: what the offline proposer may write.
        judge: verdict on an answer to the public part of an instance; who needs more overrides `verify`.
    """

    name: str
    package: str
    folder: str = ""
    start_ids: Sequence[str]
    baseline_ids: Sequence[str]
    expressions: Sequence[Primitive]
    judge: Callable[[Mapping[str, Any], Json], Verdict]

    def start_programs(self) -> Mapping[str, str]:
        """Id → source text of the start programs."""
        baselines = self.baselines()
        return {id: baselines[id] if id in baselines else self._completed([id])[id] for id in self.start_ids}

    def baselines(self) -> Mapping[str, str]:
        """Id → source text of the baselines."""
        return self._completed(self.baseline_ids)

    def primitives(self) -> Sequence[Primitive]:
        """Expressions over the entry point's parameters."""
        return self.expressions

    def _completed(self, ids: Sequence[str]) -> dict[str, str]:
        return completed(self.package, self.folder or self.name, ids)

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The verdict of `judge`."""
        return self.judge(instance.public, answer)


class ShipsMoves(ShipsPrograms):
    """A problem whose moves are a file beside its programs, `moves.py`."""

    def moves(self) -> Moves | None:
        """The objective and the neighbourhoods of the file."""
        return Moves(program(self.package, self.folder or self.name, "moves"))

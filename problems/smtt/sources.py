"""The problem's programs, shipped as source text: start programs, baselines and drivers."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files


def programs(form: str, names: Sequence[str]) -> dict[str, str]:
    """Id → source text, in the order of the names."""
    return {name: program(form, name) for name in names}


def program(form: str, name: str) -> str:
    """Source text of one program of a form (`smtt`, `smtt-rule`, `smwtt`, `smwtt-rule`)."""
    folder = files(__package__).joinpath("programs", form.replace("-", "_"))
    text = folder.joinpath(name.replace("-", "_") + ".py").read_text("utf-8")
    # A note to the type checker is nothing for a candidate's reader.
    return text.split("\n", 1)[1] if text.startswith("# mypy:") else text

"""The problem's programs, shipped as source text: start programs, baselines and the driver."""

from __future__ import annotations

from importlib.resources import files


def programs(form: str, names: tuple[str, ...]) -> dict[str, str]:
    """Id → source text of the programs of a form (`offline`, `online`), in the order of the names."""
    folder = files(__package__).joinpath("programs", form)
    return {name: folder.joinpath(name.replace("-", "_") + ".py").read_text("utf-8") for name in names}


def driver() -> str:
    """Source that runs around an online rule in the sandbox (`drive`)."""
    return files(__package__).joinpath("programs", "driver.py").read_text("utf-8")

"""The secret that hidden parts of instances are drawn with: one per installation, stored with each run."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

from ...evaluators.cache import cache_folder
from ...problems.base import Keyed, Stateless
from ..door.sources import blame
from ..keyfile import kept

if TYPE_CHECKING:
    from ..config import Config
    from ..door.plugins import LoadedProblem

FILE = "secret"


def with_secret(config: Config, loaded: LoadedProblem) -> Config:
    """A configuration that names the secret, the installation's unless given.

    The secret seeds hidden parts of instances, and the choice of a rule's decisions that are asked for again.
    The configuration of a problem with neither stays unchanged.
    """
    if config.evaluation.secret is not None or not isinstance(loaded.problem, Keyed | Stateless):
        return config
    section = replace(config.evaluation, secret=installation_secret())
    return config.model_copy(update={"evaluation": section})


def keyed(loaded: LoadedProblem, secret: str | None) -> LoadedProblem:
    """The problem whose instances are drawn with a secret; unchanged without a secret, or with nothing to
    hide.
    """
    if not secret or not isinstance(loaded.problem, Keyed):
        return loaded
    with blame(f"problem {loaded.name}: keyed(secret)"):
        return replace(loaded, problem=loaded.problem.keyed(secret))


def installed(loaded: LoadedProblem) -> LoadedProblem:
    """The problem as this installation draws it."""
    return keyed(loaded, installation_secret()) if isinstance(loaded.problem, Keyed) else loaded


def candidate_seed(config: Config) -> int:
    """Seed of the candidates' random streams; with a secret it does not tell which instance they are for."""
    seed, secret = config.evaluation.instance_seed, config.evaluation.secret
    if not secret:
        return seed
    return int.from_bytes(hashlib.sha256(f"{secret}\0candidates\0{seed}".encode()).digest()[:16], "big")


def installation_secret() -> str:
    """Hex text of the installation's secret, made on first use.

    Raises:
        UserError: the file that holds it was damaged.
    """
    return kept(cache_folder() / FILE)

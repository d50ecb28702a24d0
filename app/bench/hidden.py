"""The seed of a workbench's validation and test instances: one that nobody can guess.

Whoever works at a bench has the problem's source, and so can draw the instances of any seed that is known. A
problem that keys its instances with the installation's secret needs no more. For the others validation and
test get a seed of the run's own, unless their references would take long to compute.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from ...evaluators.cache import Cache
from ...problems.base import SPLITS, Keyed
from ...problems.reported import Reported
from ..door.plugins import load_problem
from ..opening.draw import computed, missing_references, splits_of
from ..opening.notify import Notify

if TYPE_CHECKING:
    from ..config import Config

SECONDS = 60.0
"""Wall seconds that references of hidden instances may take unasked."""
_BITS = 48
OWN = "drawn with a seed of this run's own"
KEYED = "drawn with this installation's secret"
GIVEN = "as the user named them"
PUBLISHED = (
    "drawn with the published seed, for their references would take long; whoever has the package can draw "
    "them: --fresh draws others"
)


def with_hidden_seed(config: Config, fresh: bool | None, notify: Notify) -> tuple[Config, str]:
    """A configuration whose validation and test instances nobody can guess, and a sentence on them.

    Args:
        config: of the workbench.
        fresh: True draws hidden instances of the run's own whatever their references take, False none; None
            does so where references are quick.
        notify: told what is being prepared.

    Raises:
        UserError: the problem cannot be used.
    """
    section = config.evaluation
    loaded = load_problem(config.campaign.problem, config.problem)
    if section.hidden_seed is not None or section.instances:
        return config, GIVEN
    if isinstance(loaded.problem, Keyed) and section.secret != "":
        return config, KEYED
    if fresh is False or isinstance(loaded.problem, Reported):
        return config, PUBLISHED
    own = replace(section, hidden_seed=secrets.randbits(_BITS))
    changed = config.model_copy(update={"evaluation": own})
    splits = splits_of(loaded, changed)
    usual = splits_of(loaded, config)
    if all(list(splits[name]) == list(usual[name]) for name in SPLITS[1:]):
        return config, GIVEN  # fixed data, whatever the seed
    missing, began = missing_references(loaded, changed, splits, Cache()), time.monotonic()
    if fresh or not missing:
        return changed, OWN
    for done, _ in enumerate(computed(loaded, changed, missing, Cache(), SECONDS), 1):
        notify("references of hidden instances", done, len(missing))
        spent = time.monotonic() - began
        if spent > _LOOK and spent * len(missing) > SECONDS * done:
            return config, PUBLISHED
        if done == len(missing):
            return changed, OWN
    return config, PUBLISHED


_LOOK = 2.0
"""Wall seconds after which it is clear how long references take."""

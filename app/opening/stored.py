"""A run's problem as it was when the run began: its stored instances and references, nothing drawn anew."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...evaluators.cache import Cache
from ...evaluators.evaluator import GapEvaluator
from ...evolve.store.reader import Reader
from ...evolve.store.schema import FILE_NAME
from ...problems.base import SPLITS
from ..errors import USAGE, UserError
from ..versions import refuse_other_version
from .secret import candidate_seed
from .setup import Setup, limits_of, open_problem, policy_of

if TYPE_CHECKING:
    from ..config import Config
    from ..door.plugins import LoadedProblem


def stored_setup(folder: Path, config: Config) -> Setup | None:
    """The setup that the run in a folder was begun with; None if none was begun there.

    Files of instances are not read again, and references are not computed again: a run keeps those it began
    with.

    Raises:
        UserError: another version began it, or the problem's source is another one now.
    """
    if not (folder / FILE_NAME).is_file():
        return None
    reader = Reader.open(folder)
    try:
        if reader.record("created") is None:
            return None
        refuse_other_version(reader.record("versions") or {}, folder.name)
        loaded = open_problem(config)
        evaluator = stored_evaluator(reader, loaded, config)
        recorded = (reader.record("problem")["digest"], reader.record("evaluator"))
    finally:
        reader.close()
    if recorded != (loaded.digest, evaluator.version):
        what = "source" if recorded[0] != loaded.digest else "instances, references or limits"
        raise UserError(
            USAGE,
            f"{folder.name}: the {what} of problem {loaded.name} changed since the run began; "
            "the scores would not be comparable",
            f"restore the problem, or start a new campaign: `gapsmith run PROBLEM --start {folder.name}`",
        )
    return Setup(loaded, config, policy_of(config), evaluator, Cache(), folder.name)


def stored_evaluator(reader: Reader, loaded: LoadedProblem, config: Config) -> GapEvaluator:
    """An evaluator over the stored instances and references, under the run's limits and policy."""
    references = reader.references()
    instances = reader.instances().values()
    return GapEvaluator(
        loaded.problem,
        {split: [i for i in instances if i.split == split] for split in SPLITS},
        lambda instance: references[instance.id],
        limits=limits_of(config),
        seed=candidate_seed(config),
        policy=policy_of(config).digest,
    )

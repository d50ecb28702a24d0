"""The setup of a run as it was recorded; nothing is drawn or computed anew."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...evaluators.cache import Cache
from ...evolve.store.schema import FILE_NAME
from ...problems.base import SPLITS
from ..door.plugins import load_problem
from ..errors import USAGE, UserError
from ..record.authority import NO_TRUST, Trust, Use, granted
from ..record.record import RunRecord, open_record
from ..versions import refuse_other_version
from .secret import keyed
from .setup import Setup

if TYPE_CHECKING:
    from ..config import Config


def setup_of_record(
    record: RunRecord,
    trust: Trust = NO_TRUST,
    *,
    uses: Collection[Use] = (),
    workers: int | str | None = None,
) -> Setup:
    """A run as it was recorded: its configuration, instances and references; nothing is drawn anew.

    This is where a record gains authority, and `granted` says how much.

    Args:
        record: of the run.
        trust: the caller's word.
        uses: what the caller does beside running programs.
        workers: as `run.workers`, by default as the run was configured.

    Raises:
        UserError: the record asks for more than is allowed, or its problem is not here.
    """
    config = granted(record, trust, uses)
    if workers is not None:
        config = config.model_copy(update={"run": replace(config.run, workers=workers)})
    return recorded_setup(record, config)


def recorded_setup(record: RunRecord, config: Config) -> Setup:
    """A run's stored instances and references under a configuration that the caller stands behind."""
    loaded = load_problem(config.campaign.problem, config.problem).at(record.problem.get("version"))
    loaded = keyed(loaded, config.evaluation.secret)
    references, instances = record.reader.references(), record.instances.values()
    splits = {split: [i for i in instances if i.split == split] for split in SPLITS}
    setup = Setup.of(loaded, config, splits, references.__getitem__, Cache(), record.prefixes)
    return replace(setup, instances_from=record.name)


def stored_setup(folder: Path, config: Config) -> Setup | None:
    """The setup that the run in a folder was begun with; None if none was begun there.

    Files of instances are not read again, and references are not computed again: a run keeps those it began
    with.

    Args:
        folder: of the run.
        config: that the caller stands behind.

    Raises:
        UserError: another version began it, or the problem's source is another one now.
    """
    if not (folder / FILE_NAME).is_file():
        return None
    with open_record(folder) as record:
        if record.reader.record("created") is None:
            return None
        refuse_other_version(record.reader.record("versions") or {}, folder.name)
        setup = recorded_setup(record, config)
        recorded = (record.problem["digest"], record.reader.record("evaluator"))
    if recorded != (setup.loaded.digest, setup.evaluator.version):
        what = "source" if recorded[0] != setup.loaded.digest else "instances, references or limits"
        raise UserError(
            USAGE,
            f"{folder.name}: the {what} of problem {setup.loaded.name} changed since the run began; "
            "the scores would not be comparable",
            f"restore the problem, or start a new campaign: `gapsmith run PROBLEM --start {folder.name}`",
        )
    return setup

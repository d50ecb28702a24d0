"""The setup with which a run began and continues."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...evolve.store.schema import FILE_NAME
from ..errors import USAGE, UserError
from ..record.record import open_record
from ..versions import refuse_other_version
from .setup import Setup

if TYPE_CHECKING:
    from ..config import Config


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
        setup = Setup.stored(record, config)
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

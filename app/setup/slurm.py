"""A group of runs as a Slurm job array: one task a run, each a whole campaign that outlives preemption.

The array's folder holds all that a task needs, so that a later change of the user's files changes no run.
"""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...sandbox.unseen import unseen
from ..config import parse, read
from ..errors import INVALID, TROUBLE, UserError
from ..formatting import dump
from ..runs.folders import CONFIG_NAME, MOST_MEMBERS, Group

if TYPE_CHECKING:
    from ..config import Config

SUFFIX = ".slurm"
"""Ends the name of an array's folder, which lies beside the runs of its group."""
_SCRIPT = "array.sbatch"
_STARTS = "starts.json"
_TEXT = """\
#!/bin/bash
# {members} campaigns of the group {name}, one a task. Submit this file with `sbatch`; options of the command
# line (--partition, --time, --cpus-per-task, …) count more than those below. A task that was preempted or ran
# out of time goes on where it stopped: Slurm starts it again, or you submit this file again.
#SBATCH --job-name="{name}"
#SBATCH --array=1-{members}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --requeue
#SBATCH --signal=B:TERM@120
#SBATCH --open-mode=append
#SBATCH --output="{folder}/%a.log"
# Python starts in the root folder, so that it imports nothing that merely lies in yours.
cd / || exit 1
exec {python} -P -m gapsmith.cli member {quoted} "$SLURM_ARRAY_TASK_ID" --folder {here} \
    --workers "${{SLURM_CPUS_PER_TASK:-1}}"
"""


def write_array(runs: Path, group: Group, config: Config, programs: dict[str, dict[str, str]]) -> Path:
    """Writes configuration, start programs and batch script of a group; returns the script.

    Raises:
        UserError: the folder cannot be written, or its name cannot stand in a batch script.
    """
    folder = runs.absolute() / f"{group.name}{SUFFIX}"
    here = str(Path.cwd())
    if any(map(unseen, here)):
        raise UserError(
            INVALID,
            f"{here!r}: a batch script names this working folder, and some of its characters are not seen",
            "give the command in another folder",
        )
    if any(character in '"\\%\n' or unseen(character) for character in str(folder)):
        raise UserError(
            INVALID,
            f"{str(folder)!r}: Slurm reads quotes, backslashes, percent and control signs otherwise",
            "name another folder with --runs DIR",
        )
    text = _TEXT.format(
        name=group.name,
        members=group.members,
        folder=folder,
        here=shlex.quote(here),
        python=shlex.quote(sys.executable),
        quoted=shlex.quote(str(folder)),
    )
    try:
        folder.mkdir(parents=True)
        (folder / CONFIG_NAME).write_text(dump(config.document()), "utf-8")
        (folder / _STARTS).write_text(json.dumps({"members": group.members, "programs": programs}), "utf-8")
        (folder / _SCRIPT).write_text(text, "utf-8")
    except OSError as error:
        raise UserError(
            TROUBLE,
            f"{folder}: {error.strerror}; expected to write a batch script there",
            "name another folder with --runs DIR",
        ) from error
    return folder / _SCRIPT


def read_array(folder: Path, number: int) -> tuple[Group, Config, dict[str, dict[str, str]]]:
    """The group of an array, and configuration and start programs of its member `number` (from 1).

    Raises:
        UserError: the folder is no array's, or the group has no such member.
    """
    config = parse(read(folder / CONFIG_NAME), str(folder / CONFIG_NAME))
    members, programs = _starts(folder / _STARTS)
    if not 1 <= number <= members:
        raise UserError(INVALID, f"member {number}: expected one from 1 to {members}")
    campaign = replace(config.campaign, seed=config.campaign.seed + number - 1)
    group = Group(folder.name.removesuffix(SUFFIX), members)
    return group, config.model_copy(update={"campaign": campaign}), programs


def _starts(path: Path) -> tuple[int, dict[str, dict[str, str]]]:
    """Number of members, and name → files of the start programs."""
    try:
        document: Any = json.loads(path.read_text("utf-8"))
        members = document["members"]
        programs = document["programs"]
        sound = type(members) is int and 1 <= members <= MOST_MEMBERS and _are_programs(programs)
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise UserError(INVALID, f"{path}: {error}; expected what `run --slurm` wrote") from error
    if not sound:
        raise UserError(INVALID, f"{path}: expected what `run --slurm` wrote, members and programs")
    return members, programs


def _are_programs(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(files, dict) and all(isinstance(text, str) for text in files.values())
        for files in value.values()
    )

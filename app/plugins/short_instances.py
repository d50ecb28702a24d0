"""Fixed instances of a problem: data of the author's own, or files; the sets are drawn from them once."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from glob import glob
from pathlib import Path
from typing import Any

from ...problems.base import InstanceFileError, canonical_json
from ...problems.plain import brief
from ..errors import ProblemError
from .short_parts import SPLITS, FormPart, InstanceSource
from .sources import blame

Named = tuple[str, dict[str, Any]]
"""Name and data of an instance."""
_SHARES = {"train": 0.3, "valid": 0.3, "test": 0.4}
"""Set → share of the instances."""


def named_data(
    instances: Sequence[Mapping[str, Any]] | Mapping[str, Sequence[Mapping[str, Any]]],
) -> dict[str, list[Named]]:
    """Stratum → instances with their names; a list is one stratum without a name."""
    strata = instances if isinstance(instances, Mapping) else {"": instances}
    return {
        str(stratum): [
            (f"{stratum}{'-' if stratum else ''}{place:03}", dict(one)) for place, one in enumerate(every)
        ]
        for stratum, every in strata.items()
    }


def named_files(pattern: str, folder: Path, reader: FormPart | None, where: str) -> dict[str, list[Named]]:
    """Stratum → instances of all files of a pattern, sorted; the strata are the files' folders.

    Args:
        pattern: of the paths, relative to `folder`.
        reader: makes instances of a path; None for files that are one JSON object or a list of them.
        where: subject of messages.

    Raises:
        ProblemError: there is no such file, or one cannot be read.
    """
    paths = sorted(Path(found) for found in glob(str(folder / pattern), recursive=True))
    if not paths:
        hint = "the path is relative to the problem's file"
        raise ProblemError(f"{where}: files {pattern}: there are none in {folder}", hint)
    several = len({path.parent for path in paths}) > 1
    found: dict[str, list[Named]] = {}
    for path in paths:
        with blame(f"{where}: {path}"):
            read = read_file(reader or FormPart("files", _json_of), path)
        found.setdefault(path.parent.name if several else "", []).extend(read)
    return found


def read_file(part: FormPart, path: Path) -> list[Named]:
    """Name and data of the instances of a file, as the author's function reads it.

    Raises:
        InstanceFileError: the function says what is wrong with the file.
    """
    try:
        found = part.call(path)
    except InstanceFileError:
        raise
    except ValueError as error:
        raise InstanceFileError(f"{path}: {error}") from error
    several = found if isinstance(found, list) else [found]
    if not several or not all(isinstance(one, dict) for one in several):
        raise InstanceFileError(
            f"{path}: {part.title} gave {brief(found)}, expected instances (dictionaries)"
        )
    if not isinstance(found, list):
        return [(path.stem, found)]
    return [(f"{path.stem}-{place:03}", one) for place, one in enumerate(several)]


def divided(
    given: Mapping[str, Sequence[Named]], counts: Mapping[str, int], words: str, where: str
) -> InstanceSource:
    """Fixed instances, equal ones once, with the sizes of the sets.

    Args:
        given: stratum → instances.
        counts: set → instances; three, three and four tenths where a set is not named.
        words: what the instances are.
        where: subject of messages.

    Raises:
        ProblemError: there are too few instances, or a set is not known.
    """
    if wrong := [name for name in counts if name not in SPLITS]:
        raise ProblemError(f"{where}: set {wrong[0]}: expected {', '.join(SPLITS)}")
    different = _different(given)
    every = sum(map(len, different.values()))
    sizes = {name: counts.get(name) or max(1, int(every * _SHARES[name])) for name in SPLITS}
    if sum(sizes.values()) > every:
        asked = ", ".join(f"{number} {name}" for name, number in sizes.items())
        raise ProblemError(f"{where}: got {every} different instances, expected at least enough for {asked}")
    strata: dict[str, dict[str, Any]] = {stratum: {} for stratum in different}
    return InstanceSource(sizes, strata, None, different, words)


def _different(given: Mapping[str, Sequence[Named]]) -> dict[str, list[Named]]:
    """Instances without those that are equal to an earlier one."""
    seen: set[str] = set()
    kept: dict[str, list[Named]] = {}
    for stratum, every in given.items():
        for name, data in every:
            if (text := canonical_json(data)) not in seen:
                seen.add(text)
                kept.setdefault(stratum, []).append((name, data))
    return kept


def _json_of(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))

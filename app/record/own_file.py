"""A `campaign.toml` in a run folder: it may ask for no more than its run."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from ...evolve.store.schema import FILE_NAME
from ..config import Config
from ..errors import USAGE, UserError
from .authority import Use, in_words, recorded_config, requests
from .record import open_record


def check_file(path: Path, config: Config, without: Collection[str]) -> None:
    """Refuses what the `campaign.toml` in a run folder asks for beyond an own record; other files may ask.

    Args:
        path: of the file that the caller named.
        config: that stands in the file.
        without: sandbox layers that the caller switches off.

    Raises:
        UserError: the file asks for more than the user of the run stands behind.
    """
    places = [*path.absolute().parents, *path.resolve().parents]  # a link may lead out of the folder
    folder = next((place for place in places if (place / FILE_NAME).exists()), None)
    if folder is None:
        return
    with open_record(folder) as record:
        asks = {in_words(ask) for ask in requests(record, config, [*Use])}
        if not record.foreign:
            asks -= {
                in_words(ask) for ask in requests(record, recorded_config(record), [*Use]) if ask.unchanged
            }
    asks |= {f"no sandbox layer {name}" for name in config.sandbox.without if name not in without}
    if asks:
        raise UserError(
            USAGE,
            f"{path} belongs to a run; it asks for" + "".join(f"\n  {ask}" for ask in sorted(asks)),
            "read what is named, then name a copy outside the run's folder: such a file is your own word",
        )

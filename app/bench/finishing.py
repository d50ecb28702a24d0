"""`finish`: validation, one test, best.py; and where the champion is specialised."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...evolve.budget import StopReason
from ..compose import Watcher, read_summary, run
from ..opening.notify import Notify, silent
from ..opening.stored import stored_setup
from ..record.record import open_record
from ..record.resume import stored_config
from ..record.runs import at_work
from .neighbours import keep_neighbours
from .sitting import bench_source, refuse_other

if TYPE_CHECKING:
    from ...evolve.campaign import Campaign


def finish(folder: Path, wait: float, notify: Notify = silent) -> dict[str, Any]:
    """Ends a workbench: validates, chooses the champion, tests it once, writes best.py.

    Args:
        folder: of the run.
        wait: wall seconds to wait for another process at the workbench.
        notify: told how far it is.

    Raises:
        UserError: the run has no workbench, or is finished.
    """
    with at_work(folder, wait), open_record(folder) as record:
        refuse_other(folder, record.reader.record("bench") is not None, record.reader.record("stop_reason"))
    config = stored_config(folder, {}, None, uses=())

    def started(campaign: Campaign) -> None:
        campaign.interrupt(StopReason.FINISHED)

    run(config, folder, watcher=Watcher(notify, started), source_of=bench_source)
    setup = stored_setup(folder, config)
    assert setup is not None, "the run has just ended"
    keep_neighbours(folder, setup, notify)
    return read_summary(folder)

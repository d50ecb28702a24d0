"""`finish`: validation, one test, best.py; and where the champion is specialised."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...evolve.budget import StopReason
from ..analysis.neighbours import KEY, neighbour_rows
from ..compose import Watcher, read_summary, run
from ..runs.folders import adding, at_work
from ..runs.record import open_record
from ..runs.resume import stored_config
from ..runs.summary import summarise
from ..setup.reruns import stored_setup
from ..setup.setup import Notify, silent
from .session import bench_source, refuse_other

if TYPE_CHECKING:
    from ...evolve.campaign import Campaign


def finish(folder: Path, wait: float, notify: Notify = silent) -> dict[str, Any]:
    """Ends a workbench: validates, chooses the champion, tests it once, writes best.py.

    One that is finished already only gives its document again.

    Args:
        folder: of the run.
        wait: wall seconds to wait for another process at the workbench.
        notify: told how far it is.

    Raises:
        UserError: the run has no workbench.
    """
    with at_work(folder, wait), open_record(folder) as record:
        if record.reader.record("bench") is not None and record.reader.record("champion") is not None:
            return summarise(folder, record.reader)
        refuse_other(folder, record.reader.record("bench") is not None, record.reader.record("stop_reason"))
    config = stored_config(folder, {}, None, uses=())

    def started(campaign: Campaign) -> None:
        campaign.interrupt(StopReason.FINISHED)

    run(config, folder, watcher=Watcher(notify, started), source_of=bench_source)
    setup = stored_setup(folder, config)
    assert setup is not None, "the run has just ended"
    with open_record(folder) as record:
        rows = neighbour_rows(record, setup, notify)
    with adding(folder, "where the champion is specialised") as store:
        store.set(KEY, rows)
    return read_summary(folder)

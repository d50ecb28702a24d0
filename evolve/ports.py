"""What a campaign works with; the loop knows nothing of how its ports do their work."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..evaluators.base import Evaluator
from .admission import Admission
from .course import Submissions
from .executor import Executor
from .remote.proposals import Drafter
from .store.store import Store
from .types import Proposer


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports of a campaign.

    Attributes:
        beside: the offline proposer that works beside models, None if none does.
        drafter: makes and examines proposals in other processes; None where the driver does so itself.
        submissions: programs that somebody outside the search brought, by iteration.
    """

    evaluator: Evaluator
    proposer: Proposer
    executor: Executor
    admission: Admission
    store: Store
    beside: Proposer | None = None
    drafter: Drafter | None = None
    submissions: Submissions = field(default_factory=Submissions)

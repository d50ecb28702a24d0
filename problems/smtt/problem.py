"""Single-machine total tardiness, as whole sequences and as a priority rule, with and without weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..base import Drawing, Instance, Json, Phase, Sense
from ..programs import ShipsMoves, program
from ..rule_form import PURE, RuleForm
from ..sequencing import SEQUENCING
from . import texts
from .drawing import gantt
from .explaining import explain_sequence
from .generator import RANGES, TIGHTNESS, WEIGHTED_TIGHTNESS, disjoint, draw_set
from .reading import FORMAT, read
from .verification import judge

_USES = {"train": "steers the search", "valid": "chooses the champion", "test": "judges it at the end"}
NAMED = {20: 20, 50: 20, 100: 20, 200: 5, 500: 5}
"""Jobs of each fixed unweighted set → instances per stratum."""
_NAMED_SEED = 0


class TotalTardiness(ShipsMoves):
    """1 || sum of T_j: minimise the total tardiness (time units) of a sequence of jobs."""

    name = "smtt"
    version = "1"
    sense = Sense.MINIMISE
    unit = "time units"
    entry_point = "schedule"
    signature = "def schedule(processing_times: list[int], due_dates: list[int]) -> list[int]:"
    statement = texts.SEQUENCE
    strata = (
        "rdd is the relative range of the due dates (their range over the total processing time), tf the "
        "tardiness factor (the larger, the tighter the due dates on average). A stratum shares both."
    )
    weighted = False
    start_ids: Sequence[str] = ("mdd", "edd", "spt")
    baseline_ids: Sequence[str] = (
        "spt", "edd", "mst", "mdd", "atc", "covert", "psk", "adjacent-pair", "panneerselvam", "eddc", "mddc",
        "augmented-mdd", "augmented-mddc", "net-benefit", "mdd-insertion", "iterated-insertion",
    )  # fmt: skip
    package = __package__
    expressions = texts.SEQUENCE_PRIMITIVES
    judge = staticmethod(judge)

    def __init__(self, jobs: Sequence[int], rounds: Mapping[str, int]) -> None:
        """Takes the size of the splits.

        Args:
            jobs: of an instance, ≥ 2; every stratum has all of these sizes.
            rounds: split (`train`, `valid`, `test`) → instances per stratum, ≥ 1.
        """
        self._jobs = tuple(jobs)
        self._rounds = dict(rounds)

    @property
    def instance_format(self) -> str:
        """Which files are read, and what their columns and keys mean."""
        return FORMAT

    def sets(self) -> Mapping[str, str]:
        """Name of each set → one sentence."""
        cells = len(RANGES) * len(self._tightness) * len(self._jobs)
        sizes = " and ".join(map(str, self._jobs))
        splits = {
            split: f"{cells * rounds} instances of {sizes} jobs, {rounds} per stratum, from the seed; "
            + _USES[split]
            for split, rounds in self._rounds.items()
        }
        return {**splits, **self._named()}

    def instances(self, set: str, seed: int) -> Sequence[Instance]:
        """The instances of a set in stratified order, small sizes first.

        The splits of one seed are disjoint.
        """
        if set in self._rounds:
            return self._splits(seed)[set]
        if set not in self._named():
            raise KeyError(set)
        jobs = int(set.removeprefix("n="))
        return list(draw_set(set, _NAMED_SEED, (jobs,), NAMED[jobs]))

    def phases(self) -> Sequence[Phase]:
        """Descents over an order whose costs add up."""
        return SEQUENCING

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """Gantt chart with due dates and tardiness."""
        return gantt(instance, answer)

    def explain(self, instance: Instance, answer: Json) -> str:
        """Where along the sequence tardiness arises, and in which jobs."""
        return explain_sequence(instance.public, answer)

    def read_instances(self, path: Path) -> Sequence[Instance]:
        """A user's instances from CSV, JSON lines or the layout of OR-Library."""
        return read(path, self.weighted)

    @property
    def _tightness(self) -> tuple[int, ...]:
        return WEIGHTED_TIGHTNESS if self.weighted else TIGHTNESS

    def _named(self) -> dict[str, str]:
        if self.weighted:
            return {}
        return {f"n={n}": f"{20 * k} fixed instances of {n} jobs, {k} per stratum" for n, k in NAMED.items()}

    def _splits(self, seed: int) -> dict[str, list[Instance]]:
        taken: set[str] = set()
        splits = {}
        for split, rounds in self._rounds.items():
            drawn = draw_set(
                split,
                seed,
                self._jobs,
                rounds,
                weighted=self.weighted,
                tightness=self._tightness,
                taken=taken,
            )
            # Races begin with the small instances: what is clearly worse costs least there.
            splits[split] = sorted(drawn, key=lambda instance: len(instance.public["processing_times"]))
        assert disjoint(splits.values())
        return splits


class TotalTardinessRule(RuleForm, TotalTardiness):
    """The same instances; a candidate is a priority rule that a fixed loop calls at each step."""

    name = "smtt-rule"
    cpu_seconds = 0.02
    entry_point = "priority"
    signature = (
        "def priority(time: float, processing_times: np.ndarray, due_dates: np.ndarray) -> np.ndarray:"
    )
    statement = texts.RULE + PURE
    calls = texts.RULE_CALLS
    baseline_ids: Sequence[str] = ("spt", "edd", "mst", "mdd", "atc", "covert", "mddc")
    expressions = texts.RULE_PRIMITIVES

    @property
    def driver(self) -> str:
        """The dispatch loop."""
        return program(__package__, "smtt-rule", "driver")


class WeightedTardiness(TotalTardiness):
    """1 || sum of w_j T_j: minimise the total weighted tardiness of a sequence of jobs."""

    name = "smwtt"
    unit = "weighted time units"
    signature = (
        "def schedule(processing_times: list[int], due_dates: list[int], weights: list[int]) -> list[int]:"
    )
    statement = texts.WEIGHTED_SEQUENCE
    weighted = True
    start_ids = ("wmdd", "atc", "edd")
    baseline_ids: Sequence[str] = ("edd", "wspt", "wmdd", "atc", "covert", "atc-insertion")
    expressions = texts.WEIGHTED_SEQUENCE_PRIMITIVES


class WeightedTardinessRule(TotalTardinessRule, WeightedTardiness):
    """The weighted instances; a candidate is a priority rule that a fixed loop calls at each step."""

    name = "smwtt-rule"
    signature = (
        "def priority(time: float, processing_times: np.ndarray, due_dates: np.ndarray, "
        "weights: np.ndarray) -> np.ndarray:"
    )
    statement = texts.WEIGHTED_RULE + PURE
    unit = WeightedTardiness.unit
    start_ids = ("wmdd", "atc", "edd")
    baseline_ids = ("edd", "wspt", "wmdd", "atc", "covert")
    expressions = texts.WEIGHTED_RULE_PRIMITIVES

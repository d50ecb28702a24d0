"""The proposer of a configuration: offline, or language models with prompts, budget and record."""

from __future__ import annotations

import difflib
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from ..evolve.admission import Admission
from ..evolve.archive import Archive
from ..evolve.course import HasCourse, Pace, RecordedCourse, Submissions, TellOrder
from ..evolve.iteration import Point
from ..evolve.llm.base import ErrorKind, ModelError
from ..evolve.llm.cassette import Cassette, Replies
from ..evolve.llm.prompt_scores import KIND as EXPLAINED
from ..evolve.llm.prompt_scores import Explanations
from ..evolve.llm.settings import AGENT, PROGRAMS
from ..evolve.store.course import bench_notes, written_notes
from ..evolve.store.reader import Reader
from ..evolve.store.statistics import combined_pairs, sent_prompts
from ..evolve.store.store import Store, StoredCalls
from ..evolve.types import Elite, Proposer
from .errors import INVALID, MISSING, USAGE, UserError
from .runs.course import cassette_of
from .runs.folders import find_run

if TYPE_CHECKING:
    from ..evaluators.evaluator import GapEvaluator
    from ..evolve.llm.caller import Caller
    from ..evolve.llm.episodes import EpisodeBench
    from ..evolve.llm.settings import ModelSettings
    from ..prompts.builder import Builder
    from .config import Config

MAILBOX = "mailbox"
_RECORDED = ("scripted/", "replay/")
_CODES = {
    ErrorKind.KEY: MISSING,
    ErrorKind.MISSING: MISSING,
    ErrorKind.UNKNOWN_MODEL: USAGE,
}
"""Exit codes of what is wrong before anything was sent; the others are a wrong configuration."""


@dataclass(frozen=True, slots=True)
class CampaignSource:
    """Where a campaign's texts and steps come from.

    Attributes:
        proposer: makes texts.
        pace: how many iterations are under way, or the recorded steps that are taken.
        points: recorded points of tuning by iteration; None lets the tuner choose points.
        beside: the offline proposer that works beside models, None if none does.
        beside_share: share of the iterations that are its own (ratio).
        submissions: programs that somebody outside the search brought.
        workbench: whether the run takes such programs.
    """

    proposer: Proposer
    pace: Pace
    points: Mapping[int, Point] | None = None
    beside: Proposer | None = None
    beside_share: float = 0.0
    submissions: Submissions = field(default_factory=Submissions)
    workbench: bool = False

    @property
    def guided(self) -> bool:
        """Whether the search keeps what models read: a run with a workbench may be given to one later."""
        return self.pace.waits or self.workbench


SourceOf = Callable[[Admission, Archive], CampaignSource]
"""A source for a campaign with this admission and this archive."""


def live_source(
    config: Config,
    store: Store,
    folder: Path,
    evaluator: GapEvaluator,
    *,
    sends: bool = True,
    bench: EpisodeBench | None = None,
) -> SourceOf:
    """The proposer of a configuration; a model that answers from a record keeps to the record's course.

    `sends` says whether models will be asked: a plan needs no keys; `bench` is where episodes work.
    """

    def source(admission: Admission, archive: Archive) -> CampaignSource:
        proposer = build_proposer(config, store, folder, admission, evaluator, sends=sends, bench=bench)
        course = proposer.course if isinstance(proposer, HasCourse) else None
        pace = Pace(config.campaign.in_flight, order_of(config), waits=config.uses_models, course=course)
        open_to_all = has_workbench(store.read)
        submissions = Submissions.of(RecordedCourse(store.read)) if open_to_all else Submissions()
        share = offline_share(config, open_to_all)
        offline = beside(share, store.read)
        return CampaignSource(proposer, pace, None, offline, share, submissions, open_to_all)

    return source


def has_workbench(reader: Reader) -> bool:
    """Whether a run takes programs from outside."""
    return reader.record("bench") is not None


def offline_share(config: Config, workbench: bool) -> float:
    """Share of the iterations that the offline proposer makes (ratio); all, beside a workbench alone."""
    return 1.0 if workbench and not config.uses_models else config.offline_share


def beside(share: float, reader: Reader) -> Proposer | None:
    """The offline proposer where it has a share of the iterations; else None: its modules are not loaded."""
    return offline_proposer(reader) if share else None


def offline_proposer(reader: Reader) -> Proposer:
    """The offline proposer with the types that a run recorded; a run of an earlier version has none."""
    from ..evolve.offline import OfflineProposer
    from ..evolve.offline.mutation import is_type

    rows = reader.record("types") or []
    if not all(len(row) == 3 and is_type(row[2]) for row in rows):
        raise UserError(INVALID, "the run's record: `types` holds other than function, parameter and type")
    return OfflineProposer(tuple((function, name, type) for function, name, type in rows))


def order_of(config: Config) -> TellOrder:
    """The order of telling: as submitted where no reply depends on time, else as replies arrive."""
    timeless = all(table.spec.startswith((*_RECORDED, "offline")) for table in config.model)
    return TellOrder.SUBMITTED if timeless or not config.uses_models else TellOrder.COMPLETED


def build_proposer(
    config: Config,
    store: Store,
    folder: Path,
    admission: Admission,
    evaluator: GapEvaluator,
    *,
    sends: bool = True,
    bench: EpisodeBench | None = None,
) -> Proposer:
    """The proposer of a configuration, on the store's record and what it says was spent.

    Raises:
        UserError: a model cannot be used; nothing was sent.
    """
    if not config.uses_models:
        return offline_proposer(store.read)
    from ..evolve.agenda import page_of
    from ..evolve.llm.episodes import EpisodeTerms
    from ..evolve.llm.proposer import PromptedProposer

    callers = build_callers(config, _LoggedCalls(store, folder.name), folder, sends=sends)
    pages = {iteration: page_of(text) for iteration, text in written_notes(store.read).items()}
    explain = _explanations(store, folder.name, admission, evaluator)
    proposer = PromptedProposer(
        callers,
        prompt_builder(config),
        config.prompts,
        admission.examine,
        explain,
        pages,
        sent_prompts(store.read),
        bench_notes(store.read),
        EpisodeTerms(config.episode, bench),
    )
    proposer.combined |= combined_pairs(store.read)
    return proposer


def _explanations(store: Store, run: str, admission: Admission, evaluator: GapEvaluator) -> Explanations:
    """Explanations of a live campaign: made by running a program once more, and recorded with the run."""
    from ..evaluators.judging import NotExplained

    def make(elite: Elite, instance: str) -> str:
        scores = elite.evaluation.scores
        digest = next((score.answer_digest for score in scores if score.instance == instance), None)
        program = evaluator.program(elite.candidate.files)
        try:
            with admission.lock:
                return evaluator.explain(program, instance, admission.sandbox, digest)
        except NotExplained as error:
            logging.getLogger(f"gapsmith.run.{run}").warning(str(error))
            return ""

    recorded = (event.data for event in store.read.events(EXPLAINED))
    if not evaluator.explains:  # no question waits for the slot, on which dozens of texts may be examined
        return Explanations(recorded)
    return Explanations(recorded, make, lambda data: store.event(0, EXPLAINED, data))


class _LoggedCalls(StoredCalls):
    """Calls in the store; notes go to the run's log as well."""

    def __init__(self, store: Store, run: str) -> None:
        super().__init__(store)
        self._logger = logging.getLogger(f"gapsmith.run.{run}")

    def noted(self, sentence: str) -> None:
        """See `CallLog`."""
        super().noted(sentence)
        self._logger.warning(sentence)


def build_callers(
    config: Config, log: StoredCalls | Cassette, folder: Path, *, sends: bool = True
) -> list[Caller]:
    """Callers for all models of a configuration; nothing is sent.

    Raises:
        UserError: a specification is unknown, or a key, package or price is missing.
    """
    from ..evolve.llm import registry
    from ..evolve.llm.ledger import Ledger
    from ..evolve.llm.registry import Surroundings

    usd = config.budget.usd
    ledger = Ledger(None if usd is None else Decimal(str(usd)), config.budget.tokens)
    if isinstance(log, StoredCalls):
        ledger.restore(log.entries())
        if usd is not None and ledger.spending.cost_usd is None:
            raise UserError(
                USAGE,
                f"usd {usd}: replies of this run had no known price, so what it has cost is not known",
                "cap what is still to come by --budget 1Mtok",
            )
    around = Surroundings(folder / MAILBOX, lambda name: replies_of(name, folder.parent))
    tables = [table for table in config.model if table.spec != "offline"]
    try:
        return registry.build_callers(tables, around, ledger, log, config.campaign.in_flight, sends=sends)
    except ModelError as error:
        hint = "`gapsmith models` lists what works here" if error.kind is ErrorKind.UNKNOWN_MODEL else None
        raise UserError(_CODES.get(error.kind, INVALID), error.sentence, hint) from error


def check_models(config: Config, runs: Path, *, sends: bool = True) -> Config:
    """Finds out before anything is spent, and before there is a run, whether all models can be used.

    Args:
        config: of the campaign.
        runs: folder of the runs.
        sends: whether they will be asked; a plan needs no keys.

    Returns:
        The configuration with recorded runs by their whole names: `latest` would be the new run itself.

    Raises:
        UserError: one cannot.
    """
    if not config.uses_models:
        _refuse_idle_caps(config)
        return config
    if agent_of(config) is not None and not sends:
        raise UserError(USAGE, "--dry-run: an agent is asked nothing that could be shown", "leave it out")
    for table in config.model:
        _check_name(table.spec)
    config = config.model_copy(update={"model": tuple(_named(table, runs) for table in config.model)})
    for caller in build_callers(config, Cassette(), runs / "check", sends=sends):
        caller.close()
    prompt_builder(config)
    return config


def agent_of(config: Config) -> ModelSettings | None:
    """The table of the agent that works at the run's bench in place of the search; None without one.

    Raises:
        UserError: the configuration asks for what an agent cannot be held to.
    """
    table = next((table for table in config.model if table.spec.startswith(AGENT)), None)
    if table is None:
        return None
    beside = [other.spec for other in config.model if other is not table]
    caps = [f"[budget] {name}" for name in ("usd", "tokens") if getattr(config.budget, name) is not None]
    kept = [f"campaign.control = {config.campaign.control}"] if config.campaign.control != "none" else []
    if other := ", ".join([*beside, *caps, *kept]):
        raise UserError(
            USAGE,
            f"{table.spec}: got {other} too; an agent works alone, and its program's cost cannot be capped",
            "leave the other out; --evaluations 20 or --budget 30m ends an agent's work",
        )
    return table


def _refuse_idle_caps(config: Config) -> None:
    """Refuses a cap of what models cost where none is asked.

    Raises:
        UserError: the budget has such a cap.
    """
    for name in ("usd", "tokens"):
        if (cap := getattr(config.budget, name)) is not None:
            raise UserError(
                USAGE,
                f"[budget] {name} {cap:g}: caps what models cost, and no model is asked",
                f"name one with --model openai/NAME, or leave {name} out",
            )


_FAMILIES = {
    "gpt": "openai/{0}",
    "chatgpt": "openai/{0}",
    "o1": "openai/{0}",
    "o3": "openai/{0}",
    "o4": "openai/{0}",
    "claude": "litellm/anthropic/{0}",
    "gemini": "litellm/gemini/{0}",
    "mistral": "litellm/mistral/{0}",
    "deepseek": "litellm/deepseek/{0}",
}
"""How the names of a family of models begin → the specification."""


def _check_name(spec: str) -> None:
    """Refuses a specification of no provider, with the specification that was probably meant.

    Raises:
        UserError: no provider has that name.
    """
    from ..evolve.llm.registry import providers

    head, slash, rest = spec.partition("/")
    rows = providers()
    if head in rows or spec == "offline" or spec.startswith(PROGRAMS):
        return
    forms = ", ".join(["offline", *(row.form for name, row in rows.items() if name != "scripted")])
    near = difflib.get_close_matches(head, rows, 1, 0.7)
    family = None if slash else next((f for start, f in _FAMILIES.items() if spec.startswith(start)), None)
    if family is not None:
        guess = f"write --model {family.format(spec)}"
    elif near:
        guess = f"did you mean {rows[near[0]].form}?"
    elif not slash:
        guess = f"write --model openai/{spec}"
    else:
        guess = f"write --model litellm/{spec}, which needs gapsmith[litellm]"
        if head in _SERVERS:
            guess += f", or --model openai/{rest} with OPENAI_BASE_URL={_SERVERS[head]}"
    raise UserError(USAGE, f"[[model]] spec: got {spec!r}, expected one of {forms}", guess)


_SERVERS = {
    "ollama": "http://localhost:11434/v1",
    "vllm": "http://localhost:8000/v1",
    "lmstudio": "http://localhost:1234/v1",
}
"""Name of a server's program → the usual address of its compatible interface."""


def _named(table: ModelSettings, runs: Path) -> ModelSettings:
    kind, slash, name = table.spec.partition("/")
    if kind != "replay" or not slash or Path(name).is_file():
        return table
    folder = find_run(name, runs).resolve()
    return table.model_copy(
        update={"spec": f"replay/{folder.name if folder.parent == runs.resolve() else folder}"}
    )


def prompt_builder(config: Config) -> Builder:
    """The builder of prompts.

    Raises:
        UserError: the folder of templates or one of them is of no use.
    """
    from ..prompts.builder import Builder

    place = Path(config.prompts.folder) if config.prompts.folder else None
    try:
        return Builder(config.prompts.tokens, place)
    except ValueError as error:
        raise UserError(INVALID, str(error)) from error


def replies_of(name: str, runs: Path) -> Replies:
    """The recorded replies of a run.

    Raises:
        UserError: there is no such run, or it asked no model.
    """
    reader = Reader.open(find_run(name, runs))
    try:
        return cassette_of(reader)
    finally:
        reader.close()

"""Runs the programs of a recorded setup again: for answers, variants and drawings that no store holds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...evaluators.base import Evaluation
from ...evaluators.cache import Cache
from ...evaluators.judging import NotDrawn
from ...evolve.store.reader import BASELINE
from ...evolve.store.schema import FILE_NAME
from ...evolve.store.store import Store
from ...problems.base import SPLITS, Drawable, Drawing, Instance, Json
from ..errors import USAGE, UserError
from ..plugins.loader import load_problem
from ..runs.record import RunRecord, open_record
from ..runs.stored_run import DRAWING_KEY, MOST_SHAPES, UNFIT, StoredDrawings, decoded, encode, size
from ..runs.trust import NO_TRUST, Trust, Use, granted
from ..versions import refuse_earlier_search, refuse_other_version
from .executors import open_executor
from .setup import Setup, keyed

if TYPE_CHECKING:
    from ..config import Config


def answers(record: RunRecord, setup: Setup, programs: Sequence[str], instance: Instance) -> dict[str, Json]:
    """Program → its answer to an instance; programs without a valid answer are left out.

    Args:
        record: of the run.
        setup: from the record.
        programs: candidates (ids) and baselines (`baseline/NAME`).
        instance: of the run.
    """
    from ...sandbox.base import MAIN_FILE

    baselines = {
        BASELINE + name: {MAIN_FILE: text} for name, text in setup.loaded.problem.baselines().items()
    }
    by_program: dict[str, Json] = {}
    with closing(setup.open_slot()) as slot:
        for name in programs:
            files = baselines[name] if name.startswith(BASELINE) else record.candidate(name).files
            answer = setup.evaluator.answer(setup.evaluator.program(files), instance, slot)
            if answer is not None:
                by_program[name] = answer
    return by_program


def evaluate_variants(setup: Setup, variants: Sequence[Mapping[str, str]], split: str) -> list[Evaluation]:
    """Evaluations of programs on a split, in their order."""
    from ...evolve.executor import EvaluationJob

    with open_executor(setup) as executor:
        jobs = [executor.submit(EvaluationJob(setup.evaluator.program(files), split)) for files in variants]
        return [job.result() for job in jobs]


def find_instance(record: RunRecord, text: str) -> Instance:
    """The instance of a run that `text` names.

    Raises:
        UserError: there is none; the hint lists the nearest ids.
    """
    import difflib

    instance = record.instances.get(text)
    if instance is not None:
        return instance
    near = difflib.get_close_matches(text, list(record.instances), 3, 0.3) or list(record.instances)[:3]
    raise UserError(USAGE, f"instance {text!r}: not in run {record.name}", f"did you mean {', '.join(near)}?")


# The setup of a run as it was recorded; nothing is drawn or computed anew.


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
    references = record.reader.references()
    instances = record.instances.values()
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
        refuse_earlier_search(record.reader, folder.name)
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


# Draws the answers of a champion and of the best baseline to one instance, for report and papers.


def keep_drawing(folder: Path, setup: Setup, store: Store) -> None:
    """Runs champion and best baseline once more on one instance; keeps the drawings of their answers.

    A run without a champion keeps no drawing, nor does one whose problem cannot draw; a drawing of more than
    `MOST_SHAPES` shapes is not kept either.
    An exception in the problem's `draw` becomes an event of the run; the campaign's result then has no
    picture.
    """
    if not isinstance(setup.loaded.problem, Drawable) or store.read.record("champion") is None:
        return
    try:
        document = drawn(folder, setup)
    except NotDrawn as error:
        store.event(0, "fault", {"operator": "draw", "error": str(error)})
        return
    if document is not None:
        store.set(DRAWING_KEY, document)


def drawn(folder: Path, setup: Setup) -> dict[str, Any] | None:
    """The drawings as a document of the store; None without drawings, or with too many shapes.

    Raises:
        NotDrawn: the problem's `draw` failed, or drew what no run keeps.
    """
    with open_record(folder) as record:
        instance = typical(record, setup)
        if instance is None:
            return None
        programs = list(dict.fromkeys((record.best, record.rival)))
        results = answers(record, setup, [program for program in programs if program is not None], instance)
    drawings: dict[str, Drawing] = {}
    for program, answer in results.items():
        drawing = setup.evaluator.draw(instance, answer)
        if drawing not in drawings.values():
            drawings[program] = drawing
    if not drawings or size(drawings) > MOST_SHAPES:
        return None
    document = encode(StoredDrawings(instance.id, drawings))
    if decoded(document) is None:
        raise NotDrawn(UNFIT)
    return document


def typical(record: RunRecord, setup: Setup) -> Instance | None:
    """The instance on which the champion's loss is the median of its test (else validation) instances."""
    best = record.best
    for split in ("test", "valid"):
        evaluation = None if best is None else record.evaluation(best, split)
        if evaluation is not None and evaluation.scores:
            losses = [(setup.evaluator.loss(score) or 0, score.instance) for score in evaluation.scores]
            return record.instances[sorted(losses)[(len(losses) - 1) // 2][1]]
    return None

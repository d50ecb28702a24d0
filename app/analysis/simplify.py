"""Removes from a candidate what it does not need, and measures the worth of each statement."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...evaluators.base import Evaluation
from ...evaluators.figures import of_evaluation
from ...evaluators.scoring import normalised_loss
from ...evaluators.statistics import paired, worse
from ...evolve.admission import ID_CHARACTERS
from ...evolve.llm.edits import START
from ...evolve.offline.proposer import spliced
from ...evolve.racing import PairedRace
from ...evolve.store.schema import StoreError
from ...evolve.syntax import checks
from ...evolve.syntax.simplify import Simplification, named, probes, simplify
from ...problems.base import HasPrimitives, Problem
from ...sandbox.base import Description, Sandbox, Statement
from ..errors import NO_CANDIDATE, UserError
from ..runs.folders import adding, put_text
from ..runs.record import RECORD, RunRecord
from ..setup.reruns import evaluate_variants

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...evolve.store.store import Store
    from ..setup.setup import Setup
if TYPE_CHECKING:
    from ..setup.setup import Setup

EVALUATIONS = 300
"""Variants that are tried (count) unless the caller says otherwise."""
LEVEL = 0.2
"""One-sided level at which a variant counts as worse: a strict judge, because many variants are tried."""
FILE_NAME = "simplified.py"
_SPLIT = "valid"
_MOST_PROBES = 20
"""Conditions that are looked at, each by one evaluation (count)."""


def simplified(
    record: RunRecord,
    setup: Setup,
    id: str,
    evaluations: int = EVALUATIONS,
    tried: Callable[[int], None] = lambda number: None,
) -> dict[str, Any]:
    """Reduces a candidate's main file on the validation split; the test split stays unseen.

    A variant is kept unless it fails, or its mean loss is larger than the original's beyond noise: a paired
    bootstrap over the validation instances at the one-sided level `LEVEL`, always against the original, so
    that small losses do not add up. A race at the same level ends clearly worse variants early. At the end
    expressions that have a name in the field get that name.

    Args:
        record: of the run.
        setup: from the record.
        id: the candidate.
        evaluations: variants that may be tried (count, ≥ 1).
        tried: hears how many variants were tried.

    Returns:
        The JSON contract's document.

    Raises:
        StoreError: the stored text of the candidate is no program within the caps.
        UserError: the candidate is not valid on every validation instance.
    """
    try:
        checks.parsed(next(iter(record.candidate(id).files.values())))
    except ValueError as error:
        raise StoreError(f"{record.name}: candidate {id}: {error}") from error
    with closing(setup.open_slot()) as slot:
        judge = _Judge(record, setup, id, slot, tried)
        done = simplify(judge.text, record.problem["entry_point"], judge.accept, evaluations)
        text = judge.renamed(done.text, named(done.text, _terms(setup.loaded.problem)))
        never = judge.never_true(text)
    return judge.document(judge.whole(text) or judge.text, done) | {"never_true": never}


def _terms(problem: Problem) -> dict[str, str]:
    """The problem's expressions that have a name in the field."""
    primitives = problem.primitives() if isinstance(problem, HasPrimitives) else ()
    return {primitive.text: primitive.term for primitive in primitives if primitive.term}


class _Judge:
    """Evaluates variants in one sandbox slot and compares each with the original."""

    def __init__(
        self, record: RunRecord, setup: Setup, id: str, slot: Sandbox, tried: Callable[[int], None]
    ) -> None:
        self._candidate = record.candidate(id)
        self._path, self.text = next(iter(self._candidate.files.items()))
        self._record = record
        self._evaluator = setup.evaluator
        self._slot = slot
        self._tried = tried
        self._entry = record.problem["entry_point"]
        self._number = 0
        self._renamed = False
        self._race: PairedRace | None = None
        self._before = self._evaluate(self.text)
        if self._before.fitness is None:
            failure = self._before.failure
            words = "no valid answer" if failure is None else f"{failure.status.value} on {failure.instance}"
            raise UserError(
                NO_CANDIDATE,
                f"candidate {id} on validation: {words}, expected a candidate that is valid everywhere",
                "simplify another, for example `best`",
            )
        self._losses = self._loss(self._before)
        self._race = PairedRace.against(self._before, self._evaluator.loss, LEVEL)
        self._after = self._before
        self._description = self._described(self.text)

    def whole(self, text: str) -> str | None:
        """The text that is run for a variant: in a program with EVOLVE-BLOCKs only the blocks may change.

        None where the variant changes a statement outside, or nothing inside.
        """
        return spliced(self.text, text) if START in self.text else text

    def accept(self, variant: str) -> bool:
        """Whether a variant is as good as the original, as far as validation can tell."""
        self._number += 1
        self._tried(self._number)
        text = self.whole(variant)
        if text is None:
            return False
        description = self._described(text)
        if description.error is not None or not description.entry_point:
            return False
        evaluation = self._evaluate(text)
        if evaluation.fitness is None:
            return False
        if worse(self._loss(evaluation), self._losses, LEVEL):
            return False
        self._after = evaluation
        self._description = description
        return True

    def renamed(self, text: str, other: str) -> str:
        """The other text if it is valid, no longer than the reduced one, and has the same losses."""
        most = len(self._candidate.description.statements)
        program = None if other == text else self.whole(other)
        if program is None:
            return text
        description = self._described(program)
        if description.error is None and len(description.statements) <= most:
            evaluation = self._evaluate(program)
            if evaluation.fitness is not None and self._loss(evaluation) == self._loss(self._after):
                self._after = evaluation
                self._description = description
                self._renamed = True
                return other
        return text

    def never_true(self, text: str) -> list[dict[str, Any]]:
        """Line and text of each of the first conditions that held on no validation instance."""
        found = []
        for line, condition, probe in islice(probes(text), _MOST_PROBES):
            program = self.whole(probe)
            if program is None:
                continue
            evaluation = self._evaluate(program)
            if evaluation.fitness is not None and self._loss(evaluation) == self._loss(self._after):
                found.append({"line": line, "condition": condition})
        return found

    def document(self, text: str, done: Simplification) -> dict[str, Any]:
        """The reduced program beside the original, both measured on this machine in this call."""
        outcome = paired(self._loss(self._after), self._losses)
        before = self._candidate.description
        after = self._description
        return {
            "run": self._record.name,
            "candidate": self._candidate.id,
            "simplified": (after.token_digest or "")[:ID_CHARACTERS],
            "tried": done.tried,
            "complete": done.complete,
            "accepted": done.accepted,
            "renamed": self._renamed,
            "level": LEVEL,
            "statements_before": len(before.statements),
            "statements_after": len(after.statements),
            "nodes_before": before.nodes,
            "nodes_after": after.nodes,
            "valid_before": self._figures(self._before),
            "valid_after": self._figures(self._after),
            "loss_difference_percent": outcome.difference,
            "loss_difference_ci95_percent": None if outcome.ci95 is None else list(outcome.ci95),
            "files": {**self._candidate.files, self._path: text},
        }

    def _evaluate(self, text: str) -> Evaluation:
        program = self._evaluator.program({**self._candidate.files, self._path: text})
        return self._evaluator.evaluate(program, _SPLIT, self._slot, race=self._race)

    def _described(self, text: str) -> Description:
        return self._slot.describe(text, self._entry)

    def _loss(self, evaluation: Evaluation) -> Sequence[float]:
        """Loss of each instance, percent of max(|reference|, scale)."""
        instances = self._record.instances
        losses = [normalised_loss(score, instances[score.instance]) for score in evaluation.scores]
        return [100 * float(loss) for loss in losses if loss is not None]

    def _figures(self, evaluation: Evaluation) -> dict[str, Any]:
        return of_evaluation(evaluation, self._record.instances).as_json()


def keep(record: RunRecord, document: Mapping[str, Any], force: bool = False) -> Path | None:
    """Records a simplified form with its run, and writes it beside `best.py` as a program that runs alone.

    The form is no candidate of the campaign: a resumed search does not see it.

    Args:
        record: of the run.
        document: as `simplified` made it.
        force: replace a smaller form of the candidate that an earlier call kept.

    Returns:
        The file; None if a smaller form exists and stays.

    Raises:
        UserError: a process is at work in the run, or the folder cannot be written.
    """
    with adding(record.folder, FILE_NAME) as store:
        return _put(record, store, document, force)


def _put(record: RunRecord, store: Store, document: Mapping[str, Any], force: bool) -> Path | None:
    from ..runs.standalone import simplified_text

    forms = store.read.record(RECORD) or {}
    before = forms.get(document["candidate"])
    if before is not None and _size(before) < _size(document) and not force:
        return None  # this call tried fewer variants, so the smaller form of the earlier call stays
    store.set(RECORD, {**forms, document["candidate"]: dict(document)})
    path = record.folder / FILE_NAME
    put_text(path, simplified_text(record, document, FILE_NAME))
    return path


def _size(document: Mapping[str, Any]) -> tuple[int, int]:
    """Statements, then syntax-tree nodes, of a simplified form."""
    return document["statements_after"], document["nodes_after"]


SPLIT = "valid"
MOST = 60
"""Statements that are left out in turn (count); of longer programs the outermost ones."""


def explain(record: RunRecord, setup: Setup, id: str) -> dict[str, Any]:
    """Leaves out each statement of a candidate in turn and compares it with the start program.

    All figures are of the validation split: they explain the candidate and are no judgement of the search.
    """
    candidate = record.candidate(id)
    path, text = next(iter(candidate.files.items()))
    chosen = removable(text, candidate.description.statements)
    variants = [{**candidate.files, path: without(text, statement)} for statement in chosen]
    evaluations = evaluate_variants(setup, [candidate.files, *variants], SPLIT)
    whole = evaluations[0]
    rows = [
        _row(text, statement, whole, evaluation)
        for statement, evaluation in zip(chosen, evaluations[1:], strict=True)
    ]
    return {
        "run": record.name,
        "candidate": id,
        "split": SPLIT,
        "loss_percent": _loss(whole),
        "statements": rows,
        "strata": _strata(record, id),
        "cpu_seconds_median": _cpu(record, id),
        "start_cpu_seconds_median": None if record.start is None else _cpu(record, record.start),
    }


def removable(text: str, statements: Sequence[Statement]) -> list[Statement]:
    """Statements that have their lines to themselves; docstrings, `pass` and whole functions stay."""
    lines = text.split("\n")
    starts = [s.line for s in statements]
    lone = []
    for s in statements:
        first = lines[s.line - 1].strip()
        inner = any(o is not s and o.line == s.line and o.end_line <= s.end_line for o in statements)
        shared = starts.count(s.line) > 1 and not inner
        if s.kind in ("FunctionDef", "ClassDef", "AsyncFunctionDef", "Pass") or shared:
            continue
        if s.kind == "Expr" and first.startswith(('"', "'", 'r"', "r'")):
            continue
        lone.append(s)
    return sorted(sorted(lone, key=lambda s: s.depth)[:MOST], key=lambda s: (s.line, -s.end_line))


def without(text: str, statement: Statement) -> str:
    """The text with a statement replaced by `pass`."""
    lines = text.split("\n")
    first = lines[statement.line - 1]
    indent = first[: len(first) - len(first.lstrip())]
    return "\n".join([*lines[: statement.line - 1], f"{indent}pass", *lines[statement.end_line :]])


def _row(text: str, statement: Statement, whole: Evaluation, other: Evaluation) -> dict[str, Any]:
    before = _loss(whole)
    after = _loss(other)
    failure = other.failure
    return {
        "line": statement.line,
        "end_line": statement.end_line,
        "text": text.split("\n")[statement.line - 1].strip(),
        "status": "ok" if failure is None else failure.status.value,
        "loss_percent": after,
        "change_percent": None if before is None or after is None else after - before,
    }


def _loss(evaluation: Evaluation) -> float | None:
    return None if evaluation.fitness is None else -100 * evaluation.fitness + 0.0


def _cpu(record: RunRecord, id: str) -> float | None:
    figures = record.figures(id, SPLIT)
    return None if figures is None else figures.cpu_seconds_median


def _strata(record: RunRecord, id: str) -> list[dict[str, Any]]:
    """Mean gap by stratum of the candidate and of the start program, largest improvement first."""
    mine = record.strata(id, SPLIT)
    theirs = {} if record.start is None else record.strata(record.start, SPLIT)
    rows = [
        {
            "stratum": name,
            "gap_percent": figures.mean_gap_percent,
            "start_gap_percent": theirs[name].mean_gap_percent if name in theirs else None,
        }
        for name, figures in mine.items()
    ]

    def gain(row: dict[str, Any]) -> float:
        return (row["start_gap_percent"] or 0.0) - (row["gap_percent"] or 0.0)

    return sorted(rows, key=lambda row: (-gain(row), row["stratum"]))

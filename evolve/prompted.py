"""The proposer that asks language models: prompt, reply, edit, one repair."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from ..prompts.builder import NOTES, STALLED, Builder, PromptTooLarge
from ..prompts.parts import Failure, Parts
from .admission import Fault
from .asked import Asked
from .base import (
    Completion,
    Context,
    Elite,
    Examined,
    Origin,
    Prompt,
    Proposal,
    Rejection,
    RejectionReason,
)
from .course import Course
from .edits import EditError, apply_reply
from .ideas import idea_of
from .ledger import BudgetSpent
from .memory import crashed
from .models.base import SKIPPED, ErrorKind, Leavable, LeftOpen, ModelError, Recourse
from .models.caller import Caller
from .models.cassette import RecordedModel
from .models.ensemble import Arm, Choice, Member, arms, choose
from .pages import page_of
from .prompt_settings import PromptSettings
from .shown import Explain, failure_of, main_text, nothing, parts_for
from .unusable import Unusable

EXCERPT = 300
HUNKS_FROM_LINES = 150
"""Programs of more lines are changed by hunks, shorter ones written anew."""
SIMPLIFY_FROM_LINES = 30
"""Programs of fewer lines are not worth a call that makes them shorter."""
REFUSALS = ("refusal", "content_filter")
"""Finish reasons of a model that does not answer; they count against it."""

NOTES_ROUND = 0
"""Round of the call that writes the page of notes, before the ask's own question."""
Examine = Callable[[Mapping[str, str]], Examined | Fault]


class PromptedProposer:
    """Asks one of its models for a new program. Thread-safe.

    Args:
        callers: the models, at least one.
        builder: fills the templates.
        settings: how models are asked.
        examine: describes files that can be a candidate, or says why they can be none (syntax, entry point,
            imports); called from several threads at once. With it the repair round covers these faults too.
        explain: says what programs' answers do with instances; called from several threads at once.
        pages: iteration → page of notes that it wrote in an earlier session.
        sent: iterations of an earlier session and their prompts, the first ones first.
    """

    def __init__(
        self,
        callers: Sequence[Caller],
        builder: Builder,
        settings: PromptSettings,
        examine: Examine | None = None,
        explain: Explain = nothing,
        pages: Mapping[int, str] | None = None,
        sent: Iterable[tuple[int, Prompt]] = (),
    ) -> None:
        self._callers = list(callers)
        self._builder = builder
        self._settings = settings
        self._examine = examine
        self._explain = explain
        self._pages = {number: page for number, page in (pages or {}).items() if page}
        self._arms = arms([Member(c.settings.spec, c.settings.weight, c.settings.price) for c in callers])
        self._unusable = Unusable([c.unusable_replies for c in callers])
        self._left = threading.Event()
        self._asked = Asked(sent)

    def propose(self, parents: Sequence[Elite], context: Context, rng: random.Random) -> Proposal | Rejection:
        """A model's new text for the first parent; see `Proposer`.

        Raises:
            ModelError: a person must act.
            BudgetSpent: no further call fits under a cap.
        """
        try:
            arm, asked = self._worded(parents, context, rng)
        finally:
            self._asked.leave(context.iteration)
        mends = arm.operator == "repair" and context.failed is not None
        files = (context.failed if mends and context.failed else parents[0]).candidate.files
        reply = self._round(arm, asked, Origin(arm.operator), 1, files, context)
        if (
            mends
            or isinstance(reply, Proposal)
            or reply.reason not in _REPAIRABLE
            or reply.completion is None
        ):
            return reply
        failure = Failure(f"{reply.reason.value}: {reply.excerpt}", reply.completion.text)
        again = self.ask_for("repair", parents, context, failure)
        return self._round(arm, again, Origin.REPAIR, 2, files, context)

    def _worded(
        self, parents: Sequence[Elite], context: Context, rng: random.Random
    ) -> tuple[Arm, Prompt | PromptTooLarge]:
        """Arm and prompt of an ask, once all earlier ones have theirs; before it a page, if one is due."""
        self._check_usable()
        arm = self.choose(parents, context, rng)
        if context.writes:  # the questions of later iterations wait, and show the page
            self._write_page(arm, parents, context)
        with self._asked.turn(context.iteration):
            if self._left.is_set() and isinstance(self._callers[arm.model].model, Leavable):
                raise LeftOpen("the campaign is ending")  # what its prompt would have shown is not known
            return self._question(arm, parents, context)

    def _check_usable(self) -> None:
        """Raises a `ModelError` when every model is set aside."""
        if all(self._unusable.aside(model) for model in range(len(self._callers))):
            sentences = [f"{c.model.name}: {self._unusable.sentence(n)}" for n, c in enumerate(self._callers)]
            raise ModelError(ErrorKind.GARBAGE, "; ".join(sentences), final=True)

    def _question(
        self, chosen: Arm, parents: Sequence[Elite], context: Context
    ) -> tuple[Arm, Prompt | PromptTooLarge]:
        """The chosen arm and its prompt; where the prompt was sent before, another operator is asked for."""
        first = self._first_prompt(chosen, parents, context)
        if isinstance(first, PromptTooLarge):
            return chosen, first
        others = [] if self._record else self._possible(parents, context)  # a record has the operator of then
        arms, prompts = [chosen], [first]
        for arm in others:
            if self._asked.is_new(context.iteration, prompts[-1]):
                break
            if arm.model == chosen.model and arm.operator != chosen.operator:
                other = self._first_prompt(arm, parents, context)
                if isinstance(other, Prompt):
                    arms.append(arm)
                    prompts.append(other)
        if not self._asked.is_new(context.iteration, prompts[-1]):
            return chosen, self._asked.take(context.iteration, first)
        return arms[-1], self._asked.take(context.iteration, prompts[-1])

    def _first_prompt(self, arm: Arm, parents: Sequence[Elite], context: Context) -> Prompt | PromptTooLarge:
        failed = context.failed if arm.operator == "repair" else None
        failure = None if failed is None else failure_of(failed, context, parents[0])
        return self.ask_for(arm.operator, parents, context, failure)

    def expect(self, iteration: int) -> None:
        """See `Expecting`."""
        self._asked.expect(iteration)

    def choose(self, parents: Sequence[Elite], context: Context, rng: random.Random) -> Arm:
        """Model and operator for an ask; *combine* needs two parents, *repair* something that failed.

        A program that crashed is always repaired. *simplify* needs a reply's program of some length, and is
        asked for once of each. A record's are those of then: weights and costs of
        the models that were asked are not known here.
        """
        possible = self._possible(parents, context)
        if (model := self._record) is not None and (then := model.chosen(context.iteration)) is not None:
            operator, name = then
            if found := [replace(arm, name=name) for arm in possible if arm.operator == operator]:
                return found[0]
        if context.failed is not None and crashed(context.failed):
            possible = [arm for arm in possible if arm.operator == "repair"]
        return choose(Choice(self._settings.choice), possible, context.operators, context.costs, rng)

    def _possible(self, parents: Sequence[Elite], context: Context) -> list[Arm]:
        """Arms that can be asked for now, of the models that are not set aside."""
        needs = {
            "combine": len(parents) > 1,
            "repair": context.failed is not None,
            "simplify": _may_be_shorter(parents[0]) and (self._record is not None or not context.simplified),
        }
        usable = [arm for arm in self._arms if not self._unusable.aside(arm.model)] or self._arms
        return [arm for arm in usable if needs.get(arm.operator, True)]

    def ask_for(
        self, operator: str, parents: Sequence[Elite], context: Context, failure: Failure | None = None
    ) -> Prompt | PromptTooLarge:
        """The prompt of an operator, or why there is none."""
        parts = self._parts(operator, parents, context, failure)
        try:
            return Prompt(*self._builder.render(STALLED if parts.turn else operator, parts))
        except PromptTooLarge as error:
            return error

    def shares(self, operator: str, parents: Sequence[Elite], context: Context) -> dict[str, int]:
        """Content → estimated tokens of the prompt of an operator; see `Builder.shares`."""
        return self._builder.shares(operator, self._parts(operator, parents, context, None))

    def _parts(
        self, operator: str, parents: Sequence[Elite], context: Context, failure: Failure | None
    ) -> Parts:
        shown = context if self._settings.ledger else replace(context, attempts=())
        notes = self._newest_page(context)
        return parts_for(operator, parents, shown, failure, HUNKS_FROM_LINES, self._explain, notes)

    def _newest_page(self, context: Context) -> str:
        """The last page of notes that was written by this ask or an earlier one."""
        written = [number for number in self._pages if number <= context.iteration]
        return self._pages[max(written)] if written else ""

    def _write_page(self, arm: Arm, parents: Sequence[Elite], context: Context) -> None:
        """Asks the arm's model for the page of notes; without a reply the old page stays.

        Raises:
            ModelError: a person must act.
        """
        if self._record is not None and not self._record.asked(context.iteration, NOTES_ROUND):
            return  # no page then: a cap left no room for it, or notes were off
        best = parents[0] if context.best is None else context.best
        parts = self._parts(NOTES, [best], context, None)
        try:
            prompt = Prompt(*self._builder.render(NOTES, parts))
            completion = self._callers[arm.model].ask(prompt, NOTES, context.iteration, NOTES_ROUND)
        except (PromptTooLarge, BudgetSpent):
            return
        except ModelError as error:
            if error.recourse is Recourse.PERSON:
                raise
            return
        page = page_of(completion.text)
        if page and completion.finish_reason not in (*REFUSALS, SKIPPED):
            self._pages[context.iteration] = page

    @property
    def course(self) -> Course | None:
        """The order of the record that the model answers from; see `Coursed`."""
        return None if self._record is None else self._record.course

    @property
    def _record(self) -> RecordedModel | None:
        """The one model, if it answers from a record."""
        model = self._callers[0].model
        return model if len(self._callers) == 1 and isinstance(model, RecordedModel) else None

    def leave(self) -> None:
        """See `Leavable`."""
        self._left.set()
        for caller in self._callers:
            if isinstance(caller.model, Leavable):
                caller.model.leave()

    def close(self) -> None:
        """Ends calls under way and connections."""
        self._asked.close()
        for caller in self._callers:
            caller.close()

    def _round(
        self,
        arm: Arm,
        prompt: Prompt | PromptTooLarge,
        origin: Origin,
        round: int,
        files: Mapping[str, str],
        context: Context,
    ) -> Proposal | Rejection:
        """One question about a program's files and what its reply amounts to."""
        if isinstance(prompt, PromptTooLarge):
            return Rejection(RejectionReason.TOO_LARGE, str(prompt)[:EXCERPT], origin, arm.name)
        check = _Reading(files, context.problem.entry_point, self._examine)
        try:
            arm, completion = self._ask(arm, prompt, origin, round, context, check)
        except ModelError as error:
            if error.recourse is Recourse.PERSON:
                raise
            reason = _REASONS.get(error.kind, RejectionReason.NO_CODE)
            return self._rejected(arm, reason, error.sentence, origin, prompt, error.completion)
        if completion.finish_reason == SKIPPED:
            reason = RejectionReason.REFUSED_BY_MODEL
            return Rejection(reason, "skipped", origin, arm.name, prompt, completion)
        if completion.finish_reason in REFUSALS:
            excerpt = completion.text or f"finish reason {completion.finish_reason}"
            reason = RejectionReason.REFUSED_BY_MODEL
            return self._rejected(arm, reason, excerpt, origin, prompt, completion)
        read = check.read(completion)
        if not isinstance(read, _Read):
            return self._rejected(arm, *read, origin, prompt, completion)
        self._unusable.note(arm.model, None)
        idea = idea_of(completion.text)
        return Proposal(read.files, origin, arm.name, prompt, completion, read.examined, idea)

    def _ask(
        self, arm: Arm, prompt: Prompt, origin: Origin, round: int, context: Context, check: _Reading
    ) -> tuple[Arm, Completion]:
        """The reply, and the arm of the model that gave it.

        Where the whole reply of a model does not fit under a cap, another one is asked; where none fits, a
        shorter reply of the cheapest.
        """
        same = [one for one in self._arms if one.operator == arm.operator and one.model != arm.model]
        cheaper = sorted((one for one in same if not self._unusable.aside(one.model)), key=_dearness)
        spent: BudgetSpent | None = None
        for whole in (True, False):
            for one in (arm, *cheaper) if whole else sorted((arm, *cheaper), key=_dearness):
                caller = self._callers[one.model]
                try:
                    return one, caller.ask(
                        prompt, origin.value, context.iteration, round, check.complaint, whole=whole
                    )
                except BudgetSpent as error:
                    spent = error
        assert spent is not None
        raise spent

    def _rejected(
        self,
        arm: Arm,
        reason: RejectionReason,
        excerpt: str,
        origin: Origin,
        prompt: Prompt,
        completion: Completion | None,
    ) -> Rejection:
        """A rejection of a model's reply, which counts against the model."""
        caller = self._callers[arm.model]
        if completion is not None and completion.finish_reason == "length":
            excerpt = f"{caller.cut(completion)}; {excerpt}"
        if sentence := self._unusable.note(arm.model, f"{reason.value}: {excerpt[:EXCERPT]}"):
            caller.note(sentence)
        return Rejection(reason, excerpt[:EXCERPT], origin, arm.name, prompt, completion)


def _may_be_shorter(parent: Elite) -> bool:
    """Whether a program came from a reply and has so many lines that a shorter one is worth a call."""
    lines = [line for line in main_text(parent).splitlines() if line.strip()]
    return parent.candidate.iteration > 0 and len(lines) >= SIMPLIFY_FROM_LINES


def _dearness(arm: Arm) -> tuple[bool, Decimal, int]:
    """The order in which models take the place of one that is too dear: the cheapest output first."""
    price = arm.price
    return price is None, Decimal(0) if price is None else price.output, arm.model


_REASONS = {
    ErrorKind.FILTERED: RejectionReason.REFUSED_BY_MODEL,
    ErrorKind.TOO_LONG: RejectionReason.TOO_LARGE,
}
_REPAIRABLE = (
    RejectionReason.NO_CODE,
    RejectionReason.HUNK_NOT_FOUND,
    RejectionReason.SYNTAX,
    RejectionReason.MISSING_ENTRY_POINT,
    RejectionReason.FORBIDDEN_IMPORT,
    RejectionReason.UNSEEN_CHARACTER,
    RejectionReason.TOO_LARGE,
)


@dataclass(frozen=True, slots=True)
class _Read:
    """The files that a reply makes, and what is known of them."""

    files: dict[str, str]
    examined: Examined | None


class _Reading:
    """Reads replies against the program that they change; a text that arrives twice is examined once."""

    def __init__(self, files: Mapping[str, str], entry_point: str, examine: Examine | None) -> None:
        self._files = files
        self._entry_point = entry_point
        self._examine = examine
        self._last: tuple[str, Examined | Fault] | None = None

    def read(self, completion: Completion) -> _Read | Fault:
        """The files of a reply, or why there are none."""
        main, parent = next(iter(self._files.items()))
        cut = completion.finish_reason == "length"
        try:
            text = apply_reply(completion.text, parent, self._entry_point, cut)
        except EditError as error:
            return error.reason, error.sentence
        files = {**self._files, main: text}
        if self._examine is None:
            return _Read(files, None)
        if self._last is None or self._last[0] != text:  # a person's reply is read when it comes, and again
            self._last = text, self._examine(files)
        examined = self._last[1]
        return _Read(files, examined) if isinstance(examined, Examined) else examined

    def complaint(self, text: str) -> str | None:
        """What is wrong with a reply's text, None when nothing is."""
        read = self.read(Completion(text, ""))
        return None if isinstance(read, _Read) else f"{read[0].value}: {read[1]}"

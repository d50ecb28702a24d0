"""The proposer that asks language models: prompt, reply, edit, one repair."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from ...prompts.builder import NOTES, Builder, PromptTooLarge
from ...prompts.parts import Failure, Parts
from ...prompts.text import tokens
from ..agenda import page_of, with_page
from ..course import Course
from ..iteration import Iteration
from ..types import (
    Completion,
    Context,
    Elite,
    Origin,
    Outcome,
    Prompt,
    Proposal,
    Refused,
    Rejection,
    RejectionReason,
)
from .base import SKIPPED, ErrorKind, Leavable, LeftOpen, ModelError, Recourse, Transcript
from .caller import Caller
from .cassette import CassetteModel
from .ensemble import Arm, Member, ModelHealth, arms, choose, in_turn
from .episodes import Episodes, EpisodeTerms
from .ledger import BudgetSpent
from .operations import usage
from .prompt_context import context_for, failure_of, main_text
from .prompt_register import PromptRegister
from .prompt_scores import Explain, nothing
from .replies import REPAIRABLE, Examine, ProgramReading, Reply, ReplyReader, idea_of
from .reply_text import ReplyEnding, ending
from .server_answer import fitting_tokens
from .settings import PromptSettings

EXCERPT = 300
HUNKS_FROM_LINES = 150
"""Programs of more lines are changed by hunks, shorter ones written anew."""
SIMPLIFY_FROM_LINES = 30
"""Programs of fewer lines are not worth a call that makes them shorter."""
_ENDED = (ReplyEnding.WHOLE, ReplyEnding.UNKNOWN, ReplyEnding.CUT)
"""Endings of a page of notes that is of use, as far as it goes."""

NOTES_ROUND = 0
"""Round of the call that writes the page of notes, before the ask's own question."""
MOST_REMARKS = 12
"""Notes of a workbench in a prompt (count)."""


class PromptedProposer:
    """Asks one of its models for a new program. Thread-safe.

    Attributes:
        combined: pairs of programs (ids) that *combine* was asked for; no pair is asked for twice.

    Args:
        callers: the models, at least one.
        builder: fills the templates.
        settings: how models are asked.
        examine: describes files that can be a candidate, or says why they can be none (syntax, entry point,
            imports); called from several threads at once. With it the repair round covers these faults too.
        explain: says what programs' answers do with instances; called from several threads at once.
        pages: iteration → page of notes that it wrote in an earlier session.
        sent: iterations of an earlier session and their prompts, the first ones first.
        remarks: notes of a workbench, each with the iterations that were asked for before (count).
        terms: of conversations; None asks single questions.
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
        remarks: Sequence[tuple[int, str]] = (),
        terms: EpisodeTerms | None = None,
    ) -> None:
        self._callers = list(callers)
        self._builder = builder
        self._settings = settings
        self._examine = examine
        self._explain = explain
        self._pages = {number: page for number, page in (pages or {}).items() if page}
        self._remarks = list(remarks)
        self._bench = None if terms is None else terms.bench
        self._arms = arms([Member(c.settings.spec, c.settings.weight, c.settings.price) for c in callers])
        self._sizes: dict[int, int] = {}
        self._unusable = ModelHealth([c.unusable_replies for c in callers])
        self._left = threading.Event()
        self._asked = PromptRegister(sent)
        self.combined: set[frozenset[str]] = set()
        record = None if self._record is None else self._record.prompt
        self._episodes = (
            Episodes(terms, self._callers, examine, self._arm, record)
            if terms is not None and terms.settings.on
            else None
        )

    def propose(self, parents: Sequence[Elite], context: Context, rng: random.Random) -> Proposal | Rejection:
        """A model's new text for the first parent; see `Proposer`.

        Raises:
            ModelError: a person must act.
            BudgetSpent: no further call fits under a cap.
        """
        if self._episodes is not None and context.programs > 1:
            opening = partial(self._first_answer, parents, context, rng)
            return self._episodes.propose(parents, context, opening)
        return self._made(self._first_answer(parents, context, rng), parents, context)

    @property
    def talks(self) -> bool:
        """See `Conversing`."""
        return self._episodes is not None

    def learn(self, ask: Iteration, outcome: Outcome, asked: int) -> None:
        """See `Conversing`: conversations go on, and what an episode learned is a remark from then on."""
        if self._episodes is None or ask.programs == 1:
            return
        self._episodes.learn(ask, outcome)
        if isinstance(outcome, Refused) and outcome.rejection.reason is RejectionReason.EPISODE_OVER:
            text = outcome.rejection.excerpt
            if text:
                self._remarks.append((asked, text))
            if text and self._bench is not None:
                self._bench.learned(ask.number, asked, text)

    def pause(self) -> None:
        """See `Conversing`."""
        if self._episodes is not None:
            self._episodes.pause()

    def _first_answer(
        self, parents: Sequence[Elite], context: Context, rng: random.Random
    ) -> Reply | Rejection:
        """The reply to an ask's own question, or why there is none."""
        try:
            arm, asked = self._worded(parents, context, rng)
        finally:
            self._asked.leave(context.iteration)
        reading = self._reading(arm, parents, context)
        alone = self._callers[arm.model].places == 1 or not context.writes
        with with_page(lambda: self._write_page(arm, parents, context), first=alone):
            shorter = partial(self._first_prompt, arm, parents, context)
            return self._answer(arm, asked, Origin(arm.operator), 1, reading, context, shorter)

    def _made(
        self, answer: Reply | Rejection, parents: Sequence[Elite], context: Context
    ) -> Proposal | Rejection:
        """What the program of an iteration in an answer amounts to, after one repair if it needs one."""
        arm = self._arm(answer.operator) if isinstance(answer, Rejection) else answer.arm
        made = answer if isinstance(answer, Rejection) else self._read(answer, Origin(arm.operator))
        if isinstance(made, Proposal) or made.reason not in REPAIRABLE or made.completion is None:
            return made
        if arm.operator == Origin.REPAIR:
            return made
        failure = Failure(f"{made.reason.value}: {made.excerpt}", made.completion.text)
        repair = partial(self.ask_for, "repair", parents, context, failure, arm.model)
        reading = self._reading(arm, parents, context)
        mended = self._answer(arm, repair(), Origin.REPAIR, 2, reading, context, repair)
        return mended if isinstance(mended, Rejection) else self._read(mended, Origin.REPAIR)

    def _reading(self, arm: Arm, parents: Sequence[Elite], context: Context) -> ReplyReader:
        """Reads the replies to an arm's question: about the program that failed, or else the first parent."""
        mends = arm.operator == Origin.REPAIR and context.failed is not None
        changed = context.failed if mends and context.failed else parents[0]
        return ReplyReader(changed.candidate.files, context.problem.entry_point, self._examine)

    def _arm(self, name: str, model: str = "") -> Arm:
        """The arm that an iteration was counted by, or else one of the same operator."""
        operator = name.split(" ")[0]
        same = [arm for arm in self._arms if arm.operator == operator]
        specs = [arm for arm in same if self._callers[arm.model].settings.spec == model]
        return next((arm for arm in same if arm.name == name), (specs or same or self._arms)[0])

    def _worded(
        self, parents: Sequence[Elite], context: Context, rng: random.Random
    ) -> tuple[Arm, Prompt | PromptTooLarge]:
        """Arm and prompt of an ask, once all earlier ones have theirs."""
        self._check_usable()
        with self._asked.turn(context.iteration):
            arm = self.choose(parents, context, rng)
            if self._left.is_set() and isinstance(self._callers[arm.model].model, Leavable):
                raise LeftOpen("the campaign is ending")  # what its prompt would have shown is not known
            asked = self._question(arm, parents, context)
            if asked[0].operator == "combine":
                self.combined.add(_pair(parents))
            return asked

    def _check_usable(self) -> None:
        """Raises a `ModelError` when every model is set aside."""
        if all(self._unusable.disabled(model) for model in range(len(self._callers))):
            sentences = [f"{c.model.name}: {self._unusable.sentence(n)}" for n, c in enumerate(self._callers)]
            raise ModelError(ErrorKind.GARBAGE, "; ".join(sentences), final=True)

    def _question(
        self, chosen: Arm, parents: Sequence[Elite], context: Context
    ) -> tuple[Arm, Prompt | PromptTooLarge]:
        """The chosen arm and its prompt; where the prompt was sent before, another operator is asked for."""
        first = self._first_prompt(chosen, parents, context)
        if isinstance(first, PromptTooLarge):
            return chosen, first
        others = [] if self._record else self._possible(parents, context)
        arms = [chosen]
        prompts = [first]
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
        return self.ask_for(arm.operator, parents, context, failure, arm.model)

    def expect(self, iteration: int) -> None:
        """See `Expectation`."""
        self._asked.expect(iteration)

    def choose(self, parents: Sequence[Elite], context: Context, rng: random.Random) -> Arm:
        """Model and operator for an ask; *combine* needs two parents, *repair* something that failed.

        A program that crashed is always repaired.
        *simplify* needs a reply's program of some length, once of each. A record's arm is that of then.
        """
        possible = self._possible(parents, context)
        then = None if self._record is None else self._record.chosen(context.iteration)
        if same := [replace(arm, name=then[1]) for arm in possible if then and arm.operator == then[0]]:
            return same[0]
        if context.failed is not None and context.failed.crashed:
            possible = [arm for arm in possible if arm.operator == "repair"]
        return choose(possible, rng)

    def _possible(self, parents: Sequence[Elite], context: Context) -> list[Arm]:
        """Arms that can be asked for now, of the models that are not set aside."""
        needs = {
            "combine": len(parents) > 1 and (self._record is not None or _pair(parents) not in self.combined),
            "repair": context.failed is not None,
            "simplify": _may_be_shorter(parents[0]) and (self._record is not None or not context.simplified),
        }
        usable = [arm for arm in self._arms if not self._unusable.disabled(arm.model)] or self._arms
        return [arm for arm in usable if needs.get(arm.operator, True)]

    def ask_for(
        self,
        operator: str,
        parents: Sequence[Elite],
        context: Context,
        failure: Failure | None = None,
        model: int | None = None,
    ) -> Prompt | PromptTooLarge:
        """The prompt of an operator, no longer than the model takes, or why there is none."""
        parts = self._parts(operator, parents, context, failure)
        most = None if model is None else self._sizes.get(model)
        try:
            return Prompt(*self._builder.render(operator, parts, most))
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
        talks = context.programs > 1 and (failure is None or failure.ran)
        parts = context_for(operator, parents, shown, failure, HUNKS_FROM_LINES, self._explain, notes)
        if not talks or self._episodes is None or operator == NOTES:
            return parts
        return replace(parts, hunks=False, edits=False, episode=self._episodes.budget, operations=usage())

    def _newest_page(self, context: Context) -> str:
        """The page of notes that was asked for last, of those that an ask may show; see `NotesSchedule`.

        Below it stand the last notes of a workbench that were written before the ask.
        """
        written = [number for number in context.pages if number in self._pages]
        page = self._pages[max(written)] if written else ""
        remarks = [f"- {text}" for asked, text in self._remarks if asked < context.iteration]
        return "\n".join(filter(None, [page, *remarks[-MOST_REMARKS:]]))

    def _write_page(self, arm: Arm, parents: Sequence[Elite], context: Context) -> None:
        """Asks the arm's model for the page of notes, if one is due; without a reply the old page stays.

        Raises:
            ModelError: a person must act.
        """
        if not context.writes or (self._record and not self._record.asked(context.iteration, NOTES_ROUND)):
            return  # of a record: a cap left no room for it, or notes were off
        best = parents[0] if context.best is None else context.best
        parts = self._parts(NOTES, [best], context, None)
        try:
            prompt = Prompt(*self._builder.render(NOTES, parts, self._sizes.get(arm.model)))
            completion = self._callers[arm.model].ask(prompt, NOTES, context.iteration, NOTES_ROUND)
        except (PromptTooLarge, BudgetSpent):
            return
        except ModelError as error:
            if error.recourse is Recourse.PERSON:
                raise
            return
        page = page_of(completion.text)
        if page and completion.finish_reason != SKIPPED and ending(completion.finish_reason) in _ENDED:
            self._pages[context.iteration] = page

    @property
    def course(self) -> Course | None:
        """The order of the record that the model answers from; see `HasCourse`."""
        return None if self._record is None else self._record.course

    @property
    def _record(self) -> CassetteModel | None:
        """The one model, if it answers from a record."""
        model = self._callers[0].model
        return model if len(self._callers) == 1 and isinstance(model, CassetteModel) else None

    def leave(self) -> None:
        """See `Leavable`."""
        self._left.set()
        self.pause()
        for caller in self._callers:
            if isinstance(caller.model, Leavable):
                caller.model.leave()

    def close(self) -> None:
        """Ends calls under way and connections."""
        self._asked.close()
        self.pause()
        for caller in self._callers:
            caller.close()

    def _answer(
        self,
        arm: Arm,
        prompt: Prompt | PromptTooLarge,
        origin: Origin,
        round: int,
        reading: ReplyReader,
        context: Context,
        shorter: Callable[[], Prompt | PromptTooLarge],
    ) -> Reply | Rejection:
        """One question, and the reply or why there is none; asked again with what fits where it is too long.

        Raises:
            ModelError: a person must act, also where no prompt is short enough.
        """
        if isinstance(prompt, PromptTooLarge):
            return Rejection(RejectionReason.TOO_LARGE, str(prompt)[:EXCERPT], origin, arm.name)
        try:
            arm, completion = self._ask(arm, prompt, origin, round, context, reading)
        except ModelError as error:
            if error.recourse is Recourse.PERSON:
                raise
            if error.kind is ErrorKind.TOO_LONG:
                again = self._shortened(arm, prompt, error, shorter)
                return self._answer(arm, again, origin, round, reading, context, shorter)
            reason = _REASONS.get(error.kind, RejectionReason.NO_CODE)
            return self._rejected(arm, reason, error.sentence, origin, prompt, error.completion)
        return Reply(arm, prompt, completion, reading)

    def _shortened(
        self, arm: Arm, prompt: Prompt, error: ModelError, shorter: Callable[[], Prompt | PromptTooLarge]
    ) -> Prompt | PromptTooLarge:
        """A prompt that fits into what a model takes, which is remembered; never the same one again.

        Raises:
            ModelError: the error, final, when none is so short and the model has answered no other either.
        """
        caller = self._callers[arm.model]
        sent = tokens(prompt.system) + tokens(prompt.user)
        most = min(fitting_tokens(error.sentence, sent), self._sizes.get(arm.model, sent))
        self._sizes[arm.model] = most
        again = shorter()
        if isinstance(again, Prompt) and again.digest != prompt.digest:
            caller.note(f"prompts are shortened to about {most:,} tokens, as the model takes no more")
            return again
        if caller.answered:
            return again if isinstance(again, PromptTooLarge) else PromptTooLarge(error.sentence)
        why = str(again) if isinstance(again, PromptTooLarge) else "no shorter prompt was written"
        error.sentence += (
            f" ({why}): start the server with a larger context, or take a model with one; or lower "
            f"max_output_tokens of the [[model]] table ({caller.settings.max_output_tokens:,})"
        )
        error.final = True
        raise error

    def _read(self, answer: Reply, origin: Origin) -> Proposal | Rejection:
        """What a reply's program amounts to; a fault counts against the model."""
        arm = answer.arm
        prompt = answer.prompt
        completion = answer.completion
        reason = RejectionReason.REFUSED_BY_MODEL
        if completion.finish_reason == SKIPPED:
            return Rejection(reason, "skipped", origin, arm.name, prompt, completion)
        if ending(completion.finish_reason) is ReplyEnding.WITHHELD:
            excerpt = completion.text or f"finish reason {completion.finish_reason}"
            return self._rejected(arm, reason, excerpt, origin, prompt, completion)
        read = answer.reading.read(completion)
        if not isinstance(read, ProgramReading):
            return self._rejected(arm, *read, origin, prompt, completion)
        self._unusable.note(arm.model, None)
        idea = idea_of(completion.text)
        return Proposal(read.files, origin, arm.name, prompt, completion, read.examined, idea)

    def _ask(
        self, arm: Arm, prompt: Prompt, origin: Origin, round: int, context: Context, check: ReplyReader
    ) -> tuple[Arm, Completion]:
        """The reply, and the arm of the model that gave it.

        Where the whole reply of a model does not fit under a cap, another one is asked; where none fits, a
        shorter reply of the cheapest.
        """
        talk: Transcript | None = None
        if self._episodes is not None and context.programs > 1:
            talk = Transcript(prompt.user, (), self._episodes.tools)
        checked = check.complaint if talk is None else None  # a first reply need not hold a program
        usable = [one for one in self._arms if not self._unusable.disabled(one.model)]
        spent: BudgetSpent | None = None
        for one, whole in in_turn(arm, usable):
            caller = self._callers[one.model]
            asked = context.iteration
            try:
                return one, caller.ask(prompt, origin.value, asked, round, checked, whole=whole, talk=talk)
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
        if completion is not None and ending(completion.finish_reason) is ReplyEnding.CUT:
            excerpt = f"{caller.cut(completion)}; {excerpt}"
        if sentence := self._unusable.note(arm.model, f"{reason.value}: {excerpt[:EXCERPT]}"):
            caller.note(sentence)
        return Rejection(reason, excerpt[:EXCERPT], origin, arm.name, prompt, completion)


def _pair(parents: Sequence[Elite]) -> frozenset[str]:
    """The two programs that *combine* is about (ids)."""
    return frozenset(elite.candidate.id for elite in parents[:2])


def _may_be_shorter(parent: Elite) -> bool:
    """Whether a program came from a reply and has so many lines that a shorter one is worth a call."""
    lines = [line for line in main_text(parent).splitlines() if line.strip()]
    return parent.candidate.iteration > 0 and len(lines) >= SIMPLIFY_FROM_LINES


_REASONS = {ErrorKind.FILTERED: RejectionReason.REFUSED_BY_MODEL}

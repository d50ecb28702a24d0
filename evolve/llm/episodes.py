"""Episodes: conversations in which a model experiments; each of its evaluations is an iteration.

The iterations of an episode are opened together, as those of a shared reply are. Each one's thread carries
the conversation on to the next program that is to be evaluated, and that program is its proposal; the outcome
is the first thing that the next iteration's thread tells the model. A question that is recorded is taken from
the record with all answers in it, so a resumed campaign goes on where a kill ended the conversation, and a
replay runs no operation again.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any, Protocol, runtime_checkable

from ...evaluators.base import Score, half_interval
from ...prompts.marks import neutral_text
from ..iteration import Iteration
from ..types import (
    Complete,
    Completion,
    Context,
    Elite,
    Examination,
    Origin,
    Outcome,
    Prompt,
    Proposal,
    Refused,
    Rejection,
    RejectionReason,
)
from .base import SKIPPED, CallTurn, LeftOpen, ModelError, Recourse, Transcript, Turn
from .caller import Caller
from .ensemble import Arm
from .operations import OperationCall, calls_of, schemas
from .prompt_scores import gaps_of
from .replies import Examine, Reply, idea_of
from .reply_text import ReplyEnding, ending, without_thoughts
from .settings import EpisodeSettings

WITHOUT_GAIN = 3
"""Evaluations in succession without a gain beyond noise after which an episode ends (count)."""
IDLE = 2
"""Replies in succession that call nothing after which an episode ends (count)."""
ANSWER_CHARACTERS = 12_000
"""Longest answer of an operation (characters)."""
LEARNED_WORDS = 120
"""Longest line that an episode leaves (words)."""
LEARNED_CHARACTERS = 1_000
_CACHED = 0.9
"""Share by which a token that was sent before counts less in an episode, as providers' caches cost less."""
_MOST_OF_A_TOKEN = 16
"""Characters of a token in the mean of a long text, at most; prose and programs have three to five."""
_REPLY = "\n# Your reply {}\n\n"
_ANSWERS = "\n\n# Answers {}\n\n"
_CLOSING = (
    "The episode ends here: {}. Answer with plain text and call nothing: in at most 120 words, what was "
    "learned here that somebody who works at this task later should know (what works, what does not, with "
    "figures)."
)
_END = "figures)."
NO_CALL = (
    "Nothing was called. Write a fence named after an operation, such as ```evaluate, with the program in "
    "it; or ```done to end."
)


class EpisodeBench(Protocol):
    """Where the operations of an episode are done; hidden splits do not exist there. Thread-safe."""

    def run(self, name: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The answer of an operation (JSON); a fault of the caller is one sentence under `error`."""

    def evaluated(self, candidate: str, parent: str, best: str | None) -> Mapping[str, Any]:
        """How a candidate did in training beside two others (ids)."""

    def learned(self, iteration: int, asked: int, text: str) -> None:
        """Records what an episode learned, once; `asked` iterations were opened by then (count)."""


@dataclass(frozen=True, slots=True)
class EpisodeTerms:
    """What a conversation may use, and where its operations are done; None where all are in a record."""

    settings: EpisodeSettings
    bench: EpisodeBench | None = None


@runtime_checkable
class Conversing(Protocol):
    """A proposer whose conversations go on with the outcomes of their programs.

    Attributes:
        talks: whether it has conversations, and no single questions.
    """

    @property
    def talks(self) -> bool:
        """See there."""

    def learn(self, ask: Iteration, outcome: Outcome, asked: int) -> None:
        """Takes an outcome, of this session or recorded; `asked` iterations are open or closed (count)."""

    def pause(self) -> None:
        """Ends conversations where they are, with `LeftOpen`: the campaign is ending."""


@dataclass(slots=True)
class Episode:
    """An episode under way.

    Attributes:
        arm: the model, and what it was asked for.
        opening: the first prompt.
        prompt, last: the last prompt that was sent, and its reply.
        calls: of that reply.
        pending: answers to the calls before the program that is being evaluated; None where they are not
            known, as the conversation comes from the record.
        turns: earlier replies with their answers.
        questions, tokens, probes, idle: used so far (counts); of tokens that were sent before a tenth.
        cpu_seconds: that experiments used so far, those of the last reply as they were granted.
        notes: lines that the model wrote.
        closing: whether the last question was the closing one.
    """

    arm: Arm
    opening: Prompt
    prompt: Prompt
    last: Completion
    calls: list[OperationCall] = field(default_factory=list)
    pending: list[str] | None = None
    turns: list[Turn] = field(default_factory=list)
    questions: int = 0
    tokens: int = 0
    probes: int = 0
    idle: int = 0
    cpu_seconds: float = 0.0
    notes: list[str] = field(default_factory=list)
    closing: bool = False


class Episodes:
    """The conversations of a proposer. Thread-safe: a thread for each iteration.

    Args:
        terms: what one may use, and where operations are done.
        callers: the models.
        examine: describes files that can be a candidate, or says why they can be none.
        arm_of: the arm of an operator and a model's specification, as recorded.
        recorded: prompt of an iteration and round in a record that is replayed; None if there is none.
    """

    def __init__(
        self,
        terms: EpisodeTerms,
        callers: Sequence[Caller],
        examine: Examine | None,
        arm_of: Callable[[str, str], Arm],
        recorded: Callable[[int, int], Prompt | None] | None,
    ) -> None:
        self.settings = terms.settings
        self.tools = schemas()
        self._callers = callers
        self._examine = examine
        self._arm_of = arm_of
        self._record = recorded
        self._bench = terms.bench
        self._open: dict[int, Episode] = {}
        self._outcomes: dict[int, Outcome] = {}
        self._over: dict[int, BaseException | None] = {}
        self._paused = False
        self._changed = threading.Condition()

    @property
    def budget(self) -> str:
        """What an episode may use, one sentence."""
        limits = self.settings
        return (
            f"{limits.turns} replies, {limits.evaluations} evaluations, {limits.probes} executions by probe "
            f"and {limits.cpu_seconds:g} CPU seconds of experiments"
        )

    def propose(
        self, parents: Sequence[Elite], context: Context, opening: Callable[[], Reply | Rejection]
    ) -> Proposal | Rejection:
        """The next program of an episode, or the end of it; waits for the outcome of the program before.

        Raises:
            ModelError: a person must act, or the campaign is ending.
            BudgetSpent: no further call fits under a cap.
        """
        first = context.iteration - context.program + 1
        try:
            return self._stretch(first, parents, context, opening)
        except BaseException as error:
            self._end(first, error)
            raise

    def learn(self, ask: Iteration, outcome: Outcome) -> None:
        """Takes the outcome of an iteration of an episode."""
        with self._changed:
            if ask.programs > 1 and ask.first not in self._over:
                self._outcomes[ask.number] = outcome
            self._changed.notify_all()

    def pause(self) -> None:
        """See `Conversing`."""
        with self._changed:
            self._paused = True
            self._changed.notify_all()

    def _stretch(
        self, first: int, parents: Sequence[Elite], context: Context, opening: Callable[[], Reply | Rejection]
    ) -> Proposal | Rejection:
        """Carries a conversation on to its next program, or to its end."""
        number = context.iteration
        if context.program == 1:
            answer = opening()
            if isinstance(answer, Rejection):
                self._end(first)
                return answer
            talk = Episode(answer.arm, answer.prompt, answer.prompt, answer.completion)
            self._open[first] = talk
            self._take(talk, answer.prompt, answer.completion, context)
            return self._work(talk, first, parents, context, 1)
        before = self._awaited(first, number - 1)
        talked = None if before is None else self._conversation(first, context)
        if talked is None:
            self._end(first)
            return _over(None, "")
        return self._go_on(talked, first, parents, context)

    def _go_on(
        self, talk: Episode, first: int, parents: Sequence[Elite], context: Context
    ) -> Proposal | Rejection:
        """Tells the outcome of the last program, and carries the conversation on."""
        number = context.iteration
        if (text := _ending(talk, "")) is not None:
            return self._finish(talk, first, text)
        prompt = self._recorded(talk, number, 1)
        if prompt is None:
            if talk.pending is None:
                self._done(talk, parents, context)
            answers = [*(talk.pending or ()), self._outcome(number - 1, parents, context)]
            prompt = self._next(talk, answers, self._reason(talk, first, parents, context))
        ended = self._ask(talk, first, prompt, context, 1)
        return ended or self._work(talk, first, parents, context, 1)

    def _work(
        self, talk: Episode, first: int, parents: Sequence[Elite], context: Context, round: int
    ) -> Proposal | Rejection:
        """Does what replies call, until one brings a program or ends the episode."""
        while True:
            if ending(talk.last.finish_reason) is ReplyEnding.WITHHELD or talk.last.finish_reason == SKIPPED:
                return self._finish(talk, first, "")
            if talk.closing:
                return self._finish(talk, first, learned(talk.last.text))
            if (text := _ending(talk, "evaluate")) is not None:
                return self._finish(talk, first, text)
            prompt = self._recorded(talk, context.iteration, round + 1)
            if prompt is None:
                answers, proposal = self._done(talk, parents, context)
                if proposal is not None:
                    return proposal
                prompt = self._next(talk, answers, self._reason(talk, first, parents, context))
            round += 1
            if (ended := self._ask(talk, first, prompt, context, round)) is not None:
                return ended

    def _ask(
        self, talk: Episode, first: int, prompt: Prompt, context: Context, round: int
    ) -> Rejection | None:
        """Asks the next question; the end of the episode where there is no reply.

        Raises:
            ModelError: a person must act, or the campaign is ending.
            BudgetSpent: the question does not fit under a cap.
        """
        with self._changed:
            if self._paused:
                raise LeftOpen("the campaign is ending")
        caller = self._callers[talk.arm.model]
        shown = Transcript(talk.opening.user, tuple(talk.turns), self.tools)
        try:
            completion = caller.ask(prompt, talk.arm.operator, context.iteration, round, talk=shown)
        except ModelError as error:
            if error.recourse is Recourse.PERSON:
                raise
            return self._finish(talk, first, "")
        self._take(talk, prompt, completion, context)
        return None

    def _take(self, talk: Episode, prompt: Prompt, completion: Completion, context: Context) -> None:
        """Notes a reply and what its calls are granted; the same for a reply and its repetition."""
        size = len(prompt.system) + len(prompt.user)
        again = len(talk.prompt.system) + len(talk.prompt.user) if talk.questions else 0
        read = _tokens(size, completion.tokens_in)
        talk.tokens += read - round(_CACHED * read * min(1.0, again / size))
        talk.prompt = prompt
        talk.last = completion
        talk.closing = prompt.user.rstrip().endswith(_END)
        talk.pending = None
        talk.questions += 1
        talk.tokens += _tokens(len(completion.text), completion.tokens_out)
        cut = ending(completion.finish_reason) is ReplyEnding.CUT
        calls = calls_of(completion.text, context.problem.entry_point)
        talk.calls = [self._granted(talk, call) for call in calls]
        if cut and talk.calls:
            sentence = f"{talk.calls[-1].name}: the reply was cut at its limit; call it again, shorter"
            talk.calls[-1] = OperationCall(talk.calls[-1].name, {}, sentence)
        talk.idle = 0 if talk.calls else talk.idle + 1
        talk.notes += [learned(c.arguments["text"]) for c in talk.calls if c.name == "note" and not c.fault]

    def _granted(self, talk: Episode, call: OperationCall) -> OperationCall:
        """A call within what is left of the episode, or its fault."""
        if call.fault:
            return call
        if call.name == "probe":
            runs = max(1, len(call.arguments.get("instances", ())))
            if (left := self.settings.probes - talk.probes) < runs:
                fault = f"probe: {runs} executions asked for, {left} left in this episode; evaluate instead"
                return OperationCall(call.name, {}, fault)
            talk.probes += runs
        if call.name == "experiment":
            left_seconds = self.settings.cpu_seconds - talk.cpu_seconds
            seconds = min(float(call.arguments.get("cpu_seconds", 30.0)), left_seconds)
            if seconds <= 0:
                fault = "experiment: no CPU seconds are left in this episode, or none asked for; do without"
                return OperationCall(call.name, {}, fault)
            talk.cpu_seconds += seconds
            return replace(call, arguments={**call.arguments, "cpu_seconds": seconds})
        return call

    def _done(
        self, talk: Episode, parents: Sequence[Elite], context: Context
    ) -> tuple[list[str], Proposal | None]:
        """Answers to the calls of the last reply, and the program that is to be evaluated if there is one."""
        answers: list[str] = []
        for call in talk.calls:
            if call.fault:
                answers.append(_answer(call.name, {"error": call.fault}))
            elif call.name == "note":
                answers.append(_answer("note", {"kept": "until the episode ends; then later ones read it"}))
            elif call.name == "evaluate":
                made = self._proposal(talk, call, parents)
                if isinstance(made, Proposal):
                    talk.pending = answers
                    return answers, made
                answers.append(_answer("evaluate", {"error": made}))
            elif self._bench is not None:
                answers.append(_answer(call.name, self._bench.run(call.name, call.arguments)))
        return answers or [NO_CALL], None

    def _proposal(self, talk: Episode, call: OperationCall, parents: Sequence[Elite]) -> Proposal | str:
        """The proposal of a program, or what is wrong with it."""
        main, *_ = parents[0].candidate.files
        files = {**parents[0].candidate.files, main: call.arguments["program"]}
        examined = None if self._examine is None else self._examine(files)
        if examined is not None and not isinstance(examined, Examination):
            return f"refused, {examined[0].value}: {examined[1]}; mend that and evaluate again"
        arm = talk.arm
        idea = idea_of(call.arguments.get("idea", "")) or idea_of(talk.last.text)
        return Proposal(files, Origin(arm.operator), arm.name, talk.prompt, talk.last, examined, idea)

    @property
    def _here(self) -> EpisodeBench:
        """The bench.

        Raises:
            LeftOpen: all operations are in a record, which ends here.
        """
        if self._bench is None:
            raise LeftOpen("the record of the episode ends here")
        return self._bench

    def _outcome(self, number: int, parents: Sequence[Elite], context: Context) -> str:
        """The answer to the evaluation of an iteration's program."""
        outcome = self._outcomes[number]
        if isinstance(outcome, Refused):
            rejection = outcome.rejection
            sentence = f"not evaluated, {rejection.reason.value}: {rejection.excerpt}"
            return _answer("evaluate", {"error": sentence})
        best = None if context.best is None else context.best.candidate.id
        return _answer("evaluate", self._here.evaluated(outcome.candidate.id, parents[0].candidate.id, best))

    def _next(self, talk: Episode, answers: Sequence[str], reason: str) -> Prompt:
        """The next question: all before it, the last reply, the answers, and what is left."""
        talk.cpu_seconds -= _unused_seconds(talk.calls, _joined(answers))
        left = _CLOSING.format(reason) if reason else self._left(talk)
        answers = (*answers[:-1], f"{answers[-1]}\n\n{left}") if answers else (left,)
        talk.turns.append(Turn(talk.last.text, tuple(answers)))
        return replace(talk.prompt, user=_extended(talk.prompt.user, talk.turns))

    def _left(self, talk: Episode) -> str:
        limits = self.settings
        return (
            f"Left in this episode: {limits.turns - talk.questions} questions, about "
            f"{max(0, limits.tokens - talk.tokens):,} tokens, {limits.probes - talk.probes} probes, "
            f"{max(0.0, limits.cpu_seconds - talk.cpu_seconds):.1f} CPU seconds of experiments."
        )

    def _reason(self, talk: Episode, first: int, parents: Sequence[Elite], context: Context) -> str:
        """Why an episode ends now; empty while it goes on."""
        limits = self.settings
        if context.program >= context.programs:
            return f"all {limits.evaluations} evaluations are used"
        if talk.questions >= limits.turns - 1:
            return f"all {limits.turns} questions are used"
        if talk.tokens >= limits.tokens:
            return f"its {limits.tokens:,} tokens are used"
        if talk.idle >= IDLE:
            return f"{IDLE} replies called nothing"
        if self._without_gain(first, parents, context) >= WITHOUT_GAIN:
            return f"{WITHOUT_GAIN} evaluations in succession gained nothing beyond noise"
        return ""

    def _without_gain(self, first: int, parents: Sequence[Elite], context: Context) -> int:
        """Evaluations since the last gain beyond noise over the best before it (count)."""
        best = parents[0].evaluation.scores
        since = 0
        for number in range(first, context.iteration):
            outcome = self._outcomes.get(number)
            if outcome is None or isinstance(outcome, Refused):
                continue
            since += 1
            if isinstance(outcome, Complete) and _gains(outcome.evaluation.scores, best, context):
                best = outcome.evaluation.scores
                since = 0
        return since

    def _awaited(self, first: int, number: int) -> Outcome | None:
        """The outcome of an iteration; None if the episode is over.

        Raises:
            LeftOpen: the campaign is ending.
        """
        with self._changed:
            while True:
                if first in self._over:
                    if (error := self._over[first]) is not None:
                        raise error
                    return None
                if (outcome := self._outcomes.get(number)) is not None:
                    return None if _is_end(outcome) else outcome
                if self._paused:
                    raise LeftOpen("the campaign is ending")
                self._changed.wait()

    def _conversation(self, first: int, context: Context) -> Episode | None:
        """The conversation so far, from memory or from the record; None where there is none."""
        if first in self._open:
            return self._open[first]
        talk: Episode | None = None
        for turn in self._callers[0].turns(first, context.iteration - 1):
            talk = self._taken(talk, turn, context)
        if talk is not None:
            self._open[first] = talk
        return talk

    def _taken(self, talk: Episode | None, turn: CallTurn, context: Context) -> Episode | None:
        """The conversation with one more recorded question and its reply."""
        if turn.completion is None:
            return talk
        if talk is None:
            arm = self._arm_of(turn.operator, turn.model)
            talk = Episode(arm, turn.prompt, turn.prompt, turn.completion)
        else:
            self._resume(talk, turn.prompt)
        self._take(talk, turn.prompt, turn.completion, context)
        return talk

    def _resume(self, talk: Episode, prompt: Prompt) -> None:
        """Puts the last reply, and the answers that a recorded prompt holds, among the turns."""
        place = len(talk.turns) + 1
        before = talk.prompt.user + _REPLY.format(place) + talk.last.text + _ANSWERS.format(place)
        told = prompt.user[len(before) :] if prompt.user.startswith(before) else prompt.user
        talk.cpu_seconds -= _unused_seconds(talk.calls, told)
        talk.turns.append(Turn(talk.last.text, (told.rstrip("\n"),)))

    def _recorded(self, talk: Episode, number: int, round: int) -> Prompt | None:
        """The recorded question of an iteration and round, which is asked again as it was; None without."""
        if self._record is not None:
            prompt = self._record(number, round)
        else:
            turns = self._callers[talk.arm.model].turns(number, number)
            prompt = next((turn.prompt for turn in turns if turn.round == round), None)
        if prompt is not None:
            self._resume(talk, prompt)
        return prompt

    def _finish(self, talk: Episode, first: int, text: str) -> Rejection:
        """Ends an episode with what was learned."""
        self._end(first)
        return _over(talk, "; ".join(filter(None, [*talk.notes, text]))[:LEARNED_CHARACTERS])

    def _end(self, first: int, error: BaseException | None = None) -> None:
        with self._changed:
            self._over.setdefault(first, error)
            self._open.pop(first, None)
            for number in [n for n in self._outcomes if first <= n < first + self.settings.iterations]:
                del self._outcomes[number]
            self._changed.notify_all()


def _tokens(characters: int, told: int | None) -> int:
    """Tokens of a text (count): what the server told, but no fewer than texts have, or an estimate.

    A server that tells too few would have every question repeat all that it said, and the store keep that.
    """
    return characters // 4 if told is None else max(told, characters // _MOST_OF_A_TOKEN)


def _is_end(outcome: Outcome) -> bool:
    return isinstance(outcome, Refused) and outcome.rejection.reason is RejectionReason.EPISODE_OVER


def learned(text: str) -> str:
    """What an episode leaves, on one line of at most `LEARNED_WORDS`."""
    words = neutral_text(without_thoughts(text)).split()[:LEARNED_WORDS]
    return " ".join(words)[:LEARNED_CHARACTERS]


def _ending(talk: Episode, before: str) -> str | None:
    """What a reply that ends the episode says was learned; None where it does not, or does something first.

    `before` is the operation that comes first where both are called.
    """
    for call in talk.calls:
        if call.fault or call.name == before:
            return None
        if call.name == "done":
            return learned(call.arguments.get("learned", ""))
    return None


def _over(talk: Episode | None, text: str) -> Rejection:
    reason = RejectionReason.EPISODE_OVER
    if talk is None:
        return Rejection(reason, text, Origin.IMPROVE, Origin.IMPROVE.value)
    return Rejection(reason, text, Origin(talk.arm.operator), talk.arm.name, talk.prompt, talk.last)


def _answer(name: str, found: Mapping[str, Any]) -> str:
    """An operation's answer as the model reads it, cut to its limit."""
    text = json.dumps(_rounded(dict(found)), ensure_ascii=False)
    if len(text) > ANSWER_CHARACTERS:
        text = f"{text[:ANSWER_CHARACTERS]} … {len(text) - ANSWER_CHARACTERS:,} more characters"
    return f"## {name}\n\n{text}"


def _unused_seconds(calls: Sequence[OperationCall], answers: str) -> float:
    """CPU seconds that experiments of a reply were granted and did not use, by their answers.

    An answer that was cut tells nothing: then all count as used, in a session and in its repetition alike.
    """
    granted = [
        call.arguments["cpu_seconds"] for call in calls if call.name == "experiment" and not call.fault
    ]
    used = 0.0
    lines = answers.split("\n")
    for header, line in zip(lines, lines[2:], strict=False):
        if header == "## experiment":
            try:
                used += float(json.loads(line).get("cpu_seconds", 0))
            except ValueError:
                return 0.0
    return float(max(0.0, sum(granted) - used))


def _rounded(value: Any) -> Any:
    """JSON whose fractions have five digits; what is None is left out of objects."""
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, Mapping):
        return {key: _rounded(one) for key, one in value.items() if one is not None}
    return [_rounded(one) for one in value] if isinstance(value, list | tuple) else value


def _extended(user: str, turns: Sequence[Turn]) -> str:
    """A prompt's text with the newest turn at its end."""
    place = len(turns)
    turn = turns[-1]
    return f"{user}{_REPLY.format(place)}{turn.reply}{_ANSWERS.format(place)}{_joined(turn.answers)}\n"


def _joined(answers: Sequence[str]) -> str:
    return "\n\n".join(answers)


def _gains(scores: Sequence[Score], best: Sequence[Score], context: Context) -> bool:
    """Whether scores are better than others beyond noise, paired by instance; of few, whether better."""
    mine = gaps_of(scores, context.instances)
    theirs = gaps_of(best, context.instances)
    differences = [gap - theirs[id] for id, gap in mine.items() if id in theirs]
    if not differences:
        return False
    half = half_interval(differences)
    return fmean(differences) < -(half or 0.0)

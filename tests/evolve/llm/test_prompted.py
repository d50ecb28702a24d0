"""The proposer that asks models: from elites to a prompt, from a reply to a proposal or a rejection."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest
from gapsmith.evaluators.base import Evaluation, EvaluationStatus, ReferenceKind, Score, ScoreStatus
from gapsmith.evolve.admission import Admission
from gapsmith.evolve.llm.base import SKIPPED, ErrorKind, ModelError, Recourse
from gapsmith.evolve.llm.caller import Caller, RetryPolicy
from gapsmith.evolve.llm.cassette import Cassette, CassetteModel
from gapsmith.evolve.llm.ledger import Ledger
from gapsmith.evolve.llm.proposer import SIMPLIFY_FROM_LINES, PromptedProposer
from gapsmith.evolve.llm.settings import ModelSettings, PromptSettings
from gapsmith.evolve.types import (
    Candidate,
    Completion,
    Context,
    Elite,
    Examination,
    Failed,
    Origin,
    Proposal,
    Rejection,
    RejectionReason,
)
from gapsmith.problems.base import Instance, Sense
from gapsmith.prompts.builder import Builder
from gapsmith.sandbox.base import Description

CODE = "def solve(items):\n    return items\n"
NEW = "def solve(items):\n    return sorted(items)\n"
WHOLE = f"Sorted.\n```python\n{NEW}```"


class Sorting:
    """A problem of a few words."""

    name, version, sense, unit = "sorting", "1", Sense.MINIMISE, "swaps"
    entry_point, signature, statement = (
        "solve",
        "def solve(items: list[int]) -> list[int]:",
        "Sort the items.",
    )


class Told:
    """A model that answers with the given texts, completions or errors in turn."""

    name = "told"

    def __init__(self, *replies):
        self.replies = list(replies)
        self.requests = []

    def complete(self, request):
        """The next reply."""
        self.requests.append(request)
        reply = self.replies[min(len(self.requests), len(self.replies)) - 1]
        if isinstance(reply, ModelError):
            raise reply
        return (
            reply
            if isinstance(reply, Completion)
            else Completion(reply, "told", 10, 10, finish_reason="stop")
        )


def elite(code=CODE, id="parent", iteration=0):
    """An elite with two scores: 20 % off on one instance, and one missed zero."""
    scores = (
        Score("a", ScoreStatus.OK, 6, 5, ReferenceKind.OPTIMUM, Fraction(1, 5), 1, 0.1),
        Score("b", ScoreStatus.OK, 2, 0, ReferenceKind.OPTIMUM, None, 2, 0.1),
    )
    evaluation = Evaluation("train", scores, EvaluationStatus.COMPLETE, -0.3)
    candidate = Candidate(id, {"heuristic.py": code}, (), Origin.START, "start", 0, iteration, Description())
    return Elite(candidate, evaluation, 0, (0,), (0.0,))


def context(iteration=1, **changes):
    """A context with two training instances."""
    instances = {
        name: Instance(
            name, "train", "all", {"items": [3, 1, 2]}, 1, "by hand", hidden={"secret": "answer-xyzzy"}
        )
        for name in ("a", "b")
    }
    return Context(Sorting(), iteration, instances, elite(), modules=("math",), **changes)


def caller(model, log=None, in_flight=4):
    """Calls a model; errors are tried again at once."""
    policy = RetryPolicy(first_seconds=0.001, longest_seconds=0.001)
    log = Cassette() if log is None else log
    return Caller(model, ModelSettings(spec="told"), Ledger(), log, in_flight, policy)


def proposer(model, examine=None, log=None, in_flight=4):
    """A proposer with one model."""
    called = caller(model, log, in_flight)
    return PromptedProposer([called], Builder(), PromptSettings(), examine)


def propose(model, parents=None, iteration=1, **options):
    """One proposal."""
    return proposer(model, **options).propose(parents or [elite()], context(iteration), random.Random(1))


def test_a_reply_becomes_a_proposal_with_its_prompt():
    """Text, origin, operator, prompt and completion are those of the call."""
    model = Told(WHOLE)
    made = propose(model)
    assert isinstance(made, Proposal)
    assert dict(made.files) == {"heuristic.py": NEW}
    assert made.origin.value == made.operator
    assert made.prompt == model.requests[0].prompt
    assert made.completion.text == WHOLE


def test_a_crash_is_repaired():
    """A repair is asked for as one."""
    evaluation = replace(
        elite().evaluation,
        scores=(
            Score("a", ScoreStatus.RAISED, None, 5, ReferenceKind.OPTIMUM, None, None, 0.1, message="no"),
        ),
    )
    failed = Failed(elite(id="bad").candidate, evaluation)
    told = context(failed=failed)
    made = proposer(Told(WHOLE)).propose([elite()], told, random.Random(1))
    assert made.origin is Origin.REPAIR
    assert made.prompt.user.startswith("# Repair a program")


def test_the_prompt_shows_training_facts_and_no_secret():
    """Gap per stratum, worst instance and parent code are shown; hidden parts are not."""
    model = Told(WHOLE)
    propose(model)
    user = model.requests[0].prompt.user
    assert "| all | 2 | 110.00 % |" in user
    assert "Instance b (all), optimum 0 swaps:" in user
    assert "items = [3, 1, 2]" in user
    assert CODE in user
    assert "xyzzy" not in user + model.requests[0].prompt.system


@pytest.mark.parametrize(
    ("pages", "words"), [((12,), "Old page"), ((22, 12), "New page"), ((12, 22), "New page")]
)
def test_a_page_of_notes_that_arrives_late_takes_no_newer_ones_place(pages, words):
    """The one that was asked for last knows the most, in whichever order the two came."""
    written = {12: "Old page.", 22: "New page."}
    made = PromptedProposer([caller(Told(WHOLE))], Builder(), PromptSettings(), pages=written).ask_for(
        "improve", [elite()], context(30, pages=pages)
    )
    assert f"> {words}." in made.user
    assert made.user.count("> Old page.") + made.user.count("> New page.") == 1


def test_an_unseen_character_is_repaired_with_its_place():
    """The repair prompt names code point, line and column, and carries no such character itself."""
    examine = Admission(SimpleNamespace(describe=None), "solve", ()).examine
    model = Told("```python\ndef solve(items):\n    return items  # \u202eright\n```")
    found = propose(model, examine=examine)
    assert found.reason is RejectionReason.UNSEEN_CHARACTER
    repair = model.requests[1].prompt.user
    assert "unseen_character" in repair
    assert "line 2, column 21: U+202E RIGHT-TO-LEFT OVERRIDE" in repair
    assert "\u202e" not in repair


def test_one_repair_with_the_reason_then_a_rejection():
    """A reply without code is asked to be repaired once, with the reason and the reply quoted."""
    model = Told("I would sort.", WHOLE)
    made = propose(model)
    assert isinstance(made, Proposal)
    assert made.origin is Origin.REPAIR
    assert [request.round for request in model.requests] == [1, 2]
    assert "> I would sort." in model.requests[1].prompt.user
    assert "no program" in model.requests[1].prompt.user

    stubborn = Told("I would sort.")
    rejected = propose(stubborn)
    assert rejected.reason is RejectionReason.NO_CODE
    assert rejected.origin is Origin.REPAIR
    assert len(stubborn.requests) == 2


def test_a_hunk_that_matches_nothing_is_never_the_parent_again():
    """The parent's text is not proposed in place of a failed edit."""
    rejected = propose(Told("<<<<<<< SEARCH\nnowhere\n=======\nx\n>>>>>>> REPLACE"))
    assert rejected.reason is RejectionReason.HUNK_NOT_FOUND


def test_faults_that_an_examiner_finds_are_repaired_too():
    """Syntax and imports are examined before the repair round is over, each text once, for the loop too."""
    texts = []

    def examine(files):
        texts.append(files["heuristic.py"])
        broken = "broken" in files["heuristic.py"]
        return (RejectionReason.SYNTAX, "line 1: oops") if broken else Examination("id", Description())

    model = Told("```python\ndef solve(a): broken\n```", WHOLE)
    made = propose(model, examine=examine)
    assert isinstance(made, Proposal)
    assert "line 1: oops" in model.requests[1].prompt.user
    assert len(texts) == 2
    assert Admission(None, "solve", ()).examined(made) is made


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Completion("No.", "told", finish_reason="refusal"), RejectionReason.REFUSED_BY_MODEL),
        (ModelError(ErrorKind.FILTERED, "filtered"), RejectionReason.REFUSED_BY_MODEL),
        (ModelError(ErrorKind.EMPTY, "empty"), RejectionReason.NO_CODE),
    ],
)
def test_what_a_model_refuses_is_a_rejection(reply, reason):
    """Refusals reject the proposal; the campaign goes on."""
    assert propose(Told(reply)).reason is reason


def test_a_prompt_that_no_model_takes_asks_a_person_with_the_key_that_helps():
    """Nothing shorter can be written, and nothing was answered: the campaign stops and says so."""
    with pytest.raises(ModelError, match=r"larger context.*max_output_tokens") as caught:
        propose(Told(ModelError(ErrorKind.TOO_LONG, "too long")))
    assert caught.value.recourse is Recourse.PERSON


def test_a_person_who_skips_prompts_is_asked_on():
    """Skips are rejections, and however many there are, the model is not set aside."""
    skips = [Completion("skip", "told", finish_reason=SKIPPED)] * 20
    model = Told(*skips, WHOLE)
    asked = proposer(model)
    for number in range(1, 21):
        made = asked.propose([elite()], context(number), random.Random(number))
        assert (made.reason, made.excerpt) == (RejectionReason.REFUSED_BY_MODEL, "skipped")
    assert isinstance(asked.propose([elite()], context(21), random.Random(21)), Proposal)
    assert len(model.requests) == 21


def test_no_question_waits_for_a_page_of_notes_and_later_ones_show_it():
    """A question opened beside a page is answered first; one that may show the page does."""
    answered = threading.Event()

    class Writing(Told):
        def complete(self, request):
            if request.round == 0:
                assert answered.wait(20), "the other question waits for the page"
                return Completion("Sorting pays.", "told", 10, 10, finish_reason="stop")
            reply = super().complete(request)
            answered.set()
            return reply

    model = Writing(WHOLE)
    asked = proposer(model)
    asked.expect(1)
    asked.expect(2)
    with ThreadPoolExecutor(1) as threads:
        writing = threads.submit(asked.propose, [elite()], context(1, writes=True), random.Random(1))
        assert isinstance(asked.propose([elite()], context(2), random.Random(2)), Proposal)
        assert isinstance(writing.result(), Proposal)
    asked.propose([elite()], context(3, pages=(1,)), random.Random(3))
    shown = {request.iteration: "> Sorting pays." in request.prompt.user for request in model.requests}
    assert shown == {1: False, 2: False, 3: True}


def test_a_page_of_notes_is_written_while_the_question_beside_it_is_answered():
    """The two calls of an ask meet at the model; its program comes with the page."""
    both = threading.Barrier(2, timeout=20)

    class Meeting(Told):
        def complete(self, request):
            both.wait()
            if request.round == 0:
                return Completion("Sorting pays.", "told", 10, 10, finish_reason="stop")
            return super().complete(request)

    asked = proposer(Meeting(WHOLE))
    assert isinstance(asked.propose([elite()], context(1, writes=True), random.Random(1)), Proposal)
    assert asked._pages == {1: "Sorting pays."}


def test_a_page_of_notes_is_asked_for_first_where_one_call_is_under_way_at_a_time():
    """A person, for example, gets the two in this order."""
    model = Told("Sorting pays.", WHOLE)
    asked = proposer(model, in_flight=1)
    assert isinstance(asked.propose([elite()], context(1, writes=True), random.Random(1)), Proposal)
    assert [request.round for request in model.requests] == [0, 1]


def test_a_page_of_notes_that_needs_a_person_ends_the_ask():
    """The key that a page's call lacks is what the caller hears of."""

    class Locked(Told):
        def complete(self, request):
            if request.round == 0:
                raise ModelError(ErrorKind.KEY, "no such key")
            return super().complete(request)

    with pytest.raises(ModelError, match="no such key"):
        proposer(Locked(WHOLE)).propose([elite()], context(1, writes=True), random.Random(1))


def test_short_programs_and_start_programs_are_not_simplified():
    """*Simplify* is possible for a reply's program from a documented number of lines on."""
    long = CODE + "    # why\n" * (SIMPLIFY_FROM_LINES - 2)

    def asked(code, iteration):
        operators = set()
        for number in range(1, 60):
            made = proposer(Told(WHOLE)).propose(
                [elite(code, iteration=iteration)], context(number), random.Random(number)
            )
            operators.add(made.prompt.user.partition("\n")[0])
        return "# Simplify this program" in operators

    assert [asked(CODE, 3), asked(long, 0), asked(long, 3)] == [False, False, True]


def test_a_cut_reply_is_repaired():
    """A program that ends at the length limit is not taken as it is."""
    cut = Completion("```python\ndef solve(items):\n    return items", "told", finish_reason="length")
    assert propose(Told(cut, WHOLE)).files["heuristic.py"] == NEW


def test_what_needs_a_person_is_raised():
    """The loop stops; nothing is made of it."""
    with pytest.raises(ModelError, match="no such key"):
        propose(Told(ModelError(ErrorKind.KEY, "no such key")))


def test_a_reply_on_record_is_not_asked_for_again():
    """A second session finds the reply of the first, for the same iteration, round and prompt."""
    log = Cassette()
    propose(Told("I would sort.", WHOLE), log=log)
    silent = Told(ModelError(ErrorKind.KEY, "asked again"))
    again = propose(silent, log=log)
    assert isinstance(again, Proposal)
    assert silent.requests == []


def test_a_saved_cassette_replays_without_a_model(tmp_path):
    """The record alone gives the same proposals, and says so where it has nothing."""
    log = Cassette()
    first = [propose(Told("I would sort.", WHOLE), iteration=i, log=log) for i in (1, 2)]
    log.save(tmp_path / "calls.jsonl")
    recorded = CassetteModel("replay/calls", Cassette.load(tmp_path / "calls.jsonl"))
    assert [propose(recorded, iteration=i).files for i in (1, 2)] == [made.files for made in first]
    with pytest.raises(ModelError, match="iteration 3"):
        propose(recorded, iteration=3)


def test_a_replay_forgives_measured_seconds_and_nothing_else():
    """CPU times differ when programs run again; any other difference of the prompt is another campaign."""
    log = Cassette()
    propose(Told(WHOLE), log=log)
    (exchange,) = log.exchanges
    tape = Cassette([exchange])
    prompt = exchange.prompt
    assert "0.1 s of CPU time" in prompt.user
    slower = replace(prompt, user=prompt.user.replace("0.1 s of CPU time", "0.0231 s of CPU time"))
    other = replace(prompt, user=prompt.user.replace("20.00 %", "21.00 %"))
    assert tape.recorded(1, 1, slower) == exchange
    assert tape.recorded(1, 1, other) is None
    assert tape.recorded(2, 1, prompt) is None


def test_long_programs_are_changed_by_hunks():
    """A program of many lines is not asked for as a whole."""
    long = CODE + "".join(f"# line {i}\n" for i in range(200))
    hunk = "<<<<<<< SEARCH\n    return items\n=======\n    return sorted(items)\n>>>>>>> REPLACE"
    model = Told(hunk)
    made = proposer(model)
    answers = [made.propose([elite(long)], context(i), random.Random(i)) for i in range(1, 9)]
    assert all(
        a.files["heuristic.py"] == long.replace("return items", "return sorted(items)") for a in answers
    )
    assert any("<<<<<<< SEARCH" in request.prompt.user for request in model.requests)


def test_combine_shows_both_parents():
    """With a second parent both programs are in the prompt of *combine*; without one it is never chosen."""
    model = Told(WHOLE)
    made = proposer(model)
    other = elite("def solve(items):\n    return items[::-1]\n", "other", 3)
    both = [made.propose([elite(), other], context(i), random.Random(i)) for i in range(1, 40)]
    shown = [p.prompt.user for p in both if p.operator == "combine"]
    assert shown
    assert all("items[::-1]" in user and CODE in user for user in shown)
    alone = [made.propose([elite()], context(i), random.Random(i)) for i in range(1, 40)]
    assert "combine" not in {p.operator for p in alone}


def test_a_failed_candidate_is_repaired_without_a_second_round():
    """The reply is read against the program that failed; what cannot be used then is a rejection."""
    broken = elite("def solve(items):\n    return items[9]\n", "broken", 4).candidate
    score = Score(
        "a", ScoreStatus.RAISED, None, 5, ReferenceKind.OPTIMUM, None, None, 0.1, message="IndexError"
    )
    evaluation = Evaluation("train", (score,), EvaluationStatus.FAILED, None)
    asked = context(failed=Failed(broken, evaluation))
    hunk = "<<<<<<< SEARCH\n    return items[9]\n=======\n    return sorted(items)\n>>>>>>> REPLACE"
    for text, expected in ((hunk, Proposal), ("Prose.", Rejection)):
        model = Told(text)
        made = proposer(model)
        outcome = made.propose([elite()], asked, random.Random(1))
        assert isinstance(outcome, expected)
        assert outcome.origin is Origin.REPAIR
        assert len(model.requests) == 1
        assert "return items[9]" in model.requests[0].prompt.user


@pytest.mark.parametrize(
    ("status", "always"), [("raised", True), ("invalid_answer", True), ("timeout", False)]
)
def test_what_crashed_is_always_repaired(status, always):
    """Other failures are repaired now and then."""
    score = Score("a", ScoreStatus(status), None, 5, ReferenceKind.OPTIMUM, None, None, 0.1, message="why")
    failed = Failed(elite().candidate, Evaluation("train", (score,), EvaluationStatus.FAILED, None))
    made, rng = proposer(Told(WHOLE)), random.Random(2)
    chosen = [made.choose([elite()], context(failed=failed), rng).operator for _ in range(100)]
    assert "repair" in chosen
    assert (set(chosen) == {"repair"}) is always


def test_a_program_is_asked_once_to_be_shorter():
    """However the first request ended."""
    long = elite("def solve(items):\n" + "    items = items[:]\n" * 40 + "    return items\n", "long", 4)
    made, rng = proposer(Told(WHOLE)), random.Random(2)
    for simplified in (False, True):
        asked = context(simplified=simplified)
        chosen = {made.choose([long], asked, rng).operator for _ in range(200)}
        assert ("simplify" in chosen) is not simplified


def test_nothing_is_repaired_where_nothing_failed():
    """The operator is possible only with something to repair."""
    made = proposer(Told(WHOLE))
    rng = random.Random(2)
    chosen = {made.choose([elite()], context(), rng).operator for _ in range(200)}
    assert "repair" not in chosen

"""Jobs and evaluations come through a line as they were, and a damaged line says so."""

from __future__ import annotations

import json
from contextlib import suppress
from fractions import Fraction
from typing import Any

import pytest
from gapsmith.evaluators.base import Evaluation, EvaluationStatus, ReferenceKind, Score, ScoreStatus
from gapsmith.evolve.executor import EvaluationJob
from gapsmith.evolve.racing import PairedRace, TimedRace
from gapsmith.evolve.remote.proposals import Draft, Material
from gapsmith.evolve.remote.protocol import (
    LineError,
    WorkerFault,
    decode_reply,
    decode_work,
    encode_reply,
    encode_work,
)
from gapsmith.evolve.types import Examination, Origin, Proposal, Rejection, RejectionReason
from gapsmith.sandbox.base import Constant, Description, Program, SandboxError, Statement
from hypothesis import given
from hypothesis import strategies as st

TEXT = st.text(max_size=12)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
NUMBERS = st.one_of(st.integers(), st.fractions(), FLOATS)
RATIOS = st.one_of(st.fractions(), FLOATS)
METRICS = st.dictionaries(TEXT, st.integers() | st.booleans() | FLOATS | TEXT, max_size=2)


@st.composite
def scores(draw: st.DrawFn) -> Score:
    """Scores of all kinds."""
    status, kind = draw(st.sampled_from(ScoreStatus)), draw(st.sampled_from(ReferenceKind))
    reference = draw(NUMBERS)
    judged = status in (ScoreStatus.OK, ScoreStatus.BEYOND_BOUND)
    gap = status is ScoreStatus.OK and reference != 0 and kind is not ReferenceKind.REPORTED
    return Score(
        draw(TEXT),
        status,
        draw(NUMBERS) if judged else None,
        reference,
        kind,
        draw(RATIOS) if gap else None,
        draw(NUMBERS) if judged else None,
        draw(st.floats(0, 1e6)),
        draw(st.none() | TEXT),
        draw(st.none() | TEXT),
        tuple(draw(st.lists(TEXT, max_size=2))),
        draw(st.none() | METRICS),
    )


@st.composite
def evaluations(draw: st.DrawFn) -> Evaluation:
    """Evaluations of all kinds."""
    status = draw(st.sampled_from(EvaluationStatus))
    fitness = draw(FLOATS) if status is EvaluationStatus.COMPLETE else None
    return Evaluation(draw(TEXT), tuple(draw(st.lists(scores(), max_size=4))), status, fitness)


TUPLES = st.lists(TEXT, max_size=3).map(tuple)
PARENTS = st.lists(st.none() | TEXT, max_size=3).map(tuple)
LOSSES = st.lists(FLOATS, max_size=4).map(tuple)
PAIRED = st.builds(PairedRace, LOSSES, FLOATS, st.booleans(), PARENTS, TUPLES)
INCUMBENTS = st.dictionaries(st.integers(-9, 9), PAIRED, max_size=3)
RACES = st.none() | PAIRED | st.builds(TimedRace, INCUMBENTS, PARENTS, FLOATS, FLOATS, TUPLES)
PROGRAMS = st.builds(
    Program,
    st.dictionaries(TEXT, TEXT, min_size=1, max_size=3),
    TEXT,
    st.none() | TEXT,
    st.integers(0, 9),
)
JOBS = st.builds(
    EvaluationJob, PROGRAMS, TEXT, st.booleans(), RACES, st.integers(0, 99), st.none() | st.integers(0, 99)
)


FILES = st.dictionaries(TEXT, TEXT, min_size=1, max_size=3)
COUNTS = st.dictionaries(TEXT, st.tuples(st.integers(), st.integers()), max_size=3)
ROWS = st.lists(st.tuples(TEXT, TEXT, TEXT), max_size=3).map(tuple)
MATERIAL = st.builds(Material, FILES, st.none() | TEXT, COUNTS, st.booleans(), st.floats(0.01, 1), ROWS)
PROPOSALS = st.builds(Proposal, FILES, st.sampled_from(Origin), TEXT)
DRAFTS = st.builds(Draft, MATERIAL | PROPOSALS, st.integers(0), st.integers(1), st.booleans())
STATEMENTS = st.builds(Statement, *[st.integers(0)] * 2, TEXT, st.integers(0))
DESCRIPTIONS = st.builds(
    Description,
    entry_point=st.just(True),
    token_digest=TEXT,
    shape_digest=st.none() | TEXT,
    imports=st.lists(TEXT, max_size=2).map(tuple),
    nodes=st.integers(0),
    depth=st.integers(0),
    descriptors=st.dictionaries(TEXT, st.integers(0), max_size=2),
    constants=st.lists(st.builds(Constant, *[st.integers(0)] * 3, TEXT), max_size=2).map(tuple),
    statements=st.lists(STATEMENTS, max_size=2).map(tuple),
    internals=st.lists(TEXT, max_size=2).map(tuple),
)
EXAMINED = st.builds(Examination, TEXT, DESCRIPTIONS)
DRAFTED = st.builds(Proposal, FILES, st.sampled_from(Origin), TEXT, examined=EXAMINED) | st.builds(
    Rejection, st.sampled_from(RejectionReason), TEXT, st.sampled_from(Origin), TEXT
)


def typed(value: Any) -> Any:
    """A value with the types of its numbers: 2 and 2.0 and Fraction(2) differ."""
    return repr(value)


@pytest.mark.slow
@given(st.integers(0), JOBS)
def test_a_job_comes_through_a_line(number: int, job: EvaluationJob) -> None:
    """Number, program with the order of its files, part and race are the same, on one line."""
    line = encode_work(number, job)
    assert "\n" not in line
    assert typed(decode_work(line)) == typed((number, job))


@given(st.integers(0), DRAFTS)
def test_a_draft_comes_through_a_line(number: int, draft: Draft) -> None:
    """Texts, records of operators and the key of the random stream are the same, on one line."""
    line = encode_work(number, draft)
    assert "\n" not in line
    assert typed(decode_work(line)) == typed((number, draft))


@given(st.integers(0), DRAFTED)
def test_the_result_of_a_draft_comes_through_a_line(number: int, made: Proposal | Rejection) -> None:
    """The examined proposal is the same with all that its text was found to be, and so is a rejection."""
    line = encode_reply(number, made)
    assert "\n" not in line
    assert typed(decode_reply(line)) == typed((number, made))


@given(st.integers(0), evaluations())
def test_an_evaluation_comes_through_a_line(number: int, evaluation: Evaluation) -> None:
    """Every number keeps its type and its value."""
    line = encode_reply(number, evaluation)
    assert "\n" not in line
    assert typed(decode_reply(line)) == typed((number, evaluation))


def test_errors_come_through_a_line() -> None:
    """A sandbox that does not work keeps layer, reason and hint; any other error its traceback."""
    number, found = decode_reply(encode_reply(3, SandboxError("seccomp", "no filter", "update the kernel")))
    assert isinstance(found, SandboxError)
    assert (number, found.layer, found.reason, found.hint) == (3, "seccomp", "no filter", "update the kernel")
    _, fault = decode_reply(encode_reply(4, ZeroDivisionError("one"), "Traceback …"))
    assert isinstance(fault, WorkerFault)
    assert str(fault) == "Traceback …"


WHOLE = Evaluation(
    "train",
    (
        Score("train-1", ScoreStatus.OK, 7, 6, ReferenceKind.OPTIMUM, Fraction(1, 6), 1, 0.25, "ab", None),
        Score("b", ScoreStatus.RAISED, None, 6, ReferenceKind.BOUND, None, None, 0.1, None, "no", ("x",)),
    ),
    EvaluationStatus.FAILED,
    None,
)
SOUND = Description(
    entry_point=True,
    token_digest="ab",
    nodes=3,
    descriptors={"loops": 1},
    constants=(Constant(1, 2, 3, "4"),),
)
LINES = (
    encode_reply(8, WHOLE),
    encode_work(
        5, EvaluationJob(Program({"a.py": "x"}, "f"), "train", race=PairedRace((0.1, 0.2), 0.05, True))
    ),
    encode_work(6, Draft(Material({"a.py": "x"}, "y", {"swap": (3, 1)}), 1, 2)),
    encode_reply(7, Proposal({"a.py": "x"}, Origin.MUTATE, "swap", examined=Examination("ab", SOUND))),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | FLOATS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(LINES), st.data())
def test_a_damaged_line_is_an_error_that_says_so(line: str, data: st.DataObject) -> None:
    """Cut lines, changed characters and other values are line errors, or still a message; never a crash."""
    place = data.draw(st.integers(0, len(line) - 1))
    texts = [line[:place], line[:place] + data.draw(TEXT) + line[place + 1 :]]
    document = json.loads(line)
    spoilt = document[data.draw(st.sampled_from(sorted(document)))]
    if isinstance(spoilt, list | dict) and spoilt:
        keys = range(len(spoilt)) if isinstance(spoilt, list) else sorted(spoilt)
        spoilt[data.draw(st.sampled_from(keys))] = data.draw(JSON)
        texts.append(json.dumps(document))
    for text in texts:
        for decode in (decode_work, decode_reply):
            with suppress(LineError):
                decode(text)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "reply: damaged: Expecting value"),
        ("[1]", "expected a JSON object"),
        ('{"job": 1}', "'fault' is missing or not known"),
        ('{"job": true, "fault": "x"}', "job: got True, expected int"),
        (LINES[0].replace('"7"', '"7/0"'), "the denominator is 0"),
        (LINES[0].replace('"7"', "7"), "score: got"),
        (LINES[0].replace("0.25", "NaN"), "NaN is no JSON"),
        (LINES[0].replace('"failed"', '"passed"'), "'passed' is not a valid EvaluationStatus"),
        (LINES[0].replace('"ok"', '"raised"'), "objective and excess must be set iff valid"),
        (LINES[3].replace('"mutate"', '"mutated"'), "'mutated' is not a valid Origin"),
        (LINES[3].replace('\\"nodes\\":3', '\\"nodes\\":\\"3\\"'), "description: got"),
        (LINES[3].replace("[1,2,3,", "[1,2,"), "constants: expected rows of 4 columns"),
        (LINES[3].replace('\\"loops\\":1', '\\"loops\\":[1]'), "expected counts and texts"),
    ],
)
def test_the_error_names_what_is_wrong(line: str, words: str) -> None:
    """A damaged reply names the part and what was expected."""
    with pytest.raises(LineError, match="reply: ") as caught:
        decode_reply(line)
    assert words in str(caught.value)

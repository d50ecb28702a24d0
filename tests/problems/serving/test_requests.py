"""Requests under memory: verdicts, the rounds around rules, the dialogue, moves, picture, files."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gapsmith.problems.base import Instance, InstanceFileError, VerdictStatus
from gapsmith.problems.serving import kv_scheduling, kv_scheduling_rule
from gapsmith.problems.serving.dialogue import Rounds
from gapsmith.problems.serving.laws import STRATA
from gapsmith.problems.serving.verification import judge, profiles

WHOLE: dict[str, Any] = {
    "workers": 2,
    "memory": 10,
    "arrivals": [0, 0, 1],
    "prompts": [4, 3, 2],
    "outputs": [3, 4, 2],
}


@pytest.mark.parametrize(
    ("answer", "latency"),
    [
        ([[0, 0], [1, 0], [0, 3]], 3 + 4 + 4),
        ([[0, 0], [1, 0], [1, 1]], 3 + 4 + 2),  # worker 1 holds 4, then 5 + 3, then 6 + 4, then 7
        ([[1, 4], [1, 0], [0, 1]], 7 + 4 + 2),
    ],
)
def test_latency_by_hand(answer: Any, latency: int) -> None:
    """Completion less arrival, added up; memory that is filled to the last token is feasible."""
    assert judge(WHOLE, answer).objective == latency


def test_tokens_grow_by_one_a_round() -> None:
    """The prompt and what has been put out, in every round of service."""
    assert profiles(WHOLE, [[0, 0], [1, 0], [1, 1]]) == [{0: 5, 1: 6, 2: 7}, {0: 4, 1: 8, 2: 10, 3: 7}]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ([[0, 0], [1, 0], [1, 0]], "request 2: starts in round 0, but arrives in 1"),
        ([[0, 0], [0, 3], [0, 1]], "worker 0: holds 11 tokens in round 2, its memory is 10"),
    ],
)
def test_what_breaks_a_rule_is_infeasible(answer: Any, words: str) -> None:
    """The overflow is in a round in the middle: every round counts, not the starts alone."""
    verdict = judge(WHOLE, answer)
    assert verdict.status is VerdictStatus.INFEASIBLE
    assert words in verdict.violations[0]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        [[0, 0], [1, 0]],
        [[0, 0], [1, 0], [0]],
        [[0, 0], [1, 0], []],
        [[0, 0], [1, 0], [0, 3.0]],
        [[0, 0], [1, 0], [False, 3]],
        [[0, 0], [1, 0], [2, 3]],
        [[0, 0], [1, 0], [0, -1]],
        [[0, 0], [1, 0], [0, 11]],
        [[0, 0], [1, 0], [0, 10**300]],
    ],
)
def test_what_is_no_schedule_is_invalid(answer: Any) -> None:
    """Shape, type and range; 10 is the last arrival and all outputs."""
    assert judge(WHOLE, answer).status is VerdictStatus.INVALID_ANSWER


def test_online_rules_and_whole_programs_make_the_same_schedules(
    requests_of: Any, run: Any, online: Any
) -> None:
    """Round by round through the dialogue, or with everything known: a rule sees the same."""
    whole, rule = kv_scheduling(), kv_scheduling_rule()
    for workers in (1, 3):
        for requests in requests_of(6, 9, workers, 24, seed=workers):
            for name, source in rule.baselines().items():
                scope: dict[str, Any] = {}
                exec(source, scope)
                answer = online(rule, scope["priority"], requests)
                assert judge(requests, answer).objective is not None
                assert answer == run(whole, whole.baselines()[name], requests), name


def fits(whole: Any, answer: Any, number: int, worker: int, moment: int) -> bool:
    """Whether a request could have started beside those that started before it."""
    earlier = [n for n, (_, start) in enumerate(answer) if start < moment]
    part = {**whole, **{k: [whole[k][n] for n in [*earlier, number]] for k in ("prompts", "outputs")}}
    places = [*(answer[n] for n in earlier), [worker, moment]]
    return all(t <= whole["memory"] for held in profiles(part, places) for t in held.values())


def test_skipping_and_strict_rules(requests_of: Any, run: Any) -> None:
    """FCFS strict starts in the order of arrival; of shortest output, whoever waits did not fit."""
    problem, passed = kv_scheduling(), 0
    for whole in requests_of(12, 8, 1, 20, seed=5):
        strict = run(problem, problem.baselines()["fcfs-strict"], whole)
        starts = [start for _, start in strict]
        assert starts == sorted(starts)
        answer = run(problem, problem.baselines()["shortest-output"], whole)
        for number, (_, start) in enumerate(answer):
            for moment in range(whole["arrivals"][number], start):
                together = [n for n, (_, other) in enumerate(answer) if other == moment]
                assert together or not fits(whole, answer, number, 0, moment)
        passed += answer != strict
    assert passed


def test_adding_memory_for_free_and_shifting_time(requests_of: Any, run: Any) -> None:
    """All arrivals later by k: all starts later by k; with memory for everything nobody waits."""
    problem = kv_scheduling()
    for whole in requests_of(6, 8, 2, 20, seed=6):
        answer = run(problem, problem.baselines()["smallest-area"], whole)
        later = {**whole, "arrivals": [arrival + 7 for arrival in whole["arrivals"]]}
        shifted = run(problem, problem.baselines()["smallest-area"], later)
        assert shifted == [[worker, start + 7] for worker, start in answer]
        roomy = {**whole, "memory": 10_000}
        free = run(problem, problem.baselines()["fcfs"], roomy)
        assert judge(roomy, free).objective == sum(whole["outputs"])


def test_a_rule_may_answer_anything_of_the_right_length(requests_of: Any, online: Any) -> None:
    """NaN, infinities and changed arrays: always a valid schedule; a wrong shape is named."""
    problem = kv_scheduling_rule()

    def nan(**columns: Any) -> Any:
        return columns["waited"] * np.nan

    def never(**columns: Any) -> Any:
        return np.full(len(columns["waited"]), np.inf)

    def vandal(**columns: Any) -> Any:
        for column in columns.values():
            if isinstance(column, np.ndarray):
                column[:] = -1e9
        return columns["waited"]

    for whole in requests_of(6, 7, 2, 15, seed=7):
        for rule in (nan, never, vandal):
            assert judge(whole, online(problem, rule, whole)).objective is not None
    with pytest.raises(ValueError, match="one number each"):
        online(problem, lambda **columns: 1.0, WHOLE)


def test_a_rule_sees_nothing_of_later_arrivals(requests_of: Any, online: Any) -> None:
    """Calls up to a round are the same whatever comes after it."""
    problem = kv_scheduling_rule()
    for whole in requests_of(4, 8, 1, 20, seed=8):
        other = {key: value[:5] if isinstance(value, list) else value for key, value in whole.items()}
        moment = whole["arrivals"][5]
        logs = []
        for requests in (whole, other):
            calls: list[Any] = []

            def rule(calls: Any = calls, moment: int = moment, **columns: Any) -> Any:
                if columns["round"] < moment:
                    calls.append({k: v if isinstance(v, float) else v.tolist() for k, v in columns.items()})
                return columns["outputs"]

            online(problem, rule, requests)
            logs.append(calls)
        assert logs[0] == logs[1]


@pytest.mark.parametrize(
    "line", [b"0", b"0 2", b"2 0", b"0 0 0 1", b"x 0", b"-1 0", b"0 0.5", b"9" * 30 + b" 0"]
)
def test_the_dialogue_believes_nothing(line: bytes) -> None:
    """Unknown, unarrived and started requests, other workers, no numbers: an error that says what came."""
    rounds = Rounds(WHOLE)
    assert [rounds.next(line) for line in (b"", b"-", b"-")] == [b"0 4 3", b"0 3 4", b"0"]
    with pytest.raises(ValueError, match="round 0: got"):
        rounds.next(line)


def test_an_arrival_is_no_moment_to_start() -> None:
    """Only the line that ends the arrivals of a round asks for starts."""
    rounds = Rounds(WHOLE)
    rounds.next(b"")
    with pytest.raises(ValueError, match="round 0: got '0 0'"):
        rounds.next(b"0 0")


def test_a_child_that_starts_nothing_is_stopped() -> None:
    """After the last round in which anything needs to start."""
    rounds = Rounds(WHOLE)
    with pytest.raises(ValueError, match="3 requests wait"):  # noqa: PT012
        for _ in range(100):
            rounds.next(b"-")
    assert judge(WHOLE, rounds.answer()).status is VerdictStatus.INVALID_ANSWER


def test_moves_keep_to_the_constraints(requests_of: Any, run: Any) -> None:
    """After hundreds of moves the changes, the objective and the verification agree."""
    problem, stream = kv_scheduling(), random.Random(9)
    moves = problem.moves()
    assert moves is not None
    scope: dict[str, Any] = {}
    exec(moves.source, scope)
    for whole in requests_of(4, 8, 2, 20, seed=9):
        answer = run(problem, problem.baselines()["fcfs"], whole)
        value = judge(whole, answer).objective
        neighbours = scope["Neighbours"](answer, **whole)
        for _ in range(200):
            change, move = neighbours.draw(stream.random)
            if move is not None and change < 4:
                neighbours.make(move)
                value += change  # type: ignore[operator]
        assert judge(whole, neighbours.answer()).objective == value
        assert scope["objective"](neighbours.answer(), **whole) == value
    assert kv_scheduling_rule().moves() is None


def test_both_forms_draw_the_same_requests_and_a_secret_draws_others() -> None:
    """Hidden parts move to another place; with a secret they change."""
    whole, rule = kv_scheduling(), kv_scheduling_rule()
    for left, right in zip(whole.instances("valid", 3), rule.instances("valid", 3), strict=True):
        assert set(right.public) == {"workers", "memory"}
        assert dict(left.public) == {**right.public, **(right.hidden or {})}
    secret = rule.keyed("ab").instances("valid", 3)
    assert {i.digest for i in secret}.isdisjoint(i.digest for i in rule.instances("valid", 3))


def test_laws_keep_to_the_memory() -> None:
    """Every request fits an empty worker; arrivals are sorted."""
    for cell in STRATA:
        public: Any = cell.draw(random.Random(2)).public
        peaks = [s + o for s, o in zip(public["prompts"], public["outputs"], strict=True)]
        assert min(public["prompts"]) >= 1
        assert max(peaks) <= public["memory"]
        assert public["arrivals"] == sorted(public["arrivals"])


def test_the_picture_holds_all_tokens(requests_of: Any, run: Any) -> None:
    """The bars' area is the memory held, added up over the rounds; an invalid answer raises."""
    problem = kv_scheduling()
    (whole,) = requests_of(1, 8, 2, 20, seed=10)
    answer = run(problem, problem.baselines()["mc-sf"], whole)
    instance = Instance("i", "i", "i", whole, 1, "by hand")
    drawing = problem.draw(instance, answer)
    area = sum(s.width * s.height for s in drawing.shapes if s.kind == "rectangle")
    assert area == sum(sum(held.values()) for held in profiles(whole, answer))
    queueing = judge(whole, answer).objective - sum(whole["outputs"])  # type: ignore[operator]
    assert f"queueing {queueing}" in drawing.title
    assert f"queueing {queueing}" in problem.explain(instance, answer)
    with pytest.raises(ValueError, match="instance i"):
        problem.draw(instance, [])


FILE = "workers,2\nmemory,10\narrival,prompt_tokens,output_tokens\n1,2,2\n0,4,3\n0,3,4\n"


def test_a_users_requests(tmp_path: Path) -> None:
    """Sorted by arrival; the online form hides them."""
    path = tmp_path / "mine.csv"
    path.write_text(FILE, "utf-8")
    (instance,) = kv_scheduling().read_instances(path)
    assert dict(instance.public) == WHOLE
    assert (instance.scale, instance.stratum) == (9, "3 requests, 2 workers")
    (hidden,) = kv_scheduling_rule().read_instances(path)
    assert {**hidden.public, **(hidden.hidden or {})} == WHOLE


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "got nothing, expected workers,NUMBER"),
        ("memory,3\n", "row 1: got memory,3, expected workers,NUMBER"),
        ("workers,0\n", "row 1 column 2: got '0', expected workers"),
        (FILE.replace("arrival,", "time,"), "row 3: got time,prompt_tokens"),
        (FILE.replace("1,2,2", "1,2"), "row 4: got 2 cells"),
        (FILE.replace("1,2,2", "-1,2,2"), "row 4 column 1: got '-1'"),
        (FILE.replace("1,2,2", "1,2.5,2"), "row 4 column 2: got '2.5'"),
        (FILE.replace("1,2,2", "1,2,0"), "row 4 column 3: got '0'"),
        (FILE.replace("1,2,2", "1,5,6"), r"row 4: got 5 \+ 6 tokens, expected at most the memory, 10"),
        (FILE.replace("1,2,2", '"1,2,2'), "got no CSV"),
        (FILE[: FILE.index("1,2,2")], "got no request"),
        (FILE + "0,1,1\n" * 1000, "got 1003 requests"),
    ],
)
def test_a_fault_is_named_with_its_place(text: str, message: str, tmp_path: Path) -> None:
    """File, row and column, what was got and what was expected."""
    path = tmp_path / "mine.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(InstanceFileError, match=message):
        kv_scheduling().read_instances(path)

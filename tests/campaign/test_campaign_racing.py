"""Racing in a real campaign, replayed decision by decision from its store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.record.record import open_record
from gapsmith.evaluators.base import EvaluationStatus
from gapsmith.evaluators.scoring import normalised_loss
from gapsmith.evolve.racing import PairedRace
from gapsmith.evolve.tune import OPERATOR

Run = Callable[..., tuple[dict[str, Any], Path]]


def test_every_evaluation_ends_where_its_race_says(campaign: Run) -> None:
    """Stopped candidates were stopped at the first reason, complete ones had none, tuned ones too."""
    level = 0.05
    _, folder = campaign(budget={"iterations": 250}, search={"race_level": level})
    ends: Counter[str] = Counter()
    with open_record(folder) as record:

        def losses(program: str) -> list[float]:
            found = record.evaluation(program, "train")
            assert found is not None
            values = [normalised_loss(score, record.instances[score.instance]) for score in found.scores]
            return [float(value) for value in values if value is not None]

        def answers(program: str) -> list[str | None]:
            found = record.evaluation(program, "train")
            assert found is not None
            return [score.answer_digest for score in found.scores]

        for row in record.reader.iterations():
            if row.candidate is None or row.rival is None:
                continue
            evaluation = record.evaluation(row.candidate, "train")
            assert evaluation is not None
            if evaluation.status is EvaluationStatus.FAILED:
                continue
            race = PairedRace(tuple(losses(row.rival)), level, True, tuple(answers(row.parents[0])))
            mine, said = losses(row.candidate), answers(row.candidate)
            whole = len(race.rival)
            end = next((n for n in range(1, whole) if race.lost(mine[:n], said[:n])), None)
            if evaluation.status is EvaluationStatus.STOPPED:
                assert end == len(mine) < whole
                ends["alike" if race.alike(said) else "worse"] += 1
            else:
                assert end is None
                assert len(mine) == whole
                ends["complete"] += 1
            ends["tuned"] += record.candidate(row.candidate).operator == OPERATOR
    assert min(ends["alike"], ends["worse"], ends["complete"], ends["tuned"]) > 3, ends


def test_random_changes_are_not_raced(campaign: Run) -> None:
    """A drift without selection: what is worse is executed to its end too, and may be a parent."""
    _, folder = campaign(budget={"iterations": 40}, campaign={"control": "random"})
    with open_record(folder) as record:
        rows = list(record.reader.iterations())
        fitness = dict(record.reader.best("train"))
        assert not [row for row in rows if row.rival]
        worst = min(fitness[row.parents[0]] for row in rows)
        assert worst < fitness[rows[0].parents[0]]


@pytest.mark.slow
def test_the_champion_is_the_best_of_all_that_were_validated(campaign: Run) -> None:
    """Also of those that lost their only cell to a candidate that is better in training alone."""
    sections = {
        "archive": {"islands": 1, "measures": []},
        "search": {"validate_every": 1, "fresh_share": 0.0},
        "evaluation": {"champions": 1},
    }
    for seed in (1, 2):
        document, folder = campaign(
            f"s{seed}", campaign={"seed": seed}, budget={"iterations": 60}, **sections
        )
        with open_record(folder) as record:
            best = max(fitness for _, fitness in record.reader.best("valid"))
            found = record.evaluation(document["best"]["candidate"], "valid")
            assert found is not None
            assert found.fitness == best

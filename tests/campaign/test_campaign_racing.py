"""Racing in a real campaign, replayed decision by decision from its store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gapsmith.app.views.record import open_record
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

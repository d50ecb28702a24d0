"""The shipped programs in the sandbox, and the expressions of the offline proposer."""

from __future__ import annotations

import pytest
from gapsmith.evaluators import shops

FORMS = [shops.job_shop, shops.job_shop_rule, shops.blocking_job_shop, shops.blocking_job_shop_rule]


def test_named_sets_and_parameters() -> None:
    """The splits have the sizes that are asked for; the blocking form has no set of the literature."""
    problem = shops.job_shop.problem(train_per_stratum=2)
    assert len(problem.instances("train", 1)) == 10
    assert "taillard" in problem.sets()
    assert set(shops.blocking_job_shop.problem().sets()) == {"train", "valid", "test"}
    with pytest.raises(KeyError):
        shops.blocking_job_shop.problem().instances("taillard", 1)

"""Built-in problems pass the check that users' problems have to pass."""

from __future__ import annotations

import pytest
from gapsmith import check_problem
from gapsmith.app.plugins.loader import BUILT_INS


@pytest.mark.slow
@pytest.mark.parametrize("name", BUILT_INS)
def test_a_built_in_passes_its_check(name: str) -> None:
    """Contract and attacks find nothing; every problem is attacked from answers of its own."""
    report = check_problem(name, seconds=4.0)
    assert report.passed, report.findings
    assert len(report.checks) == 37

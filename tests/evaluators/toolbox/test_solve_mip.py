"""Mixed-integer models through the toolbox: every trap of the solvers that was measured, closed."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pulp
import pytest
from gapsmith import ReferenceKind, solve_mip
from gapsmith.evaluators.toolbox import Solved, SolverError, SolverModelError, SolveStatus, floats_suffice
from gapsmith.evaluators.toolbox.mip import _accept
from gapsmith.evaluators.toolbox.process import WorkerReport
from gapsmith.evaluators.toolbox.solved import conclude
from gapsmith.problems.base import Sense

SOLVERS = ("highs", pytest.param("cbc", marks=pytest.mark.slow))
LIMITED = ("highs", "cbc")


def knapsack(items: int = 30, seed: int = 1, offset: int = 0) -> tuple[pulp.LpProblem, int]:
    """A 0/1 knapsack model with its optimum by dynamic programming."""
    stream = random.Random(seed)
    weights = [stream.randint(10, 100) for _ in range(items)]
    values = [stream.randint(10, 100) for _ in range(items)]
    model = pulp.LpProblem("knapsack", pulp.LpMaximize)
    taken = [model.add_variable(f"x{i}", cat="Binary") for i in range(items)]
    model += pulp.lpSum(v * x for v, x in zip(values, taken, strict=True)) + offset
    model += pulp.lpSum(w * x for w, x in zip(weights, taken, strict=True)) <= sum(weights) // 2
    best = [0] * (sum(weights) // 2 + 1)
    for weight, value in zip(weights, values, strict=True):
        for room in range(len(best) - 1, weight - 1, -1):
            best[room] = max(best[room], best[room - weight] + value)
    return model, best[-1] + offset


def cover(rows: int = 8, columns: int = 15, offset: int = 0) -> pulp.LpProblem:
    """An integer covering model; with a large offset its relative gap is small long before it is proven."""
    stream = random.Random(3)
    model = pulp.LpProblem("cover", pulp.LpMinimize)
    copies = [model.add_variable(f"x{i}", 0, 5, cat="Integer") for i in range(columns)]
    model += pulp.lpSum(stream.randint(50, 99) * x for x in copies) + offset
    for _ in range(rows):
        needs = [stream.randint(0, 9) for _ in range(columns)]
        model += pulp.lpSum(a * x for a, x in zip(needs, copies, strict=True)) >= sum(needs)
    return model


def market_split(slack: bool, markets: int = 5, items: int = 40) -> pulp.LpProblem:
    """A market split, which no solver closes in a second; without slack not even a solution is found."""
    stream = random.Random(1)
    model = pulp.LpProblem("split", pulp.LpMinimize)
    taken = [model.add_variable(f"x{i}", cat="Binary") for i in range(items)]
    deviations = []
    for k in range(markets):
        shares = [stream.randint(0, 99) for _ in range(items)]
        over, under = (model.add_variable(f"{side}{k}", 0, 5000 * slack, cat="Integer") for side in "ou")
        deviations += [over, under]
        model += (
            pulp.lpSum(a * x for a, x in zip(shares, taken, strict=True)) + over - under == sum(shares) // 2
        )
    model += pulp.lpSum(deviations) if slack else pulp.lpSum(taken)
    return model


@pytest.mark.parametrize("solver", SOLVERS)
def test_maximisation_reaches_the_proven_optimum(solver: str) -> None:
    """Value, bound and dynamic programme agree, and the solution is exact integers worth the value."""
    model, optimum = knapsack()
    solved = solve_mip(model, seconds=20, integral_objective=True, solver=solver)
    assert (solved.status, solved.value, solved.bound) == (SolveStatus.OPTIMUM, optimum, optimum)
    assert all(isinstance(x, int) for x in solved.solution)
    assert sum(c * solved[x] for x, c in model.objective.items()) == optimum
    reference = solved.as_reference()
    assert (reference.kind, reference.value) == (ReferenceKind.OPTIMUM, optimum)


def test_highs_does_not_stop_at_its_default_gap() -> None:
    """A model whose default relative gap of 1e-4 allows a hundred units is still solved to equality."""
    solved = solve_mip(cover(offset=1_000_000), seconds=30, integral_objective=True)
    assert solved.status is SolveStatus.OPTIMUM
    assert solved.value == solved.bound


@pytest.mark.parametrize("solver", LIMITED)
def test_an_incumbent_at_the_time_limit_is_not_called_optimal(solver: str) -> None:
    """PuLP's status is Optimal here; the toolbox says feasible, with a bound below the value."""
    solved = solve_mip(market_split(slack=True), seconds=1, integral_objective=True, solver=solver)
    assert solved.status is SolveStatus.FEASIBLE
    assert solved.bound is None or solved.bound < solved.value
    if solved.bound is not None:
        assert solved.as_reference().kind is ReferenceKind.BOUND


@pytest.mark.parametrize("solver", LIMITED)
def test_values_left_in_the_variables_are_no_solution(solver: str) -> None:
    """Without an incumbent there is neither value nor solution, whatever the relaxation left behind."""
    model = market_split(slack=False)
    solved = solve_mip(model, seconds=1, integral_objective=True, solver=solver)
    assert solved.status in (SolveStatus.UNKNOWN, SolveStatus.BOUND_ONLY)
    assert solved.value is None
    with pytest.raises(KeyError, match="no solution"):
        solved["x0"]


@pytest.mark.parametrize("solver", SOLVERS)
def test_infeasible_has_no_value(solver: str) -> None:
    """An infeasible model gives no number at all, and no reference."""
    model, _ = knapsack()
    model += model.variables()[0] >= 2
    solved = solve_mip(model, seconds=5, integral_objective=True, solver=solver)
    assert (solved.status, solved.value, solved.bound) == (SolveStatus.INFEASIBLE, None, None)
    with pytest.raises(SolverModelError, match="infeasible"):
        solved.as_reference()


@pytest.mark.parametrize("solver", SOLVERS)
def test_unbounded_is_the_authors_error(solver: str) -> None:
    """An unbounded objective is no outcome of a search but a wrong model."""
    model = pulp.LpProblem("free", pulp.LpMaximize)
    model += model.add_variable("y", 0, cat="Integer")
    with pytest.raises(SolverModelError, match="unbounded"):
        solve_mip(model, seconds=5, integral_objective=True, solver=solver)


def test_a_solution_that_rounding_breaks_is_not_used() -> None:
    """With a constant of 1e9 the solver switches binaries on by 1e-7; rounded, that plan is infeasible."""
    model = pulp.LpProblem("switches", pulp.LpMinimize)
    switches = [model.add_variable(f"x{i}", cat="Binary") for i in range(8)]
    flows = [model.add_variable(f"y{i}", 0) for i in range(8)]
    model += pulp.lpSum(switches)
    model += pulp.lpSum(flows) >= 150
    model += flows[0] + flows[3] >= 20
    for switch, flow in zip(switches, flows, strict=True):
        model += flow <= 1e9 * switch
    solved = solve_mip(model, seconds=5, integral_objective=True)
    assert solved.value is None or solved.value >= 1
    assert solved.bound is None
    assert "more than tolerances" in solved.note


@pytest.mark.parametrize("solver", LIMITED)
@pytest.mark.parametrize("size", [10**8, 10**9, 10**11])
def test_coefficients_beyond_the_tolerances_prove_nothing(size: int, solver: str) -> None:
    """Two B0 for 18 are best; in floats one seems to do, so HiGHS goes on to 20 and CBC finds nothing."""
    model = pulp.LpProblem("sizes", pulp.LpMinimize)
    n = [model.add_variable(f"n{i}", 0, 1, cat="Integer") for i in range(2)]
    b = [model.add_variable(f"B{i}", 0, cat="Integer") for i in range(2)]
    model += 9 * b[0] + 20 * b[1]
    model += n[0] + n[1] == 1
    model += (size + 1) * n[0] <= size * b[0]
    model += size // 2 * n[1] <= size * b[1]
    assert floats_suffice(model) == (size == 10**8)
    solved = solve_mip(model, seconds=5, integral_objective=True, solver=solver, known_bound=9)
    assert solved.status is not SolveStatus.INFEASIBLE
    if size == 10**8:
        assert (solved.status, solved.value) == (SolveStatus.OPTIMUM, 18)
    else:
        assert (solved.bound, solved.proof, solved.value in (None, 18, 20)) == (9, "arithmetic", True)


def test_a_row_of_integers_is_checked_exactly() -> None:
    """One unit in a million is a broken row, though it is less than what solvers may be off in reals."""
    row = [None, 0, [0, 1], [1_000_001, -1_000_000]]
    document = {"columns": [[0, 0, None, True]] * 2, "offset": 0, "rows": [row]}
    assert _accept(WorkerReport(solution=[1.0, 1.0]), document) is None
    assert _accept(WorkerReport(solution=[1.0, 2.0]), document) == [1, 2]


def test_a_real_objective_is_bounded_from_the_safe_side() -> None:
    """A linear programme's optimum is 12; its bound is a little above and it is never called an optimum."""
    model = pulp.LpProblem("real", pulp.LpMaximize)
    y, z = model.add_variable("y", 0), model.add_variable("z", 0)
    model += y + 2 * z + 7
    model += y + z <= 4
    model += y + 3 * z <= 6
    solved = solve_mip(model, seconds=5, integral_objective=False)
    assert solved.value == pytest.approx(12)
    assert 12 < solved.bound < 12.001
    assert solved.as_reference().kind is ReferenceKind.BOUND


def test_a_false_claim_of_integrality_is_refused() -> None:
    """Half a unit of objective cannot be integral, and rounding bounds on that word would be wrong."""
    model = pulp.LpProblem("half", pulp.LpMinimize)
    x = model.add_variable("x", 1, 3, cat="Integer")
    model += 0.5 * x
    with pytest.raises(SolverModelError, match="expected an integer"):
        solve_mip(model, seconds=5, integral_objective=True)


@pytest.mark.slow
def test_the_callers_bound_counts_when_it_is_stronger() -> None:
    """A proven bound of one's own closes what the solver cannot, and the proof is then arithmetic."""
    model = market_split(slack=True)
    own = solve_mip(model, seconds=1, integral_objective=True, known_bound=1)
    assert own.bound >= 1
    assert own.proof == "arithmetic"


def test_a_bound_that_a_solution_beats_is_an_error() -> None:
    """A caller whose bound is above a feasible value of a minimisation has proven something false."""
    with pytest.raises(SolverModelError, match="known_bound 99999"):
        solve_mip(cover(), seconds=20, integral_objective=True, known_bound=99_999)


def test_a_solution_in_floats_does_not_refute_a_proven_bound() -> None:
    """A switch that is on by less than the tolerance gives a value below the truth: the bound stays."""
    facts = concluded(exact=False, value=0, bound=0, known_bound=1)
    assert (facts.status, facts.value, facts.bound) == (SolveStatus.BOUND_ONLY, None, 1)
    assert "better than the bound 1" in facts.as_reference().source
    noise = concluded(exact=False, value=0.9999999, bound=None, known_bound=1)
    assert (noise.status, noise.bound) == (SolveStatus.FEASIBLE, 1)


def test_an_integer_objective_has_no_noise_however_large() -> None:
    """Two units of three million are a contradiction, also where the rows were checked in floats."""
    facts = concluded(exact=False, value=3_000_000, bound=3_000_000, known_bound=3_000_002)
    assert (facts.status, facts.value, facts.bound) == (SolveStatus.BOUND_ONLY, None, 3_000_002)
    assert "better than the bound 3000002" in facts.as_reference().source


def test_a_solution_in_integers_refutes_the_solvers_bound() -> None:
    """A solver whose bound its own solution beats is wrong about the bound; what the caller proved stays."""
    facts = concluded(exact=True, value=18, bound=20, known_bound=9)
    assert (facts.status, facts.value, facts.bound) == (SolveStatus.FEASIBLE, 18, 9)
    assert facts.proof == "arithmetic"
    assert concluded(exact=True, value=18, bound=20, known_bound=None).bound is None
    with pytest.raises(SolverModelError, match="known_bound 19"):
        concluded(exact=True, value=18, bound=20, known_bound=19)


def concluded(**facts: Any) -> Solved:
    """What follows from a worker's report on a minimisation of one variable."""
    run = {"solver": "highs", "version": "1", "seconds": 0.1, "command": "1 s", "note": ""}
    model = {"ended": "optimal", "solution": [1], "names": ["x"], "sense": Sense.MINIMISE}
    return conclude(**model, **run, **facts)


def test_reference_in_the_problems_unit_and_against_the_verification() -> None:
    """Cents become exact parts of a unit; a verified value that is better than what is proven is refused."""
    model, optimum = knapsack(items=12)
    solved = solve_mip(model, seconds=10, integral_objective=True)
    reference = solved.as_reference(unit=Fraction(1, 100), verified=Fraction(optimum, 100))
    assert reference.value == Fraction(optimum, 100)
    with pytest.raises(SolverModelError, match="better than the model's proven bound"):
        solved.as_reference(verified=optimum + 1)
    with pytest.raises(SolverModelError, match="which is worse"):
        solved.as_reference(verified=optimum - 1)


@pytest.mark.parametrize(
    ("verified", "kind"), [(9, ReferenceKind.BOUND), (8, ReferenceKind.BOUND), (7, ReferenceKind.OPTIMUM)]
)
def test_a_verified_value_may_use_the_slack_of_the_model(verified: int, kind: ReferenceKind) -> None:
    """A solution at the time limit is verified below the model's value; at the bound it is optimal."""
    facts = concluded(exact=True, value=9, bound=7, known_bound=None)
    reference = facts.as_reference(verified=verified)
    assert (reference.kind, reference.value) == (kind, 7)
    with pytest.raises(SolverModelError, match="better than the model's proven bound"):
        facts.as_reference(verified=6)


def test_special_ordered_sets_and_nan_are_refused() -> None:
    """What would be lost on the way to the solver is refused before the way."""
    model, _ = knapsack(items=5)
    model.sos1["s"] = {model.variables()[0]: 1}
    with pytest.raises(SolverModelError, match="special ordered"):
        solve_mip(model, seconds=1, integral_objective=True)
    broken = pulp.LpProblem("nan", pulp.LpMinimize)
    x = broken.add_variable("x", 0, 1)
    x.upBound = float("nan")  # PuLP checks when it constructs, not when somebody assigns
    broken += x
    with pytest.raises(SolverModelError, match="NaN"):
        solve_mip(broken, seconds=1, integral_objective=True)


def test_a_solver_that_is_not_there_is_an_error_with_its_name() -> None:
    """An unknown solver is no outcome."""
    model, _ = knapsack(items=5)
    with pytest.raises(SolverError, match="gurobi"):
        solve_mip(model, seconds=1, integral_objective=True, solver="gurobi")

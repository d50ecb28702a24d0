"""What plug-ins may rely on: exported names and entry-point groups."""

import gapsmith
from gapsmith.app.plugins import loader
from gapsmith.evolve.llm import registry

PROMISED = frozenset(
    [
        "Assignment",
        "Champion",
        "Choice",
        "CostShape",
        "Dialogue",
        "Drawable",
        "Drawing",
        "Driven",
        "HasMoves",
        "HasPhases",
        "HasPrimitives",
        "Instance",
        "InstanceFileError",
        "Interactive",
        "Json",
        "Keyed",
        "Moves",
        "Offsets",
        "Parameter",
        "Partition",
        "Permutation",
        "Phase",
        "Picture",
        "Plugin",
        "Primitive",
        "Problem",
        "ProblemError",
        "Progress",
        "ProofKind",
        "Ratings",
        "ReadsInstances",
        "Reference",
        "ReferenceKind",
        "References",
        "Routes",
        "RunResult",
        "Sense",
        "Shape",
        "ShortProblem",
        "Solved",
        "Subset",
        "UserError",
        "Values",
        "Verdict",
        "baselines",
        "bound",
        "check_problem",
        "evaluate",
        "load_run",
        "optimum",
        "problem",
        "require",
        "resume_campaign",
        "run_campaign",
        "solve_cpsat",
        "solve_mip",
    ]
)
"""Names of the Python API; one that leaves is a breaking change."""


def test_no_promised_name_is_missing() -> None:
    """Every name is exported and can be loaded."""
    assert set(gapsmith.__all__) >= PROMISED
    assert [name for name in gapsmith.__all__ if getattr(gapsmith, name, None) is None] == []


def test_entry_point_groups_keep_their_names() -> None:
    """Installed packages are found by these groups."""
    assert loader.GROUP == "gapsmith.problems"
    assert registry.GROUP == "gapsmith.models"

"""Gapsmith discovers heuristics and certifies how far each answer is from the proven optimum.

What a plug-in's author needs is here: `from gapsmith import Plugin, Instance, Verdict, Reference, …`. Every
name is imported when it is first used, so `import gapsmith` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .app.api import (
        Progress,
        baselines,
        evaluate,
        list_runs,
        load_run,
        open_workbench,
        resume_campaign,
        run_campaign,
        workbench,
    )
    from .app.bench.workbench import Workbench
    from .app.check import check_problem
    from .app.errors import ProblemError, UserError
    from .app.plugins.short_form import ShortProblem, problem
    from .app.result import Champion, Picture, RunResult
    from .evaluators.base import Plugin, ProofKind, Reference, ReferenceKind, References, bound, optimum
    from .evaluators.toolbox import Solved, solve_cpsat, solve_mip
    from .problems.answers import (
        Assignment,
        Choice,
        Offsets,
        Partition,
        Permutation,
        Ratings,
        Routes,
        Subset,
        Values,
    )
    from .problems.base import (
        CostShape,
        Dialogue,
        Drawable,
        Drawing,
        Driven,
        HasMoves,
        HasPhases,
        HasPrimitives,
        Instance,
        InstanceFileError,
        Interactive,
        Json,
        Keyed,
        Moves,
        Parameter,
        Phase,
        Primitive,
        Problem,
        ReadsInstances,
        Sense,
        Shape,
        Verdict,
    )
    from .problems.required import require

__version__ = "0.2.0.dev0"

__all__ = [
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
    "Workbench",
    "baselines",
    "bound",
    "check_problem",
    "evaluate",
    "list_runs",
    "load_run",
    "open_workbench",
    "optimum",
    "problem",
    "require",
    "resume_campaign",
    "run_campaign",
    "solve_cpsat",
    "solve_mip",
    "workbench",
]

_HOMES = {
    "app.api": (
        *("Progress", "baselines", "evaluate", "list_runs", "load_run", "open_workbench"),
        *("resume_campaign", "run_campaign", "workbench"),
    ),
    "app.bench.workbench": ("Workbench",),
    "app.plugins.short_form": ("ShortProblem", "problem"),
    "app.errors": ("ProblemError", "UserError"),
    "app.result": ("Champion", "Picture", "RunResult"),
    "app.check": ("check_problem",),
    "evaluators.base": (
        "Plugin",
        "ProofKind",
        "Reference",
        "ReferenceKind",
        "References",
        "baselines",
        "bound",
        "optimum",
    ),
    "evaluators.toolbox": ("Solved", "solve_cpsat", "solve_mip"),
    "problems.answers": (
        *("Assignment", "Choice", "Offsets", "Partition", "Permutation", "Ratings", "Routes", "Subset"),
        "Values",
    ),
    "problems.required": ("require",),
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = next((home for home, names in _HOMES.items() if name in names), "problems.base")
    value = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

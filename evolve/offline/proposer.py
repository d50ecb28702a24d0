"""The offline proposer: a new program from one or two parents, by operators at adapted rates."""

from __future__ import annotations

import ast
import copy
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ...problems.base import HasPhases, HasPrimitives, Primitive, Problem
from ..llm.edits import START, EditError, open_lines
from ..remote.proposals import Material
from ..syntax import checks
from ..syntax.analysis import analyse
from ..syntax.tree import module_names, walk
from ..types import Context, Elite, Origin, Proposal, Rejection, RejectionReason
from . import amounts, crossover, expressions, local_search, statements
from . import expressions as expressions_module
from .amounts import AmountBounds
from .mutation import Mutation, Operator, Types, domains_of, lend, read, take_back
from .neighbours import IMPORTS, Ground, facts_of, hazards_of, joined, without
from .phases import operators_of

# Rates of operators, adapted to the improvements that each has brought so far.
#
# Probability matching over improvements with a floor (Goldberg 1990; compared with other schemes by
# Thierens, GECCO 2005, doi:10.1145/1068009.1068251). The statistics come in as an argument, so that the same
# history gives the same rates on every machine.

_PRIOR_TRIES = 12
_LEAST = 0.4
_MOST = 3.0


def rates(operators: Sequence[Operator], history: Mapping[str, tuple[int, int]]) -> list[Operator]:
    """The operators with adapted weights.

    Args:
        operators: with their base weights.
        history: operator → (tries, children better than their parent), counts; may be empty, and may name
            operators of other proposers.
    """
    known = [history[o.name] for o in operators if o.name in history]
    tries = sum(t for t, _ in known)
    gains = sum(g for _, g in known)
    mean = (gains + 1) / (tries + _PRIOR_TRIES)
    return [replace(o, weight=o.weight * _factor(history.get(o.name, (0, 0)), mean)) for o in operators]


def _factor(record: tuple[int, int], mean: float) -> float:
    """An operator's success relative to the average; 1 without a record."""
    tries, gains = record
    own = (gains + _PRIOR_TRIES * mean) / (tries + _PRIOR_TRIES)
    return min(_MOST, max(_LEAST, own / mean))


# Splices a changed text into the EVOLVE-BLOCKs of its parent: nothing outside them changes.
#
# Operators print a whole text from its tree: marks, comments, docstrings and unused statements are lost.
# Therefore this module compares statements one by one, and takes from the new text only those that differ.


def spliced(parent: str, text: str) -> str | None:
    """The parent with the changed and the new statements of a text inside its blocks.

    Args:
        parent: text with EVOLVE-BLOCK marks around whole statements of its top level.
        text: a changed text, which need not have marks.

    Returns:
        None where a statement outside the blocks was changed, nothing inside was, or a mark cuts a statement.
    """
    try:
        spans = open_lines(parent)
    except EditError:
        return None
    inside: dict[str, tuple[int, int]] = {}
    outside = set[str]()
    known = set[str]()
    for node in ast.parse(parent).body:
        lines = _lines(node)
        open_ = [begin <= lines[0] and lines[1] <= end for begin, end in spans]
        if not any(open_) and any(lines[0] < end and begin < lines[1] for begin, end in spans):
            return None
        known.add(_form(node))
        if any(open_):
            inside |= dict.fromkeys(_names(node), lines)
        else:
            outside |= _names(node)
    edits: dict[tuple[int, int], list[str]] = {}
    for node in ast.parse(text).body:
        names = _names(node)
        if _form(node) in known or not names:
            continue
        if names & outside:
            return None
        place = next((inside[name] for name in sorted(names) if name in inside), (spans[0][0], spans[0][0]))
        edits.setdefault(place, []).append(ast.unparse(node))
    lines_ = parent.split("\n")
    for (first, last), texts in sorted(edits.items(), reverse=True):
        lines_[first:last] = "\n".join(texts).split("\n")
    return "\n".join(lines_) if edits else None


def _lines(node: ast.stmt) -> tuple[int, int]:
    """First line and end of a statement with its decorators, counted from 0."""
    first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
    return first - 1, node.end_lineno or node.lineno


def _names(node: ast.stmt) -> set[str]:
    """Names that a statement binds at the top level."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {(one.asname or one.name).partition(".")[0] for one in node.names}
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _form(node: ast.stmt) -> str:
    """A statement without its docstrings."""
    bare = copy.deepcopy(node)
    for one in ast.walk(bare):
        body = getattr(one, "body", None)
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and isinstance(body, list):
            first = body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and len(body) > 1:
                del body[0]
    return ast.dump(bare)


OPERATORS: tuple[Operator, ...] = (
    *expressions.OPERATORS,
    *expressions_module.RESHAPING_OPERATORS,
    *statements.OPERATORS,
    *crossover.OPERATORS,
)
"""Operators that need nothing of a problem."""

ATTEMPTS = 12
BLOCK_TRIES = 20
"""Changes that are tried until one lies inside the EVOLVE-BLOCKs of a program that has some."""
STEPS = (1, 1, 1, 2, 2, 3)
_USUAL_SECONDS = 1.0
"""Time budget for which phases of local search make the usual number of moves (CPU seconds)."""
SOFT_NODES = 1500
_NAMED = (ast.FunctionDef, ast.ClassDef)
_SHRINKING = (
    "hoist",
    "delete",
    "number",
    *(o.name for o in local_search.OPERATORS if o.name != "better-of-two"),
)
"""Operators for large texts: what shrinks, adjusts numbers, or leaves the text inside as it is."""


@dataclass(frozen=True, slots=True)
class OfflineProposer:
    """Mutates and crosses syntax trees. Stateless: a proposal is a function of its arguments alone.

    Attributes:
        types: of the entry point's parameters, for programs without annotations.
    """

    types: Types = ()

    def propose(self, parents: Sequence[Elite], context: Context, rng: random.Random) -> Proposal | Rejection:
        """A changed text of the first parent, crossed with the second when there is one."""
        return self.make(self.material(parents, context), context.problem, rng)

    def material(self, parents: Sequence[Elite], context: Context) -> Material:
        """See `RemoteProposer`."""
        donor = next(iter(parents[1].candidate.files.values())) if len(parents) > 1 else None
        budget = None if context.times is None else context.times.budget_seconds
        numpy = "numpy" in context.modules
        effort = effort_for(budget)
        return Material(parents[0].candidate.files, donor, context.operators, numpy, effort, self.types)

    def make(self, material: Material, problem: Problem, rng: random.Random) -> Proposal | Rejection:
        """See `RemoteProposer`."""
        files = dict(material.files)
        donor = material.donor
        main = next(iter(files))
        primitives = tuple(problem.primitives()) if isinstance(problem, HasPrimitives) else ()
        pool = rates(operators_for(problem), material.operators)
        ground = Ground.of(problem)
        text = files[main]
        entry = problem.entry_point
        effort = material.effort
        types = material.types
        for _ in range(BLOCK_TRIES if START in text else 1):
            made = change(text, entry, rng, primitives, donor, pool, material.numpy, ground, effort, types)
            if made is None:
                break
            operator, changed = made
            if START in text:
                within = spliced(text, changed)
                if within is None:
                    continue
                changed = within
            files[main] = changed
            return Proposal(files, operator.origin, operator.name)
        return Rejection(RejectionReason.NO_CODE, "no operator made a new program", Origin.MUTATE, "none")


def effort_for(budget: float | None) -> float:
    """Moves of new phases, as a share of the usual ones (ratio), under a time budget (CPU seconds)."""
    return 1.0 if budget is None else min(1.0, (budget / _USUAL_SECONDS) ** 0.5)


def operators_for(problem: Problem) -> tuple[Operator, ...]:
    """All operators for a problem: those that need nothing of it, and those of what it hands over."""
    phases = operators_of(problem.phases()) if isinstance(problem, HasPhases) else ()
    bounds = AmountBounds.of(problem)
    of_amounts = () if bounds is None else amounts.operators_of(bounds)
    return (*OPERATORS, *phases, *of_amounts, *(local_search.OPERATORS if Ground.of(problem) else ()))


def change(
    text: str,
    entry: str,
    rng: random.Random,
    primitives: tuple[Primitive, ...] = (),
    donor: str | None = None,
    operators: Sequence[Operator] = OPERATORS,
    numpy: bool = False,
    ground: Ground | None = None,
    effort: float = 1.0,
    types: Types = (),
) -> tuple[Operator, str] | None:
    """The operator that was used first and the new text, or None when no attempt made a sound child.

    Args:
        text: source within the sandbox's caps (bytes, nodes, depth), as its describe job reported.
        entry: name of the function or class whose name and signature stay.
        rng: the only source of chance.
        primitives: expressions that the problem declares.
        donor: source of a second parent, None when there is none.
        operators: the operators to draw from.
        numpy: whether a child may import numpy where its parent does not.
        ground: objective and moves for phases of local search, None when the problem hands over no moves.
        effort: moves of a new phase, as a share of the usual ones (ratio, > 0).
        types: of the entry point's parameters, for texts that write none.
    """
    behind = "" if ground is None else ground.text
    bare = without(text, behind) if behind else text
    donor = without(donor, behind) if donor is not None and behind else donor
    parent = _parent(text, bare, behind, entry)
    allowed = parent.hazards + hazards_of(behind)
    large = nodes_of(bare) > SOFT_NODES
    pool = [
        o
        for o in operators
        if (not large or o.name in _SHRINKING) and (donor is not None or o.origin is not Origin.CROSSOVER)
    ] or list(operators)
    second = None if donor is None else read(donor, types)
    domains = domains_of([bare] if donor is None else [bare, donor], primitives)
    for _ in range(ATTEMPTS):
        tree = ast.parse(bare)
        lend(tree, types)
        work = Mutation(tree, entry, rng, primitives, second, domains, numpy, ground, effort)
        used = _apply(work, pool)
        take_back(work.tree)
        if used is None:
            continue
        found = _finished(work, behind)
        if checks.interface(work.tree, entry) != parent.interface:
            continue
        if not _imports_fit(work, found.imports, parent.imports, facts_of(behind).imports):
            continue
        donated = hazards_of(donor) if donor is not None and work.whole_donor else Counter()
        if not found.hazards <= allowed + donated:
            continue
        child = ast.unparse(_undocumented(work.tree, entry))
        nodes, depth = checks.size(work.tree)
        if found.behind:
            child, (more, levels) = joined(child, found.behind), facts_of(found.behind).size
            nodes = nodes + more
            depth = max(depth, levels)
        if child != parent.plain and checks.fits_caps(nodes, depth, child):
            return used, child
    return None


@dataclass(frozen=True, slots=True)
class _ChildText:
    """What the guard finds in a child, and the text that stands behind it, empty if it names none of that."""

    hazards: Counter[tuple[str, str]]
    imports: tuple[str, ...]
    behind: str


def _finished(work: Mutation, behind: str) -> _ChildText:
    """Imports what the tree has come to need, and looks at it together with the text behind it."""
    names = facts_of(behind).names
    if not any(isinstance(n, ast.Name) and n.id in names for n in walk(work.tree)):
        behind = ""
    if behind or work.stale:
        work.finish(names)
    alone = hazards_of(behind, frozenset(module_names(work.tree)))
    if work.import_needed([*work.analysis.unbound, *alone]):
        work.finish(names)
        alone = hazards_of(behind, frozenset(module_names(work.tree)))
    imports = (*checks.imports(work.tree), *facts_of(behind).imports)
    return _ChildText(checks.hazards(work.analysis) + alone, imports, behind)


def _imports_fit(
    work: Mutation, imports: tuple[str, ...], parents: tuple[str, ...], grounds: tuple[str, ...]
) -> bool:
    """Whether a child imports what its parent does, and beside that only what phases and donors need.

    What the text of the moves imports comes and goes with that text.
    """
    now = set(imports)
    donated = set() if work.donor is None or work.ground is None else checks.imports(work.donor.tree)
    return {*parents} - {*grounds} <= now <= {*parents, *IMPORTS.values(), *donated, *grounds}


@dataclass(frozen=True, slots=True)
class _Parent:
    """Facts of the parent with which a child is compared."""

    plain: str
    interface: tuple[str, ...]
    imports: tuple[str, ...]
    hazards: Counter[tuple[str, str]]


@lru_cache(maxsize=64)
def _parent(text: str, bare: str, behind: str, entry: str) -> _Parent:
    """Facts of a text; `bare` is the text without `behind`, its end, where the two make up the text."""
    whole = joined(bare, behind) == text
    facts = facts_of(behind if whole else "")
    alone = hazards_of("")
    tree = ast.parse(bare if whole else text)
    hazards = checks.hazards(analyse(tree, facts.names, places=False))
    if whole:
        alone = hazards_of(behind, frozenset(module_names(tree)))
    interface = checks.interface(tree, entry)
    imports = (*checks.imports(tree), *facts.imports)
    plain = ast.unparse(_undocumented(tree, entry))
    return _Parent(joined(plain, behind) if whole else plain, interface, imports, hazards + alone)


@lru_cache(maxsize=64)
def nodes_of(text: str) -> int:
    """Nodes of a text (count)."""
    return checks.size(read(text).tree)[0]


def _undocumented(tree: ast.Module, entry: str) -> ast.Module:
    """The tree without the docstrings of module and entry point, which would be false for a child."""
    entries = [node for node in tree.body if isinstance(node, _NAMED) and node.name == entry]
    methods = [part for node in entries for part in node.body if isinstance(part, ast.FunctionDef)]
    for node in (tree, *entries, *methods):
        while ast.get_docstring(node, clean=False) is not None and len(node.body) > 1:
            del node.body[0]
    return tree


def _apply(work: Mutation, operators: Sequence[Operator]) -> Operator | None:
    """Applies one to three operators; returns the first that changed the tree, or None."""
    used: Operator | None = None
    weights = [operator.weight for operator in operators]
    steps = work.rng.choice(STEPS)
    for step in range(1, steps + 1):
        operator = work.rng.choices(operators, weights)[0]
        if operator.apply(work):
            used = used or operator
            work.drop_unused()
            work.stale = True
            if step < steps:
                work.refresh()
    return used

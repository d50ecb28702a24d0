"""Local search on the problem's own objective; a family of operators of `proposer`.

A problem hands over its objective and its moves (`HasMoves`). The phases here decide which moves are
accepted: descents that also walk on level ground, threshold accepting (Dueck and Scheuer 1990,
doi:10.1016/0021-9991(90)90201-B), kicks with descents between them (iterated local search: Lourenço, Martin
and Stützle 2003, doi:10.1007/0-306-48056-5_11), repetitions with other random numbers, and the better of two
programs. Phases count moves, in proportion to the size of the instance; they know no time.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from symtable import symtable

from ...problems.base import Moves
from ..syntax.tree import walk
from ..types import Origin
from . import grow
from .mutation import Mutation, Operator
from .phases import add_helper, entry_of

_DESCENT = '''
def {name}(answer, {arguments}, seed={seed}):
    """Takes random moves that do not make the objective worse."""
{guide}    draw = random.Random(seed).random
    moves = Neighbours(answer, {passed})
    steps = int({rounds} * moves.size)
    for _ in range(steps):
        change, move = moves.draw(draw)
        if move is not None and change <= 0:
            moves.make(move)
    return better([answer, moves.answer()], {arguments})
'''

_THRESHOLD = '''
def {name}(answer, {arguments}, seed={seed}):
    """Takes random moves that make the objective worse by less than a random threshold, which falls to 0."""
{guide}    draw = random.Random(seed).random
    moves = Neighbours(answer, {passed})
    steps = int({rounds} * moves.size)
    changes = [moves.draw(draw)[0] for _ in range(100)]
    rises = sorted(change for change in changes if 0 < change < 1e+100) or [0]
    heat = {heat} * rises[len(rises) // 4]
    kept = answer
    value = 0
    least = 0
    for step in range(steps):
        change, move = moves.draw(draw)
        if move is not None and change <= heat * (1 - step / steps) * draw() ** {power}:
            moves.make(move)
            value += change
            if value < least:
                least = value
                kept = moves.answer()
    return better([answer, kept, moves.answer()], {arguments})
'''

_KICKS = '''
def {name}(answer, {arguments}, seed={seed}):
    """Random moves without regard to the objective, then a descent; goes on from the better answer."""
{guide}    draw = random.Random(seed).random
{once}    for _ in range({turns}):
        {again}
        steps = int({rounds} * moves.size)
        for _ in range({kicks}):
            change, move = moves.draw(draw)
            if move is not None and change < 1e+100:
                moves.make(move)
        for _ in range(steps):
            change, move = moves.draw(draw)
            if move is not None and change <= 0:
                moves.make(move)
        answer = better([moves.answer(), answer], {arguments})
    return answer
'''

_MOST_CALLS = 4
"""Helpers of this module's kind that a program may have (count)."""
_MOST_NODES = 2000
"""Nodes of two programs together that may become one (count)."""
_GUIDE = "guide"
_IMPORTS = (ast.Import, ast.ImportFrom)
# Probabilities.
_GUIDE_AS_BEFORE = 0.7
_PLAIN_GUIDE = 0.25


def _phase(
    stem: str, template: str, shares: Callable[[Mutation], dict[str, object]]
) -> Callable[[Mutation], bool]:
    def apply(work: Mutation) -> bool:
        ground = work.ground
        name = _fresh(work, stem)
        last = _opened(work)
        if ground is None or name is None or last is None or last.value is None:
            return False
        arguments = ", ".join(ground.arguments)
        guide = _guide(work)
        passed = f"{arguments}, {_GUIDE}" if guide else arguments
        made = f"moves = Neighbours(answer, {passed})"
        text = template.format(
            name=name,
            arguments=arguments,
            passed=passed,
            guide=guide,
            once=f"    {made}\n" if ground.moves.restarts else "",
            again="moves.restart(answer)" if ground.moves.restarts else made,
            seed=work.rng.randrange(1, 100),
            **shares(work),
        )
        add_helper(work, text)
        last.value = _call(work, name, last.value)
        return True

    return apply


def _guide(work: Mutation) -> str:
    """Source of the function that guides the moves: the text's own, or a new one."""
    if work.ground is None or not work.ground.moves.guide:
        return ""
    moves = work.ground.moves
    known = next((n for n in walk(work.tree) if isinstance(n, ast.FunctionDef) and n.name == _GUIDE), None)
    if known is not None and work.rng.random() < _GUIDE_AS_BEFORE:
        written = ast.unparse(known)
    else:
        written = f"def {_GUIDE}({', '.join(moves.guide)}):\n    return {_guided(work, moves)}"
    return "".join(f"    {line}\n" for line in written.splitlines())


def _guided(work: Mutation, moves: Moves) -> str:
    """An expression whose sum follows the objective.

    A sum of high powers follows the largest term; a small slope tells answers of equal objective apart.
    """
    rng = work.rng
    parameters = moves.guide
    term = moves.term
    if moves.total == "largest":
        return f"({term}) ** {rng.choice((8, 12, 20, 40))}"
    if rng.random() < _PLAIN_GUIDE:
        return term
    level = parameters[-1]
    product = " * ".join(parameters[:-1])
    power = f"{level} ** {rng.choice((0.5, 1, 2, 3))}"
    slope = f"{product} * {power}" if product else power
    return f"{term} {rng.choice('+--')} {rng.choice((0.01, 0.1, 0.3, 1, 3))} * {slope}"


def _opened(work: Mutation) -> ast.Return | None:
    """The return of an entry point that consists of nothing else; a longer body becomes a helper first.

    None if the entry point cannot be opened: a class, other arguments, or a call of itself.
    """
    if work.ground is None:
        return None
    entry = entry_of(work)
    node = next((n for n in work.tree.body if isinstance(n, ast.FunctionDef) and n.name == work.entry), None)
    if node is None or [a.arg for a in node.args.args] != list(work.ground.arguments):
        return None
    if entry is not None and len(node.body) == 1:
        return entry[1]
    if _names_itself(node):
        return None
    name = _free_name(work, "construct")
    inner = ast.FunctionDef(name, copy.deepcopy(node.args), node.body, [], node.returns, lineno=0)
    work.tree.body.insert(work.tree.body.index(node), inner)
    last = ast.Return(_call(work, name))
    node.body = [last]
    return last


def _names_itself(node: ast.FunctionDef) -> bool:
    """Whether a function refers to itself; a variable or parameter inside may have the same name."""
    if node.name not in {n.id for n in walk(node) if isinstance(n, ast.Name)}:
        return False
    scopes = symtable(ast.unparse(node), node.name, "exec").get_children()
    while scopes:
        scope = scopes.pop()
        scopes += scope.get_children()
        if any(symbol.get_name() == node.name and symbol.is_global() for symbol in scope.get_symbols()):
            return True
    return False


def _free_name(work: Mutation, stem: str) -> str:
    """The stem, or the stem with a number that no top-level name has."""
    taken = {n.name for n in work.tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    names = (stem, *(f"{stem}_{number}" for number in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)


def _fresh(work: Mutation, stem: str) -> str | None:
    calls = [n for n in walk(work.tree) if isinstance(n, ast.Name) and n.id == "Neighbours"]
    return None if len(calls) >= _MOST_CALLS else _free_name(work, stem)


def _call(work: Mutation, name: str, *first: ast.expr) -> ast.Call:
    assert work.ground is not None
    return grow.call(name, *first, *(ast.Name(a, ast.Load()) for a in work.ground.arguments))


def _repeat(work: Mutation) -> bool:
    """The best of several answers by one phase with different random numbers."""
    last = _opened(work)
    value = None if last is None else last.value
    match value:
        case ast.Call(func=ast.Name(id=name), keywords=[]) if _takes_seed(work, name):
            several = copy.deepcopy(value)
            several.keywords = [ast.keyword("seed", ast.Name("seed", ast.Load()))]
            source = ast.parse(f"[None for seed in range({work.rng.choice((2, 3, 5))})]", mode="eval").body
            assert isinstance(source, ast.ListComp)
            assert last is not None
            source.elt = several
            last.value = _call(work, "better", source)
            return True
    return False


def _takes_seed(work: Mutation, name: str) -> bool:
    return any(
        isinstance(n, ast.FunctionDef) and n.name == name and n.args.args and n.args.args[-1].arg == "seed"
        for n in work.tree.body
    )


def _effort(work: Mutation) -> bool:
    """Changes the number of moves of one phase."""
    found = [
        part.value.args[0]
        for part in walk(work.tree)
        if isinstance(part, ast.Assign)
        and isinstance(part.targets[0], ast.Name)
        and part.targets[0].id == "steps"
        and isinstance(part.value, ast.Call)
        and part.value.args
        and isinstance(part.value.args[0], ast.BinOp)
        and isinstance(part.value.args[0].left, ast.Constant)
    ]
    product = work.choice(found)
    if product is None:
        return False
    assert isinstance(product.left, ast.Constant)
    product.left = grow.number_node(float(product.left.value) * work.rng.choice((0.5, 2, 2, 3, 5)))  # type: ignore[arg-type]
    return True


def _drop(work: Mutation) -> bool:
    """Removes the outermost call from the expression that the entry point returns."""
    last = _opened(work)
    value = None if last is None else last.value
    if last is None or not (isinstance(value, ast.Call) and value.args):
        return False
    first = value.args[0]
    if isinstance(first, ast.List) and first.elts:
        first = work.rng.choice(first.elts)
    elif isinstance(first, ast.ListComp) and isinstance(first.elt, ast.Call):
        first = first.elt
        first.keywords = []
    if not isinstance(first, ast.Call):
        return False
    last.value = first
    return True


def _better_of_two(work: Mutation) -> bool:
    """Makes both parents' answers and returns the better one."""
    last = _opened(work)
    if last is None or last.value is None or work.donor is None:
        return False
    if len(walk(work.tree)) + len(walk(work.donor.tree)) > _MOST_NODES:
        return False
    other = _DonorNames.of(work)
    if other is None:
        return False
    name, nodes = other
    place = next(
        i for i, n in enumerate(work.tree.body) if isinstance(n, ast.FunctionDef) and n.name == work.entry
    )
    work.tree.body[place:place] = nodes
    there = {ast.unparse(n) for n in work.tree.body if isinstance(n, _IMPORTS)}
    needed = [n for n in work.donor.tree.body if isinstance(n, _IMPORTS) and ast.unparse(n) not in there]
    work.import_also(copy.deepcopy(needed))
    work.whole_donor = True
    last.value = _call(work, "better", ast.List([last.value, _call(work, name)], ast.Load()))
    return True


class _DonorNames(ast.NodeTransformer):
    """A donor's definitions under names that the text does not have."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    @classmethod
    def of(cls, work: Mutation) -> tuple[str, list[ast.stmt]] | None:
        """The new name of the donor's entry point, and its definitions; None when they cannot be renamed."""
        assert work.donor is not None
        body = copy.deepcopy(work.donor.tree.body)
        kept = [n for n in body if isinstance(n, ast.FunctionDef | ast.ClassDef | ast.Assign)]
        defined = [n.name for n in kept if isinstance(n, ast.FunctionDef | ast.ClassDef)]
        for node in kept:
            if isinstance(node, ast.Assign):
                defined += [t.id for t in node.targets if isinstance(t, ast.Name)]
        taken = {n.id for n in walk(work.tree) if isinstance(n, ast.Name)} | {
            n.name for n in work.tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)
        }
        names: dict[str, str] = {}
        for one in defined:
            number = 2
            while one in taken and f"{one}_{number}" in taken | set(names.values()):
                number += 1
            names[one] = f"{one}_{number}" if one in taken else one
        local = {a.arg for node in kept for a in walk(node) if isinstance(a, ast.arg)}
        if work.entry not in names or names[work.entry] == work.entry or local & set(names):
            return None
        return names[work.entry], [cls(names).visit(node) for node in kept]

    def visit_Name(self, node: ast.Name) -> ast.expr:
        node.id = self._names.get(node.id, node.id)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        self.generic_visit(node)
        node.name = self._names.get(node.name, node.name)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        self.generic_visit(node)
        node.name = self._names.get(node.name, node.name)
        return node


def _rounds(work: Mutation) -> int:
    """Moves of a phase in sizes of the instance; fewer where a champion must be quick."""
    by_increment = work.ground is not None and work.ground.moves.by_increment
    usual = work.rng.choice((30, 100, 300, 1000) if by_increment else (10, 30, 100, 300))
    return max(1, round(usual * work.effort))


def _descent(work: Mutation) -> dict[str, object]:
    return {"rounds": _rounds(work)}


def _threshold(work: Mutation) -> dict[str, object]:
    heat = work.rng.choice((0.03, 0.1, 0.3, 1))
    power = work.rng.choice((1, 2, 4))
    return {"rounds": _rounds(work), "heat": heat, "power": power}


def _kicks(work: Mutation) -> dict[str, object]:
    turns = work.rng.choice((10, 30, 100))
    kicks = work.rng.choice((2, 3, 5))
    return {"rounds": max(1, 2 * _rounds(work) // turns), "turns": turns, "kicks": kicks}


OPERATORS = (
    Operator("moves-descent", Origin.TEMPLATE, 1.0, _phase("descend", _DESCENT, _descent)),
    Operator("moves-threshold", Origin.TEMPLATE, 4.0, _phase("settle", _THRESHOLD, _threshold)),
    Operator("moves-kicks", Origin.TEMPLATE, 4.0, _phase("kick", _KICKS, _kicks)),
    Operator("moves-repeat", Origin.TEMPLATE, 0.5, _repeat),
    Operator("moves-effort", Origin.TEMPLATE, 3.0, _effort),
    Operator("moves-drop", Origin.TEMPLATE, 0.5, _drop),
    Operator("better-of-two", Origin.CROSSOVER, 2.0, _better_of_two),
)

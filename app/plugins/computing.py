"""What of a foreign source only computes; apart from `scaffold`, as it is a list of what is allowed.

The source is somebody else's, and what is taken over runs as the user. So a constant is a literal, a function
has neither decorators nor defaults that are computed, and its body names nothing but its own variables, what
is taken over beside it, and functions of Python, its library and numpy that have no effect outside. Which
names are its own variables is Python's answer, block by block: a variable of an inner function is none of
the outer one, where the same name means whatever the file of the problem gives it.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import string
import symtable
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

_USUAL = """
    abs all any bool bytes chr complex dict divmod enumerate filter float frozenset int isinstance
    iter len list map max min next ord pow range repr reversed round set slice sorted str sum
    tuple zip ArithmeticError AssertionError AttributeError Exception IndexError KeyError
    LookupError OverflowError RuntimeError StopIteration TypeError ValueError ZeroDivisionError
"""
_BUILTINS = frozenset(_USUAL.split())
"""Functions and exceptions of Python that may be used."""
_WHOLE = ("math", "cmath", "itertools", "random", "statistics", "heapq", "bisect")
"""Modules of Python whose public functions have no effect outside; none of them runs a text."""
_SOME = {
    "collections": "Counter OrderedDict defaultdict deque",
    "copy": "copy deepcopy",
    "decimal": "Decimal",
    "fractions": "Fraction",
    "functools": "reduce",
    "string": "ascii_letters ascii_lowercase ascii_uppercase digits",
    "numpy": """
        abs absolute add all allclose amax amin any append arange arccos arcsin arctan arctan2
        argmax argmin argpartition argsort argwhere around array array_equal asarray atleast_1d
        atleast_2d average bincount bool_ broadcast_to ceil clip column_stack complex128 concatenate
        convolve copy corrcoef cos count_nonzero cov cross cumprod cumsum deg2rad degrees diag
        diagonal diff digitize divide dot e einsum empty empty_like equal exp expand_dims expm1 eye
        fabs fill_diagonal finfo flatnonzero flip float32 float64 floating floor floor_divide fmax
        fmin full full_like gradient greater greater_equal histogram hstack hypot identity inf inner
        int32 int64 integer interp intersect1d isclose isfinite isin isinf isnan isscalar ix_ kron
        less less_equal lexsort linspace log log10 log1p log2 logical_and logical_not logical_or
        logical_xor logspace max maximum mean median meshgrid min minimum mod moveaxis multiply nan
        nan_to_num nanmax nanmean nanmedian nanmin nanstd nansum ndim negative newaxis
        nonzero not_equal number ones ones_like outer percentile pi polyfit polyval power prod ptp
        quantile rad2deg radians ravel reciprocal remainder repeat reshape roll rot90 round
        searchsorted setdiff1d shape sign sin size sort split sqrt square squeeze stack std subtract
        sum swapaxes take tan tanh tensordot tile trace transpose trapezoid trapz tri tril
        tril_indices triu triu_indices true_divide uint8 union1d unique unravel_index var vdot
        vstack where zeros zeros_like
    """,
    "numpy.linalg": "cond det eig eigh eigvals eigvalsh inv lstsq matrix_rank norm pinv qr slogdet solve svd",
    "numpy.fft": "fft fft2 fftfreq ifft ifft2 irfft rfft",
    "numpy.random": "choice default_rng normal permutation rand randint randn random shuffle uniform",
}
"""Module → the names of it that may be used."""
_TYPES = {
    "typing": "Any Callable Dict Iterable Iterator List Mapping Optional Sequence Set Tuple Union",
    "numpy": "ndarray",
}
"""Module → the names of it that may stand in annotations alone: `ndarray` makes objects of addresses."""
_NODES = (
    *(ast.FunctionDef, ast.arguments, ast.arg, ast.Lambda, ast.Return, ast.Yield, ast.YieldFrom, ast.Expr),
    *(ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr, ast.Delete, ast.Pass, ast.Break, ast.Continue),
    *(ast.For, ast.While, ast.If, ast.IfExp, ast.Try, ast.ExceptHandler, ast.Raise, ast.Assert),
    *(ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call, ast.keyword, ast.Starred),
    *(ast.boolop, ast.operator, ast.unaryop, ast.cmpop, ast.expr_context),
    *(ast.Dict, ast.Set, ast.List, ast.Tuple, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
    *(ast.comprehension, ast.FormattedValue, ast.JoinedStr, ast.Constant, ast.Attribute, ast.Subscript),
    *(ast.Name, ast.Slice),
)
"""What a function may be made of."""
_INSIDES = ("gi_", "cr_", "ag_", "f_", "tb_", "co_", "func_")
"""Beginnings of attributes that lead from a generator or function to everything else."""
_CLOSED = frozenset(
    (
        *("tofile", "dump", "dumps"),  # write files
        *("ctypes", "cffi", "setflags", "resize"),  # addresses, and memory that other arrays look at
        *("mro", "register"),  # of classes; the latter changes what `isinstance` says everywhere
        *("format_map", "bit_generator"),
        "obj",  # of an error: the module that lacks a name
    )
)
"""Attributes that lead out of a value."""


def computing(body: Sequence[ast.stmt], reserved: frozenset[str]) -> list[ast.stmt]:
    """The constants and functions at the top of a source that only compute, in order.

    Args:
        body: of the source.
        reserved: names that they must not have.
    """
    meanings = {n: meaning for n, meaning in _meanings(body).items() if not _taken(n, reserved)}
    nodes = [node for node in body if (bound := _bound(node)) and not any(_taken(n, reserved) for n in bound)]
    while True:
        names = {name for node in nodes for name in _bound(node)}
        twice = {n for node in body if node not in nodes for n in _stored(node)}
        left = [n for n in nodes if _bound(n) & twice or not _allowed(n, names, meanings)]
        if not left:
            return nodes
        nodes = [node for node in nodes if node not in left]


def imports(body: Sequence[ast.stmt], nodes: Sequence[ast.stmt], reserved: frozenset[str]) -> list[str]:
    """The import statements of a source that some of its nodes need, with allowed names alone."""
    wanted = {one.id for node in nodes for one in ast.walk(node) if isinstance(one, ast.Name)}
    return [
        ast.unparse(statement)
        for node in body
        for statement, name, _ in _imported(node)
        if name in wanted and not _taken(name, reserved)
    ]


def _taken(name: str, reserved: frozenset[str]) -> bool:
    """Whether a name has a meaning already: for Python, for its import, or for the file that is written."""
    return name.startswith("__") or name in reserved or hasattr(builtins, name)


def _bound(node: ast.stmt) -> set[str]:
    """The names of a function, or of a constant; none for any other statement."""
    if isinstance(node, ast.FunctionDef):
        return {node.name}
    if isinstance(node, ast.AnnAssign):
        targets: list[ast.expr] = [node.target] if node.value is not None else []
    else:
        targets = node.targets if isinstance(node, ast.Assign) else []
    names = {target.id for target in targets if isinstance(target, ast.Name)}
    return names if len(names) == len(targets) else set()


def _stored(node: ast.stmt) -> set[str]:
    """Names that a statement may bind at the top of its source."""
    named = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    if isinstance(node, named):
        return {node.name}
    found = {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    return found | {one.name for one in ast.walk(node) if isinstance(one, named)}


def _allowed(node: ast.stmt, names: set[str], meanings: Mapping[str, str]) -> bool:
    if isinstance(node, ast.FunctionDef):
        try:
            return _Function(node, names, meanings).allowed
        except (RecursionError, MemoryError, SyntaxError, ValueError):  # nested without end, or no Python
            return False
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    annotation = node.annotation if isinstance(node, ast.AnnAssign) else None
    return value is not None and _is_literal(value) and _is_plain(annotation)


def _is_literal(node: ast.expr) -> bool:
    """Whether an expression is a number, a text, or a list, tuple, set or dictionary of such."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.UnaryOp):
        number = node.operand.value if isinstance(node.operand, ast.Constant) else None
        return isinstance(node.op, ast.USub | ast.UAdd) and type(number) in (int, float, complex)
    if isinstance(node, ast.List | ast.Tuple):
        return all(map(_is_literal, node.elts))
    if isinstance(node, ast.Set):
        return all(map(_is_key, node.elts))
    if isinstance(node, ast.Dict):
        keys = [key for key in node.keys if key is not None]
        return len(keys) == len(node.keys) and all(map(_is_key, keys)) and all(map(_is_literal, node.values))
    return False


def _is_key(node: ast.expr) -> bool:
    """Whether a literal has a hash."""
    if isinstance(node, ast.Tuple):
        return all(map(_is_key, node.elts))
    return isinstance(node, ast.Constant | ast.UnaryOp) and _is_literal(node)


def _is_plain(annotation: ast.expr | None) -> bool:
    """Whether an annotation is made of names alone; in the file that is written none is evaluated."""
    kinds = (ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.BinOp, ast.BitOr, ast.Constant)
    parts = [] if annotation is None else list(ast.walk(annotation))
    return all(isinstance(part, (*kinds, ast.expr_context)) for part in parts) and not any(
        isinstance(part, ast.Attribute) and part.attr.startswith("_") for part in parts
    )


class _Function:
    """One function, held against what is allowed.

    Attributes:
        allowed: whether all of it is.
    """

    def __init__(self, node: ast.FunctionDef, names: set[str], meanings: Mapping[str, str]) -> None:
        self._modules = {name: meaning for name, meaning in meanings.items() if _is_module(meaning)}
        own = set(_own_names(node))
        hidden = {name for name in own if hasattr(builtins, name)} - _BUILTINS
        self._names = own | names | _BUILTINS | (meanings.keys() - self._modules.keys())
        usual = not hidden and not any(name.startswith("__") for name in own)
        outside = names | _BUILTINS | meanings.keys()
        self.allowed = usual and self._is_allowed(node) and _global_names(node) <= outside

    def _is_allowed(self, node: ast.AST) -> bool:
        if not isinstance(node, _NODES):
            return False
        if isinstance(node, ast.FunctionDef) and not self._is_head_allowed(node):
            return False
        if isinstance(node, ast.arguments) and not all(map(_is_literal, _defaults(node))):
            return False
        if isinstance(node, ast.Name):
            return node.id in self._names and node.id not in self._modules
        if isinstance(node, ast.Attribute):
            return self._is_attribute_allowed(node)
        return all(map(self._is_allowed, _parts(node)))

    def _is_head_allowed(self, node: ast.FunctionDef) -> bool:
        arguments = [one for one in ast.walk(node.args) if isinstance(one, ast.arg)]
        annotations = [node.returns, *(one.annotation for one in arguments)]
        computed = [*node.decorator_list, *getattr(node, "type_params", [])]
        return not computed and all(map(_is_plain, annotations))

    def _is_attribute_allowed(self, node: ast.Attribute) -> bool:
        if not isinstance(node.ctx, ast.Load):  # of a module, it would change that for everybody
            return False
        if node.attr == "format":  # `"{0.__init__.__globals__}"` reads attributes
            return isinstance(node.value, ast.Constant) and _is_plain_format(node.value.value)
        names = [node.attr]
        value = node.value
        while isinstance(value, ast.Attribute):
            names.insert(0, value.attr)
            value = value.value
        if isinstance(value, ast.Name) and value.id in self._modules:
            parts = [*self._modules[value.id].split("."), *names]
            ends = [
                n for n in range(2, len(parts) + 1) if _is_offered(".".join(parts[: n - 1]), parts[n - 1])
            ]
            return bool(ends) and all(map(_is_open, parts[ends[0] :]))
        return all(map(_is_open, names)) and self._is_allowed(value)


def _own_names(function: ast.FunctionDef) -> Iterator[str]:
    """Names that a function or one inside of it binds."""
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef | ast.ExceptHandler) and node.name and node is not function:
            yield node.name


def _global_names(function: ast.FunctionDef) -> set[str]:
    """Names that a function, or a block inside of it, takes from its module or from Python.

    Raises:
        ValueError: what Python writes for the function is another function.
    """
    anew = ast.parse(ast.unparse(function))
    if ast.dump(anew.body[0]) != ast.dump(function):  # Python writes `\x7b` in a format as a brace
        raise ValueError(f"{function.name}: written anew, it says something else")
    text = ast.unparse(_WithoutAnnotations().visit(anew))
    tables = symtable.symtable(text, "<function>", "exec").get_children()
    names = set[str]()
    while tables:
        table = tables.pop()
        tables += table.get_children()
        names |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
    return names


class _WithoutAnnotations(ast.NodeTransformer):
    """Leaves out what is not evaluated."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """An argument alone."""
        return ast.arg(node.arg)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """A function that says nothing of what it returns."""
        self.generic_visit(node)
        node.returns = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        """The assignment, where there is one."""
        self.generic_visit(node)
        node.annotation = ast.Constant(None)
        return node


def _is_plain_format(text: object) -> bool:
    """Whether a text that is formatted names arguments, and neither attributes nor items of them."""
    if not isinstance(text, str):
        return False
    try:
        fields = [(name, form) for _, name, form, _ in string.Formatter().parse(text) if name is not None]
    except ValueError:
        return False
    return all((not name or name.isalnum()) and "{" not in (form or "") for name, form in fields)


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node but annotations, which are not evaluated, and the head of a function."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns") and isinstance(value, ast.AST):
            if not (isinstance(value, ast.expr) and _is_plain(value)):
                yield ast.Module([], [])  # which is not allowed
        elif isinstance(value, list):
            yield from (one for one in value if isinstance(one, ast.AST))
        elif isinstance(value, ast.AST):
            yield value


def _defaults(node: ast.arguments) -> list[ast.expr]:
    return [*node.defaults, *(one for one in node.kw_defaults if one is not None)]


def _is_open(attribute: str) -> bool:
    """Whether an attribute of a value is one of its own methods and parts, and leads to nothing else."""
    return not attribute.startswith(("_", *_INSIDES)) and attribute not in _CLOSED


def _meanings(body: Sequence[ast.stmt]) -> dict[str, str]:
    """Name → dotted name of the module, or of what a module offers, that allowed imports give the name."""
    return {
        name: meaning
        for node in body
        for _, name, meaning in _imported(node)
        if _is_module(meaning) or _is_offered(*meaning.rsplit(".", 1))
    }


def _is_module(meaning: str) -> bool:
    return meaning in _WHOLE or meaning in _SOME or meaning in _TYPES


def _imported(node: ast.stmt) -> Iterator[tuple[ast.stmt, str, str]]:
    """Import statement, name and meaning of each name that a statement imports."""
    if isinstance(node, ast.Import):
        for one in node.names:
            whole = one.name if one.asname else one.name.partition(".")[0]
            if _is_module(one.name):
                yield ast.Import([one]), one.asname or whole, whole
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        for one in node.names:
            if _is_offered(node.module, one.name) or one.name in _TYPES.get(node.module, "").split():
                statement = ast.ImportFrom(node.module, [one], 0)
                yield statement, one.asname or one.name, f"{node.module}.{one.name}"


@cache
def _offered(module: str) -> frozenset[str]:
    if module in _SOME:
        return frozenset(_SOME[module].split())
    if module not in _WHOLE:
        return frozenset()
    found = importlib.import_module(module)
    names = getattr(found, "__all__", [name for name in dir(found) if not name.startswith("_")])
    return frozenset(names)


def _is_offered(module: str, name: str) -> bool:
    """Whether a module is on the list and offers a name."""
    return name in _offered(module)

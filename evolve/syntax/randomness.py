"""Finds random numbers without a seed in a text, without running any of the text."""

from __future__ import annotations

import ast

_MAKERS = frozenset({"Random", "default_rng", "RandomState", "SeedSequence"})
"""What makes a generator of its own; without a seed each takes one from the system."""
_TYPES = frozenset({"Generator", "BitGenerator", "PCG64", "MT19937", "Philox", "SFC64", "bit_generator"})


def unseeded(text: str) -> str | None:
    """The first call that draws or makes random numbers without a seed, as written; None without one.

    A call that a text hides from this analysis is refused when it runs.

    Args:
        text: source within the sandbox's caps.
    """
    tree = ast.parse(text)
    modules, names = _imported(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (name := _random_name(node.func, modules, names)) is not None:
            seeded = any(not (isinstance(a, ast.Constant) and a.value is None) for a in node.args)
            if name not in _TYPES and not (name in _MAKERS and (seeded or node.keywords)):
                return ast.unparse(node)[:80]
    return None


def _imported(tree: ast.Module) -> tuple[set[str], dict[str, str]]:
    """Dotted names that stand for `random` or `numpy.random`, and local names of what is in them."""
    modules: set[str] = set()
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                local = alias.asname or alias.name
                if alias.name in ("random", "numpy.random"):
                    modules.add(local)
                elif alias.name == "numpy":
                    modules.add(f"{local}.random")
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if node.module == "numpy" and alias.name == "random":
                    modules.add(alias.asname or alias.name)
                elif node.module in ("random", "numpy.random"):
                    names[alias.asname or alias.name] = alias.name
    return modules, names


def _random_name(function: ast.expr, modules: set[str], names: dict[str, str]) -> str | None:
    """Name in `random` or `numpy.random` of what is called; None if it is something else."""
    if isinstance(function, ast.Name):
        return names.get(function.id)
    if isinstance(function, ast.Attribute):
        owner = function.value
        if isinstance(owner, ast.Name) and owner.id in modules:
            return function.attr
        if isinstance(owner, ast.Attribute) and isinstance(owner.value, ast.Name):
            return function.attr if f"{owner.value.id}.{owner.attr}" in modules else None
    return None

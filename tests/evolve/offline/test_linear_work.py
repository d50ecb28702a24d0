"""What the parent process does with a candidate's text grows with the text, whatever is nested in it.

Work is counted in calls of functions, Python's own included, never in seconds. Each family of texts is looked
at in two sizes; twice the text may cost at most a little more than twice the work.
"""

from __future__ import annotations

import ast
import random
import sys
import tracemalloc
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from gapsmith.evolve.offline import OPERATORS
from gapsmith.evolve.offline.mutation import Mutation, Operator, domains_of, pairs_in, read
from gapsmith.evolve.offline.phases import operators_of
from gapsmith.evolve.syntax import checks
from gapsmith.evolve.syntax.analysis import analyse
from gapsmith.evolve.syntax.simplify import named, simplify
from gapsmith.evolve.tuning import structure
from gapsmith.problems.sequencing import SEQUENCING

Family = Callable[[int], str]
MOST = 3_000_000
"""Calls at which a count ends, so that a test of exponential work fails and does not hang (count)."""
TERMS = {"p[j] - r": "slack", "sum(p)": "total", "max(p)": "longest"}


class TooMuch(BaseException):
    """The work is beyond `MOST` calls."""


def work(make: Callable[[], object]) -> int:
    """Calls that something makes (count)."""
    calls = 0

    def count(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal calls
        if event in ("call", "c_call"):
            calls += 1
            if calls > MOST:
                raise TooMuch

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        make()
    except TooMuch:
        pytest.fail(f"more than {MOST} calls")
    finally:
        sys.setprofile(before)
    return calls


def solve(body: str, before: str = "") -> str:
    """A program around some statements."""
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    head = "def solve(p: list[int], r: int) -> list[int]:"
    return f"import numpy as np\n{before}\n{head}\n{lines}\n    return p\n"


def nest(open: str, close: str, core: str) -> Family:
    """An expression inside itself, `n` times."""
    return lambda n: solve(f"x = {open * n}{core}{close * n}")


def blocks(head: str, core: str = "x = 1", tail: str = "") -> Family:
    """A compound statement inside itself, `n` times; `tail` follows each."""

    def text(n: int) -> str:
        lines = [" " * i + head.replace("#", str(i)) for i in range(n)] + [" " * n + core]
        lines += [" " * i + line for i in reversed(range(n)) for line in tail.splitlines()]
        return solve("\n".join(lines))

    return text


def lines(line: str) -> Family:
    """A statement `n` times; # is its number, @ the number before."""
    return lambda n: solve(
        "\n".join(line.replace("#", str(i)).replace("@", str(i - 1)) for i in range(1, n + 1))
    )


def helpers(text: str) -> Family:
    """A function `n` times; # is its number, @ the number before."""
    each = text + "\n"
    return lambda n: solve(
        f"x = h{n}(1)", "".join(each.replace("#", str(i)).replace("@", str(i - 1)) for i in range(1, n + 1))
    )


def many(open: str, item: str, close: str) -> Family:
    """An expression with `n` parts side by side."""
    return lambda n: solve("x = " + open + ", ".join(item.replace("#", str(i)) for i in range(n)) + close)


DEEP: dict[str, Family] = {
    "copies": lambda n: solve("x = p" + ".copy()" * (n // 2)),
    "pops": lambda n: solve("x = p" + ".pop()" * (n // 2)),
    "mixed methods": lambda n: solve("x = p" + ".copy().pop().index(1)" * (n // 6)),
    "attributes": lambda n: solve("x = p" + ".a" * n),
    "subscripts": lambda n: solve("x = p" + "[r]" * n),
    "subscripts inside": nest("p[", "]", "r"),
    "lists": nest("[", "]", "1"),
    "tuples": nest("(", ",)", "1"),
    "dictionaries": nest("{1: ", "}", "1"),
    "list comprehensions in elements": nest("[", " for j in p]", "r"),
    "list comprehensions in sources": lambda n: nest("[j for j in ", "]", "p")(n // 2),
    "generators": lambda n: nest("sum(", " for j in p)", "r")(n // 2),
    "lambdas": nest("(lambda a: ", ")", "r"),
    "sort keys": lambda n: nest("sorted(p, key=lambda j: ", ")", "r")(n // 3),
    "conditional expressions": nest("(r if r else ", ")", "1"),
    "negations": nest("not ", "", "r"),
    "minus": nest("-", "", "r"),
    "and-or": nest("(r and r or ", ")", "r"),
    "comparisons": nest("(r < ", ")", "1"),
    "sums to the left": lambda n: solve("x = r" + " + r" * n),
    "differences to the right": nest("(r - ", ")", "r"),
    "differences of equals": nest("(r - r - ", ")", "r"),
    "calls": nest("abs(", ")", "r"),
    "extrema": nest("max(r, ", ")", "r"),
    "arrays": nest("np.where(r, r, ", ")", "r"),
    "appends": nest("p.append(", ")", "1"),
    "assigned sums": lambda n: solve("for j in p:\n    r = r" + " + r" * n),
    "if": blocks("if r:"),
    "if with both ways": blocks("if r:", "x = 1; y = 2; z = 3", "else:\n y = 2; x = 1; z = 1"),
    "if that ends": blocks("if r:", "x = 1; y = 2; z = 3", "else:\n return p"),
    "for": blocks("for j# in p:"),
    "for with appends": blocks("for j# in p:", "p.append(r)"),
    "while": blocks("while r:", "r = 1"),
    "try": blocks("try:", "x = 1", "finally:\n y = 1"),
    "with": blocks("with r as a#:"),
    "functions": blocks("def f#(a):"),
    "functions with results": blocks("def f#(a):", "x = 1", " return a"),
    "functions of one name": blocks("def f(a):", "x = sum(p)", " return a"),
    "classes": blocks("class C#:", "x = 1"),
    "methods": lambda n: blocks("class C:", "x = 1")(n // 2),
}
"""Nested up to the cap on depth."""

WIDE: dict[str, Family] = {
    "assignments": lines("v# = r"),
    "assignments in a chain": lines("v# = v@"),
    "assignments to one name": lines("v = v + #"),
    "definitions and assignments of one name": lines("def f(): pass\nf = 1"),
    "ifs": lines("if r:\n    v# = 1\nelse:\n    v# = 2"),
    "loops": lines("for i# in range(r):\n    v# = i#"),
    "loops that compare": lines("while v# < r and w# < r:\n    v# += 1"),
    "comprehensions": lines("v# = [i# for i# in p]"),
    "subscripts of pairs": lines("p#[i#] = p@[i#]"),
    "known expressions": lines("v# = sum(p) + max(p)"),
    "deleted names": lines("del v#"),
    "strings": lines("'text'"),
    "lists that grow": lines("for j in p:\n    p.append(#)"),
    "imports": lambda n: solve("x = 1", "".join(f"import m{i}\n" for i in range(n))),
    "one name imported again": lambda n: solve("x = 1", "import math\n" * n),
    "helpers": helpers("def h#(a):\n    x = sum(p)\n    return a"),
    "helpers in a chain": helpers("def h#(a):\n    return h@(a)"),
    "helpers that nobody calls": lambda n: solve(
        "x = 1", "".join(f"def g{i}(a):\n    return g{i - 1}(a)\n" for i in range(1, n))
    ),
    "equal helpers": helpers("def h#(a):\n    return a + 1"),
    "attributes in methods": lambda n: solve(
        "x = 1",
        "class C:\n"
        + "".join(f"    def m{i}(self):\n        self.a{i} = 1\n        self.b{i} += 1\n" for i in range(n)),
    ),
    "arguments": many("abs(", "r", ")"),
    "list items": many("[", "r", "]"),
    "dictionary items": many("dict(", "a#=r", ")"),
    "extrema of many": many("max(", "p[#]", ")"),
    "equal extrema": many("[", "max(r, r)", "]"),
    "lambdas side by side": many("[", "sorted(p, key=lambda j#: j#)", "]"),
    "generators side by side": many("[", "sum(p[j] - r for j in p)", "]"),
    "parameters": lambda n: solve(
        "x = 1", "def g(" + ", ".join(f"a{i}: int" for i in range(n)) + "):\n    return 1\n"
    ),
    "targets": lambda n: solve(", ".join(f"a{i}" for i in range(n)) + " = p"),
    "zipped names": lambda n: solve(
        "for " + ", ".join(f"a{i}" for i in range(n)) + " in zip(" + "p, " * n + "):\n    x = 1"
    ),
    "operands": lambda n: solve("x = " + " and ".join("r" for _ in range(n))),
    "compared": lambda n: solve("x = " + " < ".join(f"v{i}" for i in range(n))),
}
"""Side by side."""


def looked_at(text: str) -> None:
    """All that the parent finds out about a text by itself."""
    tree = ast.parse(text)
    checks.hazards(analyse(tree))
    checks.interface(tree, "solve")
    pairs_in(tree)
    structure(text)
    named(text, TERMS)


def grows_in_proportion(of: Callable[[str], object], family: Family, small: int) -> None:
    """Twice the text makes about twice the work at most."""
    texts = family(small), family(2 * small)
    assert len(ast.dump(ast.parse(texts[1]))) <= 2.6 * len(ast.dump(ast.parse(texts[0])))
    assert checks.size(ast.parse(texts[1]))[1] <= 100
    first, second = (work(lambda text=text: of(text)) for text in texts)  # type: ignore[misc]
    assert second <= 2.7 * first + 500, f"{first} calls, then {second}"


@pytest.mark.quick("lists", "calls", "if", "methods")
@pytest.mark.parametrize("name", DEEP)
def test_nesting_does_not_multiply_work(name: str) -> None:
    """Analysis, guard, tuner and naming look at each part of a nested text a bounded number of times."""
    grows_in_proportion(looked_at, DEEP[name], 40)


@pytest.mark.quick("assignments in a chain", "imports", "operands")
@pytest.mark.parametrize("name", WIDE)
def test_many_parts_are_looked_at_once(name: str) -> None:
    """Analysis, guard, tuner and naming do not compare each part of a text with each other one."""
    grows_in_proportion(looked_at, WIDE[name], 60)


ALL = [*OPERATORS, *operators_of(SEQUENCING)]
PARENT = solve("q = sorted(p, key=lambda j: j + r)\nx = max(r, 1) + 2 * r\nif x > r:\n    x = r")


@pytest.mark.quick(
    "number-helpers in a chain",
    "hoist-assignments",
    "cross-statement-assignments",
)
@pytest.mark.parametrize(
    "name", ["helpers in a chain", "assignments", pytest.param("equal helpers", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("operator", ALL, ids=lambda operator: operator.name)
def test_operators_take_work_in_proportion_to_both_parents(operator: Operator, name: str) -> None:
    """No way to change a text looks at each of its parts, or of the second parent's, for each other one."""
    assert work_of(operator, WIDE[name], 80) <= 2.7 * work_of(operator, WIDE[name], 40) + 20_000


def work_of(operator: Operator, family: Family, size: int) -> int:
    """Calls for three applications to a small parent with a large donor, and three the other way round."""
    text = family(size)
    known = domains_of([PARENT, text], ())
    works = [
        Mutation(ast.parse(own), "solve", random.Random(seed), (), read(donor), known, True)
        for own, donor in ((PARENT, text), (text, PARENT))
        for seed in range(3)
    ]
    return work(lambda: [operator.apply(each) for each in works])


def test_chains_of_helpers_that_nobody_calls_go_in_one_pass() -> None:
    """The last of a chain of helpers takes all others with it, at a cost in proportion to their number."""
    family = WIDE["helpers that nobody calls"]
    works = [Mutation(ast.parse(family(size)), "solve", random.Random(0)) for size in (50, 100)]
    first, second = (work(each.drop_unused) for each in works)
    assert [len(each.tree.body) for each in works] == [2, 2]
    assert second <= 2.7 * first


@pytest.mark.slow
def test_scopes_share_the_names_that_they_hold() -> None:
    """Five thousand names are held once: the analysis of their assignments takes less than 60 megabytes."""
    tree = ast.parse(lines("v# = r")(4900))
    tracemalloc.start()
    try:
        analysis = analyse(tree)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(analysis.blocks[0].scopes[-1]) >= 4900
    assert most < 60_000_000


def test_the_work_on_variants_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a text with very many variants only as many are made as the limit admits, and `complete` says so."""
    text = lines("v# = r + 1")(12)
    assert simplify(text, "solve", lambda variant: False, 1000).complete
    monkeypatch.setattr("gapsmith.evolve.syntax.simplify._WORK", 10 * len(list(ast.walk(ast.parse(text)))))
    done = simplify(text, "solve", lambda variant: False, 1000)
    assert 1 <= done.tried <= 10
    assert not done.complete

"""A task of another tool becomes a problem of one's own, with the checks of its evaluator."""

from __future__ import annotations

import ast
import cProfile
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.errors import ProblemError
from gapsmith.app.plugins.loader import load_problem
from gapsmith.app.plugins.scaffold import literal, takeover, write_problem
from gapsmith.sandbox.unseen import find_unseen

Gapsmith = Callable[..., "subprocess.CompletedProcess[str]"]
Make = Callable[..., Path]
CIRCLES = Path(__file__).parents[3] / "examples" / "circle_packing"
EVALUATOR = """
import functools, math, os
import numpy as np
HERE = os.getcwd()
DATA = HERE + "/data"
WEIGHTS = {"a": (1, -2.5), "b": [True, None]}
LIMIT: exit() = 3
NINE = LIMIT * LIMIT
EPSILON = SMALL = 10 ** -9
DAY = 24 * 60 * 60
TWICE = 1
TWICE = 2
def too_large(size):
    TWO = 2
    return math.floor(size) > LIMIT
TWO = (
    2.0  # the comment goes
)
def evaluate(path):
    return {"combined_score": 1.0}
"""


def test_constants_alone_are_taken_over(task: Make) -> None:
    """Literals and arithmetic with numbers come in their order; functions are named with their lines."""
    taken = takeover(f"openevolve:{task(EVALUATOR)}")
    names: dict[str, Any] = {}
    exec(taken.constants, names)
    del names["__builtins__"]
    assert names == {
        "WEIGHTS": {"a": (1, -2.5), "b": [True, None]},
        "LIMIT": 3,
        "EPSILON": 1e-9,
        "SMALL": 1e-9,
        "DAY": 86400,
        "TWO": 2.0,
    }
    assert "24 * 60 * 60" in taken.constants
    assert any(name.startswith("too_large (line ") for name in taken.left)
    assert not any("evaluate" in name for name in taken.left)
    assert taken.entry == "radius"


COMPUTED = [
    'exec("{RUN}")',
    '(exec)("{RUN}")',
    '[exec("{RUN}")]',
    '(1, [2, {{"a": exec("{RUN}")}}])',
    '{{exec("{RUN}"): 1}}',
    '{{exec("{RUN}")}}',
    '{{**exec("{RUN}")}}',
    '[*exec("{RUN}")]',
    '1 + exec("{RUN}")',
    '-exec("{RUN}")',
    'not exec("{RUN}")',
    '1 if exec("{RUN}") else 2',
    '1 < exec("{RUN}")',
    '1 and exec("{RUN}")',
    '[1, 2][exec("{RUN}")]',
    '[exec("{RUN}") for _ in (1,)]',
    '{{exec("{RUN}") for _ in (1,)}}',
    '(exec("{RUN}") for _ in (1,))',
    "(yield)",
    'f"{{1!r:{{2}}}}"',
    "(1).__class__",
    "1 .real",
    '"{{0.__class__}}".format(1)',
    '"%s" % 1',
    '"a" * 10 ** 12',
    "[0] * 10 ** 12",
    'b"a" * 9999999999',
    '"a" + "b"',
    "9 ** 9 ** 9",
    "2 ** 100000",
    "(2 ** 64) ** 64",
    "0x1" + "0" * 6000,
    "(2 ** 60) ** 60 * 2 ** 60",
    "1 << 10 ** 12",
    "10 // 3",
    "7 % 2",
    "~1",
    "1 / 0",
    "1.5 ** 64 ** 64",
    "1e308 ** 64",
    "(1j) ** 10 ** 9",
    "0 ** -1",
    "{{[1]: 2}}",
    "{{[1], 2}}",
    "{{(1, [2])}}",
    "...if x else 1",
    "x",
    "print",
    '__import__("os")',
    "(lambda: 1)",
    "(lambda: 1)()",
    "[i for i in range(10 ** 12)]",
    "1" + " + 1" * 2000,
    "(1, " * 90 + "x" + ")" * 90,
    "{{" + ", ".join(str(n * (2**61 - 1)) for n in range(20000)) + "}}",
    "[" + "(0, 1), " * 4000 + "]",
]
"""Expressions that are no literals, or none that may stand in a file."""
AT_IMPORT = [
    'N = len.__self__.exec("{RUN}") or 26',
    'N = [c for c in ().__class__.__base__.__subclasses__()] and exec("{RUN}")',
    'N = {{1: 2, **dict(a=exec("{RUN}"))}}',
    "N = f\"{{exec('{RUN}')}}\"",
    'N = M = (lambda: exec("{RUN}"))()',
    "N = (x := print)",
    'class N:\n    exec("{RUN}")',
    'class N(metaclass=print):\n    x = exec("{RUN}")',
    *(f"N = {text}" for text in COMPUTED),
    'def f(x=exec("{RUN}")):\n    return 1',
    'def f(*, x=[exec("{RUN}")]):\n    return 1',
    'def f(x: exec("{RUN}")) -> exec("{RUN}"):\n    return 1',
    'def f(x: (lambda: exec("{RUN}"))()):\n    return 1',
    '@exec\ndef f(x):\n    return "{RUN}"',
    '@(lambda f: exec("{RUN}"))\ndef f(x):\n    return 1',
    "def __getattr__(name):\n    return 1",
    "def __dir__():\n    return []",
    "__all__ = ['x']",
    "__builtins__ = {{}}",
    "def Instance(*args):\n    return 1",
    "def Verdict():\n    return 1",
    "def plugin():\n    return 1",
    "plugin = 5",
    "START = 'def f(): pass'",
    "def range(*args):\n    return []",
    "set = 5",
    "from os import system as f\nN = f('{RUN}')",
    "import os as math\ndef f(x):\n    return math.system(x)",
    "import evaluator_of_mine\ndef f(x):\n    return evaluator_of_mine.x",
    "from . import helper\ndef f(x):\n    return helper.x",
    "from numpy import *\nN = load('x')",
    "if True:\n    def f(x=exec('{RUN}')):\n        return 1",
    "try:\n    N = exec('{RUN}')\nfinally:\n    pass",
    "async def f(x=exec('{RUN}')):\n    return 1",
]
"""Sources of which nothing at all is taken over."""


@pytest.mark.parametrize("source", AT_IMPORT)
def test_nothing_runs_when_what_is_taken_over_is_loaded(
    task: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    """The written file loads, and neither that nor a look at each of its names runs anything of the task."""
    monkeypatch.chdir(tmp_path)
    text = source.format(RUN="open(chr(99), chr(119))")
    spec = f"openevolve:{task(text + chr(10) + 'def evaluate(path): return {}')}"
    assert takeover(spec).constants == ""
    file = write_problem("my-own", tmp_path, package=False, source=spec)[0]
    loaded = load_problem(str(file))
    assert loaded.problem.verify(loaded.instances("train", 1)[0], 1).objective is None
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("body", ["return 1", "return math.sqrt(x)", "pass"])
def test_no_function_comes_along(task: Make, body: str) -> None:
    """However plain it is: lists of what functions may do were left by errors, formats and scopes."""
    text = f"import math\ndef f(x):\n    {body}\ndef evaluate(path): return {{}}\n"
    folder = task(text)
    file = write_problem("my-own", folder, package=False, source=f"openevolve:{folder}")[0]
    tree = ast.parse(file.read_text())
    names = [n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    assert names == ["MyOwn"]
    assert "f (line " in file.read_text()


HIDDEN = {
    "bidi": 'N = "a\u202eb"',
    "zero width": 'N = "a\u200bb"',
    "filler": 'N = "a\u3164b"',
    "escape": 'N = "a\x1b[31mb"',
    "line separator": 'N = "a\u2028import os"',
    "variation": 'N = ["a\ufe0f"]',
    "private": 'N = {"\ue000": 1}',
    "comment": "N = (1, # \u202e\n 2)",
    "format": "N = ('a'\n  '\u2066b')",
}


@pytest.mark.parametrize("name", HIDDEN)
def test_no_constant_hides_what_it_says(task: Make, name: str) -> None:
    """Characters that nobody sees are written as escapes, and mean the same."""
    text = HIDDEN[name]
    taken = takeover(f"openevolve:{task(text)}")
    said: dict[str, Any] = {}
    meant: dict[str, Any] = {}
    exec(text, meant)
    exec(taken.constants, said)
    assert said["N"] == meant["N"]
    assert find_unseen(taken.constants) is None


@pytest.mark.parametrize("name", ["\u3164", "\u0430bc"])
def test_no_constant_has_a_name_that_looks_like_another(task: Make, name: str) -> None:
    """Fillers and letters of other scripts stay behind."""
    assert takeover(f"openevolve:{task(f'{name} = 1')}").constants == ""


def test_what_is_written_is_what_was_judged(task: Make) -> None:
    """Line ends that editors, Python and this tool count differently move no text into another statement."""
    text = 'N = 1\x0c\nM = """\x0c\x1c\r"""\rL = 5 # \x85 \u2028 import os\n\x0cK = (\x0c3)\n'
    taken = takeover(f"openevolve:{task(text)}")
    names: dict[str, Any] = {}
    exec(taken.constants, names)
    assert (names["N"], names["M"], names["L"], names["K"]) == (1, "\x0c\x1c\n", 5, 3)
    assert "os" not in names


def test_the_name_of_a_folder_ends_no_text(
    task: Make, gapsmith: Gapsmith, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The path of a task stands in the written file, and a downloaded folder may have any name."""
    canary = tmp_path / "canary"
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / 'x"""; open(chr(99)+"anary", "w"); """\\"""\n'
    task("def evaluate(path): return {}").rename(folder)
    done = gapsmith("problems", "new", "my-own", "--from", f"openevolve:{folder}", "--folder", str(tmp_path))
    assert done.returncode == 0, done.stderr
    load_problem(str(tmp_path / "my_own.py"))
    assert not canary.exists()


def test_an_evaluator_that_is_no_python_is_named(task: Make) -> None:
    """An evaluator with an error of syntax is the user's error with the path of its file."""
    with pytest.raises(ProblemError, match=r"evaluator\.py: the evaluator is no Python"):
        takeover(f"openevolve:{task('def evaluate(:')}")


def test_a_task_under_home_has_a_digest(task: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A task that is named by `~` changes its version with its files, as every task does."""
    folder = task(EVALUATOR)
    monkeypatch.setenv("HOME", str(folder.parent))
    versions = []
    for text in (EVALUATOR, EVALUATOR + "N = 1"):
        (folder / "evaluator.py").write_text(text)
        versions.append(load_problem(f"openevolve:~/{folder.name}").problem.version)
    assert "" not in versions
    assert versions[0] != versions[1]


@pytest.mark.parametrize(
    "text",
    ["plain\n", "a\u202eb", "x\r\ny", "\x1b[1m", "a '''quoted''' text\n", "back\\slash\n", "ends with '"],
)
def test_any_text_becomes_source(text: str) -> None:
    """The written literal is the text, whatever quotes it holds."""
    assert eval(literal(text)) == text


def test_written_problem_loads_and_is_unfinished(gapsmith: Gapsmith, tmp_path: Path) -> None:
    """The file loads as a problem, holds the evaluator's constants, and refuses answers until then."""
    words = ("problems", "new", "my-circles", "--from", f"openevolve:{CIRCLES}", "--folder", str(tmp_path))
    done = gapsmith(*words)
    assert done.returncode == 0, done.stderr
    assert "TO DO" in done.stdout
    file = tmp_path / "my_circles.py"
    assert "faults_of (line " in file.read_text()
    assert "TOLERANCE = 1e-9" in file.read_text()
    assert "importlib" not in file.read_text()
    loaded = load_problem(str(file))
    verdict = loaded.problem.verify(loaded.instances("train", 1)[0], [[0.5, 0.5, 0.5]])
    assert verdict.objective is None
    assert "not finished" in verdict.violations[0]
    assert "EVOLVE-BLOCK-START" in next(iter(loaded.problem.start_programs().values()))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--from", "circle_packing"), "expected openevolve:PATH or skydiscover:PATH or shinka:PATH"),
        (("--from", f"openevolve:{CIRCLES}", "--kind", "rule"), "neither --package nor --kind"),
        (("--from", "openevolve:/no/such/folder"), "no such folder"),
        (("--from", "shinka:/no/such/folder"), "initial.py and evaluate.py"),
    ],
)
def test_wrong_sources_are_named(
    words: tuple[str, ...], said: str, gapsmith: Gapsmith, tmp_path: Path
) -> None:
    """A wrong source is the user's error, and nothing is written."""
    done = gapsmith("problems", "new", "my-circles", *words, "--folder", str(tmp_path))
    assert done.returncode in (2, 3)
    assert said in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_many_constants_take_work_in_proportion(task: Make) -> None:
    """Four times as many lines of constants take about four times the calls, not sixteen times."""
    folder = task("")

    def calls(count: int) -> int:
        text = "".join(f"A{number} = {number}\n" for number in range(count))
        (folder / "evaluator.py").write_text(f"{text}def evaluate(path):\n    return {{}}\n")
        profile = cProfile.Profile()
        profile.runcall(takeover, f"openevolve:{folder}")
        return sum(entry.callcount for entry in profile.getstats())

    calls(1)
    assert calls(800) < 6 * calls(200)

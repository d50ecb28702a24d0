"""A task of another tool becomes a problem of one's own, with the checks of its evaluator."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.errors import ProblemError
from gapsmith.app.plugins.loader import load_problem
from gapsmith.app.plugins.scaffold import literal, takeover

Gapsmith = Callable[..., "subprocess.CompletedProcess[str]"]
Make = Callable[..., Path]
CIRCLES = Path(__file__).parents[3] / "examples" / "circle_packing"
EVALUATOR = """
import math, os, subprocess
LIMIT = 2.0
HOME = os.getcwd()
def too_large(size):
    return math.floor(size) > LIMIT
def logged(size):
    open("log", "w").write(str(size))
def both(size):
    logged(size)
    return too_large(size)
def evaluate(path):
    return {"combined_score": 1.0 - both(load(path).radius())}
"""


def test_only_what_computes_is_taken_over(task: Make) -> None:
    """Functions that open files or call such functions stay; constants and imports come as far as needed."""
    taken = takeover(f"openevolve:{task(EVALUATOR)}")
    assert taken.functions == ("too_large",)
    assert set(taken.left) == {"load", "logged", "both", "evaluate"}
    assert taken.imports == "import math"
    assert "LIMIT = 2.0" in taken.checks
    assert "HOME" not in taken.checks
    assert taken.entry == "radius"


ORDERED = """
import functools, os
import numpy as np
from collections import Counter
HERE = os.getcwd()
DATA = HERE + "/data"
WEIGHTS = {"a": (1, -2.5), "b": [True, None]}
LIMIT: int = 3
NINE = LIMIT * LIMIT
class Point:
    def __init__(self, x):
        self.x = x
@functools.lru_cache
def cached(x):
    return x
def point(x):
    return Point(x).x
def nine(x):
    return NINE
def value(x: int, *, more: float = 0.5) -> "np.ndarray":
    # the comment stays
    parts = Counter(w for w in WEIGHTS)
    def total(y):
        return sum(parts.values()) + y
    return np.linalg.norm(np.array([total(x), LIMIT])) + more
def twice(x):
    return 2 * value(x)
def evaluate(path):
    return {"combined_score": 1.0}
"""


def test_what_is_taken_over_runs(task: Make) -> None:
    """Literals and functions of them stand in their order, with imports and comments; all else stays away."""
    taken = takeover(f"openevolve:{task(ORDERED)}")
    names: dict[str, Any] = {}
    exec(f"{taken.imports}\n{taken.checks}", names)
    assert taken.functions == ("value", "twice")
    assert names["twice"](2) == 2 * (5 + 0.5)
    assert {"DATA", "NINE", "Point", "os"}.isdisjoint(names)
    assert "# the comment stays" in taken.checks
    assert taken.imports.splitlines() == ["import numpy as np", "from collections import Counter"]


AT_IMPORT = [
    'N = len.__self__.exec("{RUN}") or 26',
    'N = [c for c in ().__class__.__base__.__subclasses__()] and exec("{RUN}")',
    'N = {{1: 2, **dict(a=exec("{RUN}"))}}',
    "N = f\"{{exec('{RUN}')}}\"",
    'N: exec("{RUN}") = 1',
    'N = M = (lambda: exec("{RUN}"))()',
    "N = (x := print)",
    'class N:\n    exec("{RUN}")',
    'class N(metaclass=print):\n    x = exec("{RUN}")',
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
IN_CALLS = [
    "return len.__self__",
    "return x.__class__",
    "return getattr(x, '__cl' + 'ass__')",
    "return (y for y in x).gi_frame.f_builtins['exec']",
    "return eval('1')",
    "return __import__('os')",
    "import os\n    return os",
    "from math import pi\n    return pi",
    "global N\n    N = 1\n    return N",
    "return np.load(x, allow_pickle=True)",
    "return np.lib.npyio.os.system(x)",
    "return np.array(x).tofile('canary')",
    "return np.linalg.linalg.sys",
    "return np.random.mtrand",
    "return random._os.system(x)",
    "return statistics.sys.modules",
    "m = np\n    return m.load(x)",
    "m = np.random\n    return m.os",
    "return [np][0].load(x)",
    "np.sqrt = x\n    return 1",
    "del np.sqrt\n    return 1",
    "g = lambda exec: 0\n    return exec(x)",
    "g = lambda open=1: 0\n    return open(x)",
    "match x:\n        case object(__self__=b):\n            return b.exec(x)",
    "with x:\n        return 1",
    "class A:\n        pass\n    return A",
    "@x\n    def g(y):\n        return y\n    return g",
    "g = lambda y=x.__class__: y\n    return g",
    "y: x.__class__ = 1\n    return y",
    "x.y: int = 1\n    return x",
    "return f'{x.__class__}'",
    "return type('A', (), {})",
    "return super().f",
    "return string.Formatter().get_field('0.__self__', (len,), {})",
    "return functools.partial(x)",
    "return input(x)",
    "return vars()",
    "return breakpoint()",
    "return unknown(x)",
    "return os.getcwd()",
    "await x",
    "return 1" + " + 1" * 2000,
]
"""Bodies of functions that are not taken over."""


@pytest.mark.parametrize("source", AT_IMPORT)
def test_nothing_runs_when_what_is_taken_over_is_loaded(
    task: Make, gapsmith: Gapsmith, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    """The written file loads, and neither that nor a look at each of its names runs anything of the task."""
    canary = tmp_path / "c"
    monkeypatch.chdir(tmp_path)
    text = source.format(RUN="open(chr(99), chr(119))")
    spec = f"openevolve:{task(text + chr(10) + 'def evaluate(path): return {}')}"
    taken = takeover(spec)
    assert (taken.checks, taken.functions, taken.imports) == ("", (), "")
    done = gapsmith("problems", "new", "my-own", "--from", spec, "--folder", str(tmp_path))
    assert done.returncode == 0, done.stderr
    loaded = load_problem(str(tmp_path / "my_own.py"))
    assert loaded.problem.verify(loaded.instances("train", 1)[0], 1).objective is None
    assert not canary.exists()


@pytest.mark.parametrize("body", IN_CALLS)
def test_a_function_that_reaches_out_stays_behind(task: Make, body: str) -> None:
    """And so does every function that calls it; the one beside them is taken over."""
    text = (
        "import math, random, statistics, string, functools, os\nimport numpy as np\n"
        f"def f(x):\n    {body}\ndef g(x):\n    return f(x)\ndef h(x):\n    return math.sqrt(x)\n"
    )
    if "await" in body:
        text = text.replace("def f", "async def f")
    taken = takeover(f"openevolve:{task(text)}")
    assert (taken.functions, taken.imports) == (("h",), "import math")


def test_what_is_written_is_what_was_judged(task: Make) -> None:
    """Line ends that editors, Python and this tool count differently move no text into another statement."""
    text = 'N = 1\x0c\nM = """\x0c\x1c\r"""\rL = 5 # \x85 \u2028 import os\n\x0cdef f(x):\n\x0c    return x\n'
    taken = takeover(f"openevolve:{task(text)}")
    names: dict[str, Any] = {}
    exec(taken.checks, names)
    assert (names["N"], names["L"], names["f"](3)) == (1, 5, 3)
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
    folder = task(ORDERED)
    monkeypatch.setenv("HOME", str(folder.parent))
    versions = []
    for text in (ORDERED, EVALUATOR):
        (folder / "evaluator.py").write_text(text)
        versions.append(load_problem(f"openevolve:~/{folder.name}").problem.version)
    assert "" not in versions
    assert versions[0] != versions[1]


@pytest.mark.parametrize("text", ["plain\n", "a '''quoted''' text\n", "back\\slash\n", "ends with '"])
def test_any_text_becomes_source(text: str) -> None:
    """The written literal is the text, whatever quotes it holds."""
    assert eval(literal(text)) == text


def test_written_problem_loads_and_is_unfinished(gapsmith: Gapsmith, tmp_path: Path) -> None:
    """The file loads as a problem, holds the evaluator's checks, and refuses answers until it is finished."""
    words = ("problems", "new", "my-circles", "--from", f"openevolve:{CIRCLES}", "--folder", str(tmp_path))
    done = gapsmith(*words)
    assert done.returncode == 0, done.stderr
    assert "TO DO" in done.stdout
    file = tmp_path / "my_circles.py"
    assert "def faults_of(circles):" in file.read_text()
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

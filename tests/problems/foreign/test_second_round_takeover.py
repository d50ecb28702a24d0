"""A second round of attempts to have a foreign evaluator's text run, or read, as the user."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from gapsmith.app.plugins.scaffold import takeover

Make = Callable[..., Path]
HEAD = """import copy, functools, math, random, statistics
from fractions import Fraction
from typing import Sequence
import numpy as np
from numpy import ndarray
from math import floor as Verdict
"""
OUTWARD = [
    # An object of any address: memory of the user's process is read and written.
    "return np.ndarray((1,), dtype='O', buffer=x)[0]",
    "return np.ndarray((1,), dtype=[('x', 'O')], buffer=x)",
    "return ndarray((1,), 'O', x)",
    "return isinstance(x, np.ndarray)",
    "return list(map(np.ndarray, x))",
    "x.resize(100000, refcheck=False)\n    return x",
    "r = x.resize\n    return r(1)",
    # Attributes that stand in a text.
    "return '{0.__init__.__globals__[_os].environ}'.format(random.Random)",
    "return '{a.b}'.format(a=x)",
    "return '{0[a]}'.format(x)",
    "return '{:{0.a}}'.format(x)",
    "return '{a.__globals__}'.format_map({'a': x})",
    "return list(map(str.format, ['{0.__class__}'], [x]))",
    "return functools.reduce(str.format, x)",
    "t = '{0.a}'\n    return t.format(x)",
    "return ('{0.' + 'a}').format(x)",
    "f = str.format\n    return f('{0.a}', x)",
    # Names of the written file, bound in another block.
    "h = lambda Plugin: 0\n    return Plugin",
    "h = lambda os: 0\n    return os.getcwd()",
    "h = lambda *os, **sys: os\n    return sys.modules",
    "y = [START for START in x]\n    return START",
    "y = {os: 1 for os in x}\n    return os.environ",
    "def h():\n        os = 1\n        return os\n    return os",
    "def h(os=1):\n        return 1\n    return [os for _ in x]",
    "def h():\n        os = 1\n    return (lambda: os.getcwd())()",
    "return (lambda sys: 0, sys)[1]",
    "return Verdict(x)",
    "h = lambda Plugin: 0\n    f'{x:\\x7bPlugin:=1\\x7d}'\n    return Plugin",
    # The error of a name that a module lacks holds the module.
    "try:\n        return np.trapz\n    except AttributeError as e:\n        return e.obj.f2py.os",
    "try:\n        return np.trapezoid\n    except Exception as e:\n        return e.obj",
    # What changes the whole process, or prints for it.
    "return Fraction.register(x)",
    "return Sequence.register(x)",
    "return Sequence[x]",
    "print('\\x1b]0;title\\x07')\n    return x",
    "print(x, file=x)\n    return x",
    "return np.random.default_rng().bit_generator.cffi",
    "return np.random.default_rng().bit_generator.lock.acquire()",
    "return x.ctypes",
    "return np.frombuffer(x)",
    "return np.fromfile(x)",
    "return np.memmap(x)",
    "return np.lib.format.open_memmap(x)",
    "return np.vectorize(x)",
    "return copy.__builtins__",
    "return (yield x).gi_frame",
    "return x.cr_frame",
    "return x.__reduce_ex__(2)",
    "try:\n        return x.y\n    except* ValueError as e:\n        return 1",
    "try:\n        x.y\n    except Exception as e:\n        return e.__traceback__.tb_frame",
    "try:\n        x.y\n    except Exception as e:\n        return e.tb_frame",
    "nonlocal y\n    return y",
    "return f'{x!r:{x.__class__}}'",
    "return [exec for exec in x]",
    "match x:\n        case {'a': os}:\n            return os",
    "for x.y in [1]:\n        pass",
    "[x.y for x.y in [1]]",
    "return __builtins__",
    "return __import__",
    "return x.func_globals",
    "import numpy.f2py\n    return 1",
]
"""Bodies of functions that are not taken over."""
INWARD = [
    "return '{:.2f} of {}'.format(x, 1)",
    "return '{name}'.format(name=x)",
    "return f'{x!r:>{len(x)}} {{}} \\x7b' 'y'",
    "y = 1\n    return (lambda z: z + y)(x)",
    "def h(z):\n        return z + x\n    return h(1)",
    "return [y for y in x if y]",
    "return {a: b for a, b in x.items()}",
    "y: ndarray = x\n    return y",
    "if (n := len(x)) > 3:\n        return n\n    return 0",
    "try:\n        return 1 / x\n    except ZeroDivisionError as e:\n        return str(e)",
]
"""Bodies that only compute."""


def _taken(task: Make, body: str) -> tuple[str, ...]:
    text = f"{HEAD}def f(x: np.ndarray):\n    {body}\ndef h(x):\n    return math.sqrt(x)\n"
    return takeover(f"openevolve:{task(text)}").functions


@pytest.mark.parametrize("body", OUTWARD)
def test_a_function_that_leads_out_stays_behind(task: Make, body: str) -> None:
    """What makes objects of addresses, reads attributes by a text, or takes names of the file is left."""
    assert _taken(task, body) == ("h",)


@pytest.mark.parametrize("body", INWARD)
def test_a_function_that_computes_comes_along(task: Make, body: str) -> None:
    """The list is not so short that nothing of use passes."""
    assert _taken(task, body) == ("f", "h")


def test_no_import_takes_a_name_of_the_file(task: Make) -> None:
    """An import that would give a name of the written file another meaning is left out."""
    text = "from math import floor as Verdict, pi as isinstance\ndef h(x: Verdict):\n    return x\n"
    assert takeover(f"openevolve:{task(text)}").imports == ""

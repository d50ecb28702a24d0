"""`doctor` on a task: packages and the command for them, the workshop's layers, keys that are not used."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from gapsmith.problems.foreign.packages import required, shareable

Gapsmith = Callable[..., "subprocess.CompletedProcess[str]"]
Make = Callable[..., Path]
EVALUATOR = """
import numpy as np
import helper
try:
    import missing_but_optional
except ImportError:
    pass
def evaluate(path):
    raise RuntimeError("is not run")
"""


@pytest.mark.slow
def test_missing_packages_are_named_with_their_command(task: Make, gapsmith: Gapsmith) -> None:
    """Also those of neighbours and under another name; optional ones are told apart, and nothing is run."""
    folder = task(EVALUATOR, "llm:\n  api_base: http://127.0.0.1:9/v1\n")
    (folder / "helper.py").write_text("import missing_for_sure.part, cv2, os\n")
    done = gapsmith("doctor", f"openevolve:{folder}", "--json")
    assert done.returncode == 4
    found = json.loads(done.stdout)
    states = {name: (p["installed"], p["needed"]) for name, p in found["packages"].items()}
    assert states["numpy"] == (True, True)
    assert states["missing_but_optional"] == (False, False)
    assert states["missing_for_sure"] == (False, True)
    assert "os" not in states
    assert found["install"] == f"{sys.executable} -m pip install opencv-python missing_for_sure"
    assert found["unused_keys"] == ["llm.api_base"]
    assert found["shared"] == ["numpy"]
    assert found["workshop"]["self_test"] == "passed"
    assert found["workshop"]["layers"]["landlock"]["active"]
    text = gapsmith("doctor", f"openevolve:{folder}").stdout
    assert "missing, not needed" in text
    assert "-m pip install opencv-python missing_for_sure" in text


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("smtt",), 2, "expected openevolve:PATH"),
        (("shinka:/no/such/folder",), 2, "no such folder"),
        (("openevolve:{task}", "--set", "problem.python=/no/python"), 7, "/no/python"),
    ],
)
def test_wrong_words_are_named(
    words: tuple[str, ...], code: int, said: str, task: Make, gapsmith: Gapsmith
) -> None:
    """What is no task, and an interpreter that is not there, end with a sentence and their exit code."""
    folder = task("def evaluate(path): return {}")
    done = gapsmith("doctor", *(word.format(task=folder) for word in words))
    assert done.returncode == code
    assert said in done.stdout + done.stderr


def test_sources_are_read_and_not_run(tmp_path: Path) -> None:
    """Imports anywhere count once; those of the task's own modules are followed, in circles too."""
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    one.write_text(
        "import two\ndef f():\n    from a.b import c\n    from . import d\n"
        "try:\n    import e\nexcept KeyError: 1\n"
    )
    two.write_text("import one, f\ntry:\n    import a\nexcept:\n    import g\nthis is no error here")
    assert required([one], [tmp_path]) == {"a": True, "e": True}
    two.write_text("import one, f\ntry:\n    import a, h\nexcept:\n    import g\n")
    assert required([one], [tmp_path]) == {"a": True, "e": True, "f": True, "g": True, "h": False}


def test_only_some_packages_are_shared() -> None:
    """Names of other packages, relative imports and what is no Python name nothing that is imported once."""
    text = "import torch, scipy.optimize.zeros, numpy as np\nfrom scipy import stats\nfrom .numpy import x\n"
    assert shareable([text, "import ("]) == ("scipy.optimize", "numpy", "scipy", "scipy.stats")

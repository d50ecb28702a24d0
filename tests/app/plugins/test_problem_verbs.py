"""The verbs `problems` and `references`, by their documents, exit codes and words."""

from __future__ import annotations

import errno
import json
import shlex
from collections.abc import Callable
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from gapsmith import check_problem
from gapsmith.app.errors import CHECK_FAILED, INVALID, TROUBLE, USAGE
from gapsmith.app.plugins.loader import load_problem
from gapsmith.cli import app
from typer.testing import CliRunner

Planted = Callable[..., Path]


def run(*words: str) -> tuple[int, Any]:
    """Exit code and JSON document of a verb."""
    result = CliRunner().invoke(app, [*words, "--json"])
    return result.exit_code, json.loads(result.stdout)


def text(*words: str) -> str:
    """What a verb prints for a person; it must end well."""
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == 0, result.output
    return result.stdout


def test_list_says_what_each_problem_has() -> None:
    """Origin, version, sets, references and optional parts of every built-in."""
    code, rows = run("problems", "list")
    by_name = {row["name"]: row for row in rows}
    assert code == 0
    assert by_name["smtt"]["origin"] == "built-in"
    assert {"train", "valid", "test"} <= set(by_name["smtt"]["sets"])
    assert "interactive" in by_name["online-bin-packing"]["parts"]
    families = [family for family, _ in groupby(row["family"] for row in rows)]
    assert len(families) == len(set(families))
    assert "online-bin-packing 1  (built-in)" in text("problems", "list")


def test_a_default_of_the_wrong_type_is_named_where_it_stands(planted: Planted) -> None:
    """The parameter, its default and what is expected, before anything is drawn with it."""
    path = str(planted(('"jobs", 2, 1000)] = 30', '"jobs", 2, 1000)] = "thirty"')))
    result = CliRunner().invoke(app, ["problems", "show", path])
    assert result.exit_code == 3
    assert "parameter jobs has the default 'thirty', expected an integer from 2 to 1000" in result.output


def test_show_resolves_parameters(planted: Planted) -> None:
    """Parameters with value, default, meaning and what is expected; sets, programs and parts."""
    path = str(planted())
    code, shown = run("problems", "show", path, "--set", "problem.jobs=12")
    assert code == 0
    assert shown["parameters"][0] == {
        "name": "jobs",
        "value": 12,
        "default": 30,
        "expected": "an integer from 2 to 1000 (jobs)",
        "meaning": "jobs of each instance",
    }
    assert shown["reference_kinds"]["train"] == {"not computed yet": 20}
    assert shown["parts"]["interactive"] is False
    assert "Minimise the time at which" in text("problems", "show", path)


def test_new_writes_files_once(tmp_path: Path) -> None:
    """A second time nothing is overwritten; a name that cannot be one is refused."""
    code, written = run("problems", "new", "late-trains", "--folder", str(tmp_path))
    assert code == 0
    assert [Path(name).name for name in written["files"]] == ["late_trains.py", "test_late_trains.py"]
    code, error = run("problems", "new", "late-trains", "--folder", str(tmp_path))
    assert (code, error["error"]["code"]) == (USAGE, USAGE)
    for name in ("Late Trains", "smtt", "../x", "class", "x" * 300):
        assert run("problems", "new", name, "--folder", str(tmp_path))[0] == USAGE


@pytest.mark.parametrize("name", ["random", "numpy", "gapsmith"])
def test_new_hides_no_module_of_python(name: str, tmp_path: Path) -> None:
    """A file `random.py` would break every Python program started beside it; a package may be called so."""
    code, error = run("problems", "new", name, "--folder", str(tmp_path))
    assert (code, list(tmp_path.iterdir())) == (USAGE, [])
    assert f"{name}.py would hide" in error["error"]["message"]
    assert run("problems", "new", name, "--package", "--folder", str(tmp_path))[0] == 0


@pytest.mark.parametrize("name", ["instance", "verdict", "proof-kind", "annotated", "none"])
def test_new_class_hides_nothing_that_its_file_imports(name: str, tmp_path: Path) -> None:
    """A problem may be called like a name of Gapsmith's and works."""
    assert run("problems", "new", name, "--class", "--folder", str(tmp_path))[0] == 0
    path = tmp_path / f"{name.replace('-', '_')}.py"
    assert run("problems", "show", str(path))[0] == 0
    loaded = load_problem(str(path), {}).problem
    instance = loaded.instances("train", 1)[0]
    assert loaded.verify(instance, [0] * 30).objective is not None
    assert loaded.reference(instance, 1.0).value > 0  # type: ignore[attr-defined]


def test_new_leaves_nothing_behind_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the file, and the next attempt finds no empty one in its way."""

    def full(path: Path, text: str, encoding: str) -> None:
        path.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    code, error = run("problems", "new", "late-trains", "--folder", str(tmp_path))
    assert (code, list(tmp_path.iterdir())) == (TROUBLE, [])
    assert error["error"]["message"] == f"{tmp_path / 'late_trains.py'}: No space left on device"


def test_new_prints_commands_that_can_be_copied(tmp_path: Path) -> None:
    """A folder with a blank is quoted."""
    path = shlex.quote(str(tmp_path / "my work" / "late_trains.py"))
    said = text("problems", "new", "late-trains", "--folder", str(tmp_path / "my work"))
    assert f"next: gapsmith problems check {path}\n" in said


@pytest.mark.slow
def test_check_ends_with_five_and_findings(planted: Planted) -> None:
    """A finding is exit code 5 and says everything in the document and in words."""
    path = str(planted(("bound = max(-(-sum", "bound = 3 + max(-(-sum")))
    code, report = run("problems", "check", path)
    assert (code, report["passed"]) == (CHECK_FAILED, False)
    assert set(report["findings"][0]) == {"check", "sent", "got", "why", "fix"}
    assert "reference-beaten" in CliRunner().invoke(app, ["problems", "check", path]).stdout


def test_a_broken_plug_in_is_one_line(planted: Planted) -> None:
    """Exit code 3, the error as a document, no traceback."""
    code, document = run("problems", "show", str(planted(("name = ", "name == = "))))
    assert code == INVALID
    assert "syntax error" in document["error"]["message"]


PRINTING = (
    ("class NightShift:", 'print("loading")\n\n\nclass NightShift:'),
    ("        count = {", '        print("drawing", set)\n        count = {'),
)


def test_what_a_plug_in_prints_stays_out_of_documents(planted: Planted) -> None:
    """Standard output holds one document and nothing else, also when it is an error; prints go elsewhere."""
    path = str(planted(*PRINTING))
    result = CliRunner().invoke(app, ["references", "compute", path, "--instances", "train", "--json"])
    assert json.loads(result.stdout)["computed"] == 20
    assert "loading\ndrawing train\n" in result.stderr
    result = CliRunner().invoke(app, ["references", "compute", path, "--instances", "n=5", "--json"])
    assert json.loads(result.stdout)["error"]["code"] == USAGE
    assert "loading" in result.stderr
    assert "loading" in CliRunner().invoke(app, ["problems", "show", path]).stdout


@pytest.mark.slow
def test_a_printing_plug_in_is_checked(
    planted: Planted, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A check has the findings alone on standard output; the instances drawn elsewhere are understood."""
    monkeypatch.setattr("gapsmith.app.check.check_problem", partial(check_problem, seconds=0.1))
    result = CliRunner().invoke(app, ["problems", "check", str(planted(*PRINTING))])
    assert result.stdout.startswith("night-shift: passed"), result.stdout
    assert "drawing valid" in capfd.readouterr().err  # of the check's own process


def test_references_are_computed_once(planted: Planted) -> None:
    """A second time everything is stored; the table shows it; proofs agree."""
    path = str(planted())
    code, first = run("references", "compute", path, "--instances", "train")
    assert (code, first["computed"], first["stored"], first["kinds"]) == (0, 20, 0, {"bound": 20})
    _, again = run("references", "compute", path, "--instances", "train")
    assert (again["computed"], again["stored"]) == (0, 20)
    _, shown = run("references", "show", path, "--instances", "train", "--sample", "2")
    assert [row["proof"] for row in shown["references"]] == ["arithmetic", "arithmetic"]
    code, proven = run("references", "verify", path, "--sample", "5")
    assert (code, proven["checked"], proven["agree"], proven["by_proof"]) == (0, 5, 5, {"arithmetic": 5})


def test_a_reference_that_changes_is_named(planted: Planted, tmp_path: Path) -> None:
    """An optimum that comes out differently the second time ends with exit code 5."""
    state = tmp_path / "calls"
    change = (
        "return Reference.proven_bound(bound, ProofKind.ARITHMETIC, "
        '"load bound", self.version, None, "computed")',
        f"open({str(state)!r}, 'a').write('x')\n        bound += len(open({str(state)!r}).read())\n        "
        'return Reference.optimum(bound, ProofKind.ARITHMETIC, "wrong", "1", None, "computed")',
    )
    code, document = run("references", "verify", str(planted(change)), "--sample", "2", "--workers", "1")
    assert code == CHECK_FAILED
    assert document["agree"] == 0
    assert set(document["differences"][0]) == {"what", "recorded", "now"}


def test_a_problem_without_references_says_so(planted: Planted) -> None:
    """There is nothing to compute; the list does not call its gaps optimality gaps."""
    path = str(planted(("    def reference(", "    def no_reference(")))
    code, document = run("references", "compute", path)
    assert code == INVALID
    assert "no references" in document["error"]["message"]
    assert "no optimality gap" in text("problems", "show", path)


def test_an_unknown_set_is_a_usage_error(planted: Planted) -> None:
    """The sets that there are stand in the sentence."""
    code, document = run("references", "show", str(planted()), "--instances", "n=100")
    assert code == USAGE
    assert "train, valid, test" in document["error"]["message"]

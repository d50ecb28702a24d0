"""One door for all problems: files, modules, packages, and what is said when one of them is broken."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from gapsmith.app.errors import INVALID, USAGE, ProblemError, UnknownProblem
from gapsmith.app.plugins.built_ins import NAMES_ELSEWHERE
from gapsmith.app.plugins.loader import BUILT_INS, list_problems, load_problem
from gapsmith.app.setup.instances import check_disjoint
from gapsmith.app.setup.references import compute, table

Planted = Callable[..., Path]
PACKAGE = Path(__file__).parents[2] / "app" / "plugin_package" / "gapsmith_watch_posts"


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes a distribution visible: its metadata on the import path, and its module if there is one."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))

    def put(distribution: str, group: str, entries: dict[str, str], package: Path | None = None) -> None:
        info = site / f"{distribution.replace('-', '_')}-1.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.2\n")
        lines = [f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())]
        (info / "entry_points.txt").write_text("\n".join(lines))
        if package is not None:
            shutil.copytree(package, site / package.name)

    yield put
    for name in [name for name in sys.modules if name.startswith("gapsmith_watch_posts")]:
        del sys.modules[name]


def test_a_file_is_a_problem_with_its_source(planted: Planted) -> None:
    """A file with one class gives problem, references, origin, parameters and its own text."""
    path = planted()
    loaded = load_problem(str(path), {"jobs": 7})
    assert (loaded.name, loaded.origin) == ("night-shift", f"file {path}")
    assert loaded.references is loaded.problem
    assert dict(loaded.parameters) == {"jobs": 7, "machines": 5}
    assert loaded.source == path.read_text("utf-8")
    assert len(loaded.instances("train", 1)[0].public["durations"]) == 7


def test_the_digest_follows_the_text(planted: Planted) -> None:
    """Another text is another digest; the same text is the same wherever it lies."""
    first = load_problem(str(planted())).digest
    second = load_problem(str(planted(("20 instances that steer", "20 towns that steer")))).digest
    assert first != second
    assert load_problem(str(planted())).digest != second


def test_module_and_attribute(planted: Planted, monkeypatch: pytest.MonkeyPatch) -> None:
    """`module:attribute` takes a class or a Plugin from the import path."""
    monkeypatch.syspath_prepend(str(planted().parent))
    loaded = load_problem("night_shift:NightShift")
    assert (loaded.name, loaded.origin, loaded.source) == ("night-shift", "module", None)
    sys.modules.pop("night_shift")


def test_an_installed_package(install: Callable[..., None]) -> None:
    """An entry point's name is a problem's name, with its distribution as origin."""
    install(
        "gapsmith-watch-posts", "gapsmith.problems", {"watch-posts": "gapsmith_watch_posts:problem"}, PACKAGE
    )
    assert load_problem("watch-posts").origin == "package gapsmith-watch-posts 1.2"
    assert "watch-posts" in [entry.name for entry in list_problems() if entry.loaded]


def test_a_package_that_is_gone_disturbs_nothing(install: Callable[..., None]) -> None:
    """The list names what is broken and why, and holds everything else."""
    install("gapsmith-gone", "gapsmith.problems", {"gone": "gapsmith_gone:plugin", "smtt": "gapsmith_gone:x"})
    entries = {(entry.name, entry.origin): entry for entry in list_problems()}
    assert "gapsmith_gone" in entries["gone", "package"].error.message
    assert "built-in" in entries["smtt", "package"].error.message
    assert all(entries[name, "built-in"].loaded for name in BUILT_INS)


def test_two_packages_of_one_name(install: Callable[..., None]) -> None:
    """Neither is taken; the sentence names both."""
    install("gapsmith-one", "gapsmith.problems", {"same": "gapsmith_one:plugin"})
    install("gapsmith-two", "gapsmith.problems", {"same": "gapsmith_two:plugin"})
    with pytest.raises(ProblemError, match=r"gapsmith-one 1\.2 and gapsmith-two 1\.2"):
        load_problem("same")


BROKEN = {
    "a syntax error": (("name = ", "name == = "), r"night_shift\.py: syntax error: .*night_shift\.py:6\d"),
    "a missing method": (
        ("    def verify(", "    def verifies("),
        r"NightShift \(line \d+\): method verify is missing",
    ),
    "an import that is not there": (
        ("import random\n", "import randomly\n"),
        r"not there: randomly \(.*:\d+\)",
    ),
    "a wrong type": (('unit = "minutes"', "unit = 3"), r"unit is 3, expected a text"),
    "a tolerance that is no number": (
        ('unit = "minutes"', 'unit = "minutes"\n    tolerance = float("nan")'),
        r"tolerance is nan, expected a number from 0 to 0.01",
    ),
    "a tolerance that hides false bounds": (
        ('unit = "minutes"', 'unit = "minutes"\n    tolerance = 0.5'),
        r"tolerance is 0.5, expected a number from 0 to 0.01",
    ),
    "a property that is no tolerance": (
        ('unit = "minutes"', 'unit = "minutes"\n    tolerance = property(lambda self: 0.5)'),
        r"tolerance is 0.5, expected a number from 0 to 0.01",
    ),
    "a tolerance that raises": (
        ('unit = "minutes"', 'unit = "minutes"\n    tolerance = property(lambda self: 1 / 0)'),
        r"tolerance: raised ZeroDivisionError: division by zero \(.*night_shift\.py:\d+\)",
    ),
    "a missing split": (('            "test": "40', '            "exam": "40'), r"sets\(\) has no test"),
    "sets in a list": (
        ('return {\n            "train"', 'return list({\n            "train"'),
        ('judge it once",\n        }', 'judge it once",\n        })'),
        r"NightShift \(line \d+\): sets\(\) returned list, expected a dictionary of name → one sentence",
    ),
    "programs in a list": (
        ('return {"shortest-first": START, "longest-first": LONGEST_FIRST}', "return [START, LONGEST_FIRST]"),
        r"baselines\(\) returned list, expected a dictionary of name → source text",
    ),
    "a program that is no text": (
        ('return {"shortest-first": START}', 'return {"shortest-first": 3}'),
        r"start_programs\(\) returned 'shortest-first': 3, expected a dictionary",
    ),
    "a parameter without a default": (
        ("2, 1000)] = 30", "2, 1000)]"),
        ("1, 100)] = 5", "1, 100)]"),
        "problem parameter jobs has no default",
    ),
    "a default out of range": (
        ("2, 1000)] = 30", "2, 1000)] = 1"),
        r"parameter jobs has the default 1, expected an integer from 2 to 1000 \(jobs\)",
    ),
    "an exit at import": (
        ("class NightShift", "raise SystemExit(3)\n\n\nclass NightShift"),
        r"raised SystemExit: 3 \(.*:\d+",
    ),
    "no problem at all": (("    def ", "    def no_"), "holds no problem"),
    "two problems": (
        ("class NightShift:", "class Other:\n    sets = instances = verify = print\n\n\nclass NightShift:"),
        r"holds 2 problems, Other \(line \d+\), NightShift \(line \d+\)",
    ),
    "a plugin of another type": (
        ("class NightShift:", "plugin = 3\n\n\nclass NightShift:"),
        "plugin is int, expected gapsmith.Plugin",
    ),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_file_is_one_clear_sentence(planted: Planted, fault: str) -> None:
    """What is wrong and where, with exit code 3 and no traceback."""
    *changes, pattern = BROKEN[fault]
    with pytest.raises(ProblemError, match=pattern) as caught:
        load_problem(str(planted(*changes)))
    assert caught.value.code == INVALID
    assert "\n" not in caught.value.message


RAISING = {
    "instances that raise": (
        ("count = {", "count = {}[set]\n        count = {"),
        r"instances\('train', 1\): raised KeyError.*night_shift\.py:\d+",
    ),
    "instances of a wrong type": (
        ("return [self._draw(stream, set, number) for number in range(count)]", "return 3"),
        "got int, expected a list of Instance",
    ),
    "a value that is no JSON": (
        ('"machines": self.machines,', '"machines": {1},'),
        r"instances\('train', 1\): raised .*JSON.*night_shift\.py:\d+\)",
    ),
    "a scale that is refused": (("scale=1,", "scale=1.0,"), r"scale: got 1\.0.*night_shift\.py:\d+\)"),
    "instances one by one": (
        ("return [self._draw(stream, set, number) for number in range(count)]", "yield 3"),
        "got a generator, expected a list of Instance",
    ),
    "a list of something else": (
        ("return [self._draw(stream, set, number) for number in range(count)]", "return [3]"),
        "got a list that holds int, expected a list of Instance",
    ),
    "no instances": (('"train": 20', '"train": 0'), "got an empty list"),
    "two of one id": (('id=f"{set}-{number:03}"', 'id="x"'), "two instances are called x"),
}


@pytest.mark.parametrize("fault", RAISING)
def test_broken_instances_are_one_clear_sentence(planted: Planted, fault: str) -> None:
    """Trouble while instances are drawn names the call, the file and the line."""
    change, pattern = RAISING[fault]
    loaded = load_problem(str(planted(change)))
    with pytest.raises(ProblemError, match=pattern):
        loaded.instances("train", 1)


def test_an_id_in_two_splits_is_refused(planted: Planted) -> None:
    """Splits that share an id are named before anything is evaluated or stored."""
    loaded = load_problem(str(planted(('id=f"{set}-{number:03}"', 'id=f"{number:03}"'))))
    splits = {name: loaded.instances(name, 1) for name in ("train", "valid")}
    with pytest.raises(ProblemError, match="id 000 is in train and valid, expected ids that no two"):
        check_disjoint(loaded, splits)


def test_a_reference_of_a_wrong_type(planted: Planted) -> None:
    """A number is no reference."""
    change = (
        "        durations = sorted(instance.public",
        "        return 3\n        durations = sorted(instance.public",
    )
    loaded = load_problem(str(planted(change)))
    with pytest.raises(ProblemError, match="got int, expected a Reference"):
        loaded.reference(loaded.instances("train", 1)[0], 1.0)


def test_a_reference_that_gapsmith_refuses(planted: Planted) -> None:
    """The line that is named is the plug-in's, though the library raised."""
    change = ("Reference.proven_bound(bound,", 'Reference.proven_bound(float("nan"),')
    loaded = load_problem(str(planted(change)))
    with pytest.raises(ProblemError, match=r"night_shift\.py:\d+\)"):
        loaded.reference(loaded.instances("train", 1)[0], 1.0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"jobz": 3}, "problem.jobz: unknown key, did you mean jobs?"),
        ({"jobs": 1}, "problem.jobs: got 1, expected an integer from 2 to 1000 (jobs)"),
        ({"jobs": True}, "problem.jobs: got True, expected an integer from 2 to 1000 (jobs)"),
        ({"jobs": "30"}, "problem.jobs: got '30', expected an integer from 2 to 1000 (jobs)"),
    ],
)
def test_parameters_are_strict(planted: Planted, given: dict[str, object], message: str) -> None:
    """Unknown keys, wrong types and values out of range are refused with what is expected."""
    with pytest.raises(ProblemError) as caught:
        load_problem(str(planted()), given)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("smt", "smtt"),
        ("bin-paking", "bin-packing"),
        ("night_shift", "night_shift.py"),
        ("mkp_aco", "`gapsmith problems show examples/literature/mkp_aco.py`"),
        ("flow-shop-insertion-rule", "`gapsmith problems show flow-shop`"),
    ],
)
def test_unknown_names_get_the_nearest(
    planted: Planted, monkeypatch: pytest.MonkeyPatch, spec: str, hint: str
) -> None:
    """A mistyped name is a usage error with the names that were probably meant."""
    monkeypatch.chdir(planted().parent)
    with pytest.raises(UnknownProblem) as caught:
        load_problem(spec)
    assert caught.value.code == USAGE
    assert hint in caught.value.hint


def test_names_elsewhere_lead_to_problems_that_exist() -> None:
    """Other tools' tasks and problems that left point to a problem or file that exists, and take no name."""
    root = Path(__file__).parents[3]
    assert all(here in BUILT_INS or (root / here).is_file() for here in NAMES_ELSEWHERE.values())
    assert not set(NAMES_ELSEWHERE) & set(BUILT_INS)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """A missing file is a usage error; one that is no text is an invalid one."""
    with pytest.raises(UnknownProblem, match="not found"):
        load_problem(str(tmp_path / "none.py"))
    (tmp_path / "bytes.py").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ProblemError, match="cannot be read"):
        load_problem(str(tmp_path / "bytes.py"))


@pytest.mark.parametrize("name", BUILT_INS)
def test_built_ins_come_through_the_same_door(name: str) -> None:
    """Every row resolves to a problem of its own name with references."""
    loaded = load_problem(name)
    assert (loaded.name, loaded.origin) == (name, "built-in")
    assert loaded.references is not None


def test_references_belong_to_the_parameters_they_were_made_with(planted: Planted) -> None:
    """A parameter may change what is optimal without changing an instance: nothing stored is taken over."""
    path = str(planted())
    first, other = load_problem(path, {"machines": 2}), load_problem(path, {"machines": 3})
    instances = first.instances("train", 1)[:1]
    compute(first, instances, 1.0, workers=1)
    assert [row["value"] is None for row in table(first, instances)] == [False]
    assert [row["value"] is None for row in table(other, instances)] == [True]


def test_a_sibling_of_a_file_leads_to_the_module(tmp_path: Path) -> None:
    """A file imports nothing beside it; the error names the module, which does."""
    (tmp_path / "helper.py").write_text("SIZE = 3\n", "utf-8")
    path = tmp_path / "mine.py"
    path.write_text("import helper\n\nclass Mine:\n    pass\n", "utf-8")
    with pytest.raises(ProblemError, match="needs a module that is not there: helper") as caught:
        load_problem(str(path))
    assert f"in the folder {tmp_path} name the problem mine:Mine" in str(caught.value.hint)
    path.write_text("import no_such_helper\n", "utf-8")
    with pytest.raises(ProblemError) as caught:
        load_problem(str(path))
    assert "install what provides no_such_helper" in str(caught.value.hint)
    with pytest.raises(UnknownProblem) as caught:
        load_problem(f"{path}:Mine")
    assert f"write {path}, or mine:Mine" in str(caught.value.hint)

"""The plan of the house, held against the code: imports, homes of packages, packaging."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("app", "evolve", "problems", "evaluators", "prompts", "sandbox")

MAY_IMPORT = {
    "app": set(FOLDERS),
    "evolve": {"problems.base", "evaluators.base", "sandbox.base", "sandbox.unseen", "prompts"},
    "evaluators": {"problems", "sandbox.base", "sandbox.interpreter", "sandbox.lines", "sandbox.unseen"},
    "problems": {"sandbox.unseen"},
    "sandbox": set(),
    "prompts": {"sandbox.unseen"},
}
"""Folder → what it may import from the other folders; a name without a dot allows the whole folder."""

FLOORS = (
    ("errors", "formatting"),
    ("config", "overrides", "plugins", "versions"),
    ("check", "runs"),
    ("plan", "proposers", "setup", "views"),
    ("compose", "result"),
    ("analysis",),
    ("bench",),
    ("api", "commands"),
)
"""Rooms of `app/` from the ground up: a room imports itself and lower floors."""

UPWARDS = {("compose.py", "gapsmith.app.bench.episode.CampaignBench")}
"""The import upwards: a campaign's episodes work at a bench."""

HOMES = {
    "openai": ("evolve/llm/",),
    "litellm": ("evolve/llm/",),
    "pulp": ("evaluators/",),
    "highspy": ("evaluators/",),
    "ortools": ("evaluators/",),
    "jinja2": ("prompts/", "app/"),
    "typer": ("cli.py", "app/commands/"),
    "rich": ("app/",),
    "tomli_w": ("app/formatting.py",),
    "pandas": ("app/result.py",),
    "tensorboardX": ("app/runs/export.py",),
    "matplotlib": ("app/views/plots/", "app/result.py"),
    "ray": ("app/setup/executors.py",),
    "pydantic": ("app/config.py", "app/plugins/parameters.py", "evolve/llm/"),
    "pydantic_core": ("app/config.py", "evolve/llm/"),
    "cma": ("evolve/tuning.py",),
}
"""Third-party package → where it may be imported."""

HEAVY = (*sorted({*HOMES} - {"typer", "cma", "pydantic_core"}), "numpy")
"""Packages that the help page must not pay for: imported inside functions wherever the help page reaches."""


@cache
def modules() -> list[Path]:
    """All Python files of the package, candidates' source texts aside."""
    found = [ROOT / "cli.py", ROOT / "__init__.py"]
    for folder in FOLDERS:
        found += [
            p for p in sorted((ROOT / folder).rglob("*.py")) if not {"programs", "templates"} & set(p.parts)
        ]
    return found


@cache
def imports(path: Path) -> list[tuple[str, int, bool]]:
    """(absolute name, line, in a function or for types) of all imports; relative ones as `gapsmith.…`."""
    found: list[tuple[str, int, bool]] = []
    package = ("gapsmith", *path.relative_to(ROOT).parent.parts)

    def visit(node: ast.AST, local: bool) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                found.extend((alias.name, child.lineno, local) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                if child.level:
                    base = package[: len(package) - child.level + 1]
                    stem = ".".join([*base, *([child.module] if child.module else [])])
                else:
                    stem = child.module or ""
                names = [f"{stem}.{alias.name}" for alias in child.names] if child.level else [stem]
                found.extend((name, child.lineno, local) for name in names)
            inside = local or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            typing_only = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)
            visit(child, inside or typing_only)

    visit(ast.parse(path.read_text("utf-8")), False)
    return found


def test_folders_import_only_what_the_plan_allows() -> None:
    """Imports between folders form the declared directed graph."""
    wrong = []
    for path in modules():
        folder = path.relative_to(ROOT).parts[0]
        if folder not in MAY_IMPORT:
            continue
        for name, line, _ in imports(path):
            parts = name.split(".")
            if parts[0] != "gapsmith" or len(parts) < 2 or parts[1] == folder or parts[1] not in FOLDERS:
                continue
            allowed = MAY_IMPORT[folder]
            if parts[1] not in allowed and ".".join(parts[1:3]) not in allowed:
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {name}")
    assert not wrong


def test_only_the_command_line_and_the_root_import_app() -> None:
    """Nothing imports `app` but `cli.py` and, lazily, the root."""
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in modules()
        if path.relative_to(ROOT).parts[0] in FOLDERS[1:]
        for name, line, _ in imports(path)
        if name.startswith("gapsmith.app")
    ]
    assert not wrong


def test_rooms_of_app_import_lower_floors_only() -> None:
    """Reading a run, preparing one, running it, judging it and the verbs, in this order from below."""
    floor = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
    wrong, seen = [], set()
    for path in (ROOT / "app").rglob("*.py"):
        if path == ROOT / "app" / "__init__.py" or "templates" in path.parts:
            continue
        room = path.relative_to(ROOT).with_suffix("").parts[1]
        seen.add(room)
        for name, line, _ in imports(path):
            other = [*name.split("."), "", ""][2]
            if not name.startswith("gapsmith.app.") or other == room or (path.name, name) in UPWARDS:
                continue
            if floor[other] >= floor[room]:
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {name}")
    assert not wrong
    assert seen == set(floor)


def test_third_party_packages_stay_at_home() -> None:
    """Each third-party package is imported only where it lives."""
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in modules()
        for name, line, _ in imports(path)
        if name.split(".")[0] in HOMES
        and not str(path.relative_to(ROOT)).startswith(HOMES[name.split(".")[0]])
    ]
    assert not wrong


def test_no_bare_import_of_own_folders() -> None:
    """`import evolve` would give every class a second identity; inside the project imports are relative."""
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in modules()
        for name, line, _ in imports(path)
        if name.split(".")[0] in FOLDERS
    ]
    assert not wrong


def test_the_root_holds_two_modules() -> None:
    """A further Python file at the root would ship in the wheel."""
    assert sorted(p.name for p in ROOT.glob("*.py")) == ["__init__.py", "cli.py"]


def test_every_sub_package_is_listed() -> None:
    """A sub-package missing from the list breaks only the wheel."""
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    there = {
        ".".join(("gapsmith", *path.parent.relative_to(ROOT).parts))
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("__init__.py")
        if not {"programs", "templates"} & set(path.parts)
    }
    assert there | {"gapsmith"} == listed


def test_at_most_twelve_required_dependencies() -> None:
    """Few dependencies, each with a reason in `docs/explanation/dependencies.md`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = [text.split(">")[0].split("<")[0].split("=")[0].strip() for text in project["dependencies"]]
    assert len(names) <= 12
    page = (ROOT / "docs" / "explanation" / "dependencies.md").read_text("utf-8")
    extras = list(project["optional-dependencies"])
    assert [name for name in [*names, *extras] if f"`{name}`" not in page] == []


def test_help_imports_nothing_heavy() -> None:
    """`gapsmith --help` imports none of the heavy packages."""
    code = (
        "import sys; sys.argv = ['gapsmith', '--help']\n"
        "from gapsmith.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"heavy = [n for n in {HEAVY!r} if n in sys.modules]\n"
        "print('HEAVY', heavy)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "HEAVY []" in done.stdout, done.stdout[-500:]


def test_solvers_live_in_one_process() -> None:
    """highspy (below 1.14) and ortools can be imported together, in both orders."""
    for order in (
        "import highspy, ortools.sat.python.cp_model",
        "import ortools.sat.python.cp_model, highspy",
    ):
        subprocess.run([sys.executable, "-c", order], check=True, capture_output=True)


def test_the_search_knows_no_problem() -> None:
    """No text that `evolve` writes names an argument of a built-in problem (`due_dates`, `sizes[j]`)."""
    from gapsmith.app.plugins.loader import BUILT_INS, load_problem

    signatures = [load_problem(name).problem.signature for name in BUILT_INS]
    fields = {field for text in signatures for field in re.findall(r"(\w+):", text.split("->")[0])}
    assert {"due_dates", "sizes", "prices"} <= fields
    long = re.compile("|".join(rf"\b{f}\b" for f in fields if "_" in f))
    part = re.compile("|".join(rf"\b{f}\[" for f in fields))
    wrong = []
    for path in sorted((ROOT / "evolve").rglob("*.py")):
        text = path.read_text("utf-8")
        texts = [n.value for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Constant)]
        named = [*long.findall(text), *(w for t in texts if isinstance(t, str) for w in part.findall(t))]
        wrong += [f"{path.relative_to(ROOT)} {name}" for name in named]
    assert not wrong


def test_only_the_store_speaks_sql() -> None:
    """Statements of SQL stand in `evolve/store` alone, so that a column can be renamed there."""
    words = re.compile(r"^\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|REPLACE INTO|PRAGMA) ")
    anywhere = re.compile(words.pattern.removeprefix("^"))
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in modules()
        if not str(path.relative_to(ROOT)).startswith("evolve/store/")
        if anywhere.search(text := path.read_text("utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and words.match(node.value)
    ]
    assert not wrong


def test_the_pages_name_files_that_exist() -> None:
    """Each file and folder that the table of changes names is there."""
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    table = page.partition("| change | where |")[2].partition("\n\n")[0]
    named = re.findall(r"`((?:app|evolve|prompts|problems|evaluators|sandbox|cli)[\w/]*(?:/|\.py))`", table)
    assert len(named) > 20
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_a_module_with_one_importer_says_why() -> None:
    """A file of `app` or `evolve` that one file alone imports says in its first line why it is apart."""
    names = {".".join(("gapsmith", *p.relative_to(ROOT).with_suffix("").parts)): p for p in modules()}
    importers: dict[str, set[str]] = {}
    for name, path in names.items():
        for full, _, _ in imports(path):
            target = next((t for t in (full, full.rpartition(".")[0]) if t in names), None)
            if target is not None and target != name:
                importers.setdefault(target, set()).add(name)
    reason = re.compile(r"; apart|; one part of a check|; a family of operators")
    wrong = [
        name
        for name, path in names.items()
        if name.startswith(("gapsmith.app.", "gapsmith.evolve.")) and not name.endswith("__init__")
        if not name.startswith("gapsmith.app.commands.") and name != "gapsmith.app.api"
        if len(importers.get(name, ())) == 1
        if not reason.search(path.read_text("utf-8").split("\n", 1)[0])
    ]
    assert not wrong


def test_no_two_classes_have_the_same_name() -> None:
    """A class name means one thing in the whole product."""
    homes: dict[str, list[str]] = {}
    for path in modules():
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


def test_no_circle_of_files() -> None:
    """No file imports another that leads back to it, imports inside functions and of types included."""
    names = {".".join(("gapsmith", *p.relative_to(ROOT).with_suffix("").parts)): p for p in modules()}
    graph = {
        name: {
            target
            for full, _, _ in imports(path)
            for target in [next((t for t in (full, full.rpartition(".")[0]) if t in names), None)]
            if target is not None and target != name
        }
        for name, path in names.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))

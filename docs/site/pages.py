"""Pages of the documentation site that come from the product: commands, configuration, Python, JSON, gallery.

MkDocs calls `on_files` before it reads the pages (https://www.mkdocs.org/user-guide/plugins/#events).
"""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import click
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]


def on_files(files: Files, config: Any) -> Files:
    """Adds the generated pages to those of the folder."""
    for name, text in pages().items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Links to the folder `gallery`, which work in a clone, lead to the gallery's pages on the site."""
    return re.sub(r"\]\(\.\./((?:\.\./)*)gallery/(README\.md|[\w-]+)\)", _on_the_site, markdown)


def _on_the_site(link: re.Match[str]) -> str:
    """The target on the site of a link out of `docs/` into the folder `gallery`."""
    name = "index" if link[2] == "README.md" else link[2]
    return f"]({link[1]}gallery/{name}.md)"


def pages() -> dict[str, str]:
    """File name → Markdown of each generated page."""
    gallery = runpy.run_path(str(ROOT / "benchmarks" / "gallery.py"))["pages"]()
    return {
        "changelog.md": _from_root("CHANGELOG.md"),
        "contributing.md": _from_root("CONTRIBUTING.md"),
        "reference/commands.md": commands(),
        "reference/configuration.md": configuration(),
        "reference/python.md": python_api(),
        "reference/problems.md": problems(),
        **{f"gallery/{name}": text for name, text in gallery.items()},
    }


def commands() -> str:
    """The help page of every verb, as the command prints it at 100 columns."""
    from gapsmith.cli import app
    from typer.main import get_command

    root = get_command(app)
    parts = ["# Commands", "Every page is what `gapsmith VERB --help` prints."]
    parts += [_help(root, "gapsmith", 2)]
    return "\n\n".join(parts) + "\n"


def _help(command: Any, name: str, level: int) -> str:
    context = click.Context(command, info_name=name, terminal_width=100, max_content_width=100)
    own = f"{'#' * level} {name}\n\n```\n{command.get_help(context)}\n```"
    verbs = getattr(command, "commands", {})
    inner = [_help(verb, f"{name} {key}", min(level + 1, 3)) for key, verb in verbs.items()]
    return "\n\n".join([own, *inner])


def configuration() -> str:
    """The commented starter file, which names every key with meaning, unit, range and default."""
    from gapsmith.app.config import starter

    words = "What `gapsmith config init` writes: every key at its default."
    return f"# Configuration\n\n{words}\n\n```toml\n{starter()}```\n"


def python_api() -> str:
    """One entry for each public name of the package."""
    import gapsmith

    entries = [f"::: {_home(name)}.{name}" for name in gapsmith.__all__]
    return "# Python API\n\nImport these names from `gapsmith`.\n\n" + "\n\n".join(entries) + "\n"


DOCUMENTS = (
    "problems show smtt",
    "evaluate smtt best.py",
    "baselines smtt",
    "list",
    "show latest",
    "show latest best",
    "lineage latest",
    "verify latest",
    "references show smtt",
)
"""Commands whose documents the page on JSON outlines, in a folder with one small finished run."""
SMALL = ("problem.jobs=8", "problem.valid_per_stratum=1", "problem.test_per_stratum=1")


def json_documents() -> str:
    """The keys of the documents that `--json` prints, read off a small campaign that is run for it.

    It takes a minute, so the page is kept: `python docs/site/pages.py` writes `docs/reference/json.md` anew.
    """
    settings = [word for key in SMALL for word in ("--set", key)]
    parts = [
        "# JSON",
        "Every verb takes `--json` and prints one document. An unknown value is `null`.",
    ]
    parts.append("The outlines come from a small run; `{…}` is an object with its first keys.")
    with tempfile.TemporaryDirectory() as folder:
        document = _printed(folder, ["run", "smtt", "--iterations", "4", *settings])
        parts.append(f"## gapsmith run\n\n{_outline(document)}")
        _printed(folder, ["best", "latest", "-o", "best.py"])
        for command in DOCUMENTS:
            words = command.split()
            more = settings if "smtt" in words and words[0] != "problems" else []
            document = _printed(folder, [*words, *more])
            parts.append(f"## gapsmith {command}\n\n{_outline(document)}")
    return "\n\n".join(parts) + "\n"


def _printed(folder: str, words: list[str]) -> Any:
    """The document that a command prints in a folder with runs and a cache of its own."""
    command = [sys.executable, "-m", "gapsmith.cli", *words, "--json"]
    environment = {**os.environ, "GAPSMITH_CACHE": f"{folder}/cache", "GAPSMITH_RUNS": f"{folder}/runs"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode or not done.stdout:
        raise RuntimeError(f"gapsmith {' '.join(words)} ended with {done.returncode}: {done.stderr[-500:]}")
    return json.loads(done.stdout)


def _outline(document: Any) -> str:
    """A table of a document's keys with the kind of each value."""
    if isinstance(document, list):
        return "A list; each item:\n\n" + _outline(document[0])
    rows = [f"| `{key}` | {_kind(value)} |" for key, value in document.items()]
    return "| key | value |\n|---|---|\n" + "\n".join(rows)


def _kind(value: Any) -> str:
    """What a value is: its type, or the keys of an object, or the kind of a list's items."""
    if isinstance(value, dict):
        keys = list(value)
        return "{" + ", ".join(f"`{key}`" for key in keys[:8]) + (", …" if len(keys) > 8 else "") + "}"
    if isinstance(value, list):
        return f"list of {_kind(value[0])}" if value else "list"
    names = {str: "text", bool: "true or false", int: "integer", float: "number", type(None): "null here"}
    return names[type(value)]


def problems() -> str:
    """One section for each built-in problem: what it says of itself, its parameters and its sets."""
    from gapsmith.app.plugins.built_ins import BUILT_INS
    from gapsmith.app.plugins.loader import load_problem

    parts = ["# Built-in problems", "What `gapsmith problems show NAME` says in short."]
    for name in BUILT_INS:
        problem = load_problem(name).problem
        sets = "\n".join(f"| `{key}` | {words} |" for key, words in problem.sets().items())
        baselines = ", ".join(f"`{key}`" for key in problem.baselines())
        parts += [f"## {name}", f"`{problem.signature}`", f"To {problem.sense.value}: {problem.unit}."]
        parts += [f"Baselines: {baselines}.", f"| set | what it holds |\n|---|---|\n{sets}"]
    return "\n\n".join(parts) + "\n"


def _home(name: str) -> str:
    """The module that defines a public name."""
    import gapsmith

    return str(getattr(getattr(gapsmith, name), "__module__", "gapsmith"))


def _from_root(name: str) -> str:
    """A page of the repository's root, with its links as they are from `docs/`."""
    text = (ROOT / name).read_text("utf-8")
    text = re.sub(r"\]\(docs/", "](", text)
    moved = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md", "README.md": "index.md"}
    for old, new in moved.items():
        text = text.replace(f"]({old}", f"]({new}")
    return text


if __name__ == "__main__":
    (ROOT / "docs" / "reference" / "json.md").write_text(json_documents(), "utf-8")

"""Pages of the documentation site that come from the product: commands, configuration, Python API, changelog.

MkDocs calls `on_files` before it reads the pages (https://www.mkdocs.org/user-guide/plugins/#events).
"""

from __future__ import annotations

import re
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


def pages() -> dict[str, str]:
    """File name → Markdown of each generated page."""
    return {
        "index.md": _from_root("README.md"),
        "changelog.md": _from_root("CHANGELOG.md"),
        "contributing.md": _from_root("CONTRIBUTING.md"),
        "commands.md": commands(),
        "configuration.md": configuration(),
        "python.md": python_api(),
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

"""Executes a notebook's code cells in this process, without Jupyter, and writes or compares its outputs.

    python benchmarks/notebook.py examples/first_campaign.ipynb

Standard output and the value of a cell's last expression become its outputs, as text and as HTML or SVG where
the value has them. Runs and the cache go to a temporary folder.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any


def execute(path: Path) -> list[list[dict[str, Any]]]:
    """The outputs of all code cells, in their order."""
    cells = [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    module = ModuleType("notebook")
    sys.modules["notebook"] = module
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as place:
        os.environ["GAPSMITH_CACHE"] = str(Path(place, "cache"))
        os.chdir(place)
        try:
            return [
                _outputs("".join(cell["source"]), vars(module), number)
                for number, cell in enumerate(cells, 1)
            ]
        finally:
            os.chdir(before)


def _outputs(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    tree, printed, value = ast.parse(source), io.StringIO(), None
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"<cell {number}>", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"<cell {number}>", "eval"), names)
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        found.append({"output_type": "stream", "name": "stdout", "text": text})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        for kind, method in (("text/html", "_repr_html_"), ("image/svg+xml", "_repr_svg_")):
            if callable(show := getattr(value, method, None)):
                data[kind] = show().splitlines(keepends=True)
        found.append(
            {"output_type": "execute_result", "execution_count": number, "data": data, "metadata": {}}
        )
    return found


def main(path: Path) -> None:
    """Executes a notebook and writes the outputs into it."""
    outputs = execute(path)
    document = json.loads(path.read_text("utf-8"))
    for number, cell in enumerate([c for c in document["cells"] if c["cell_type"] == "code"], 1):
        cell["outputs"], cell["execution_count"] = outputs[number - 1], number
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

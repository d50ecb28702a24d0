"""The statement of a task of ShinkaEvolve, from the text of its `run_evo.py`; nothing of that file is run."""

from __future__ import annotations

import ast
from pathlib import Path

KEY = "task_sys_msg"
_MOST_BYTES = 1 << 20


def message_of(folder: Path) -> str:
    """The text that `run_evo.py` gives as `task_sys_msg`, as an argument or by a name; empty without one."""
    path = folder / "run_evo.py"
    if not path.is_file() or path.stat().st_size > _MOST_BYTES:
        return ""
    try:
        tree = ast.parse(path.read_text("utf-8-sig"))
    except (SyntaxError, ValueError, RecursionError):
        return ""
    texts = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name) and isinstance(node.value.value, str)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == KEY:
            if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
                return node.value.value.strip()
            if isinstance(node.value, ast.Name):
                return texts.get(node.value.id, "").strip()
    return texts.get(KEY, "").strip()

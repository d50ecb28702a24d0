"""What a task of ShinkaEvolve says: `shinka.yaml`, and the text of `run_evo.py`, which is never run."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from .configuration import (
    ARTIFACT_BYTES,
    TIMEOUT_SECONDS,
    Configuration,
    ConfigurationError,
    YamlKeys,
    budget_of,
)
from .inside import is_own_file

KEY = "task_sys_msg"
_MOST_BYTES = 1 << 20
_USED = {
    "evo_config.num_generations": ("budget", "iterations"),
    "db_config.num_islands": ("archive", "islands"),
}
"""Key of ShinkaEvolve → section and key here; a value that is given here otherwise counts."""
_TIMES = ("job_config.time", "distributed_job_config.time")
_LANGUAGE, _FEEDBACK, _COSTS = (
    "evo_config.language",
    "evo_config.use_text_feedback",
    "evo_config.max_api_costs",
)
_OWN = {*_USED, *_TIMES, _LANGUAGE, _FEEDBACK, _COSTS, f"evo_config.{KEY}"}


def read_shinka(path: Path) -> Configuration:
    """The usable part of ShinkaEvolve's YAML file, or of the file of a task in its Hydra configuration.

    Raises:
        ConfigurationError: the file is no mapping, a key has a value of another kind, or the language is not
            Python.
        ModuleNotFoundError: PyYAML is not installed.
    """
    keys = YamlKeys(path)
    language = keys.get(_LANGUAGE, (str,), "python")
    if language.lower() != "python":
        raise ConfigurationError(f"{path}: {_LANGUAGE}: got {language!r:.60}, expected python")
    defaults = budget_of(keys, _USED)
    costs = keys.get(_COSTS, (int, float), None, 0)
    if costs and "budget" in defaults:  # money alone would never end a campaign without a model
        defaults["budget"]["usd"] = float(costs)
    times = [_seconds(path, key, keys.get(key, (int, float, str), None)) for key in _TIMES]
    return Configuration(
        message=keys.get(f"evo_config.{KEY}", (str,), "").strip(),
        defaults=defaults,
        timeout=next((seconds for seconds in times if seconds is not None), TIMEOUT_SECONDS),
        artifact_bytes=ARTIFACT_BYTES if keys.get(_FEEDBACK, (bool,), True) else 0,
        unused=keys.without(_OWN),
        file=path.name,
    )


def _seconds(path: Path, key: str, value: float | str | None) -> float | None:
    """Seconds of a time: a number of them, or `HH:MM:SS`."""
    if value is None:
        return None
    if isinstance(value, str) and re.fullmatch(r"\d+:\d\d:\d\d", value):
        hours, minutes, seconds = map(int, value.split(":"))
        value = 3600 * hours + 60 * minutes + seconds
    if isinstance(value, str) or value < 1:
        raise ConfigurationError(f"{path}: {key}: got {value!r:.60}, expected HH:MM:SS or seconds ≥ 1")
    return float(value)


def message_of(folder: Path) -> str:
    """The value of `task_sys_msg` in `run_evo.py` (a literal or a name's value); empty without one.

    Raises:
        ConfigurationError: the file is a link.
    """
    path = folder / "run_evo.py"
    if path.is_symlink():
        raise ConfigurationError(f"{path}: a link, expected a plain file of the folder")
    if not is_own_file(folder, path) or path.stat().st_size > _MOST_BYTES:
        return ""
    try:
        tree = ast.parse(path.read_text("utf-8-sig"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
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

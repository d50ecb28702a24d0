"""What a configuration of another tool says that Gapsmith can use, and which of its keys it does not use."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ..plain import brief

ARTIFACT_BYTES = 20_000
"""Most bytes of artifacts that are kept of one evaluation."""
TIMEOUT_SECONDS = 300.0
_MOST_BYTES = 1 << 20
_MOST_PARTS = 100_000
"""Values of a file whose aliases are written out: a few lines of aliases of aliases make billions (count)."""
_MOST_DIGITS = 1000
"""Longest text of a number (characters)."""
_NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
_DAMAGES = (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError)
"""What PyYAML raises, beside its own errors, for tags that do not fit their texts."""
_LARGEST = 10**15
"""Size of a number that any key takes."""
_USED = {
    "max_iterations": ("budget", "iterations"),
    "random_seed": ("campaign", "seed"),
    "early_stopping_patience": ("budget", "patience"),
    "database.num_islands": ("archive", "islands"),
}
"""Key of OpenEvolve → section and key here; a value that is given here otherwise counts."""
_OWN = {
    "prompt.system_message",
    "prompt.include_artifacts",
    "prompt.max_artifact_bytes",
    "evaluator.timeout",
    "evaluator.max_retries",
    "evaluator.cascade_evaluation",
    "evaluator.cascade_thresholds",
    "database.feature_dimensions",
}


class ConfigurationError(ValueError):
    """A configuration cannot be used; the message names the file, the key, what was got and expected."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """The usable part of a configuration.

    Attributes:
        message: the task in words; empty if the file says nothing.
        defaults: section → key → value of Gapsmith's configuration, for keys that the user does not give.
        timeout: wall seconds of a stage.
        retries: further tries after an exception (count).
        cascade: whether stages are run where the evaluator has them.
        thresholds: score from which on the second and the third stage are run.
        features: names of metrics that describe a program rather than its quality.
        artifact_bytes: most bytes of artifacts; 0 keeps none.
        unused: keys that mean nothing here, in the order of the file.
        file: name of the file; empty without one.
    """

    message: str = ""
    defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    timeout: float = TIMEOUT_SECONDS
    retries: int = 3
    cascade: bool = True
    thresholds: tuple[float, ...] = (0.5, 0.75, 0.9)
    features: tuple[str, ...] = ()
    artifact_bytes: int = ARTIFACT_BYTES
    unused: tuple[str, ...] = ()
    file: str = ""


def read(path: Path) -> Configuration:
    """The usable part of OpenEvolve's YAML file; addresses in it are never contacted.

    Raises:
        ConfigurationError: the file is no mapping, or a key has a value of another kind.
        ModuleNotFoundError: PyYAML is not installed.
    """
    return _configuration(YamlKeys(path))


class YamlKeys:
    """The keys of a YAML file, read by the safe loader.

    Raises:
        ConfigurationError: the file is no mapping.
        ModuleNotFoundError: PyYAML is not installed.
    """

    def __init__(self, path: Path) -> None:
        import yaml

        self.path = path
        if not path.is_file():  # a pipe would be waited for, a device has no end
            raise ConfigurationError(f"{path}: no plain file, expected a configuration")
        if path.stat().st_size > _MOST_BYTES:
            raise ConfigurationError(f"{path}: more than {_MOST_BYTES} bytes, expected a configuration")
        try:
            loader = _loader()(path.read_bytes())
            node = loader.get_single_node()
            if node is not None and _parts(node, {}) > _MOST_PARTS:
                raise ConfigurationError(
                    f"{path}: more than {_MOST_PARTS} values with all aliases written out, expected a "
                    "configuration"
                )
            document = None if node is None else loader.construct_document(node)
        except ConfigurationError:
            raise
        except (yaml.YAMLError, *_DAMAGES) as error:
            words = f"{type(error).__name__}: {' '.join(str(error).split()):.300}"
            raise ConfigurationError(f"{path}: {words}, expected YAML") from error
        if document is not None and not isinstance(document, dict):
            raise ConfigurationError(f"{path}: got {type(document).__name__}, expected a mapping of keys")
        self._found: Mapping[Any, Any] = document or {}

    def get(self, key: str, kind: tuple[type, ...], default: Any, least: float | None = None) -> Any:
        """The value of `key` or `section.key`.

        Raises:
            ConfigurationError: it is of another kind, or below the least value.
        """
        value = self._value(key)
        if value is None:
            return default
        right = isinstance(value, kind) and (bool in kind or not isinstance(value, bool))
        if isinstance(value, int | float):
            right = right and abs(value) <= _LARGEST  # false for NaN
        if not right or (least is not None and value < least):
            words = " or ".join(one.__name__ for one in kind) + (f" ≥ {least:g}" if least is not None else "")
            raise ConfigurationError(f"{self.path}: {key}: got {brief(value)}, expected {words}")
        return value

    def without(self, used: Collection[str]) -> tuple[str, ...]:
        """Every key but those in use and those without a value, in the order of the file."""
        keys = []
        for name, value in self._found.items():
            keys += [f"{name}.{key}" for key in value] if isinstance(value, dict) else [str(name)]
        return tuple(key for key in keys if key not in used or self._value(key) is None)

    def _value(self, key: str) -> Any:
        """A value; None of one that is open or refers to another key, as Hydra writes these."""
        section, _, name = key.rpartition(".")
        table = self._found.get(section) if section else self._found
        value = table.get(name) if isinstance(table, dict) else None
        return None if isinstance(value, str) and (value == "???" or value.startswith("${")) else value


@cache
def _loader() -> Any:
    """PyYAML's safe loader without numbers of base 60: `1:1:1` is a text, as in YAML 1.2.

    Python would take minutes for one of a million digits; so a number has an end, too.
    """
    import yaml

    class Loader(yaml.SafeLoader):  # type: ignore[misc]  # PyYAML has no types
        """Reads texts with colons as texts."""

        def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
            """The tag of a node."""
            tag = super().resolve(kind, value, implicit)
            sexagesimal = tag in _NUMBERS and isinstance(value, str) and ":" in value
            return self.DEFAULT_SCALAR_TAG if sexagesimal else tag

        def number(self, node: Any) -> Any:
            """The value of a node with the tag of a number."""
            text = str(self.construct_scalar(node))
            if ":" in text or len(text) > _MOST_DIGITS:
                raise ValueError(f"{text!r:.40} is no number of at most {_MOST_DIGITS} digits")
            return (
                self.construct_yaml_int(node) if node.tag == _NUMBERS[0] else self.construct_yaml_float(node)
            )

    for tag in _NUMBERS:
        Loader.add_constructor(tag, Loader.number)
    return Loader


def _parts(node: Any, known: dict[int, float]) -> float:
    """Parts of a YAML node if every alias were written out (count); infinite for a node that holds itself."""
    if id(node) not in known:
        known[id(node)] = math.inf
        inside = node.value if isinstance(node.value, list) else []
        flat = [part for entry in inside for part in (entry if isinstance(entry, tuple) else (entry,))]
        known[id(node)] = 1 + sum(_parts(part, known) for part in flat)
    return known[id(node)]


def budget_of(keys: YamlKeys, used: Mapping[str, tuple[str, str]]) -> dict[str, dict[str, Any]]:
    """Section → key → value of Gapsmith's configuration for the keys of a tool that are counts."""
    defaults: dict[str, dict[str, Any]] = {}
    for key, (section, name) in used.items():
        value = keys.get(key, (int,), None, 0 if key == "random_seed" else 1)
        if value is not None:
            defaults.setdefault(section, {})[name] = value
    return defaults


def _configuration(keys: YamlKeys) -> Configuration:
    get, path = keys.get, keys.path
    thresholds = get("evaluator.cascade_thresholds", (list,), [0.5, 0.75, 0.9])
    features = get("database.feature_dimensions", (list,), [])
    if not all(type(one) in (int, float) and abs(one) <= _LARGEST for one in thresholds):
        raise ConfigurationError(
            f"{path}: evaluator.cascade_thresholds: got {brief(thresholds)}, expected numbers"
        )
    most = get("prompt.max_artifact_bytes", (int,), ARTIFACT_BYTES, 0)
    return Configuration(
        message=get("prompt.system_message", (str,), "").strip(),
        defaults=budget_of(keys, _USED),
        timeout=float(get("evaluator.timeout", (int, float), TIMEOUT_SECONDS, 1)),
        retries=min(10, get("evaluator.max_retries", (int,), 3, 0)),
        cascade=get("evaluator.cascade_evaluation", (bool,), True),
        thresholds=tuple(float(one) for one in thresholds),
        features=tuple(str(one) for one in features),
        artifact_bytes=min(most, ARTIFACT_BYTES) if get("prompt.include_artifacts", (bool,), True) else 0,
        unused=keys.without({*_USED, *_OWN}),
        file=path.name,
    )

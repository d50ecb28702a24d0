"""The first message to a worker: a problem, its instances with hidden parts, its references and its limits.

A worker draws no instances, solves nothing and reads no cache. A problem of one file is sent as source; any
other problem must be installed on the worker's machine. Digests show whether driver and worker agree.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...evaluators.cache import Cache, decode_reference, encode_reference
from ...problems.base import Instance, decode_number, encode_number
from ...sandbox.policy import LAYERS
from ..config import parse
from ..door.code import is_given
from ..door.foreign import is_foreign
from ..door.plugins import LoadedProblem, load_problem
from ..errors import INVALID, USAGE, UserError
from ..versions import versions
from ..words import clean
from .secret import keyed
from .setup import Setup

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
"""Texts and random streams may differ between minor versions of Python."""
_HELLO_CHARACTERS = 1 << 16
"""Longest first line of a worker."""
STARTED = "`gapsmith run … --workers processes:N` starts workers and writes their lines"


def identity(setup: Setup) -> dict[str, Any]:
    """The digests that a driver and its workers must have in common."""
    return {
        "gapsmith": versions()["gapsmith"],
        "python": PYTHON,
        "problem": setup.loaded.digest,
        "evaluator": setup.evaluator.version,
    }


def encode_brief(setup: Setup) -> str:
    """The line that makes an equal setup in another process.

    Raises:
        UserError: the problem is an object of this process, or its file is gone.
    """
    evaluator, loaded = setup.evaluator, setup.loaded
    splits = {name: list(evaluator.instances(name).values()) for name in evaluator.splits}
    references = {id: encode_reference(one) for id, one in evaluator.references.items()}
    spec, source = _travelling(loaded, setup.config.campaign.problem)
    config = setup.config.model_dump(mode="json")
    config["campaign"]["problem"] = spec
    return json.dumps(
        {
            "folder": os.getcwd(),
            "config": config,
            "source": source,
            "version": loaded.problem.version,
            "splits": {name: [_encode_instance(i) for i in instances] for name, instances in splits.items()},
            "references": references,
        }
    )


def read_brief(line: str) -> Setup:
    """A setup equal to the one whose brief another process sent, in that process's working folder.

    Raises:
        UserError: the line holds no brief, or the problem is not here or is another one.
    """
    try:
        document = json.loads(line)
        folder = str(document["folder"])
        config = parse(document["config"], "the brief of a worker")
        splits = {name: [_read_instance(row) for row in rows] for name, rows in document["splits"].items()}
        references = {id: decode_reference(row) for id, row in document["references"].items()}
        source, version = document["source"], document["version"]
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        damage = f"{type(error).__name__}: {error}"
        raise UserError(INVALID, f"worker: its first line holds no brief ({damage})", STARTED) from error
    with suppress(OSError):  # another machine need not have the folder
        os.chdir(folder)
    loaded = _load(config.campaign.problem, source, config.problem).at(version)
    loaded = keyed(loaded, config.evaluation.secret)
    return Setup.of(loaded, config, splits, references.__getitem__, Cache())


def hello(setup: Setup, layers: Mapping[str, bool]) -> str:
    """The line in which a worker reports that it is ready, with its identity and machine."""
    return json.dumps({**identity(setup), "layers": dict(layers), "machine": machine()})


def machine() -> str:
    """Processor and system of this machine, to notice when workers run on different machines."""
    model = platform.processor() or platform.machine()
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{platform.system()} {platform.machine()}, {names[0] if names else model}"


def check_hello(line: str, setup: Setup) -> dict[str, Any]:
    """Checks a worker's first line; returns what the worker reports of itself.

    Raises:
        UserError: the worker could not begin, or is no equal of this process.
    """
    try:
        if len(line) > _HELLO_CHARACTERS:
            raise ValueError(f"more than {_HELLO_CHARACTERS} characters")
        document = json.loads(line)
        if "error" in document:
            code, message, hint = document["error"]
            raise UserError(_code(code), clean(_text(message)), None if hint is None else clean(_text(hint)))
        said = {key: _text(document[key]) for key in ("gapsmith", "python", "problem", "evaluator")}
        layers = {name: on for name, on in document["layers"].items() if name in LAYERS and type(on) is bool}
        if layers.keys() != document["layers"].keys():
            raise ValueError("layers: expected names of layers, each true or false")
        named = clean(_text(document["machine"]))
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise UserError(INVALID, f"its first line is damaged ({error}): {line!r:.80}") from None
    for key, here in identity(setup).items():
        if said[key] != here:
            raise UserError(
                INVALID,
                f"{_MEANING[key]} differs: got {said[key]!s:.16}, expected {here!s:.16}",
                "install the same Gapsmith, Python minor version and plug-ins everywhere",
            )
    return {"layers": layers, "machine": named}


def _text(value: Any) -> str:
    if type(value) is not str:
        raise TypeError(f"got {value!r:.40}, expected a text")
    return value


def _code(value: Any) -> int:
    if type(value) is not int or not 0 < value < 128:
        raise TypeError(f"got {value!r:.40}, expected an exit code")
    return value


_MEANING = {
    "gapsmith": "the version of Gapsmith",
    "python": "the version of Python",
    "problem": "the problem's source",
    "evaluator": "what scores depend on",
}


def refusal(error: UserError) -> str:
    """The first line of a worker that cannot begin."""
    return json.dumps({"error": [error.code, error.message, error.hint]})


def _travelling(loaded: LoadedProblem, spec: str) -> tuple[str, str | None]:
    """A problem's specification and source for another process."""
    if loaded.source is not None:
        path = Path(spec).resolve()
        try:
            return str(path), path.read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(INVALID, f"{path}: cannot be read again for the workers: {error}") from error
    if is_foreign(spec) or is_given(spec):
        what = "a task of another tool" if is_foreign(spec) else "an object of this Python process"
        raise UserError(
            USAGE,
            f"problem {loaded.name}: {what}, which only threads can evaluate",
            "give the workers as a plain number: --workers N",
        )
    return spec, None


def _load(spec: str, source: str | None, parameters: Mapping[str, Any]) -> LoadedProblem:
    """A problem; of one file, from that file if it is here unchanged, else from a copy of its source."""
    if source is None:
        return load_problem(spec, parameters)
    path = Path(spec)
    if path.is_file() and path.read_bytes() == source.encode():
        return load_problem(spec, parameters)
    with tempfile.TemporaryDirectory(prefix="gapsmith-worker-") as folder:
        copy = Path(folder) / path.name
        copy.write_bytes(source.encode())
        return replace(load_problem(str(copy), parameters), origin=f"file {path}")


def _encode_instance(instance: Instance) -> list[Any]:
    hidden = None if instance.hidden is None else dict(instance.hidden)
    scale = encode_number(instance.scale)
    names = [instance.id, instance.split, instance.stratum]
    return [*names, dict(instance.public), scale, instance.source, hidden]


def _read_instance(row: Any) -> Instance:
    id, split, stratum, public, scale, source, hidden = row
    number = decode_number(scale)
    if isinstance(number, float):
        raise ValueError(f"instance {id}: scale {scale}")
    return Instance(id, split, stratum, public, number, source, hidden)

"""Writes a discovered heuristic as one file that runs alone and says how to check its figures."""

from __future__ import annotations

import ast
import io
import shlex
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from ... import __version__
from ...evolve.store.schema import StoreError
from ...evolve.syntax.checks import parsed
from ...evolve.types import Origin
from ...sandbox import unseen
from ...sandbox.settings import USUAL_CPU_SECONDS
from ..formatting import (
    FOREIGN,
    UNVERIFIED,
    clean,
    count,
    gap_word,
    layers,
    percent,
    reaches,
    reference_kinds,
    reported_cell,
    spread,
    toml_value,
    unsafe,
)
from ..plugins.loader import BUILT_INS
from .figures import REPORTED, stepwise, trust
from .folders import CONFIG_NAME
from .record import RunRecord

_MAIN = """

def _gapsmith_main(heuristic):
    # {what}
    # All names are local, so that none of them stands for one of the heuristic's own.
    import json
    import sys

    # Not imported: a candidate may not import them, and this file may become a start program.
    builtins, os = sys.modules["builtins"], sys.modules["os"]
    if os.environ.get("PYTHONHASHSEED") != "0":  # once; sets keep the sandbox's order
        again = [sys.executable, *sys.orig_argv[1:]]
        os.execve(sys.executable, again, {{**os.environ, "PYTHONHASHSEED": "0"}})

    def read(text):
        keys, wrong = {keys}, sys.argv[0] + ": standard input: "
        try:
            instance = json.loads(text)
        except builtins.ValueError as error:
            raise builtins.SystemExit(wrong + "expected JSON, got " + builtins.str(error))
        given = instance if builtins.isinstance(instance, builtins.dict) else ()
        if lacking := [key for key in keys if key not in given]:
            wrong += "expected one object with " + ", ".join(keys)
            raise builtins.SystemExit(wrong + ", got none or one without " + ", ".join(lacking))
        return instance
{driver}{body}

if __name__ == "__main__":
    _gapsmith_main({entry})
"""

_WHOLE = "An instance as JSON on standard input, its answer as JSON on standard output."
_STEPWISE = (
    "Standard input: the instance as one JSON line, then one revealed line at a time;\n"
    "    # standard output: one decision a line."
)

_ANSWER = """
    def plain(value):
        return value.tolist() if builtins.hasattr(value, "tolist") else builtins.list(value)

    builtins.print(json.dumps({call}, default=plain))
"""

_DECISIONS = """
    def receive():
        line = sys.stdin.buffer.readline()
        return line.strip() if line.strip() else None

    def send(line):
        sys.stdout.write(line.decode() + "\\n")
        sys.stdout.flush()

    driver["drive"](heuristic, read(sys.stdin.buffer.readline()), receive, send)
"""

_ENCODING = "# -*- coding: utf-8 -*-\n#\n"
"""The two lines in which Python looks for an encoding: no name below them can set another one."""
NOTHING: Mapping[str, Any] = {}
_MOST_TASK_LINES = 60
_TASK_WIDTH = 105


def program_text(record: RunRecord, id: str, file_name: str = "best.py") -> str:
    """The candidate's main file between a header (problem, gap, command to check it) and a `__main__` block.

    Args:
        record: record of the run.
        id: id of the candidate.
        file_name: name of the file to be written, for the commands in the header.
    """
    text = next(iter(record.candidate(id).files.values()))
    return _program(record, _header(record, id, file_name), text)


def simplified_text(record: RunRecord, document: Mapping[str, Any], file_name: str) -> str:
    """A candidate's simplified form as a program that runs alone, with its own header.

    Args:
        record: record of the run.
        document: document of the simplified form, as `simplify` wrote it.
        file_name: name of the file to be written, for the commands in the header.
    """
    before = document["valid_before"]
    after = document["valid_after"]
    kinds = after["reference_kinds"]
    header = [
        *_title(record, document["candidate"]),
        f"Simplified from {document['statements_before']} statements to {document['statements_after']}.",
        "",
        f"{gap_word(kinds).capitalize()} on the valid split, which judged every step "
        f"({count(after['instances'], 'instance')}; references: {reference_kinds(kinds)}):",
        f"  mean of ratios {_mean(after)} (95 % interval over instances); as found {_mean(before)}",
        *_usage(record, file_name),
    ]
    return _program(record, header, next(iter(document["files"].values())))


def _program(record: RunRecord, header: Sequence[str], text: str) -> str:
    """A heuristic between a header and a `__main__` block; drops its own block, which never ran."""
    problem = record.problem
    lines = _ENCODING + "\n".join(f"# {' '.join(clean(line).splitlines())}".rstrip() for line in header)
    if not problem["entry_point"].isidentifier():
        raise StoreError(f"{record.name}: entry point {problem['entry_point']!r}, expected a name")
    try:
        if trust(record.reader) == REPORTED:  # its evaluator calls it, so it stays as it is
            return f"{lines}\n\n{unseen.clean(text, tab=chr(9)).rstrip()}\n"
        own = unseen.clean(_without_main(text), tab="\t").rstrip()
        main = _main(problem["entry_point"], problem.get("driver"), _keys(record))
    except ValueError as error:
        raise StoreError(f"{record.name}: the record is damaged: {error}") from error
    return f"{lines}\n\n{own}\n{main}"


def _without_main(text: str) -> str:
    """A module's text without its `__main__` blocks; everything else stays as it is."""
    if "__main__" not in text:
        return text
    lines = io.StringIO(text, newline="").readlines()  # line numbers as Python counts, unlike `splitlines`
    for node in reversed(parsed(text).body):
        if not isinstance(node, ast.If) or not _asks_for_main(node.test):
            continue
        if node.orelse:  # an `else` branch runs in the sandbox, so it stays
            lines[node.lineno - 1] = "if False and" + lines[node.lineno - 1].removeprefix("if")
        else:
            del lines[node.lineno - 1 : node.end_lineno]
    return "".join(lines)


def _asks_for_main(test: ast.expr) -> bool:
    """Whether an expression is `__name__ == "__main__"`, with the sides in either order."""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return False
    return {ast.unparse(side) for side in (test.left, *test.comparators)} == {"__name__", "'__main__'"}


def evaluate_command(record: RunRecord, file_name: str, split: str | None = "test") -> str:
    """The command that scores a file on the same instances; of a foreign plug-in, one that asks first.

    Names the run's configuration file if the instances depend on more than the problem's parameters and the
    seed. A secret is never written into the command, because a program's text may become part of a prompt.
    """
    problem = record.problem
    config = record.config
    name = (config.get("campaign") or {}).get("problem") or problem.get("name") or "PROBLEM"
    if record.foreign and name not in BUILT_INS:
        return shlex.join(["gapsmith", "verify", str(record.folder)])
    options = [] if split is None else ["--split", split]
    limits = {"cpu_seconds": problem.get("cpu_seconds") or USUAL_CPU_SECONDS}
    hidden = any(instance.hidden is not None for instance in record.instances.values())
    drawn = ("instances", "reference_seconds", *["secret"] * hidden)
    if _own(config, "evaluation", drawn) or _own(config, "sandbox", usual=limits):
        off = [word for layer in record.unsafe for word in ("--unsafe-without", layer)]
        return shlex.join(
            ["gapsmith", "evaluate", str(record.folder / CONFIG_NAME), file_name, *options, *off]
        )
    words = ["gapsmith", "evaluate", name, file_name, *options]
    for key, value in (config.get("problem") or {}).items():
        words += ["--set", f"problem.{key}={toml_value(value)}"]
    seed = (config.get("evaluation") or {}).get("instance_seed", 1)
    if seed != 1:
        words += ["--set", f"evaluation.instance_seed={seed}"]
    return shlex.join(words)


def _own(
    config: Mapping[str, Any], section: str, keys: Sequence[str] = (), usual: Mapping[str, Any] = NOTHING
) -> bool:
    """Whether a section of a configuration departs from its defaults in one of these keys (none: in any).

    Args:
        config: whole configuration.
        section: name of the section.
        keys: of the section; none are all.
        usual: key → the problem's own default.
    """
    from ..config import Config

    defaults = {**Config().model_dump(mode="json")[section], **usual}
    values = config.get(section) or defaults
    return any(values.get(key, defaults[key]) != defaults[key] for key in keys or defaults)


def _header(record: RunRecord, id: str, file_name: str) -> list[str]:
    lines = [*_title(record, id), *([f"{record.headline['text']}."] if id == record.best else []), ""]
    for split in ("test", "valid", "train"):
        figures = record.figures(id, split)
        if figures is not None and (figures.mean_gap_percent is not None or figures.mean_score is not None):
            lines += _gap_lines(figures.as_json(), split, record)
            break
    return [*lines, *_usage(record, file_name), *_task(record)]


def _task(record: RunRecord) -> list[str]:
    """What the program expects and returns, in the words that its campaign was given."""
    given = str(record.problem.get("statement") or "").splitlines()
    lines = [part for line in given for part in wrap(line, _TASK_WIDTH)]
    if not lines or trust(record.reader) == REPORTED:
        return []
    return [
        "",
        "The task (the program checks no values: for others than these it may fail or answer wrongly):",
        *(f"  {line}" for line in lines[:_MOST_TASK_LINES]),
        *(["  …"] if len(lines) > _MOST_TASK_LINES else []),
    ]


def _title(record: RunRecord, id: str) -> list[str]:
    problem = record.problem
    goal = f"{problem.get('sense', 'minimise')} {problem.get('unit', '')}".strip()
    candidate = record.candidate(id)
    made = "Submitted at a workbench" if candidate.origin is Origin.SUBMIT else "Found by the search"
    if candidate.iteration == 0:
        made = "No program of the search, but one that it began with"
    return [
        f"Heuristic for {problem.get('name')} (version {problem.get('version')}): {goal}.",
        f"{made}: Gapsmith {__version__}, run {record.name}, candidate {id}.",
        *([FOREIGN] if record.foreign else []),
        *([unsafe(record.unsafe)] if record.unsafe else []),
        *([f"Sandbox: {layers(record.layers)}."] if record.layers else []),
        *([reaches(reached)] if (reached := record.reached(id)) else []),
    ]


def _keys(record: RunRecord) -> list[str]:
    """Keys of the JSON object that a program of the run reads: those in the public part of every instance."""
    every = [instance.public for instance in record.instances.values()]
    return [key for key in every[0] if all(key in public for public in every)] if every else []


def _usage(record: RunRecord, file_name: str) -> list[str]:
    again = f"Check it again: {evaluate_command(record, file_name)}"
    if trust(record.reader) == REPORTED:
        return ["", again.replace("Check", "Evaluate")]
    keys = ", ".join(_keys(record)) or "the instance's keys"
    command = f"python {shlex.quote(file_name)}"
    if is_stepwise(record):
        use = f"{command}, then a JSON line with {keys}, then each revealed line; it answers line by line"
    else:
        use = f"{command} < instance.json, one object with {keys}"
    return ["", again, f"Use it: {use}"]


def _gap_lines(figures: Mapping[str, Any], split: str, record: RunRecord) -> list[str]:
    kinds = figures["reference_kinds"]
    if "reported_score" in figures:
        return [f"Reported score on the {split} split [change]: {reported_cell(figures)}", f"{UNVERIFIED}."]
    lines = [
        f"{gap_word(kinds).capitalize()} on the {split} split ({count(figures['instances'], 'instance')}; "
        f"references: {reference_kinds(kinds)}):",
        f"  mean of ratios {_mean(figures)} (95 % interval over instances)",
        f"  ratio of sums {percent(figures['ratio_of_sums_percent'])}; "
        f"equal to the reference on {figures['solved']} of {figures['instances']}",
    ]
    start = None if record.start is None else record.figures(record.start, split)
    if start is not None:
        lines.append(f"  start program, same instances: {_mean(start.as_json())}")
    return lines


def _mean(figures: Mapping[str, Any]) -> str:
    return f"{percent(figures['mean_gap_percent'])} {spread(figures)}".strip()


def _main(entry: str, driver: str | None, keys: Sequence[str]) -> str:
    if driver is None:
        what = _WHOLE
        block = ""
        call = "heuristic(**read(sys.stdin.read()))"
    else:
        what = _WHOLE
        block = f"\n    driver = {{}}\n    builtins.exec({_quoted(driver)}, driver)\n"
        call = 'driver["drive"](heuristic, read(sys.stdin.read()))'
    body = _ANSWER.format(call=call)
    if driver is not None and stepwise(driver):
        what = _STEPWISE
        body = _DECISIONS
    return _MAIN.format(what=what, keys=list(keys), driver=block, body=body, entry=entry)


def _quoted(text: str) -> str:
    """A Python string literal of a text, on several lines if the text needs no escapes."""
    if "'''" in text or "\\" in text or text.endswith("'"):
        return repr(text)
    return f"'''{text}'''"


def is_stepwise(record: RunRecord) -> bool:
    """Whether instances are revealed step by step, so that programs of the run read no whole one."""
    driver = record.problem.get("driver")
    try:
        return isinstance(driver, str) and stepwise(driver)
    except ValueError as error:
        raise StoreError(f"{record.name}: the record is damaged: {error}") from error

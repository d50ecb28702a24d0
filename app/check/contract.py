"""The contract of a problem's data, and what it says of itself; one part of a check."""

from __future__ import annotations

import ast
import json
import random
import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from ...problems.base import SPLITS, Driven, Instance, Interactive, canonical_json
from ..errors import ProblemError
from .bench import SEED, Bench, attempt
from .execution import draws
from .programs import REFERENCE_SECONDS
from .second_process import elsewhere, words


def draw(bench: Bench) -> bool:
    """Draws the splits; False, with a finding, if that is not possible."""
    for split in SPLITS:
        state = random.getstate()
        try:
            bench.splits[split] = bench.loaded.instances(split, SEED)
        except ProblemError as error:
            bench.report.add(
                "instances",
                sent=f"instances({split!r}, {SEED})",
                got=error.message,
                why="without instances nothing can be run",
                fix="return a list of Instance for every split and every seed",
            )
            return False
        if random.getstate() != state:
            bench.report.add(
                "global-random",
                sent=f"instances({split!r}, {SEED})",
                got="the state of the module `random` changed",
                why="instances then depend on what else drew numbers before",
                fix="draw from random.Random(seed) of your own",
            )
    return True


def check_repeated(bench: Bench) -> None:
    """A second draw in the same process gives the same instances."""
    for split, instances in bench.splits.items():
        again, error = attempt(partial(bench.loaded.instances, split, SEED))
        if error is not None or [i.digest for i in again] != [i.digest for i in instances]:
            _not_repeated(bench, split, "a second call drew other instances")
            return


def check_instances(bench: Bench, spec: str, parameters: Mapping[str, Any]) -> None:
    """Types, ids, split names, disjointness, and the same again in another process."""
    _names(bench)
    case = bench.quick_reference()
    other = elsewhere(spec, parameters, SEED, None if case is None else case.instance.id)
    if isinstance(other, str):
        _not_repeated(bench, "train", f"another process failed: {other}")
        return
    for split, instances in bench.splits.items():
        if other.digests[split] != [i.digest for i in instances]:
            _not_repeated(bench, split, "another process drew other instances")
            return
    if case is not None:
        bench.reference_elsewhere = other.reference


def check_sets(bench: Bench) -> None:
    """Every named set can be drawn, and an unknown one is refused."""
    for name in list(bench.problem.sets())[:40]:
        if name in SPLITS or not bench.remaining:
            continue
        _, error = attempt(partial(bench.loaded.instances, name, SEED))
        if error is not None:
            bench.report.add(
                "sets",
                sent=f"instances({name!r}, {SEED})",
                got=str(error),
                why="`--instances` offers every name that sets() lists",
                fix="draw it, or take it out of sets()",
            )
    _, error = attempt(lambda: bench.problem.instances("no-such-set", SEED))
    if not isinstance(error, KeyError):
        bench.report.add(
            "sets",
            sent="instances('no-such-set', 1)",
            got="instances" if error is None else f"{type(error).__name__}: {error}",
            why="a mistyped name must not give instances of something else",
            fix="raise KeyError(set) for names that sets() does not list",
        )


def _names(bench: Bench) -> None:
    owner: dict[str, Instance] = {}
    content: dict[str, Instance] = {}
    for split, instances in bench.splits.items():
        for instance in instances:
            _one(bench, split, instance)
            other = owner.setdefault(instance.id, instance)
            twin = content.setdefault(instance.digest, instance)
            if other is not instance:
                bench.report.add(
                    "instance-ids",
                    sent=f"instances({split!r}, {SEED})",
                    got=f"id {instance.id} in {other.split} and {split}",
                    why="scores are kept by id; two instances of one id overwrite each other",
                    fix="put the name of the set into the id",
                )
            if twin is not instance and twin.split != split:
                bench.report.add(
                    "splits-disjoint",
                    sent=f"instances({twin.split!r}, {SEED}) and instances({split!r}, {SEED})",
                    got=f"{twin.id} and {instance.id} are the same instance",
                    why="a heuristic could learn the test instances by heart in training",
                    fix="key the random stream by set name and seed: random.Random(f'{set} {seed}')",
                )


def _one(bench: Bench, split: str, instance: Instance) -> None:
    if instance.split != split:
        bench.report.add(
            "instance-split",
            sent=f"instances({split!r}, {SEED})",
            got=f"{instance.id} says split {instance.split!r}",
            why="tables group instances by their split",
            fix=f"set split={split!r}",
        )
    bad = [key for key in instance.public if not (isinstance(key, str) and key.isidentifier())]
    if bad:
        bench.report.add(
            "public-json",
            sent=f"{instance.id}.public",
            got=f"key {bad[0]!r}",
            why="public parts are the entry point's keyword arguments",
            fix="use names that are valid in a function's signature",
        )
    for part, whole, why in (
        ("public", instance.public, "the candidate gets JSON: what it sees must be what verify sees"),
        ("hidden", instance.hidden, "a run keeps JSON: `resume` and `verify` would see another hidden part"),
    ):
        if whole is not None and json.loads(canonical_json(dict(whole))) != dict(whole):
            bench.report.add(
                f"{part}-json",
                sent=f"{instance.id}.{part}",
                got="a value that JSON changes (a tuple, a number as key)",
                why=why,
                fix="use lists, dictionaries with text keys, numbers, texts",
            )


def _not_repeated(bench: Bench, split: str, got: str) -> None:
    bench.report.add(
        "deterministic",
        sent=f"instances({split!r}, {SEED}) twice",
        got=got,
        why="nothing could be compared, resumed or verified later",
        fix="draw from random.Random(f'{set} {seed}') only; no clock, no global state, no order of a set",
    )


def check_secrets(bench: Bench) -> None:
    """Whether a public part holds a hidden one, as it is or sorted."""
    for instance in (case.instance for case in bench.cases):
        if instance.hidden is None:
            continue
        public = [json.dumps(v, sort_keys=True) for v in _parts(dict(instance.public))]
        for key, value in instance.hidden.items():
            shown = instance.public.get(key) == value if key in instance.public else False
            for part in _parts(value):
                if isinstance(part, list | dict | str) and len(part) >= 3:
                    shown = shown or json.dumps(part, sort_keys=True) in public
                if isinstance(part, list) and len(part) >= 3:
                    shown = shown or _sorted_text(part) in {_sorted_text(p) for p in _lists(instance)}
            if shown:
                bench.report.add(
                    "hidden-in-public",
                    sent=f"public and hidden parts of {instance.id}",
                    got=f"hidden {key!r} can be read from the public part",
                    why="a candidate that looks ahead solves another problem than the one that is stated",
                    fix="leave it out of `public`, also in sorted or renamed form",
                )


def _parts(value: Any) -> list[Any]:
    """A JSON value and all that it contains, without single numbers."""
    if isinstance(value, dict):
        return [value, *(p for v in value.values() for p in _parts(v))]
    if isinstance(value, list):
        inner = [p for v in value if isinstance(v, list | dict | str) for p in _parts(v)]
        return [value, *inner]
    return [value]


def _lists(instance: Instance) -> list[list[Any]]:
    return [p for p in _parts(dict(instance.public)) if isinstance(p, list)]


def _sorted_text(values: list[Any]) -> str:
    return json.dumps(sorted(values, key=lambda v: json.dumps(v, sort_keys=True)))


def check_names(bench: Bench) -> None:
    """Name, version and ids of programs in the forms that commands and tables expect."""
    problem = bench.problem
    pattern = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
    names = [("name", problem.name)]
    names += [("baseline", name) for name in _programs(bench, "baselines")]
    names += [("start program", name) for name in _programs(bench, "start_programs")]
    for what, name in names:
        if not pattern.fullmatch(name):
            bench.report.add(
                "names",
                sent=what,
                got=repr(name),
                why="names are typed in commands and are keys in results",
                fix="use lower case letters, digits and single hyphens",
            )
    if not _programs(bench, "start_programs"):
        bench.report.add(
            "start-programs",
            sent="start_programs()",
            got="none",
            why="a campaign needs a program to start from",
            fix="return at least one simple heuristic that is always feasible",
        )


def _programs(bench: Bench, method: str) -> dict[str, str]:
    texts, error = attempt(getattr(bench.problem, method))
    proper = isinstance(texts, Mapping) and all(
        isinstance(k, str) and isinstance(v, str) for k, v in texts.items()
    )
    if error is None and proper:
        return dict(texts)
    bench.report.add(
        method.replace("_", "-"),
        sent=f"{method}()",
        got=f"{type(error).__name__}: {error}" if error else repr(texts),
        why="programs are looked up by name",
        fix="return a dictionary of name → source text",
    )
    return {}


# What a problem says of itself against what it does: its signature, its seed, and its references again.

Parameters = tuple[list[str], bool]
"""Names of the parameters of a function, and whether it takes any other name as well."""


def check_signature(bench: Bench) -> None:
    """`signature`, the problem's programs and the keys of `public` name the same parameters."""
    problem = bench.problem
    stated = _parameters(_whole(problem.signature), problem.entry_point)
    if stated is None:
        bench.report.add(
            "signature",
            sent="signature",
            got=repr(problem.signature),
            why="a language model is told this line word for word, and writes a program to it",
            fix=f"write it as in a program: def {problem.entry_point}(…) -> …:",
        )
        return
    programs = {**problem.baselines(), **problem.start_programs()}
    for name, text in programs.items():
        parameters = _parameters(text, problem.entry_point)
        if parameters is not None and not parameters[1] and not stated[1] and parameters[0] != stated[0]:
            _differs(bench, f"the program {name}", f"has the parameters {', '.join(parameters[0])}", stated)
    if isinstance(problem, Driven | Interactive):
        return  # the driver decides what the entry point is called with
    for case in bench.cases[:1]:
        keys = list(case.instance.public)
        if not stated[1] and set(keys) != set(stated[0]):
            _differs(bench, f"{case.instance.id}.public", f"has the keys {', '.join(keys)}", stated)


def _differs(bench: Bench, whose: str, got: str, stated: Parameters) -> None:
    bench.report.add(
        "signature",
        sent=f"signature and {whose}",
        got=f"signature has the parameters {', '.join(stated[0])}; {whose} {got}",
        why="models write programs to the signature; the keys of public are passed by name",
        fix="use the same names in the signature, in every program and in public",
    )


def _whole(signature: str) -> str:
    """A signature that Python can read: a `def` line without a body gets one."""
    text = signature.strip()
    return f"{text} ..." if text.endswith(":") else text


def _parameters(text: str, entry: str) -> Parameters | None:
    """Parameters of a function, or of the methods of a class one after the other; None if there is none."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == entry:
            return _of(node.args)
        if isinstance(node, ast.ClassDef) and node.name == entry:
            return [], True
    return None


def _of(arguments: ast.arguments) -> Parameters:
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [a.arg for a in named], arguments.kwarg is not None


def check_seed(bench: Bench) -> None:
    """Another seed draws other instances, where they are drawn at random at all."""
    for split in SPLITS:
        other, error = attempt(lambda s=split: bench.loaded.instances(s, SEED + 1))  # type: ignore[misc]
        if error is not None or [i.digest for i in other] != [i.digest for i in bench.splits[split]]:
            return
    if not draws(bench.problem):
        bench.report.unseen.append(
            "the instances are the same for every seed: a program that knows them by heart is not found out "
            "by `verify --fresh`"
        )
        return
    bench.report.add(
        "seed-ignored",
        sent=f"instances(split, {SEED}) and instances(split, {SEED + 1}) for all splits",
        got="the same instances",
        why="fresh instances could not be drawn: `verify --fresh` would test on what the search has seen",
        fix="make the seed part of what seeds every stream: random.Random(f'{set} {seed}')",
    )


def check_references_again(bench: Bench) -> None:
    """A reference is the same after all these answers, and in a process that has verified nothing."""
    case = bench.quick_reference()
    if case is None or bench.reference_elsewhere is None:
        return
    again, error = attempt(lambda: bench.loaded.reference(case.instance, REFERENCE_SECONDS))
    here = words(again) if error is None else f"{type(error).__name__}: {error}"
    if here != bench.reference_elsewhere:
        bench.report.add(
            "references",
            sent=f"reference({case.instance.id}) after answers were verified, and in a fresh process",
            got=f"{here}, and {bench.reference_elsewhere}",
            why="a reference that depends on earlier calls follows the candidates, and hides what they gain",
            fix="compute it from the instance alone; keep nothing in self, the class or the module",
        )

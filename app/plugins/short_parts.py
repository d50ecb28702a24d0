"""What a problem in the short form consists of: functions called by name, and instances drawn once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from glob import glob
from pathlib import Path
from typing import Any

from ...problems.answers import AnswerKind
from ...problems.base import InstanceFileError, Primitive, Sense, canonical_json
from ...problems.files import link_out, parse_json, text_of
from ...problems.plain import brief
from ..errors import ProblemError
from .sources import blame

SPLITS = {
    "train": "steer the search",
    "valid": "choose the best heuristic",
    "test": "judge it once",
}
"""Set → what its instances do."""


@dataclass(frozen=True, slots=True)
class FormPart:
    """One function of a problem.

    Attributes:
        what: its role, for messages (`objective`).
        call: the function.
        first: parameters that are not parts of an instance (count): the answer, the random numbers.
    """

    what: str
    call: Callable[..., Any]
    first: int = 1

    @property
    def title(self) -> str:
        """Role and name, for messages."""
        return f"{self.what} {self.call.__name__}"

    @property
    def words(self) -> str:
        """First line of the function's docstring; empty without one."""
        return (inspect.getdoc(self.call) or "").partition("\n")[0]

    def on(self, names: Mapping[str, Any], *first: Any, **more: Any) -> Any:
        """Calls the function with what it asks for of an instance.

        Args:
            names: parts of the instance.
            first: the first arguments.
            more: further arguments, of which the function gets those that it asks for.
        """
        wanted, every = self._wanted()
        given = {**more, **names}
        return self.call(*first, **{n: v for n, v in given.items() if n in wanted or (every and n in names)})

    def check(self, names: Mapping[str, Any], more: Sequence[str] = ()) -> None:
        """Refuses a function that asks for what no instance has.

        Raises:
            ProblemError: names the parameter, and what there is.
        """
        given = (*names, *more)
        for name in self._needed():
            if name not in given:
                near = get_close_matches(name, given, 1, 0.6)
                hint = f"did you mean {near[0]}?" if near else "a parameter is a part of the instance"
                raise ProblemError(
                    f"{self.title}: asks for {name}, expected one of {', '.join(given)}, "
                    "which is what an instance has",
                    hint,
                )

    def _wanted(self) -> tuple[set[str], bool]:
        parameters = list(inspect.signature(self.call).parameters.values())[self.first :]
        return {p.name for p in parameters}, any(p.kind is p.VAR_KEYWORD for p in parameters)

    def _needed(self) -> list[str]:
        parameters = list(inspect.signature(self.call).parameters.values())[self.first :]
        named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        return [p.name for p in parameters if p.default is p.empty and p.kind in named]


@dataclass(frozen=True, slots=True)
class InstanceSource:
    """Where instances come from.

    Attributes:
        counts: set → instances (count).
        strata: stratum → arguments of `draw` that differ; one stratum for no others.
        draw: makes one instance from random numbers; None where the instances are given.
        given: stratum → instances, each with its name, where they are fixed data.
        words: what the instances are, one sentence.
    """

    counts: Mapping[str, int]
    strata: Mapping[str, Mapping[str, Any]]
    draw: FormPart | None
    given: Mapping[str, Sequence[tuple[str, dict[str, Any]]]]
    words: str


@dataclass(slots=True)
class ProblemStatement:
    """What an author has stated so far.

    Attributes:
        name, unit, sense, kind, statement, scale, tolerance: as for `Form`; the statement may be empty.
        home: names of the author's module and their values.
        heuristics: id → function.
        parts: role → function (`objective`).
        moves: class of moves, or None.
        public: parts of an instance that a candidate of an online problem knows from the start.
        source: where instances come from: `draw`, `counts` and `strata`, or `given` or `pattern` with
            `shares` and `words`.
    """

    name: str
    unit: str
    sense: Sense
    kind: AnswerKind | None
    statement: str
    scale: float | str
    tolerance: float
    home: Mapping[str, Any]
    heuristics: dict[str, Callable[..., Any]] = field(default_factory=dict)
    parts: dict[str, Callable[..., Any]] = field(default_factory=dict)
    moves: type | None = None
    public: tuple[str, ...] = ()
    source: dict[str, Any] = field(default_factory=dict)

    @property
    def where(self) -> str:
        """Subject of messages."""
        return f"problem {self.name}"


@dataclass(frozen=True, slots=True)
class Form:
    """A problem in the short form, complete and checked.

    Attributes:
        name, unit, statement, sense, tolerance, scale: as the author gives them.
        kind: of answers, or of decisions of an online problem; None where the objective checks everything.
        entry: name of the entry point.
        source: of the instances.
        heuristics: id → function; the first one is the start program.
        objective: judges answers.
        online: the dialogue, a generator; None where everything is told at once.
        public: parts of an instance that a candidate of an online problem knows from the start.
        reference: model, optimum or bound; None for the best baseline.
        neighbours: text of a class of moves, or None.
        draw, explain, read: optional parts.
        primitives: for the offline proposer.
        facts: texts of what else judging depends on.
        home: name of the module that holds the functions.
        folder: of that module's file; the working folder without one.
    """

    name: str
    unit: str
    sense: Sense
    statement: str
    tolerance: float
    scale: float | str
    kind: AnswerKind | None
    entry: str
    source: InstanceSource
    heuristics: Mapping[str, FormPart]
    objective: FormPart
    online: FormPart | None
    public: tuple[str, ...]
    reference: FormPart | None
    neighbours: str | None
    draw: FormPart | None
    explain: FormPart | None
    read: FormPart | None
    primitives: Sequence[Primitive]
    facts: tuple[str, ...]
    home: str


# Types of plain data, as a signature has them: `list[list[int]]` for a matrix of whole numbers.

_MOST = 2000
"""Items of one list that are looked at (count)."""


def type_text(values: Iterable[Any]) -> str:
    """The type of plain values, as Python writes it; `object` where nothing tells.

    Args:
        values: what one argument is in several instances.
    """
    kinds = {kind for value in values if (kind := _kind(value)) != ""}
    return _joined(kinds) or "object"


def _kind(value: Any) -> str:
    """Type of one value; empty where it tells nothing of its items."""
    if value is None or isinstance(value, bool | int | float | str):
        return type(value).__name__ if value is not None else "None"
    if isinstance(value, list | tuple):
        inner = _joined({kind for item in value[:_MOST] if (kind := _kind(item)) != ""})
        return f"list[{inner}]" if inner else "list"
    if isinstance(value, dict):
        inner = _joined({kind for item in list(value.values())[:_MOST] if (kind := _kind(item)) != ""})
        return f"dict[str, {inner}]" if inner else "dict"
    return ""


def _joined(kinds: set[str]) -> str:
    """One type for values of several types; empty for none."""
    if "float" in kinds:
        kinds = kinds - {"int"}
    for outer in ("list", "dict"):
        inner = {kind for kind in kinds if kind == outer or kind.startswith(f"{outer}[")}
        if len(inner) > 1:
            inside = {kind[kind.index("[") + 1 : -1].removeprefix("str, ") for kind in inner if "[" in kind}
            item = _joined(inside)
            kinds = kinds - inner | {f"list[{item}]" if outer == "list" else f"dict[str, {item}]"}
    none = kinds & {"None"}
    return " | ".join([*sorted(kinds - none), *none])


Named = tuple[str, dict[str, Any]]
"""Name and data of an instance."""
_SHARES = {"train": 0.3, "valid": 0.3, "test": 0.4}
"""Set → share of the instances."""


def named_data(
    instances: Sequence[Mapping[str, Any]] | Mapping[str, Sequence[Mapping[str, Any]]],
) -> dict[str, list[Named]]:
    """Stratum → instances with their names; a list is one stratum without a name."""
    strata = instances if isinstance(instances, Mapping) else {"": instances}
    return {
        str(stratum): [
            (f"{stratum}{'-' if stratum else ''}{place:03}", dict(one)) for place, one in enumerate(every)
        ]
        for stratum, every in strata.items()
    }


def named_files(pattern: str, folder: Path, reader: FormPart | None, where: str) -> dict[str, list[Named]]:
    """Stratum → instances of all files of a pattern, sorted; the strata are the files' folders.

    Args:
        pattern: of the paths, relative to `folder`.
        reader: makes instances of a path; None for files that are one JSON object or a list of them.
        where: subject of messages.

    Raises:
        ProblemError: there is no such file, one cannot be read, or a link leads out of the folder in which
            the pattern begins.
    """
    paths = sorted(Path(found) for found in glob(str(folder / pattern), recursive=True))
    if not paths:
        hint = "the path is relative to the problem's file"
        raise ProblemError(f"{where}: files {pattern}: there are none in {folder}", hint)
    if said := link_out(folder / pattern, [str(path) for path in paths]):
        raise ProblemError(f"{where}: {said}", "put a copy of the file there")
    if other := next((path for path in paths if not path.is_file()), None):
        raise ProblemError(f"{where}: {other}: got a folder, a pipe or a device, expected a file")
    several = len({path.parent for path in paths}) > 1
    found: dict[str, list[Named]] = {}
    for path in paths:
        with blame(f"{where}: {path}"):
            read = read_file(reader or FormPart("files", _json_of), path)
        found.setdefault(path.parent.name if several else "", []).extend(read)
    return found


def read_file(part: FormPart, path: Path) -> list[Named]:
    """Name and data of the instances of a file, as the author's function reads it.

    Raises:
        InstanceFileError: the function says what is wrong with the file.
    """
    try:
        found = part.call(path)
    except InstanceFileError:
        raise
    except ValueError as error:
        raise InstanceFileError(f"{path}: {error}") from error
    several = found if isinstance(found, list) else [found]
    if not several or not all(isinstance(one, dict) for one in several):
        raise InstanceFileError(
            f"{path}: {part.title} gave {brief(found)}, expected instances (dictionaries)"
        )
    if not isinstance(found, list):
        return [(path.stem, found)]
    return [(f"{path.stem}-{place:03}", one) for place, one in enumerate(several)]


def divided(
    given: Mapping[str, Sequence[Named]], counts: Mapping[str, int], words: str, where: str
) -> InstanceSource:
    """Fixed instances, equal ones once, with the sizes of the sets.

    Args:
        given: stratum → instances.
        counts: set → instances; three, three and four tenths where a set is not named.
        words: what the instances are.
        where: subject of messages.

    Raises:
        ProblemError: there are too few instances, or a set is not known.
    """
    if wrong := [name for name in counts if name not in SPLITS]:
        raise ProblemError(f"{where}: set {wrong[0]}: expected {', '.join(SPLITS)}")
    different = _different(given)
    every = sum(map(len, different.values()))
    sizes = {name: counts.get(name) or max(1, int(every * _SHARES[name])) for name in SPLITS}
    if sum(sizes.values()) > every:
        asked = ", ".join(f"{number} {name}" for name, number in sizes.items())
        raise ProblemError(f"{where}: got {every} different instances, expected at least enough for {asked}")
    strata: dict[str, dict[str, Any]] = {stratum: {} for stratum in different}
    return InstanceSource(sizes, strata, None, different, words)


def _different(given: Mapping[str, Sequence[Named]]) -> dict[str, list[Named]]:
    """Instances without those that are equal to an earlier one."""
    seen: set[str] = set()
    kept: dict[str, list[Named]] = {}
    for stratum, every in given.items():
        for name, data in every:
            if (text := canonical_json(data)) not in seen:
                seen.add(text)
                kept.setdefault(stratum, []).append((name, data))
    return kept


def _json_of(path: Path) -> Any:
    return parse_json(text_of(path))

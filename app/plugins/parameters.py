"""The `[problem]` table: a problem's own parameters, read from the signature of its callable."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import UnionType
from typing import Any

from ...problems.base import Parameter
from ..errors import ProblemError

_WORDS = {int: "an integer", float: "a number", bool: "true or false", str: "a text"}


@dataclass(frozen=True, slots=True)
class ParameterSpec:
    """One parameter of a problem.

    Attributes:
        name: key in the `[problem]` table.
        type: Python type without its annotation (`int`).
        default: value when the key is absent.
        parameter: meaning, unit and range.
    """

    name: str
    type: Any
    default: Any
    parameter: Parameter

    @property
    def expected(self) -> str:
        """The allowed values in words: `an integer from 2 to 500 (jobs)`."""
        low = self.parameter.minimum
        high = self.parameter.maximum
        words = _WORDS.get(self.type) or _type_text(self.type)
        if low is not None and high is not None:
            words += f" from {low:g} to {high:g}"
        elif low is not None:
            words += f" ≥ {low:g}"
        elif high is not None:
            words += f" ≤ {high:g}"
        return words + (f" ({self.parameter.unit})" if self.parameter.unit else "")

    def check(self, value: Any) -> Any:
        """Returns the value, converted only without loss (an integer for a number).

        Raises:
            ProblemError: the value has the wrong type or is out of range.
        """
        checked = value if _is_of(value, self.type) else self._converted(value)
        if not self.inside(checked):
            raise self._refuse(value)
        return checked

    def _converted(self, value: Any) -> Any:
        from pydantic import TypeAdapter, ValidationError

        try:
            return TypeAdapter(self.type).validate_python(value, strict=True)
        except ValidationError:
            raise self._refuse(value) from None

    def inside(self, value: Any) -> bool:
        """Whether a value is in the range; a value that is not a number always is."""
        low = self.parameter.minimum
        high = self.parameter.maximum
        if not isinstance(value, int | float):
            return True
        return (low is None or value >= low) and (high is None or value <= high)

    def _refuse(self, value: Any) -> ProblemError:
        return ProblemError(f"problem.{self.name}: got {value!r}, expected {self.expected}")


def read_parameters(callable_: Callable[..., Any], where: str) -> tuple[ParameterSpec, ...]:
    """The parameters that a problem's callable declares.

    Args:
        callable_: function or class that makes the problem.
        where: file or module, for messages.

    Raises:
        ProblemError: a parameter has no fixed name, no type or no default, or its default is out of range.
    """
    try:
        signature = inspect.signature(callable_)
        hints = typing.get_type_hints(_annotated(callable_), include_extras=True)
    except (TypeError, ValueError, NameError) as error:
        raise ProblemError(
            f"{where}: the parameters of the problem cannot be read: {error}",
            "give Plugin(problem=…) a function or class whose parameters have types and defaults",
        ) from None
    return tuple(_read(p, hints.get(p.name), where) for p in signature.parameters.values())


def resolve(specs: tuple[ParameterSpec, ...], given: Mapping[str, object], problem: str) -> dict[str, Any]:
    """Name → value of all parameters, defaults included.

    Raises:
        ProblemError: a key is unknown (the message names the nearest match), or a value has the wrong type or
            is out of range.
    """
    names = [spec.name for spec in specs]
    for key in given:
        if key not in names:
            near = get_close_matches(key, names, 1, 0.5)
            known = f"{problem} has {', '.join(names)}" if names else f"{problem} has no parameters"
            raise ProblemError(
                f"problem.{key}: unknown key" + (f", did you mean {near[0]}?" if near else ""), known
            )
    return {spec.name: spec.check(given[spec.name]) if spec.name in given else spec.default for spec in specs}


def _annotated(callable_: Callable[..., Any]) -> Any:
    """The function with the annotations: `__init__` of a class, `__call__` of a callable object."""
    if inspect.isclass(callable_):
        return callable_.__init__
    return callable_ if inspect.isroutine(callable_) else type(callable_).__call__


def _read(parameter: inspect.Parameter, hint: Any, where: str) -> ParameterSpec:
    if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
        raise ProblemError(
            f"{where}: problem parameter {parameter}: got a parameter without a fixed name, "
            "expected named parameters only",
            "name each parameter and give it a default",
        )
    if hint is None or parameter.default is parameter.empty:
        lacks = "type" if hint is None else "default"
        raise ProblemError(
            f"{where}: problem parameter {parameter.name} has no {lacks}",
            f'write {parameter.name}: Annotated[int, Parameter("what it is", "unit", 1, 100)] = 10',
        )
    extras = [x for x in getattr(hint, "__metadata__", ()) if isinstance(x, Parameter)]
    plain = typing.get_args(hint)[0] if typing.get_origin(hint) is typing.Annotated else hint
    described = extras[0] if extras else Parameter(parameter.name.replace("_", " "))
    spec = ParameterSpec(parameter.name, plain, parameter.default, described)
    if spec.default is not None and not _fits(spec):
        raise ProblemError(
            f"{where}: problem parameter {spec.name} has the default {spec.default!r}, "
            f"expected {spec.expected}",
            "correct the default, or the type and range beside it",
        )
    return spec


def _fits(spec: ParameterSpec) -> bool:
    """Whether the default is of the parameter's type and in its range."""
    try:
        spec.check(spec.default)
    except ProblemError:
        return False
    return True


def _is_of(value: Any, type_: Any) -> bool:
    """Whether a value needs no conversion; so a list of problems loads no pydantic."""
    parts = typing.get_args(type_)
    if typing.get_origin(type_) is typing.Literal:
        return any(type(value) is type(part) and value == part for part in parts)
    if isinstance(type_, UnionType):
        return any(_is_of(value, part) for part in parts)
    if typing.get_origin(type_) is list:
        return type(value) is list and all(_is_of(one, parts[0]) for one in value)
    return type_ in (int, float, bool, str) and type(value) is type_ and (type_ is not str or value.isascii())


def _type_text(type_: Any) -> str:
    if typing.get_origin(type_) is typing.Literal:
        return "one of " + ", ".join(repr(choice) for choice in typing.get_args(type_))
    return getattr(type_, "__name__", str(type_)) if not typing.get_args(type_) else str(type_)

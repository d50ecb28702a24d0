"""Builds the two texts of a prompt from templates and parts, within a size limit."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, DictLoader, FileSystemLoader, StrictUndefined, TemplateError
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from .folder import template_texts
from .parts import Parts, names_of, with_texts
from .text import decimal, fence, percent, plain_code, plain_text, quote, shortened, tokens

TEMPLATES = Path(__file__).parent / "templates"
OPERATORS = ("improve", "explore", "combine", "simplify", "repair")
NOTES = "notes"
"""Template that asks for the page of notes."""
SYSTEM = "system"
_CONTENTS: Mapping[str, Any] = {
    "best": None, "others": (), "strata": (), "worst": (), "tried": (), "lineage": (), "notes": "",
    "founders": (),
}  # fmt: skip
"""Contents that can be left out, and what stands in their place then."""
_IDEA = 400
"""Characters of an idea where not all of what was tried fits; cut after a sentence or a word."""
_LINES = 12
"""Lines of what was tried that are left out late."""
_FAULTS = (ArithmeticError, AttributeError, LookupError, RecursionError, MemoryError, TypeError, ValueError)
"""Exceptions that a template can raise besides Jinja's own."""


class _Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's sandbox, which examines no field of the parts: they are texts, numbers and more parts."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        """An attribute that a template reads; a prompt reads some 340 fields."""
        own = attribute in names_of(obj)
        return getattr(obj, attribute) if own else super().getattr(obj, attribute)


@lru_cache(maxsize=4)
def _environment(own: tuple[tuple[str, str], ...]) -> ImmutableSandboxedEnvironment:
    """Jinja's sandbox with a user's templates (names and texts) before the built-in ones.

    It is kept, because it compiles each template once (0.1 s of CPU for all of them).
    """
    environment = _Sandbox(
        loader=ChoiceLoader([DictLoader(dict(own)), FileSystemLoader(str(TEMPLATES))]),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    environment.filters.update(fence=fence, quote=quote, percent=percent, decimal=decimal)
    return environment


class PromptTooLarge(ValueError):
    """A prompt exceeds its size limit even without its optional parts."""


class TemplateInvalid(ValueError):
    """A template cannot be filled; the message names the template and the reason."""


class Builder:
    """Fills the template of an operator.

    Args:
        tokens: largest size of a prompt, both texts together (estimated tokens, > 0).
        folder: a user's folder, whose files (`improve.md.jinja`, …) replace the built-in templates of
            the same name; all its files are read once, here.
    """

    def __init__(self, tokens: int = 16_000, folder: Path | None = None) -> None:
        if tokens <= 0:
            raise ValueError(f"[prompts] tokens: got {tokens}, expected a number > 0 (tokens per prompt)")
        if folder is not None and not folder.is_dir():
            raise ValueError(f"[prompts] folder: got {str(folder)!r}, expected a folder with templates")
        self._size = tokens
        own = {} if folder is None else template_texts(folder)
        self._environment = _environment(tuple(sorted(own.items())))
        self.digest = self._digest()

    def _digest(self) -> str:
        """Hex SHA-256 of the names and texts of all templates, the version of the prompts."""
        loader = self._environment.loader
        assert loader is not None
        names = self._environment.list_templates()
        sources = [(name, loader.get_source(self._environment, name)[0]) for name in names]
        return hashlib.sha256(repr(sources).encode()).hexdigest()

    def render(self, operator: str, parts: Parts, most: int | None = None) -> tuple[str, str]:
        """System and user text of an operator's prompt.

        A prompt that is too large loses parts in the order of `_smaller`. The task and the programs to change
        always stay. `most` is a smaller size than the builder's own (estimated tokens).

        Raises:
            PromptTooLarge: the prompt is too large even without these parts.
            TemplateInvalid: a template uses an unknown name, has a syntax error, or does what Jinja's sandbox
                refuses.
        """
        return self._fitting(operator, parts, most)[:2]

    def shares(self, operator: str, parts: Parts) -> dict[str, int]:
        """Content → estimated tokens of an operator's prompt, the largest first; `free` is what is left.

        Raises:
            PromptTooLarge, TemplateInvalid: see `render`.
        """
        system, user, parts = self._fitting(operator, parts)
        shares = {"task and rules": tokens(system)}
        for name, empty in _CONTENTS.items():
            if getattr(parts, name):
                shares[name] = tokens(user) - tokens(self._fill(operator, replace(parts, **{name: empty})))
        shares["program and question"] = tokens(user) - sum(shares.values()) + tokens(system)
        shares["free"] = self._size - tokens(system) - tokens(user)
        return shares

    def _fitting(self, operator: str, parts: Parts, most: int | None = None) -> tuple[str, str, Parts]:
        """Both texts and the parts that are left in them."""
        limit = self._size if most is None else min(self._size, most)
        parts = with_texts(parts, plain_text, plain_code)
        system = self._fill(SYSTEM, parts)
        for candidate in _smaller(parts):
            user = self._fill(operator, candidate)
            size = tokens(system) + tokens(user)
            if size <= limit:
                return system, user, candidate
        raise PromptTooLarge(
            f"the {operator} prompt needs about {size} tokens at least and "
            + (
                f"the model takes about {limit}"
                if limit < self._size
                else f"[prompts] tokens is {self._size}"
            )
        )

    def _fill(self, name: str, parts: Parts) -> str:
        values = {field: getattr(parts, field) for field in Parts.__dataclass_fields__}
        try:
            return self._environment.get_template(f"{name}.md.jinja").render(values).strip() + "\n"
        except (TemplateError, *_FAULTS) as error:
            place = getattr(error, "lineno", None)
            where = f" line {place}" if place else ""
            kind = "refused: " if isinstance(error, SecurityError) else ""
            raise TemplateInvalid(f"template {name}.md.jinja{where}: {kind}{error}") from error


def _smaller(parts: Parts) -> Iterator[Parts]:
    """Yields the parts, then ever fewer of them: what says least goes first.

    The ends of long ideas, lines of what was tried but for the first twelve, other programs and then
    instances from the last but for the first, the other lines, program and instance, the groups, founders,
    lineage, notes, the best program.
    """
    yield parts
    tried = tuple(replace(line, idea=shortened(line.idea, _IDEA)) for line in parts.tried)
    if tried != parts.tried:
        parts = replace(parts, tried=tried)
        yield parts
    less: dict[str, Any]
    for name, keep in (
        ("tried", _LINES), ("others", 1), ("worst", 1), ("tried", 0), ("others", 0), ("worst", 0),
        ("strata", 0), ("founders", 0), ("lineage", 0), ("notes", 0), ("best", 0),
    ):  # fmt: skip
        value = getattr(parts, name)
        if not isinstance(value, tuple) or name == "strata":
            less = {name: _CONTENTS[name]}
            parts = replace(parts, **less)
            yield parts
            continue
        for left in range(len(value) - 1, keep - 1, -1):
            less = {name: value[:left]}
            parts = replace(parts, **less)
            yield parts

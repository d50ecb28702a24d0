"""The terminal: console, JSON on standard output, files that verbs write, errors as exit codes."""

from __future__ import annotations

import codecs
import json
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import typer

from ... import __version__
from ..errors import INTERRUPTED, INVALID, TROUBLE, UNEXPECTED, USAGE, UserError, unwritable

if TYPE_CHECKING:
    from rich.console import Console


_documents: ContextVar[TextIO | None] = ContextVar("documents", default=None)
"""Standard output while only documents may use it, None while everything may."""


def console(*, stderr: bool = False) -> Console:
    """A console that writes plain text when it is no terminal and honours NO_COLOR."""
    from rich.console import Console
    from rich.segment import Segment
    from rich.table import Table
    from rich.text import Text

    from ...sandbox.unseen import clean
    from ..views.tables import fits, records

    class Piped(Console):
        """Leaves the exit code to `errors` when the reader has gone; Rich itself would exit with 1."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

        def render(self, renderable: Any, options: Any = None) -> Iterator[Segment]:
            """Renders without control characters from texts."""
            for segment in super().render(renderable, options):
                text = segment.text
                safe = segment.control or (text.isascii() and text.isprintable()) or text == "\n"
                yield segment if safe else Segment(clean(text), segment.style)

        def print(self, *objects: Any, **how: Any) -> None:
            """Prints; a table that does not fit becomes lines, and an error names the stream."""
            with printing("error" if stderr else "output"):
                if len(objects) == 1 and isinstance(objects[0], Table) and not fits(objects[0], self.width):
                    objects = (Text("\n").join(records(objects[0])),)
                    how = {}
                super().print(*objects, **how)

    return Piped(stderr=stderr, highlight=False, soft_wrap=not sys.stdout.isatty() and not stderr)


@contextmanager
def printing(name: str = "output") -> Iterator[None]:
    """Names the standard stream in the error of a failed write, since an `OSError` of a write names no file.

    Raises:
        UserError: a write failed, though the reader is still there.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UserError(
            TROUBLE, f"standard {name}: {error.strerror}", "make room there or send it elsewhere"
        ) from error


def _strict(document: Any, **options: Any) -> str:
    return json.dumps(document, allow_nan=False, **options)


def emit_json(document: Any) -> None:
    """Prints one JSON document on standard output."""
    out = _documents.get() or sys.stdout
    from ..formatting import escaped, json_text

    plain = not (out.encoding or "").lower().replace("-", "").startswith("utf")
    with printing():
        write = json_text if isinstance(document, list) else _strict  # one damaged run ends no list
        try:
            text = write(document, indent=2, ensure_ascii=plain)
        except ValueError as error:
            raise UserError(
                INVALID,
                "a number is not finite: what is stored or computed is beyond all floats",
                "the record is damaged or was edited; without --json the text is shown",
            ) from error
        out.write(escaped(text) + "\n")
        out.flush()


@contextmanager
def _documents_only() -> Iterator[None]:
    """Sends everything but documents to standard error, because plug-ins print what they like."""
    token = _documents.set(_documents.get() or sys.stdout)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _documents.reset(token)


@contextmanager
def errors(as_json: bool = False) -> Iterator[None]:
    """Ends a verb with one clear line and the right exit code, whatever goes wrong in it.

    With `as_json` only documents reach standard output.
    """
    _open_streams()
    with _documents_only() if as_json else nullcontext(), _ended(as_json):
        yield


def _open_streams() -> None:
    """Makes standard output and error accept every text, even if they are closed or not UTF-8."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            stream = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
            setattr(sys, name, stream)
        if getattr(stream, "errors", None) in ("strict", "surrogateescape"):
            if name == "stdout" and not _tells_all(stream) and stream.isatty():
                sys.stderr.write("note: this terminal's encoding lacks characters; PYTHONUTF8=1 shows them\n")
            with suppress(AttributeError):  # no text file of Python's own, as in a notebook
                stream.reconfigure(errors=_PLAIN)


_PLAIN = "gapsmith-plain"
"""Name of the error handler of streams that are no UTF-8."""
_PLAIN_CHARACTERS = dict(zip("▁▂▃▄▅▆▇█–−→←≤≥…×·─━│█", "_.,-~=+#--><<>.x.--|#", strict=True))
"""Characters of tables, sparklines and sentences → what stands for them in ASCII."""


def _plain(error: UnicodeError) -> tuple[str | bytes, int]:
    """ASCII in place of what an encoding lacks; escapes for characters that we do not print ourselves."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    plain = "".join(_PLAIN_CHARACTERS.get(c) or c.encode("ascii", "backslashreplace").decode() for c in text)
    return plain, error.end


codecs.register_error(_PLAIN, _plain)


def _tells_all(stream: TextIO) -> bool:
    """Whether a stream's encoding has the characters of tables and sparklines."""
    try:
        "▁–→".encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


@contextmanager
def _ended(as_json: bool) -> Iterator[None]:
    """Turns an exception into a line on standard error and an exit code."""
    try:
        yield
    except (typer.Exit, typer.Abort, SystemExit):
        raise
    except KeyboardInterrupt:
        fail(UserError(INTERRUPTED, "interrupted"), as_json)
    except BrokenPipeError:
        _hush()
        raise typer.Exit(0) from None
    except UserError as error:
        fail(error, as_json)
    except BaseException as error:  # a plug-in may raise what is no `Exception`
        fail(translate(error), as_json)


def _hush() -> None:
    """Discards unwritten output: Python flushes when it exits, and would fail once more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (_documents.get(), sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # no file, as in a test
            if stream is not None:
                os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def fail(error: UserError, as_json: bool) -> None:
    """Prints an error and ends with its exit code."""
    if as_json:
        # Standard output may itself be what is full: the lines below say so.
        with suppress(OSError, UserError):
            emit_json({"error": {"code": error.code, "message": error.message, "hint": error.hint}})
    from ..formatting import clean

    sys.stderr.write(f"error: {clean(error.message)}\n".replace("\n", "\n    ").rstrip(" "))
    if error.hint:
        sys.stderr.write(f"  hint: {clean(error.hint)}\n".replace("\n", "\n    ").rstrip(" "))
    raise typer.Exit(error.code)


def translate(error: BaseException) -> UserError:
    """An exception as an error for a person: known kinds keep their meaning, others are bugs with a log."""
    from ..errors import known_error

    trouble = known_error(error)
    if trouble is not None:
        return trouble
    log = write_crash_log(error)
    return UserError(
        UNEXPECTED,
        f"unexpected {type(error).__name__}: {error}",
        f"this is a bug; the details are in {log}" if log else "this is a bug",
    )


def write_crash_log(error: BaseException) -> Path | None:
    """Writes a traceback to the user's cache folder; None if that fails."""
    import time
    import traceback

    from ...evaluators.cache import cache_folder

    path = cache_folder() / f"crash-{time.strftime('%Y%m%d-%H%M%S')}.log"
    try:
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        about = f"gapsmith {__version__}, Python {sys.version.split()[0]}\n{shlex.join(sys.argv)}\n\n"
        # Made anew: others may have put a link there that leads to one of the user's files.
        with path.open("x", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(about + "".join(traceback.format_exception(error)))
    except OSError:
        return None
    return path


# Files that verbs write: whole or not at all, never over another file unasked.


def check_new(path: Path, force: bool) -> None:
    """Refuses a file that exists, unless it may be replaced; said before long work, not after it.

    Raises:
        UserError: it exists, or is a folder.
    """
    if path.is_dir():
        raise UserError(USAGE, f"{path}: is a folder, expected a file to write")
    if path.exists() and not force:
        raise UserError(USAGE, f"{path}: exists already", "replace it with --force, or name another file")


@contextmanager
def new_file(path: Path, force: bool) -> Iterator[TextIO]:
    """A text file that appears whole or not at all; one that exists is replaced only with `force`.

    Raises:
        UserError: it exists, or cannot be written.
    """
    import secrets

    check_new(path, force)
    # Made anew under a name that nobody knows: the folder may be another's, with links that lead out of it.
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with draft.open("x", encoding="utf-8", errors="surrogatepass", newline="") as stream:
            yield stream
        draft.replace(path)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def write_new(path: Path, content: str | bytes, force: bool) -> None:
    """Writes a file whole or not at all; one that exists is replaced only with `force`.

    Raises:
        UserError: it exists, or cannot be written.
    """
    with new_file(path, force) as stream:
        if isinstance(content, str):
            stream.write(content)
        else:
            stream.buffer.write(content)

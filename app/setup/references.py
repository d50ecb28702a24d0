"""References of a problem as a whole: lists stored ones, computes missing ones in parallel, proves them
again.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any, TypeVar

from ...evaluators.base import Attaining, Reference, ReferenceKind, encode_reference
from ...evaluators.cache import Cache, ReferenceCache
from ...evaluators.certified import (
    DIGITS,
    FOLDER,
    Certificate,
    CertifiedReferences,
    certificates,
    encode_certificates,
)
from ...evaluators.consistency import consistent
from ...evaluators.numbers import better_than
from ...evaluators.scoring import tolerance_of
from ...problems.base import Instance, Interactive, Number, Sense
from ..errors import INVALID, USAGE, ProblemError, UserError
from ..plugins.loader import LoadedProblem
from ..plugins.sources import blame, told_when_slow

T = TypeVar("T")
Progress = Callable[[int, int], None]
"""Told how many are done, and how many there are."""


def stored(loaded: LoadedProblem, instance: Instance, seconds: float) -> Reference | None:
    """The stored reference of an instance that had at least `seconds` of wall time, is proven, or ships."""
    return at_hand(loaded, _book(loaded), instance, seconds)


def at_hand(
    loaded: LoadedProblem, book: ReferenceCache, instance: Instance, seconds: float
) -> Reference | None:
    """The reference that is in the cache, or that ships; else None."""
    reference = book.get(instance, seconds)
    shipped = getattr(loaded.references, "shipped", None)
    if reference is not None or shipped is None:
        return reference
    with blame(f"problem {loaded.name}: shipped reference of {instance.id}"):
        certified: Reference | None = shipped(instance)
    return certified


def compute(
    loaded: LoadedProblem,
    instances: Sequence[Instance],
    seconds: float,
    *,
    workers: int | None = None,
    progress: Progress = lambda done, total: None,
) -> dict[str, Any]:
    """Computes the references that are not stored, each stored as soon as it is there.

    Args:
        loaded: problem with references.
        instances: whose references are wanted.
        seconds: wall seconds for each, > 0.
        workers: how many at a time; by default one per processor.
        progress: told of each.

    Raises:
        UserError: the problem has no references, or the plug-in fails.
    """
    book = _book(loaded)
    started = time.monotonic()
    references = {
        i.id: earlier for i in instances if (earlier := at_hand(loaded, book, i, seconds)) is not None
    }
    missing = [i for i in instances if i.id not in references]
    kinds = Counter(reference.kind.value for reference in references.values())

    def one(instance: Instance) -> Reference:
        return book.get_or_compute(instance, seconds, lambda: _computed(loaded, instance, seconds))

    progress(len(references), len(instances))
    for done, (_, reference) in enumerate(parallel(one, missing, workers), len(references) + 1):
        kinds[reference.kind.value] += 1
        progress(done, len(instances))
    return {
        "problem": loaded.name,
        "instances": len(instances),
        "stored": len(references),
        "computed": len(missing),
        "kinds": dict(kinds),
        "wall_seconds": round(time.monotonic() - started, 3),
    }


QUICK = 0.02
"""Mean wall seconds up to which new references do not ship: they are computed when they are needed."""


def ship(
    loaded: LoadedProblem,
    instances: Sequence[Instance],
    seconds: float,
    *,
    workers: int | None = None,
    progress: Progress = lambda done, total: None,
) -> dict[str, Any]:
    """Writes certificates of instances into the package's file of the problem's family.

    An optimum with its answer is kept; from the answer of another certificate the search starts. The file
    keeps what it holds of other instances. Of an instance that no proof closed nothing is written where the
    literature knows a value.

    Args:
        loaded: a problem that ships with the package.
        instances: whose certificates are wanted.
        seconds: wall seconds for each, > 0.
        workers: how many at a time; by default one per processor.
        progress: told of each.

    Raises:
        UserError: the problem does not ship, or the package cannot be written.
    """
    references = loaded.references
    if not isinstance(references, CertifiedReferences):
        raise UserError(
            USAGE,
            f"--ship {loaded.name}: expected a problem that ships with the package",
            "references of other problems stay in the cache: leave out --ship",
        )
    started = time.monotonic()
    own = dict(certificates(references.family))
    missing = [instance for instance in instances if references.attained(instance) is None]
    fresh = not any(references.certificate(i) for i in instances)
    kept = Counter[str]()

    def one(instance: Instance) -> Certificate:
        old = references.certificate(instance)
        with blame(f"problem {loaded.name}: certificate of {instance.id}"):
            return references.better(old, references.certify(instance, seconds, old.answer if old else None))

    for done, (instance, made) in enumerate(parallel(one, missing, workers), 1):
        if made.optimal or references.best_known(instance) is None:
            own[references.key(instance)[:DIGITS]] = made
            kept[made.reference.kind.value] += 1
        progress(len(instances) - len(missing) + done, len(instances))
    spent = time.monotonic() - started
    quick = fresh and spent * min(workers or os.cpu_count() or 1, len(instances)) < QUICK * len(instances)
    if kept and not quick:
        path = FOLDER / f"{references.family}.json.gz"
        try:
            path.write_bytes(encode_certificates(own))
        except OSError as error:
            hint = "run --ship where the package can be written"
            raise UserError(INVALID, f"{path}: {error.strerror}", hint) from None
        certificates.cache_clear()
    return {
        "problem": loaded.name,
        "instances": len(instances),
        "stored": len(instances) - len(missing),
        "computed": len(missing),
        "shipped": 0 if quick else kept.total(),
        "kinds": dict(kept),
        "wall_seconds": round(spent, 3),
    }


def table(loaded: LoadedProblem, instances: Sequence[Instance]) -> list[dict[str, Any]]:
    """One row for each instance: its stored reference, or nulls."""
    empty = dict.fromkeys(("value", "kind", "bound", "proof", "solver", "version", "wall_seconds", "source"))
    rows = []
    for instance in instances:
        reference = stored(loaded, instance, 0.0)
        facts: Mapping[str, Any] = empty if reference is None else _facts(reference)
        rows.append({"instance": instance.id, "split": instance.split, "stratum": instance.stratum, **facts})
    return rows


def _facts(reference: Reference) -> dict[str, Any]:
    facts = encode_reference(reference)
    return {"wall_seconds" if name == "seconds" else name: fact for name, fact in facts.items()}


def verify(
    loaded: LoadedProblem,
    instances: Sequence[Instance],
    seconds: float,
    *,
    workers: int | None = None,
    progress: Progress = lambda done, total: None,
) -> dict[str, Any]:
    """Proves references once more, by their own certificate where there is one, and compares.

    The answer that ships with an optimum is judged by the problem's own verification, and must attain it.
    An optimum must come out the same, and so must a bound that the same arithmetic gave; any other bound may
    be tighter or weaker, but never beyond a proven optimum. An optimum that met only a bound, or a bound that
    met a weaker one, is not contradicted and not proved: these are counted.
    """
    book = _book(loaded)

    def one(instance: Instance) -> tuple[Reference, Reference]:
        first = at_hand(loaded, book, instance, seconds)
        if first is None:
            first = book.get_or_compute(instance, seconds, lambda: _computed(loaded, instance, seconds))
        return first, proved_again(loaded, instance, first, seconds)

    proofs: Counter[str] = Counter()
    missed: Counter[ReferenceKind] = Counter()
    differences = []
    answers = 0
    for done, (instance, (first, second)) in enumerate(parallel(one, instances, workers), 1):
        proofs[second.proof.value if second.proof else "none"] += 1
        missed[first.kind] += not reached_again(loaded, first, second)
        if not consistent(loaded.problem, first, second):
            differences.append(
                {
                    "what": instance.id,
                    "recorded": f"{first.kind.value} {first.value}",
                    "now": f"{second.kind.value} {second.value}",
                }
            )
        if (attained := _attained(loaded, instance, first)) is not None:
            answers += 1
            if attained != first.value:
                row = {"what": f"{instance.id}, its answer", "recorded": str(first.value)}
                differences.append({**row, "now": str(attained)})
        progress(done, len(instances))
    return {
        "problem": loaded.name,
        "checked": len(instances),
        "answers_checked": answers,
        "agree": len(instances) - len(differences),
        "by_proof": dict(proofs),
        "optima_not_proved_again": missed.pop(ReferenceKind.OPTIMUM, 0),
        "bounds_not_reached_again": missed.total(),
        "differences": differences,
    }


def _attained(loaded: LoadedProblem, instance: Instance, first: Reference) -> Number | str | None:
    """What the problem's own verification says of the answer that ships with an optimum; None without one."""
    references = loaded.references
    if first.kind is not ReferenceKind.OPTIMUM or not isinstance(references, Attaining):
        return None
    if isinstance(loaded.problem, Interactive):
        return None  # an answer is a record of decisions there, and the optimum knows the future
    with blame(f"problem {loaded.name}: answer that ships with {instance.id}"):
        answer = references.attained(instance)
        if answer is None:
            return None
        verdict = loaded.problem.verify(instance, answer)
    return verdict.objective if verdict.objective is not None else verdict.violations[0]


def proved_again(loaded: LoadedProblem, instance: Instance, first: Reference, seconds: float) -> Reference:
    """The result of the references' own `reprove`, else the reference computed again; uses nothing stored."""
    reprove = getattr(loaded.references, "reprove", None)
    if reprove is None:
        return _computed(loaded, instance, seconds)
    what = f"problem {loaded.name}: proof of {instance.id}"
    with blame(what), told_when_slow(what, seconds):
        second: Reference = reprove(instance, first, seconds)
    return second


def reached_again(loaded: LoadedProblem, first: Reference, second: Reference) -> bool:
    """Whether a second proof is as strong as the first: an optimum, or a bound that is no weaker."""
    if first.kind is ReferenceKind.OPTIMUM:
        return second.kind is ReferenceKind.OPTIMUM
    if first.bound is None or second.bound is None:
        return first.bound is None
    minimise = loaded.problem.sense is Sense.MINIMISE
    return not better_than(second.bound, first.bound, minimise, tolerance_of(loaded.problem))


def _book(loaded: LoadedProblem) -> ReferenceCache:
    if loaded.references is None:
        raise UserError(
            INVALID, f"{loaded.name}: has no references", "its gaps are to the best baseline of each instance"
        )
    return ReferenceCache(Cache(), loaded.problem, loaded.references, loaded.reference_fingerprint)


def _computed(loaded: LoadedProblem, instance: Instance, seconds: float) -> Reference:
    reference = loaded.reference(instance, seconds)
    if reference is None:
        raise ProblemError(f"{loaded.name}: has no references")
    return reference


def parallel(
    one: Callable[[Instance], T],
    instances: Sequence[Instance],
    workers: int | None,
    seconds: float | None = None,
) -> Iterator[tuple[Instance, T]]:
    """Yields (instance, result) as results arrive, up to a limit of wall seconds; an interruption drops the
    rest.

    The threads are daemons: a plug-in's reference may never return, and a pool would wait for it at the end.
    """
    waiting: SimpleQueue[Instance] = SimpleQueue()
    for instance in instances:
        waiting.put(instance)
    done: SimpleQueue[tuple[Instance, Future[T]]] = SimpleQueue()
    stopped = Event()
    begun = time.monotonic()

    def work() -> None:
        while not stopped.is_set():
            try:
                instance = waiting.get_nowait()
            except Empty:
                return
            future: Future[T] = Future()
            try:
                future.set_result(one(instance))
            except BaseException as error:  # raised again where the result is asked for
                future.set_exception(error)
            done.put((instance, future))

    for _ in range(min(workers or os.cpu_count() or 1, len(instances))):
        Thread(target=work, daemon=True).start()
    try:
        for _ in instances:
            left = None if seconds is None else max(0.0, begun + seconds - time.monotonic())
            instance, future = done.get(timeout=left)
            yield instance, future.result()
    except Empty:
        return
    finally:
        stopped.set()

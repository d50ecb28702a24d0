"""Runs an evaluator of OpenEvolve's form on a program, in a workshop, by any Python from 3.9 on.

`fitness_of` and `mean_of` are used by the tool too, so that a stage's threshold and a score follow one rule.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import math
import numbers
import os
import random
import runpy
import sys
import tempfile
import types
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any

_MOST_METRICS, _TEXT = 200, 2000


def fitness_of(metrics: Mapping[str, Any], features: Collection[str]) -> float:
    """The score of metrics (larger is better): `combined_score`, else the mean of the numbers.

    Args:
        metrics: name → value, as `plain` makes them.
        features: names that describe a program rather than its quality; they count if there is nothing else.
    """
    try:
        return float(number(metrics["combined_score"]))
    except (KeyError, TypeError, ValueError):
        pass
    quality = {name: value for name, value in metrics.items() if name not in features}
    means = (mean_of(quality), mean_of(metrics))
    return next((mean for mean in means if mean is not None), 0.0)


def mean_of(metrics: Mapping[str, Any]) -> float | None:
    """Mean of the values that are numbers, no booleans and not NaN; None without any."""
    values = [number(value) for value in metrics.values() if not isinstance(value, (str, bool))]
    usable = [value for value in values if isinstance(value, (int, float)) and not math.isnan(value)]
    return sum(usable) / len(usable) if usable else None


def number(value: Any) -> Any:
    """A number from its plain form: JSON has no infinity."""
    return float(value["float"]) if isinstance(value, dict) and "float" in value else value


def plain(value: Any) -> Any:
    """A metric as JSON: numbers, booleans and texts stay, everything else becomes a short text."""
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):
        try:
            value = value.item()
        except Exception:
            return repr(value)[:_TEXT]
    if value is None or isinstance(value, (str, bool)):
        return "" if value is None else value[:_TEXT] if isinstance(value, str) else value
    if isinstance(value, numbers.Integral):
        whole = int(value)
        return whole if abs(whole) < 10**300 else {"float": "inf" if whole > 0 else "-inf"}
    if isinstance(value, numbers.Real):
        real = float(value)
        return real if math.isfinite(real) else {"float": repr(real)}
    return repr(value)[:_TEXT]


def drive(
    path: str, folder: str, instance: Any, options: dict[str, Any], seed: int, report: Callable[..., None]
) -> None:
    """Loads the evaluator, runs its stages or the whole of it, and reports metrics and artifacts."""
    if options["tool"] == "shinka":
        report(document(*in_shinka(path, folder, seed, options), 1, options))
        return
    evaluator = load(folder, options["evaluator"])
    sow(seed)
    if options["cascade"] and hasattr(evaluator, "evaluate_stage1"):
        in_stages(evaluator, path, options, report)
        return
    for attempt in range(options["retries"] + 1):
        try:
            metrics, artifacts = called(evaluator.evaluate, path, options)
            break
        except Exception:
            if attempt == options["retries"]:
                raise
    report(document(metrics, artifacts, 1, options))


def sow(seed: int) -> None:
    """Seeds the streams of random numbers that a process has."""
    random.seed(seed)
    if "numpy" in sys.modules:
        importlib.import_module("numpy.random").seed(seed % 2**32)


def in_stages(evaluator: Any, path: str, options: dict[str, Any], report: Callable[..., None]) -> None:
    """Stage after stage while the score reaches the stage's threshold; earlier metrics stay."""
    metrics, artifacts = called(evaluator.evaluate_stage1, path, options)
    for stage in (2, 3):
        run = getattr(evaluator, f"evaluate_stage{stage}", None)
        if run is None or not reaches(metrics, options["thresholds"], stage):
            report(document(metrics, artifacts, stage - 1, options))
            return
        failed = dict(metrics)
        failed[f"stage{stage}_passed"] = 0.0  # stands if the stage does not come to its end
        report(document(failed, artifacts, stage - 1, options), next_stage=True)
        try:
            more, further = called(run, path, options)
        except Exception as error:
            artifacts = dict(artifacts)
            artifacts[f"stage{stage}_error"] = f"{type(error).__name__}: {error}"
            report(document(failed, artifacts, stage - 1, options))
            return
        metrics = {name: value for name, value in {**metrics, **more}.items() if name != "error"}
        artifacts = {**artifacts, **further}
    report(document(metrics, artifacts, 3, options))


def reaches(metrics: Mapping[str, Any], thresholds: Sequence[float], stage: int) -> bool:
    """Whether metrics open a stage."""
    if len(thresholds) < stage - 1:
        return False
    score: float | None
    try:
        score = float(number(metrics["combined_score"]))
    except (KeyError, TypeError, ValueError):
        score = mean_of({name: value for name, value in metrics.items() if name != "error"})
    return score is not None and score >= thresholds[stage - 2]


def load(folder: str, name: str) -> types.ModuleType:
    """The evaluator as a module, its own folder first among those that modules are imported from."""
    sys.path.insert(0, os.path.dirname(os.path.join(folder, name)))
    if importlib.util.find_spec("openevolve") is None:
        package, result = types.ModuleType("openevolve"), types.ModuleType("openevolve.evaluation_result")
        for module in (package, result):
            vars(module)["EvaluationResult"] = EvaluationResult
        vars(package)["evaluation_result"] = result
        sys.modules["openevolve"], sys.modules["openevolve.evaluation_result"] = package, result
    spec = importlib.util.spec_from_file_location("evaluation_module", os.path.join(folder, name))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["evaluation_module"] = module
    spec.loader.exec_module(module)
    return module


class EvaluationResult:
    """Stands for OpenEvolve's class of the same name where OpenEvolve is not installed."""

    def __init__(self, metrics: Any = None, artifacts: Any = None) -> None:
        self.metrics = {} if metrics is None else metrics
        self.artifacts = {} if artifacts is None else artifacts

    @classmethod
    def from_dict(cls, metrics: Any) -> EvaluationResult:
        """A result without artifacts."""
        return cls(metrics)

    def to_dict(self) -> Any:
        """The metrics alone."""
        return self.metrics

    def has_artifacts(self) -> bool:
        """Whether there are artifacts."""
        return bool(self.artifacts)


def called(
    function: Callable[[str], Any], path: str, options: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Metrics and artifacts of one call; a coroutine is awaited, a dictionary of artifacts is split off.

    Raises:
        TypeError: the evaluator returned something else.
        ReportedError: SkyDiscover's `error` stands among the metrics.
    """
    found = function(path)
    if inspect.isawaitable(found):
        import asyncio

        found = asyncio.run(awaited(found))
    if isinstance(found, dict):
        metrics, artifacts = dict(found), dict[str, Any]()
        if isinstance(metrics.get("artifacts"), dict):
            artifacts = metrics.pop("artifacts")
    elif hasattr(found, "metrics"):
        metrics, artifacts = dict(found.metrics), dict(getattr(found, "artifacts", None) or {})
    else:
        raise TypeError(f"the evaluator returned {type(found).__name__}, expected a dictionary of metrics")
    if options["tool"] == "skydiscover":
        metrics, artifacts = as_skydiscover(metrics, artifacts)
    named = {str(name)[:100]: plain(value) for name, value in list(metrics.items())[:_MOST_METRICS]}
    return named, artifacts


class ReportedError(Exception):
    """An evaluator of SkyDiscover or ShinkaEvolve said why a program has no score."""


def in_shinka(
    path: str, folder: str, seed: int, options: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Runs an evaluator of ShinkaEvolve as a program, and reads the two files that it leaves.

    Its private metrics are left there: they are for no model and for no table.

    Raises:
        ReportedError: the evaluator calls the program incorrect.
    """
    sys.path.insert(0, folder)
    if importlib.util.find_spec("shinka") is None:
        package, core = types.ModuleType("shinka"), types.ModuleType("shinka.core")
        vars(core)["run_shinka_eval"] = run_shinka_eval
        vars(package)["core"] = core
        sys.modules["shinka"], sys.modules["shinka.core"] = package, core
    results = tempfile.mkdtemp()
    sow(seed)
    evaluator = os.path.join(folder, options["evaluator"])
    sys.argv = [evaluator, "--program_path", path, "--results_dir", results]
    try:
        runpy.run_path(evaluator, run_name="__main__")
    except SystemExit as error:
        if error.code not in (None, 0):
            raise ReportedError(f"the evaluator ended with {error.code}") from error
    verdict, metrics = (read_json(os.path.join(results, name)) for name in ("correct.json", "metrics.json"))
    if not verdict.get("correct"):
        raise ReportedError(str(verdict.get("error") or "the evaluator calls the program incorrect")[:_TEXT])
    public = metrics.get("public")
    shown = {**(public if isinstance(public, dict) else {}), "combined_score": metrics.get("combined_score")}
    feedback = metrics.get("text_feedback")
    named = {str(name)[:100]: plain(value) for name, value in list(shown.items())[:_MOST_METRICS]}
    return named, {"text_feedback": feedback} if feedback else {}


def read_json(path: str) -> dict[str, Any]:
    """The JSON mapping in a file.

    Raises:
        TypeError: the file holds something else.
    """
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    if not isinstance(found, dict):
        raise TypeError(f"{os.path.basename(path)}: got {type(found).__name__}, expected a mapping")
    return found


def run_shinka_eval(
    program_path: str,
    results_dir: str,
    experiment_fn_name: str,
    num_runs: int,
    get_experiment_kwargs: Any = None,
    aggregate_metrics_fn: Any = None,
    validate_fn: Any = None,
    **_: Any,
) -> tuple[dict[str, Any], bool, str | None]:
    """Stands for ShinkaEvolve's function of this name: runs, validates, aggregates and writes two files."""
    metrics: dict[str, Any] = {"combined_score": 0.0}
    error: str | None = None
    try:
        spec = importlib.util.spec_from_file_location("program", program_path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        experiment, results = getattr(module, experiment_fn_name), []
        for number in range(num_runs):
            given = get_experiment_kwargs(number) if get_experiment_kwargs else {"seed": number + 1}
            results.append(experiment(**given))
            valid, why = validate_fn(results[-1]) if validate_fn else (True, None)
            if not valid and error is None:
                error = f"run {number + 1}: {why or 'validation failed'}"
        metrics = aggregate_metrics_fn(results) if aggregate_metrics_fn else {"num_runs": len(results)}
    except Exception as trouble:
        error = f"{type(trouble).__name__}: {trouble}"
    os.makedirs(results_dir, exist_ok=True)
    for name, found in (
        ("correct.json", {"correct": error is None, "error": error}),
        ("metrics.json", metrics),
    ):
        with open(os.path.join(results_dir, name), "w", encoding="utf-8") as file:
            json.dump(found, file, default=item)
    return metrics, error is None, error


def item(value: Any) -> Any:
    """A numpy scalar or array as a plain value, anything else as text."""
    return value.tolist() if hasattr(value, "tolist") else repr(value)


def as_skydiscover(
    metrics: dict[str, Any], artifacts: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """SkyDiscover's rules: texts are artifacts, an `error` is a failure, no `combined_score` is 0.

    Raises:
        ReportedError: there is an error.
    """
    if metrics.get("error"):
        raise ReportedError(str(metrics["error"])[:_TEXT])
    texts = {name: value for name, value in metrics.items() if isinstance(value, str)}
    rest = {name: value for name, value in metrics.items() if name not in texts}
    return {"combined_score": 0.0, **rest}, {**texts, **artifacts}


async def awaited(found: Awaitable[Any]) -> Any:
    """The result of anything that can be awaited."""
    return await found


def document(
    metrics: dict[str, Any], artifacts: dict[str, Any], stages: int, options: dict[str, Any]
) -> dict[str, Any]:
    """What the tool reads: metrics, artifacts as texts within their cap, and how many stages ran."""
    texts: dict[str, str] = {}
    left = options["artifact_bytes"]
    for name, value in artifacts.items():
        text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
        text = text.encode("utf-8", "replace")[: max(0, left)].decode("utf-8", "ignore")
        left -= len(text.encode("utf-8"))
        if text:
            texts[str(name)[:100]] = text
    return {"metrics": metrics, "artifacts": texts, "stages": stages}

"""What a campaign suggests to try next, and what its wall seconds left out."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...evaluators.base import ReferenceKind
from ...evolve.islands import PoolSettings
from ...evolve.store.progress import best_so_far, steps, training_fitness
from ...evolve.store.reader import Reader
from ...evolve.store.statistics import last_trouble, validated_candidates
from ...evolve.timing import seconds_of
from ..formatting import AMOUNTS, amount, count, duration, percent, time_words, toml_value
from ..plugins.fingerprint import is_given
from .champions import Conclusion
from .figures import REPORTED, trust

# What a budget of wall seconds left out of a campaign's end, and why a campaign took longer than asked.

_LONGER = 1.25
"""Wall seconds relative to those asked for from which on a line says why (ratio)."""


def better_left_out(reader: Reader) -> int:
    """Elites better in training than the champion that were not validated for want of time (count)."""
    champion = reader.record("champion")
    least = None if champion is None else training_fitness(reader, champion)
    left_out = [training_fitness(reader, id) for id in reader.record("left_out") or ()]
    return sum(least is None or fitness > least for fitness in left_out if fitness is not None)


def section(reader: Reader, name: str) -> Mapping[str, Any]:
    """A section of a run's configuration; empty where the record holds none."""
    found = (reader.record("config") or {}).get(name)
    return found if isinstance(found, Mapping) else {}


def hurried(reader: Reader) -> list[str]:
    """A line on elites without validation, and one on a campaign that took longer than asked."""
    limit = section(reader, "budget").get("seconds")
    if not isinstance(limit, int | float) or reader.record("champion") is None:
        return []
    return [*_left_out(reader, limit), *_longer(reader, limit)]


def is_fruitless(models: Sequence[Mapping[str, Any]]) -> bool:
    """Whether models were asked, and no reply became a candidate."""
    return any(row["calls"] for row in models) and not any(row["candidates"] for row in models)


def unanswered(reader: Reader, models: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line on a campaign in which models were asked and no reply became a candidate."""
    if not is_fruitless(models):
        return []
    calls = sum(row["calls"] for row in models if row["operator"] is not None)
    reasons = ", ".join(f"{reason} {many}" for reason, many in reader.rejections().items())
    trouble = last_trouble(reader)
    last = "" if trouble is None else f"; the last trouble: {trouble}"
    return [f"no reply became a candidate: {count(calls, 'call')}, rejected: {reasons or 'none'}{last}"]


def _left_out(reader: Reader, limit: float) -> list[str]:
    left_out = len(reader.record("left_out") or ())
    if not left_out:
        return []
    validated = validated_candidates(reader)
    better = better_left_out(reader)
    others = f"{better or 'none'} of the others {'are' if better > 1 else 'is'}"
    return [
        f"validated {validated} of {count(validated + left_out, 'elite')}: there was no time for more within "
        f"{duration(limit)}; {others} better in training than the champion"
    ]


def _longer(reader: Reader, limit: float) -> list[str]:
    prepared = reader.record("prepared_seconds") or 0.0
    taken = prepared + (reader.record("search_seconds") or 0.0)
    test = reader.evaluation(reader.record("champion"), "test")
    if taken <= _LONGER * limit or test is None:
        return []
    seconds = sum(score.cpu_seconds for score in test.scores)
    why = [
        f"preparation took {duration(prepared)}" if 4 * prepared > limit else "",
        f"the champion's test took {duration(seconds)} of CPU time" if 4 * seconds > limit else "",
    ]
    words = ", ".join(["evaluations under way were finished", *filter(None, why)])
    return [f"the campaign took {duration(taken)} in place of {duration(limit)}: {words}"]


# Advice for a problem that Python code handed over: no command loads it, so calls of Python do the same.

_ARGUMENTS = ("iterations", "evaluations", "seconds", "cpu_seconds", "usd", "tokens")
"""Limits that calls of Python take as arguments of their own."""


def python_of(command: str, spec: str) -> str:
    """The call that does what a command does, for the problem `spec`; a command that needs no problem stays.

    Args:
        command: of the shell, `gapsmith VERB …`.
        spec: name of the problem in the command.
    """
    name = spec.partition(":")[2].replace("given", "YourProblem") if ":" in spec else spec
    _, verb, *words = shlex.split(command)
    match verb, words:
        case "run", [problem, *options] if problem == spec:
            return f"gapsmith.run_campaign({', '.join([name, *_arguments(options, name)])})"
        case "resume", [run, *options]:
            return f"gapsmith.resume_campaign({', '.join([repr(run), *_arguments(options, name)])})"
        case "baselines", [problem, "--source", program, *_] if problem == spec:
            return f"print({name}().baselines()[{program!r}])"
        case "problems", ["show", problem, *_] if problem == spec:
            return f"print({name}.statement)"
        case "verify", _:
            return f"write {name} to a file, run it from there, then {command}"
    return command


def _arguments(options: Sequence[str], name: str) -> Iterator[str]:
    """Keyword arguments in place of options, each of which has a value."""
    settings: dict[str, object] = {}
    for option, value in zip(options[::2], options[1::2], strict=True):
        if option == "--start":
            yield f"start={name}().baselines()[{value!r}]"
        elif option == "--model":
            yield f"model={value!r}"
        elif option == "--budget":
            number = value.rstrip("abcdefghijklmnopqrstuvwxyz")
            key = next(key for key, unit in AMOUNTS.items() if unit == value[len(number) :])
            if key in _ARGUMENTS:
                yield f"{key}={number}"
            else:
                settings[f"budget.{key}"] = _number(number)
        elif option == "--fronts":
            settings["archive.measures"] = ["time", "size"]
        elif option == "--time-budget":
            settings["evaluation.time_budget"] = seconds_of(value)
        elif option == "--set":
            key, _, number = value.partition("=")
            settings[key] = _number(number)
    if settings:
        yield f"settings={settings!r}"


def _number(text: str) -> object:
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return text


_MORE = 10
"""How many times the spent budget is suggested (ratio)."""
_MOST = 3
"""Facts that advice is taken from, before the baseline (count)."""
_MANY_LOST = 0.5
"""Share of the iterations without a complete candidate from which on the advice speaks of them (ratio)."""
_FRESH = 4
"""New instances that are suggested, relative to those of the test (ratio)."""
_SPENT = {
    "seconds": "wall time",
    "cpu": "CPU time",
    "iterations": "iterations",
    "evaluations": "evaluations",
    "executions": "executions",
}
_KEYS = {"cpu": "cpu_seconds"}
_RISING = ("iterations", "evaluations", "executions", "cpu_seconds", "seconds")
"""Limits that rise together (keys of `[budget]`)."""
_USUAL = {"instance_seed": 1, "reference_seconds": 10.0}
"""Keys of `[evaluation]` that change what is measured, with their defaults."""

Advice = dict[str, str]
"""`reason`: a fact of the record; `command`: what to try because of that fact."""


def advice(reader: Reader, summary: Mapping[str, Any], left_out: int) -> list[Advice]:
    """What to try after a campaign whose champion is not better than the best baseline; else nothing.

    Args:
        reader: reader of the run's store.
        summary: the campaign's document, with `headline`, `baselines` and `evaluations`.
        left_out: elites that are better in training than the champion and were not validated (count).
    """
    headline = summary["headline"]
    wanting = (Conclusion.NO_IMPROVEMENT, Conclusion.WORSE, Conclusion.UNDECIDED)
    if headline["verdict"] not in wanting or headline["split"] != "test":
        return []
    if (solved := _solved(reader, summary)) is not None:
        return _callable([solved], reader)
    lines = [
        *_without_baselines(reader, headline),
        *_noisy(reader, summary),
        *_unvalidated(reader, summary, left_out),
        *(list(_too_slow(reader, summary)) or list(_near_limit(reader)) or _misled(reader, summary)),
        *_more_of_the_budget(reader, summary, left_out),
        *_lost(summary),
        *_without_model(reader, summary),
    ]
    return _callable([*lines[:_MOST], *_baseline(reader, headline)], reader)


def _callable(lines: list[Advice], reader: Reader) -> list[Advice]:
    """The advice with calls of Python where the problem is one that Python code handed over."""
    return [{**line, "command": callable_here(line["command"], reader)} for line in lines]


def callable_here(command: str, reader: Reader) -> str:
    """A command, or a call of Python where the problem is one that Python code handed over."""
    spec = str(section(reader, "campaign").get("problem"))
    return python_of(command, spec) if is_given(spec) else command


def _solved(reader: Reader, summary: Mapping[str, Any]) -> Advice | None:
    """Where the search began with a program that is never beaten in training, nothing is left to find."""
    found = [fitness for iteration, _, fitness in best_so_far(reader) if not iteration]
    if trust(reader) == REPORTED:  # no references: such scores are measured from the start program
        return None
    if not found or max(found) < 0:
        return None
    return {
        "reason": "a program that the search began with reaches the reference on every training instance: "
        "larger or harder ones would leave something to find",
        "command": f"gapsmith problems show {_problem(reader)}{_parameters(reader)}",
    }


def _noisy(reader: Reader, summary: Mapping[str, Any]) -> Iterator[Advice]:
    """A champion that is ahead within noise may be tested on more instances, where they can be drawn."""
    if (reader.record("config") or {}).get("evaluation", {}).get("instances"):
        return
    claim = summary["headline"]["claim"]
    undecided = summary["headline"]["verdict"] == Conclusion.UNDECIDED
    if undecided and claim["difference_percent"] is not None and claim["difference_percent"] < 0:
        yield {
            "reason": f"the champion is ahead, but {count(claim['instances'], 'test instance')} cannot tell "
            "that from noise",
            "command": f"gapsmith verify {shlex.quote(summary['run'])} --fresh {_FRESH * claim['instances']}",
        }


def _unvalidated(reader: Reader, summary: Mapping[str, Any], left_out: int) -> Iterator[Advice]:
    if left_out:
        yield {
            "reason": f"{count(left_out, 'elite')} better in training than the champion had no time for "
            "validation and test",
            "command": _resume(reader, summary),
        }


def _too_slow(reader: Reader, summary: Mapping[str, Any]) -> Iterator[Advice]:
    """The fastest program that would be champion with more time than the budget allows."""
    limit = summary["time_budget_seconds"]
    slow = [row for row in summary["champions"] if row["iteration"] and limit and row["time_seconds"] > limit]
    if slow:
        gap = percent(slow[0]["splits"]["valid"]["mean_gap_percent"])
        took = slow[0]["time_seconds"]
        yield {
            "reason": f"candidate {slow[0]['candidate'][:8]} has {gap} on validation and takes "
            f"{time_words(took)}, the time budget is {time_words(limit)}; a search that time steers keeps "
            "the best at each time",
            "command": f"{_again(reader)} --fronts time --time-budget {1000 * limit:g}ms",
        }


def _near_limit(reader: Reader) -> Iterator[Advice]:
    """The best program in training, where its CPU limit is too close for a champion."""
    limit = _advice_number(section(reader, "sandbox").get("cpu_seconds"))
    found = [step for step in best_so_far(reader) if step[0]]
    evaluation = reader.evaluation(found[-1][1], "train") if found else None
    if limit is None or evaluation is None:
        return
    from ...evolve.champion import ROOM, slowest

    if slowest(evaluation) > ROOM * limit:
        yield {
            "reason": f"candidate {found[-1][1][:8]} is the best in training and takes up to "
            f"{slowest(evaluation):.2g} of its {limit:g} CPU seconds; a champion leaves "
            f"{100 * (1 - ROOM):.0f} % free",
            "command": f"{_again(reader)} --set sandbox.cpu_seconds={2 * limit:g}",
        }


def _misled(reader: Reader, summary: Mapping[str, Any]) -> Iterator[Advice]:
    """The search found what is better in training, which validation or test did not confirm."""
    found = [step for step in best_so_far(reader) if step[0]]
    training = _instances(summary)
    baseline = summary["headline"]["baseline"]
    unconfirmed = summary["headline"]["verdict"] == Conclusion.NO_IMPROVEMENT
    rivals = [summary["baselines"].get(baseline, {}).get("train")]
    if unconfirmed:
        rivals.append(summary["best"]["splits"]["train"])  # of what the search began with
    if rivals[0] is not None:
        # A pool grows for the programs of the search alone: only figures on as many instances are compared.
        known = [one["fitness"] for one in rivals if one and one["instances"] == training]
        own = reader.evaluation(found[-1][1], "train") if found else None
        if not known or own is None or own.fitness is None or len(own.scores) != training:
            return
        if own.fitness <= max(known):
            return
    command = _more_instances(reader, training) if training else None
    if found and command and (reader.record("left_out") or ()).count(found[-1][1]) == 0:
        where = "validation" if unconfirmed else "test"
        yield {
            "reason": f"candidate {found[-1][1][:8]} is better in training than the best program "
            f"before, which {where} did not confirm: {count(training or 0, 'training instance')} may be too "
            "few" + (", and references of more have to be computed first" if "references" in command else ""),
            "command": command,
        }


def _more_instances(reader: Reader, training: int) -> str | None:
    """What brings more training instances into use: references for the pool.

    None where a longer search brings the rest of the pool into use by itself, and where all of the pool were
    in use: a larger one would have no references.
    """
    settings = section(reader, "search")
    sizes = reader.record("pool") or [0]
    if training < max(sizes):
        return None
    usual = (_advice_number(settings.get("pool")) or 0) >= PoolSettings().pool
    proved = any(one.kind is not ReferenceKind.BASELINE for one in reader.references().values())
    if len(sizes) == 1 and usual and proved and not section(reader, "evaluation").get("instances"):
        return f"gapsmith references compute {_problem(reader)} --split pool{_parameters(reader)}"
    return None


def _more_of_the_budget(reader: Reader, summary: Mapping[str, Any], left_out: int) -> Iterator[Advice]:
    """A spent budget, unless the search had stopped finding anything in the first half of its evaluations."""
    reason = summary["stop_reason"]
    evaluations = summary["evaluations"]
    if reason not in _SPENT or left_out:
        return
    best = [step for step in steps(reader) if step.iteration]
    words = f"{_SPENT[reason]} ended the search after {count(evaluations, 'evaluation')}"
    if best and 2 * best[-1].evaluations > evaluations:
        words += f"; the last of {count(len(best), 'better one')} in training came at number "
        yield {"reason": f"{words}{best[-1].evaluations}", "command": _resume(reader, summary)}
    elif not best:
        words += ", none of them better in training than what it began with"
        yield {"reason": words, "command": _resume(reader, summary)}


def _lost(summary: Mapping[str, Any]) -> Iterator[Advice]:
    lost = sum(summary["rejections"].values())
    if summary["iterations"] and lost >= _MANY_LOST * summary["iterations"]:
        most = max(summary["rejections"], key=lambda name: summary["rejections"][name])
        yield {
            "reason": f"{lost} of {count(summary['iterations'], 'proposal')} were rejected, most of them as "
            f"{most}",
            "command": f"gapsmith show {shlex.quote(summary['run'])}",
        }


def _without_model(reader: Reader, summary: Mapping[str, Any]) -> Iterator[Advice]:
    specs = [table.get("spec") for table in (reader.record("config") or {}).get("model") or ()]
    if not any(spec != "offline" for spec in specs):
        yield {
            "reason": "no model took part: the offline proposer changes what it has, a model invents",
            "command": "gapsmith models",
        }


def _without_baselines(reader: Reader, headline: Mapping[str, Any]) -> Iterator[Advice]:
    name = headline["baseline"]
    if name is not None and name not in (reader.record("founders") or {}).values():
        yield {
            "reason": f"the search did not begin with the best baseline, {name} "
            f"({percent(headline['baseline_percent'])} on test)",
            "command": f"{_again(reader)} --start {shlex.quote(name)}",
        }


def _baseline(reader: Reader, headline: Mapping[str, Any]) -> Iterator[Advice]:
    """The best baseline's program, unless the champion is ahead of it."""
    name = headline["baseline"]
    champion = headline["champion_percent"]
    percents = headline["baseline_percent"]
    if name is not None and percents is not None and champion is not None and percents <= champion:
        yield {
            "reason": f"until then use the best baseline, {name} ({percent(percents)} on test)",
            "command": source_of_baseline(reader, name),
        }


def source_of_baseline(reader: Reader, name: str) -> str:
    """The command that prints a baseline's program."""
    return f"gapsmith baselines {_problem(reader)} --source {shlex.quote(name)}{_parameters(reader)}"


def _instances(summary: Mapping[str, Any]) -> int | None:
    """Training instances on which the champion was judged (count)."""
    figures = summary["best"]["splits"]["train"]
    return None if figures is None else int(figures["instances"])


def _problem(reader: Reader) -> str:
    """The problem as the user named it, for a shell."""
    named = section(reader, "campaign").get("problem")
    return shlex.quote(str(named or (reader.record("problem") or {}).get("name")))


def _resume(reader: Reader, summary: Mapping[str, Any]) -> str:
    """The command that goes on with ten times the budget that ended the search.

    Other limits of work and time rise as well, so that none of them ends it at once; money and tokens do not.
    """
    key = _KEYS.get(summary["stop_reason"], summary["stop_reason"])
    limits = {
        name: limit
        for name in dict.fromkeys([key, *_RISING])
        if (limit := _advice_number(section(reader, "budget").get(name))) is not None
    }
    more = " ".join(f"--budget {amount(name, _MORE * limit)}" for name, limit in limits.items())
    return f"gapsmith resume {shlex.quote(summary['run'])} {more}".rstrip()


def _parameters(reader: Reader) -> str:
    """The caller's parameters of the problem, as options with a space before each."""
    return parameters_of(section(reader, "problem"))


def parameters_of(given: Mapping[str, Any]) -> str:
    """Parameters of a problem (key → value) as options, with a space before each."""
    return "".join(
        f" --set {shlex.quote(f'problem.{key}={toml_value(value)}')}" for key, value in given.items()
    )


def _again(reader: Reader) -> str:
    """The command that runs the same problem: with its parameters, and what else makes it another one."""
    evaluation = section(reader, "evaluation")
    words = [f"gapsmith run {_problem(reader)}{_parameters(reader)}"]
    words += [f"--instances {shlex.quote(str(name))}" for name in evaluation.get("instances") or ()]
    for key, usual in _USUAL.items():
        value = evaluation.get(key)
        if value is not None and value != usual:
            words.append(f"--set evaluation.{key}={value:g}")
    return " ".join(words)


def _advice_number(value: object) -> float | None:
    """A number of a record that anybody may have written."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None

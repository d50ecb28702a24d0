"""The Python API: a class is searched, and the result answers for champion, tables and pictures."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import gapsmith
import pytest
from gapsmith import Instance, Plugin, Progress, Reference, RunResult, Sense, UserError, Verdict
from gapsmith.app.api import _programs
from gapsmith.app.config import Config
from gapsmith.app.plugins.fingerprint import code_digest
from gapsmith.app.plugins.session_problems import spec_of
from gapsmith.app.runs.advice import python_of

START = """
def pick(values):
    best = 0
    for i, value in enumerate(values):
        if value > values[best] + 5:
            best = i
    return best
"""


class Pick:
    """Minimise the value that is picked."""

    name = "pick"
    version = "1"
    sense = Sense.MINIMISE
    unit = "points"
    entry_point = "pick"
    signature = "def pick(values: list[int]) -> int:"
    statement = "Return the position of the smallest value."

    def sets(self) -> dict[str, str]:
        """Three splits."""
        return dict.fromkeys(("train", "valid", "test"), "4 lists")

    def instances(self, set: str, seed: int) -> list[Instance]:
        """Lists of nine values."""
        stream = random.Random(f"{set} {seed}")
        lists = [[stream.randint(2, 99) for _ in range(9)] for _ in range(4)]
        return [Instance(f"{set}-{n}", set, "all", {"values": v}, 1, "test") for n, v in enumerate(lists)]

    def start_programs(self) -> dict[str, str]:
        """One that looks for large values."""
        return {"large": START}

    def baselines(self) -> dict[str, str]:
        """The same."""
        return self.start_programs()

    def verify(self, instance: Instance, answer: Any) -> Verdict:
        """The value, in halves."""
        values = instance.public["values"]
        if type(answer) is not int or not 0 <= answer < len(values):
            return Verdict.invalid("expected a position")
        return Verdict.valid(Fraction(values[answer], 2))

    def reference(self, instance: Instance, seconds: float) -> Reference:
        """The smallest value."""
        return Reference.optimum(Fraction(min(instance.public["values"]), 2), source="minimum")


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunResult, list[Progress]]]:
    """One short campaign with all that it told of its progress."""
    place = tmp_path_factory.mktemp("api")
    told: list[Progress] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GAPSMITH_CACHE", str(place / "cache"))
        yield (
            gapsmith.run_campaign(Pick, iterations=6, workers=1, runs=place / "runs", progress=told.append),
            told,
        )


def test_the_champion_is_text_and_callable(searched: tuple[RunResult, list[Progress]]) -> None:
    """The program runs in the sandbox on named values or an instance; its file can be imported."""
    champion = searched[0].champion
    assert champion is not None
    assert "def pick(" in champion.source
    answer = champion(values=[5, 3, 9])
    assert answer in (0, 1, 2)
    assert champion(Instance("x", "test", "s", {"values": [5, 3, 9]}, 1, "x")) == answer
    scope: dict[str, Any] = {"__name__": "best"}
    exec(champion.standalone, scope)
    assert scope["pick"]([5, 3, 9]) == answer
    with pytest.raises(UserError, match=r"champion .*: raised"):
        champion(values=3)


def test_tables_hold_numbers(searched: tuple[RunResult, list[Progress]]) -> None:
    """Gaps are floats in percent beside exact texts; a split can be chosen; the curve falls."""
    result = searched[0]
    scores = result.scores("test")
    assert set(scores["split"]) == {"test"}
    assert scores["gap_percent"].dtype == float
    row = scores.iloc[0]
    assert row["gap_percent"] == pytest.approx(100 * float(Fraction(row["gap"])))
    assert row["objective_number"] == float(Fraction(row["objective"]))
    losses = list(result.curve()["loss"])
    assert losses == sorted(losses, reverse=True)
    assert set(result.candidates()["candidate"]) >= {result["best"]["candidate"]}


def test_pictures_and_summary(searched: tuple[RunResult, list[Progress]], tmp_path: Path) -> None:
    """A picture is saved and shown; the summary escapes what a problem is called."""
    result = searched[0]
    result.plot("scatter").save(tmp_path / "scatter.svg")
    assert "<svg" in (tmp_path / "scatter.svg").read_text("utf-8")
    assert result.plot()._repr_svg_().lstrip().startswith("<")
    result.document["problem"] = "<b>"
    assert "&lt;b&gt;, " in result._repr_html_()
    with pytest.raises(UserError, match=r"plot 'pie': not known, expected one of progress, "):
        result.plot("pie")


def test_a_run_is_loaded_and_progress_was_told(searched: tuple[RunResult, list[Progress]]) -> None:
    """The loaded run is the one that was searched; a mapping as `show --json`; steps came in order."""
    result, told = searched
    again = gapsmith.load_run("latest", runs=result.folder.parent)
    own_key_elsewhere = {"foreign": again["foreign"]}  # the cache folder of each test holds another key
    assert dict(again) == {**dict(result), "problem": "pick", **own_key_elsewhere}
    assert json.dumps(dict(again))
    assert told[0].step == "references"
    assert (told[-1].step, told[-1].done, told[-1].total) == ("search", 6, 6)
    assert told[-1].best_gap_percent is not None
    assert "-pick-" in result.folder.name


class Unproven(Pick):
    """Nobody proves what is least."""

    name = "unproven"
    reference = None  # type: ignore[assignment]


def test_without_references_progress_tells_of_baselines(tmp_path: Path) -> None:
    """Where gaps are to the best baseline, nothing is said of references that the problem does not have."""
    told: list[Progress] = []
    gapsmith.run_campaign(Unproven, iterations=1, workers=1, runs=tmp_path, progress=told.append)
    assert [(one.step, one.done, one.total) for one in told][:2] == [("baselines", 0, 1), ("baselines", 1, 1)]
    assert {one.step for one in told} == {"baselines", "search"}


def test_a_plugin_is_evaluated_and_settings_are_one_kind(tmp_path: Path) -> None:
    """Both functions take a dictionary of paths; a list is refused in words, and so is an instance."""
    scored = gapsmith.evaluate(Plugin(Pick), START, settings={"sandbox.cpu_seconds": 1}, workers=1)
    assert scored["status"] == "ok"
    for call in (lambda s: gapsmith.evaluate(Pick, START, settings=s), refused_campaign):
        with pytest.raises(UserError, match="settings: got list, expected a dictionary"):
            call(["sandbox.cpu_seconds=1"])
    with pytest.raises(UserError, match=r"got 'jobs', expected section\.key"):
        gapsmith.evaluate(Pick, START, settings={"jobs": 1})
    with pytest.raises(UserError, match="expected a name, a file, a class or a Plugin"):
        gapsmith.evaluate(Pick(), START)  # type: ignore[arg-type]


def refused_campaign(settings: Any) -> None:
    """A campaign with settings of the wrong kind."""
    gapsmith.run_campaign(Pick, settings=settings)


def test_a_notebook_s_problem_changes_with_its_code(notebook: Callable[[str], Any]) -> None:
    """What has no file is digested by its code: a changed body counts, a comment or a new cell does not."""
    first, comment, other = (
        notebook(f"class P:\n    def f(self):\n        return {t}\n") for t in ("1", "1  # x", "2")
    )
    assert code_digest(first) == code_digest(comment) != code_digest(other)
    assert spec_of(other.P) == f"{other.__name__}:P"
    assert spec_of(first.P).startswith("gapsmith_given_")


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Makes a module without a file."""
    import sys
    from types import ModuleType

    def make(text: str) -> ModuleType:
        module = ModuleType("cells")
        monkeypatch.setitem(sys.modules, "cells", module)
        exec(text, vars(module))
        return module

    return make


class Enough(Exception):
    """What a caller's function raises."""


def test_an_exception_of_the_caller_leaves_a_run_that_python_resumes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The caller's own exception arrives with the call that goes on, and that call ends the run."""
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path / "cache"))

    def tell(now: Progress) -> None:
        if now.step == "search" and now.done > 2:
            raise Enough

    with pytest.raises(Enough) as caught:
        gapsmith.run_campaign(Pick, iterations=8, workers=1, runs=tmp_path, progress=tell)
    (note,) = caught.value.__notes__
    assert note.startswith("the run is saved; gapsmith.resume_campaign(")
    result = eval(note.removeprefix("the run is saved; ").removesuffix(" goes on"), {"gapsmith": gapsmith})
    assert (result["status"], result["iterations"]) == ("completed", 8)
    more = gapsmith.resume_campaign(runs=tmp_path, iterations=10)
    assert (more.folder, more["iterations"]) == (result.folder, 10)
    with pytest.raises(UserError, match=r"settings: got 'search.pool', expected a total"):
        gapsmith.resume_campaign(runs=tmp_path, settings={"search.pool": 2})


OTHER = START.replace("+ 5", "+ 4")


@pytest.mark.parametrize(
    ("start", "names"),
    [(START, {"start"}), ([START, OTHER], {"start-1", "start-2"}), ({"mine": OTHER}, {"mine"})],
)
def test_start_takes_one_program_or_several(start: Any, names: set[str]) -> None:
    """A text, a list of texts, or texts by name."""
    assert set(_programs(start, Config()) or {}) == names


@pytest.mark.parametrize("start", [[], {}, 3, [3], {"mine": None}, {3: START}])
def test_a_wrong_start_is_named(start: Any) -> None:
    """What is no text is refused in one sentence."""
    with pytest.raises(UserError, match=r"run_campaign: start: got .*, expected source text"):
        gapsmith.run_campaign(Pick, start=start)


@pytest.mark.parametrize(
    ("command", "call"),
    [
        (
            "gapsmith run __main__:Pick --set search.pool=32",
            "gapsmith.run_campaign(Pick, settings={'search.pool': 32})",
        ),
        (
            "gapsmith run __main__:Pick --fronts time --time-budget 10ms",
            "gapsmith.run_campaign(Pick, "
            "settings={'archive.measures': ['time', 'size'], 'evaluation.time_budget': 0.01})",
        ),
        (
            "gapsmith run __main__:Pick --model PROVIDER/NAME --budget 2usd",
            "gapsmith.run_campaign(Pick, model='PROVIDER/NAME', usd=2)",
        ),
        ("gapsmith resume a-run --budget 80it", "gapsmith.resume_campaign('a-run', iterations=80)"),
        (
            "gapsmith resume a-run --budget 800cpu",
            "gapsmith.resume_campaign('a-run', cpu_seconds=800)",
        ),
        (
            "gapsmith run __main__:Pick --start large",
            "gapsmith.run_campaign(Pick, start=Pick().baselines()['large'])",
        ),
        ("gapsmith baselines __main__:Pick --source large", "print(Pick().baselines()['large'])"),
        ("gapsmith problems show __main__:Pick", "print(Pick.statement)"),
        ("gapsmith show a-run", "gapsmith show a-run"),
    ],
)
def test_advice_for_a_class_is_a_call(command: str, call: str) -> None:
    """No shell can name a class of a notebook, so the advice calls Python."""
    assert python_of(command, "__main__:Pick") == call
    if call.startswith("gapsmith."):
        compile(call, "advice", "eval")


def test_a_session_that_lacks_a_class_says_so() -> None:
    """Another process cannot load a notebook's class, and says where it can be gone on with."""
    with pytest.raises(UserError, match="only the Python session that handed it over has it") as caught:
        gapsmith.evaluate("__main__:NoSuchClass", START)
    assert "gapsmith.resume_campaign(RUN)" in str(caught.value.hint)


@pytest.mark.slow
def test_a_run_is_listed_verified_compared_and_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A callback that returns False ends a run as Ctrl-C does; from Python it goes on and is verified."""
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path / "cache"))
    place = tmp_path / "runs"
    told: list[Progress] = []

    def stop(progress: Progress) -> bool:
        told.append(progress)
        return progress.step != "search" or progress.done < 3

    first = gapsmith.run_campaign(Pick, iterations=40, workers=1, runs=place, progress=stop)
    assert first["status"] == "interrupted"
    done = told[-1].done
    assert 3 <= done < 40
    again = first.resume(iterations=done + 4)
    assert again["status"] == "completed"
    assert again.verify(references=1)["differences"] == []
    other = gapsmith.run_campaign(Pick, cpu_seconds=0.2, workers=1, seed=2, runs=place)
    assert [row["run"] for row in gapsmith.list_runs(place)] == sorted([first["run"], other["run"]])
    assert len(again.compare(other)["arms"]) == 2
    with pytest.raises(UserError, match="by: got 'days', expected one of evaluations"):
        again.compare(other, by="days")
    with pytest.raises(UserError, match="got 0 others, expected runs"):
        again.compare()

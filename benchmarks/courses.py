"""Golden courses: whether small campaigns still take the recorded course.

    python benchmarks/courses.py compare    runs all campaigns; names each difference and exits with 1
    python benchmarks/courses.py record     runs them and writes benchmarks/courses.json

The campaigns go through the public doors alone: `run_campaign`, the commands `run`, `resume` and `replay`,
and the documents of `show` and `export`. Each course is kept by aspect, so that a difference names campaign,
aspect and row. Nothing that depends on the machine is kept: no time, and floats to ten digits. The secret
of the instances is fixed, CPU limits are generous. Python prints the mutations, so a course holds for one
minor version of Python.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import lzma
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import groupby, zip_longest
from pathlib import Path
from typing import Any

from gapsmith import run_campaign
from gapsmith.cli import app
from typer.testing import CliRunner

GOLDEN = Path(__file__).with_suffix(".json")
SERVER = Path(__file__).parents[1] / "tests" / "evolve" / "llm" / "loopback.py"
COMMAND = [sys.executable, "-m", "gapsmith.cli"]
SETTINGS = {
    "sandbox.cpu_seconds": 20,
    "evaluation.secret": "5" * 64,
    "evaluation.reference_seconds": 120,
    "search.founders": "start",
}
FEW = {"problem.train_per_stratum": 1, "problem.valid_per_stratum": 1, "problem.test_per_stratum": 1}
SMALL = {"problem.jobs": 12, **FEW}
PACKING = {"problem.law": "u120", "problem.train_per_stratum": 6, **dict.fromkeys([*FEW][1:], 4)}
TUNING = {**SMALL, "search.tune_share": 0.5}
RULE = """def schedule(processing_times, due_dates):
    def key(j):
        p, d = processing_times[j], due_dates[j]
        return {}
    return sorted(range(len(due_dates)), key=key)
"""
START = RULE.format("d + p * 30 / 7")
"""A start program far from the optimum, so that a short search improves, tunes and fills cells."""
KEYS = """d; -p; d - p; max(d, 3 * p); d * p; d ** 2 + p; (d // 10, p); d / p; abs(d - 50); d % 7
min(d, 90) + p; (p > 40, d); (d < 30, p, d)""".replace("\n", "; ").split("; ")
PROGRAMS = [f"Another key.\n```python\n{RULE.format(KEYS[n * n % len(KEYS)])}```" for n in range(30)]
PROGRAMS[1::2] = [f"A key.\n```python\n{RULE.format(KEYS[n % len(KEYS)])}```" for n in range(15)]
REPLIES = [text if n % 5 else "Prose without a program." for n, text in enumerate(PROGRAMS, 1)]
"""Texts of the scripted models: rules, some of them twice, and replies without a program."""

Rows = list[list[Any]]
Course = dict[str, Rows]
"""Aspect → rows; the first entries of a row say what it is about."""


class Place:
    """A folder of runs and how campaigns are run in it.

    Args:
        folder: of the runs.
        workers: sandbox slots at work (count).
    """

    def __init__(self, folder: Path, workers: int) -> None:
        self.folder = folder
        self.start = folder / "start.py"
        self.start.write_text(START)
        self.workers = ["--workers", str(workers)]
        self.settings = {**SETTINGS, "run.workers": workers}

    def words(self, problem: str, iterations: int, settings: Mapping[str, Any], *words: str) -> list[str]:
        """The words of `gapsmith run`."""
        keys = {**self.settings, **settings}
        sets = [word for key, value in keys.items() for word in ("--set", f"{key}={json.dumps(value)}")]
        limit = ["--iterations", str(iterations), "--runs", str(self.folder), "--json"]
        return ["run", problem, *limit, *sets, *words]

    def run(self, *words: str) -> None:
        """Runs the command as a process of its own."""
        done = subprocess.run([*COMMAND, *words], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"gapsmith {' '.join(words)}: exit code {done.returncode}: {done.stderr}")

    def ask(self, verb: str, *words: str) -> Any:
        """The JSON document of a verb about the latest run; the verb runs in this process."""
        command = [verb, "latest", *words, "--runs", str(self.folder), "--json"]
        result = CliRunner().invoke(app, command)
        if result.exit_code:
            raise SystemExit(f"gapsmith {' '.join(command)}: exit code {result.exit_code}: {result.output}")
        return json.loads(result.stdout)

    def course(self) -> Course:
        """The course of the latest run by aspect."""
        tables = ("iterations", "candidates", "scores", "elites", "events")
        asks, candidates, scores, elites, events = [self.ask("export", "--what", t)["rows"] for t in tables]
        scores.sort(key=lambda r: (r["program"], r["split"], r["instance"]))
        summary = self.ask("show")
        best, totals = summary["best"], ("status", "stop_reason", "iterations", "evaluations", "executions")
        asked, text = (
            "iteration island origin operator candidate rejection added",
            "candidate iteration island",
        )
        outcome = "candidate train_status train_fitness valid_fitness test_fitness"
        return {
            "iterations": [[*_pick(r, asked), _digest(r["excerpt"])] for r in asks],
            "parents": [_pick(r, "iteration parents inspirations rival") for r in asks],
            "order": sorted([r["told"], r["iteration"]] for r in asks if r["told"] is not None),
            "candidates": [
                [*_pick(r, f"{text} origin operator parents"), _digest(r["files"])] for r in candidates
            ],
            "fitness": [_pick(r, outcome) for r in candidates],
            "answers": _by_program(scores, lambda r: [_status(r), (r["answer_digest"] or "")[:6]]),
            "objectives": _by_program(scores, lambda r: [r["objective"]]),
            "gaps": _by_program(scores, lambda r: [r["gap"]]),
            "archive": sorted(_pick(r, "island cell candidate train_fitness") for r in elites),
            # explanations are recorded by the threads that ask models, in any order
            "events": [_pick(r, "iteration kind data") for r in events if r["kind"] != "explained"],
            "tuning": [
                _pick(r, "iteration parents candidate rejection") for r in asks if r["operator"] == "cma-es"
            ],
            "champion": [
                *([split, _rounded(figures["fitness"])] for split, figures in best["splits"].items()),
                ["champion", *_pick(best, "candidate iteration origin")],
                *([key, summary[key]] for key in totals),
                ["rejections", dict(sorted(summary["rejections"].items()))],
            ],
        }

    def replay(self) -> Rows:
        """What `replay` says of the latest run."""
        document = self.ask("replay", *self.workers)
        return [[key, document[key]] for key in ("iterations", "champion", "checked", "agree", "differences")]


def _pick(row: Mapping[str, Any], keys: str) -> list[Any]:
    return [_rounded(row[key]) for key in keys.split()]


def _by_program(scores: list[dict[str, Any]], values: Callable[[Mapping[str, Any]], list[Any]]) -> Rows:
    """A row for each execution of a candidate; for each baseline and split one digest of its executions."""
    rows: Rows = []
    for (program, split), group in groupby(scores, key=lambda r: (r["program"], r["split"])):
        inner = [[r["instance"], *values(r)] for r in group]
        if program.startswith("baseline/"):
            rows.append([program, split, _digest(inner)])
        else:
            rows += [[program[:8], split, *row] for row in inner]
    return rows


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(inner) for key, inner in value.items()}
    return float(f"{value:.10g}") if isinstance(value, float) else value


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


def by_command(problem: str, iterations: int, settings: dict[str, Any], *words: str) -> Callable[..., Course]:
    """A campaign of the command `run`."""

    def course(place: Place) -> Course:
        start = ["--start", str(place.start)] if problem == "smtt" else []
        place.run(*place.words(problem, iterations, settings, *start, *words))
        return place.course()

    return course


def by_api(place: Place) -> Course:
    """A campaign of the Python API, and its replay."""
    settings = {**place.settings, **SMALL}
    run_campaign("smtt", iterations=60, start=START, runs=place.folder, settings=settings)
    return {**place.course(), "replay": place.replay()}


def tuned(place: Place) -> Course:
    """A campaign that spends half of its executions on numbers, and its replay."""
    course = by_command("smtt", 60, TUNING)(place)
    if not course["tuning"]:
        raise SystemExit("the campaign with tuning tuned nothing: give it other settings")
    return {**course, "replay": place.replay()}


def killed(place: Place) -> Course:
    """A campaign killed outright by a signal after ten iterations, and gone on with."""
    words = place.words("smtt", 60, SMALL, "--start", str(place.start))
    process = subprocess.Popen([*COMMAND, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while process.poll() is None and _iterations(place) < 10:
            time.sleep(0.05)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    if process.returncode != -signal.SIGKILL:
        raise SystemExit(f"the campaign to be killed ended by itself, exit code {process.returncode}")
    place.run("resume", "latest", "--runs", str(place.folder), *place.workers, "--json")
    return place.course()


def _iterations(place: Place) -> int:
    try:
        return int(place.ask("watch")["iterations"])
    except SystemExit:  # there is no run yet
        return 0


def scripted(place: Place) -> Course:
    """A model whose replies are read from a file: outcomes are told in the order of asking."""
    script = place.folder / "replies.json"
    script.write_text(json.dumps(REPLIES))
    return by_command("smtt", 40, SMALL, "--model", f"scripted/{script}")(place)


@contextmanager
def model_server(faults: list[str]) -> Iterator[str]:
    """The address of a model server on this machine."""
    script = json.dumps({"replies": REPLIES, "faults": faults})
    command = [sys.executable, "-I", str(SERVER), script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
        finally:
            server.kill()


def _asked(place: Place, in_flight: int, iterations: int, faults: list[str]) -> Course:
    """A campaign of a live model: outcomes are told as replies arrive."""
    with model_server(faults) as address:
        table = f'[[model]]\nspec = "openai/x"\nbase_url = "{address}"\n'
        file = place.folder / "asked.toml"
        file.write_text(f'[campaign]\nproblem = "smtt"\nin_flight = {in_flight}\n{table}')
        place.run(*place.words(str(file), iterations, SMALL, "--start", str(place.start)))
    return place.course()


def live(place: Place) -> Course:
    """A live model asked one question at a time, with errors, and its replay.

    Whether an evaluation ends before the next question follows the machine's speed, and with it the question:
    kept is only that the replay agrees.
    """
    _asked(place, 1, 24, ["ok", "ok", "429", "ok"])
    return {"replay": [row for row in place.replay() if row[0] in ("iterations", "differences")]}


def disordered(place: Place) -> Course:
    """Replies overtake each other: no golden course, but a campaign from the cassette takes the same.

    Kept is only that nothing differs between the two, and that the replay agrees.
    """
    first = _asked(place, 4, 24, ["pause", "ok", "ok", "ok", "pause"])
    replay = [row for row in place.replay() if row[0] in ("iterations", "differences")]
    cassette = place.folder / "cassette.jsonl"
    place.ask("export", "--what", "cassette", "-o", str(cassette))
    again = by_command("smtt", 24, {**SMALL, "campaign.in_flight": 4}, "--model", f"replay/{cassette}")(place)
    if first["order"] == [[n, n] for n in range(1, 25)]:
        raise SystemExit("no reply overtook another: the course with disorder proves nothing")
    return {"replay": replay, "again": [[line] for line in differences("again", first, again)]}


CAMPAIGNS: dict[str, Callable[[Place], Course]] = {
    "smtt": by_api,
    "smtt-rule": by_command("smtt-rule", 40, SMALL),
    "smwtt-rule": by_command("smwtt-rule", 40, SMALL),
    "bin-packing": by_command("bin-packing", 50, PACKING),
    "online-bin-packing": by_command("online-bin-packing", 40, PACKING),
    "expert-placement": by_command("expert-placement", 30, FEW),
    "tuned": tuned,
    "best-of-n": by_command("smtt", 40, SMALL, "--control", "best-of-n"),
    "random": by_command("smtt", 40, SMALL, "--control", "random"),
    "killed": killed,
    "scripted": scripted,
    "live": live,
    "disordered": disordered,
}


def run_all(names: list[str], workers: int) -> dict[str, Course]:
    """Campaign → its course, each in a new folder with one new cache."""
    courses = {}
    with tempfile.TemporaryDirectory(prefix="gapsmith-courses-") as folder:
        os.environ["GAPSMITH_CACHE"] = str(Path(folder) / "cache")
        for name in names:
            begun = time.monotonic()
            place = Path(folder) / name
            place.mkdir()
            courses[name] = json.loads(json.dumps(CAMPAIGNS[name](Place(place, workers))))
            print(f"{name}: {time.monotonic() - begun:.0f} s", file=sys.stderr)
    return courses


def _status(row: Mapping[str, Any]) -> str:
    """The status of an execution; a program that fills its memory slowly may meet the clock first."""
    return "ended" if row["status"] in ("crashed", "memory", "timeout") else str(row["status"])


def packed(course: Course) -> dict[str, Any]:
    """A course as it is kept: a line for each aspect, so that the file's diff names what a change touches."""
    return {aspect: f"{len(rows)} {_digest(rows)} {_text(rows)}" for aspect, rows in course.items()}


def _text(rows: Rows) -> str:
    return base64.b85encode(lzma.compress(json.dumps(rows).encode(), preset=9)).decode()


def unpacked(aspects: Mapping[str, str]) -> Course:
    """The course of what `packed` gave."""
    texts = {aspect: text.split()[2] for aspect, text in aspects.items()}
    return {aspect: json.loads(lzma.decompress(base64.b85decode(text))) for aspect, text in texts.items()}


def differences(name: str, golden: Course, now: Course) -> list[str]:
    """One line for each aspect that differs, with the first row that does."""
    lines = []
    for aspect in golden | now:
        pairs = list(zip_longest(golden.get(aspect, []), now.get(aspect, [])))
        rows = [number for number, (old, new) in enumerate(pairs) if old != new]
        if rows or (aspect in golden) != (aspect in now):
            lines.append(f"campaign {name}, aspect {aspect}: {len(rows)} of {len(pairs)} rows differ")
        if rows:
            old, new = (json.dumps(row) if row is not None else "no row" for row in pairs[rows[0]])
            lines[-1] += f"; row {rows[0] + 1}: recorded {old}, now {new}"
    return lines


def main() -> None:
    """Runs the command line."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("command", choices=["record", "compare"])
    parser.add_argument("campaigns", nargs="*", help=f"by default all of {', '.join(CAMPAIGNS)}")
    parser.add_argument("--workers", type=int, default=2, help="sandbox slots at work [default: 2]")
    parser.add_argument("--golden", type=Path, default=GOLDEN, help="file of the recorded courses")
    options = parser.parse_args()
    if strange := [name for name in options.campaigns if name not in CAMPAIGNS]:
        parser.error(f"campaigns: got {', '.join(strange)}, expected some of {', '.join(CAMPAIGNS)}")
    python = ".".join(platform.python_version_tuple()[:2])
    golden = json.loads(options.golden.read_text()) if options.golden.is_file() else {"courses": {}}
    if options.command == "compare" and golden.get("python") != python:
        parser.error(f"{options.golden}: courses of Python {golden.get('python')}, and this is {python}")
    names = options.campaigns or list(CAMPAIGNS)
    courses = run_all(names, options.workers)
    if options.command == "record":
        golden["courses"] |= {name: packed(course) for name, course in courses.items()}
        kept = {"python": python, "courses": golden["courses"]}
        options.golden.write_text(json.dumps(kept, indent=1) + "\n")
        return
    lines = []
    for name in names:
        recorded = unpacked(golden["courses"].get(name, {}))
        lines += differences(name, recorded, courses[name])
    print("\n".join(lines) or f"{len(names)} campaigns take the recorded course")
    sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()

"""Small faults, one at a time, in what proves bounds and judges answers: do the tests find each?

    python benchmarks/mutants.py run               applies the drawn mutants that have no result yet
    python benchmarks/mutants.py run [NUMBERS] --again   applies those that live once more, or some of them
    python benchmarks/mutants.py table             prints the results
    python benchmarks/mutants.py harmless NUMBER   compares 200 fresh instances with and without a mutant

A mutant is one comparison, constant, sign, rounding or condition that is changed. They are drawn by a seed
that is fixed here, from the modules of `evaluators/` that compute bounds and optima and from what judges
answers in `problems/`. Each is put into a copy of the tree, where tests of its family run: differential ones,
all default ones, then the slow ones, until one fails. The same tests run once without a mutant before: where
they fail, the command ends, so that a red suite finds nothing. Results are kept in `mutants.json` after each
mutant.
"""

from __future__ import annotations

import argparse
import ast
import copy
import fcntl
import json
import math
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).with_suffix(".json")
SEED = 42
DRAWN = 200
FRESH = 200
"""Fresh instances on which a harmless mutant changes nothing."""
LIMITS = {"quick": 100.0, "default": 240.0, "slow": 420.0}
"""Stages of the tests of a mutant, with wall seconds: differential tests, all of the family, the slow ones.

Longer counts as found only if the tests without a mutant take at most a quarter of that.
"""
PASSED = {
    "classics": "__init__ tour_search",
    "bin_packing": "__init__ heuristics search certify",
    "placement": "__init__ fleet_packing",
    "smtt": "__init__ search store",
    "toolbox": "__init__ worker process reporter stopped called",
}
"""Modules that look for answers, store them or start processes: no bound is wrong through them alone."""
SKIPPED = re.compile(
    "improved|greedy|start|descend|search|inserted|best_place|_searched|_best_fit|_pack|_makespan|encode|decode"
    "|encode_pool|first_tour|_cheapest_price|best_prices|width|horizon|_table|_rows|_load"
)
"""Functions that look for answers, or store."""
JUDGES = ("verification", "churn_verification")
JUDGING = re.compile("judge|judge_fleet|judge_split|length|gpu_loads|pressures|cost|objective|makespan")
"""What judges an answer where a problem has no module for that."""
TIMES = re.compile(
    r"deadline|seconds|monotonic|spent|started|\bleft\b|random_seed|threads|version|\braise\b|note"
)
"""Lines on time limits, versions and words."""
D = "tests/evaluators/differential"
CLASSICS = {
    "tsp": f"{D}/test_tours.py tests/problems/classics/test_tsp.py",
    "cvrp": f"{D}/test_routes.py tests/problems/classics/test_cvrp.py",
    "orienteering": f"{D}/test_orienteering.py tests/problems/classics/test_orienteering.py",
    "flow_shop": f"{D}/test_flow_shops.py tests/problems/classics/test_flow_shop.py",
    "multi_knapsack": f"{D}/test_knapsacks.py tests/problems/classics/test_multi_knapsack.py",
}
CLASSICS |= {"capacity_cuts": CLASSICS["cvrp"], "customer_sets": CLASSICS["cvrp"]}
CLASSICS["cuts"] = f"{D}/test_tours.py {D}/test_orienteering.py tests/problems/classics/test_tsp.py"
SECOND = "tests/evaluators/test_second_proofs.py"
FOLDERS = {
    "bin_packing": f"{D}/test_bin_packing.py",
    "cluster": f"{D}/test_clusters.py",
    "graphs": f"{D}/test_task_graphs.py",
    "memory": f"{D}/test_memory.py",
    "placement": f"{D}/test_placement.py",
    "serving": f"{D}/test_serving.py {D}/test_bound.py",
    "shops": f"{D}/test_shops.py",
    "smtt": f"{D}/test_tardiness.py",
    "training": f"{D}/test_training.py",
}
T = "tests/evaluators/toolbox"
OTHER = {
    "intervals": "tests/evaluators/test_intervals.py",
    "numbers": "tests/app/plugins/test_far_beyond.py tests/evaluators/test_attained.py",
    "toolbox": f"{T}/test_conclusions.py {T}/test_reports_of_mip.py {T}",
}
BESIDE = re.compile("moves|dispatch|reading|files|taillard|sets|tables|rules_are|redrawn")
"""Test files of a family that compute no bound and judge no answer of their own."""

COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
SIGNS = {ast.Add: ast.Sub, ast.Sub: ast.Add}
ROUNDINGS = {
    "floor": "ceil",
    "ceil": "floor",
    "rint": "floor",
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
}


FORMER = {
    "evaluators/classics/tour_proof.py": "evaluators/classics/tsp.py",
    "evaluators/classics/route_proof.py": "evaluators/classics/cvrp.py",
    "evaluators/classics/prize_proof.py": "evaluators/classics/orienteering.py",
}
"""Module → its name at the draw, which a rename does not change."""


@dataclass(frozen=True)
class Mutant:
    """One change of one expression.

    Attributes:
        path, function, line: where the expression is.
        kind: comparison, constant, sign, rounding or condition.
        before, after: text of the expression.
        begin, end: bytes of the file that the new text replaces.
        nth: which one of equal changes in the function.
        text: the line.
    """

    path: str
    function: str
    line: int
    kind: str
    before: str
    after: str
    begin: int
    end: int
    nth: int
    text: str

    @property
    def key(self) -> str:
        """Names the mutant as long as its function stays, also in a file that got another name."""
        path = FORMER.get(self.path, self.path)
        return f"{path}:{self.function}: {self.before} → {self.after} ({self.nth})"


def changed(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Kinds and changed copies of an expression."""
    if isinstance(node, ast.Compare):
        for place, sign in enumerate(node.ops):
            if type(sign) in COMPARISONS:
                other = copy.deepcopy(node)
                other.ops[place] = COMPARISONS[type(sign)]()
                yield "comparison", other
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        more: Any = node.value + 1 if type(node.value) is int else node.value * 2 or 1.0
        yield "constant", ast.Constant(more)
    elif isinstance(node, ast.BinOp) and type(node.op) in SIGNS:
        yield "sign", ast.BinOp(node.left, SIGNS[type(node.op)](), node.right)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
        upper = ast.BinOp(ast.UnaryOp(ast.USub(), node.left), ast.FloorDiv(), node.right)
        yield "rounding", ast.UnaryOp(ast.USub(), upper)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        yield ("sign" if isinstance(node.op, ast.USub) else "condition"), node.operand
    elif isinstance(node, ast.BoolOp):
        other_sign = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "condition", ast.BoolOp(other_sign, node.values)
    elif isinstance(node, ast.Call):
        function = copy.deepcopy(node.func)
        name = getattr(function, "attr", getattr(function, "id", ""))
        if name in ROUNDINGS:
            setattr(function, "attr" if isinstance(function, ast.Attribute) else "id", ROUNDINGS[name])
            yield "rounding", ast.Call(function, node.args, node.keywords)


def expressions(node: ast.AST, function: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Expressions of a module that may be changed, each with its function."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr | ast.Assert):
                continue
            inner = child.name if isinstance(child, ast.FunctionDef | ast.ClassDef) else function
            yield inner, child
            yield from expressions(child, inner)


def mutants_of(path: Path, wanted: re.Pattern[str] | None) -> Iterator[Mutant]:
    """All mutants of a module, or of some of its functions alone."""
    text = path.read_bytes()
    lines = text.splitlines(keepends=True)
    starts = [0]
    seen = Counter[tuple[str, ...]]()
    for line in lines:
        starts.append(starts[-1] + len(line))
    for function, node in expressions(ast.parse(text)):
        if not isinstance(node, ast.expr) or SKIPPED.fullmatch(function):
            continue
        if wanted is not None and not wanted.fullmatch(function):
            continue
        if TIMES.search(b"".join(lines[node.lineno - 1 : node.end_lineno]).decode()):
            continue
        for kind, other in changed(node):
            after = ast.unparse(ast.fix_missing_locations(ast.Expression(other)))
            begin = starts[node.lineno - 1] + node.col_offset
            end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
            before = text[begin:end].decode()
            name = path.relative_to(ROOT).as_posix()
            seen[function, before, after] += 1
            nth = seen[function, before, after]
            line_text = lines[node.lineno - 1].decode().strip()
            yield Mutant(name, function, node.lineno, kind, before, after, begin, end, nth, line_text)


def sites() -> list[Mutant]:
    """All mutants, in the order of modules and lines."""
    found: list[Mutant] = []
    for family in (*FOLDERS, "classics", "toolbox"):
        passed = PASSED.get(family, "__init__ store best_known").split()
        for path in sorted((ROOT / "evaluators" / family).glob("*.py")):
            if path.stem not in passed:
                found += mutants_of(path, None)
        for path in sorted((ROOT / "problems" / family).glob("*.py")):
            found += mutants_of(path, None if path.stem in JUDGES else JUDGING)
    for name in ("intervals", "numbers"):
        found += mutants_of(ROOT / "evaluators" / f"{name}.py", None)
    return found


def drawn(number: int) -> list[Mutant]:
    """The first mutants by a hash with the seed; a longer draw begins with the shorter one.

    A change of one function leaves the order of the others' mutants as it was.
    """
    return sorted(sites(), key=lambda one: sha256(f"{SEED} {one.key}".encode()).hexdigest())[:number]


def tests_of(path: str, stage: str) -> list[str]:
    """Test files of a stage that exercise a module, the quickest to find a fault first."""
    every = all_tests_of(path)
    quick = [name for name in every if name.startswith(f"{D}/") or "toolbox/test" in name]
    return (quick or every[:1]) if stage == "quick" else every


def all_tests_of(path: str) -> list[str]:
    """Test files that exercise a module."""
    parts = Path(path).with_suffix("").parts
    family = parts[1]
    stem = parts[-1]
    own = [f"{D}/test_{stem}.py"] if (ROOT / D / f"test_{stem}.py").is_file() else []
    if family in OTHER:
        return [*own, *OTHER[family].split()]
    if family == "classics":
        names = CLASSICS.get(stem, f"{D} tests/problems/classics").split()
        return list(dict.fromkeys([*own, *names, SECOND]))
    folder = ROOT / "tests" / "problems" / family
    names = [one.relative_to(ROOT).as_posix() for one in sorted(folder.glob("test_*.py"))]
    beside = [name for name in names if not BESIDE.search(Path(name).name)]
    second = [SECOND] if family in ("smtt", "shops", "graphs", "placement") else []
    return list(dict.fromkeys([*own, *FOLDERS[family].split(), *beside, *second]))


def copied(folder: Path) -> Path:
    """A copy of the tree's files, named as the package is."""
    names = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    tree = folder / "gapsmith"
    for name in names:
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, tree / name)
    return tree


def put(tree: Path, path: str, text: bytes, moment: int) -> None:
    """Writes a module; a moment of its own keeps Python from taking compiled code of another text."""
    (tree / path).write_bytes(text)
    os.utime(tree / path, (moment, moment))


def serve() -> None:
    """Runs pytest for each line of input in a forked process, which finds all libraries imported."""
    import pytest

    for name in ("highspy", "hypothesis", "ortools.sat.python.cp_model", "pulp", "scipy.optimize", "typer"):
        import_module(name)
    for line in sys.stdin:
        job = json.loads(line)
        if child := os.fork():
            started = time.monotonic()
            while not (ended := os.waitpid(child, os.WNOHANG))[0]:
                if time.monotonic() > started + job["limit"]:
                    os.killpg(child, 9)
                    job["limit"] = math.inf
                time.sleep(0.1)
            print(json.dumps(os.waitstatus_to_exitcode(ended[1])), flush=True)
            continue
        os.setsid()
        os.chdir(job["tree"])
        sys.path[:0] = [str(Path(job["tree"]).parent)]
        os.environ["PYTHONPATH"] = sys.path[0]
        out = os.open(job["out"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(out, stream)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        code = pytest.main(job["words"])
        sys.stdout.flush()
        os._exit(code)


class Copy:
    """A copy of the tree, and the process that runs its tests."""

    def __init__(self, folder: Path) -> None:
        self.tree = copied(folder)
        self.out = folder / "out"
        words = ["nice", "-n", "15", sys.executable, __file__, "serve"]
        self.server = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/"
        )

    def tested(self, tests: list[str], marker: str) -> tuple[str, float, str]:
        """Outcome (`passed`, `failed`, `time`), wall seconds, and the test that failed."""
        assert self.server.stdin is not None
        assert self.server.stdout is not None
        words = ["-x", "-q", "-p", "no:cacheprovider", "--no-header", "--tb=no", *tests]
        words += [f"--timeout={LIMITS[marker] / 2:g}", *(["-m", "slow"] if marker == "slow" else [])]
        job = {"tree": str(self.tree), "out": str(self.out), "words": words, "limit": LIMITS[marker]}
        started = time.monotonic()
        print(json.dumps(job), file=self.server.stdin, flush=True)
        code = json.loads(self.server.stdout.readline())
        seconds = time.monotonic() - started
        out = self.out.read_text()
        if code == -9:
            return "time", seconds, ""
        if code in (0, 5):  # 5: no test has the marker
            return "passed", seconds, ""
        if code not in (1, 2):
            raise SystemExit(f"pytest ended with {code}: {out[-500:]}")
        first = re.search(r"^(?:FAILED|ERROR) (\S+)", out, re.MULTILINE)
        return "failed", seconds, first[1] if first else out[-300:]


class Run:
    """Results, kept in a file after each."""

    def __init__(self) -> None:
        document = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
        self.results: dict[str, Any] = document.get("results", {})
        self.checked: dict[str, tuple[str, float]] = {}
        self.lock = threading.Lock()
        self.sound = threading.Lock()

    def keep(self, key: str, result: dict[str, Any]) -> None:
        """Adds a result to the file."""
        with self.lock, Path(__file__).open() as alone:
            fcntl.flock(alone, fcntl.LOCK_EX)
            self.results = Run().results | {key: result}
            document = {"seed": SEED, "results": self.results}
            RESULTS.with_suffix(".new").write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
            RESULTS.with_suffix(".new").replace(RESULTS)

    def unspoiled(self, one: Copy, tests: list[str], marker: str) -> tuple[str, float]:
        """Outcome and wall seconds of the tests without a mutant, once a command, which a fault ends."""
        name = f"{marker} {' '.join(tests)}"
        with self.sound:
            if name not in self.checked:
                outcome, seconds, test = one.tested(tests, marker)
                if outcome == "failed":
                    raise SystemExit(f"{test}: fails without a mutant, so no failure of it counts")
                self.checked[name] = outcome, seconds
                print(f"     {outcome:8s} {seconds:6.1f} s  without a mutant: {name}", flush=True)
            return self.checked[name]

    def apply(self, one: Copy, mutant: Mutant, number: int, markers: list[str], tried: list[str]) -> None:
        """Tests one mutant in a copy of the tree."""
        tree = one.tree
        text = (tree / mutant.path).read_bytes()
        result = {"number": number, **asdict(mutant), "outcome": "alive", "test": "", "seconds": 0.0}
        result["tried"] = list(tried)
        spoiled = text[: mutant.begin] + b"(" + mutant.after.encode() + b")" + text[mutant.end :]
        for marker in markers:
            tests = tests_of(mutant.path, marker)
            sound, alone = self.unspoiled(one, tests, marker)
            if sound != "passed":
                print(f"{number:4d} {marker}: too long without a mutant, not tried", flush=True)
                continue
            put(tree, mutant.path, spoiled, 10**9 + number)
            outcome, seconds, test = one.tested(tests, marker)
            put(tree, mutant.path, text, 10**9 - 1)
            result["tried"].append(marker)
            result["seconds"] = round(result["seconds"] + seconds, 1)
            if outcome == "time" and alone > LIMITS[marker] / 4:
                outcome = "passed"
            if outcome != "passed":
                result |= {"outcome": "slow" if marker == "slow" else "default", "test": test or "over time"}
                break
        if not result["tried"]:
            return
        self.keep(mutant.key, result)
        print(
            f"{number:4d} {result['outcome']:8s} {result['seconds']:6.1f} s  {mutant.key}  {result['test']}",
            flush=True,
        )


def run(number: int, again: list[int] | None, workers: int, last: str) -> None:
    """Applies what has no result yet, two at a time; see the module."""
    book = Run()
    wanted = list(LIMITS)[: list(LIMITS).index(last) + 1]
    waiting = []
    for place, mutant in enumerate(drawn(number)):
        old = book.results.get(mutant.key, {"outcome": "alive", "tried": []})
        if again and place not in again:
            continue
        tried = old["tried"] if again is None else []
        markers = [marker for marker in wanted if marker not in tried]
        if old["outcome"] == "alive" and markers:
            waiting.append((mutant, place, markers, tried))
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies = [Copy(Path(folder) / str(worker)) for worker in range(workers)]

        def one(job: tuple[Mutant, int, list[str], list[str]]) -> None:
            copy_of_tree = copies.pop()
            try:
                book.apply(copy_of_tree, *job)
            finally:
                copies.append(copy_of_tree)

        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(one, waiting))
        for each in copies:
            each.server.kill()
    table(number)


def harmless(numbers: list[int]) -> None:
    """Compares what fresh instances give with and without mutants that live, by `mutants_probes.py`."""
    every = drawn(max(numbers) + 1)
    for number in numbers:
        mutant = every[number]
        seed = secrets.randbelow(2**32)
        said = []
        with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
            tree = copied(Path(folder))
            text = (ROOT / mutant.path).read_bytes()
            spoiled = text[: mutant.begin] + b"(" + mutant.after.encode() + b")" + text[mutant.end :]
            for moment, written in enumerate((text, spoiled), 10**9):
                put(tree, mutant.path, written, moment)
                words = [sys.executable, "benchmarks/mutants_probes.py", mutant.path, str(seed), str(FRESH)]
                variables = os.environ | {"PYTHONPATH": folder}
                said.append(
                    subprocess.run(["nice", *words], cwd=tree, env=variables, capture_output=True, text=True)
                )
        lines = said[0].stdout.splitlines()
        assert said[0].returncode == 0, said[0].stderr
        assert len(lines) == FRESH
        other = said[1].stdout.splitlines()
        same = sum(a == b for a, b in zip(lines, other, strict=False))
        print(
            f"{number:4d} {same} of {FRESH} equal, seed {seed}, {len(set(lines))} different  {mutant.key}",
            flush=True,
        )
        book = Run()
        if same == FRESH and mutant.key in book.results:
            book.keep(mutant.key, book.results[mutant.key] | {"outcome": "harmless", "fresh_seed": seed})


def table(number: int) -> None:
    """Prints the results."""
    results = Run().results
    kept = [results[mutant.key] for mutant in drawn(number) if mutant.key in results]
    counts = Counter(one["outcome"] for one in kept)
    print(f"{len(kept)} of {number} mutants (seed {SEED})")
    for outcome in ("default", "slow", "harmless", "alive"):
        print(f"{outcome:9s} {counts[outcome]:4d}  {counts[outcome] / max(1, len(kept)):6.1%}")
    for one in kept:
        if one["outcome"] in ("alive", "harmless"):
            where = f"{one['number']:4d} {one['outcome']} {one['path']}:{one['line']}"
            print(f"{where} {one['before']} → {one['after']} in: {one['text']}")


def main() -> None:
    """Parses the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("verb", choices=["run", "table", "list", "serve", "harmless"])
    parser.add_argument(
        "mutants", nargs="*", type=int, help="numbers of mutants, for `harmless` and `--again`"
    )
    parser.add_argument("--number", type=int, default=DRAWN)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--marker", choices=list(LIMITS), default="slow", help="the last marker to run")
    given = parser.parse_args()
    if given.verb == "run":
        run(given.number, given.mutants if given.again else None, given.workers, given.marker)
    elif given.verb == "serve":
        serve()
    elif given.verb == "harmless":
        harmless(given.mutants)
    elif given.verb == "table":
        table(given.number)
    else:
        for place, mutant in enumerate(drawn(given.number)):
            print(place, mutant.key, mutant.line, tests_of(mutant.path, given.marker))


if __name__ == "__main__":
    main()

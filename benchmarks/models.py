"""How much of a model's waiting time a campaign wastes, and how soon it asks its first question.

    python benchmarks/models.py                  1,000 proposals at 1 s latency, 8 and 64 in flight
    python benchmarks/models.py --proposals 200  a quick look
    python benchmarks/models.py --only faults    500 proposals, a fifth of the calls disturbed, under a cap

A loopback server process speaks the chat protocol and answers every request after a fixed latency with a new
program; the problem has one trivial instance a split. Ideal is ceil(N / k) x latency, where N is the number
of proposals or that of all calls, pages of notes among them; measured is the time from the first request's
arrival to the last outcome told.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SERVER = Path(__file__).parent.parent / "tests" / "evolve" / "llm" / "loopback.py"
REPLY = "Changed.\n```python\ndef solve(number):\n    return number + 5 + @N@\n```"
FAULTS = (
    "429", "429-after", "500", "503", "504", "cut", "reset", "none", "garbage", "array", "empty", "blank",
    "filter", "refusal", "length", "no-usage",
)  # fmt: skip
CAPS_USD = (5.0, 0.3)
"""One that is never reached, one that ends the campaign."""

KEPT = (
    "SELECT coalesce(sum(CAST(reserved_usd AS REAL)), 0) FROM calls "
    "WHERE state = 'requested' OR unknown_outcome OR (text IS NOT NULL AND cost_usd IS NULL)"
)

PROBLEM = '''
from gapsmith import Instance, Plugin, Reference, Verdict
from gapsmith.evaluators.base import ProofKind
from gapsmith.problems.base import Sense

NUMBERS = {"train": 1, "valid": 2, "test": 3}


class Trivial:
    """Return the number."""

    name, version, sense, unit = "trivial", "1", Sense.MINIMISE, "points"
    entry_point, signature, statement = "solve", "def solve(number: int) -> int:", "Return the number."

    def sets(self):
        return {name: f"the number {number}" for name, number in NUMBERS.items()}

    def instances(self, set, seed):
        return [Instance(f"{set}-1", set, "all", {"number": NUMBERS[set]}, 1, "fixed")]

    def start_programs(self):
        return {"start": "def solve(number):\\n    return number + 2000\\n"}

    def baselines(self):
        return {}

    def verify(self, instance, answer):
        if not isinstance(answer, int) or answer < instance.public["number"]:
            return Verdict.invalid("expected an integer, at least the number")
        return Verdict.valid(answer)


class References:
    version = "1"

    def reference(self, instance, seconds):
        value = instance.public["number"]
        return Reference.optimum(value, ProofKind.ARITHMETIC, "itself", "1", None, "fixed")


plugin = Plugin(Trivial, References())
'''


@contextmanager
def server(**script: Any) -> Iterator[str]:
    """Base URL of a loopback server process."""
    command = [sys.executable, "-I", str(SERVER), json.dumps(script)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.kill()
        process.wait()


def seen(url: str) -> dict[str, Any]:
    """What the server has seen."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url.removesuffix("/v1") + "/seen") as response:
        found: dict[str, Any] = json.load(response)
    return found


def campaign(
    folder: Path, url: str, proposals: int, in_flight: int, budget: str = "", model: str = ""
) -> tuple[float, Path, dict[str, Any]]:
    """Runs a campaign by its command; returns when it started (Unix seconds), its folder and its summary.

    `budget` and `model` are further lines of those tables of its configuration.
    """
    (folder / "trivial.py").write_text(PROBLEM)
    (folder / "campaign.toml").write_text(
        f'[campaign]\nproblem = "{folder / "trivial.py"}"\nin_flight = {in_flight}\n'
        f"[search]\ntune_share = 0\n[budget]\niterations = {proposals}\n{budget}\n"
        f'[[model]]\nspec = "openai/loopback"\nbase_url = "{url}"\n{model}\n'
    )
    command = [sys.executable, "-m", "gapsmith.cli", "run", str(folder / "campaign.toml"), "--json"]
    started = time.time()
    done = subprocess.run(
        [*command, "--runs", str(folder / "runs")], stdout=subprocess.PIPE, check=True, env=_environment()
    )
    document = json.loads(done.stdout)
    return started, next((folder / "runs").glob("*/archive.sqlite")).parent, document


def _environment() -> dict[str, str]:
    """The environment without proxies, and with bytecode kept: an installed package has its own."""
    unset = "PYTHONDONTWRITEBYTECODE"
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    return {name: value for name, value in kept.items() if name != unset}


def throughput(proposals: int, in_flight: int, latency: float) -> dict[str, Any]:
    """Efficiency of a campaign in percent of the ideal, and what it did."""
    with tempfile.TemporaryDirectory() as place, server(latency=latency, replies=[REPLY]) as url:
        _, run, document = campaign(Path(place), url, proposals, in_flight)
        arrived = seen(url)
        store = sqlite3.connect(run / "archive.sqlite")
        (told,) = store.execute("SELECT max(told_at) FROM iterations").fetchone()
        store.close()
    span = told - min(request["at"] for request in arrived["requests"])
    calls = len(arrived["requests"])
    ideal, of_calls = (math.ceil(count / in_flight) * latency for count in (proposals, calls))
    return {
        "in_flight": in_flight,
        "proposals": proposals,
        "most_in_flight": arrived["most_flying"],
        "evaluations": document["evaluations"],
        "seconds": round(span, 2),
        "ideal_seconds": ideal,
        "efficiency_percent": round(100 * ideal / span, 1),
        "calls": calls,
        "efficiency_of_calls_percent": round(100 * of_calls / span, 1),
    }


def disturbed(proposals: int, share: float, cap: float) -> dict[str, Any]:
    """What became of the replies and the money of a campaign of which a share of the calls is disturbed."""
    rng = random.Random(1)
    faults = [rng.choice(FAULTS) if rng.random() < share else "ok" for _ in range(4 * proposals)]
    model = "timeout_seconds = 2\nmax_output_tokens = 300\nprice_in_usd_per_million = 1\n"
    model += "price_out_usd_per_million = 5"
    with (
        tempfile.TemporaryDirectory() as place,
        server(latency=0.05, replies=[REPLY], faults=faults) as url,
    ):
        _, run, document = campaign(Path(place), url, proposals, 16, f"usd = {cap}", model)
        arrived = seen(url)
        store = sqlite3.connect(run / "archive.sqlite")
        texts = [text for (text,) in store.execute("SELECT text FROM calls WHERE state = 'replied'")]
        spent = store.execute("SELECT coalesce(sum(cost_usd), 0) FROM calls").fetchone()[0]
        kept = store.execute(KEPT).fetchone()[0]
        (sent,) = store.execute("SELECT count(*) FROM calls").fetchone()
        store.close()
    numbered = [text for text in texts if "+ 5 +" in text]
    return {
        "proposals": document["iterations"],
        "requests": len(arrived["requests"]),
        "disturbed": sum(request["fault"] != "ok" for request in arrived["requests"]),
        "calls_recorded": sent,
        "good_replies_sent": arrived["given"],
        "good_replies_recorded": len(numbered),
        "recorded_twice": len(numbered) - len(set(numbered)),
        "spent_usd": round(spent, 4),
        "kept_usd": round(kept, 4),
        "cap_usd": cap,
        "ended_by": document["stop_reason"],
    }


def first_request(repeats: int) -> dict[str, Any]:
    """Seconds from the start of the command to its first request, beside those of `import openai`.

    One start before them is not counted: it writes the bytecode of modules that have none.
    """
    starts, imports = [], []
    for _ in range(1 + repeats):
        began = time.time()
        subprocess.run([sys.executable, "-c", "import openai"], check=True, env=_environment())
        imports.append(time.time() - began)
        with tempfile.TemporaryDirectory() as place, server(replies=[REPLY]) as url:
            started, _, _ = campaign(Path(place), url, 1, 1)
            starts.append(min(request["at"] for request in seen(url)["requests"]) - started)
    starts, imports = starts[1:], imports[1:]
    return {
        "first_request_seconds": round(statistics.median(starts), 2),
        "import_openai_seconds": round(statistics.median(imports), 2),
        "difference_seconds": round(
            statistics.median(a - b for a, b in zip(starts, imports, strict=True)), 2
        ),
    }


def main() -> None:
    """Measures and prints one JSON object a line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--proposals", type=int, default=1000, help="proposals of each campaign (count)")
    parser.add_argument("--latency", type=float, default=1.0, help="of the server (seconds)")
    parser.add_argument(
        "--in-flight", type=int, nargs="*", default=[8, 64], help="proposals in flight (count)"
    )
    parser.add_argument("--only", choices=["start", "throughput", "faults"], help="one part alone")
    parser.add_argument("--starts", type=int, default=5, help="measurements of the start (count)")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    print(json.dumps({"processors": os.cpu_count(), "load_before": round(load, 1)}))
    if options.only in (None, "start"):
        print(json.dumps(first_request(options.starts)), flush=True)
    for in_flight in options.in_flight if options.only in (None, "throughput") else ():
        print(json.dumps(throughput(options.proposals, in_flight, options.latency)), flush=True)
    if options.only in (None, "faults"):
        for cap in CAPS_USD:
            print(json.dumps(disturbed(500, 0.2, cap)), flush=True)
    print(json.dumps({"load_after": round(os.getloadavg()[0], 1)}))


if __name__ == "__main__":
    main()

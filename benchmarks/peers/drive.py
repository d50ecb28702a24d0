"""Runs one tool on one problem against the mail server, and leaves its champion and its tokens.

    python benchmarks/peers/drive.py TOOL PROBLEM FOLDER --calls 30 [--seed 1] [--answers REPLIES.json]
                                     [--turns 12] [--evaluations 6] [--openevolve PYTHON]

Tools: `gapsmith` (`--turns` above 1 gives episodes), `best-of-n` (Gapsmith's control: independent changes of
the start program), `openevolve` (installed in an environment of its own, whose Python is named). All begin
with the problem's start program, see training instances alone (Gapsmith validates its leaders besides) and
choose their champion by their own rule. FOLDER gets `mail/` (prompts, replies, tokens), the tool's own files,
`champion.py` and `result.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
MOST_OUTPUT_TOKENS = 16_384

EVALUATOR = '''"""Minus the mean gap in training, by Gapsmith's sealed evaluation."""

import json
import subprocess

COMMAND = {command!r}


def evaluate(path):
    done = subprocess.run([*COMMAND, path, "--split", "train", "--json"], capture_output=True, text=True)
    try:
        document = json.loads(done.stdout)
        rows = document["instances"]
    except (ValueError, KeyError):
        return {{"combined_score": -1000.0, "error": (done.stderr or done.stdout)[-500:]}}
    gaps = [row["gap_percent"] for row in rows]
    if None in gaps:
        return {{"combined_score": -1000.0, "error": str(rows[gaps.index(None)]["message"])[:500]}}
    return {{"combined_score": -sum(gaps) / len(gaps)}}
'''


def start_of(problem: str) -> tuple[str, str]:
    """The problem's first start program and the statement with the signature."""
    from gapsmith.app.plugins.loader import load_problem

    found = load_problem(problem).problem
    text = next(iter(found.start_programs().values()))
    return text, f"{found.statement.strip()}\n\nThe program defines:\n\n{found.signature.strip()}\n"


def gapsmith(options: argparse.Namespace, url: str) -> str:
    """The champion of a campaign."""
    import gapsmith

    os.environ["OPENAI_BASE_URL"] = url
    settings: dict[str, Any] = {"model.timeout_seconds": 86_400, "model.outage_seconds": 86_400}
    if options.tool == "gapsmith" and options.turns > 1:
        settings |= {"episode.turns": options.turns, "episode.evaluations": options.evaluations}
    start, _ = start_of(options.problem)
    result = gapsmith.run_campaign(
        options.problem,
        model="openai/mail",
        iterations=options.calls,
        seed=options.seed,
        start=start,
        control="best-of-n" if options.tool == "best-of-n" else None,
        runs=options.folder / "runs",
        settings=settings,
    )
    champion = result.champion
    if champion is None:
        raise SystemExit("the campaign ended without a champion")
    return champion.source


def openevolve(options: argparse.Namespace, url: str) -> str:
    """The best program of an OpenEvolve run: three islands, the statement as system message."""
    if options.openevolve is None:
        raise SystemExit("--openevolve PYTHON: name the Python of the environment that has openevolve")
    place = options.folder / "openevolve"
    place.mkdir(parents=True, exist_ok=True)
    start, statement = start_of(options.problem)
    (place / "start.py").write_text(f"# EVOLVE-BLOCK-START\n{start}# EVOLVE-BLOCK-END\n", "utf-8")
    command = [sys.executable, "-m", "gapsmith.cli", "evaluate", options.problem]
    (place / "evaluator.py").write_text(EVALUATOR.format(command=command), "utf-8")
    model = {"name": "mail", "weight": 1.0}
    configuration = {
        "max_iterations": options.calls,
        "random_seed": options.seed,
        "diff_based_evolution": False,
        "llm": {
            "api_base": url, "api_key": "none", "models": [model], "evaluator_models": [model],
            "max_tokens": MOST_OUTPUT_TOKENS, "timeout": 86_400, "retries": 0,
        },
        "prompt": {"system_message": statement},
        "database": {"num_islands": 3},
        "evaluator": {"timeout": 3_600, "cascade_evaluation": False, "parallel_evaluations": 1},
    }  # fmt: skip
    (place / "config.yaml").write_text(json.dumps(configuration), "utf-8")  # JSON is YAML
    program = "import sys; from openevolve.cli import main; sys.exit(main())"
    words = [options.openevolve, "-c", program, "start.py", "evaluator.py", "--config", "config.yaml"]
    subprocess.run([*words, "--output", "out"], cwd=place, check=True)
    return (place / "out" / "best" / "best_program.py").read_text("utf-8")


def main() -> None:
    """Starts the server and the tool, and writes what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tool", choices=["gapsmith", "best-of-n", "openevolve"])
    parser.add_argument("problem")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--calls", type=int, default=30, help="iterations of the tool")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--answers", type=Path, help="JSON list of replies in place of files")
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--evaluations", type=int, default=6)
    parser.add_argument("--openevolve", help="Python of the environment that has openevolve")
    options = parser.parse_args()
    options.folder = options.folder.resolve()
    mail = options.folder / "mail"
    words = [sys.executable, str(HERE / "mail_server.py"), str(mail)]
    words += [] if options.answers is None else ["--answers", str(options.answers)]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        url = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
        text = openevolve(options, url) if options.tool == "openevolve" else gapsmith(options, url)
    finally:
        server.kill()
        server.wait()
    (options.folder / "champion.py").write_text(text, "utf-8")
    calls = [json.loads(line) for line in (mail / "calls.jsonl").read_text("utf-8").splitlines()]
    total = {name: sum(call[name] for call in calls) for name in ("in", "cached", "out")}
    price = total["out"] + total["in"] - total["cached"] + total["cached"] / 10
    found = {"tool": options.tool, "problem": options.problem, "seed": options.seed, "turns": options.turns,
             "calls": len(calls), "tokens": total, "tokenizer": calls[0]["tokenizer"], "price_tokens": price,
             "lines": len(text.splitlines())}  # fmt: skip
    (options.folder / "result.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    print(json.dumps(found))


if __name__ == "__main__":
    main()

"""Evidence of the heuristics in `gallery/`, and the page `docs/discoveries.md` that shows it.

    python benchmarks/gallery.py measure ENTRY   runs an entry's programs anew (minutes), writes evidence.json
    python benchmarks/gallery.py page            writes docs/discoveries.md from all entries

An entry is a folder of `gallery/` with `found.py` (the program of the campaign), `simplified.py` where
`gapsmith simplify` took something away, `entry.toml` (what a person wrote, and how to take one part out of
the program, and baselines of the problem's other form as rivals) and `evidence.json` (what was measured).
`measure` runs each program and each baseline as `gapsmith evaluate` does, and compares `found.py` with each
of them instance by instance.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gapsmith.app.audit.evaluation import evaluate_program
from gapsmith.app.door.plugins import load_problem
from gapsmith.app.opening.setup import Setup
from gapsmith.app.verbs.flags import build_config
from gapsmith.evaluators.base import Reference, ReferenceKind
from gapsmith.evaluators.statistics import paired, wins_ties_losses
from gapsmith.sandbox.base import MAIN_FILE

ROOT = Path(__file__).resolve().parents[1]
GALLERY = ROOT / "gallery"
PAGE = ROOT / "docs" / "discoveries.md"
PINNED = 2
"""Instances (count) whose objectives the default test asks for again."""


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("measure").add_argument("entry", choices=folders())
    verbs.add_parser("page")
    arguments = parser.parse_args()
    if arguments.verb == "measure":
        evidence = measure(GALLERY / arguments.entry)
        text = json.dumps(evidence, indent=1, ensure_ascii=False) + "\n"
        (GALLERY / arguments.entry / "evidence.json").write_text(text, "utf-8")
    else:
        PAGE.write_text(page(), "utf-8")


def folders() -> list[str]:
    """All entries, in alphabetical order, also those that are not measured yet."""
    return sorted(file.parent.name for file in GALLERY.glob("*/entry.toml"))


def names() -> list[str]:
    """The entries of the page: those with evidence."""
    return [name for name in folders() if (GALLERY / name / "evidence.json").exists()]


def entry_of(folder: Path) -> dict[str, Any]:
    """What a person wrote about an entry."""
    return tomllib.loads((folder / "entry.toml").read_text("utf-8"))


def measure(folder: Path) -> dict[str, Any]:
    """The evidence of an entry: a table for each set, and objectives to ask for again."""
    entry = entry_of(folder)
    tables = [table(folder, entry, one["set"], one.get("seed", 1)) for one in entry["tables"]]
    first = tables[0]
    pinned = dict(list(first.pop("objectives").items())[:PINNED])
    for other in tables[1:]:
        del other["objectives"]
    return {
        "pinned": {"set": first["set"], "seed": first["seed"], "objectives": pinned},
        "tables": tables,
    }


def table(folder: Path, entry: Mapping[str, Any], set_name: str, seed: int) -> dict[str, Any]:
    """Every program of an entry and every baseline on one set, each compared with `found.py`."""
    forms = programs(folder, entry)
    sources = {**forms, **load_problem(entry["problem"]).problem.baselines()}
    setup = opened(entry, set_name, seed)
    judged = {}
    for name, source in sources.items():
        judged[name] = evaluate_program(setup, set_name, {MAIN_FILE: source}, name, with_baselines=False)
        print(f"{folder.name}, {set_name}: {name}", flush=True)
    for rival in entry.get("rivals", ()):
        name, other = rival["baseline"], opened({"problem": rival["problem"]}, set_name, seed)
        source = other.loaded.problem.baselines()[name]
        label = f"{name} of {rival['problem']}"
        judged[label] = evaluate_program(other, set_name, {MAIN_FILE: source}, name, with_baselines=False)
    own = gaps(judged["found.py"])
    rows = []
    for name, document in judged.items():
        rows.append({"program": name, "kind": "form" if name in forms else "baseline", **figures(document)})
        if name != "found.py":
            other = gaps(document)
            both = [id for id in own if id in other]
            result = paired([own[id] for id in both], [other[id] for id in both])
            counts = wins_ties_losses((own[id], other[id]) for id in both)
            rows[-1]["pair"] = {**counts, "difference": result.difference, "p": result.p_value}
    objectives = {row["instance"]: row["objective"] for row in judged["found.py"]["instances"]}
    return {
        "set": set_name,
        "seed": seed,
        "proof": proof(list(setup.evaluator.references.values())),
        "rows": rows,
        "objectives": objectives,
    }


def programs(folder: Path, entry: Mapping[str, Any]) -> dict[str, str]:
    """The program as found, as simplified, and without each of its parts: name → source text.

    Raises:
        ValueError: `entry.toml` names a text that does not stand in `found.py`.
    """
    forms = {"found.py": (folder / "found.py").read_text("utf-8")}
    if (folder / "simplified.py").exists():
        forms["simplified.py"] = (folder / "simplified.py").read_text("utf-8")
    for part in entry["without"]:
        text = forms["found.py"]
        for old, new in part["changes"]:
            if old not in text:
                raise ValueError(f"{folder.name}: got {old!r} in entry.toml, expected a text of found.py")
            text = text.replace(old, new)
        forms[part["name"]] = text
    return forms


def opened(entry: Mapping[str, Any], set_name: str, seed: int) -> Setup:
    """An entry's problem on one set, under the entry's settings, as `gapsmith evaluate` opens it."""
    keys = [*entry.get("settings", ()), f"evaluation.instance_seed={seed}"]
    return Setup.from_problem(build_config(entry["problem"], keys, workers=1), sets=[set_name])


def gaps(document: Mapping[str, Any]) -> dict[str, float]:
    """Gap in percent of each instance that has a valid answer and a ratio."""
    rows = [row for row in document["instances"] if row["status"] == "ok"]
    return {row["instance"]: row["gap_percent"] for row in rows if row["gap_percent"] is not None}


def figures(document: Mapping[str, Any]) -> dict[str, Any]:
    """Mean gap with its interval, ratio of sums (percent), mean CPU time (ms), and instances (counts)."""
    failed = sum(row["status"] != "ok" for row in document["instances"])
    summary, cpu = document["summary"], document["summary"]["cpu_seconds_mean"]
    return {
        "gap": summary["mean_gap_percent"],
        "interval": summary["mean_gap_ci95_percent"],
        "ratio_of_sums": summary["ratio_of_sums_percent"],
        "cpu_ms": None if cpu is None else 1000 * cpu,
        "instances": len(document["instances"]),
        "failed": failed,
    }


def proof(references: Sequence[Reference]) -> dict[str, Any]:
    """How many references are proven optima, by what, and the wall time of a proof (milliseconds)."""
    proven = [one for one in references if one.kind is ReferenceKind.OPTIMUM]
    times = sorted(one.seconds for one in proven if one.seconds is not None)
    return {
        "instances": len(references),
        "proven": len(proven),
        "solvers": sorted({str(one.solver) for one in proven}),
        "median_ms": 1000 * times[len(times) // 2] if times else None,
        "p90_ms": 1000 * times[9 * len(times) // 10] if times else None,
    }


def page() -> str:
    """The page of all entries."""
    entries = {name: entry_of(GALLERY / name) for name in names()}
    parts = [INTRODUCTION.format(number=len(entries))]
    parts.append("| heuristic | problem | campaign | new or a rediscovery |\n|---|---|---|---|")
    parts[-1] += "".join(
        f"\n| [{one['title']}](#{anchor(one['title'])}) | `{one['problem']}` "
        f"| {one['campaign']['kind']} | {one['status']} |"
        for one in entries.values()
    )
    parts += [section(name, entry) for name, entry in entries.items()]
    parts.append(LEFT_OUT)
    return "\n\n".join(parts) + "\n"


INTRODUCTION = """# Discoveries

Heuristics that campaigns found, each with its evidence. The gallery begins with {number} entries. No entry
ships as founder, primitive or move of its problem.

How to read an entry:

- `found.py` is the program as the campaign left it, `simplified.py` what `gapsmith simplify` made of it
  where it took something away. Both are in the entry's folder under `gallery/`; copy either into your code.
- The campaign of an entry never saw the instances of its tables: they are drawn with another instance seed,
  or are a named set that the campaign did not use.
- *Gap* is the mean of ratios above the reference in percent, with a 95 % interval over instances; large
  references dominate the *ratio of sums*. Instances whose reference is 0 have no gap. *CPU* is the mean time
  of an instance, measured on a busy machine, the sandbox's own few milliseconds included: compare times
  within one table only.
- *Better, equal, worse* count the instances on which `found.py` has the smaller, the same and the larger gap
  than the program of the row. *p* is a two-sided paired sign-flip test of the mean gap, not corrected for the
  number of rows.
- `python benchmarks/gallery.py measure ENTRY` measures an entry anew, and `python benchmarks/gallery.py page`
  writes this page from the entries."""


LEFT_OUT = """## Left out

Campaigns of the offline proposer (`gapsmith run` with these words) that brought nothing better than the best
baseline beyond noise, each on the test instances of its own seed 1:

| command | champion | best baseline |
|---|---|---|
| `expert-placement --seed 1 --iterations 80 --set evaluation.secret=` | 0.95 % | 0.97 %, `eplb-swaps` |
| `task-graph-rule --seed 1 --iterations 60` | the baseline | 13.91 %, `rank-optimistic` |
| `blocking-job-shop-rule --seed 1 --iterations 80` | the baseline | 30.72 %, `mwkr` |"""


def anchor(title: str) -> str:
    """The fragment that the site gives a heading."""
    return "-".join("".join(c for c in title.lower() if c.isalnum() or c in " -").split())


def section(name: str, entry: Mapping[str, Any]) -> str:
    """One entry: program, words, tables and commands."""
    folder = GALLERY / name
    evidence = json.loads((folder / "evidence.json").read_text("utf-8"))
    parts = [
        f"## {entry['title']}",
        f"Folder `gallery/{name}`, problem `{entry['problem']}`. {entry['what'].strip()}",
    ]
    shortest = list(programs(folder, {"without": []}).values())[-1]
    source = shortest.strip()
    if len(source.splitlines()) <= entry.get("lines_shown", 40):
        parts.append(f"```python\n{source}\n```")
    parts.append(f"**Parts.** {entry['parts'].strip()}")
    parts.append(f"**New or not.** {entry['new'].strip()}")
    parts += [measured(one, words) for one, words in zip(evidence["tables"], entry["tables"], strict=True)]
    proofs = f"{exact(evidence['tables'][0]['proof'])} {entry['exact'].strip()}"
    parts.append(f"**The exact method.** {proofs}")
    parts.append(f"**Where it fails.** {entry['fails'].strip()}")
    commands = [*entry["campaign"]["replay"], *entry["campaign"]["prove"]]
    parts.append(f"**Again.** {entry['campaign']['words'].strip()}")
    parts.append("```sh\n" + "\n".join(commands) + f"\npython benchmarks/gallery.py measure {name}\n```")
    return "\n\n".join(parts)


def measured(evidence: Mapping[str, Any], words: Mapping[str, Any]) -> str:
    """The table of one set."""
    rows: Sequence[dict[str, Any]] = evidence["rows"]
    lines = [f"{words['words'].strip()} (set `{evidence['set']}`, instance seed {evidence['seed']}, "]
    lines[0] += f"{rows[0]['instances']} instances):\n"
    lines.append(
        "| program | gap % [95 %] | ratio of sums % | CPU ms | better, equal, worse | p |\n"
        "|---|---:|---:|---:|---:|---:|"
    )
    for row in rows:
        gap = "–"
        if row["gap"] is not None:
            gap = f"{row['gap']:.2f} [{row['interval'][0]:.2f}, {row['interval'][1]:.2f}]"
        failed = f", {row['failed']} failed" if row["failed"] else ""
        pair = row.get("pair")
        counts, p = "", ""
        if pair is not None:
            counts = f"{pair['wins']}, {pair['ties']}, {pair['losses']}"
            p = "–" if pair["p"] is None else f"{pair['p']:.2g}" if pair["p"] >= 1e-4 else "< 0.0001"
        label = (
            f"`{row['program']}`"
            if row["kind"] == "baseline" or row["program"].endswith(".py")
            else row["program"]
        )
        sums = "–" if row["ratio_of_sums"] is None else f"{row['ratio_of_sums']:.2f}"
        cpu = "–" if row["cpu_ms"] is None else f"{row['cpu_ms']:.0f}"
        lines.append(f"| {label}{failed} | {gap} | {sums} | {cpu} | {counts} | {p} |")
    return "\n".join(lines)


def exact(evidence: Mapping[str, Any]) -> str:
    """The sentence on proofs."""
    if not evidence["proven"]:
        return f"None of the {evidence['instances']} references of the first table is a proven optimum."
    text = (
        f"{evidence['proven']} of the {evidence['instances']} references of the first table are proven optima"
    )
    if evidence["median_ms"] is None:
        return text + "."
    median, most = (f"{evidence[key]:,.1f} ms" for key in ("median_ms", "p90_ms"))
    return f"{text}; a proof takes {median} of wall time in the median, {most} at the 90th percentile."


if __name__ == "__main__":
    main()

"""Evidence of the heuristics in `gallery/`, and the pages below `docs/gallery/` that show it.

    python benchmarks/gallery.py measure ENTRY   runs an entry's programs anew (minutes), writes evidence.json
    python benchmarks/gallery.py show ENTRY      prints all rows of an entry, and the commands that repeat it
    python benchmarks/gallery.py pictures        draws docs/gallery/ENTRY.svg of all entries
    python benchmarks/gallery.py readme          writes gallery/README.md, the list for readers of a clone

The site's pages are made from the entries when it is built (`docs/site/pages.py`).

An entry is a folder of `gallery/` with `found.py` (the program of the campaign), `simplified.py` (a shorter
or faster form), `champion.py` where the campaign went on to a slower program, `entry.toml` (what a person
wrote, how to take one part out of the program, baselines of the problem's other form as rivals, the sets, the
deterministic seconds after which the solver is stopped, `only` some programs on a set) and `evidence.json`
(what was measured).
`measure` runs each program and each baseline as `gapsmith evaluate` does, and compares `found.py` with each
of them instance by instance.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gapsmith.app.analysis.evaluate import evaluate_program, stopped_solver
from gapsmith.app.commands.options import build_config
from gapsmith.app.formatting import time_words
from gapsmith.app.plugins.loader import load_problem
from gapsmith.app.setup.prepare import setup_of_problem
from gapsmith.app.setup.setup import Setup
from gapsmith.app.setup.timing import measured as timing_of
from gapsmith.app.views.plots.canvas import BLUE, GREEN, GREY, ORANGE, fit_losses, new_axes, render, styled
from gapsmith.evaluators.base import Reference, ReferenceKind
from gapsmith.evaluators.figures import of_evaluation
from gapsmith.evaluators.intervals import mean_interval
from gapsmith.evaluators.statistics import paired, wins_ties_losses
from gapsmith.evolve.timing import edge, time_class
from gapsmith.sandbox.base import MAIN_FILE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROOT = Path(__file__).resolve().parents[1]
TICKS = [number * 10.0**power for power in range(-3, 5) for number in (1, 2, 5)]
GALLERY = ROOT / "gallery"
PICTURES = ROOT / "docs" / "gallery"
FORMS = ("found.py", "simplified.py", "champion.py")
LINES_SHOWN = 12
"""The longest program (lines) that its page prints."""
PINNED = 2
"""Instances (count) whose objectives the default test asks for again."""


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("measure").add_argument("entry", choices=folders())
    verbs.add_parser("show").add_argument("entry", choices=names())
    verbs.add_parser("pictures")
    verbs.add_parser("readme")
    arguments = parser.parse_args()
    if arguments.verb == "measure":
        evidence = measure(GALLERY / arguments.entry)
        text = json.dumps(evidence, indent=1, ensure_ascii=False) + "\n"
        (GALLERY / arguments.entry / "evidence.json").write_text(text, "utf-8")
    elif arguments.verb == "show":
        print(full_tables(arguments.entry))
    elif arguments.verb == "readme":
        (GALLERY / "README.md").write_text(readme(), "utf-8")
    else:
        for name in names():
            (PICTURES / f"{name}.svg").write_bytes(picture(name))


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
    tables = [table(folder, entry, one) for one in entry["tables"]]
    first = tables[0]
    pinned = dict(list(first.pop("objectives").items())[:PINNED])
    for other in tables[1:]:
        del other["objectives"]
    return {
        "pinned": {"set": first["set"], "seed": first["seed"], "objectives": pinned},
        "tables": tables,
    }


def table(folder: Path, entry: Mapping[str, Any], words: Mapping[str, Any]) -> dict[str, Any]:
    """Every program of an entry, every baseline and CP-SAT on one set, each beside `found.py`."""
    set_name, seed = words["set"], words.get("seed", 1)
    forms = programs(folder, entry)
    sources = {**forms, **load_problem(entry["problem"]).problem.baselines()}
    sources = {name: sources[name] for name in words.get("only", sources)}
    setup = opened(entry, set_name, seed)
    judged = {}
    for name, source in sources.items():
        judged[name] = evaluate_program(setup, set_name, {MAIN_FILE: source}, name, with_baselines=False)
        print(f"{folder.name}, {set_name}: {name}", flush=True)
    for rival in () if "only" in words else entry.get("rivals", ()):
        name, other = rival["baseline"], opened({**entry, "problem": rival["problem"]}, set_name, seed)
        source = other.loaded.problem.baselines()[name]
        label = f"{name} of {rival['problem']}"
        judged[label] = evaluate_program(other, set_name, {MAIN_FILE: source}, name, with_baselines=False)
    own = gaps(judged["found.py"])
    rows = []
    for name, document in judged.items():
        rows.append({"program": name, "kind": "form" if name in forms else "baseline", **figures(document)})
        if name != "found.py":
            rows[-1]["pair"] = pair(own, gaps(document))
    for effort in words.get("efforts", ()):
        rows.append(stopped(setup, set_name, effort, own))
    objectives = {row["instance"]: row["objective"] for row in judged["found.py"]["instances"]}
    slot = setup.open_slot()
    try:
        floor = timing_of(slot, setup.policy).floor_seconds
    finally:
        slot.close()
    return {
        "set": set_name,
        "seed": seed,
        "floor_ms": 1000 * floor,
        "proof": proof(list(setup.evaluator.references.values())),
        "rows": rows,
        "objectives": objectives,
    }


def pair(own: Mapping[str, float], other: Mapping[str, float]) -> dict[str, Any]:
    """The paired comparison of two programs, gaps in percent by instance."""
    both = [id for id in own if id in other]
    result = paired([own[id] for id in both], [other[id] for id in both])
    counts = wins_ties_losses((own[id], other[id]) for id in both)
    return {**counts, "difference": result.difference, "interval": result.ci95, "p": result.p_value}


def stopped(setup: Setup, set_name: str, effort: float, own: Mapping[str, float]) -> dict[str, Any]:
    """The row of the problem's solver, one thread, stopped after deterministic seconds."""
    ((name, evaluation),) = stopped_solver(setup, set_name, [effort], lambda what, done, total: None).items()
    print(f"{name}, {set_name}", flush=True)
    instances = setup.evaluator.instances(set_name)
    summary = of_evaluation(evaluation, instances).as_json()
    answers = {one.instance: 100 * float(one.gap) for one in evaluation.scores if one.gap is not None}
    return {
        "program": name,
        "kind": "exact",
        "gap": sum(answers.values()) / len(answers) if answers else None,
        "interval": mean_interval(list(answers.values())),
        "ratio_of_sums": summary["ratio_of_sums_percent"],
        "cpu_ms": 1000 * summary["cpu_seconds_mean"],
        "instances": len(instances),
        "failed": len(instances) - len(answers),
        "pair": pair(own, answers),
    }


def programs(folder: Path, entry: Mapping[str, Any]) -> dict[str, str]:
    """The program as found, its other forms, and without each of its parts: name → source text.

    Raises:
        ValueError: `entry.toml` names a text that does not stand in `found.py`.
    """
    forms = {name: (folder / name).read_text("utf-8") for name in FORMS if (folder / name).exists()}
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
    return setup_of_problem(build_config(entry["problem"], keys, workers=1), sets=[set_name])


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


def pages() -> dict[str, str]:
    """File name below `docs/gallery/` → Markdown: the index, and a page for each entry."""
    entries = {name: entry_of(GALLERY / name) for name in names()}
    parts = [INTRODUCTION.format(number=len(entries)), list_of_entries(entries, "{}.md"), LEFT_OUT]
    return {"index.md": "\n\n".join(parts) + "\n"} | {
        f"{name}.md": entry_page(name, entry) for name, entry in entries.items()
    }


def list_of_entries(entries: Mapping[str, Mapping[str, Any]], link: str) -> str:
    """The table of all entries; `link` is the target of an entry's title, with `{}` for its name."""
    rows = [
        f"| [{one['title']}]({link.format(name)}) | `{one['problem']}` "
        f"| {'a model' if 'cassette' in one else 'search alone'} | {' | '.join(headline(name))} "
        f"| {one['status']} |"
        for name, one in entries.items()
    ]
    head = [
        "| heuristic | problem | found by | gap % | best baseline % | references | new or a rediscovery |",
        "|---|---|---|---:|---:|---|---|",
    ]
    return "\n".join([*head, *rows])


def headline(name: str) -> tuple[str, str, str]:
    """Mean gaps of an entry's program and of the best baseline, and the proofs, in its first table."""
    table = json.loads((GALLERY / name / "evidence.json").read_text("utf-8"))["tables"][0]
    rows = {row["program"]: row for row in table["rows"]}
    own = [row for row in table["rows"] if row["kind"] == "baseline" and " of " not in row["program"]]
    baselines = [row["gap"] for row in own if not row["failed"]]
    proofs = table["proof"]
    solvers = ", ".join(proofs["solvers"])
    words = f"{proofs['proven']} of {proofs['instances']} optima ({solvers})" if solvers else "bounds"
    return f"{rows['found.py']['gap']:.2f}", f"{min(baselines):.2f}", words


def readme() -> str:
    """The list of entries for readers of a clone: each row leads to the entry's folder."""
    entries = {name: entry_of(GALLERY / name) for name in names()}
    return "\n\n".join([README.format(number=len(entries)), list_of_entries(entries, "{}")]) + "\n"


README = """# Gallery

{number} heuristics that campaigns found. A folder holds `found.py` (the program of the campaign), often
`simplified.py` (a shorter or faster form), `entry.toml` (what the program does, what is new, where it
fails, where it comes from) and `evidence.json` (what was measured). `python benchmarks/gallery.py show
ENTRY` prints the tables of an entry, and `bash .ci/docs` builds a page for each. [How to copy a program
into your code](../docs/how-to/into-production.md).

*Gap* and *references* are of the first set of an entry's evidence, on instances that no search saw: the
mean distance from the references, of which so many are proven optima, by what; the others are proven
bounds. `python benchmarks/gallery.py readme` writes this page."""


INTRODUCTION = """# Gallery

{number} heuristics that campaigns found, each with its evidence. No entry ships as founder, primitive or
move of its problem. Programs and evidence lie in `gallery/ENTRY`; copy any program into your code
([how](../how-to/into-production.md)).

- `found.py` is a program of the campaign, letter by letter. `simplified.py` is a shorter or faster form,
  by `gapsmith simplify` or by hand. `champion.py` is a slower program with which the campaign ended.
- No search saw the instances of a table: another instance seed, a named set, or test instances on which
  at most a champion was run once.
- *Gap* is the mean of ratios above the reference, with a 95 % interval over instances. Intervals are
  percentile bootstraps, too narrow by a tenth to a half ([why](../reference/gaps.md)).
- *ms* is mean CPU time of an instance on a busy machine, the sandbox's few milliseconds included:
  compare times within one table only.
- *Better, equal, worse* count instances on which `found.py` has the smaller, the same and the larger
  gap. *p* is a two-sided paired sign-flip test, not corrected for the number of rows.
- *cp-sat, effort E* is CP-SAT with one thread, stopped after E deterministic seconds.
- `python benchmarks/gallery.py show ENTRY` prints all rows (the program without each of its parts, every
  baseline) and the commands that find the program and prove its references again; `measure ENTRY`
  measures an entry anew."""


LEFT_OUT = """## Left out

Campaigns of the offline proposer that brought nothing better than the best baseline beyond noise, on the
test instances of seed 1:

| command, after `gapsmith run` | champion | best baseline |
|---|---|---|
| `expert-placement --seed 1 --iterations 80 --set evaluation.secret=` | 0.95 % | 0.97 %, `eplb-swaps` |
| `task-graph-rule --seed 1 --iterations 60` | the baseline | 13.91 %, `rank-optimistic` |
| `blocking-job-shop-rule --seed 1 --iterations 80` | the baseline | 30.72 %, `mwkr` |
| `sequence-packing --seed 1 --iterations 100` | the baseline | 4.20 %, `homogeneous-longest-first` |

A campaign with a model (45 iterations, seed 41; cassette in `benchmarks/model_campaigns/loops`) beat every
baseline and is left out all the same: `online-bin-packing --set problem.law=uniform` has 1.53 % on 40 test
instances of 500 items, where `funsearch-or` has 3.10 %. A limit of work stands for the number of items, which
the rule is not told: on 20 sequences of 250 items it has 37.0 % where `best-fit` has 3.3."""


def entry_page(name: str, entry: Mapping[str, Any]) -> str:
    """The page of one entry, at most 250 words beside its program."""
    folder = GALLERY / name
    tables = json.loads((folder / "evidence.json").read_text("utf-8"))["tables"]
    parts = [f"# {entry['title']}", f"`{entry['problem']}`; {entry['status']}. {entry['what'].strip()}"]
    shortest = folder / "simplified.py"
    source = (shortest if shortest.exists() else folder / "found.py").read_text("utf-8").strip()
    if len(source.splitlines()) <= LINES_SHOWN:
        parts.append(f"```python\n{source}\n```")
    parts.append(f"![Gap against time]({name}.svg)")
    parts.append(f"{entry['tables'][0]['words'].strip()}, {summary_of(tables[0])}")
    parts.append("\n".join(SUMMARY_HEAD + [summary_row(row) for row in chosen(tables[0])]))
    parts.append(exact(tables[0]["proof"]))
    parts.append(f"**Parts.** {entry['parts'].strip()}")
    parts.append(f"**Known.** {entry['new'].strip()}")
    parts.append(f"**Where it fails.** {entry['fails'].strip()}")
    parts.append(f"**Origin.** {origin(entry)}")
    return "\n\n".join(parts) + "\n"


SUMMARY_HEAD = ["| program | gap % [95 %] | ms | better, equal, worse | p |", "|---|---:|---:|---:|---:|"]


def summary_of(table: Mapping[str, Any]) -> str:
    """Set, seed and number of instances of a table."""
    return f"{table['rows'][0]['instances']} instances (`{table['set']}`, seed {table['seed']}):"


def chosen(table: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The rows of a page: the entry's forms, the best baseline, and the solver at its best."""
    rows = table["rows"]
    forms = [row for row in rows if row["program"] in FORMS]
    baseline = sorted((row for row in rows if row["kind"] == "baseline"), key=gap_or_last)[:1]
    solver = [row for row in rows if row["kind"] == "exact" and not row["failed"]]
    return [*forms, *baseline, *sorted(solver, key=gap_or_last)[:1]]


def summary_row(row: Mapping[str, Any]) -> str:
    """A row of an entry's page."""
    name, gap, _, cpu, pair, _, p = cells(row, False).split(" | ")
    return f"| {name} | {gap} | {cpu} | {pair} | {p} |"


def origin(entry: Mapping[str, Any]) -> str:
    """Where a program comes from, and what is not on record."""
    source = entry["provenance"]
    unknown = [key for key in ("model", "date", "tokens", "reviewer") if source[key] == "unknown"]
    calls = f"{source['calls']} calls; " if source["calls"] else ""
    kind = entry["campaign"]["kind"].removeprefix("a ").capitalize()
    return f"{kind}; {calls}recorded {source['recorded']}; unknown: {', '.join(unknown)}."


def full_tables(name: str) -> str:
    """Every row that was measured of an entry, and the commands that repeat it."""
    entry = entry_of(GALLERY / name)
    tables = json.loads((GALLERY / name / "evidence.json").read_text("utf-8"))["tables"]
    parts = [measured(one, words) for one, words in zip(tables, entry["tables"], strict=True)]
    parts.append(entry["campaign"]["words"])
    parts.append("\n".join([*entry["campaign"]["replay"], *entry["campaign"]["prove"]]))
    return "\n\n".join(parts)


def measured(evidence: Mapping[str, Any], words: Mapping[str, Any]) -> str:
    """The table of one set: time classes from fast to slow, the smallest gap of each in bold."""
    rows = sorted(evidence["rows"], key=lambda row: (class_of(evidence, row), gap_or_last(row)))
    number, lines = rows[0]["instances"], []
    lines.append(f"{words['words'].strip()} (set `{evidence['set']}`, instance seed {evidence['seed']}, ")
    lines[0] += f"{number} instances):\n"
    lines.append(
        "| time | program | gap % [95 %] | ratio of sums % | ms | better, equal, worse "
        "| difference [95 %] | p |\n"
        "|---:|---|---:|---:|---:|---:|---:|---:|"
    )
    before = None
    for row in rows:
        number = class_of(evidence, row)
        lines.append(
            f"| {class_words(number) if number != before else ''} | {cells(row, number != before)} |"
        )
        before = number
    return "\n".join(lines)


def cells(row: Mapping[str, Any], first: bool) -> str:
    """The cells of a program; the first one of its time class is bold."""
    gap = "–" if row["gap"] is None else interval_words(row["gap"], row["interval"])
    label = row["program"]
    if row["kind"] == "baseline" or label.endswith(".py"):
        label = f"`{label}`"
    label = f"**{label}**" if first else label
    failed = f", {row['failed']} failed" if row["failed"] else ""
    cpu = "–" if row["cpu_ms"] is None else f"{row['cpu_ms']:.0f}"
    sums = "–" if row["ratio_of_sums"] is None else f"{row['ratio_of_sums']:.2f}"
    result, words = row.get("pair"), [f"{label}{failed}", gap, sums, cpu]
    if result is None or result["difference"] is None:
        return " | ".join([*words, "", "", ""])
    words.append(f"{result['wins']}, {result['ties']}, {result['losses']}")
    words.append(interval_words(result["difference"], result.get("interval")))
    p = result["p"]
    words.append("–" if p is None else f"{p:.2g}" if p >= 1e-4 else "< 0.0001")
    return " | ".join(words)


def interval_words(mean: float, interval: Sequence[float] | None) -> str:
    """A mean and its interval, with two decimals."""
    low_high = "" if interval is None else f" [{interval[0]:.2f}, {interval[1]:.2f}]"
    return f"{mean:.2f}{low_high}"


def class_of(evidence: Mapping[str, Any], row: Mapping[str, Any]) -> int:
    """Number of a row's time class; CP-SAT's time has no sandbox in it."""
    floor = 0.0 if row["kind"] == "exact" else evidence.get("floor_ms", 0.0)
    return time_class(max(0.0, (row["cpu_ms"] or 0.0) - floor) / 1000)


def class_words(number: int) -> str:
    """A time class as its upper edge."""
    seconds = edge(number)
    return "slower" if seconds is None else f"≤ {time_words(seconds)}"


def gap_or_last(row: Mapping[str, Any]) -> float:
    """The mean gap of a row that has an answer to every instance; what failed comes last."""
    return float("inf") if row["gap"] is None or row["failed"] else row["gap"]


def picture(name: str) -> bytes:
    """Gap against time of an entry's first table: its forms, the baselines, and CP-SAT."""
    from matplotlib.ticker import NullLocator

    evidence = json.loads((GALLERY / name / "evidence.json").read_text("utf-8"))["tables"][0]
    rows = [row for row in evidence["rows"] if row["gap"] is not None and row["cpu_ms"] is not None]
    with styled():
        figure, axes = new_axes()
        kinds = {
            "the entry": (BLUE, "o", [row for row in rows if row["program"] in FORMS]),
            "without a part": (
                GREY,
                "x",
                [r for r in rows if r["kind"] == "form" and r["program"] not in FORMS],
            ),
            "baselines and rivals": (ORANGE, "s", [row for row in rows if row["kind"] == "baseline"]),
            "CP-SAT, stopped": (GREEN, "^", [row for row in rows if row["kind"] == "exact"]),
        }
        for label, (colour, mark, some) in kinds.items():
            if some:
                x, y = [row["cpu_ms"] for row in some], [row["gap"] for row in some]
                line = "-" if label.startswith("CP-SAT") else ""
                axes.plot(x, y, color=colour, marker=mark, linestyle=line, markersize=5, label=label)
        label_forms(axes, kinds["the entry"][2])
        times = [row["cpu_ms"] for row in rows]
        floor = evidence.get("floor_ms", 0.0)
        losses = [row["gap"] for row in rows if row["gap"] > 0]
        axes.set_xscale("log")
        axes.set_xlim(0.5 * min(times), 2 * max(times))
        fit_losses(axes.yaxis, [row["gap"] for row in rows])
        for axis, low, high in (
            (axes.xaxis, *axes.get_xlim()),
            (axes.yaxis, min(losses) / 2, 2 * max(losses)),
        ):
            places = [tick for tick in TICKS if low <= tick <= high]
            axis.set_ticks(places, labels=[f"{tick:g}" for tick in places])
            axis.set_minor_locator(NullLocator())
        axes.axvspan(0.5 * min(times), max(0.5 * min(times), floor), color=GREY, alpha=0.15, linewidth=0)
        axes.set_xlabel("CPU time of an instance, the sandbox's floor (grey) included, ms")
        axes.set_ylabel("mean gap, %")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.2), ncols=2, fontsize=8)
        return render(figure, "svg", name)


def label_forms(axes: Axes, rows: Sequence[Mapping[str, Any]]) -> None:
    """Names the entry's forms: the slowest to its right, a faster one to its left, so names keep apart."""
    slowest = max((row["cpu_ms"] for row in rows), default=0.0)
    for place, row in zip((5, -14, 5), rows, strict=False):
        right = row["cpu_ms"] == slowest
        axes.annotate(
            row["program"],
            (row["cpu_ms"], row["gap"]),
            (5 if right else -5, place),
            textcoords="offset points",
            ha="left" if right else "right",
        )


def exact(evidence: Mapping[str, Any]) -> str:
    """The sentence on proofs."""
    text = f"Proven optima: {evidence['proven']} of {evidence['instances']}"
    if not evidence["proven"] or evidence["median_ms"] is None:
        return text + "."
    return f"{text}; a proof takes {evidence['median_ms']:,.1f} ms in the median."


if __name__ == "__main__":
    main()

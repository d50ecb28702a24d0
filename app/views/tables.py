"""Tables of gaps, designed for 80 columns, whose cells are never read as markup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from ...evaluators.figures import optimality
from ..formatting import (
    UNVERIFIED,
    clean,
    count,
    duration,
    far_mark,
    far_note,
    few_note,
    figure,
    gap_cell,
    gap_word,
    milliseconds,
    percent,
    signed,
    small_note,
    spread,
    standings,
    unsafe,
)

WHOLE_NAME = 18
"""A program's name up to this length is never cut, because users type it after `--against` (characters)."""
_LEAST_NAME = 8
"""Least width of the column of program names, however narrow the terminal is (characters)."""
_BASELINES = 6
_EXPENDABLE = ("excess", "CPU\nms", "ratio\nof sums")
"""Columns that a narrow table drops, in this order."""
_SPLIT_NAMES = {"train": "training", "valid": "validation", "test": "test"}


def print_campaign(console: Console, summary: Mapping[str, Any]) -> None:
    """Prints the headline of a campaign, and start program, baselines and best candidate on the three splits.

    Figures are never cut. A narrow table drops the splits that steered the search; a still narrower one wraps
    the programs' names.
    """
    from ..runs.figures import REPORTED

    proven = summary["headline"]["verdict"] == "better"
    console.print(clean(summary["headline"]["text"]), style="bold green" if proven else "bold", markup=False)
    word = gap_word(_kinds(summary))
    unit = "percent of the reference: mean of ratios [95 % interval]"
    if summary.get("trust") == REPORTED:
        unit = "mean [change over the start program]"
    table = new_table(f"{word}, {unit}")
    rows: list[tuple[str, Mapping[str, Any] | None]] = []
    shown = best_baselines(summary["baselines"])
    twin = _twin_of_start(summary, shown)
    if summary["start"]:
        rows.append((f"{twin} (start)" if twin else "start program", summary["start"]["splits"]))
    rows += [(name, summary["baselines"][name]) for name in shown if name != twin]
    if summary["best"]:
        rows.append((f"best {summary['best']['candidate'][:8]}", summary["best"]["splits"]))
    cells = {s: [gap_cell((splits or {}).get(s)) for _, splits in rows] for s in _SPLIT_NAMES}
    names = max([len("program"), *(len(name) for name, _ in rows)])
    left_out = []
    for split in ("train", "valid"):
        if console.width - _taken(cells) < min(names, WHOLE_NAME):
            left_out.append(_SPLIT_NAMES[split])
            del cells[split]
    taken = _taken(cells)
    names = min(names, max(_LEAST_NAME, console.width - taken))
    table.add_column("program", overflow="fold", width=names)
    for split in cells:
        table.add_column(_SPLIT_NAMES[split], justify="right", no_wrap=True)
    for number, (name, _) in enumerate(rows):
        style = "bold" if name.startswith("best ") else None
        table.add_row(name, *[column[number] for column in cells.values()], style=style)
    if names + taken > console.width:
        table.width = names + taken  # otherwise Rich would cut the figures
    console.print(table, crop=False)
    if left_out:
        console.print(f"left out of a narrow table: {', '.join(left_out)}; --json has them", markup=False)
    if hidden := len(summary["baselines"]) - len(shown):
        judged = [entry["valid"] or entry["train"] for entry in summary["baselines"].values()]
        failed = sum(not figures or figures["failed"] > 0 for figures in judged)
        words = f"and {count(hidden, 'baseline')} more" + (f", {failed} of which failed" if failed else "")
        console.print(f"{words}; --json has {'it' if hidden == 1 else 'them'}", markup=False)
    for line in notes(summary):
        console.print(line, markup=False)


def _twin_of_start(summary: Mapping[str, Any], shown: Sequence[str]) -> str | None:
    """The baseline whose figures are the start program's: one program has one row. None if none is.

    Training counts only where both were measured on as many instances: a pool grows for the start program.
    """

    def figures(by_split: Mapping[str, Any], splits: Sequence[str]) -> list[tuple[Any, ...]]:
        every = [by_split.get(split) or {} for split in splits]
        return [tuple(one.get(key) for key in ("fitness", "mean_gap_percent", "solved")) for one in every]

    def alike(name: str) -> bool:
        one = summary["start"]["splits"]
        other = summary["baselines"][name]
        counts = [(by_split.get("train") or {}).get("instances") for by_split in (one, other)]
        splits = [split for split in _SPLIT_NAMES if split != "train" or counts[0] == counts[1]]
        return figures(one, splits) == figures(other, splits)

    start = summary["start"]
    if not start or (start["splits"]["valid"] or {}).get("fitness") is None:
        return None
    return next((name for name in shown if alike(name)), None)


def _taken(cells: Mapping[str, Sequence[str]]) -> int:
    """Width of the columns of some splits, characters."""
    return sum(2 + _width(_SPLIT_NAMES[split], column) for split, column in cells.items())


def best_baselines(baselines: Mapping[str, Any]) -> list[str]:
    """Names of the best few baselines by validation fitness, in the order of `baselines`.

    At a workbench before its end training decides, as nothing is told of validation.
    """
    split = "valid" if any(entry["valid"] for entry in baselines.values()) else "train"
    complete = {
        name: entry[split]["fitness"]
        for name, entry in baselines.items()
        if entry[split] and entry[split]["fitness"] is not None
    }
    best = sorted(complete, key=lambda name: -complete[name])[:_BASELINES]
    return [name for name in baselines if name in best]


def notes(summary: Mapping[str, Any]) -> list[str]:
    """Lines below a campaign's table: the kinds of references, the paired comparisons, and caveats."""
    from ..runs.figures import REPORTED
    from ..runs.summary import test_used

    reported = summary.get("trust") == REPORTED
    future = ", for one who knows the future" if summary["knows_future"] else ""
    lines = [UNVERIFIED if reported else f"references: {_kind_text(_kinds(summary))}{future}"]
    if summary["proofs"]:
        lines.append(f"proofs: {standings(summary['proofs'])}")
    best = None if reported else summary["best"]
    for split, word in _SPLIT_NAMES.items():
        figures = best["splits"][split] if best else None
        if figures and figures["zero_references"]:
            zeros = figures["zero_references"]
            reached = figures["zero_references"] - figures["zeros_missed"]
            lines.append(
                f"{word}: {zeros} of {figures['instances']} references are 0 (no ratio); "
                f"the best reaches {'all' if reached == zeros else reached or 'none'} of them"
            )
    lines += far_notes(summary)
    if not reported:
        lines += few_note(_shown(summary))
        lines += small_sets(best)
    lines += training_lines(summary)
    lines += [_claim_text(claim) for claim in summary["claims"]]
    if summary["claims"]:
        over = "evaluations" if reported else "instances"
        lines.append(f"p: paired sign-flip test of the mean {'score' if reported else 'loss'} over {over}")
    if summary["best"] and not test_used(summary):
        lines.append("no candidate was tested: the campaign has not come to its end")
    if summary["test_evaluations"] > 1:
        lines.append(f"test seen {summary['test_evaluations']} times")
    if summary["unsafe_without"]:
        lines.append(unsafe(summary["unsafe_without"]))
    usage = summary["usage"]
    lines.append(
        f"{summary['iterations']} iterations, {summary['evaluations']} evaluations, "
        f"{summary['executions']} executions in {duration(usage['wall_seconds'])}; "
        f"{summary['status']}{_because(summary)}"
    )
    if summary["status"] in ("interrupted", "stopped"):
        lines.append("what was evaluated is kept; the search can go on where it stopped")
    return lines


def training_lines(summary: Mapping[str, Any]) -> list[str]:
    """What the training column compares where the pool grew, and the best candidate's generalisation gap."""
    best = summary["best"] and summary["best"]["splits"]["train"]
    every = [entry["train"] for entry in summary["baselines"].values()]
    first = max((one["instances"] for one in every if one and one["fitness"] is not None), default=None)
    grown = []
    if best and first is not None and first < best["instances"]:
        grown = [
            f"training: baselines were measured on the first {first} instances, start program and best on "
            f"the {best['instances']} that the search used at its end"
        ]
    return grown + _generalisation_lines(summary["generalisation"])


def _generalisation_lines(found: Mapping[str, Any] | None) -> list[str]:
    """The generalisation gap of the best candidate in words, after the losses that it compares."""
    if found is None:
        return []
    losses = [
        f"{word} {percent(found['loss_percent'][split])}"
        for split, word in _SPLIT_NAMES.items()
        if found["loss_percent"][split] is not None
    ]
    return [
        f"mean loss of the best: {', '.join(losses)}",
        f"generalisation gap (test minus training): {signed(found['gap_points'])} points",
    ]


def far_notes(summary: Mapping[str, Any]) -> list[str]:
    """Explains the mark of figures far beyond an unproven reference, if a program of the campaign has it."""
    return far_note(_shown(summary))


def _shown(summary: Mapping[str, Any]) -> list[Mapping[str, Any] | None]:
    """The figures of all programs of a campaign on all splits."""
    programs = [entry["splits"] for entry in (summary["start"], summary["best"]) if entry]
    every = [*programs, *summary["baselines"].values()]
    return [figures for splits in every for figures in splits.values()]


def small_sets(best: Mapping[str, Any] | None) -> list[str]:
    """Says what an interval of a split with few instances is worth."""
    figures = {word: best["splits"][split] for split, word in _SPLIT_NAMES.items()} if best else {}
    return small_note(
        (word, found["instances"])
        for word, found in figures.items()
        if found and found["mean_gap_ci95_percent"] is not None
    )


def _claim_text(claim: Mapping[str, Any]) -> str:
    """One paired comparison on the test split, in words."""
    p = claim["p_value"]
    chance = ", no p value" if p is None else f", p = {p:.2g}" if p >= 0.0001 else ", p < 0.0001"
    return (
        f"against {claim['against'].removeprefix('baseline ')} on test: {claim['wins']} better, "
        f"{claim['ties']} equal, {claim['losses']} worse{chance}"
    )


def print_experiment(console: Console, document: Mapping[str, Any]) -> None:
    """Prints what an experimenter asks of an evaluation: groups with their noise, the difference to another
    program, the distance to the CPU limit.
    """
    rows = document["groups"]
    rival = document["against"]
    if rows:
        table = new_table("by group, worst first: gap in percent; noise: half the 95 % interval, in points")
        table.add_column("group", overflow="fold")
        names = {"instances": "instances", "mean_gap_percent": "gap", "noise_points": "noise"}
        if rival is not None:
            names |= {"other_mean_gap_percent": "other's gap", "difference_points": "difference"}
        for name in names.values():
            table.add_column(name, justify="right", no_wrap=True)
        for row in rows:
            cells = ["-" if row[key] is None else f"{row[key]:.4g}" for key in names]
            table.add_row(row["group"], *cells)
        console.print(table)
    time = document["time"]
    if time["cpu_seconds_max"] is not None:
        console.print(
            f"CPU: at most {1000 * time['cpu_seconds_max']:.3g} ms, {time['share_of_limit']:.1%} of the "
            f"limit of {time['cpu_limit_seconds']:g} s",
            markup=False,
        )
    if rival is not None:
        console.print(_difference(rival), markup=False, soft_wrap=True)


def _difference(rival: Mapping[str, Any]) -> str:
    """How a program differs from another one, in a sentence."""
    found = rival["paired"]
    if found is None:
        return f"against {rival['program']}: no instance that both answered"
    low_high = found["difference_ci95_points"]
    interval = (
        ""
        if low_high is None
        else f" (95 % interval {signed(low_high[0], '.4g')} to {signed(low_high[1], '.4g')})"
    )
    beyond = {True: "beyond noise", False: "within noise", None: "too few instances to say more"}
    return (
        f"against {rival['program']}: {signed(found['difference_points'], '.4g')} points{interval}, "
        f"{beyond[found['beyond_noise']]}; better on {found['better']}, equal on {found['equal']}, "
        f"worse on {found['worse']} of {found['instances']}"
    )


def print_figures(
    console: Console,
    title: str,
    rows: Mapping[str, Mapping[str, Any]],
    unit: str,
    proofs: Mapping[str, int],
    knows_future: bool = False,
) -> None:
    """Prints one row of figures for each program, with wins, ties and losses if counted.

    On a narrow console the table drops columns rather than cut names, because users type the names.
    """
    all_kinds = [f["reference_kinds"] for f in rows.values()]
    kinds = {k: n for found in all_kinds for k, n in found.items()}
    columns = _figure_columns(rows)
    names = max(map(len, ["program", *rows]))

    def room() -> int:
        """Width left for names, characters."""
        return console.width - sum(2 + _width(header, cells) for header, cells in columns.items())

    left_out = []
    for header in _EXPENDABLE:
        if room() < min(names, WHOLE_NAME):
            left_out.append(header.replace("\n", " "))
            del columns[header]
    reported = any("reported_score" in figures for figures in rows.values())
    table = new_table(f"{title}: {gap_word(kinds)}{'' if reported else ', percent of the reference'}")
    table.add_column("program", overflow="fold", width=max(min(names, WHOLE_NAME), min(names, room())))
    for header in columns:
        table.add_column(header, justify="right", no_wrap=True)
    for number, name in enumerate(rows):
        table.add_row(name, *[cells[number] for cells in columns.values()])
    console.print(table)
    timed = "; CPU: median per execution" if "CPU\nms" in columns else ""
    future = ", for one who knows the future" if knows_future and optimality(kinds) else ""
    console.print(f"references: {_kind_text(kinds)}{future}{timed}", markup=False)
    if proofs:
        console.print(f"proofs: {standings(proofs)}", markup=False)
    shown = {f["instances"] for f in rows.values() if f["mean_gap_ci95_percent"] is not None}
    small = small_note(("instances", number) for number in sorted(shown))
    for line in [*far_note(rows.values()), *few_note(rows.values()), *small]:
        console.print(line, markup=False)
    if reported:
        console.print(UNVERIFIED, markup=False)
    elif "excess" in columns:
        console.print(f"excess: mean {unit} worse than the reference", markup=False)
    if left_out:
        console.print(f"left out of a narrow table: {', '.join(left_out)}; --json has them", markup=False)


def _figure_columns(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, list[str]]:
    """Header → the cells of all programs."""
    figures = list(rows.values())
    columns = {
        "mean of\nratios": [f"{figure(f['mean_gap_percent'])} {far_mark(f)}".strip() for f in figures],
        "95 %\ninterval": [spread(f) for f in figures],
        "ratio\nof sums": [figure(f["ratio_of_sums_percent"]) for f in figures],
        "excess": [figure(f["mean_excess"]) for f in figures],
        "solved": [f"{f['solved']}/{f['instances']}" for f in figures],
        "CPU\nms": [milliseconds(f["cpu_seconds_median"]) for f in figures],
    }
    if any("reported_score" in f for f in figures):
        for gap in ("mean of\nratios", "95 %\ninterval", "ratio\nof sums", "excess", "solved"):
            del columns[gap]
        columns = {"score [change]": [gap_cell(f) for f in figures], **columns}
    if any(f.get("pairs") for f in figures):
        columns["w/t/l"] = [_pairs(f.get("pairs")) for f in figures]
    if any(f["failed"] for f in figures):
        columns["failed"] = [str(f["failed"]) for f in figures]
    return columns


def _pairs(pairs: Mapping[str, int] | None) -> str:
    return f"{pairs['wins']}/{pairs['ties']}/{pairs['losses']}" if pairs else ""


def _width(header: str, cells: Sequence[str]) -> int:
    """Width that a column needs, characters."""
    return max(map(len, [*header.split("\n"), *cells]))


def new_table(title: str) -> PlainTable:
    """An empty table in Gapsmith's style."""

    return PlainTable(title)


def _kinds(summary: Mapping[str, Any]) -> dict[str, int]:
    kinds: dict[str, int] = {}
    for part in ("best", "start"):
        for figures in (summary[part] or {"splits": {}})["splits"].values():
            for kind, number in (figures or {"reference_kinds": {}})["reference_kinds"].items():
                kinds[kind] = max(kinds.get(kind, 0), number)
    return kinds


def _kind_text(kinds: Mapping[str, int]) -> str:
    return ", ".join(kind.replace("_", " ") for kind in sorted(kinds)) or "none"


def _because(summary: Mapping[str, Any]) -> str:
    """The stop reason in brackets; empty if the status already says it."""
    reason = summary["stop_reason"]
    return f" ({reason})" if reason and reason != summary["status"] else ""


# A table that never reads its cells as markup, because names in a run may look like markup.

NARROW = 60
"""Columns of a console below which a table that does not fit becomes lines (count)."""
_GAP = 2
"""Columns between those of a table (count)."""
_TITLE_COLUMNS = 79


class PlainTable(Table):
    """A table in Gapsmith's style; strings in titles, headers and cells are never read as markup."""

    def __init__(self, title: str) -> None:
        """Takes the title (empty: none), which is shown on one line after an empty line."""
        super().__init__(
            title=Text(f"\n{clean(title)}", style="bold") if title else None,
            title_justify="left",
            min_width=min(len(title), _TITLE_COLUMNS),
            box=box.SIMPLE_HEAD,
            show_edge=False,
            pad_edge=False,
            padding=(0, 1, 0, 0),
        )

    def add_column(self, header: RenderableType = "", *rest: Any, **options: Any) -> None:
        """Adds a column."""
        super().add_column(_text(header), *rest, **options)

    def add_row(
        self,
        *cells: RenderableType | None,
        style: str | Style | None = None,
        end_section: bool = False,
    ) -> None:
        """Adds a row."""
        super().add_row(*[_text(cell) for cell in cells], style=style, end_section=end_section)


def _text(cell: Any) -> Any:
    return Text(clean(cell)) if isinstance(cell, str) else cell


def fits(table: Table, width: int) -> bool:
    """Whether a console of some columns shows a table without cutting a cell; a wide one wraps long cells."""
    if width >= NARROW:
        return True
    widths = [
        column.width
        or max(cell_len(line) for cell in (column.header, *column.cells) for line in _lines(cell))
        for column in table.columns
    ]
    return sum(widths) + _GAP * (len(widths) - 1) <= width


def records(table: Table) -> list[Text]:
    """A table as lines for a narrow console: of each row the first cell, and below it `header: cell`."""
    title = Text(str(table.title), style="bold") if table.title else None
    headers = [" ".join(_lines(column.header)) for column in table.columns]
    lines = [] if title is None else [title]
    for row, cells in zip(
        table.rows, zip(*(column.cells for column in table.columns), strict=True), strict=True
    ):
        style = row.style or ""
        lines.append(Text(f"{headers[0]} {_words(cells[0])}".strip(), style=style))
        rest = zip(headers[1:], map(_words, cells[1:]), strict=True)
        lines += [
            Text(f"  {header}: {words}".replace("  : ", "  "), style=style) for header, words in rest if words
        ]
    return lines


def _lines(cell: Any) -> list[str]:
    return str(cell).split("\n")


def _words(cell: Any) -> str:
    return " ".join(_lines(cell)).strip()


# What reading instance files gave, as a table and sentences.


def print_readings(out: Console, rows: Sequence[Mapping[str, Any]], refused: int) -> None:
    """Files with the number of their instances, then each refusal in a sentence."""
    table = PlainTable("")
    table.add_column("file", overflow="fold")
    table.add_column("instances", justify="right")
    for row in rows:
        if row["fault"] is None:
            table.add_row(row["file"], str(row["instances"]))
    if refused < len(rows):
        out.print(table)
    for row in rows:
        if row["fault"] is not None:
            out.print(f"refused: {row['fault']}", markup=False, style="red")
    instances = count(sum(row["instances"] for row in rows), "instance")
    out.print(f"{count(len(rows), 'file')}: {instances} read, {count(refused, 'file')} refused", markup=False)

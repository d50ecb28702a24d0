"""Computes and packs the certified references that ship with total tardiness.

    python benchmarks/smtt_references.py compute n=200 --seconds 60 --work build/references
    python benchmarks/smtt_references.py compute wt40.txt --seconds 60 --work build/references
    python benchmarks/smtt_references.py pack --work build/references

`compute` takes an unweighted fixed set, a split of the weighted form, or a file of weighted instances (such
as OR-Library's); it may be stopped and started again, and goes on with the instances that are missing.
`pack` keeps what was computed, except the instances of files that were not proved optimal.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import time
from pathlib import Path
from typing import Any

from gapsmith.evaluators.smtt import decomposition, relaxation, smtt, smwtt, store
from gapsmith.evaluators.smtt.bounds import sorted_bound
from gapsmith.evaluators.smtt.decomposition import Decomposition, DecompositionLimit
from gapsmith.evaluators.smtt.search import search
from gapsmith.problems.base import SPLITS, Instance

DEFAULT_SEED = 1


def compute(name: str, seconds: float, work: Path) -> None:
    """Appends value, bound, sequence and time of each instance of a set to a file of JSON lines."""
    work.mkdir(parents=True, exist_ok=True)
    file_of_instances = Path(name).suffix == ".txt"
    path = work / f"{Path(name).stem if file_of_instances else name}.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    done = {json.loads(line)["instance"] for line in lines}
    weighted = file_of_instances or name in SPLITS
    problem: Any = (smwtt if weighted else smtt).problem()
    instances = (
        problem.read_instances(Path(name)) if file_of_instances else problem.instances(name, DEFAULT_SEED)
    )
    with path.open("a") as file:
        for instance in instances:
            if instance.id in done:
                continue
            started = time.monotonic()
            found = relaxed(instance, seconds) if weighted else decomposed(instance, seconds)
            row = {
                "instance": instance.id,
                "stratum": instance.stratum,
                "digest": instance.digest,
                **found,
                "seconds": round(time.monotonic() - started, 3),
            }
            print(instance.id, instance.stratum, row["value"], row["bound"], row["seconds"], flush=True)
            file.write(json.dumps(row) + "\n")
            file.flush()


def decomposed(instance: Instance, seconds: float) -> dict[str, Any]:
    """Optimum by decomposition; if that does not finish, search and relaxation."""
    method = Decomposition(instance.public["processing_times"], instance.public["due_dates"], seconds)
    try:
        value, sequence = method.value(), method.sequence()
    except DecompositionLimit:
        return relaxed(instance, seconds)
    return {
        "value": value,
        "bound": value,
        "sequence": sequence,
        "proof": "construction",
        "solver": decomposition.NAME,
        "version": decomposition.VERSION,
    }


def relaxed(instance: Instance, seconds: float) -> dict[str, Any]:
    """Value of the best sequence found and the bound of the relaxation, often equal."""
    moves = 40_000 // len(instance.public["due_dates"])
    value, sequence = search(instance.public, moves, time.monotonic() + seconds / 4)
    proof = relaxation.prove(instance.public, sequence, seconds)
    if proof.sequence is not None:
        value, sequence = proof.bound, list(proof.sequence)
    found = {"value": value, "bound": proof.bound, "sequence": sequence}
    floor = sorted_bound(instance.public)
    if floor > proof.bound:
        return {**found, "bound": floor, "proof": "arithmetic", "solver": "sorted bound", "version": "1"}
    return {**found, "proof": "dual", "solver": relaxation.NAME, "version": relaxation.VERSION}


def pack(work: Path) -> None:
    """Writes the shipped table and sequences from the files of JSON lines."""
    rows: list[dict[str, Any]] = []
    sequences: list[str] = []
    sets = {*smtt.problem().sets(), *SPLITS}
    for path in sorted(work.glob("*.jsonl")):
        for row in map(json.loads, path.read_text().splitlines()):
            proven = row["value"] == row["bound"]
            if not proven and path.stem not in sets:
                continue
            sequences.append(f"{row['digest'][: store.DIGITS]} {' '.join(map(str, row['sequence']))}")
            kind = "optimum" if proven else "bound"
            rows.append({"set": path.stem, **row, "kind": kind, "source": "computed by the project"})
    fields = ["set", "instance", "digest", "value", "kind", "bound", "proof"]
    fields += ["solver", "version", "seconds", "source"]
    folder = Path(store.__file__).parent / "data"
    folder.mkdir(exist_ok=True)
    with (folder / store.TABLE).open("w", newline="") as file:
        table = csv.DictWriter(file, fields, extrasaction="ignore", lineterminator="\n")
        table.writeheader()
        table.writerows({**row, "digest": row["digest"][: store.DIGITS]} for row in rows)
    data = gzip.compress("\n".join(sequences).encode(), mtime=0)
    (folder / store.SEQUENCES).write_bytes(data)
    print(len(rows), "references,", len(sequences), "sequences,", len(data), "bytes of sequences")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["compute", "pack"])
    parser.add_argument("set", nargs="?", default="n=100")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--work", type=Path, default=Path("build/references"))
    options = parser.parse_args()
    if options.what == "compute":
        compute(options.set, options.seconds, options.work)
    else:
        pack(options.work)

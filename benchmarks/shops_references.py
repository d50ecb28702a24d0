"""Builds the shipped references of the job shops.

    python benchmarks/shops_references.py job-shop --seconds 300
    python benchmarks/shops_references.py blocking-job-shop --seconds 300

Writes evaluators/shops/data/NAME.json.gz for the splits of seed 1, of both forms: proven optima with their
schedules. What is in the file already is kept. Prints one line per instance; one that is not proved is left
out.
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path

from gapsmith.evaluators import shops
from gapsmith.evaluators.base import ReferenceKind
from gapsmith.evaluators.shops import store
from gapsmith.evaluators.shops.references import ShopReferences

DATA = Path(__file__).resolve().parents[1] / "evaluators" / "shops" / "data"
FAMILIES = {
    "job-shop": (shops.job_shop, shops.job_shop_rule),
    "blocking-job-shop": (shops.blocking_job_shop, shops.blocking_job_shop_rule),
}


def main() -> None:
    """Reads the command line and writes the data file of one family."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("family", choices=sorted(FAMILIES))
    parser.add_argument("--seconds", type=float, default=300, help="wall seconds that one reference may take")
    arguments = parser.parse_args()
    plugins = FAMILIES[arguments.family]
    references = plugins[0].references
    assert isinstance(references, ShopReferences)
    table: dict[str, store.Proved] = {}
    for plugin, split in product(plugins, ("train", "valid", "test")):
        for instance in plugin.problem().instances(split, 1):
            proof = store.proved(arguments.family, instance.digest)
            if proof is None:
                reference, starts = references.solve(instance, arguments.seconds)
                print(
                    f"{instance.id:12} {instance.stratum:18} {reference.kind.value:8} {reference.value:6} "
                    f"{reference.seconds or 0:7.2f} s",
                    flush=True,
                )
                if reference.kind is not ReferenceKind.OPTIMUM or starts is None:
                    continue
                seconds = reference.seconds or 0.0
                proof = store.Proved(int(reference.value), starts, reference.version, seconds)
            table[instance.digest] = proof
        (DATA / f"{arguments.family}.json.gz").write_bytes(store.encode(table))


if __name__ == "__main__":
    main()

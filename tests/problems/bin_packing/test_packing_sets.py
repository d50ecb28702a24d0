"""Named sets: reproducible, disjoint, and the historic ones bit for bit."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from gapsmith.evaluators.base import ReferenceKind
from gapsmith.evaluators.bin_packing import bin_packing as plugin
from gapsmith.problems.bin_packing import bin_packing


def volume(instance: Any) -> int:
    """L1 (bins) of an instance."""
    sizes = instance.public["sizes"] if "sizes" in instance.public else instance.hidden["sizes"]
    return -(-sum(sizes) // instance.public["capacity"])


def test_weibull_2024_is_the_published_draw(offline: Any) -> None:
    """The historic Weibull set has the known L1 values, whatever the seed."""
    assert [volume(i) for i in offline.instances("weibull-2024", 5)] == [2018, 2019, 2008, 2007, 2005]


def test_offline_4_is_the_published_draw(offline: Any) -> None:
    """The historic offline test set has the known mean L1: 200.66 (500 items) and 400.41 (1,000 items)."""
    by_stratum: dict[str, list[int]] = {}
    for instance in offline.instances("offline-4", 1):
        by_stratum.setdefault(instance.stratum, []).append(volume(instance))
    means = {name: round(sum(values) / len(values), 2) for name, values in by_stratum.items()}
    assert means == {"u500": 200.66, "u1000": 400.41}
    assert {len(values) for values in by_stratum.values()} == {64}


def test_or_library_sets_hold_their_instances(offline: Any, online: Any) -> None:
    """20 instances each, sizes on 20..100 in descending order; no online set, whose order would be wrong."""
    for number, items in enumerate((120, 250, 500, 1000), start=1):
        found = offline.instances(f"binpack{number}", 7)
        assert [i.id for i in found] == [f"u{items}_{n:02d}" for n in range(20)]
        for instance in found:
            sizes = instance.public["sizes"]
            assert (len(sizes), instance.public["capacity"]) == (items, 150)
            assert sizes == sorted(sizes, reverse=True)
            assert 20 <= sizes[-1] <= sizes[0] <= 100
        assert f"binpack{number}" not in online.sets()


def test_or_library_optima_below_the_listed_values_ship(offline: Any) -> None:
    """The four listed values that are too high, and the one where L1 is too low, have shipped proofs."""
    references = plugin.references
    assert references is not None
    found = {i.id: i for n in (1, 2) for i in offline.instances(f"binpack{n}", 1)}
    optima = {"u120_08": 50, "u120_19": 49, "u250_07": 103, "u250_12": 105, "u250_13": 103}
    for id, optimum in optima.items():
        reference = references.reference(found[id], 0.0)
        assert (reference.value, reference.kind, reference.bound) == (optimum, ReferenceKind.OPTIMUM, optimum)
    assert volume(found["u250_13"]) == 102


def test_sets_are_disjoint_and_differ_by_seed(offline: Any) -> None:
    """No digest appears twice over all sets of two seeds, historic sets counted once."""
    fixed = ("weibull-2024", "offline-", "binpack")
    names = [name for name in offline.sets() if not name.startswith(fixed)]
    digests = [i.digest for name in names for seed in (1, 2) for i in offline.instances(name, seed)]
    assert len(set(digests)) == len(digests)


@pytest.mark.parametrize("law", ["weibull", "uniform"])
def test_laws_of_varied_length_draw_each_length_of_their_range(law: str, online: Any) -> None:
    """Lengths lie within 250 to 4,000 items, half of them below 1,000, and no two draws are the same."""
    lengths = [
        len(instance.hidden["sizes"])
        for seed in range(1, 31)
        for instance in online.instances(f"{law}-lengths", seed)
    ]
    assert 250 <= min(lengths) < 300
    assert 3_500 < max(lengths) <= 4_000
    assert 0.45 < sum(length < 1_000 for length in lengths) / len(lengths) < 0.55
    assert len(set(lengths)) > 400


def test_same_seed_same_instances(offline: Any) -> None:
    """Instances are a pure function of set and seed, pinned here so that a new numpy may not move them."""
    first, again = offline.instances("train", 1), offline.instances("train", 1)
    assert [i.digest for i in first] == [i.digest for i in again]
    assert first[0].digest.startswith(PINNED)


PINNED = "13bc11d12bf61af8"


def test_online_and_offline_pack_the_same_items(offline: Any, online: Any, known_n: Any) -> None:
    """A named set holds the same items for all three problems; online the sequence is hidden."""
    for name in ("u120", "triplets", "hostile"):
        rows = zip(*(p.instances(name, 3) for p in (offline, online, known_n)), strict=True)
        for whole, arriving, counted in rows:
            assert whole.public["sizes"] == arriving.hidden["sizes"] == counted.hidden["sizes"]
            assert set(arriving.public) == {"capacity"}
            assert counted.public == {
                "capacity": whole.public["capacity"],
                "items": len(whole.public["sizes"]),
            }


def test_laws_keep_their_ranges(offline: Any) -> None:
    """Sizes of each law lie where its name says."""
    ranges = {
        "u120": (20, 100, 150),
        "weibull-1k": (1, 100, 100),
        "weibull-5k-c500": (1, 100, 500),
        "beta": (10, 50, 100),
        "uniform": (1, 100, 100),
        "quarter-half": (26, 50, 100),
    }
    for name, (low, high, capacity) in ranges.items():
        for instance in offline.instances(name, 1):
            sizes = instance.public["sizes"]
            assert low <= min(sizes) <= max(sizes) <= high
            assert instance.public["capacity"] == capacity


def test_triplets_come_with_a_packing_that_fills_every_bin(offline: Any) -> None:
    """The hidden packing puts exactly three items and 1000 units into each bin."""
    for instance in offline.instances("triplets", 1):
        packing, sizes = instance.hidden["packing"], instance.public["sizes"]
        assert set(Counter(packing).values()) == {3}
        loads: Counter[int] = Counter()
        for size, index in zip(sizes, packing, strict=True):
            loads[index] += size
        assert set(loads.values()) == {1000}


def test_transfer_set_shares_no_law_with_the_splits(offline: Any, online: Any) -> None:
    """Specialists are seen on laws that they were not trained on."""
    for problem in (offline, online):
        trained = {i.stratum for split in ("train", "valid", "test") for i in problem.instances(split, 1)}
        assert not trained & {i.stratum for i in problem.instances("transfer", 1)}


def test_law_parameter_fills_the_splits() -> None:
    """`law` draws all three splits from one law; an unknown name is refused with the known ones."""
    problem = bin_packing(law="u250", train_per_stratum=2)
    assert [(i.stratum, len(i.public["sizes"])) for i in problem.instances("train", 1)] == [("u250", 250)] * 2
    with pytest.raises(ValueError, match=r"law: got 'u7', expected mixed or one of u120"):
        bin_packing(law="u7")


def test_unknown_set_is_a_key_error(offline: Any) -> None:
    """A set that does not exist is not made up."""
    with pytest.raises(KeyError):
        offline.instances("binpack9", 1)

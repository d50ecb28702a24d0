"""The generated instances stay what they are: a change would make every stored figure speak of others."""

from __future__ import annotations

import hashlib

import pytest
from gapsmith.evaluators import training


@pytest.mark.parametrize(
    ("name", "label", "digest"),
    [
        ("lora-microbatches", "train", "681c33bcfd03783b"),
        ("lora-microbatches", "valid", "843a696ff0eeeb79"),
        ("lora-microbatches", "test", "9f854d8b23117540"),
        ("lora-microbatches", "long", "ba04046ffd5d767d"),
        ("lora-microbatches", "tile64", "4b8e4ee9488842bc"),
        ("lora-microbatches", "even", "7a2ab8a90ee9f953"),
        ("sequence-packing", "train", "4f22e764a2598f24"),
        ("sequence-packing", "valid", "cf52187f9ef049e5"),
        ("sequence-packing", "test", "2e8ebd775aee4fad"),
        ("sequence-packing", "long-tail", "8cfec541149e908f"),
        ("sequence-packing", "small", "a736a5c8b33b4b71"),
    ],
)
def test_instances_of_the_default_seed(name: str, label: str, digest: str) -> None:
    """Each set of seed 1 has the digests that it was published with."""
    instances = getattr(training, name.replace("-", "_")).problem().instances(label, 1)
    text = "".join(instance.digest for instance in instances)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == digest

"""The corpus of hostile candidates: with every layer, without one, and as an ordinary user."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from gapsmith.sandbox.slot import Slot

CORPUS = Path(__file__).parent / "corpus.py"


def test_attack(attack: Any, corpus: ModuleType, slot: Slot) -> None:
    """An attack gets the status that it declares, the next honest candidate is unharmed, nothing is left."""
    if attack.machine not in (None, platform.machine()):
        pytest.skip(f"uses call numbers of {attack.machine}")
    descriptors = len(os.listdir("/proc/self/fd"))
    server = slot.server.pid
    assert corpus.run(slot, attack) is None
    assert slot.server.pid == server, "the attack ended the server"
    assert len(os.listdir("/proc/self/fd")) == descriptors


def test_corpus_is_large_and_broad(corpus: ModuleType) -> None:
    """There are at least a hundred attacks, and several of every family."""
    families = Counter(attack.family for attack in corpus.read_attacks())
    assert families.total() >= 100
    wanted = "files network process signal memory time output answer tamper escape others dialogue"
    assert min(families[name] for name in wanted.split()) >= 5


def _run_corpus(argument: str) -> Any:
    command = [sys.executable, str(CORPUS), argument]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False)
    if done.returncode != 0:
        reason = f"{argument}: {done.stderr.strip().splitlines()[-1:]}"
        if os.environ.get("CI") and argument == "ablation":
            pytest.fail(f"must not be skipped in CI; {reason}")
        pytest.skip(reason)
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.timeout(1300)
def test_layers_are_what_stops_the_corpus() -> None:
    """With all layers nothing breaks; without the filter, or without limits, much does."""
    breaks = {tuple(row["off"]): set(row["breaks"]) for row in _run_corpus("ablation")}
    assert breaks[()] == set()
    assert breaks[("landlock",)] == breaks[("namespaces",)] == breaks[("uid",)] == set()
    assert len(breaks[("rlimits",)]) >= 5
    assert len(breaks[("seccomp",)]) >= 30
    assert breaks[("seccomp", "landlock")] > breaks[("seccomp",)]
    assert len(breaks[("seccomp", "landlock", "namespaces", "rlimits", "uid")]) > len(breaks[("seccomp",)])


@pytest.mark.skipif(os.geteuid() != 0, reason="not root: the whole suite runs as an ordinary user already")
@pytest.mark.slow
def test_corpus_as_an_ordinary_user() -> None:
    """Started by an ordinary user, the sandbox stops the same attacks as when started by root."""
    assert _run_corpus("unprivileged") == {}

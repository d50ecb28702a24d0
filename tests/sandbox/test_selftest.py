"""The self-test, and what `doctor` says of each layer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from gapsmith.sandbox import checks, slot
from gapsmith.sandbox.base import Execution, ExecutionStatus, Program, SandboxError
from gapsmith.sandbox.policy import LAYERS, Policy


def test_self_test_passes_and_names_every_attack() -> None:
    """With every layer that is to be had, each attack is stopped."""
    found = slot.self_test()
    assert found.passed
    assert len(found.attacks) == len(checks.ATTACKS) >= 8


def test_a_layer_that_does_not_hold_is_named() -> None:
    """A child without the filter, or without limits, is found out, whatever the server reports."""
    for layer in ("seccomp", "rlimits"):
        with slot.Slot(Policy(without=frozenset({layer}))) as opened:
            opened.policy = Policy()  # says that nothing is switched off
            with pytest.raises(SandboxError) as caught:
                checks.check(opened)
        assert caught.value.layer == layer
        assert f"--unsafe-without {layer}" in caught.value.hint


@pytest.mark.parametrize("layer", LAYERS)
def test_layers_tell_the_truth(layer: str) -> None:
    """A layer that is switched off is inactive and says so; the others are as they were."""
    usual, changed = slot.layers(), slot.layers(Policy(without=frozenset({layer})))
    assert tuple(usual) == tuple(changed) == LAYERS
    assert not changed[layer].active
    assert "--unsafe-without" in changed[layer].reason
    for name in set(LAYERS) - {layer}:
        assert (name, changed[name].active) == (name, usual[name].active)


def test_what_is_switched_off_is_tolerated_and_told() -> None:
    """With the filter switched off by a person the self-test goes on, and says what got through."""
    found = slot.self_test(Policy(without=frozenset({"seccomp"})))
    assert not found.passed
    assert {attack.layer for attack in found.attacks if not attack.stopped} == {"seccomp"}


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_other_platforms_refuse_with_one_sentence(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the kernel has no filter for us nothing is run, and the ways on are named."""
    monkeypatch.setattr(sys, "platform", platform)
    with pytest.raises(SandboxError) as caught:
        slot.open_sandbox()
    assert caught.value.layer == "platform"
    assert platform in caught.value.reason
    assert "Dockerfile" in caught.value.hint
    assert {state.active for state in slot.layers().values()} == {False}


def test_a_sandbox_that_stops_everything_does_not_pass() -> None:
    """Attacks that fail prove nothing where honest programs fail too: the self-test runs both."""
    with slot.Slot(Policy()) as opened:
        run = opened.execute
        count = 0

        def half_made(*arguments: Any) -> Execution:
            nonlocal count
            count += 1
            return run(*arguments) if count == 1 else Execution(ExecutionStatus.CRASHED, error="no fork")

        opened.execute = half_made  # type: ignore[method-assign]
        with pytest.raises(SandboxError, match=r"honest program.*crashed: no fork") as caught:
            checks.check(opened)
        opened.execute = run  # type: ignore[method-assign]
        wrong = checks.Honest(
            "one that fails", Program({"heuristic.py": "def f(): return 1 / 0"}, "f"), b"{}"
        )
        with pytest.raises(SandboxError, match="one that fails, got raised: ZeroDivisionError"):
            checks.check(opened, [wrong])
    assert "--unsafe-without namespaces" in caught.value.hint


MISSING = {"none": None, "unshare": "namespaces", "uid_map": "namespaces", "landlock": "landlock"}


def examined(fault: str, user: str) -> dict[str, Any]:
    """What `faults.py` finds on a machine that lacks something."""
    words = [sys.executable, str(Path(__file__).parent / "faults.py"), fault, user]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    if "cannot be had here" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become an ordinary user")


@pytest.mark.parametrize(
    ("fault", "user"),
    [
        pytest.param("uid_map", "user", marks=needs_root),
        ("landlock", ""),
        pytest.param("none", "user", marks=[needs_root, pytest.mark.slow]),
        pytest.param("unshare", "user", marks=[needs_root, pytest.mark.slow]),
        pytest.param("unshare", "", marks=pytest.mark.slow),
        pytest.param("landlock", "user", marks=[needs_root, pytest.mark.slow]),
    ],
)
def test_honest_programs_run_where_a_layer_is_missing(fault: str, user: str) -> None:
    """The self-test passes, every honest program answers, and the layers that were on are recorded."""
    found = examined(fault, user)
    assert (found["blamed"], found["statuses"]) == (None, ["ok"] * 3)
    assert found["layers"] == found["recorded"]
    assert [name for name, on in found["layers"].items() if not on] == [
        name for name in [MISSING[fault]] if name is not None
    ]


@pytest.mark.parametrize("user", [pytest.param("user", marks=[needs_root, pytest.mark.slow]), ""])
def test_without_the_filter_nothing_is_run(user: str) -> None:
    """Where the kernel refuses the filter, that layer is blamed by its name and no program runs."""
    found = examined("seccomp", user)
    assert (found["blamed"], found["statuses"]) == ("seccomp", ["seccomp"])
    assert set(found["layers"].values()) == {False}

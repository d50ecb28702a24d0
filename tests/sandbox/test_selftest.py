"""The self-test, and what `doctor` says of each layer."""

from __future__ import annotations

import sys

import pytest
from gapsmith.sandbox import checks, slot
from gapsmith.sandbox.base import SandboxError
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

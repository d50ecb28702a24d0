"""Fixtures of the sandbox's tests: the corpus as a module, a warm slot, and a short way to run a text."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from gapsmith.sandbox.base import Execution, Limits, Program, SandboxDialogue
from gapsmith.sandbox.slot import Slot, open_sandbox

RunText = Callable[..., Execution]


def load_corpus() -> ModuleType:
    """The module beside this file; tests are no package, so it is loaded by its path."""
    name = "gapsmith_attack_corpus"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / "corpus.py")
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for every file of the corpus."""
    if "attack" in metafunc.fixturenames:
        attacks = load_corpus().read_attacks()
        metafunc.parametrize("attack", attacks, ids=[attack.name for attack in attacks])


@pytest.fixture(scope="session")
def corpus() -> ModuleType:
    """The corpus of attacks and its runner."""
    return load_corpus()


@pytest.fixture(scope="session")
def slot() -> Iterator[Slot]:
    """One warm slot under the default policy."""
    with open_sandbox() as opened:
        yield opened


@pytest.fixture(scope="session")
def run_text(slot: Slot) -> RunText:
    """Runs one text (and further files) whose entry point is `f`."""

    def run(
        text: str,
        instance: bytes = b"{}",
        *,
        limits: Limits | None = None,
        seed: int = 1,
        driver: str | None = None,
        files: dict[str, str] | None = None,
        dialogue: SandboxDialogue | None = None,
    ) -> Execution:
        program = Program({"heuristic.py": text} | (files or {}), "f", driver)
        return slot.execute(program, instance, limits or Limits(), seed, dialogue)

    return run

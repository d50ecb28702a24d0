"""YAML of somebody else: numbers of base 60, tags that do not fit, numbers beyond reason."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from gapsmith.problems.foreign.configuration import Configuration, ConfigurationError, YamlKeys, read
from gapsmith.problems.foreign.shinka import read_shinka


def parsed(tmp_path: Path, text: str) -> Configuration:
    """A configuration from a text."""
    path = tmp_path / "config.yaml"
    path.write_text(text)
    return read(path)


@pytest.mark.parametrize(
    "digits",
    ["1" + ":1" * 500_000, "-" + "59:" * 300_000 + "1", "1" + ":1" * 400_000 + ".5"],
    ids=["whole", "negative", "with a fraction"],
)
@pytest.mark.quick("whole")
def test_numbers_of_base_60_are_texts(tmp_path: Path, digits: str) -> None:
    """A megabyte of them is read in the time of any text; as a number it would take minutes."""
    began = time.process_time()
    with pytest.raises(ConfigurationError, match="max_iterations"):
        parsed(tmp_path, f"max_iterations: {digits}\n")
    assert time.process_time() - began < 60
    assert parsed(tmp_path, "evaluator: {timeout: 90}\nother: 1:30:00\n").timeout == 90


@pytest.mark.parametrize(
    "value",
    [
        "!!int 1:1:1",
        "!!float 1:1.5",
        "!!int ''",
        "!!float ''",
        "!!int abc",
        "!!float abc",
        "!!bool maybe",
        "!!timestamp soon",
        "!!timestamp 2001-99-99",
        "2001-12-14t21:59:43.10-99:99",
        "9999-12-31t23:59:59-23:59",
        "0001-01-01t00:00:00+23:59",
        "!!binary ====",
        "!!binary é",
        "!!python/object/apply:os.system [ls]",
        "!!python/name:os.system",
        "!<tag:yaml.org,2002:int> {a: 1}",
        "!!set [1]",
        "!!omap {a: 1}",
        "*missing",
        "0x" + "f" * 100_000,
        "0b" + "1" * 100_000,
        "0" + "7" * 100_000,
        "1" * 100_000,
        "1" * 5000 + "e9",
        pytest.param("[" * 50_000, marks=pytest.mark.slow),
        "{? [a]: 1}",
    ],
)
def test_a_value_that_does_not_fit_is_bad_input(tmp_path: Path, value: str) -> None:
    """One sentence names the file; no other exception comes out, whatever PyYAML raises."""
    for text in (f"max_iterations: {value}\n", f"llm:\n  ? {value}\n  : 1\n"):
        try:
            parsed(tmp_path, text)
        except ConfigurationError as error:
            said = str(error)
        else:
            said = "config.yaml"
        assert "config.yaml" in said
        assert len(said) < 1000


@pytest.mark.parametrize("value", [".inf", "-.inf", ".nan", "1e400", f"1{16 * '0'}", "true", "[1]", "12:30"])
def test_a_count_is_a_number_of_a_usual_size(tmp_path: Path, value: str) -> None:
    """Infinite, huge and other values of a key are refused with the key's name."""
    with pytest.raises(ConfigurationError, match="max_iterations: got"):
        parsed(tmp_path, f"max_iterations: {value}\n")


def test_times_of_shinka_are_read(tmp_path: Path) -> None:
    """`1:30:00` without quotes, which is a number in YAML 1.1, is as many seconds as with them."""
    path = tmp_path / "shinka.yaml"
    for text in ("1:30:00", "'01:30:00'", "5400"):
        path.write_text(f"job_config:\n  time: {text}\n")
        assert read_shinka(path).timeout == 5400


def test_plain_numbers_stay(tmp_path: Path) -> None:
    """Other forms of numbers are read as before."""
    path = tmp_path / "config.yaml"
    path.write_text("a: {b: 0x1f, c: 1_000, d: -2.5e+3, e: .5, f: 010}\n")
    keys = YamlKeys(path)
    found = [keys.get(f"a.{name}", (int, float), None) for name in "bcdef"]
    assert found == [31, 1000, -2500.0, 0.5, 8]

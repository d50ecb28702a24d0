"""Cassette files: whatever a text holds comes back, and a file that is no cassette is named with its line."""

import json

import pytest
from gapsmith.evolve.llm.base import ErrorKind, ModelError
from gapsmith.evolve.llm.cassette import Cassette, Exchange
from gapsmith.evolve.llm.registry import Surroundings, build_model
from gapsmith.evolve.llm.settings import ModelSettings
from gapsmith.evolve.types import Completion, Prompt

ROW = {
    "iteration": 1,
    "round": 1,
    "model": "openai/x",
    "operator": "improve",
    "prompt": {"system": "s", "user": "u"},
    "completion": {"text": "t", "model": "m"},
    "parameters": {},
}


def refused(tmp_path, data, spec="replay"):
    """What is said of a cassette with these bytes."""
    path = tmp_path / "tape.jsonl"
    path.write_bytes(data)
    with pytest.raises(ModelError, match=r"tape\.jsonl line \d+: no recorded exchange") as caught:
        build_model(ModelSettings(spec=f"{spec}/{path}"), Surroundings(environment={}))
    assert caught.value.kind is ErrorKind.REQUEST
    return str(caught.value)


def test_models_of_one_specification_stay_apart(tmp_path):
    """What an ask was counted by comes back, without the folders of a file; of old lines it is made up."""
    prompt = Prompt("s", "u")
    spec = f"scripted/{tmp_path}/a.json"
    made = [
        Exchange(1, 1, "openai/x", "tune", prompt, None, {}, name="tune openai/x #2"),
        Exchange(2, 1, spec, "tune", prompt, None, {}, name=f"tune {spec} #2"),
        Exchange(3, 1, "openai/y", "tune", prompt, None, {}),
    ]
    Cassette(made).save(tmp_path / "tape.jsonl")
    found = Cassette.load(tmp_path / "tape.jsonl")
    names = [found.chosen(number)[1] for number in (1, 2, 3)]
    assert names == ["tune openai/x #2", "tune scripted/a.json #2", "tune openai/y"]


def test_a_text_with_any_line_separator_comes_back(tmp_path):
    """Only a line feed ends a line of the file, and inside JSON there is none."""
    text = "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\r\nh\ri"
    made = Exchange(
        1, 1, "openai/x", "improve", Prompt(text, text), Completion(text, "m", 1, 2, 0.5), {"t": 1}
    )
    Cassette([made]).save(tmp_path / "tape.jsonl")
    assert Cassette.load(tmp_path / "tape.jsonl").exchanges == [made]


def test_a_file_edited_elsewhere_is_read(tmp_path):
    """Line ends of Windows, a blank line at the end and a last line without its end do not matter."""
    line = json.dumps(ROW).encode()
    other = json.dumps({**ROW, "iteration": 2, "completion": None, "error": "timeout"}).encode()
    (tmp_path / "tape.jsonl").write_bytes(line + b"\r\n" + other)
    first, second = Cassette.load(tmp_path / "tape.jsonl").exchanges
    assert (first.completion.text, second.completion, second.error) == ("t", None, ErrorKind.TIMEOUT)
    (tmp_path / "tape.jsonl").write_bytes(line + b"\r\n\r\n")
    assert len(Cassette.load(tmp_path / "tape.jsonl").exchanges) == 1


@pytest.mark.parametrize("spec", ["replay", "scripted"])
def test_a_file_of_another_encoding_is_named(tmp_path, spec):
    """With line and byte, by both providers that read cassettes."""
    line = json.dumps(ROW).encode() + b"\n"
    assert "line 2: no recorded exchange (byte 1 is no UTF-8)" in refused(
        tmp_path, line + b"\xff\xfe{}", spec
    )


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"prompt": {"system": 5, "user": "u"}}, "prompt.system"),
        ({"completion": {"text": 5, "model": "m"}}, "completion.text"),
        ({"completion": {"text": "t", "model": "m", "tokens_in": "many"}}, "completion.tokens_in"),
        ({"iteration": "a"}, "iteration"),
        ({"parameters": []}, "parameters"),
        ({"error": "bored"}, "bored"),
        ({"prompt": {"system": "s"}}, "user"),
        ({"promt": {}}, "promt"),
        ({"steps": "ab"}, "'a'"),
    ],
)
def test_a_line_with_a_wrong_value_is_named(tmp_path, change, place):
    """With its line and the place inside it."""
    good = json.dumps(ROW)
    sentence = refused(tmp_path, f"{good}\n{json.dumps({**ROW, **change})}\n".encode())
    assert "line 2" in sentence
    assert place in sentence


@pytest.mark.parametrize(
    "line", ["5", "[1]", '"steps"', "null", "{}", "{", "[" * 50_000, '{"steps": [1e999], "late": []}']
)
def test_a_line_that_is_no_object_is_named(tmp_path, line):
    """Also one that JSON's own reader gives up on."""
    assert "line 1" in refused(tmp_path, line.encode())

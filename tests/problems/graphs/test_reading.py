"""Users' files: JSON, DOT and STG, and errors that name the place."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from gapsmith.problems.base import InstanceFileError
from gapsmith.problems.graphs import task_graph
from hypothesis import given, settings
from hypothesis import strategies as st

PUBLIC = {"times": [[2, 3], [4, None], [3, 1]], "edges": [[0, 1, 5], [0, 2, 2]]}
DOT = """// a comment
digraph g {
# another one
  node [shape=box]; /* a third */
  a [cost="2 3"]; b [label="B \\"x\\"", cost="4 -"]
  c [cost="3 1"];
  a -> b [size="5"]; a -> c [size=2.0, label=x];
}
"""
STG = "3\n0 0 0\n1 4 1 0\n2 5 1 0\n3 6 2 1 2\n4 0 1 3\n# the end\n"


def read(folder: Path, text: str, name: str, processors: int = 2) -> list[Any]:
    """The instances of a file with this text."""
    path = folder / name
    path.write_text(text, "utf-8")
    return list(task_graph(processors=processors).read_instances(path))


@pytest.mark.parametrize(("name", "text"), [("my.json", json.dumps(PUBLIC)), ("my.dot", DOT)])
def test_one_graph_in_two_layouts(name: str, text: str, tmp_path: Path) -> None:
    """Both give the same instance; its scale is the least work shared by both processors."""
    (instance,) = read(tmp_path, text, name)
    assert dict(instance.public) == PUBLIC
    assert (instance.id, instance.stratum, instance.scale) == ("my", "3x2", 4)


def test_several_graphs_in_one_file(tmp_path: Path) -> None:
    """Named, or numbered after the file."""
    instances = read(tmp_path, json.dumps([PUBLIC, {**PUBLIC, "name": "other"}]), "two.json")
    assert [instance.id for instance in instances] == ["two-1", "other"]


def test_a_standard_task_graph(tmp_path: Path) -> None:
    """Equal processors, no transfers, and the two dummy tasks are left out."""
    (instance,) = read(tmp_path, STG, "rand.stg", processors=3)
    assert dict(instance.public) == {
        "times": [[4] * 3, [5] * 3, [6] * 3],
        "edges": [[0, 2, 0], [1, 2, 0]],
    }


def test_tasks_behind_their_successors_are_numbered_anew(tmp_path: Path) -> None:
    """The order of the file stays wherever the edges allow it."""
    text = "digraph { c [cost=1] ; b [cost=2]; a [cost=3]; a -> b -> c [size=7] }"
    (instance,) = read(tmp_path, text, "my.gv", processors=1)
    assert dict(instance.public) == {"times": [[3], [2], [1]], "edges": [[0, 1, 7], [1, 2, 7]]}
    (again,) = read(tmp_path, json.dumps({"times": [[1], [2]], "edges": [[1, 0, 4]]}), "my.json")
    assert dict(again.public) == {"times": [[2], [1]], "edges": [[0, 1, 4]]}


def test_a_keyword_in_quotes_is_a_name(tmp_path: Path) -> None:
    """A task may be called node: its cost is its own and not that of all."""
    text = 'digraph { "node" [cost=1]; "Edge" [cost=2]; "node" -> "Edge" [size=5] }'
    (instance,) = read(tmp_path, text, "my.dot", processors=1)
    assert dict(instance.public) == {"times": [[1], [2]], "edges": [[0, 1, 5]]}


def graph(**changes: Any) -> str:
    """The graph as JSON, with changes."""
    return json.dumps({**PUBLIC, **changes})


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", "", "got no JSON"),
        ("a.json", '{"times": [[1]],\n "edges": [,]}', "line 2 column 12: got no JSON"),
        ("a.json", "[]", "got no graph"),
        ("a.json", '{"times": [[1]]}', "expected an object with times, edges"),
        ("a.json", graph(more=1), "expected an object with times, edges"),
        ("a.json", graph(times=[]), r"file times: got \[\]"),
        ("a.json", graph(times=[[1], [1, 2], [1]]), r"times\[1\]: got \[1, 2\], expected a list of 1"),
        ("a.json", graph(times=[[1], [None], [1]]), r"times\[1\]: got a task without processor"),
        ("a.json", graph(times=[[1], [0], [1]]), r"times\[1\]\[0\]: got 0, expected a time"),
        ("a.json", graph(times=[[1], [1.5], [1]]), r"times\[1\]\[0\]: got 1.5"),
        ("a.json", graph(times=[[1], [True], [1]]), r"times\[1\]\[0\]: got True"),
        ("a.json", graph(times=[[1], [10**30], [1]]), r"times\[1\]\[0\]: got 1000"),
        ("a.json", graph(edges=[[0, 1]]), r"edges\[0\]: got \[0, 1\]"),
        ("a.json", graph(edges=[[0, 3, 1]]), r"edges\[0\]\[1\]: got 3, expected a task"),
        ("a.json", graph(edges=[[1, 1, 1]]), r"edges\[0\]: got an edge of a task to itself"),
        ("a.json", graph(edges=[[0, 1, -1]]), r"edges\[0\]\[2\]: got -1, expected a transfer"),
        ("a.json", graph(edges=[[0, 1, 1], [0, 1, 2]]), r"edges\[1\]: got the edge '0' to '1' twice"),
        ("a.json", graph(edges=[[0, 1, 1], [2, 0, 1], [1, 2, 1]]), r"edges\[0\]: got a circle through"),
        ("a.json", json.dumps([{**PUBLIC, "name": "x"}] * 2), "graph 2: got the name 'x' twice"),
        ("a.json", json.dumps({**PUBLIC, "name": "a\nb"}), "file name: got"),
        ("a.json", "[" * 100_000, "nested too deep"),
        ("a.json", graph(times=[[1] * 65]), "1 to 64"),
        ("a.json", graph(times=[[1] * 20] * 1001, edges=[]), "at most 2,000 tasks, 20,000 pairs"),
        ("a.dot", "", "line 1 column 1: got 'the end of the file', expected digraph"),
        ("a.dot", "graph { a -- b }", "expected a text that begins with `digraph`"),
        ("a.dot", "digraph {\n a [cost=1]", "line 2 column 11: got 'the end of the file'"),
        ("a.dot", "digraph {\n a [cost=1] -> b }", "line 2 column 13: got '->'"),
        ("a.dot", "digraph { a [cost=1]; a -- a }", "column 25: got an edge without direction"),
        ("a.dot", "digraph { a }", "column 11: got the node 'a' without cost"),
        ("a.dot", "digraph { a [cost=x] }", "column 19: got 'x', expected a cost"),
        ("a.dot", "digraph { a [cost=1.5] }", "column 19: got '1.5'"),
        ("a.dot", 'digraph { a [cost=""] }', "got 0 costs"),
        ("a.dot", 'digraph { a [cost="1 2"]; b [cost="1 2 3"] }', "got 2 costs, expected 1 or 3"),
        ("a.dot", 'digraph { a [cost="- -"]; }', "got time 0 or no time of 'a'"),
        ("a.dot", "digraph { a [cost=1]; a -> a }", "got an edge from 'a' to itself"),
        (
            "a.dot",
            "digraph {a [cost=1]; b [cost=1]; a -> b; a -> b}",
            "column 47: got the edge 'a' to 'b' twice",
        ),
        (
            "a.dot",
            "digraph {a [cost=1]; b [cost=1]; a -> b -> a}",
            "got a circle through the edge 'a' to 'b'",
        ),
        ("a.dot", "digraph { subgraph x { a } }", "got a subgraph"),
        ("a.dot", "digraph { a:n [cost=1] }", "got a port"),
        ("a.dot", "digraph { a [cost=1] } digraph { }", "expected one graph in a file"),
        ("a.dot", "digraph { a [cost=1 @] }", "column 21: got"),
        ("a.dot", 'digraph { a [cost="1', "column 19: got"),
        ("a.dot", "digraph { }", "got no task"),
        ("a.stg", "", "got no numbers"),
        ("a.stg", "2 2\n", "line 1: got 2 numbers"),
        ("a.stg", "2\n0 1 0\n", "line 2: got 1 tasks, expected 2"),
        ("a.stg", "1\n" + "0 1 0\n" * 5, "got 5 tasks, expected 1"),
        ("a.stg", STG.replace("4 0 1 3\n", ""), "line 5: got 4 tasks, expected 3"),
        ("a.stg", "2\n0 0 0\n1 4 1 0\n", "got a task of time 0 at 1 of the two ends"),
        ("a.dot", '"digraph" g { a [cost=1] }', "no directed graph"),
        ("a.dot", "digraph { node -> a [cost=1] }", "got '->'"),
        ("a.stg", "1\n0 1\n", "line 2: got 2 numbers"),
        ("a.stg", "1\n0 x 0\n", "line 2 column 2: got 'x', expected a time"),
        ("a.stg", "1\n5 1 0\n", "line 2 column 1: got 5, expected 0"),
        ("a.stg", "2\n0 1 0\n1 1 2 0\n", "line 3: got 1 predecessors, expected 2"),
        ("a.stg", "2\n0 1 0\n1 1 1 7\n", "line 3 column 4: got 7"),
        ("a.stg", "2\n0 1 1 1\n1 1 1 0\n", "got a circle"),
        ("a.stg", "3\n0 1 0\n1 0 1 0\n2 1 1 1\n", "line 3 column 2: got time 0"),
        ("a.txt", "3\n", "expected a file that ends in"),
    ],
)
def test_a_fault_is_named_with_its_place(name: str, text: str, message: str, tmp_path: Path) -> None:
    """Every message begins with the file."""
    with pytest.raises(InstanceFileError, match=message) as caught:
        read(tmp_path, text, name)
    assert str(caught.value).startswith(str(tmp_path))


@settings(max_examples=150, deadline=None)
@given(
    text=st.text(st.sampled_from('digraph{}[]=->;"ab01 \n#/*.cost'), max_size=60),
    ending=st.sampled_from(["json", "dot", "stg"]),
)
def test_any_text_is_read_or_refused(text: str, ending: str, tmp_path_factory: Any) -> None:
    """No other error comes out of a reader."""
    folder = tmp_path_factory.mktemp("files")
    with suppress(InstanceFileError):
        assert read(folder, text, f"a.{ending}")

"""Task graphs in DOT, as SimGrid and workflow tools write them: `cost` on nodes, `size` on edges."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from ..files import shown
from .building import MOST_PROCESSORS, Edge, GraphTask, refuse, whole, without_dummies

_TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/|^\#[^\n]*)
    |(?P<text>"(?:[^"\\]|\\.)*")
    |(?P<id>[A-Za-z_\u0080-\uffff][\w]*|-?(?:\.\d+|\d+(?:\.\d*)?)(?:e[+-]?\d+)?)
    |(?P<sign>->|--|[{}\[\]=;,:])""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_END = "the end of the file"
_DRAWN = """
arrowhead arrowsize bb bgcolor center class color colorscheme comment compound concentrate constraint decorate
dir fillcolor fixedsize fontcolor fontname fontsize group headlabel height id image label labelloc layout
margin minlen nodesep nojustify ordering orientation outputorder overlap pad penwidth peripheries pos rank
rankdir ranksep ratio regular shape sides splines style taillabel title tooltip url weight width xlabel
"""
"""Keys of Graphviz that say how a graph is drawn: they change no instance."""


@dataclass(frozen=True, slots=True)
class _Word:
    """A token: what it says, whether it is a sign, where it stands, and whether it stands in quotes."""

    text: str
    sign: bool
    place: str
    quoted: bool = False

    def says(self, keyword: str) -> bool:
        """Whether it is this word of the language; in quotes it is a name."""
        return not self.sign and not self.quoted and self.text.lower() == keyword


@dataclass(slots=True)
class _DotReader:
    """Reads the statements of one directed graph."""

    path: Path
    words: Iterator[_Word]
    word: _Word
    nodes: dict[str, str] = field(default_factory=dict)
    costs: dict[str, tuple[str, str]] = field(default_factory=dict)
    stated: set[str] = field(default_factory=set)
    links: list[tuple[str, str, str, str, str]] = field(default_factory=list)
    defaults: dict[str, dict[str, tuple[str, str]]] = field(
        default_factory=lambda: {"node": {}, "edge": {}, "graph": {}}
    )

    def next(self) -> _Word:
        """The present word; goes on to the next one."""
        word = self.word
        self.word = next(self.words, _Word(_END, True, word.place))
        return word

    def take(self, sign: str) -> bool:
        """Whether the present word is this sign; goes on if so."""
        if self.word.sign and self.word.text == sign:
            self.next()
            return True
        return False

    def expect(self, sign: str, meaning: str) -> None:
        """Goes on past a sign that must be here."""
        if not self.take(sign):
            refuse(self.path, self.word.place, shown(self.word.text), f"{sign!r}, {meaning}")

    def name(self, meaning: str) -> str:
        """A name or a value."""
        if self.word.sign:
            refuse(self.path, self.word.place, shown(self.word.text), meaning)
        return self.next().text

    def graph(self) -> None:
        """`digraph NAME { … }`."""
        if self.word.says("strict"):
            self.next()
        word = self.word
        self.name("digraph")
        if not word.says("digraph"):
            refuse(self.path, "line 1", "no directed graph", "a text that begins with `digraph`")
        if not self.word.sign:
            self.next()
        self.expect("{", "the beginning of the graph")
        while not self.take("}"):
            self.statement()
            while self.take(";") or self.take(","):
                pass
        if self.word.text != _END:
            refuse(self.path, self.word.place, shown(self.word.text), "one graph in a file")

    def statement(self) -> None:
        """A node, a chain of edges, a default, or a key of the graph."""
        word = self.word
        place = word.place
        first = self.name("a node, an edge or the end of the graph")
        if word.says("subgraph"):
            refuse(self.path, place, "a subgraph", "nodes and edges alone")
        if kind := next((kind for kind in self.defaults if word.says(kind)), None):
            self.defaults[kind].update(self.attributes(kind))
            return
        if self.take("="):
            self.known(first, "graph", place)
            self.name("a value")
            return
        chain = [(self.node(first, place), place)]
        while self.take("->"):
            place = self.word.place
            chain.append((self.node(self.name("a node"), place), place))
        if self.word.sign and self.word.text == "--":
            refuse(self.path, self.word.place, "an edge without direction", "'->'")
        own = self.attributes("node" if len(chain) == 1 else "edge")
        if len(chain) == 1:
            if "cost" in own and first in self.stated:
                refuse(
                    self.path, own["cost"][1], f"a second cost of {shown(first)}", "one cost for each node"
                )
            if cost := own.get("cost", self.defaults["node"].get("cost")):
                self.costs.setdefault(first, cost)
            if "cost" in own:
                self.costs[first] = own["cost"]
                self.stated.add(first)
            return
        size, where = own.get("size", self.defaults["edge"].get("size", ("0", place)))
        for (tail, _), (head, at) in pairwise(chain):
            self.links.append((tail, head, size, at, where))

    def node(self, name: str, place: str) -> str:
        """Notes a node where it first stands."""
        if self.word.sign and self.word.text == ":":
            refuse(self.path, self.word.place, "a port", "nodes without ports")
        self.nodes.setdefault(name, place)
        return name

    def known(self, key: str, kind: str, place: str) -> None:
        """Refuses a key that is neither read nor about the drawing."""
        read = {"node": ("cost",), "edge": ("size",)}.get(kind, ())
        if key not in read and key.lower() not in _DRAWN.split() and not (kind == "graph" and key == "size"):
            expected = f"the key {read[0]}, or one that says how to draw" if read else "keys for drawing"
            refuse(self.path, place, f"the key {shown(key)} of a {kind}", expected)

    def attributes(self, kind: str) -> dict[str, tuple[str, str]]:
        """`[key=value, …]` of a `node`, `edge` or `graph`, several or none: key → value with its place."""
        values: dict[str, tuple[str, str]] = {}
        while self.take("["):
            while not self.take("]"):
                at = self.word.place
                key = self.name("a key or ']'")
                self.known(key, kind, at)
                if key in values:
                    refuse(self.path, at, f"the key {shown(key)} twice", "each key once")
                self.expect("=", "between key and value")
                place = self.word.place
                values[key] = (self.name("a value"), place)
                while self.take(";") or self.take(","):
                    pass
        return values


def read_dot(path: Path, text: str, processors: int) -> tuple[list[GraphTask], list[Edge]]:
    """Tasks and edges of a directed graph; a `cost` of several numbers is one for each processor."""
    words = _words(path, text)
    reader = _DotReader(path, words, next(words, _Word(_END, True, "line 1 column 1")))
    reader.graph()
    tasks = [_task(path, name, place, reader.costs) for name, place in reader.nodes.items()]
    count = max((len(task.times) for task in tasks), default=1)
    equal = processors if count == 1 else count
    if wrong := next((task for task in tasks if len(task.times) not in (1, count)), None):
        refuse(path, wrong.place, f"{len(wrong.times)} costs", f"1 or {count}, as other nodes have")
    tasks = [GraphTask(t.name, list(t.times) * (equal if len(t.times) == 1 else 1), t.place) for t in tasks]
    number = {name: n for n, name in enumerate(reader.nodes)}
    edges = []
    for tail, head, size, place, where in reader.links:
        if tail == head:
            refuse(path, place, f"an edge from {shown(tail)} to itself", "an edge to another node")
        transfer = 0 if size == "-1" else whole(path, where, _plain(size), 0, "a size")
        edges.append(Edge(number[tail], number[head], transfer, place))
    return without_dummies(tasks, edges)


def _task(path: Path, name: str, place: str, costs: Mapping[str, tuple[str, str]]) -> GraphTask:
    if name not in costs:
        refuse(path, place, f"the node {shown(name)} without cost", 'a node with [cost="…"]')
    text, where = costs[name]
    words = text.split()
    if not 1 <= len(words) <= MOST_PROCESSORS:
        refuse(
            path, where, f"{len(words)} costs", f"one, or one for each of up to {MOST_PROCESSORS} processors"
        )
    times = [None if word == "-" else whole(path, where, _plain(word), 0, "a cost") for word in words]
    return GraphTask(name, times, where)


def _plain(number: str) -> str:
    """A number without its fraction if that is zero."""
    return re.sub(r"\.0*$", "", number)


def _words(path: Path, text: str) -> Iterator[_Word]:
    """The tokens of a text."""
    position, line, start = 0, 1, 0
    while position < len(text):
        place = f"line {line} column {position - start + 1}"
        match = _TOKEN.match(text, position)
        if match is None:
            refuse(path, place, shown(text[position : position + 20]), "DOT")
        if match.lastgroup != "skip":
            said = match[0]
            if match.lastgroup == "text":
                said = re.sub(r'\\(["\\])', r"\1", said[1:-1])
            yield _Word(said, match.lastgroup == "sign", place, match.lastgroup == "text")
        line += match[0].count("\n")
        if "\n" in match[0]:
            start = match.start() + match[0].rindex("\n") + 1
        position = match.end()

"""The kinds of scaffold run and check; the page on optional parts does what it says."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from gapsmith import Drawing, HasPrimitives, InstanceFileError, ReadsInstances, ReferenceKind, check_problem
from gapsmith.app.errors import UserError
from gapsmith.app.plugins.loader import load_problem
from gapsmith.app.plugins.scaffold import KINDS, write_problem

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "optional-parts.md"
OPTIMAL = {"permutation", "routing", "packing", "amounts", "rule"}
CLASSES = ("assignment", "permutation", "routing", "packing", "online", "rule")
BOTH = pytest.mark.parametrize(
    ("kind", "as_class"), [*((kind, False) for kind in KINDS), *((kind, True) for kind in CLASSES)]
)


@BOTH
def test_each_kind_loads_and_has_references(kind: str, as_class: bool, tmp_path: Path) -> None:
    """File and test are written; five kinds have optima, the others bounds."""
    path, test = write_problem("night-shift", tmp_path, package=False, kind=kind, as_class=as_class)
    compile(test.read_text("utf-8"), str(test), "exec")
    loaded = load_problem(str(path))
    reference = loaded.reference(loaded.instances("train", 1)[0], 1.0)
    assert reference is not None
    assert (reference.kind is ReferenceKind.OPTIMUM) == (kind in OPTIMAL)


@pytest.mark.slow
@BOTH
def test_each_kind_passes_its_check(kind: str, as_class: bool, tmp_path: Path) -> None:
    """Contract and attacks find nothing in what is written."""
    path = write_problem("night-shift", tmp_path, package=False, kind=kind, as_class=as_class)[0]
    report = check_problem(str(path), seconds=4.0)
    assert report.passed, report.findings


def test_tours_of_the_scaffold_are_optimal(tmp_path: Path) -> None:
    """The dynamic programme agrees with trying every round trip of seven cities."""
    from itertools import permutations

    path = write_problem("round-trip", tmp_path, package=False, kind="permutation")[0]
    loaded = load_problem(str(path), {"cities": 7})
    for instance in loaded.instances("train", 1)[:5]:
        trips = (loaded.problem.verify(instance, [0, *rest]).objective for rest in permutations(range(1, 7)))
        reference = loaded.reference(instance, 1.0)
        assert reference is not None
        assert reference.value == min(trip for trip in trips if trip is not None)


@pytest.mark.slow
def test_routes_of_the_scaffold_are_optimal(tmp_path: Path) -> None:
    """The programme over sets agrees with trying every order of five customers, cut everywhere."""
    from itertools import combinations, pairwise, permutations

    path = write_problem("rounds", tmp_path, package=False, kind="routing")[0]
    loaded = load_problem(str(path), {"customers": 5, "capacity": 12})
    cuts = [[0, *some, 5] for count in range(5) for some in combinations(range(1, 5), count)]
    for instance in loaded.instances("train", 1)[:3]:
        answers = (
            [list(order[a:b]) for a, b in pairwise(cut)] for order in permutations(range(5)) for cut in cuts
        )
        lengths = (loaded.problem.verify(instance, answer).objective for answer in answers)
        reference = loaded.reference(instance, 1.0)
        assert reference is not None
        assert reference.value == min(length for length in lengths if length is not None)


def test_amounts_and_offsets_of_the_scaffold_are_bounded(tmp_path: Path) -> None:
    """All ways to water three fields, and all addresses of three buffers, against their references."""
    from itertools import product

    path = write_problem("fields", tmp_path, package=False, kind="amounts")[0]
    loaded = load_problem(str(path), {"fields": 3, "water": 7})
    for instance in loaded.instances("train", 1)[:5]:
        ways = product(*(range(len(gain) + 1) for gain in instance.public["gains"]))
        sacks = [loaded.problem.verify(instance, list(way)).objective for way in ways]
        reference = loaded.reference(instance, 1.0)
        assert reference is not None
        assert reference.value == max(one for one in sacks if one is not None)
    path = write_problem("memory", tmp_path, package=False, kind="offsets")[0]
    loaded = load_problem(str(path), {"buffers": 3})
    for instance in loaded.instances("train", 1)[:3]:
        places = product(range(sum(instance.public["sizes"])), repeat=2)
        peaks = [loaded.problem.verify(instance, [0, *place]).objective for place in places]
        reference = loaded.reference(instance, 1.0)
        assert reference is not None
        assert reference.value <= min(peak for peak in peaks if peak is not None)


def test_only_the_older_kinds_have_a_class(tmp_path: Path) -> None:
    """The error names them."""
    with pytest.raises(UserError, match="--class --kind amounts: expected --kind assignment or permutation"):
        write_problem("night-shift", tmp_path, package=False, kind="amounts", as_class=True)


def test_an_unknown_kind_is_answered_with_all_of_them(tmp_path: Path) -> None:
    """Nothing is written."""
    match = "--kind routes: not known, expected one of assignment, permutation, routing"
    with pytest.raises(UserError, match=match):
        write_problem("night-shift", tmp_path, package=False, kind="routes")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("interactive", "online"),
        ("Tsp", "permutation"),
        ("vrp", "routing"),
        ("packings", "packing"),
        ("zebra", ""),
    ],
)
def test_a_word_that_people_use_leads_to_its_kind(word: str, kind: str, tmp_path: Path) -> None:
    """The hint names one kind and what an answer is there, or for an unknown word all of them."""
    with pytest.raises(UserError) as raised:
        write_problem("night-shift", tmp_path, package=False, kind=word)
    expected = [kind] if kind else list(KINDS)
    assert all(KINDS[name] in raised.value.hint for name in expected)
    assert raised.value.hint.startswith(f"use --kind {kind}: " if kind else "assignment: ")


def test_the_online_kind_offers_its_terms_to_the_offline_proposer(tmp_path: Path) -> None:
    """Every primitive can be written where the baseline rates a machine."""
    path = write_problem("night-shift", tmp_path, package=False, kind="online")[0]
    problem = load_problem(str(path)).problem
    assert isinstance(problem, HasPrimitives)
    names = {"loads": [3, 1], "duration": 4, "m": 1}
    values = [eval(primitive.text, {}, names) for primitive in problem.primitives()]
    assert values == [5, 3, 2.0]


def test_the_online_baseline_chooses_by_a_key(tmp_path: Path) -> None:
    """The program still takes the first of the least loaded machines."""
    path = write_problem("night-shift", tmp_path, package=False, kind="online")[0]
    source = load_problem(str(path)).problem.baselines()["least-loaded"]
    assert "key=lambda m: loads[m]" in source
    names: dict[str, Any] = {}
    exec(source, names)
    for loads in ([3, 1, 1, 2], [0, 0, 0, 0], [5, 4, 3, 2]):
        assert names["choose"](7, loads) == loads.index(min(loads))


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The names that the page's blocks define, beside the scaffold that they extend."""
    write_problem("night-shift", tmp_path, package=False, as_class=True)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "night_shift", raising=False)
    module = ModuleType("page")
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.S):
        exec(block, vars(module))
    monkeypatch.delitem(sys.modules, "night_shift")
    return module


def test_drawings_and_files_of_the_page(page: ModuleType, tmp_path: Path) -> None:
    """Shapes end at the loads; a file gives instances; a wrong line is named with what stands there."""
    drawn, read = page.Drawn(jobs=3, machines=2), page.Read()
    drawing = drawn.draw(drawn.instances("train", 1)[0], [0, 1, 0])
    assert isinstance(drawing, Drawing)
    assert len(drawing.shapes) == 3
    assert isinstance(read, ReadsInstances)
    path = tmp_path / "mine.txt"
    path.write_text("2 3 4 5\n3 1 1\n", "utf-8")
    assert [i.public["machines"] for i in read.read_instances(path)] == [2, 3]
    path.write_text("2 3 4 5\n2 x\n", "utf-8")
    with pytest.raises(InstanceFileError, match="line 2: got '2 x', expected whole numbers > 0"):
        read.read_instances(path)


def test_the_dialogue_of_the_ports_goes_as_its_table_says() -> None:
    """Driver and dialogue talk as in the sandbox; the table has every line; no decision is an error."""
    page = (PAGE.parents[1] / "reference" / "ports.md").read_text("utf-8")
    text = page.split("### Dialogues")[1].split("\n## ")[0]
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.S):
        exec(block, names)
    dialogue, lines, sent = names["Arrivals"]([5, 3, 4]), [], [b""]

    def receive() -> bytes | None:
        line = dialogue.next(sent[-1])
        lines.append(f"`next({sent[-1]!r})` → `{line!r}`".replace("'", '"').replace("`None`", "None"))
        return line  # type: ignore[no-any-return]

    exec(names["DRIVER"], names)
    names["drive"](lambda duration, loads: loads.index(min(loads)), {}, receive, sent.append)
    assert re.findall(r"`next\(b.*?(?= \|$)", text, re.M) == lines
    assert f"`answer()` → `{dialogue.answer()}`" in text
    with pytest.raises(ValueError, match="expected machine 0 or 1"):
        dialogue.next(b"2")


def test_driver_primitives_and_moves_of_the_page(page: ModuleType) -> None:
    """The driver's plan is verified; primitives are offered; the objective is what verification says."""
    rated, scope = page.Rated(), {}
    instance = rated.instances("train", 1)[0]
    exec(rated.driver + rated.start_programs()["longest-first"], scope)
    run: Callable[..., Any] = scope["drive"]
    plan = run(scope["rate"], instance.public)
    assert rated.verify(instance, plan).objective is not None
    assert isinstance(page.WithPrimitives(), HasPrimitives)
    moves = page.WithMoves().moves()
    exec(moves.source, scope)
    assert scope["objective"](plan, **instance.public) == rated.verify(instance, plan).objective

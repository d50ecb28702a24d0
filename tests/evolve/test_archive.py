"""The archive and its islands, decision by decision, on a hand-written trajectory."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from gapsmith.evaluators.base import Evaluation, EvaluationStatus, ReferenceKind, Score, ScoreStatus
from gapsmith.evolve.archive import Archive
from gapsmith.evolve.history import CandidateRegistry, Strata
from gapsmith.evolve.islands import Islands, IslandSettings
from gapsmith.evolve.iteration import Iteration, IterationResult
from gapsmith.evolve.measures import MeasureSpace
from gapsmith.evolve.selection import SELECTIONS, Control, OfflineSelection, SelectionBasis, SelectionSettings
from gapsmith.evolve.types import AddStatus, Candidate, Complete, Elite, Origin
from gapsmith.sandbox.base import Description

HARD = frozenset({"b"})


def loss(score: Score) -> float | None:
    """Normalised loss against references of 1."""
    return None if score.excess is None else float(score.excess)


def evaluated(answers: str, *losses: float) -> Evaluation:
    """A complete evaluation on the instances a, b, c, …; one character of `answers` each."""
    rows = [
        Score(id, ScoreStatus.OK, 1 + x, 1.0, ReferenceKind.OPTIMUM, x, x, 0.0, answer)
        for id, answer, x in zip("abcdef", answers, losses, strict=False)
    ]
    return Evaluation("train", tuple(rows), EvaluationStatus.COMPLETE, -sum(losses) / len(losses))


def candidate(id: str, nodes: int = 100) -> Candidate:
    """A candidate of a size."""
    text = {"heuristic.py": f"# {id}"}
    return Candidate(id, text, (), Origin.MUTATE, "test", 0, 1, Description(nodes=nodes))


def archive(islands: int = 1, names: tuple[str, ...] = ("size", "profile")) -> Archive:
    """An empty archive."""
    return Archive(MeasureSpace(names, loss, HARD), islands)


def test_better_takes_the_cell_and_worse_does_not() -> None:
    """One elite a cell: new, improved, not added, in this order."""
    found = archive(names=())
    assert found.add(candidate("one"), evaluated("xy", 0.2, 0.2), 0) is AddStatus.NEW
    assert found.add(candidate("two"), evaluated("xz", 0.1, 0.2), 0) is AddStatus.IMPROVED
    assert found.add(candidate("three"), evaluated("zz", 0.3, 0.2), 0) is AddStatus.NOT_ADDED
    assert [e.candidate.id for e in found.elites()] == ["two"]
    assert found.best is found.elites()[0]


def test_a_twin_takes_no_cell() -> None:
    """The same answers in another size would fill a second cell; they are known and named."""
    found = archive()
    found.add(candidate("one", 100), evaluated("xy", 0.1, 0.1), 0)
    duplicate = candidate("two", 700), evaluated("xy", 0.1, 0.1)
    assert found.duplicate(*duplicate) == "one"
    assert found.add(*duplicate, 0) is AddStatus.NOT_ADDED
    assert len(found.elites()) == 1
    assert found.duplicate(candidate("one"), evaluated("xy", 0.1, 0.1)) is None


def simplified(id: str, nodes: int) -> Candidate:
    """A candidate that was asked for as a simplification."""
    return replace(candidate(id, nodes), origin=Origin.SIMPLIFY)


def test_a_shorter_twin_that_was_asked_for_takes_the_place_of_the_longer_one() -> None:
    """It is the best from then on, also in another cell; what is not shorter is a duplicate as before."""
    found = archive()
    answers = evaluated("xy", 0.1, 0.1)
    found.add(candidate("long", 700), answers, 0)
    assert found.add(simplified("as long", 700), answers, 0) is AddStatus.NOT_ADDED
    assert found.add(candidate("another", 100), answers, 0) is AddStatus.NOT_ADDED
    assert found.add(simplified("short", 100), answers, 0)
    assert [elite.candidate.id for elite in found.elites()] == ["short"]
    assert found.best is found.elites()[0]
    assert found.duplicate(candidate("later"), answers) == "short"
    assert found.add(simplified("shorter", 95), answers, 0) is AddStatus.IMPROVED
    assert [elite.candidate.id for elite in found.elites()] == ["shorter"]


def test_a_simplification_drives_out_no_other_program_as_good() -> None:
    """Where its cell belongs to another program that is as good, the longer one stays."""
    found = archive()
    found.add(candidate("long", 700), evaluated("xy", 0.1, 0.1), 0)
    found.add(candidate("holder", 100), evaluated("yx", 0.1, 0.1), 0)
    assert found.add(simplified("short", 100), evaluated("xy", 0.1, 0.1), 0) is AddStatus.NOT_ADDED
    assert {elite.candidate.id for elite in found.elites()} == {"long", "holder"}


def test_start_programs_settle_every_island() -> None:
    """The same candidate on several islands is no duplicate of itself."""
    found = archive(3)
    for island in range(3):
        assert found.add(candidate("start"), evaluated("xy", 0.1, 0.1), island) is AddStatus.NEW


def test_an_elite_in_a_wrong_cell_is_refused() -> None:
    """The cell must be that of the measures: a broken invariant ends the campaign, not the result."""
    found = archive()
    elite = found.elite(candidate("one"), evaluated("xy", 0.1, 0.1), 0)
    with pytest.raises(AssertionError, match="cell"):
        found.migrate(replace(elite, cell=(0, 0)), 0)


def test_the_second_parent_complements_the_first() -> None:
    """Of two others the one that wins where the first loses is chosen far more often."""
    found = archive(names=("size",))
    found.add(candidate("first", 50), evaluated("ab", 0.0, 0.4), 0)
    found.add(candidate("alike", 100), evaluated("cd", 0.1, 0.41), 0)
    found.add(candidate("other", 150), evaluated("ef", 0.6, 0.0), 0)
    seconds = []
    for seed in range(400):
        chosen = [e.candidate.id for e in found.select(0, random.Random(seed))]
        if chosen[0] == "first":
            seconds.append(chosen[1])
    assert seconds.count("other") > 2 * seconds.count("alike") > 0


def test_better_elites_are_chosen_more_often_and_none_twice() -> None:
    """Rank decides, every elite has a chance, and parents differ."""
    found = archive(names=("size",))
    for number, nodes in enumerate((50, 80, 120, 180, 250)):
        found.add(candidate(str(number), nodes), evaluated(f"{number}x", 0.1 * number, 0.1), 0)
    firsts = [found.select(0, random.Random(seed), 3) for seed in range(500)]
    counts = [sum(chosen[0].candidate.id == str(number) for chosen in firsts) for number in range(5)]
    assert counts[0] == max(counts)
    assert min(counts) > 0
    assert all(len({e.candidate.id for e in chosen}) == 3 for chosen in firsts)


def test_the_rival_is_the_weakest_of_the_best_quarter() -> None:
    """Of one to four elites the best, of five to eight the second."""
    found = archive(names=("size",))
    incumbents = []
    for number, nodes in enumerate((50, 80, 120, 180, 250, 350)):
        found.add(candidate(str(number), nodes), evaluated(f"{number}x", 0.1 * number, 0.1), 0)
        incumbent = found.incumbent(0)
        assert incumbent is not None
        incumbents.append(incumbent.candidate.id)
    assert incumbents == ["0", "0", "0", "0", "1", "1"]
    assert archive().incumbent(0) is None


def test_migration_goes_round_the_ring_and_keeps_lineage() -> None:
    """Each island's best is copied to the next; the copy is the same candidate with the same evaluation."""
    found = archive(3, ())
    for island, quality in enumerate((0.3, 0.2, 0.1)):
        found.add(candidate(str(island)), evaluated(f"{island}x", quality, quality), island)
    islands = Islands(found, IslandSettings(migration_every=2, reset_after=0), seed=1)
    assert islands.meet(1) == []
    events = islands.meet(2)
    assert [(e.data["from"], e.data["to"], e.data["added"]) for e in events] == [
        (0, 1, 0),
        (1, 2, 0),
        (2, 0, 1),
    ]
    settled = found.elites(0)[0]
    assert (settled.candidate.id, settled.island) == ("2", 0)
    assert settled.candidate is found.elites(2)[0].candidate


@pytest.mark.parametrize("migration_every", [0, 40])
def test_an_island_that_stands_still_is_resettled(migration_every: int) -> None:
    """The worst still island starts anew from survivors of another one, whether or not elites migrate."""
    found = archive(2, ())
    found.add(candidate("good"), evaluated("gx", 0.1, 0.1), 0)
    found.add(candidate("bad"), evaluated("bx", 0.5, 0.5), 1)
    islands = Islands(found, IslandSettings(migration_every=migration_every, reset_after=5), seed=1)
    events = [event for told in range(1, 41) for event in islands.meet(told) if event.kind == "reset"]
    assert [(e.data["island"], e.data["from"], e.data["candidates"]) for e in events] == [(1, 0, ["good"])]
    assert found.best is not None
    assert found.best.candidate.id == "good"


def basis(archive: Archive, start: Elite, share: float, until: int, *, seed: int) -> SelectionBasis:
    """What a strategy may use, with a share of fresh starts that falls over the first iterations."""
    settings = SelectionSettings(fresh_share=share, fresh_until=until)
    strata = Strata({}, archive.space.loss)
    return SelectionBasis(archive, CandidateRegistry(()), strata, start, (), settings, 1, seed)


def test_controls_learn_nothing() -> None:
    """Best-of-n changes the start program alone; random changes any valid candidate, good or bad."""
    found = archive(names=("size",))
    start = found.elite(candidate("start", 50), evaluated("sx", 0.5, 0.5), 0)
    better = found.elite(candidate("better", 100), evaluated("bx", 0.1, 0.1), 0)
    worse = found.elite(candidate("worse", 100), evaluated("wx", 0.9, 0.9), 0)
    chosen: dict[Control, set[str]] = {}
    for control in (Control.BEST_OF_N, Control.RANDOM):
        selection = SELECTIONS[control](basis(found, start, 0.5, 9, seed=1))
        for elite in (better, worse):
            found.add(elite.candidate, elite.evaluation, 0)
            outcome = Complete(elite.candidate, elite.evaluation)
            selection.tell(Iteration(1, 0, ("start",)), IterationResult(outcome))
        parents: list[Elite] = [e for number in range(60) for e in selection.parents(number, 0)]
        chosen[control] = {e.candidate.id for e in parents}
        assert len(parents) == 60
    assert chosen == {Control.BEST_OF_N: {"start"}, Control.RANDOM: {"start", "better", "worse"}}


def test_a_share_of_the_iterations_begins_at_the_start_program() -> None:
    """A quarter is about one in four, the same ones each time; 0 is none; at the beginning it may be more."""
    found = archive(names=("size",))
    start = found.elite(candidate("start", 50), evaluated("sx", 0.5, 0.5), 0)
    better = candidate("better", 100)
    found.add(better, evaluated("bx", 0.1, 0.1), 0)

    def parents(share: float, until: int = 0) -> list[str]:
        selection = OfflineSelection(basis(found, start, share, until, seed=3))
        chosen = [selection.parents(number, 0)[0].candidate.id for number in range(1, 401)]
        assert [selection.fresh(number) for number in range(1, 401)] == [id == "start" for id in chosen]
        return chosen

    assert set(parents(0.0)) == {"better"}
    assert 70 <= parents(0.25).count("start") <= 130
    assert parents(0.25) == parents(0.25)
    falling = parents(0.1, until=200)
    assert falling[:50].count("start") > 35
    assert 8 < falling[100:150].count("start") < 30
    assert falling[200:].count("start") < 40

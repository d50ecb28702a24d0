"""A candidate that draws the published sequences again knows nothing of what it is given."""

from __future__ import annotations

import hashlib
import stat
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from gapsmith.app.check import check_problem
from gapsmith.app.config import Config, parse
from gapsmith.app.errors import UserError
from gapsmith.app.plugins.loader import load_problem
from gapsmith.app.setup import setup as secrets
from gapsmith.problems.base import Instance
from gapsmith.problems.bin_packing import bin_packing, online_bin_packing
from gapsmith.problems.bin_packing.laws import stream_for
from gapsmith.problems.placement import expert_placement

SECRET = "5ea1" * 16
LAW = "t120"

BEST_FIT = """
class Packer:
    def __init__(self, capacity):
        pass

    def place(self, item, residuals, gap_counts):
        fits = [(space, index) for index, space in enumerate(residuals) if space >= item]
        return min(fits)[1] if fits else len(residuals)
"""

REDRAW = """
from collections import defaultdict
from numpy.random import RandomState

class Packer:
    def __init__(self, capacity):
        stream = RandomState(SEED)
        sizes = []
        for _ in range(40):
            first = int(stream.randint(380, 491))
            second = int(stream.randint(250, (1000 - first) // 2 + 1))
            sizes += [first, second, 1000 - first - second]
        self.places = defaultdict(list)
        for number, size in enumerate(sizes):
            self.places[size].append(number // 3)
        self.bins = {}
        self.lost = False

    def place(self, item, residuals, gap_counts):
        if not self.lost and self.places[item]:
            planned = self.places[item].pop()
            return self.bins.setdefault(planned, len(residuals))
        self.lost = True
        fits = [(space, index) for index, space in enumerate(residuals) if space >= item]
        return min(fits)[1] if fits else len(residuals)
"""
"""Plans with the published items, in whatever order they come; best fit once an item is not among them."""


@pytest.fixture
def attack() -> str:
    """The candidate that draws the published test sequence again, its seed worked out beforehand."""
    key = "\0".join(("bin-packing", "test", "1", LAW, "0"))
    seed = int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big")
    return REDRAW.replace("SEED", str(seed))


def _first(problem: Any) -> Instance:
    found: Instance = problem.instances("test", 1)[0]
    return found


def test_a_published_sequence_can_be_packed_in_advance(
    attack: str, bins_of: Callable[[Any, str, Instance], int]
) -> None:
    """The attack is real: it packs the public draw optimally, in any order, so a new order would not help."""
    problem = online_bin_packing(law=LAW, test_per_stratum=1)
    instance = _first(problem)
    sizes = list((instance.hidden or {})["sizes"])
    Random(1).shuffle(sizes)
    other_order = replace(instance, hidden={"sizes": sizes})
    assert bins_of(problem, BEST_FIT, instance) > 40
    assert bins_of(problem, attack, instance) == 40
    assert bins_of(problem, attack, other_order) == 40


def test_a_sequence_drawn_with_a_secret_cannot(
    attack: str, bins_of: Callable[[Any, str, Instance], int]
) -> None:
    """With a secret the same candidate gets no better than the rule that it falls back to."""
    problem = online_bin_packing(law=LAW, test_per_stratum=1).keyed(SECRET)
    instance = _first(problem)
    assert bins_of(problem, attack, instance) >= bins_of(problem, BEST_FIT, instance) > 40


@pytest.mark.slow
def test_every_set_but_the_historic_ones_depends_on_the_secret() -> None:
    """Each drawn instance has other items under another secret; the published data stay bit for bit."""
    public, one, two = (online_bin_packing().keyed(secret) for secret in ("", SECRET, SECRET[::-1]))
    for name in public.sets():
        a, b, c = (
            [Counter((i.hidden or {})["sizes"]) for i in p.instances(name, 1)[:2]] for p in (public, one, two)
        )
        if name.startswith(("weibull-2024", "offline-")):
            assert a == b == c
        else:
            assert all(x != y and y != z and x != z for x, y, z in zip(a, b, c, strict=True)), name
    digests = [i.digest for i in one.instances("test", 1)]
    assert digests == [i.digest for i in online_bin_packing().keyed(SECRET).instances("test", 1)]


def test_hidden_loads_of_the_next_step_depend_on_the_secret() -> None:
    """Expert placement: the same public layers, other hidden loads; without a secret the published ones."""
    public = expert_placement()
    plain, keyed = (p.instances("next-step", 1) for p in (public, public.keyed(SECRET)))
    assert [i.public for i in plain] == [i.public for i in keyed]
    assert all(a.hidden != b.hidden for a, b in zip(plain, keyed, strict=True))
    assert [i.digest for i in public.instances("test", 1)] == [
        i.digest for i in public.keyed(SECRET).instances("test", 1)
    ]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own."""
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def _config(**evaluation: Any) -> Config:
    return parse({"campaign": {"problem": "online-bin-packing"}, "evaluation": evaluation}, "test")


def test_the_installation_keeps_one_secret_for_its_user(cache: Path) -> None:
    """Made on first use with 256 bits, readable by its owner alone, the same ever after."""
    found = secrets.installation_secret()
    file = cache / secrets.FILE
    assert len(found) == 64
    assert file.read_text().strip() == found == secrets.installation_secret()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in cache.iterdir()] == [secrets.FILE]


def test_a_damaged_secret_is_named(cache: Path) -> None:
    """Half a secret is no secret: the file is named with the way on."""
    cache.mkdir()
    (cache / secrets.FILE).write_text("abc")
    (cache / secrets.FILE).chmod(0o600)
    with pytest.raises(UserError, match="secret: damaged, expected 64 hexadecimal digits"):
        secrets.installation_secret()


def test_a_configuration_names_the_secret_it_needs(cache: Path) -> None:
    """Only a problem that hides something has one; what is given counts, and decides the instances."""
    config = _config()
    loaded = load_problem(config.campaign.problem)
    assert secrets.with_secret(config, loaded).evaluation.secret == secrets.installation_secret()
    assert secrets.with_secret(_config(secret=SECRET), loaded).evaluation.secret == SECRET
    given = secrets.keyed(loaded, SECRET).instances("test", 1)
    assert [i.digest for i in given] == [
        i.digest for i in online_bin_packing().keyed(SECRET).instances("test", 1)
    ]
    offline = parse({"campaign": {"problem": "bin-packing"}}, "test")
    assert secrets.with_secret(offline, load_problem("bin-packing")) == offline
    assert not hasattr(bin_packing(), "keyed")


@pytest.mark.parametrize("secret", ["abc", "X" * 64, "0" * 31, 7])
def test_a_short_secret_is_refused(secret: Any) -> None:
    """Fewer than 128 bits, or anything that is no hexadecimal text, is refused with the key's meaning."""
    with pytest.raises(UserError, match=r"\[evaluation\] secret: got"):
        _config(secret=secret)


def test_the_seed_of_a_candidate_follows_the_secret() -> None:
    """Without a secret the instance seed counts; with one nobody can tell an instance by its stream."""
    assert secrets.candidate_seed(_config(instance_seed=3)) == 3
    assert secrets.candidate_seed(_config(instance_seed=3, secret="")) == 3
    keyed = [secrets.candidate_seed(_config(secret=s)) for s in (SECRET, SECRET, SECRET[::-1])]
    assert keyed[0] == keyed[1] != keyed[2]
    assert keyed[0] > 2**64


@pytest.mark.slow
def test_a_plug_in_that_ignores_its_secret_is_found(tmp_path: Path) -> None:
    """`problems check` names a problem whose hidden parts stay the same under another secret."""
    path = Path(__file__).parents[2] / "app" / "plugins" / "gameable" / "machines.py"
    source = path.read_text("utf-8")
    good = load_problem(str(path))
    keyed = secrets.keyed(good, SECRET)
    assert [i.digest for i in keyed.instances("test", 1)] != [i.digest for i in good.instances("test", 1)]
    file = tmp_path / "deaf.py"
    file.write_text(source.replace("{seed}{self._secret}", "{seed}"), "utf-8")
    report = check_problem(str(file), {}, seconds=2)
    assert [finding.check for finding in report.findings] == ["keyed"]


def test_no_run_of_a_generator_is_shown() -> None:
    """Items do not come in the order of the generator, whose state a long run of values gives away."""
    key = ("bin-packing", "test", 1, "u500", 0)
    drawn = stream_for(*key, secret=SECRET).randint(20, 101, 500).tolist()
    problem = online_bin_packing(law="u500", test_per_stratum=2).keyed(SECRET)
    first, second = ((i.hidden or {})["sizes"] for i in problem.instances("test", 1))
    assert sorted(first) == sorted(drawn)
    in_place = sum(a == b for a, b in zip(first, drawn, strict=True))
    assert in_place < 25  # of 500, some 6 by chance
    assert sum(a == b for a, b in zip(first, second, strict=True)) < 25


def test_a_generators_own_packing_follows_the_order() -> None:
    """The packing that proves the optimum of triplets still fills every bin exactly."""
    for instance in online_bin_packing(law="t60", test_per_stratum=3).keyed(SECRET).instances("test", 1):
        loads: Counter[int] = Counter()
        for size, bin_index in zip(*(instance.hidden or {}).values(), strict=True):
            loads[bin_index] += size
        assert set(loads.values()) == {1000}

"""A user's instances: one file, a folder, a pattern, an archive; nothing is left out in silence."""

import gzip
import io
import tarfile
import zipfile
from dataclasses import replace

import pytest
from gapsmith.app.errors import UserError
from gapsmith.app.plugins import instance_files
from gapsmith.app.plugins.instance_files import by_size, read_source, readings_of
from gapsmith.app.plugins.loader import load_problem
from gapsmith.problems.base import Instance


@pytest.fixture(scope="module")
def packing():
    """Bin packing, which reads BPPLIB-like texts: number of items, capacity, sizes."""
    return load_problem("bin-packing", {})


def text_of(number):
    """A file with one instance of `number` items: their number, the capacity, a size a line."""
    return "\n".join(map(str, [number, 100, *(1 + k % 90 for k in range(number))]))


@pytest.fixture
def folder(tmp_path):
    """Twelve files of different sizes in two folders, a hidden one beside them."""
    place = tmp_path / "set"
    (place / "deep").mkdir(parents=True)
    for number in range(4, 16):
        (place / ("deep" if number % 2 else "") / f"u{number}.txt").write_text(text_of(number))
    (place / ".hidden").write_text("no instance")
    return place


def archive_of(folder, kind, path):
    """The folder as an archive of a kind."""
    files = [p for p in sorted(folder.rglob("*")) if p.is_file()]
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for file in files:
                archive.write(file, file.relative_to(folder))
    else:
        with tarfile.open(path, "w:gz") as archive:
            for file in files:
                archive.add(file, file.relative_to(folder))
    return path


def ids(instances):
    """The ids in order."""
    return sorted(instance.id for instance in instances)


def test_a_folder_a_pattern_and_an_archive_hold_the_same_instances(packing, folder, tmp_path):
    """The same twelve instances, each under the name of its file, in three strata by size."""
    whole = read_source(packing, str(folder))
    assert len(whole) == 12
    assert ids(whole)[0].startswith("u")
    assert {i.stratum for i in whole} == {"small", "medium", "large"}
    for kind, name in (("zip", "set.zip"), ("tar", "set.tgz"), ("tar", "set.tar.gz")):
        packed = read_source(packing, str(archive_of(folder, kind, tmp_path / name)))
        assert ids(packed) == ids(whole)
        assert {i.digest for i in packed} == {i.digest for i in whole}
        assert {i.split for i in packed} == {name}
    assert len(read_source(packing, str(folder / "*.txt"))) == 6
    assert len(read_source(packing, str(folder / "**" / "*.txt"))) == 12


def test_a_packed_file_is_read_as_the_file(packing, folder, tmp_path):
    """`.gz` around one file changes nothing but the name of the set."""
    packed = tmp_path / "u4.txt.gz"
    packed.write_bytes(gzip.compress((folder / "u4.txt").read_bytes()))
    (instance,) = read_source(packing, str(packed))
    assert instance.digest == read_source(packing, str(folder / "u4.txt"))[0].digest


def test_a_refused_file_is_named_and_refuses_the_set(packing, folder):
    """The file, the reason and a way on; the others are not used in silence."""
    (folder / "README.md").write_text("About these instances")
    with pytest.raises(UserError, match="1 of 13 files cannot be read") as caught:
        read_source(packing, str(folder))
    assert "README.md" in str(caught.value)
    assert "pattern" in str(caught.value.hint)


def test_equal_names_in_two_folders_stay_two_instances(packing, tmp_path):
    """Ids are told apart by the file, then by a number."""
    for place, number in (("a", 5), ("b", 6)):
        (tmp_path / "set" / place).mkdir(parents=True)
        (tmp_path / "set" / place / "same.txt").write_text(text_of(number))
    instances = read_source(packing, str(tmp_path / "set"))
    assert len({instance.id for instance in instances}) == len(instances) == 2


def test_strata_by_size_are_thirds():
    """Small ones are smaller than large ones; equal sizes share a stratum."""
    instances = [Instance(str(n), "s", str(n), {"x": [1] * n}, 1, "test") for n in range(1, 31)]
    strata = [instance.stratum for instance in by_size(instances)]
    assert strata == ["small"] * 10 + ["medium"] * 10 + ["large"] * 10
    equal = [Instance(str(n), "s", str(n), {"x": [1]}, 1, "test") for n in range(5)]
    assert len({instance.stratum for instance in by_size(equal)}) == 1


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("damaged.zip", b"PK\x03\x04 no archive", "cannot be unpacked"),
        ("damaged.tgz", b"\x1f\x8b\x08 no archive", "cannot be unpacked"),
        ("damaged.txt.gz", b"\x1f\x8b\x08 no file", "cannot be unpacked"),
        ("empty.zip", None, "holds no files"),
    ],
)
def test_a_damaged_archive_is_one_sentence(name, content, words, packing, tmp_path):
    """No traceback: the archive, what is wrong, what to do."""
    path = tmp_path / name
    if content is None:
        zipfile.ZipFile(path, "w").close()
    else:
        path.write_bytes(content)
    with pytest.raises(UserError, match=words) as caught:
        read_source(packing, str(path))
    assert name in str(caught.value)


def test_an_archive_s_names_write_nothing_outside(packing, tmp_path):
    """Names with `..`, absolute names, links and devices: plain files are read, nothing else is made."""
    path = tmp_path / "evil.tar"
    with tarfile.open(path, "w") as archive:
        for name in ("../../outside.txt", "/tmp/gapsmith-absolute.txt"):
            content = text_of(len(name)).encode()
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        link = tarfile.TarInfo("link.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    before = set(tmp_path.rglob("*"))
    names = [reading.name for reading in readings_of(packing, str(path)) if reading.fault is None]
    assert "link.txt" not in names
    assert set(tmp_path.rglob("*")) == before
    assert not (tmp_path.parent / "outside.txt").exists()


def test_advice_names_a_plugin_file_by_its_path(packing, tmp_path):
    """The problem's own name would be that of a built-in or of none; the pattern stays one word."""
    mine = replace(packing, source="", origin=f"file {tmp_path}/my own.py")
    for number in range(9):
        (tmp_path / f"{number}.csv").write_text("x")
    with pytest.raises(UserError) as caught:
        read_source(mine, f"{tmp_path}/*.csv")
    assert f"`gapsmith problems read '{tmp_path}/my own.py' '{tmp_path}/*.csv'` lists all" in str(
        caught.value
    )
    assert f"`gapsmith problems show '{tmp_path}/my own.py'`" in caught.value.hint


def test_a_bomb_is_refused(packing, tmp_path, monkeypatch):
    """What an archive unpacks to has a limit, whatever its own header says."""
    monkeypatch.setattr(instance_files, "_MOST_BYTES", 3 * 2**20)
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros.txt", bytes(20 * 2**20))
    with pytest.raises(UserError, match="MiB unpacked"):
        read_source(packing, str(path))


def test_nothing_there_is_said(packing, tmp_path):
    """An empty folder, a pattern without files, a missing file."""
    (tmp_path / "empty").mkdir()
    for text in (tmp_path / "empty", tmp_path / "*.txt", tmp_path / "missing.txt"):
        with pytest.raises(UserError, match=r"no files|no such file"):
            read_source(packing, str(text))


def test_the_command_lists_what_is_read_and_what_is_refused(gapsmith, folder):
    """`problems read` names each file with its instances or its fault, and ends with code 5 for a refusal."""
    done = gapsmith("problems", "read", "bin-packing", str(folder))
    assert done.returncode == 0
    assert "12 files: 12 instances read, 0 files refused" in done.stdout + done.stderr
    (folder / "bad.txt").write_text("{")
    done = gapsmith("problems", "read", "bin-packing", str(folder))
    assert done.returncode == 5
    assert "bad.txt" in done.stdout + done.stderr


@pytest.mark.slow
def test_a_campaign_runs_on_a_folder(gapsmith, folder):
    """Splits are drawn from the folder's files."""
    done = gapsmith("run", "bin-packing", "--instances", str(folder), "--iterations", "1", "--json")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("3\n10\n4\n5\n", "3, as this row says"),
        ("3\n10\n4\n5\n6\n7\n", "3, as this row says"),
        ("3\n10\n4\n5\n11\n", "at most the capacity"),
        ("x\n10\n4\n", "the number of items"),
        ("1.5\n10\n4\n", "the number of items"),
    ],
)
def test_a_faulty_file_of_bpplib_is_named_with_its_row(text, words, packing, tmp_path):
    """Cut, longer, or with a size above the capacity: never another instance in silence."""
    path = tmp_path / "PM_u010_01.txt"
    path.write_text(text)
    with pytest.raises(UserError, match=words) as caught:
        read_source(packing, str(path))
    assert "row" in str(caught.value)

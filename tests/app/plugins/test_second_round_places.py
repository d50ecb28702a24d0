"""A second round of attempts from folders: where commands are given, where data lies, where the cache is."""

from __future__ import annotations

import io
import lzma
import os
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest
from gapsmith.app.commands import terminal
from gapsmith.app.errors import UserError
from gapsmith.app.plugins import session_problems
from gapsmith.app.plugins.instance_files import readings_of
from gapsmith.app.plugins.loader import load_problem
from gapsmith.app.plugins.scaffold import write_problem
from gapsmith.app.runs.signature import stored_key
from gapsmith.evaluators.cache import Cache, cache_folder
from gapsmith.evolve.llm.base import ModelError
from gapsmith.evolve.llm.command_model import program_of
from gapsmith.evolve.llm.settings import ModelSettings
from gapsmith.sandbox.interpreter import python

OPTIONAL = ("ray", "litellm", "gurobipy", "cplex", "mosek", "xpress", "coptpy", "yaml_of_nobody", "IPython")
"""Packages that are asked for where they are not installed."""


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder that offers plug-ins and modules; whatever runs of it leaves a file `canary`."""
    folder = tmp_path / "hostile"
    about = folder / "evil-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[gapsmith.problems]\nevil = evil_of_nobody:plugin\n")
    for name in ("evil_of_nobody", *OPTIONAL):
        (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'canary')!r}, 'w')\n")
    (folder / "matplotlibrc").write_text("figure.dpi: 33\n")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    "verb",
    [
        ["problems", "list"],
        pytest.param(["problems", "show", "smtt"], marks=pytest.mark.slow),
        pytest.param(["models"], marks=pytest.mark.slow),
    ],
)
def test_a_folder_offers_no_plug_ins(hostile: Path, verb: list[str]) -> None:
    """A distribution that lies in the working folder is none that is installed."""
    done = subprocess.run(python("-m", "gapsmith.cli", *verb), capture_output=True, text=True, check=True)
    assert "evil" not in done.stdout
    assert not (hostile.parent / "canary").exists()


@pytest.mark.slow
def test_doctor_looks_at_no_plug_ins_of_a_folder(hostile: Path) -> None:
    """`doctor` examines installed problems alone."""
    subprocess.run(python("-m", "gapsmith.cli", "doctor"), capture_output=True)
    assert not (hostile.parent / "canary").exists()


def test_a_folder_stands_in_for_no_package(hostile: Path) -> None:
    """After a built-in problem was loaded, a package that is not installed is still not there."""
    text = (
        "from importlib.util import find_spec\nfrom gapsmith.app.plugins.loader import load_problem\n"
        f"load_problem('smtt')\nprint([found.origin for name in {OPTIONAL} if (found := find_spec(name))])\n"
    )
    done = subprocess.run(python("-c", text), capture_output=True, text=True, check=True)
    assert str(hostile) not in done.stdout


@pytest.mark.parametrize(
    "drawn",
    [
        "from gapsmith.app.views.plots.canvas import styled\nwith styled(): pass",
        "from gapsmith.app.views.plots.drawing import draw\ntry: draw({})\nexcept Exception: pass",
        "from gapsmith.app.views.plots.search import curves\ntry: curves({})\nexcept Exception: pass",
    ],
)
def test_a_folder_sets_no_pictures(hostile: Path, drawn: str) -> None:
    """matplotlib runs what stands in its settings, some versions even as code: none come from the folder."""
    text = f"{drawn}\nimport matplotlib, os\nprint(matplotlib.rcParams['figure.dpi'], os.getcwd())"
    done = subprocess.run(python("-c", text), capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["100.0", str(hostile)]


@pytest.mark.slow
def test_a_list_of_fonts_runs_no_program_of_the_folder(hostile: Path, tmp_path: Path) -> None:
    """matplotlib starts `fc-list` for its first list of fonts; an empty entry of PATH would be the folder."""
    program = hostile / "fc-list"
    program.write_text(f"#!/bin/sh\necho >> {tmp_path / 'sprung'}\n")
    program.chmod(0o755)
    drawn = (
        "from gapsmith.app.views.plots.canvas import new_axes, render, styled\n"
        "with styled():\n    print(len(render(new_axes()[0], 'svg', 'x')))"
    )
    variables = {**os.environ, "PATH": f":{os.defpath}", "MPLCONFIGDIR": str(tmp_path / "fonts")}
    done = subprocess.run(python("-c", drawn), capture_output=True, text=True, check=True, env=variables)
    assert int(done.stdout) > 100
    assert list((tmp_path / "fonts").glob("fontlist*"))
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("place", ["", ".", "bin", "../hostile"])
@pytest.mark.parametrize("spec", ["claude/x", "codex/x", "gemini/x", "command:claude"])
def test_a_program_of_the_folder_is_no_model(hostile: Path, spec: str, place: str) -> None:
    """An empty or relative entry of PATH would be the working folder."""
    for folder in (hostile, hostile / "bin"):
        folder.mkdir(exist_ok=True)
        for name in ("claude", "codex", "gemini"):
            (folder / name).write_text("#!/bin/sh\necho hello\n")
            (folder / name).chmod(0o755)
    with pytest.raises(ModelError, match="no program"):
        program_of(ModelSettings(spec=spec), {"PATH": f"{place}:/nowhere"})


# Folders and archives with data.


def _refused(path: Path | str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        list(readings_of(load_problem("smtt"), str(path)))


@pytest.mark.parametrize("target", ["/etc/passwd", "../secret.txt", "l.txt", "/proc/self/environ"])
@pytest.mark.parametrize("named", ["data", "data/*.txt", "data/**", "data/in/*.txt"])
def test_links_out_of_a_data_folder_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, named: str
) -> None:
    """What they lead to would stand in records and prompts."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.txt").write_text("1 2 3\n")
    (tmp_path / "data" / "in").mkdir(parents=True)
    inside = tmp_path / "data" / "in" / "l.txt" if "in/" in named else tmp_path / "data" / "l.txt"
    inside.symlink_to(f"../{target}" if target == "../secret.txt" and "in/" in named else target)
    _refused(named, "no files" if target == "l.txt" else "a link that leads out of data")


def test_links_inside_a_data_folder_are_read(tmp_path: Path) -> None:
    """One file under two names is the folder's own affair."""
    (tmp_path / "a.txt").write_text("nonsense\n")
    (tmp_path / "b.txt").symlink_to("a.txt")
    assert len(list(readings_of(load_problem("smtt"), str(tmp_path)))) == 2


def _header(kind: bytes, size: int) -> bytes:
    entry = tarfile.TarInfo("././@X")
    entry.type, entry.size = kind, size
    return entry.tobuf(tarfile.GNU_FORMAT)


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, b"K"])
@pytest.mark.parametrize("size", [5 << 20, 1 << 33, 1 << 45])
@pytest.mark.parametrize("packed", [False, True])
def test_a_description_without_end_is_not_read(tmp_path: Path, kind: bytes, size: int, packed: bool) -> None:
    """A few kilobytes of an archive could otherwise take all memory."""
    path = tmp_path / ("a.tar.xz" if packed else "a.tar")
    content = _header(kind, size) + bytes(1 << 20)
    path.write_bytes(lzma.compress(content, preset=0) if packed else content)
    _refused(path, "the description of an entry is too long")


def test_an_archive_of_many_entries_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries that are left out count too: each one takes memory."""
    monkeypatch.setattr("gapsmith.app.plugins.instance_files._MOST_ENTRIES", 100)
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        for number in range(102):
            tar.addfile(tarfile.TarInfo(f".hidden/{number}"))
    _refused(tmp_path / "a.tar", "more than 100 entries")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a\0b.txt", "null byte"),
        ("a" * 300, "name too long"),
        ("x/..", "holds no files"),
        ("../../.profile", "holds no files"),
        (".", "holds no files"),
        ("", "holds no files"),
    ],
)
def test_names_in_archives_are_no_paths(tmp_path: Path, name: str, words: str) -> None:
    """A name leads nowhere, and one that no file can have is a clear error."""
    entry = tarfile.TarInfo("x")
    entry.size, entry.pax_headers = 1, {"path": name}
    with tarfile.open(tmp_path / "a.tar", "w", format=tarfile.PAX_FORMAT) as tar:
        tar.addfile(entry, io.BytesIO(b"1"))
    _refused(tmp_path / "a.tar", words) if name else None


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_in_archives_are_left_out(tmp_path: Path, kind: bytes) -> None:
    """Nothing of the user's stands in for an entry."""
    entry = tarfile.TarInfo("a.txt")
    entry.type, entry.linkname = kind, "/etc/passwd"
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        tar.addfile(entry)
    _refused(tmp_path / "a.tar", "holds no files")


def test_a_link_in_a_zip_is_its_text(tmp_path: Path) -> None:
    """A link of a zip archive is a file with the target's name in it, and not the target."""
    entry = zipfile.ZipInfo("a.txt")
    entry.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(entry, "/etc/passwd")
    (reading,) = readings_of(load_problem("smtt"), str(tmp_path / "a.zip"))
    assert "root:" not in str(reading)


# The cache, the key, and problems of a session.


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("GAPSMITH_CACHE", "cache"),
        ("GAPSMITH_CACHE", "."),
        ("XDG_CACHE_HOME", ".cache"),
        ("HOME", ""),
        ("HOME", "."),
        ("HOME", "~"),
    ],
)
def test_no_relative_place_is_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    """A downloaded folder could hold a cache with proofs, and the key that signs its own runs."""
    for name in ("GAPSMITH_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, value)
    monkeypatch.chdir(tmp_path)
    assert cache_folder().is_absolute()
    assert not cache_folder().is_relative_to(tmp_path)


def test_a_cache_that_is_not_trusted_is_said_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The user learns why references are computed anew, and what to do; not at each instance."""
    Cache(tmp_path).put("reference", "key", 1)
    (tmp_path / "results").chmod(0o755)
    for _ in range(3):
        assert Cache(tmp_path).get("reference", "key") is None
    (record,) = caplog.records
    assert "chmod 700" in record.message


@pytest.mark.parametrize("what", ["link", "pipe", "device", "folder", "open", "long"])
def test_a_key_that_others_planted_is_none(tmp_path: Path, what: str) -> None:
    """Nothing is followed, waited for or read without end, and no digits that others know sign anything."""
    path, known = tmp_path / "key", "ab" * 32
    other = tmp_path / "other"
    other.write_text(known)
    other.chmod(0o600)
    if what == "link":
        path.symlink_to(other)
    elif what == "pipe":
        os.mkfifo(path, 0o600)
    elif what == "device":
        path.symlink_to("/dev/zero")
    elif what == "folder":
        path.mkdir(0o700)
    else:
        path.write_text(known if what == "open" else "a" * 10_000)
        path.chmod(0o644 if what == "open" else 0o600)
    if what in ("pipe", "open", "long"):
        with pytest.raises(UserError, match=str(path)):
            stored_key(path)
    else:  # digits of this process alone
        assert stored_key(path) != known


@pytest.mark.parametrize("spoil", ["mode", "link", "file"])
def test_problems_of_a_session_go_to_no_folder_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: str
) -> None:
    """Whoever could change the file would have it run as this user."""
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path))
    folder = tmp_path / "problems"
    if spoil == "link":
        (tmp_path / "elsewhere").mkdir(0o700)
        folder.symlink_to(tmp_path / "elsewhere")
    elif spoil == "file":
        folder.write_text("")
    else:
        folder.mkdir()
        folder.chmod(0o777)
    with pytest.raises(UserError, match="would be written there"):
        session_problems._kept()
    folder.unlink() if folder.is_file() or folder.is_symlink() else folder.rmdir()
    assert session_problems._kept().stat().st_mode & 0o777 == 0o700


def test_a_crash_log_follows_no_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link at the log's place would have one of the user's files written over."""
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path))
    monkeypatch.setattr("time.strftime", lambda *_: "now")
    own = tmp_path / "own"
    own.write_text("mine")
    (tmp_path / "crash-now.log").symlink_to(own)
    assert terminal.write_crash_log(ValueError("x")) is None
    assert own.read_text() == "mine"


def test_a_new_problem_goes_through_no_link(tmp_path: Path) -> None:
    """A link that leads nowhere would make a file elsewhere."""
    (tmp_path / "night_shift.py").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match="is there already"):
        write_problem("night-shift", tmp_path, package=False)
    assert not (tmp_path / "elsewhere").exists()

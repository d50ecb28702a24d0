"""What a release holds: the sdist everything that is tracked, the wheel what users run.

python .ci/contents.py SOURCE FILE.tar.gz FILE.whl    names each fault and exits with 1
python .ci/contents.py --first-command README.md      prints README's first `gapsmith` command
python .ci/contents.py --tag vX.Y.Z SOURCE            whether a tag may be released
"""

import re
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

MOST_BYTES = 3_500_000
"""Bytes of the wheel, packed."""
NOT_IN_WHEEL = ("tests", "benchmarks", "docs", "examples")


def first_command(readme: Path) -> str:
    """The `gapsmith` command of README's first block."""
    block = re.search(r"<!-- run command -->\s*```[a-z]*\n(.+?)\n```", readme.read_text("utf-8"), re.S)
    if block is None:
        raise SystemExit(f"{readme}: no block after <!-- run command -->")
    return "gapsmith " + block[1].rpartition("bin/gapsmith ")[2]


def faults(source: Path, sdist: Path, wheel: Path) -> list[str]:
    """What is missing in the sdist, or too much in the wheel."""
    tracked = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
    with tarfile.open(sdist) as archive:
        held = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
    wrong = [f"{sdist.name}: no {path}" for path in sorted(tracked - held)]
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
    for name in names:
        if name.split("/")[1] in NOT_IN_WHEEL or name.split("/")[0] not in {"gapsmith"} | {
            n.split("/")[0] for n in names if ".dist-info/" in n
        }:
            wrong.append(f"{wheel.name}: {name} is nothing that users run")
    if wheel.stat().st_size > MOST_BYTES:
        wrong.append(f"{wheel.name}: {wheel.stat().st_size:,} bytes, at most {MOST_BYTES:,}")
    return wrong


def not_ready(tag: str, source: Path) -> list[str]:
    """What stands against a release under a tag."""
    version = re.search(r'^__version__ = "(.+)"$', (source / "__init__.py").read_text("utf-8"), re.M)
    if version is None:
        return ["__init__.py: no __version__"]
    wrong = []
    if tag != f"v{version[1]}" or not re.fullmatch(r"v\d+\.\d+\.\d+", tag):
        wrong.append(
            f"__init__.py: version {version[1]}, and the tag is {tag}; expected vX.Y.Z of the same numbers"
        )
    if not re.search(
        rf"^## {re.escape(tag[1:])} \(\d{{4}}-\d\d-\d\d\)$",
        (source / "CHANGELOG.md").read_text("utf-8"),
        re.M,
    ):
        wrong.append(f"CHANGELOG.md: no section `## {tag[1:]} (YYYY-MM-DD)`")
    document = tomllib.loads((source / "pyproject.toml").read_text("utf-8"))
    if not document["project"].get("urls"):
        wrong.append(
            "pyproject.toml: no [project.urls]; a package index shows no way to the source without them"
        )
    return wrong


def main() -> None:
    """Checks, or prints README's command."""
    if sys.argv[1:2] == ["--tag"]:
        wrong = not_ready(sys.argv[2], Path(sys.argv[3]))
        print("\n".join(wrong) or f"release: {sys.argv[2]} may be released")
        raise SystemExit(bool(wrong))
    if sys.argv[1:2] == ["--first-command"]:
        print(first_command(Path(sys.argv[2])))
        return
    source, *files = map(Path, sys.argv[1:])
    sdist = next(file for file in files if file.name.endswith(".tar.gz"))
    wheel = next(file for file in files if file.suffix == ".whl")
    wrong = faults(source, sdist, wheel)
    print(
        "\n".join(wrong)
        or f"{sdist.name} {sdist.stat().st_size:,} bytes, {wheel.name} {wheel.stat().st_size:,} bytes"
    )
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()

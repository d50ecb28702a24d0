"""Constraints for pip: each package that users get, at the lower end of its range.

python .ci/oldest.py pyproject.toml
"""

import re
import sys
import tomllib
from pathlib import Path


def oldest(document: dict) -> list[str]:
    """`name==version.*` for every dependency of the package itself; its extras keep their ranges."""
    pins = []
    for requirement in document["project"]["dependencies"]:
        parts = re.fullmatch(r"([\w.-]+)(?:\[[^]]*\])?>=([\w.]+)(?:,.*)?", requirement)
        if parts is None:
            raise SystemExit(
                f"pyproject.toml: dependency {requirement!r} has no lower end, expected name>=version"
            )
        version = parts[2] if "." in parts[2] else f"{parts[2]}.0"
        pins.append(f"{parts[1]}=={version}.*")
    return pins


if __name__ == "__main__":
    print("\n".join(oldest(tomllib.loads(Path(sys.argv[1]).read_text("utf-8")))))

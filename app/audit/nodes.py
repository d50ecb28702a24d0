"""Says what works on each node of a Ray cluster, for `doctor --nodes`."""

from __future__ import annotations

import json
from typing import Any

from ..errors import USAGE, UserError
from ..opening.brief import PYTHON, machine
from ..opening.cluster import connected, nodes, place
from ..versions import versions
from ..workers import Workers, kind_of

_SECONDS = 120.0
"""Wall seconds that a node may take to answer."""


class Examiner:
    """Runs on a node, in a process of Ray's."""

    def examine(self, without: list[str]) -> str:
        """Versions, processor, layers and self-test, as JSON."""
        from .doctor import sandbox

        said = {"gapsmith": versions()["gapsmith"], "python": PYTHON, "machine": machine()}
        return json.dumps({**said, "sandbox": sandbox(frozenset(without))})


def examine_nodes(spec: str, without: frozenset[str]) -> list[dict[str, Any]]:
    """A row for each node: its kind, whether it can work for this machine, and if not, why.

    Raises:
        UserError: `spec` names no cluster, Ray is not installed, or there is no such cluster.
    """
    if kind_of(spec) is not Workers.RAY:
        raise UserError(USAGE, f"--nodes {spec}: expected ray or ray://HOST:PORT")
    with connected(spec) as ray:
        every = nodes(ray)
        actors = [place(ray, Examiner, node) for node in every]
        try:
            coming = [actor.examine.remote(sorted(without)) for actor in actors]
            rows = []
            for node, reference in zip(every, coming, strict=True):
                try:
                    said = json.loads(ray.get(reference, timeout=_SECONDS))
                except ray.exceptions.RayError as error:
                    said = {"reason": f"{type(error).__name__}: {str(error).strip().splitlines()[-1]:.200}"}
                rows.append({"node": node.name, "processors": node.processors, **_judged(said)})
            return rows
        finally:
            for actor in actors:
                ray.kill(actor)


def _judged(said: dict[str, Any]) -> dict[str, Any]:
    """The row of a node, from the node's own answer."""
    reason = said.get("reason")
    for key, here in (("gapsmith", versions()["gapsmith"]), ("python", PYTHON)):
        if reason is None and said[key] != here:
            reason = f"{key} {said[key]}, and {here} here"
    sandbox = said.get("sandbox") or {}
    if reason is None and sandbox["self_test"] != "passed":
        reason = sandbox["reason"]
    known = {key: said.get(key) for key in ("gapsmith", "python", "machine")}
    layers = {name: layer["active"] for name, layer in sandbox.get("layers", {}).items()}
    self_test = sandbox.get("self_test")
    return {**known, "self_test": self_test, "layers": layers, "usable": reason is None, "reason": reason}

"""`models`: specifications of models that work here."""

from __future__ import annotations

from .options import Json
from .terminal import console, emit_json, errors


def models(json: Json = False) -> None:
    """List provider specifications that work here, with what each needs."""
    with errors(json):
        from ...evolve.llm.registry import providers

        rows = [{"spec": "offline", "needs": "nothing: no key, no network, no cost"}]
        rows += [{"spec": p.form, "needs": p.needs} for p in providers().values()]
        if json:
            emit_json(rows)
            return
        from ..views.tables import new_table

        table = new_table("models")
        table.add_column("specification", no_wrap=True)
        table.add_column("needs")
        for row in rows:
            table.add_row(row["spec"], row["needs"])
        console().print(table)

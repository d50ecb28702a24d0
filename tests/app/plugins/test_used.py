"""Which changes of a plug-in's file leave its references as they are, and which do not."""

from __future__ import annotations

import textwrap

import pytest
from gapsmith.app.plugins.fingerprint import used_digest

SOURCE = textwrap.dedent(
    '''
    """A problem."""
    import random
    from gapsmith import Plugin, Reference
    START = "def place(): return []"
    LIMIT = 3

    def floor(instance):
        return LIMIT

    class Problem:
        """Minimise."""
        version = "1"
        statement = "Place."

        def start_programs(self):
            return {"start": START}

        def verify(self, instance, answer):
            return self._count(answer)

        def _count(self, answer):
            return len(answer)

        def reference(self, instance, seconds):
            return Reference.optimum(floor(instance))

    plugin = Plugin(Problem)
    '''
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 3", "LIMIT = 3  # crossings"),
        ('"""Minimise."""', '"""Minimise the posts."""'),
        ("return []", "return [1]"),
        ('"Place."', '"Place posts."'),
        ('{"start": START}', '{"begin": START}'),
    ],
)
def test_what_references_do_not_use_may_change(old: str, new: str) -> None:
    """Comments, docstrings, the statement and start programs are no part of references."""
    assert used_digest(SOURCE.replace(old, new)) == used_digest(SOURCE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 3", "LIMIT = 4"),
        ("len(answer)", "len(answer) + 1"),
        ("floor(instance))", "floor(instance) + 1)"),
        ('version = "1"', 'version = "2"'),
        ("Plugin(Problem)", "Plugin(Problem, None)"),
        ("import random", "import math"),
    ],
)
def test_what_references_use_counts(old: str, new: str) -> None:
    """A constant behind two calls, verification, version and the plug-in itself count."""
    assert used_digest(SOURCE.replace(old, new)) != used_digest(SOURCE)


def test_names_that_are_looked_up_at_run_time_make_all_of_the_file_count() -> None:
    """With `getattr` any definition may be used, so a changed start program counts too."""
    dynamic = SOURCE.replace("floor(instance))", "getattr(self, instance.id)())")
    assert used_digest(dynamic.replace("return []", "return [1]")) != used_digest(dynamic)

"""The pages about models and prompts say what the code does."""

import re
from dataclasses import fields
from pathlib import Path

from gapsmith.evolve.llm.proposer import HUNKS_FROM_LINES
from gapsmith.evolve.llm.registry import PROVIDERS
from gapsmith.evolve.llm.settings import ModelSettings
from gapsmith.prompts.builder import NOTES, OPERATORS, TEMPLATES
from gapsmith.prompts.parts import Answer, Case, Failure, Founder, Parts, Source, Stratum, Task, Tried

DOCS = Path(__file__).parents[2] / "docs"
MODELS = (DOCS / "reference" / "models.md").read_text(encoding="utf-8")
PROMPTS = (DOCS / "explanation" / "prompts.md").read_text(encoding="utf-8")


def test_every_key_of_a_model_table_is_described_once():
    """The table of keys is complete and holds nothing else."""
    section = MODELS.split("## One `[[model]]` table")[1].split("## Several models")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(ModelSettings.model_fields)


def test_every_provider_is_listed():
    """Each specification's form stands in the table."""
    for provider in PROVIDERS.values():
        assert f"`{provider.form}`" in MODELS


def test_every_template_variable_is_described():
    """Names of parts and of their fields, templates, and the length from which hunks are asked for."""
    for kind in (Parts, Task, Source, Stratum, Case, Answer, Founder, Tried, Failure):
        for field in fields(kind):
            assert f"`{field.name}`" in PROMPTS, field.name
    for name in ("system", *OPERATORS, NOTES):
        assert f"| `{name}` |" in PROMPTS
        assert (TEMPLATES / f"{name}.md.jinja").exists()
    assert f"{HUNKS_FROM_LINES} lines or more" in PROMPTS


def test_the_provider_in_the_page_works():
    """The blocks run one after another, as a reader would paste them."""
    scope = {}
    for block in re.findall(r"```python\n(.*?)```", MODELS, re.DOTALL):
        exec(compile(block, "docs/reference/models.md", "exec"), scope)
    assert "check_model" in scope

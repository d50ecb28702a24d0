"""Writes `evolve/llm/price_table.py` anew from the cost map of an installed litellm.

    pip install -U litellm && python benchmarks/price_table.py

Plain text models of the providers' own names only: no dated snapshots, previews, audio, search or fine-tunes.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import re
from decimal import Decimal
from pathlib import Path
from time import gmtime, strftime

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "evolve" / "llm" / "price_table.py"
PROVIDERS = ("openai", "anthropic", "gemini", "deepseek", "mistral", "xai")
SPECIAL = re.compile(
    r"\d{4}-\d{2}-\d{2}|-\d{4,8}$|-\d{4}-|preview|beta|audio|search|ft:|exp|latest|tts|deep-research|robotics"
    r"|gemma|lyria|learnlm|omni|cyber|daybreak|rosalind|law|container|computer-use|gv2|vibe|leanstral|pixtral"
    r"|voxtral|glm|guard|fim|gpt-3|gpt-4-|^gpt-4$|vision|deepseek-v4-1|image"
)
HEAD = '''"""Prices of common models, in US dollars per million tokens: input, output, cached input.

Written by `benchmarks/price_table.py` from the cost map of litellm {version} (MIT licence); providers may
have changed their prices since.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

DATE = "{date}"
"""Day on which the cost map was read."""

_ROWS = """
{rows}
"""


def _price(words: list[str]) -> tuple[Decimal, Decimal, Decimal | None]:
    return Decimal(words[0]), Decimal(words[1]), Decimal(words[2]) if words[2] != "-" else None


PRICES: Mapping[str, tuple[Decimal, Decimal, Decimal | None]] = {{
    row.split()[0]: _price(row.split()[1:]) for row in _ROWS.strip().splitlines()
}}
"""Specification → input, output, cached input (None: as input)."""
'''


def main() -> None:
    """Reads the map as a file, so that nothing is sent."""
    package = importlib.util.find_spec("litellm")
    if package is None or package.origin is None:
        raise SystemExit("litellm is not installed; pip install litellm")
    path = Path(package.origin).parent / "model_prices_and_context_window_backup.json"
    rows = {}
    for name, row in json.loads(path.read_text(encoding="utf-8")).items():
        provider = row.get("litellm_provider")
        if provider not in PROVIDERS or row.get("mode") not in ("chat", "responses"):
            continue
        bare = name.removeprefix(f"{provider}/")
        if "/" in bare or SPECIAL.search(bare):
            continue
        spec = f"openai/{bare}" if provider == "openai" else f"litellm/{provider}/{bare}"
        prices = [row.get(f"{kind}_cost_per_token") for kind in ("input", "output")]
        if not all(prices):
            continue
        prices.append(row.get("cache_read_input_token_cost"))
        rows[spec] = " ".join("-" if p is None else _million(p) for p in prices)
    width = max(map(len, rows))
    text = "\n".join(f"{spec:<{width}} {prices}" for spec, prices in sorted(rows.items()))
    date = strftime("%Y-%m-%d", gmtime())
    version = importlib.metadata.version("litellm")
    TARGET.write_text(HEAD.format(version=version, date=date, rows=text), encoding="utf-8")
    print(f"{len(rows)} prices of {date} from litellm {version}")


def _million(price: float) -> str:
    return f"{(Decimal(str(price)) * 1_000_000).normalize():f}"


if __name__ == "__main__":
    main()

"""Writes the rows of `evolve/llm/prices.py` anew from the cost map of an installed litellm.

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
TARGET = ROOT / "evolve" / "llm" / "prices.py"
PROVIDERS = ("openai", "anthropic", "gemini", "deepseek", "mistral", "xai")
SPECIAL = re.compile(
    r"\d{4}-\d{2}-\d{2}|-\d{4,8}$|-\d{4}-|preview|beta|audio|search|ft:|exp|latest|tts|deep-research|robotics"
    r"|gemma|lyria|learnlm|omni|cyber|daybreak|rosalind|law|container|computer-use|gv2|vibe|leanstral|pixtral"
    r"|voxtral|glm|guard|fim|gpt-3|gpt-4-|^gpt-4$|vision|deepseek-v4-1|image"
)


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
    module = TARGET.read_text(encoding="utf-8")
    for pattern, new in (
        (r'(?<=^DATE = ")[^"]*', date),
        (r"(?<=cost map of litellm )\S+", version),
        (r'(?<=^_ROWS = """\n)[^"]*', f"{text}\n"),
    ):
        module, found = re.subn(pattern, new, module, flags=re.M)
        assert found == 1, pattern
    TARGET.write_text(module, encoding="utf-8")
    print(f"{len(rows)} prices of {date} from litellm {version}")


def _million(price: float) -> str:
    return f"{(Decimal(str(price)) * 1_000_000).normalize():f}"


if __name__ == "__main__":
    main()

"""SOCKS proxies that the environment names, as desktops write them; apart, as few users have one."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies_environment, proxy_bypass

from .base import ErrorKind, ModelError

USUAL = "https://api.openai.com/v1"
_UNDERSTOOD = ("http", "https", "socks5", "socks5h")


def proxy_options(spec: str, base_url: str | None) -> Mapping[str, Any]:
    """What an HTTP client is given so that it uses the environment's proxy; nothing where it can tell itself.

    Desktops write `ALL_PROXY=socks://HOST:PORT/`, which HTTP packages do not know.

    Raises:
        ModelError: `MISSING` when the extra is not installed, `CONNECTION` for a proxy of another kind.
    """
    proxies = getproxies_environment()
    named = [proxies[name] for name in ("http", "https", "all") if name in proxies]
    if all(_scheme(proxy) in ("http", "https") for proxy in named):
        return {}
    address = urlsplit(base_url or USUAL)
    if proxy_bypass(address.netloc):
        return {"trust_env": False}
    chosen = proxies.get(address.scheme) or proxies.get("all")
    if chosen is None:
        return {"trust_env": False}
    proxy = _plain(chosen)
    if _scheme(proxy) not in _UNDERSTOOD:
        raise ModelError(
            ErrorKind.CONNECTION,
            f"{spec}: the environment names a proxy of the kind {_scheme(proxy)[:20]!r}, expected one of "
            f"{', '.join(_UNDERSTOOD)}; change ALL_PROXY or HTTPS_PROXY, or unset it",
        )
    if _scheme(proxy).startswith("socks") and importlib.util.find_spec("socksio") is None:
        raise ModelError(
            ErrorKind.MISSING,
            f"{spec}: the environment names a SOCKS proxy (ALL_PROXY, HTTPS_PROXY or HTTP_PROXY); install "
            "what it needs with: pip install 'gapsmith[socks]'; or name the server in NO_PROXY, or unset the "
            "variable",
        )
    return {"proxy": proxy}


def write_plainly() -> None:
    """Writes `socks://` in this process's variables as `socks5h://`, for packages that read them."""
    for name, proxy in list(os.environ.items()):
        if name.lower() in ("all_proxy", "http_proxy", "https_proxy") and _scheme(proxy) == "socks":
            os.environ[name] = _plain(proxy)


def _scheme(proxy: str) -> str:
    return proxy.partition("://")[0].lower() if "://" in proxy else "http"


def _plain(proxy: str) -> str:
    """The address of a proxy with a scheme that packages know; the proxy looks names up."""
    head, mark, rest = proxy.partition("://")
    if not mark:
        return f"http://{proxy}"
    return f"socks5h://{rest}" if head.lower() == "socks" else proxy

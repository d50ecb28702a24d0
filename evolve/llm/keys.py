"""Keys, addresses and proxies: found, refused where they cannot be sent, hidden in what others say."""

from __future__ import annotations

import base64
import importlib.util
import ipaddress
import json
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import SplitResult, quote, urlsplit
from urllib.request import getproxies_environment, proxy_bypass

from .base import ErrorKind, ModelError

HIDDEN = "***"
NO_KEY_NEEDED = "none"
"""Sent to servers on this machine or network when there is no key; packages insist on one."""
SHORTEST = 8
"""Shorter values are stand-ins such as `EMPTY` for local servers; hiding them would garble sentences."""
_LONG = 16
"""From this length on no word of a text is a key by chance, so that disguises are hidden too."""
_GAP = r"(?:[\s\xad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\\[nrt])"
"""A character that may stand between a key's characters where a text was wrapped."""
_KEY_NAMES = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)(_|$)")


def check_key(spec: str, variable: str, key: str) -> str:
    """The key, if a header can carry it.

    Raises:
        ModelError: `KEY`, naming the variable and never its value.
    """
    if all("!" <= character <= "~" for character in key):
        return key
    raise ModelError(
        ErrorKind.KEY,
        f"{spec}: {variable} holds characters that no header can carry (expected printable ASCII without "
        f"spaces or line breaks); export {variable}=… with the key alone",
    )


def find_key(
    spec: str, base_url: str | None, named: str | None, usual: str, environment: Mapping[str, str]
) -> str:
    """The key for a server, from the environment variable `named`, or else the provider's `usual` one.

    Raises:
        ModelError: `KEY`, naming the variable, when it is not set and the server is not a local one, or when
            no header can carry what it holds.
    """
    variable = named or usual
    key = environment.get(variable, "").strip()
    if key:
        return check_key(spec, variable, key)
    if named is None and base_url is not None and is_local(base_url):
        return NO_KEY_NEEDED
    raise ModelError(
        ErrorKind.KEY,
        f"{spec}: the environment variable {variable} is not set; export {variable}=… with your key, "
        "or set base_url of the [[model]] table to a server of your own",
    )


def is_local(url: str) -> bool:
    """Whether an address is this machine's or a private network's, where servers need no key."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".local", ".internal", ".localhost"))


class SecretKeys:
    """Keys that must not be shown or stored.

    Args:
        keys: their values; those shorter than `SHORTEST` are left alone.
    """

    def __init__(self, keys: Iterable[str] = ()) -> None:
        known = {key for key in keys if len(key) >= SHORTEST}
        self._forms = sorted({form for key in known for form in _forms(key)}, key=len, reverse=True)
        long = sorted({key.strip() for key in known if len(key.strip()) >= _LONG}, key=len, reverse=True)
        self._disguises = [re.compile(part, re.IGNORECASE) for key in long for part in _disguises(key)]

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> SecretKeys:
        """Every variable that by its name holds a key, for packages that look their keys up themselves."""
        return cls(value for name, value in environment.items() if _KEY_NAMES.search(name.upper()))

    def hide(self, text: str) -> str:
        """The text with `***` in the place of each key; to be called before a text is cut."""
        for form in self._forms:
            text = text.replace(form, HIDDEN)
        for disguise in self._disguises:
            text = disguise.sub(HIDDEN, text)
        return text


NO_KEYS = SecretKeys()
"""Hides nothing."""


def _forms(key: str) -> Iterable[str]:
    """How a key may be written: as it is, stripped, in Python's or JSON's notation, or in an address."""
    bare = key.strip()
    for form in (key, bare):
        yield from (form, repr(form)[1:-1], repr(form.encode(errors="replace"))[2:-1])
        yield from (json.dumps(form)[1:-1], quote(form, safe="", errors="replace"))


def _disguises(key: str) -> Iterable[str]:
    """Patterns of a key in other case, wrapped, escaped letter by letter, backwards, or in hexadecimal.

    The last is of Base64, whose first and last letters depend on what stands beside the key.
    """
    for text in (key, key[::-1]):
        yield rf"{_GAP}{{0,4}}+".join(map(_written, text))
    yield key.encode(errors="replace").hex()
    for before in range(3):
        data = bytes(before) + key.encode(errors="replace")
        core = base64.b64encode(data)[-(-8 * before // 6) : len(data) * 8 // 6].decode()
        yield rf"(?-i:{core.replace('+', '[+-]').replace('/', '[/_]')})"


def _written(letter: str) -> str:
    """A pattern of a letter as it is, or as Python, JSON, an address or HTML may escape it."""
    code = ord(letter)
    escapes = rf"\\{{1,4}}+(?:u00|x){code:02x}|%(?:25)?{code:02x}|&#(?:0{{0,5}}{code}|x0{{0,5}}{code:x});"
    return rf"(?:{re.escape(letter)}|{escapes})"


# Addresses of model servers, which runs store and reports publish: none may carry a secret.

EXPECTED = "expected an address such as http://localhost:8000/v1: http or https, a host, a port, a path"


def address_fault(url: str) -> str | None:
    """What is wrong with the address of a server, None when nothing is; never repeats it.

    Args:
        url: as configured.
    """
    if not url.isprintable() or " " in url:
        return f"{EXPECTED}, without spaces"
    if "@" in url or "?" in url or "#" in url:
        return (
            "an address with a user, password, query or fragment would be stored and published with the run; "
            "put the key into an environment variable and name it in api_key_env"
        )
    try:
        return _part_fault(urlsplit(url))
    except ValueError as error:  # an open bracket of IPv6, or a port that is no number
        return f"{EXPECTED} ({str(error)[0].lower()}{str(error)[1:]})"


def _part_fault(parts: SplitResult) -> str | None:
    if parts.scheme not in ("http", "https"):
        return f"{EXPECTED}; it must begin with http:// or https://"
    if not parts.hostname:
        return f"{EXPECTED}; it names no host"
    if parts.port == 0:
        return f"{EXPECTED}; a port is 1 to 65535"
    return None


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

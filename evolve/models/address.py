"""Addresses of model servers, which runs store and reports publish: none may carry a secret."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

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

"""The addresses of links and images in texts: how they are compared, and which of them lead somewhere."""

import re
from urllib.parse import unquote, urlsplit

_ADDRESS = re.compile(r"(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?")
"""The scheme, host, path and query of an address (RFC 3986, appendix B)."""
_USABLE = re.compile(
    r"https?://[a-z0-9-]+(?:\.[a-z0-9-]+)*+(?:[/?#][^\s\[\]]*)?|mailto:\w+@[\w.]+|[\w/?#][\w?#.=&%-]*+"
)
"""Addresses that need no closer look, most of all; it is faster by an order of magnitude."""

_NOT_IN_HOST = re.compile(r"[\s<>^|]")
"""Characters that no host has, so that no browser follows the address; in a path they would be encoded."""


def last_segment(address: str) -> str:
    """Returns the last segment of an address's path, decoded."""
    path = _parts(address)[2]
    return unquote(path.rstrip("/").rpartition("/")[2])


def page_of(url: str) -> tuple[str, ...]:
    """Returns an address in a form in which two that lead to the same page are equal: no fragment, no last slash."""
    scheme, host, path, query = _parts(url.strip())
    return scheme.lower(), host.lower(), unquote(path.rstrip("/")), query


def _parts(address: str) -> tuple[str, ...]:
    found = _ADDRESS.match(address)
    assert found is not None  # every string matches
    return found.groups("")


def is_usable(address: str) -> bool:
    """Returns whether a reader can follow an address: a relative one, or one of http, https or mail."""
    if _USABLE.fullmatch(address):
        return True
    try:
        parts = urlsplit(address.strip())
        parts.port  # noqa: B018  # raises for a port that is none
    except ValueError:
        return False
    if parts.scheme in ("http", "https"):
        return parts.hostname is not None and not _NOT_IN_HOST.search(parts.hostname)
    return (parts.scheme == "" and bool(address.strip())) or (parts.scheme == "mailto" and "@" in parts.path)

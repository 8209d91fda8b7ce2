"""The host names of this server, and whether a page that calls it is its own: against DNS rebinding and other sites."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

HOST = re.compile(r"(\[[0-9a-f:.]+\]|[0-9a-z_.-]+)(?::([0-9]{1,5}))?", re.IGNORECASE)
"""A `Host` header: a name or an address, and a port where there is one."""

DEFAULT_PORTS = {"http": "80", "https": "443"}
LOCAL = ("localhost", "127.0.0.1", "[::1]")


class HostNames:
    """The host names of a server: local ones, that of its public URL, and those that the settings name."""

    def __init__(self, public_url: str, allowed: Iterable[str]) -> None:
        self._any = "*" in allowed
        names = (*LOCAL, *(name.removesuffix(":*") for name in allowed), urlsplit(public_url).netloc)
        self._known = {parts[0] for name in names if (parts := _parts(name))}

    def include(self, host: str) -> bool:
        """Returns whether a `Host` header names this server, on whatever port."""
        parts = _parts(host)
        return parts is not None and (self._any or parts[0] in self._known)


def is_same_origin(origin: str, host: str) -> bool:
    """Returns whether an `Origin` is the address that a `Host` header names, over http or https."""
    scheme, _, rest = origin.lower().partition("://")
    page, here = _parts(rest), _parts(host)
    default = DEFAULT_PORTS.get(scheme)
    if page is None or here is None or default is None:
        return False
    return (page[0], page[1] or default) == (here[0], here[1] or default)


def _parts(host: str) -> tuple[str, str | None] | None:
    found = HOST.fullmatch(host.lower())
    return None if found is None else (found[1], found[2])

"""The addresses that the service may send requests to: public ones over https, loopback where that is allowed."""

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

Address = IPv4Address | IPv6Address


NOT_PUBLIC = (
    ip_network("168.63.129.16/32"),  # Azure's host: a public address that is only reachable inside Azure
    ip_network("192.0.0.0/24"),  # protocol assignments: Oracle's metadata
    ip_network("192.88.99.0/24"),  # 6to4 relays
    ip_network("2001::/23"),  # protocol assignments: Teredo, ORCHID
    ip_network("3fff::/20"),  # documentation
)
"""Networks that it never reaches, of those that `ipaddress` counts as global in one version or another."""


PUBLIC_V6 = ip_network("2000::/3")
"""The global unicast addresses of IPv6; site-local ones, NAT64 and the unassigned lie outside."""


EMBEDDING = ((ip_network("::ffff:0:0/96"), 0), (ip_network("64:ff9b::/96"), 0), (ip_network("2002::/16"), 80))
"""IPv6 networks whose addresses embed an IPv4 address, and the bits after it: mapped, NAT64, 6to4."""


def may_reach(address: str, scheme: str, allow_local: bool) -> bool:
    """Returns whether the service may connect to an address: public over https, loopback where that is allowed."""
    embedded = _embedded(ip_address(address.partition("%")[0]))
    if embedded.is_loopback:
        return allow_local
    return scheme == "https" and _is_public(embedded)


def wrong_url(url: str, allow_local: bool) -> str | None:
    """Returns what is wrong with the URL of a webhook, None for nothing. The URL has http or https and a host.

    This check only helps people to notice a webhook that cannot work. The check when a message is sent protects.
    """
    parts = urlsplit(url)
    if "@" in parts.netloc:
        return "Must not contain a user name or a password: the signature proves who sends."
    host = (parts.hostname or "").rstrip(".")
    try:
        host.encode("idna")
    except UnicodeError:
        return "Must have a host name that can be resolved."
    addresses = known_addresses(host)
    if not all(may_reach(address, "https", allow_local) for address in addresses):
        return "Must not lead to a private, loopback, link-local or reserved address."
    if parts.scheme != "https" and not (addresses and all(may_reach(one, "http", allow_local) for one in addresses)):
        return "Must be an https URL."
    return None


def known_addresses(host: str) -> list[str]:
    """Returns the addresses of a host that needs no DNS: localhost, or an address in any notation.

    The old notations of IPv4 count too: `0x7f.1`, `2130706433`, `0177.0.0.1`.
    """
    host = host.rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return ["127.0.0.1", "::1"]
    try:
        return [str(ip_address(host.partition("%")[0]))]
    except ValueError:
        pass
    try:
        return [socket.inet_ntoa(socket.inet_aton(host))] if host.isascii() and host[:1].isdigit() else []
    except OSError:
        return []


def _embedded(address: Address) -> Address:
    """Returns the IPv4 address that an IPv6 address embeds, else the address itself."""
    for network, shift in EMBEDDING:
        if address in network:
            return IPv4Address(int(address) >> shift & 0xFFFFFFFF)
    return address


def _is_public(address: Address) -> bool:
    if not address.is_global or address.is_multicast or any(address in network for network in NOT_PUBLIC):
        return False
    return address.version == 4 or address in PUBLIC_V6

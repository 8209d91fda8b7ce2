"""Webhooks: their messages, the addresses they may reach, and the events they are sent (decisions, section 9)."""

import socket
from collections.abc import Mapping
from datetime import datetime, timedelta
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any, NotRequired, TypedDict
from urllib.parse import urlsplit

from app.core.actors import Actor
from app.core.events import StoredEvent
from app.core.times import wire_time

WEBHOOKS_PER_PROJECT = 20


ROTATED_LIFE = timedelta(days=1)
"""How long messages are signed with the previous secret after a rotation."""


MAX_SECRETS = 10
"""The most secrets that a message is signed with: each signature takes 48 bytes of a header that receivers limit."""


TEST = "webhook.test"
"""The type of the message of a test, which is not an event in the feed."""


class WebhookSecret(TypedDict):
    """A key that messages are signed with, and until when; None for the newest one."""

    secret: str
    until: datetime | None


class StoredWebhook(TypedDict):
    """A webhook as the store returns it; only `Webhooks.get_with_secrets` reads its secrets."""

    id: str
    projectId: str
    url: str
    events: list[str]
    description: str
    enabled: bool
    disabledAt: datetime | None
    secrets: NotRequired[list[WebhookSecret]]
    createdAt: datetime
    createdBy: Actor
    updatedAt: datetime
    deletedAt: datetime | None
    rev: int


class Attempt(TypedDict):
    """One attempt to send a message."""

    at: datetime
    statusCode: int | None
    error: str | None
    durationMs: int


class DeliveryState(TypedDict):
    """How far a delivery is: what follows from an attempt."""

    status: str
    failures: int
    """How many attempts failed since it was queued, or queued again."""
    since: datetime | None
    """When the first attempt began since then."""
    nextAttemptAt: datetime | None
    """When it is tried next; None for never."""


class StoredDelivery(DeliveryState):
    """A message to a webhook, with how far it is, as the store returns it; the log leaves out the message itself."""

    id: str
    projectId: str
    webhookId: str
    eventId: str
    sequence: int | None
    type: str
    payload: NotRequired[str]
    requested: NotRequired[bool]
    """Set for a test and a redelivery, which are sent also while the webhook is disabled."""
    attempts: list[Attempt]
    createdAt: datetime


Address = IPv4Address | IPv6Address


NOT_PUBLIC = (
    ip_network("168.63.129.16/32"),  # Azure's host: a public address that is only reachable inside Azure
    ip_network("192.0.0.0/24"),  # protocol assignments: Oracle's metadata
    ip_network("192.88.99.0/24"),  # 6to4 relays
    ip_network("2001::/23"),  # protocol assignments: Teredo, ORCHID
    ip_network("3fff::/20"),  # documentation
)
"""Networks that a webhook never reaches, of those that `ipaddress` counts as global in one version or another."""


PUBLIC_V6 = ip_network("2000::/3")
"""The global unicast addresses of IPv6; site-local ones, NAT64 and the unassigned lie outside."""


EMBEDDING = ((ip_network("::ffff:0:0/96"), 0), (ip_network("64:ff9b::/96"), 0), (ip_network("2002::/16"), 80))
"""IPv6 networks whose addresses embed an IPv4 address, and the bits after it: mapped, NAT64, 6to4."""


def may_reach(address: str, scheme: str, allow_local: bool) -> bool:
    """Returns whether a webhook may connect to an address: public over https, loopback where that is allowed."""
    embedded = _embedded(ip_address(address.partition("%")[0]))
    if embedded.is_loopback:
        return allow_local
    return scheme == "https" and _is_public(embedded)


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
    if not all(may_reach(address, parts.scheme, allow_local) for address in addresses):
        return "Must not lead to a private, loopback, link-local or reserved address."
    if parts.scheme != "https" and not addresses:
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


def wants(webhook: StoredWebhook, event: StoredEvent) -> bool:
    """Returns whether an event is sent to a webhook: it has a chosen type, and is not older than the webhook."""
    return event["at"] >= webhook["createdAt"] and (not webhook["events"] or event["type"] in webhook["events"])


def message(event: StoredEvent) -> dict[str, Any]:
    """Returns the message of an event."""
    details = {"id": event["id"], "sequence": event.get("sequence"), "by": event["by"]}
    return {"type": event["type"], "timestamp": wire_time(event["at"]), "data": {**details, **plain(event["data"])}}


def plain(data: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the data of an event with times as texts."""
    return {name: wire_time(value) if isinstance(value, datetime) else value for name, value in data.items()}


def rotated(secrets: list[WebhookSecret], secret: str, now: datetime) -> list[WebhookSecret]:
    """Returns a webhook's secrets with a new one; the newest older ones that are still valid end within a day."""
    end = now + ROTATED_LIFE
    valid = valid_secrets(secrets, now)
    older = [WebhookSecret(secret=old["secret"], until=min(old["until"] or end, end)) for old in valid]
    return valid_secrets([WebhookSecret(secret=secret, until=None), *older], now)


def valid_secrets(secrets: list[WebhookSecret], now: datetime) -> list[WebhookSecret]:
    """Returns the secrets of a webhook that messages are signed with now, the newest first."""
    return [secret for secret in secrets if secret["until"] is None or secret["until"] > now][:MAX_SECRETS]

"""Keeping a work packet small enough for an agent's context (decisions, section 12)."""

from collections.abc import Mapping
from typing import Any

import orjson

MOST_BYTES = 65_536
_NAMES = 300
"""Maximum number of bytes that naming the shortened parts takes."""

LEAST: dict[str, int] = {
    "checks": 5_000,
    "sources": 6_000,
    "outline": 7_000,
    "passages": 2,
    "links": 5_000,
    "cluster": 5_000,
    "category": 2_000,
    "review": 3_000,
    "guidelines": 11_000,
    "brief": 11_000,
    "threads": 10_000,
}
"""The parts that are shortened, in this order, each until the packet fits, and to no fewer bytes than these."""

MOST_THREADS = 50
MOST_LISTED = 800
"""More sections or failures than these don't fit into a packet, whatever else is in it."""

ELLIPSIS = "…"


def shortened(packet: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns a packet of at most 65,536 bytes of JSON; `truncated` names the parts that lost something.

    It may name some already that were shortened before.
    """
    whole = packet
    cut = whole.get("truncated", ())
    packet = {name: _limited(part, MOST_THREADS if name == "threads" else MOST_LISTED) for name, part in whole.items()}
    for name, least in LEAST.items():
        over = size_of(packet) - (MOST_BYTES - _NAMES)
        size = size_of(packet.get(name))
        if over > 0 and size > least:
            packet = {**packet, name: _fitted(packet[name], max(least, size - over))}
    return {**packet, "truncated": [name for name in packet if name in cut or packet[name] != whole[name]]}


def size_of(part: object) -> int:
    """Returns how many bytes of JSON something takes."""
    return len(orjson.dumps(part))


def _limited(part: Any, most: int) -> Any:
    """Returns a part with at most so many items in its list, or in each of its lists."""
    if isinstance(part, dict):
        return {name: value[:most] if isinstance(value, list) else value for name, value in part.items()}
    return part[:most] if isinstance(part, list) else part


def _fitted(part: Any, most: int) -> Any:
    """Returns a part with its longest text or list shortened, again and again, until it takes at most `most` bytes."""
    while (size := size_of(part)) > most:
        part = _cut(part, size - most)
    return part


def _cut(part: Any, surplus: int) -> Any:
    """Returns a part with the longest text or list in it shortened by about that many bytes, at most by half."""
    size = size_of(part)
    surplus = surplus if isinstance(part, dict) else min(surplus, size // 2)
    if isinstance(part, str):
        left = min(int(len(part) * (size - surplus) / size), len(part) - 8)  # shorter each time, the ellipsis included
        return part[:left] + ELLIPSIS if left > 0 else ""
    if isinstance(part, list):
        while part and surplus > 0:
            surplus -= size_of(part[-1]) + 1
            part = part[:-1]
        return part
    longest = max(part, key=lambda name: size_of(part[name]) if isinstance(part[name], str | list | dict) else 0)
    return {**part, longest: _cut(part[longest], surplus)}

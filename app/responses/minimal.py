"""The short response to a write of a document, for callers who ask for it (decisions, section 8)."""

from collections.abc import Mapping
from typing import Any

MINIMAL = "minimal"
"""The only value of `return`, in the address of MCP and in `Prefer`."""


def minimal_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what the caller needs of a document's record for the next call, and the packet of a claim."""
    packet = {"packet": record["packet"]} if "packet" in record else {}
    kept = {name: record[name] for name in ("id", "version", "status")}
    return {**kept, "briefState": record["brief"]["state"], **packet}

"""Responses that show a stored record as it is: the keys that they declare, with instants as JSON has them."""

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from app.rules.webhooks import plain

R = TypeVar("R")


def record_of(response: type[R], stored: Mapping[str, Any], **changes: Any) -> R:
    """Returns the keys of a response from a stored record, with `changes`; what the record lacks is null."""
    return cast(R, plain({name: stored.get(name) for name in response.__annotations__} | changes))

"""The context of a request to the delivery API, for extensions and resolvers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import strawberry
from strawberry.http import GraphQLRequestData

from app.operations.context import Context


@dataclass
class DeliveryContext:
    """One request."""

    ctx: Context
    revision: int
    """The project's delivery revision when the request began."""
    request_data: GraphQLRequestData
    results: Mapping[str, Any] = field(default_factory=dict)
    """What each field of `Query` returns by response key: records, None, or the `Refusal` to raise."""
    counts: Mapping[str | None, int] = field(default_factory=dict)
    """How many documents are published, by the id of their category; read where it is selected."""
    shows_drafts: bool = False
    """Whether the response may show drafts, so that it is not cached."""
    is_complete: bool = False
    """Whether the response has no error, so that it may be cached."""


Info = strawberry.Info[DeliveryContext, None]


def by_response_key(info: Info, results: Mapping[str, Any]) -> Any:
    """Returns what was read for the field that is resolved. Raises its refusal."""
    result = results[str(info.path.key)]
    if isinstance(result, Exception):
        raise result
    return result

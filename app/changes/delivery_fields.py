"""The fields that this folder adds to the delivery API (decisions, section 21)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import strawberry
from strawberry import ID, UNSET, argument, field
from strawberry.types.lazy_type import LazyType

from app.changes.reading import MOST_NAMED, changes_since, documents_by
from app.changes.schemas import ChangesPage
from app.core.features import DeliveryField
from app.core.schemas.loading import load

LIST: Any = list
DOCUMENTS = LIST[LazyType("Document", "graphql_app.types")]  # which imports this
After = Annotated[
    str | None,
    argument(description="The `cursor` of an earlier answer. Without it, all that is published is returned."),
]
Limit = Annotated[int | None, argument(description="The most changes to return, 1 to 100.")]
Ids = Annotated[list[ID] | None, argument(description="Ids of documents.")]
Slugs = Annotated[list[str] | None, argument(description="Slugs that documents are delivered under.")]


@strawberry.type(description="A document that was taken off the website.")
class Removed:
    id: ID = field(description="The document's id.")
    slug: str = field(description="The slug that it was delivered under.")


@strawberry.type(description="What changed since a cursor, each document once, as it is now.")
class Changes:
    authors_changed: bool = field(description="Whether authors changed since the cursor; true without one.")
    categories_changed: bool = field(description="Whether categories changed since the cursor; true without one.")
    cursor: str = field(description="Send it as `after` of the next query. It holds for 90 days.")
    documents: list[Any] = field(
        graphql_type=DOCUMENTS,
        description="Documents that were published, published again, renamed, refiled or given another author.",
    )
    has_more: bool = field(description="Whether there are more changes: query again with the cursor.")
    removed: list[Removed] = field(description="Documents that were taken off.")


def _page(after: Any, limit: Any) -> dict[str, Any]:
    sent = {name: value for name, value in (("after", after), ("limit", limit)) if value not in (None, UNSET)}
    return load(ChangesPage, sent)


def _changes(info: strawberry.Info, after: After = UNSET, limit: Limit = 100) -> Any:
    page = _page(after, limit)
    return changes_since(info.context.query, page.get("after"), page["limit"])


def _documents_by_ids(info: strawberry.Info, ids: Ids = UNSET, slugs: Slugs = UNSET) -> Any:
    return documents_by(info.context.query, ids or (), slugs or ())


def _most_changes(arguments: Mapping[str, Any]) -> int:
    return int(_page(None, arguments.get("limit"))["limit"])


def _most_named(arguments: Mapping[str, Any]) -> int:
    return min(len(arguments.get("ids") or ()) + len(arguments.get("slugs") or ()), MOST_NAMED)


CHANGES = DeliveryField(
    "changes",
    "Query",
    field(
        name="changes",
        graphql_type=Changes,
        resolver=_changes,
        description="What changed since a cursor. Who follows it until `hasMore` is false has exactly what is "
        "published, however much is published meanwhile; later, what changed since.",
    ),
    counts=_most_changes,
)
DOCUMENTS_BY_IDS = DeliveryField(
    "changes",
    "Query",
    field(
        name="documentsByIds",
        graphql_type=DOCUMENTS,
        resolver=_documents_by_ids,
        description=f"Published documents by ids, then by slugs, at most {MOST_NAMED} of both, in the order given; "
        "those that are not published are left out.",
    ),
    counts=_most_named,
)

"""Changes since a cursor, in the order in which they were delivered.

A publication has the number of its last change (`deliveredIn`). Publications are read in that order, so that one that
is published again goes to the end, and no other moves; so are removals. (decisions, section 21)
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from app.changes.cursors import ChangesCursor, read_cursor
from app.core.context import Context
from app.core.errors import BadRequest, CursorExpired, Problem
from app.core.store.delivery_revisions import BY_REFERENCE, DeliveryRevisions, Revision
from app.delivery.queries import DeliveredDocument, DeliveryQuery
from app.publications.rules import Publication
from app.publications.store import InOrder, Publications, Removal, Removals

HELD = timedelta(days=90)
"""How long a cursor holds."""
MOST_NAMED = 100
"""Maximum number of documents that are asked for by ids and slugs."""


@dataclass(frozen=True)
class DeliveredRemoval:
    """A document that was taken off the website."""

    id: str
    slug: str


@dataclass(frozen=True)
class DeliveredChanges:
    """One page of changes."""

    documents: Sequence[DeliveredDocument]
    removed: Sequence[DeliveredRemoval]
    cursor: str
    has_more: bool
    categories_changed: bool
    authors_changed: bool


def changes_since(query: DeliveryQuery, after: str | None, limit: int) -> DeliveredChanges:
    """Returns at most `limit` changes since a cursor; without one what is live.

    Refuses with `BadRequest` a text that is no cursor of the project, and with `CursorExpired` an old one.
    """
    ctx, revision = query.ctx, query.revision
    since = _read(ctx, revision, after)
    if _is_current(since, revision):
        return _page(query, since, since.number, [], [], limit, is_all=True)
    until, is_all = _number_waiting(ctx, revision)
    if after is None:
        since = replace(since, start=until)
    publications, removals = ctx.store[Publications], ctx.store[Removals]
    rows = publications.changed(ctx.project_id, since.place, until, limit + 1)
    place = since.place if since.number >= since.start else (since.start, None)
    removed = removals.changed(ctx.project_id, place, until, limit + 1)
    return _page(query, since, until, rows, removed, limit, is_all=is_all)


def _page(
    query: DeliveryQuery,
    since: ChangesCursor,
    until: int,
    rows: Sequence[Publication],
    removals: Sequence[Removal],
    limit: int,
    *,
    is_all: bool,
) -> DeliveredChanges:
    ctx, changes = query.ctx, query.revision.changes
    places = sorted((row["deliveredIn"], row["id"]) for row in (*rows, *removals))
    ids = {one for _, one in places[:limit]}
    removed = [row for row in removals if row["id"] in ids]
    back = ctx.store[Publications].get_many(ctx.project_id, [row["id"] for row in removed])
    categories, members = (changes.get(name, 0) for name in BY_REFERENCE)
    if len(places) > limit:
        number, last = places[limit - 1]
        cursor = replace(since, number=number, last=last, categories=categories, members=members)
    else:
        now = int(ctx.now.timestamp())
        revision = query.revision.number if is_all else 0
        cursor = ChangesCursor(until, revision=revision, at=now, categories=categories, members=members)
    return DeliveredChanges(
        query.published(row for row in rows if row["id"] in ids),
        [DeliveredRemoval(row["id"], row["slug"]) for row in removed if row["id"] not in back],
        cursor.encode(ctx.project_id),
        cursor.last is not None or not is_all,
        since.categories != cursor.categories,
        since.members != cursor.members,
    )


def _number_waiting(ctx: Context, revision: Revision) -> tuple[int, bool]:
    """Numbers what was committed and has no number yet.

    Returns the number up to which the order does not change any more, and whether that is all. What waits while a
    number is taken may get a lower one from another reader. So it is looked for once more: if there is any, it gets a
    higher number, and is read after this.
    """
    in_order: tuple[InOrder[Any], ...] = (ctx.store[Publications], ctx.store[Removals])
    until = revision.sequence
    for _ in range(2):
        waiting = {one: changes for one in in_order if (changes := one.waiting(ctx.project_id))}
        if not waiting:
            return until, True
        before, until = until, ctx.store[DeliveryRevisions].next_in_sequence(ctx.project_id)
        for one, changes in waiting.items():
            one.number(ctx.project_id, changes, until)
    return before, False


def documents_by(query: DeliveryQuery, ids: Sequence[str], slugs: Sequence[str]) -> list[DeliveredDocument]:
    """Returns the published documents with some ids and slugs, in this order; refuses with `BadRequest` too many."""
    if len(ids) + len(slugs) > MOST_NAMED:
        message = f"Send at most {MOST_NAMED} ids and slugs together, not {len(ids) + len(slugs)}."
        raise BadRequest(message, errors=[Problem(field="ids", message=message)])
    publications, project_id = query.ctx.store[Publications], query.ctx.project_id
    wanted = [one.lower() for one in ids]
    by_id, by_slug = publications.get_many(project_id, wanted), publications.find_by_slugs(project_id, slugs)
    rows = [by_id.get(one) for one in wanted] + [by_slug.get(one) for one in slugs]
    return query.published({row["id"]: row for row in rows if row is not None}.values())


def _read(ctx: Context, revision: Revision, after: str | None) -> ChangesCursor:
    now = int(ctx.now.timestamp())
    if after is None:
        return ChangesCursor(at=now)
    since = read_cursor(ctx.project_id, after)
    if since is None:
        message = "Is no cursor of this project's changes: send the `cursor` of an earlier answer, or none."
        raise BadRequest(message, errors=[Problem(field="after", message=message)])
    is_old = since.at < now - HELD.total_seconds() and not _is_current(since, revision)
    if is_old or since.revision > revision.number:
        raise CursorExpired("The cursor is older than 90 days: begin anew, without `after`.")
    return since


def _is_current(since: ChangesCursor, revision: Revision) -> bool:
    """Returns whether nothing changed since a cursor."""
    return since.last is None and since.revision == revision.number > 0

"""Data that all delivery queries of a project share: its delivery revision, categories, counts, authors and redirects.

All but the revision are cached by it; each is read once for all requests that wait for it, so that they fail together
where MongoDB is slow, and not one after the other. (decisions, sections 7 and 15)
"""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import Any, TypeVar

from cachetools import LRUCache, cached

from app.categories.rules import CATEGORIES_PER_PROJECT
from app.categories.store import Categories
from app.core.context import Context
from app.core.errors import ServiceUnavailable
from app.core.schemas.queries import MAX_OFFSET
from app.core.store.caches import SingleFlight
from app.core.store.delivery_revisions import DeliveryRevisions, Revision
from app.delivery.responses import (
    CategoryTree,
    DeliveredAuthor,
    DeliveredCategory,
    DeliveredRedirect,
    delivered_categories,
)
from app.projects.rules import StoredMember
from app.projects.store import Members
from app.publications.rules import redirects
from app.publications.store import Publications

CATEGORY_CACHE_BYTES = 16 * 1024 * 1024
COUNTS_CACHE_BYTES = 4 * 1024 * 1024
AUTHOR_CACHE_BYTES = 8 * 1024 * 1024
REDIRECT_CACHE_BYTES = 8 * 1024 * 1024
MAX_REDIRECTS = MAX_OFFSET + 100
"""How many redirects can be reached by pages."""
SLUGS_LOOKED_UP = 1_000
"""How many past slugs are looked up at once among those that documents are delivered under."""

V = TypeVar("V")
Counts = Mapping[str | None, int]
"""How many documents are published, by the id of their category."""
Redirects = Sequence[DeliveredRedirect]
Authors = Mapping[str, DeliveredAuthor]
"""Authors by id."""

_reads: SingleFlight[Any] = SingleFlight()


def _read_once(name: str, ctx: Context, revision: int, read: Callable[[], V]) -> V:
    """Returns what is read, once for all requests that wait for it; where that fails, it fails for all of them."""

    def read_in_time() -> V:
        with ctx.store.deadline():
            return read()

    value: V = _reads.read((name, *_key(ctx, revision)), read_in_time)
    return value


def _key(ctx: Context, revision: int) -> tuple[object, str, int]:
    return ctx.store.cache_scope, ctx.project_id, revision


def _size_of_categories(rows: CategoryTree) -> int:
    return 500 + sum(500 + 2 * len(one.description or "") for one in rows.values())


def _size_of_counts(rows: Counts) -> int:
    return 200 * (1 + len(rows))


def _size_of_authors(rows: Authors) -> int:
    return 500 + sum(500 + 2 * len(one.bio or "") + 2 * len(one.image_url or "") for one in rows.values())


def _size_of_redirects(rows: Redirects) -> int:
    return 500 + sum(300 + 2 * len(one.from_) for one in rows)


def delivery_revision(ctx: Context) -> Revision:
    """Returns a number that changes whenever what the project delivers does: one small read of the primary."""
    return _read_once("revision", ctx, 0, lambda: ctx.store[DeliveryRevisions].read(ctx.project_id))


@cached(LRUCache(CATEGORY_CACHE_BYTES, _size_of_categories), _key, lock=Lock())
def categories_at(ctx: Context, revision: int) -> CategoryTree:
    """Returns the project's categories by id, as they are at a delivery revision or later."""
    read = partial(ctx.store[Categories].list, ctx.project_id, limit=CATEGORIES_PER_PROJECT, offset=0)
    return _read_once("categories", ctx, revision, lambda: delivered_categories(read()))


@cached(LRUCache(COUNTS_CACHE_BYTES, _size_of_counts), _key, lock=Lock())
def counts_at(ctx: Context, revision: int) -> Counts:
    """Returns how many documents are published in each category, at a delivery revision or later."""
    return _read_once("counts", ctx, revision, lambda: ctx.store[Publications].count_by_category(ctx.project_id))


@cached(LRUCache(AUTHOR_CACHE_BYTES, _size_of_authors), _key, lock=Lock())
def authors_at(ctx: Context, revision: int) -> Authors:
    """Returns the authors of published documents by id, sorted by name, at a delivery revision or later."""
    publications = ctx.store[Publications]
    read = partial(publications.author_ids, ctx.project_id)
    return _read_once("authors", ctx, revision, lambda: read_authors(ctx, read()))


@cached(LRUCache(REDIRECT_CACHE_BYTES, _size_of_redirects), _key, lock=Lock())
def redirects_at(ctx: Context, revision: int) -> Redirects:
    """Returns the redirects of the project, the latest first, at a delivery revision or later."""
    return _read_once("redirects", ctx, revision, lambda: read_redirects(ctx, None))


def published_categories(ctx: Context, revision: int) -> list[DeliveredCategory]:
    """Returns the categories that documents are published in, by name."""
    counts = counts_at(ctx, revision)
    return [category for category in categories_at(ctx, revision).values() if counts.get(category.id)]


def read_delivered(ctx: Context, revision: Revision, read: Callable[[Context], V]) -> V:
    """Returns what `read` returns, given a context that reads where `DELIVERY_READ_PREFERENCE` says.

    Secondaries that lag behind the revision are waited for, and given up soon: then the primary is read. So are drafts,
    which the revision does not count.
    """
    if revision.at is not None and not ctx.caller.drafts:
        try:
            with ctx.store.at_moment(revision.at) as store:
                return read(replace(ctx, store=store))
        except ServiceUnavailable as error:
            logging.getLogger(__name__).info("What is delivered is read from the primary: %s", error)
    return read(ctx)


def read_authors(ctx: Context, member_ids: Collection[str]) -> Authors:
    """Returns those of the members who did not leave, by id, as authors, sorted by name."""
    members = ctx.store[Members].authors(ctx.project_id, member_ids)
    images = ctx.features.covers(ctx, {url for one in members.values() if (url := one.get("imageUrl"))})

    def delivered(member: StoredMember) -> DeliveredAuthor:
        url = member.get("imageUrl")
        image = images[url].url if url in images else url
        return DeliveredAuthor(member["id"], member["name"], member["slug"], member.get("bio"), image)

    return {member_id: delivered(member) for member_id, member in members.items()}


def read_redirects(ctx: Context, slug: str | None) -> Redirects:
    """Returns the redirects from a slug, or all, the latest first."""
    publications = ctx.store[Publications]
    left = publications.past_slugs(ctx.project_id, slug, MAX_REDIRECTS)
    slugs = list(dict.fromkeys(past for past, _ in left))
    parts = [slugs[start : start + SLUGS_LOOKED_UP] for start in range(0, len(slugs), SLUGS_LOOKED_UP)]
    taken = [one for part in parts for one in publications.delivered_slugs(ctx.project_id, part)]
    return [DeliveredRedirect(from_, to) for from_, to in redirects(left, taken).items()]

"""What all delivery queries of a project have in common: its delivery revision, categories, counts and redirects.

Each is cached by delivery revision, and read once for all requests that wait for it. (decisions, sections 7 and 15)
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from app.errors import ServiceUnavailable
from app.operations.context import Context
from app.operations.revision_cache import RevisionCache
from app.responses.delivery import Categories, DeliveredCategory, DeliveredRedirect, delivered_categories
from app.rules.caps import CATEGORIES_PER_PROJECT
from app.rules.publishing import redirects
from app.schemas.queries import MAX_OFFSET
from app.store.projects import Revision
from app.store.single_flight import SingleFlight

CATEGORY_CACHE_BYTES = 32 * 1024 * 1024
REDIRECT_CACHE_BYTES = 16 * 1024 * 1024
MAX_REDIRECTS = MAX_OFFSET + 100
"""How many redirects can be reached by pages."""
SLUGS_LOOKED_UP = 1_000
"""How many past slugs are looked up at once among those that documents are delivered under."""

COUNTS_CACHE_BYTES = 8 * 1024 * 1024

V = TypeVar("V")
Counts = Mapping[str | None, int]
"""How many documents are published, by the id of their category."""
Redirects = Sequence[DeliveredRedirect]


class DeliveryCaches:
    """Reads and caches what queries of a project share."""

    def __init__(self) -> None:
        self._categories: RevisionCache[Categories] = RevisionCache(
            CATEGORY_CACHE_BYTES,
            size_of=lambda rows: 500 + sum(500 + 2 * len(one.description or "") for one in rows.values()),
        )
        self._counts: RevisionCache[Counts] = RevisionCache(COUNTS_CACHE_BYTES, size_of=lambda rows: 200 * len(rows))
        self._redirects: RevisionCache[Redirects] = RevisionCache(
            REDIRECT_CACHE_BYTES, size_of=lambda rows: 500 + sum(300 + 2 * len(one.from_) for one in rows)
        )
        self._reads: SingleFlight[Any] = SingleFlight()

    def revision(self, ctx: Context) -> Revision:
        """Returns a number that changes whenever what the project delivers does: one small read of the primary."""

        def read() -> Revision:
            with ctx.store.deadline():
                return ctx.store.projects.delivery_revision(ctx.project_id)

        revision: Revision = self._reads.read(("revision", ctx.project_id), read)
        return revision

    def categories(self, ctx: Context, revision: int) -> Categories:
        """Returns the project's categories by id, as they are at a delivery revision or later."""

        def read() -> Categories:
            return delivered_categories(
                ctx.store.categories.list(ctx.project_id, limit=CATEGORIES_PER_PROJECT, offset=0)
            )

        return self._cached(self._categories, ctx, revision, read)

    def counts(self, ctx: Context, revision: int) -> Counts:
        """Returns how many documents are published in each category, at a delivery revision or later."""
        return self._cached(
            self._counts, ctx, revision, lambda: ctx.store.publications.count_by_category(ctx.project_id)
        )

    def published_categories(self, ctx: Context, revision: int) -> list[DeliveredCategory]:
        """Returns the categories that documents are published in, by name."""
        counts = self.counts(ctx, revision)
        return [category for category in self.categories(ctx, revision).values() if counts.get(category.id)]

    def redirects(self, ctx: Context, revision: int) -> Redirects:
        """Returns the redirects of the project, the latest first, at a delivery revision or later."""
        return self._cached(self._redirects, ctx, revision, lambda: read_redirects(ctx, None))

    def _cached(self, cache: RevisionCache[V], ctx: Context, revision: int, read: Callable[[], V]) -> V:
        """Returns a value from its cache; reads it once for all callers at the same revision that wait for it."""
        if (known := cache.get(ctx.project_id, revision)) is not None:
            return known

        def read_and_cache() -> V:
            value = cache.get(ctx.project_id, revision)
            if value is None:
                with ctx.store.deadline():
                    value = read()
                cache.put(ctx.project_id, revision, value)
            return value

        value: V = self._reads.read((cache, ctx.project_id, revision), read_and_cache)
        return value


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


def read_redirects(ctx: Context, slug: str | None) -> Redirects:
    """Returns the redirects from a slug, or all, the latest first."""
    publications = ctx.store.publications
    left = publications.past_slugs(ctx.project_id, slug, MAX_REDIRECTS)
    slugs = list(dict.fromkeys(past for past, _ in left))
    parts = [slugs[start : start + SLUGS_LOOKED_UP] for start in range(0, len(slugs), SLUGS_LOOKED_UP)]
    taken = [one for part in parts for one in publications.delivered_slugs(ctx.project_id, part)]
    return [DeliveredRedirect(from_, to) for from_, to in redirects(left, taken).items()]

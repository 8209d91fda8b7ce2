"""Data of feeds and sitemaps: the project as a whole, and its published documents in batches."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate

from app.core.context import Context
from app.core.store.bodies import Bodies
from app.core.store.delivery_revisions import DeliveryRevisions, Revision
from app.delivery.responses import DeliveredImage
from app.delivery.texts import MAX_BODIES
from app.projects.store import Projects
from app.publications.rules import Publication
from app.publications.store import Publications

BATCH = 1_000
"""How many documents are read at once."""


@dataclass(frozen=True)
class Site:
    """Data about a project as a whole in its feeds, and the versions that they change with."""

    name: str
    url: str
    category_url: str
    rev: int
    revision: Revision
    created_at: datetime


def read_site(ctx: Context) -> Site:
    """Returns what feeds say of a project as a whole."""
    revision = ctx.store[DeliveryRevisions].read(ctx.project_id)
    project = ctx.store[Projects].settings(ctx.project_id)
    return Site(
        project["name"],
        project.get("siteUrl") or "",
        project.get("categoryUrl") or "",
        project["rev"],
        revision,
        project["createdAt"],
    )


def last_published_at(ctx: Context) -> datetime | None:
    """Returns when something was last published, for the first time or again."""
    with ctx.store.deadline():
        return ctx.store[Publications].last_update(ctx.project_id)


def publications(ctx: Context, limit: int, *, bare: bool = False) -> Iterator[list[Publication]]:
    """Yields published documents in batches, the newest first, a batch a read, so that they are never all in memory."""
    last: Publication | None = None
    while limit > 0:
        with ctx.store.deadline():
            size = min(limit, BATCH)
            rows = ctx.store[Publications].after(ctx.project_id, last, limit=size, bare=bare)
        yield rows
        if len(rows) < size:
            return
        last, limit = rows[-1], limit - size


def entries(
    ctx: Context, limit: int, *, with_html: bool
) -> Iterator[tuple[Publication, str | None, DeliveredImage | None]]:
    """Yields at most `limit` publications, each with its html and its cover image.

    With html, the newest ones have it, at most 1,000 and 16 MB together; the others None.
    """
    for number, rows in enumerate(publications(ctx, limit)):
        texts = _newest_html(ctx, rows) if with_html and not number else {}
        covers = _covers(ctx, rows)
        for row in rows:
            yield row, texts.get(row["htmlId"]), covers.get(row.get("coverImageUrl") or "")


def _covers(ctx: Context, rows: Sequence[Publication]) -> Mapping[str, DeliveredImage]:
    """Returns the cover images of publications by the address that they have there."""
    addresses = {address for row in rows if (address := row.get("coverImageUrl"))}
    with ctx.store.deadline():
        return {address: DeliveredImage(address) for address in addresses} | ctx.features.covers(ctx, addresses)


def _newest_html(ctx: Context, rows: Sequence[Publication]) -> Mapping[str, str]:
    """Returns the html of publications by its id, from the first one on, as much as 16 MB hold; in one read.

    One that is published again meanwhile is left out: the tag of the feed is then another one, too.
    """
    sizes = accumulate(row["htmlBytes"] for row in rows)
    wanted = [row["htmlId"] for row, size in zip(rows, sizes, strict=True) if size <= MAX_BODIES]
    with ctx.store.deadline():
        texts = ctx.store[Bodies].get_texts(ctx.project_id, wanted)
        return dict(zip(texts, ctx.features.deliver_texts(ctx, [*texts.values()]), strict=True))

"""Finds what the fields of `Query` select: pages of documents, single documents, categories and redirects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.errors import Forbidden, Refusal, ServiceUnavailable
from app.fields.loading import load
from app.fields.queries import DeliveryPage
from app.operations.context import Context
from app.operations.delivered_texts import TextReader, content_to_excerpt
from app.operations.delivery_caches import DeliveryCaches, read_redirects
from app.operations.selections import Selection
from app.records.delivery import Categories, DeliveredCategory
from app.rules.documents import DeliveryRow
from app.rules.publishing import delivered_words
from app.rules.words import search_words

DRAFTS_SEARCHED = 500
"""How many documents that are not published a search looks at, the newest ones: their words are not stored."""

Rows = list[DeliveryRow]


@dataclass
class Found:
    """What a field of `Query` finds, as it is stored."""

    rows: Rows = field(default_factory=list)
    total: int = 0
    has_next: bool = False
    value: Any = None
    """What is not a list of documents: categories and redirects."""


@dataclass(frozen=True)
class Finder:
    """Finds what the fields of `Query` select."""

    ctx: Context
    revision: int
    categories: Categories
    caches: DeliveryCaches
    texts: TextReader
    previews: bool
    """Whether previews are selected, which need the present fields of published documents."""

    def find(self, selection: Selection) -> Found | Refusal:
        """Returns what a field of `Query` finds, or its refusal."""
        try:
            return self._find(selection)
        except ServiceUnavailable:  # refuses the whole query, not one of its fields
            raise
        except Refusal as refusal:
            return refusal

    def _find(self, selection: Selection) -> Found:
        ctx, arguments = self.ctx, selection.arguments
        match selection.name:
            case "documents" | "documentsInCategory" | "documentsPage":
                return self._documents(selection)
            case "document":
                return _one(ctx.store.delivery.find(ctx.project_id, arguments["id"], drafts=ctx.caller.drafts))
            case "documentBySlug":
                slug = arguments["slug"]
                return _one(ctx.store.delivery.find_by_slug(ctx.project_id, slug, drafts=ctx.caller.drafts))
            case "categories":
                return Found(value=list(self.categories.values()))
            case "category":
                return Found(value=self.categories.get(arguments["id"].lower()))
            case "categoryBySlug":
                return Found(value=self._category_with(arguments["slug"]))
            case "redirects":
                page = page_of(arguments)
                known = self.caches.redirects(ctx, self.revision)
                return Found(value=known[page["offset"] : page["offset"] + page["limit"]])
            case "redirect":
                return Found(value=next(iter(read_redirects(ctx, arguments["from"])), None))
        raise ValueError(selection.name)

    def _documents(self, selection: Selection) -> Found:
        """Finds a page of documents: the published ones and, with `includeDrafts`, after them the others."""
        page = page_of(selection.arguments)
        drafts = bool(selection.arguments.get("includeDrafts"))
        if drafts and not self.ctx.caller.drafts:
            raise Forbidden("`includeDrafts` needs a delivery token that was made with the drafts permission.")
        words = search_words(page.get("search", ""))
        if page.get("search") and not words:
            return Found()
        category_id = selection.arguments.get("categoryId")
        if (slug := selection.arguments.get("categorySlug")) is not None:
            category = self._category_with(slug)
            if category is None:
                return Found()
            category_id = category.id
        wanted = _Filter(category_id and category_id.lower(), words, drafts)
        found, limit, offset = Found(), page["limit"], page["offset"]
        if selection.documents or selection.has_next_page:
            rows = self._rows(wanted, limit=limit + selection.has_next_page, offset=offset)
            found.rows, found.has_next = rows[:limit], len(rows) > limit
        if selection.total_count:
            found.total = self._total(wanted)
        return found

    def _rows(self, wanted: _Filter, *, limit: int, offset: int) -> Rows:
        project_id, delivery = self.ctx.project_id, self.ctx.store.delivery
        category_id, words = wanted.category_id, wanted.words
        rows = delivery.published(project_id, category_id, words, limit=limit, offset=offset, previews=self.previews)
        if not wanted.drafts or len(rows) == limit:
            return rows
        skipped = 0 if rows else max(0, offset - delivery.count_published(project_id, category_id, words))
        more = limit - len(rows)
        if words:
            return rows + self._matching_drafts(wanted)[skipped : skipped + more]
        return rows + delivery.unpublished(project_id, category_id, limit=more, offset=skipped)

    def _total(self, wanted: _Filter) -> int:
        project_id, delivery = self.ctx.project_id, self.ctx.store.delivery
        if wanted.words:
            published = delivery.count_published(project_id, wanted.category_id, wanted.words)
            return published + (len(self._matching_drafts(wanted)) if wanted.drafts else 0)
        counts = self.caches.counts(self.ctx, self.revision)
        published = sum(counts.values()) if wanted.category_id is None else counts.get(wanted.category_id, 0)
        return published + (delivery.count_unpublished(project_id, wanted.category_id) if wanted.drafts else 0)

    def _matching_drafts(self, wanted: _Filter) -> Rows:
        """Returns documents that are not published and have all words, of the newest `DRAFTS_SEARCHED`."""
        ctx = self.ctx
        rows = ctx.store.delivery.unpublished(ctx.project_id, wanted.category_id, limit=DRAFTS_SEARCHED, offset=0)
        contents = (content_id for row in rows if (content_id := content_to_excerpt(row)))
        excerpts = self.texts.excerpts(ctx, contents)
        shown = [{**row, "excerpt": row.get("excerpt") or excerpts.get(row.get("contentId") or "")} for row in rows]
        words = set(wanted.words)
        return [row for row, fields in zip(rows, shown, strict=True) if words <= set(delivered_words(fields))]

    def _category_with(self, slug: str) -> DeliveredCategory | None:
        return next((one for one in self.categories.values() if one.slug == slug), None)


@dataclass(frozen=True)
class _Filter:
    """Which documents a page has."""

    category_id: str | None
    words: Sequence[str]
    drafts: bool


CATEGORY_QUERIES = ("category", "categoryBySlug", "categories")
SINGLE_DOCUMENTS = ("document", "documentBySlug")
DOCUMENT_QUERIES = (*SINGLE_DOCUMENTS, "documents", "documentsInCategory", "documentsPage")


def page_of(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns `limit`, `offset` and `search` of a list. Raises `HttpApiDecodeError` for those out of range."""
    return load(DeliveryPage, {name: value for name, value in arguments.items() if value is not None})


def _one(row: DeliveryRow | None) -> Found:
    return Found([] if row is None else [row])

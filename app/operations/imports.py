"""Imports complete documents by the rules of confirming, without drafts, for the command line (decisions, section 10).

A batch is one transaction, so that its documents share one commit. Each document is checked before any is written; a
refused one does not stop the others.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.errors import BadRequest, Problem
from app.fields.documents import EditedFields
from app.fields.imports import CategoryName, ImportFields
from app.fields.loading import cached_schema, in_order, problems
from app.operations.context import Context, Fields
from app.operations.operation import Effect, Result, operation
from app.operations.references import look_up
from app.records.named import CategoryRecord
from app.records.plans import ImportRecord
from app.rules.briefs import written_brief
from app.rules.caps import CATEGORIES_PER_PROJECT
from app.rules.events import Event
from app.rules.intents import Facts, confirm_problems, new_category, new_document
from app.rules.slugs import slug_of
from app.rules.text import word_count
from app.vocabulary import Kind, Scope

Stored = Mapping[str, Any]
New = tuple[dict[str, Any], str, Sequence[Event]]

EDITED = tuple(cached_schema(EditedFields).fields)


@operation(Scope.WRITE, Effect.CREATES, body=ImportFields, response=ImportRecord, many=True, transaction=True)
def import_documents(ctx: Context, fields: Fields) -> Result:
    """Create the documents whose slugs are free, and list the fields in which the others differ.

    The response has the outcome of each document, in order; `problems` says why one was refused.
    """
    documents = fields["documents"]
    existing = _Existing(ctx, documents)
    outcomes = [_outcome(ctx, document, existing) for document in documents]
    new = [(outcome, record) for outcome, record in outcomes if record is not None]
    created = ctx.store.documents.create_many(ctx.project_id, [record for _, record in new])
    for (outcome, _), document in zip(new, created, strict=True):
        outcome["id"] = document["id"]
    return Result([outcome for outcome, _ in outcomes])


@operation(
    Scope.WRITE, Effect.CREATES, body=CategoryName, response=CategoryRecord, errors=(BadRequest,), transaction=True
)
def file_under(ctx: Context, fields: Fields) -> Result:
    """Find the category with a name or slug, or create it."""
    name = fields["name"]
    category: Stored | None = ctx.store.categories.find_by_name_or_slug(ctx.project_id, name)
    if category is None:
        if wrong := _category_problems(ctx, name):
            raise BadRequest(errors=wrong)
        category = _new_category(ctx, name)
    return Result({"id": category["id"]})


class _Existing:
    """The records of the project that a batch refers to, read in a few queries."""

    def __init__(self, ctx: Context, documents: Sequence[Fields]) -> None:
        slugs = [document["slug"] for document in documents]
        self.documents = {row["slug"]: row for row in ctx.store.documents.find_with_slugs(ctx.project_id, slugs)}
        self.taken = ctx.store.documents.find_taken_slugs(ctx.project_id, slugs)
        bodies = [body_id for row in self.documents.values() if (body_id := row.get("contentId"))]
        self.texts = ctx.store.bodies.get_texts(ctx.project_id, bodies)
        self._ctx = ctx
        self._categories: dict[str, Stored | None] = {}

    def category(self, name: str) -> Stored | None:
        """Returns the category with a name or slug, or None."""
        if self._categories.get(name) is None:
            self._categories[name] = self._ctx.store.categories.find_by_name_or_slug(self._ctx.project_id, name)
        return self._categories[name]


def _outcome(ctx: Context, fields: Fields, existing: _Existing) -> tuple[dict[str, Any], New | None]:
    """Returns the outcome of a document, and the record to create where it is new."""
    stored, named = existing.documents.get(fields["slug"]), fields.get("category")
    category = existing.category(named) if named else None
    if stored is not None:
        markdown = existing.texts.get(stored.get("contentId") or "", "")
        differs = sorted(_differences(fields, stored, category, markdown))
        outcome = "changed" if differs else "unchanged"
        return {"id": stored["id"], "outcome": outcome, "differs": differs, "live": stored["isPublished"]}, None
    links = (fields.get("brief") or {}).get("internalLinks") or ()
    found = look_up(ctx.store, ctx.project_id, {"categoryId": category["id"]} if category else {}, links=links)
    facts = Facts(found=found, slug_taken=fields["slug"] in existing.taken)
    if wrong := _problems(ctx, fields, facts, named if category is None else None):
        return {"id": None, "outcome": "refused", "problems": wrong}, None
    if named and category is None:
        category = _new_category(ctx, named)
    return {"id": None, "outcome": "created", "live": False}, _new_record(ctx, fields, category)


def _differences(fields: Fields, stored: Stored, category: Stored | None, markdown: str) -> Iterator[str]:
    """Yields the fields in which a document differs from its file, except the status, which changes as work goes on."""
    for name in ("title", *EDITED):
        if name in fields and (fields[name] or None) != stored.get(name):
            yield name
    if fields.get("markdown", "") != markdown:
        yield "markdown"
    if "category" in fields and (category is None or category["id"] != stored.get("categoryId")):
        yield "category"
    brief = stored.get("brief") or {}
    if any(value != brief.get(name) for name, value in written_brief(fields.get("brief") or {}).items()):
        yield "brief"


def _problems(ctx: Context, fields: Fields, facts: Facts, new_category_name: str | None) -> list[Problem]:
    wrong = [*confirm_problems(Kind.DOCUMENT, fields, facts), *problems(EditedFields, fields)]
    if new_category_name:
        found = _category_problems(ctx, new_category_name)
        wrong += [Problem(field="category", message=problem["message"]) for problem in found]
    return in_order(wrong)


def _new_record(ctx: Context, fields: Fields, category: Stored | None) -> New:
    by = ctx.caller.actor
    filed = {**fields, "categoryId": category["id"] if category else None}
    words = word_count(fields.get("markdown") or "")
    record = new_document(filed, slug=fields["slug"], words=words, by=by, now=ctx.now)
    record |= {name: fields[name] or None for name in EDITED if name in fields}
    return record, fields.get("markdown") or "", [ctx.event("document.created")]


def _category_fields(name: str) -> dict[str, Any]:
    return {"name": name.strip(), "slug": slug_of(name)}


def _category_problems(ctx: Context, name: str) -> list[Problem]:
    full = ctx.store.categories.count(ctx.project_id) >= CATEGORIES_PER_PROJECT
    return confirm_problems(Kind.CATEGORY, _category_fields(name), Facts(full=full))


def _new_category(ctx: Context, name: str) -> Stored:
    by = ctx.caller.actor
    record = new_category(_category_fields(name), by=by, now=ctx.now)
    made = ctx.store.categories.add(ctx.project_id, record, ctx.event("category.created"))
    ctx.store.projects.delivery_changed(ctx.project_id)
    return made

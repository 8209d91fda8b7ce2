"""Imports complete documents by the rules of confirming, without drafts, for the command line (decisions, section 10).

A batch is one transaction, so that its documents share one commit. Each document is checked before any is written,
and a category that it names created; a refused one does not stop the others.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, NotRequired

from typing_extensions import TypedDict

from app.briefs.operations import update_brief
from app.categories.operations import add_category
from app.categories.references import lock_references
from app.categories.rules import CATEGORIES_PER_PROJECT
from app.categories.store import Categories
from app.core.context import Context
from app.core.documented import Id, doc
from app.core.errors import BadRequest, BriefClaimed, InvalidTransition, Problem
from app.core.operation import Effect, Result, operation
from app.core.schemas.loading import Fields, cached_schema, in_order, problems
from app.core.slugs import MAX_PAST_SLUGS, first_free, name_key, slug_key, slug_of
from app.core.store.bodies import Bodies
from app.core.text.html import word_count
from app.core.times import wire_time
from app.core.vocabulary import ActorType, DocumentStatus, Kind, Scope
from app.documents.content import markdown_of, new_content
from app.documents.edits import edit_document
from app.documents.operations import (
    NewRow,
    document_result,
    new_row,
    own_document,
    update_document,
    write_decision,
)
from app.documents.record import Decision, StoredDocument, StoredRevision, written_brief
from app.documents.responses import Document, DocumentSummary
from app.documents.schemas import EditedFields
from app.documents.store import Documents, Revisions
from app.images.rules import without_beginnings
from app.intents.rules import Facts, confirm_problems
from app.projects.store import Members
from app.publications.record import PastSlug
from app.publications.store import Publications
from app.transfers.schemas import ImportedFields, ImportFields, MovedFields


class Import(TypedDict):
    """The outcome of one document: `created`, `unchanged`, `changed` (and not written), `trashed`, or `refused`."""

    id: Annotated[Id | None, doc("the document's id; null when it was refused")]
    outcome: Annotated[str, doc("the outcome")]
    others: Annotated[list[str], doc("the names under `authors` that are not its author's")]
    categories: NotRequired[Annotated[list[str], doc("the path of its category, where some of that is new")]]
    differs: NotRequired[
        Annotated[list[str], doc("the fields in which the document is not what the file says, where it changed")]
    ]
    live: NotRequired[
        Annotated[
            bool,
            doc("whether it is delivered as it is, or somebody works on the rest; left out where it was refused"),
        ]
    ]
    edited: NotRequired[Annotated[bool, doc("whether its present version is not an import's")]]
    slug: NotRequired[Annotated[str, doc("its slug, where that was there before")]]
    published: NotRequired[Annotated[bool, doc("whether it is published")]]
    publishedAt: NotRequired[Annotated[str | None, doc("since when it is published")]]
    withdrawn: NotRequired[Annotated[bool, doc("whether it was published before, and is not now")]]
    problems: NotRequired[Annotated[list[Problem], doc("why it was refused")]]


Stored = Mapping[str, Any]

EDITED = tuple(cached_schema(EditedFields).fields)


@operation(Scope.WRITE, Effect.CREATES, body=ImportFields, transaction=True)
def import_documents(ctx: Context, fields: Fields) -> Result[list[Import]]:
    """Create the documents whose slugs no document has or had, and list the fields in which the others differ.

    The response has the outcome of each document, in order; `problems` says why one was refused.
    """
    slugs = [document["slug"] for document in fields["documents"]]
    stored = _stored_by_slug(ctx, slugs)
    newest = ctx.store[Revisions].find_newest(ctx.project_id, stored.values())
    taken = ctx.store[Documents].find_taken_slugs(ctx.project_id, slugs)
    content_ids = {slug: content_id for slug, row in stored.items() if (content_id := row.get("contentId"))}
    texts = ctx.store[Bodies].get_texts(ctx.project_id, content_ids.values())
    categories: dict[str, Stored] = {}
    outcomes = [
        _compared(ctx, one, found, newest[found["id"]], texts.get(content_ids.get(slug, ""), ""), categories)
        if (found := stored.get(slug))
        else _prepare(ctx, one, categories, is_taken=slug in taken)
        for slug, one in zip(slugs, _with_authors(ctx, fields["documents"]), strict=True)
    ]
    new = [(outcome, record) for outcome, record in outcomes if record is not None]
    created = ctx.store[Documents].create(ctx.project_id, [record for _, record in new])
    for (outcome, _), document in zip(new, created, strict=True):
        outcome["id"] = document["id"]
    return Result([outcome for outcome, _ in outcomes])


@operation(
    Scope.WRITE,
    Effect.CHANGES,
    body=ImportedFields,
    with_texts=Document,
    errors=(BriefClaimed, InvalidTransition, BadRequest),
    transaction=True,
)
def update_imported(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Write the fields in which a document differs from its file, by the rules of editing it: all or none."""
    document, named = own_document(ctx, document_id), fields.get("category")
    [fields] = _with_authors(ctx, [fields])
    found_category, missing = _category_path(ctx, named)
    category = None if missing else found_category
    differs = {*_differences(fields, document, category, markdown_of(ctx, document.get("contentId")))}
    written = {*differs, "generation"} if "markdown" in differs else differs
    found = problems(ctx.features.schema_of(ImportedFields), fields)
    wrong = [one for one in found if re.split(r"[.[]", one["field"])[0] in written]
    wrong += _category_problems(ctx, missing)
    if wrong:
        raise BadRequest(errors=in_order(wrong))
    changes = {name: fields[name] for name in ("title", *EDITED) if name in differs}
    if named and "category" in differs:
        changes["categoryId"] = _completed_path(ctx, found_category, missing)["id"]
    if "author" in differs:
        changes["authorId"] = fields["authorId"]
    if changes:
        update_document.function(ctx, document_id, changes)
    if "aliases" in differs:
        _add_past_slugs(ctx, own_document(ctx, document_id), fields)
    if "brief" in differs:
        update_brief.function(ctx, document_id, fields["brief"])
    document = own_document(ctx, document_id)
    if "markdown" not in differs:
        return document_result(ctx, document)
    markdown = fields.get("markdown", "")

    def write(present: StoredDocument) -> Decision:
        return new_content(ctx, present, markdown, fields)

    document = write_decision(ctx, document, write, fields=fields)
    return document_result(ctx, document, markdown)


def _stored_by_slug(ctx: Context, slugs: Sequence[str]) -> dict[str, StoredDocument]:
    """Returns the document that has each slug, else the last one that had it, else one in the trash.

    One had a slug if it was delivered under it, or an import wrote it: aliases, and slugs of drafts, are not its own.
    """
    present = {row["slug"]: row for row in ctx.store[Documents].find_with_slugs(ctx.project_id, slugs)}
    versions = ctx.store[Revisions].find_with_slugs(ctx.project_id, {*slugs} - present.keys())
    documents = ctx.store[Documents].get_many(ctx.project_id, {one["documentId"] for one in versions})
    pairs = [(documents[one["documentId"]], one) for one in versions if one["documentId"] in documents]
    former = {
        version["slug"]: document
        for document, version in sorted(pairs, key=lambda pair: (pair[0]["deletedAt"] is None, pair[1]["at"]))
        if version["by"]["type"] == ActorType.SYSTEM or version["slug"] in _delivered_slugs(document)
    }
    return former | present


def _delivered_slugs(document: StoredDocument) -> set[str]:
    past = document.get("pastSlugs") or []
    return {document["slug"], *document["slugs"], *(one["slug"] for one in past)}


def _compared(
    ctx: Context,
    fields: Fields,
    stored: StoredDocument,
    newest: StoredRevision,
    markdown: str,
    categories: dict[str, Stored],
) -> tuple[Import, None]:
    """Returns the outcome of a document that is there; `newest` is its present version, `markdown` its text."""
    found_category, missing = _category_path(ctx, fields.get("category"), categories)
    differs = sorted(_differences(fields, stored, None if missing else found_category, markdown))
    edited = newest["by"]["type"] != ActorType.SYSTEM
    return {
        "id": stored["id"],
        "outcome": "trashed" if stored["deletedAt"] else "changed" if differs else "unchanged",
        "others": fields.get("others", []),
        "differs": differs,
        "live": _is_live(stored, edited=edited),
        "edited": edited,
        "slug": stored["slug"],
        "published": stored["isPublished"],
        "publishedAt": wire_time(stored["publishedAt"]) if stored["publishedAt"] else None,
        "withdrawn": not stored["isPublished"] and stored.get("firstPublishedAt") is not None,
        "categories": _path_of(fields["category"]) if missing else [],
    }, None


def _prepare(
    ctx: Context, fields: Fields, categories: dict[str, Stored], *, is_taken: bool
) -> tuple[Import, NewRow | None]:
    """Returns the outcome of a new document, and the record to create; adds the category that it names.

    `categories` are those found before, by the names that documents have for them.
    """
    named = fields.get("category")
    found_category, missing = _category_path(ctx, named, categories)
    category = None if missing else found_category
    others = fields.get("others", [])
    links = (fields.get("brief") or {}).get("internalLinks") or ()
    references = {"categoryId": category and category["id"], "authorId": fields.get("authorId")}
    found = lock_references(ctx.store, ctx.project_id, references)
    found.documents = ctx.store[Documents].find_existing(ctx.project_id, links)
    wrong = [*confirm_problems(ctx.features, Kind.DOCUMENT, fields, Facts(found=found, taken=is_taken))]
    wrong += problems(MovedFields, fields)
    wrong += _category_problems(ctx, missing)
    if wrong:
        return {"id": None, "outcome": "refused", "others": others, "problems": in_order(wrong)}, None
    created: Import = {"id": None, "outcome": "created", "others": others, "live": False}
    if named and missing:
        category = _completed_path(ctx, found_category, missing)
        created["categories"] = _path_of(named)
    return created, _new_record(ctx, fields, category)


def _with_authors(ctx: Context, documents: Sequence[Fields]) -> list[Fields]:
    """Returns the fields of documents with the author's id, where one of `authors` is a member, and `others`."""
    names = {name for one in documents for name in one.get("authors") or ()}
    found = ctx.store[Members].find_named(ctx.project_id, names) if names else {}
    members = {name: min(ids) for name, ids in found.items() if len(ids) == 1}
    return [one | _author(one["authors"], members) if one.get("authors") else one for one in map(dict, documents)]


def _author(authors: Sequence[str], members: Mapping[str, str]) -> dict[str, Any]:
    author_id = next((members[name] for name in authors if name in members), None)
    others = [name for name in authors if author_id is None or members.get(name) != author_id]
    return {"others": others} | ({"authorId": author_id} if author_id else {})


def _past_slugs(ctx: Context, fields: Fields, slug: str, known: Sequence[PastSlug]) -> list[PastSlug]:
    """Returns the past slugs of a document with its aliases, which are the latest."""
    added = [PastSlug(slug=one, at=ctx.now) for one in _new_aliases(fields, slug, known)]
    return [*added, *known][:MAX_PAST_SLUGS]


def _new_aliases(fields: Fields, slug: str, known: Sequence[PastSlug]) -> list[str]:
    there = {slug_key(slug), *(slug_key(one["slug"]) for one in known)}
    return [one for one in fields.get("aliases") or () if slug_key(one) not in there]


def _add_past_slugs(ctx: Context, document: StoredDocument, fields: Fields) -> None:
    """Gives a document its aliases, which are delivered at once."""
    past = _past_slugs(ctx, fields, document["slug"], document.get("pastSlugs") or [])
    if document["isPublished"]:
        ctx.store.change_delivery(ctx.project_id)
        ctx.store[Publications].change_many(ctx.project_id, [(document["id"], {"pastSlugs": past})])
    write_decision(ctx, document, lambda present: edit_document(present, ctx.call, {"pastSlugs": past}))


def category_slugs(ctx: Context, names: Iterable[str]) -> dict[str, str]:
    """Returns the slugs of the categories that documents name, also of those that their import creates, in order."""
    slugs, new = dict[str, str](), dict[str, str]()
    for named in names:
        found, missing = _category_path(ctx, named)
        key = name_key(missing[-1]) if missing else ""
        if missing and key not in new:
            new[key] = first_free(ctx.store[Categories].free_slug(ctx.project_id, missing[-1]), new.values())
        slugs[named] = found["slug"] if found and not missing else new[key]
    return slugs


def _path_of(named: str) -> list[str]:
    return [name.strip() for name in named.split("/") if name.strip()] or [named]


def _category_path(
    ctx: Context, named: str | None, known: dict[str, Stored] | None = None
) -> tuple[Stored | None, list[str]]:
    """Returns the category with a name or slug, or at the end of a path of them (`Travel/Europe`); none for no name.

    Otherwise the last of the path that exists, and the names of those that are missing after it. `known` are those
    found before: one that was not is looked for again, as an earlier document may have created it.
    """
    if not named:
        return None, []
    known = {} if known is None else known
    found = known.get(named) or ctx.store[Categories].find_by_name_or_slug(ctx.project_id, named)
    missing = [] if found else _path_of(named)
    while missing:
        parent = found["id"] if found else None
        inner = ctx.store[Categories].find_by_name_or_slug(ctx.project_id, missing[0], categoryId=parent)
        if inner is None:
            return found, missing
        found, missing = inner, missing[1:]
    assert found
    known[named] = found
    return found, []


def _completed_path(ctx: Context, category: Stored | None, missing: Sequence[str]) -> Stored:
    """Returns the category at the end of a path, of which it creates those that are missing."""
    for name in missing:
        slug, parent = ctx.store[Categories].free_slug(ctx.project_id, name), category and category["id"]
        fields = {"name": name, "slug": slug, "categoryId": parent}
        category = add_category(ctx, fields, ctx.event("category.created"))
    assert category
    return category


def _is_live(stored: Stored, *, edited: bool) -> bool:
    """Returns whether a document is delivered as it is, or somebody works on what is not delivered yet."""
    published = stored.get("published")
    if published is None:
        return False
    return edited or stored["status"] != DocumentStatus.PUBLISHED or bool(stored["version"] == published["version"])


def _differences(fields: Fields, stored: Stored, category: Stored | None, markdown: str) -> Iterator[str]:
    """Yields the fields in which a document differs from its file.

    Except the status, which changes as work goes on, and the slug: a document that has another was renamed.
    """
    for name in ("title", *EDITED):
        if name in fields and without_beginnings(fields[name] or "") != without_beginnings(stored.get(name) or ""):
            yield name
    if without_beginnings(fields.get("markdown", "")) != without_beginnings(markdown):
        yield "markdown"
    if "category" in fields and (category is None or category["id"] != stored.get("categoryId")):
        yield "category"
    if "authorId" in fields and fields["authorId"] != stored.get("authorId"):
        yield "author"
    if _new_aliases(fields, stored["slug"], stored.get("pastSlugs") or []):
        yield "aliases"
    brief = stored.get("brief") or {}
    if any(value != brief.get(name) for name, value in written_brief(fields.get("brief") or {}).items()):
        yield "brief"


def _new_record(ctx: Context, fields: Fields, category: Stored | None) -> NewRow:
    filed = {**fields, "categoryId": category["id"] if category else None}
    record, markdown, events, origin = new_row(
        ctx, filed, slug=fields["slug"], words=word_count(fields.get("markdown") or "")
    )
    record |= {name: fields[name] or None for name in EDITED if name in fields}
    record["authorId"] = fields.get("authorId")
    if past := _past_slugs(ctx, fields, fields["slug"], []):
        record["pastSlugs"] = past
    return record, markdown, events, origin


def _category_problems(ctx: Context, missing: Sequence[str]) -> list[Problem]:
    if not missing:
        return []
    full = ctx.store[Categories].count(ctx.project_id) + len(missing) > CATEGORIES_PER_PROJECT
    drafts = ({"name": name, "slug": slug_of(name)} for name in missing)
    found = [one for draft in drafts for one in confirm_problems(ctx.features, Kind.CATEGORY, draft, Facts(full=full))]
    return [Problem(field="category", message=message) for message in dict.fromkeys(one["message"] for one in found)]

"""Briefs as callers see them: inside a document record, as items of the list, and in detail (contract: Brief)."""

from collections.abc import Mapping, Sequence
from typing import Annotated, NotRequired, cast

from typing_extensions import TypedDict

from app.categories.responses import BriefCategory
from app.categories.rules import StoredCategory
from app.core.actors import Actor
from app.core.context import Context
from app.core.documented import EXAMPLE_DAY, Date, Id, Timestamp, doc, one_of
from app.core.records import record_of
from app.core.vocabulary import BriefState, DocumentStatus
from app.documents.record import StoredDocument, holds_claim
from app.documents.responses import SEARCH_INTENTS, Brief, Document, DocumentSummary, brief_record


class ClaimedSummary(DocumentSummary):
    """A claimed document without its long texts."""


class ClaimedDocument(Document):
    """A claimed document."""


class ListedBrief(TypedDict):
    """A brief in the list, for every caller."""

    id: Annotated[Id, doc("the document's id")]
    title: Annotated[str, doc("the document's title", "How to begin a sourdough starter")]
    keyword: Annotated[str, doc("keyword to rank for", "sourdough starter")]
    intent: Annotated[
        str, one_of(SEARCH_INTENTS), doc("what a searcher of the keyword wants; empty when unset", "informational")
    ]
    state: Annotated[str, one_of(BriefState), doc("the state", "ready")]
    status: Annotated[str, one_of(DocumentStatus), doc("the document's status")]
    dueDate: Annotated[Date | None, doc("when the document is due", EXAMPLE_DAY)]
    category: Annotated[str, doc("the category's name; empty without one", "Baking")]
    claimedBy: Annotated[Actor | None, doc("the token that claimed it; null unless claimed", None)]
    claimExpiresAt: Annotated[Timestamp | None, doc("when the claim's lease runs out; null without one", None)]


class BriefItem(ListedBrief):
    """A brief in the list."""

    isYours: NotRequired[Annotated[bool, doc("true: your token holds the claim; else not sent")]]


class BriefLink(TypedDict):
    """A document that the brief wants linked to."""

    id: Annotated[Id, doc("the document's id")]
    slug: Annotated[str, doc("its slug", "flour")]
    title: Annotated[str, doc("its title", "Which flour?")]


class BriefDetail(TypedDict):
    """A brief with what its writer needs."""

    id: Annotated[Id, doc("the document's id")]
    title: Annotated[str, doc("the document's title", "How to begin a sourdough starter")]
    brief: Annotated[Brief | None, doc("the brief; null when the document has none")]
    status: Annotated[str, one_of(DocumentStatus), doc("the document's status", "drafting")]
    dueDate: Annotated[Date | None, doc("when the document is due", EXAMPLE_DAY)]
    version: Annotated[int, doc("the `baseVersion` for the first content write")]
    category: Annotated[BriefCategory | None, doc("the document's category")]
    clusterId: Annotated[Id | None, doc("the document's cluster")]
    internalLinks: Annotated[list[BriefLink], doc("the documents to link to; those that are gone are left out")]


def brief_item(document: StoredDocument, category_names: Mapping[str, str], token_id: str | None) -> BriefItem:
    """Returns a document as an item of the list of briefs for a token; `category_names` are by id."""
    category = category_names.get(document.get("categoryId") or "")
    item = record_of(ListedBrief, {**document["brief"], **document}, category=category)
    is_yours = holds_claim(document["brief"].get("claimedBy"), token_id)
    return {**item, "isYours": True} if is_yours else cast(BriefItem, item)


def brief_detail(
    ctx: Context, document: StoredDocument, category: StoredCategory | None, links: Sequence[StoredDocument]
) -> BriefDetail:
    """Returns a document's brief with its category and the documents it links to."""
    brief = None if document.get("brief") is None else brief_record(ctx, document)
    linked = [record_of(BriefLink, link) for link in links]
    filed = category and record_of(BriefCategory, category)
    return record_of(BriefDetail, document, brief=brief, category=filed, internalLinks=linked)

"""Briefs as callers see them: inside a document record, as items of the list, and in detail (contract: Brief)."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from typing_extensions import TypedDict

from app.documented import EXAMPLE_DAY, EXAMPLE_TIME, Date, Id, Timestamp, doc, one_of
from app.responses.named import BriefCategory
from app.responses.records import record_of
from app.rules.actors import Actor
from app.rules.documents import StoredDocument, brief_of
from app.rules.named import StoredCategory
from app.rules.times import wire_time_or_none
from app.vocabulary import BriefState, DocumentStatus, SearchIntent

SEARCH_INTENTS = ("", *SearchIntent)


class Brief(TypedDict):
    """A brief; an unset text is an empty string, an unset list an empty array."""

    audience: Annotated[str, doc("who the document is for", "People who bake their first loaf")]
    intent: Annotated[
        str, one_of(SEARCH_INTENTS), doc("what a searcher of the keyword wants; empty when unset", "informational")
    ]
    internalLinks: Annotated[list[str], doc("ids of documents to link to")]
    keyword: Annotated[str, doc("keyword to rank for", "sourdough starter")]
    notes: Annotated[str, doc("anything else the writer should know", "Say plainly that a week is enough.")]
    outline: Annotated[str, doc("the sections, one per line", "What a starter is\nDay by day\nWhen it fails")]
    referenceUrls: Annotated[list[str], doc("http or https URLs of sources", ["https://example.org/wild-yeast"])]
    wordCount: Annotated[str, doc("target length as free text", "1200-1500")]
    state: Annotated[str, one_of(BriefState), doc("the state", "claimed")]
    claimedAt: Annotated[Timestamp | None, doc("when it was claimed; null unless claimed", EXAMPLE_TIME)]
    claimedBy: Annotated[Actor | None, doc("the token that claimed it; null unless claimed")]
    rounds: Annotated[int, doc("how often changes were requested since the document was last published")]
    claimExpiresAt: Annotated[
        Timestamp | None, doc("when the claim's lease runs out; null without one", "2027-01-31T10:00:00.000Z")
    ]


class BriefItem(TypedDict):
    """A brief in the list."""

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


def brief_record(document: StoredDocument) -> Brief:
    """Returns the brief of a stored document, empty for none."""
    return record_of(Brief, brief_of(document), rounds=document.get("rounds"))


def brief_item(document: StoredDocument, category_names: Mapping[str, str]) -> BriefItem:
    """Returns a document as an item of the list of briefs; `category_names` are by id."""
    brief = document["brief"]
    return {
        "id": document["id"],
        "title": document["title"],
        "keyword": brief.get("keyword") or "",
        "intent": brief.get("intent") or "",
        "state": brief["state"],
        "status": document["status"],
        "dueDate": document.get("dueDate"),
        "category": category_names.get(document.get("categoryId") or "", ""),
        "claimedBy": brief.get("claimedBy"),
        "claimExpiresAt": wire_time_or_none(brief.get("claimExpiresAt")),
    }


def brief_detail(
    document: StoredDocument, category: StoredCategory | None, links: Sequence[StoredDocument]
) -> BriefDetail:
    """Returns a document's brief with its category and the documents it links to."""
    brief = None if document.get("brief") is None else brief_record(document)
    linked = [record_of(BriefLink, link) for link in links]
    filed = category and record_of(BriefCategory, category)
    return record_of(BriefDetail, document, brief=brief, category=filed, internalLinks=linked)

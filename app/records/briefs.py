"""Briefs as callers see them: inside a document record, as items of the list, and in detail (contract: Brief)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypedDict

from app.records.actors import ActorRecord
from app.records.named import ShownDescribed, described
from app.records.types import (
    EXAMPLE_TIME,
    Record,
    date,
    integer,
    nested,
    nested_list,
    record_id,
    string,
    strings,
    timestamp,
)
from app.rules.actors import Actor
from app.rules.briefs import brief_at
from app.rules.documents import LinkedDocument, ListedBrief, StoredBrief, StoredDocument
from app.rules.named import StoredCategory
from app.rules.times import wire_time_or_none
from app.vocabulary import BriefState, DocumentStatus, SearchIntent

SEARCH_INTENTS = ("", *SearchIntent)


class BriefRecord(Record):
    """A brief; an unset text is an empty string, an unset list an empty array."""

    audience = string("who the document is for", example="People who bake their first loaf")
    intent = string("what a searcher of the keyword wants; empty when unset", one_of=SEARCH_INTENTS)
    internalLinks = strings("ids of documents to link to")
    keyword = string("keyword to rank for", example="sourdough starter")
    notes = string("anything else the writer should know", example="Say plainly that a week is enough.")
    outline = string("the sections, one per line", example="What a starter is\nDay by day\nWhen it fails")
    referenceUrls = strings("http or https URLs of sources", example=["https://example.org/wild-yeast"])
    wordCount = string("target length as free text", example="1200-1500")
    state = string("the state", one_of=BriefState, example="claimed")
    claimedAt = timestamp("when it was claimed; null unless claimed", null=True, example=EXAMPLE_TIME)
    claimedBy = nested(ActorRecord, "the token that claimed it; null unless claimed", null=True)
    claimExpiresAt = timestamp(
        "when the claim's lease runs out; null without one", null=True, example="2027-01-31T10:00:00.000Z"
    )


class BriefItem(Record):
    """A brief in the list."""

    id = record_id("the document's id")
    title = string("the document's title", example="How to begin a sourdough starter")
    keyword = string("keyword to rank for", example="sourdough starter")
    intent = string("what a searcher of the keyword wants; empty when unset", one_of=SEARCH_INTENTS)
    state = string("the state", one_of=BriefState, example="ready")
    status = string("the document's status", one_of=DocumentStatus)
    dueDate = date("when the document is due")
    category = string("the category's name; empty without one", example="Baking")


class BriefCategory(Record):
    """The category of a brief, with what the writer should know of it."""

    id = record_id("the category's id")
    name = string("its name", example="Baking")
    description = string("what it covers", example="Bread, from flour to crust")


class BriefLink(Record):
    """A document that the brief wants linked to."""

    id = record_id("the document's id")
    slug = string("its slug", example="flour")
    title = string("its title", example="Which flour?")


class BriefDetail(Record):
    """A brief with what its writer needs."""

    id = record_id("the document's id")
    title = string("the document's title", example="How to begin a sourdough starter")
    brief = nested(BriefRecord, "the brief; null when the document has none", null=True)
    status = string("the document's status", one_of=DocumentStatus, example="drafting")
    dueDate = date("when the document is due")
    version = integer("the `baseVersion` for the first content write")
    category = nested(BriefCategory, "the document's category", null=True)
    clusterId = record_id("the document's cluster", null=True)
    internalLinks = nested_list(BriefLink, "the documents to link to; those that are gone are left out")


class ShownBrief(TypedDict):
    """A brief as callers see it."""

    audience: str
    intent: str
    internalLinks: list[str]
    keyword: str
    notes: str
    outline: str
    referenceUrls: list[str]
    wordCount: str
    state: str
    claimedAt: str | None
    claimedBy: Actor | None
    claimExpiresAt: str | None


class ShownBriefItem(TypedDict):
    """A brief as the list shows it."""

    id: str
    title: str
    keyword: str
    intent: str
    state: str
    status: str
    dueDate: str | None
    category: str


class ShownLink(TypedDict):
    """A document to link to, as callers see it."""

    id: str
    slug: str
    title: str


class ShownBriefDetail(TypedDict):
    """A brief with what its writer needs, as callers see it."""

    id: str
    title: str
    brief: ShownBrief | None
    status: str
    dueDate: str | None
    version: int
    category: ShownDescribed | None
    clusterId: str | None
    internalLinks: list[ShownLink]


def brief_record(brief: StoredBrief, now: datetime) -> ShownBrief:
    """Returns a stored brief (empty for none) as it is at an instant."""
    brief = brief_at(brief, now)
    return {
        "audience": brief.get("audience") or "",
        "intent": brief.get("intent") or "",
        "internalLinks": brief.get("internalLinks") or [],
        "keyword": brief.get("keyword") or "",
        "notes": brief.get("notes") or "",
        "outline": brief.get("outline") or "",
        "referenceUrls": brief.get("referenceUrls") or [],
        "wordCount": brief.get("wordCount") or "",
        "state": brief.get("state", BriefState.NONE),
        "claimedAt": wire_time_or_none(brief.get("claimedAt")),
        "claimedBy": brief.get("claimedBy"),
        "claimExpiresAt": wire_time_or_none(brief.get("claimExpiresAt")),
    }


def brief_item(document: ListedBrief, category_names: Mapping[str, str], now: datetime) -> ShownBriefItem:
    """Returns a document as an item of the list of briefs; `category_names` are by id."""
    brief = brief_at(document["brief"], now)
    return {
        "id": document["id"],
        "title": document["title"],
        "keyword": brief.get("keyword") or "",
        "intent": brief.get("intent") or "",
        "state": brief["state"],
        "status": document["status"],
        "dueDate": document.get("dueDate"),
        "category": category_names.get(document.get("categoryId") or "", ""),
    }


def brief_detail(
    document: StoredDocument, category: StoredCategory | None, links: Sequence[LinkedDocument], now: datetime
) -> ShownBriefDetail:
    """Returns a document's brief with its category and the documents it links to."""
    brief = document.get("brief")
    return {
        "id": document["id"],
        "title": document["title"],
        "brief": None if brief is None else brief_record(brief, now),
        "status": document["status"],
        "dueDate": document.get("dueDate"),
        "version": document["version"],
        "category": category and described(category),
        "clusterId": document.get("clusterId"),
        "internalLinks": [{"id": link["id"], "slug": link["slug"], "title": link["title"]} for link in links],
    }

"""Who wrote a text, who reviewed it, and what is disclosed of it, as callers see them (decisions, section 18)."""

import csv
from collections.abc import Iterable, Mapping
from io import StringIO
from typing import Annotated, Any

from typing_extensions import TypedDict

from app.documented import EXAMPLE_TIME, Id, Timestamp, doc, one_of
from app.rules.actors import Actor
from app.rules.provenance import WrittenParagraph
from app.rules.publishing import Publication
from app.rules.reviews import UNKNOWN, CheckCounts, StoredReview, ThreadCounts
from app.rules.times import wire_time, wire_time_or_none
from app.vocabulary import DisclosureValue


class Provenance(TypedDict):
    """Who wrote each paragraph of a version."""

    version: Annotated[int, doc("the version")]
    words: Annotated[int, doc("its words", 4)]
    people: Annotated[int, doc("words of paragraphs that a person wrote on", 4)]
    agents: Annotated[int, doc("words of paragraphs that an agent wrote on")]
    paragraphs: Annotated[list[WrittenParagraph], doc("the paragraphs in their order")]


class ReviewRecord(TypedDict):
    """The record of the review of a version by a person; it never changes."""

    documentId: Annotated[Id, doc("the document's id")]
    version: Annotated[int, doc("the version that was reviewed")]
    sha256: Annotated[str, doc("the SHA-256 of its markdown in UTF-8, in hex", "5" * 64)]
    by: Annotated[Actor, doc("who approved it")]
    at: Annotated[Timestamp, doc("when")]
    facts: Annotated[bool, doc("whether they checked its facts", True)]
    sources: Annotated[bool, doc("whether they checked its sources", True)]
    examined: Annotated[str, doc("what they examined", "Every step, against our own bakes.")]
    responsible: Annotated[str, doc("who answers for it", "Ada Miller")]
    people: Annotated[int, doc("words of paragraphs that a person wrote on", 4)]
    agents: Annotated[int, doc("words of paragraphs that an agent wrote on")]
    models: Annotated[list[str], doc("the models that were declared for it", ["example-4"])]
    threads: Annotated[ThreadCounts, doc("the document's review threads")]
    checks: Annotated[CheckCounts, doc("its checks")]
    disclosure: Annotated[str, one_of(DisclosureValue), doc("what is to be disclosed of it", "ai-assisted")]
    current: Annotated[bool, doc("whether this is the document's present version", True)]


class DisclosureRow(TypedDict):
    """What is disclosed of a document that is live."""

    documentId: Annotated[Id, doc("the document's id")]
    title: Annotated[str, doc("its title", "How to begin a sourdough starter")]
    slug: Annotated[str, doc("its URL slug", "how-to-begin-a-sourdough-starter")]
    version: Annotated[int, doc("the version that is live")]
    publishedAt: Annotated[Timestamp, doc("when it went live")]
    disclosure: Annotated[str, one_of(DisclosureValue), doc("what is disclosed of it", "ai-assisted")]
    models: Annotated[list[str], doc("the models that were declared for it", ["example-4"])]
    reviewedBy: Annotated[Actor | None, doc("who reviewed it; null without a record")]
    reviewedAt: Annotated[Timestamp | None, doc("when; null without a record", EXAMPLE_TIME)]
    responsible: Annotated[str | None, doc("who answers for it; null where nobody is named", "Ada Miller")]


def review_record(document_id: str, version: int, review: StoredReview, *, current: bool) -> ReviewRecord:
    """Returns the stored record of a review as callers see it."""
    shown = {**review, "at": wire_time(review["at"])}
    record: Any = {"documentId": document_id, "version": version, **shown, "current": current}
    return {name: record[name] for name in ReviewRecord.__annotations__}  # type: ignore[return-value]


def disclosure_row(publication: Publication) -> DisclosureRow:
    """Returns what is disclosed of a publication."""
    disclosure = publication.get("disclosure") or UNKNOWN
    return {
        "documentId": publication["id"],
        "title": publication["title"],
        "slug": publication["slug"],
        "version": publication["version"],
        "publishedAt": wire_time(publication["publishedAt"]),
        "disclosure": disclosure["value"],
        "models": disclosure["models"],
        "reviewedBy": disclosure["reviewedBy"],
        "reviewedAt": wire_time_or_none(disclosure["reviewedAt"]),
        "responsible": disclosure["responsible"],
    }


def disclosures_csv(rows: Iterable[Mapping[str, Any]]) -> str:
    """Returns a list of what is disclosed as a table by RFC 4180, in which no cell is a formula."""
    file = StringIO(newline="")
    table = csv.writer(file)
    table.writerow(DisclosureRow.__annotations__)
    table.writerows([_cell(value) for value in row.values()] for row in rows)
    return file.getvalue()


def _cell(value: Any) -> str:
    text = "; ".join(value) if isinstance(value, list) else value["name"] if isinstance(value, dict) else value
    text = "" if text is None else str(text)
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text

"""Who wrote a text, who reviewed it, and what is disclosed of it, as callers see them (decisions, section 18)."""

import csv
from collections.abc import Iterable, Mapping
from io import StringIO
from typing import Annotated, Any

from typing_extensions import TypedDict

from app.core.actors import Actor
from app.core.documented import EXAMPLE_TIME, Id, Timestamp, doc, one_of
from app.core.records import record_of
from app.provenance.reviews import DisclosedPublication, Generation, HumanReview
from app.provenance.rules import WrittenParagraph
from app.provenance.vocabulary import DisclosureValue, ReviewDemand


class Provenance(TypedDict):
    """Who wrote each paragraph of a version."""

    version: Annotated[int, doc("the version")]
    words: Annotated[int, doc("its words", 4)]
    people: Annotated[int, doc("words of paragraphs that a person wrote on", 4)]
    agents: Annotated[int, doc("words of paragraphs that an agent wrote on")]
    paragraphs: Annotated[list[WrittenParagraph], doc("the paragraphs in their order")]


class WithGenerationShown(TypedDict):
    """The declaration of a version's writer."""

    generation: Annotated[Generation | None, doc("what they say that they used; null for nothing")]


class VersionReview(HumanReview):
    """The record of the review of a version by a person; it never changes."""

    documentId: Annotated[Id, doc("the document's id")]
    version: Annotated[int, doc("the version that was reviewed")]
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


def disclosure_row(publication: DisclosedPublication) -> DisclosureRow:
    """Returns what is disclosed of a publication."""
    disclosure = publication["disclosure"]
    shown = {**publication, **disclosure, "documentId": publication["id"], "disclosure": disclosure["value"]}
    return record_of(DisclosureRow, shown)


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


class ReviewedProject(TypedDict):
    """The setting of a project."""

    reviewRecord: Annotated[
        str, one_of(ReviewDemand), doc("whether approving needs the record of a person's review", "off")
    ]

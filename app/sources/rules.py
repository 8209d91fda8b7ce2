"""Stored form of a source, and what is decided about sources: pure functions (decisions, section 22)."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Annotated, Any, NotRequired, cast
from urllib.parse import urlsplit

from typing_extensions import TypedDict

from app.core.actors import Actor
from app.core.calls import Call
from app.core.documented import Count, Date, Id, Timestamp, doc
from app.core.errors import BadRequest, HumanReviewRequired, Problem
from app.core.text.content import Content, content_of
from app.core.text.markdown import parsed_xml, with_definitions
from app.core.times import Instant, wire_time
from app.documents.edits import refuse_if_not_editable
from app.documents.record import Decision, StoredDocument, document_event, refuse_if_guarded
from app.sources.citations import Citations, cites_any
from app.sources.errors import SourceCited

MOST_SOURCES = 100
"""Maximum number of sources of a document."""
TEXTS = ("publisher", "excerpt", "note")
COMPARED = ("title", "url", "excerpt")
"""The fields of which a change ends a verification."""
_END = "The end of the text, which definitions follow."
_ENDED = re.compile(rf"^  <paragraph [^>]*+>\n    <text [^>]*+>{re.escape(_END)}</text>\n  </paragraph>", re.MULTILINE)
DELIVERED = ("number", "title", "url", "publisher", "publishedOn")


class StoredSource(TypedDict):
    """A source as the store returns it."""

    id: Id
    projectId: NotRequired[Id]
    documentId: Id
    number: Annotated[int, doc("what the text cites it by, as in `[^s1]`; never used again", 1)]
    title: str
    url: str | None
    publisher: str
    publishedOn: str | None
    excerpt: str
    note: str
    createdAt: Instant
    createdBy: Actor
    updatedAt: Instant
    verifiedAt: Instant | None
    verifiedBy: Actor | None
    rev: int


class SourcedDocument(StoredDocument):
    """A document that has, or had, sources."""

    nextSource: NotRequired[Count | None]
    """The number of its next source; none before its first."""


class DeliveredSource(TypedDict):
    """A source as it is published."""

    number: Annotated[int, doc("what the text cites it by", 1)]
    title: Annotated[str, doc("its title", "Wild yeast")]
    url: Annotated[str | None, doc("its address", "https://example.org/wild-yeast")]
    publisher: Annotated[str, doc("who published it", "Example Institute")]
    publishedOn: Annotated[Date | None, doc("when", "2026-05-01")]


class ReviewedSource(TypedDict):
    """A cited source, as it was when the text was approved."""

    number: Annotated[int, doc("what the text cites it by", 1)]
    title: Annotated[str, doc("its title", "Wild yeast")]
    url: Annotated[str | None, doc("its address", "https://example.org/wild-yeast")]
    excerptSha256: Annotated[str, doc("the SHA-256 of its excerpt in UTF-8, in hex", "5" * 64)]
    verifiedBy: Annotated[Actor | None, doc("who compared it; null: nobody")]
    verifiedAt: Annotated[Timestamp | None, doc("when")]


Sources = Mapping[int, StoredSource]
"""The sources of a document by number."""


def next_number(document: StoredDocument) -> int:
    """Returns the number that the next source of a document gets."""
    return cast(SourcedDocument, document).get("nextSource") or 1


def new_sources(
    document: StoredDocument, call: Call, sent: Iterable[Mapping[str, Any]], ids: Iterable[str]
) -> list[StoredSource]:
    """Returns sources with the fields that were sent, and the next numbers."""
    made = []
    for number, (fields, source_id) in enumerate(zip(sent, ids, strict=False), next_number(document)):
        given = {name: value for name, value in fields.items() if value is not None}
        empty = {"url": None, "publishedOn": None, **dict.fromkeys(TEXTS, "")}
        own = {"id": source_id, "documentId": document["id"], "number": number, "createdAt": call.now, "rev": 1}
        by = {"createdBy": call.actor, "updatedAt": call.now, "verifiedAt": None, "verifiedBy": None}
        made.append(cast(StoredSource, {**empty, **given, **own, **by}))
    return made


def changed_source(source: StoredSource, call: Call, sent: Mapping[str, Any]) -> StoredSource:
    """Returns a source with other fields; the same one where nothing differs."""
    given = {name: "" if value is None and name in TEXTS else value for name, value in sent.items()}
    changes = {name: value for name, value in given.items() if value != source.get(name)}
    if not changes:
        return source
    ended = {"verifiedAt": None, "verifiedBy": None} if not changes.keys().isdisjoint(COMPARED) else {}
    return cast(StoredSource, {**source, **changes, **ended, "updatedAt": call.now})


def verified_source(source: StoredSource, call: Call, verified: bool) -> StoredSource:
    """Returns a source that somebody compared, or takes that back; refuses with `HumanReviewRequired` an agent."""
    if call.is_by_agent:
        raise HumanReviewRequired("Only a person can say that they compared a source: ask one.", missing=["person"])
    if verified == (source["verifiedAt"] is not None):
        return source
    by = (call.now, call.actor) if verified else (None, None)
    return cast(StoredSource, {**source, "verifiedAt": by[0], "verifiedBy": by[1]})


def refuse_change(document: StoredDocument, call: Call, *, is_cited: bool) -> None:
    """Raises the refusal of a change of sources: by a claim, and by the status where the text cites one of them."""
    refuse_if_guarded(document, call)
    if is_cited:
        refuse_if_not_editable(document, call)


def refuse_deletion(document: StoredDocument, call: Call, *, is_cited: bool, is_published: bool) -> None:
    """Raises the refusal of deleting a source that the present or the published text cites."""
    refuse_change(document, call, is_cited=is_cited)
    if is_cited:
        raise SourceCited("The present text cites this source: take its references out of the text first.")
    if is_published:
        raise SourceCited("The published text cites this source: first publish a text without its references.")


def refuse_if_full(count: int, added: int) -> None:
    """Refuses with `BadRequest` more sources than a document has at most."""
    if count + added > MOST_SOURCES:
        message = f"A document has at most {MOST_SOURCES} sources, and this one has {count}: delete some first."
        raise BadRequest(errors=[Problem(field="title", message=message)])


def record_sources(
    document: StoredDocument,
    call: Call,
    event: str,
    sources: Sequence[StoredSource],
    *,
    is_cited: bool = False,
    data: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Decision:
    """Returns the decision with an event for each source; what the text cites is published, so it makes a version."""
    version = {"version": document["version"] + 1, "updatedAt": call.now} if is_cited else {}
    after = cast(StoredDocument, {**document, **fields, **version})
    details = [{"sourceId": one["id"], "number": one["number"], **(data or {})} for one in sources]
    return Decision(after, tuple(document_event(event, after, call.now, call.actor, one) for one in details))


def rendered_with(
    markdown: str, sources: Sequence[Mapping[str, Any]], parse: Callable[[str], Content] = content_of
) -> str:
    """Returns the markdown to render: with the definitions of the footnotes that cite sources."""
    if not sources or not cites_any(markdown):
        return markdown
    citations = Citations(markdown, parse)
    definitions = {f"s{one['number']}": definition_of(one) for one in in_order(citations.lines, sources)}
    return with_definitions(citations.without_upper_case(), definitions)[0] if definitions else markdown


def definition_of(source: Mapping[str, Any]) -> str:
    """Returns the footnote of a source, as markdown on one line: its title, publisher and day, as plain text."""
    title = _escaped(source["title"])
    linked = f"[{title}](<{source['url']}>)" if source["url"] else title
    more = (_escaped(source["publisher"]), source["publishedOn"])
    return ", ".join([linked, *(one for one in more if one)])


def definitions_after(markdown: str, sources: Iterable[Mapping[str, Any]]) -> str:
    """Returns the definitions that are appended to a published text, so that it stands alone.

    None where the text ends inside of code, html or a comment, which would take them in.
    """
    definitions = "\n\n".join(f"[^s{one['number']}]: {definition_of(one)}" for one in sources)
    return f"{definitions}\n" if definitions and _ENDED.search(parsed_xml(f"{markdown}\n\n{_END}\n")) else ""


def delivered_sources(cited: Iterable[int], sources: Sequence[StoredSource]) -> list[DeliveredSource]:
    """Returns what is published of the sources that a text cites, in its order."""
    return [cast(DeliveredSource, {name: one[name] for name in DELIVERED}) for one in in_order(cited, sources)]


def in_order(cited: Iterable[int], sources: Sequence[Any]) -> list[Any]:
    """Returns the sources that a text cites, in its order."""
    numbers = {one["number"]: one for one in sources}
    return [numbers[number] for number in cited if number in numbers]


def reviewed_sources(cited: Iterable[int], sources: Sequence[StoredSource]) -> list[ReviewedSource]:
    """Returns the sources that a text cites as the record of its review has them."""
    return [
        {
            "number": one["number"],
            "title": one["title"],
            "url": one["url"],
            "excerptSha256": sha256(one["excerpt"].encode()).hexdigest(),
            "verifiedBy": one["verifiedBy"],
            "verifiedAt": _wire(one["verifiedAt"]),
        }
        for one in in_order(cited, sources)
    ]


def sources_from_brief(urls: Iterable[str], sources: Iterable[StoredSource], room: int) -> list[dict[str, str]]:
    """Returns the fields of sources for the addresses of a brief that no source has, as many as there is room for."""
    known = {one["url"] for one in sources}
    new = [url for url in dict.fromkeys(urls) if url not in known]
    return [{"title": urlsplit(url).hostname or url, "url": url} for url in new[:room]]


def _escaped(text: str) -> str:
    """Returns text as markdown that is read as that text alone, on one line."""
    return "".join(
        f"\\{one}" if one.isascii() and one.isprintable() and not one.isalnum() and one != " " else one
        for one in " ".join(text.split())
    )


def _wire(at: datetime | None) -> str | None:
    return None if at is None else wire_time(at)

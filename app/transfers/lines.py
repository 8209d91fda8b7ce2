"""The lines of an export as an import reads them (decisions, section 10).

All are checked before anything is written, which needs nothing but the lines, as the project has no content. Then each
document is completed by what its line leaves out.
"""

from __future__ import annotations

import codecs
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import IO, Any, NamedTuple, cast

import orjson

from app.categories.rules import CATEGORIES_PER_PROJECT, CLUSTERS_PER_PROJECT
from app.core.errors import BadRequest
from app.core.features import Features
from app.core.slugs import name_key, slug_key
from app.core.text.html import word_count
from app.core.vocabulary import BriefState, DocumentStatus
from app.documents.publishing_rules import publication, published_part
from app.images.rules import IMAGES_PER_PROJECT
from app.provenance.reviews import AttributedRevision
from app.provenance.rules import (
    attribution_of,
    digests_of,
    origins_after,
    paragraphs_of,
    provenance_of,
    words_of_agents,
)
from app.publications.rules import Publication, rendered
from app.review.rules import StoredThread, counts_of
from app.sources.rules import MOST_SOURCES, rendered_with
from app.transfers.pictures import problems_of_picture
from app.transfers.rules import COLLECTIONS, FORMAT, LINES, InvalidLine, record_of

Record = dict[str, Any]

MAX_LINE_BYTES = 32 * 1024 * 1024
"""The longest text is 8 MB in UTF-8, and three times that with JSON's escapes."""
MAX_WHY = 1_000
MOST_REFUSED = 10_000
CAPS = {"category": CATEGORIES_PER_PROJECT, "cluster": CLUSTERS_PER_PROJECT, "image": IMAGES_PER_PROJECT}
COUNTED = ("member", "category", "cluster", "image", "document")
ONCE = ("export", "project", "end")
"""The types of line that an export has once."""

AGAIN = "Write it again with `content-workflow export` or `GET /export`."
NO_HEAD = f'The export does not begin with {{"type":"export",…}}. {AGAIN}'
NO_END = (
    f'The export does not end with {{"type":"end",…}}: it was cut short, or an earlier version wrote it. {AGAIN} '
    "If nobody can, and you know that it is whole, add a last line to a copy: "
    """`printf '{"type":"end","lines":%d}\\n' $(wc -l < FILE) >> FILE`."""
)
OTHER_FORMAT = f"The export is not of format {FORMAT}: import it with the version of content-workflow that wrote it."
NOT_RENDERABLE = "The html of document {!r} is too large to be published."


@dataclass
class Refused:
    """A line that can't be imported, and why."""

    number: int
    what: str
    why: str


@dataclass
class Checked:
    """Result of checking the lines of an export."""

    created: Counter[str] = field(default_factory=Counter)
    """The number of records by type of line, without the settings and what belongs to documents."""
    settings: Record = field(default_factory=dict)
    refused: list[Refused] = field(default_factory=list)
    """The first of the lines that can't be imported."""
    refused_lines: int = 0
    """How many there are."""

    def refuse(self, number: int, what: str, why: str) -> None:
        """Counts a line that can't be imported; keeps the first ones."""
        self.refused_lines += 1
        if len(self.refused) < MOST_REFUSED:
            self.refused.append(Refused(number, what, why))


@dataclass
class History:
    """Texts, versions, threads and sources of a document, gathered until its line comes."""

    digests: dict[str, list[bytes]] = field(default_factory=dict)
    """Those of the paragraphs of each text, by its id."""
    revisions: dict[int, AttributedRevision] = field(default_factory=dict)
    threads: list[StoredThread] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    """Those of its sources."""

    def add(self, kind: str, record: Any) -> None:
        """Adds a text, a version, a thread or a source."""
        match kind:
            case "body":
                self.digests[record["id"]] = digests_of(record["text"])
            case "revision":
                self.revisions[record["version"]] = record
            case "thread":
                record["stateSince"] = record["updatedAt"]
                self.threads.append(record)
            case "source":
                self.numbers.append(record["number"])

    @cached_property
    def origins(self) -> Mapping[str, list[int]]:
        """The origins of the paragraphs of each text, as writing the versions gave them."""
        by_text: dict[str, list[int]] = {}
        old, origins = list[bytes](), list[int]()
        for version, revision in sorted(self.revisions.items()):
            body_id = revision["bodyId"]
            new = self.digests[body_id] if body_id else []
            if body_id and body_id not in by_text:
                by_text[body_id] = origins_after(origins, old, new, version)
            old, origins = new, by_text[body_id] if body_id else []
        return by_text


def read_lines(file: IO[bytes]) -> Iterator[bytes]:
    """Yields the lines of a file from its first one; of a line that is too long only the beginning, to be refused."""
    file.seek(0)
    if file.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
        file.seek(0)
    while line := file.readline(MAX_LINE_BYTES + 1):
        yield line
        while len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
            line = file.readline(MAX_LINE_BYTES + 1)


def parse_line(features: Features, text: bytes) -> tuple[str, Record]:
    """Returns the type of a line, and its record. Raises `InvalidLine`, which lists all problems."""
    if len(text) > MAX_LINE_BYTES:
        raise InvalidLine({}, "It is longer than 32 MB.")
    try:
        line = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InvalidLine({}, f"It is not JSON: {error}.") from None
    if not isinstance(line, dict) or not isinstance(line.get("type"), str) or line["type"] not in LINES:
        raise InvalidLine({}, f"It must be an object whose `type` is one of {', '.join(LINES)}.")
    return line["type"], record_of(features, line)


def check_lines(features: Features, lines: Iterable[bytes]) -> Checked:
    """Returns what lines would create, and those that can't be imported.

    Raises `BadRequest` where the first or the last line of an export is missing, or the export has another format.
    """
    checked, earlier, kind = Checked(), _EarlierLines(), ""
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        is_first, line = not kind, dict[str, Any]()
        try:
            kind, line = parse_line(features, text)
            wrong = " ".join(earlier.add(kind, line, number))
        except InvalidLine as error:
            line = dict(error.line)
            kind, wrong = line.get("type", "line"), str(error)
            if kind == "export":
                raise BadRequest(OTHER_FORMAT) from None
        if is_first and kind != "export":
            raise BadRequest(NO_HEAD)
        if wrong:
            checked.refuse(number, _name_of(kind, line), wrong[:MAX_WHY])
        elif kind == "project":
            checked.settings = line
        elif kind in COUNTED:
            checked.created[kind] += 1
    if kind != "end":
        raise BadRequest(NO_END if kind else NO_HEAD)
    if earlier.histories and not checked.refused:
        checked.refuse(number, f"document {min(earlier.histories)}", "It has no line of its own.")
    return checked


def _name_of(kind: str, line: Mapping[str, Any]) -> str:
    names = (line.get(key) for key in ("slug", "name", "id", "documentId"))
    name = next((name for name in names if name and isinstance(name, str)), "")
    return f"{kind} {name}".strip()[:100]


class _EarlierLines:
    """The lines so far: later ones may refer to them, and must not repeat them."""

    def __init__(self) -> None:
        self.histories = defaultdict[str, History](History)
        """By the documents whose line is still to come."""
        self._names = set[tuple[str, str, str]]()
        """The ids, slugs, names and keys that no two records of a kind have in common."""
        self._counts = Counter[str]()

    def add(self, kind: str, record: Record, number: int) -> Iterator[str]:
        """Adds a line, and yields everything that is wrong with it."""
        self._counts[kind] += 1
        if kind in ONCE and self._counts[kind] > 1:
            yield "There is such a line before it."
        if kind in CAPS and self._counts[kind] > CAPS[kind]:
            yield f"A project has at most {CAPS[kind]:,} {COLLECTIONS[kind]}."
        for what, name in _unique(kind, record):
            if (kind, what, name) in self._names:
                yield f"Another {kind} has the {what} {name!r}."
            self._names.add((kind, what, name))
        if kind in ("category", "document") and not record.get("deletedAt"):
            for name, of in (("categoryId", "category"), ("clusterId", "cluster")):
                if record.get(name) and (of, "id", record[name]) not in self._names:
                    yield f"Its `{name}` is not the id of an earlier {of}."
        if kind == "image":
            yield from problems_of_picture(record)
        if document_id := record.get("documentId"):
            self.histories[document_id].add(kind, record)
            if ("document", "id", document_id) in self._names:
                yield "It must come before its document."
        if kind == "document":
            yield from _problems_of_document(record, self.histories.pop(record["id"], History()))
        if kind == "end" and record["lines"] != number - 1:
            counts = f"{record['lines']:,} lines before this one, and here are {number - 1:,}"
            yield f"The export had {counts}: some are missing."


def _unique(kind: str, record: Record) -> Iterator[tuple[str, str]]:
    """Yields what no other record of the kind may have in common with this one."""
    if "id" in record:
        yield "id", record["id"]
    if kind == "revision":
        yield "version", f"{record['version']} of {record['documentId']}"
    if kind == "source":
        yield "number", f"{record['number']} of {record['documentId']}"
    if kind == "category" or (kind == "member" and record["slug"] and not record["deletedAt"]):
        yield "slug", record["slug"]
    if kind == "cluster":
        yield "name", name_key(record["name"])
    if kind == "document":
        yield from (("slug", slug) for slug in {*map(slug_key, _slugs(record))} if record["deletedAt"] is None)
        yield from (("key", key) for key in [record["key"]] if key)


def _problems_of_document(document: Record, history: History) -> Iterator[str]:
    """Yields what is wrong with a document, given what belongs to it."""
    snapshot, brief, version = document["snapshot"], document["brief"] or {}, document["version"]
    if (latest := max(history.revisions, default=0)) > version:
        yield f"It has a version {latest}, later than its own."
    elif missing := version - len(history.revisions):
        yield f"It lacks versions ({missing:,} of {version:,}), which must come before it."
    texts = {revision["bodyId"] for revision in history.revisions.values()}
    if not {document["contentId"], snapshot and snapshot["markdownId"]} <= texts | {None} <= {None, *history.digests}:
        yield "A text that it or a version names is missing: it must come before it."
    if len(history.numbers) > MOST_SOURCES or max(history.numbers, default=0) >= (document["nextSource"] or 1):
        yield f"It must have at most {MOST_SOURCES} sources, with numbers below its `nextSource`."
    if document["isPublished"] != (snapshot is not None):
        yield "It must have a snapshot if and only if it is published."
    if snapshot and snapshot["version"] > version:
        yield "Its snapshot is of a later version than its own."
    claim = [brief.get("claimedBy"), brief.get("claimedAt")]
    if None in claim if brief.get("state") == BriefState.CLAIMED else any([*claim, brief.get("claimExpiresAt")]):
        yield "It must have `claimedBy` and `claimedAt` if and only if its brief is claimed."
    schedule = [document["publishAt"], document["statusBefore"]]
    if None in schedule if document["status"] == DocumentStatus.SCHEDULED else any(schedule):
        yield "It must have `publishAt` and `statusBefore` if and only if it is scheduled."


def _slugs(document: Record) -> list[str]:
    return sorted({document["slug"], (document["snapshot"] or document)["slug"]})


class CompleteDocument(NamedTuple):
    """A document as it is to be stored, what is delivered of it, if anything, and the html of that."""

    record: Record
    publication: Publication | None = None
    html: tuple[Record, ...] = ()


def complete_document(
    line: Record,
    history: History,
    texts: Mapping[str, str],
    publish_html: Callable[[str], str],
    project_id: str,
    html_id: str,
) -> CompleteDocument:
    """Returns a document with what an export leaves out. Refuses with `BadRequest` what can't be rendered.

    `texts` has its markdown, whose html is published as `publish_html` returns it.
    """
    snapshot = line["snapshot"]
    record = {name: value for name, value in line.items() if name != "snapshot" and (name != "brief" or value)}
    at = line["updatedAt"]
    record |= {"statusSince": at, "roundsAt": at if line["rounds"] else None, "slugs": _slugs(line)}
    record |= counts_of(history.threads)
    if snapshot is None:
        return CompleteDocument(record | {"publishedAt": None, "published": None, "trashedPublication": None})
    markdown_id, published_at = snapshot["markdownId"], snapshot["publishedAt"]
    markdown = texts[markdown_id]
    sources = snapshot["sources"] or []
    text = rendered(markdown, rendered_with(markdown, sources))
    if text is None:
        raise BadRequest(NOT_RENDERABLE.format(line["slug"]))
    own = {"projectId": project_id, "contentId": markdown_id, "wordCount": word_count(markdown)}
    as_published: Any = {**record, **snapshot, **own}
    html = publish_html(text.html)
    text = replace(text, first_paragraph=snapshot["excerpt"], html=html, html_bytes=len(html.encode()))
    delivered = publication(as_published, text, html_id, published_at=published_at, now=snapshot["updatedAt"])
    origins = history.origins[markdown_id]
    written = provenance_of(paragraphs_of(markdown), words_of_agents, origins, history.revisions)
    attribution = attribution_of(written, history.revisions[snapshot["version"]].get("review"))
    listed: Record = {} if snapshot["sources"] is None else {"sources": sources}  # published by a release that had none
    delivered = cast(Publication, {**delivered, **attribution, **listed})
    record |= {"publishedAt": published_at, "published": published_part(delivered)}
    record["trashedPublication"] = delivered if line["deletedAt"] else None
    return CompleteDocument(record, delivered, ({"id": html_id, "documentId": line["id"], "text": text.html},))

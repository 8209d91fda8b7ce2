"""Planning in bulk: many documents and their briefs in one request, by the caller's own keys (decisions, section 14).

A piece with a new key is created by the rules of confirming; one with a known key is changed by those of updating a
document and its brief. All pieces are checked before any is written, so that one that is refused stops no other.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast
from unicodedata import normalize

from app.briefs.operations import brief_call, brief_problems
from app.briefs.rules import mark_brief_ready, write_brief
from app.categories.references import ExistingRecords, lock_references, reference_problems
from app.categories.store import Categories, Clusters
from app.core.concurrency import processing
from app.core.context import Context
from app.core.errors import IntentInvalid, Problem, refusal_of
from app.core.operation import Effect, Result, operation
from app.core.schemas.loading import Fields, cached_schema, changed_fields, in_order, problems
from app.core.slugs import slug_key, slug_of
from app.core.text.html import word_count
from app.core.vocabulary import BriefState, Kind, Scope
from app.documents.creation import FreeSlugs
from app.documents.edits import edit_document, refuse_edit
from app.documents.operations import NewRow, deliver_at_once, new_row, origin_of
from app.documents.record import Decision, StoredDocument, brief_of, written_brief
from app.documents.schemas import DocumentChanges
from app.documents.store import Documents, Revisions
from app.intents.rules import Facts, confirm_problems
from app.intents.schemas import DraftDocumentFields
from app.planning.responses import Piece, Plan
from app.planning.rules import CHANGED, IN_TRASH, REPEATED, names_in, with_ids
from app.planning.schemas import PieceKey, PieceOutcome, PlanFields, PlanQuery
from app.planning.tables import PLAN
from app.projects.store import Members

composed = partial(normalize, "NFC")

NOT_PLANNED = "No piece was planned: correct what `errors` lists and send the plan again."


@dataclass
class _Piece:
    """One piece of a plan, with its outcome."""

    key: str
    fields: dict[str, Any]
    """The fields that were sent, with ids in place of names."""
    problems: list[Problem]
    document_id: str | None = None
    outcome: PieceOutcome = PieceOutcome.REFUSED
    changes: dict[str, Any] = field(default_factory=dict)
    """The fields of the document to write."""
    brief: dict[str, Any] | None = None
    """The fields of its brief to write; None to leave it as it is."""
    offers: bool = False
    """True if its brief is to be offered."""


@dataclass
class _New(_Piece):
    """A piece with a new key."""

    words: int = 0
    """The number of words in its text."""


@dataclass
class _Known(_Piece):
    """A piece with the key of a document."""

    document: StoredDocument = field(kw_only=True)


@operation(
    Scope.WRITE,
    Effect.CHANGES,
    "POST /plan",
    tag="documents",
    body=PlanFields,
    errors=(IntentInvalid,),
    transaction=True,
    rest_query=PlanQuery,
    from_csv=PLAN,
    toolsets=("planning",),
    arguments_as="create_document_intent",
    next="After a failure, send the same plan again. Link new pieces to each other in a second call, by their ids.",
)
def plan_documents(ctx: Context, fields: Fields) -> Result[Plan]:
    """Plan up to 500 documents with their briefs, by keys of your own.

    A new `key` creates a document. An existing key overwrites the fields sent, the brief's too, even if a person
    changed them since, but never `markdown`, `status` and `slug`: send only fields that you mean to change, and see in
    a dry run which pieces would be `updated`. Each piece holds or fails by itself, unless `atomic`; a wrong type or
    length, or a missing `key`, refuses them all. The same plan again changes only what others changed since.
    """
    pieces = _read(ctx, fields["pieces"])
    new = [piece for piece in pieces if isinstance(piece, _New)]
    known = [piece for piece in pieces if isinstance(piece, _Known)]
    _compare(ctx, new, known)
    _check(ctx, new, known)
    if fields.get("atomic") and (wrong := _all_problems(pieces)):
        raise IntentInvalid(wrong, NOT_PLANNED)
    _write(ctx, [piece for piece in new if not piece.problems], [piece for piece in known if not piece.problems])
    return Result({"pieces": [_outcome(piece) for piece in pieces]})


def _read(ctx: Context, sent: Sequence[Fields]) -> list[_Piece]:
    """Returns the pieces with their documents and the ids that they name, all looked up at once."""
    store, project_id = ctx.store, ctx.project_id
    documents = store[Documents].find_with_keys(project_id, {composed(piece["key"]) for piece in sent})
    named = {
        "category": store[Categories].find_named(project_id, names_in(sent, "category")),
        "cluster": store[Clusters].find_named(project_id, names_in(sent, "cluster")),
        "assignee": store[Members].find_named(project_id, names_in(sent, "assignee")),
    }
    pieces: list[_Piece] = []
    earlier: set[str] = set()
    for one in sent:
        key = one["key"]
        document = documents.get(composed(key))
        fields, wrong = with_ids(one, named)
        if composed(key) in earlier:
            pieces.append(_Piece(key, fields, [REPEATED], document and document["id"]))
        elif document is None:
            pieces.append(_New(key, fields, [*problems(PieceKey, one), *wrong]))
        elif document["deletedAt"] is not None:
            pieces.append(_Piece(key, fields, [IN_TRASH], document["id"]))
        else:
            pieces.append(_Known(key, fields, wrong, document["id"], document=document))
        earlier.add(composed(key))
    return pieces


def _compare(ctx: Context, new: Iterable[_New], known: Iterable[_Known]) -> None:
    """Finds what each piece writes: a new one all of its fields, another those that differ."""
    draft = cached_schema(ctx.features.schema_of(DraftDocumentFields)).fields
    for piece in new:
        piece.changes = {name: value for name in draft if (value := piece.fields.get(name)) is not None}
        piece.brief = piece.changes.get("brief")
        piece.offers = piece.fields.get("ready", False)
        markdown = piece.changes.get("markdown", "")
        with processing(ctx, markdown):
            piece.words = word_count(markdown)  # which takes long: before anything is locked
    for one in known:
        document, sent = one.document, one.fields
        one.changes = changed_fields(document, {name: sent[name] for name in CHANGED if name in sent})
        if (brief := sent.get("brief")) is not None:
            before: Mapping[str, Any] = brief_of(document)
            differs = {name: value for name, value in written_brief(brief).items() if value != before.get(name)}
            one.brief = differs if differs or document.get("brief") is None else None
        unoffered = brief_of(document)["state"] == BriefState.NONE
        refused = refusal_of(partial(mark_brief_ready, document, ctx.call))
        one.offers = sent.get("ready", False) and unoffered and not refused


def _check(ctx: Context, new: Sequence[_New], known: Sequence[_Known]) -> None:
    """Finds everything that is wrong with pieces."""
    links = {link for piece in (*new, *known) for link in (piece.brief or {}).get("internalLinks") or ()}
    found = lock_references(ctx.store, ctx.project_id, *(piece.changes for piece in (*new, *known)))
    found.documents = ctx.store[Documents].find_existing(ctx.project_id, links)
    _check_new(ctx, new, found)
    for piece in known:
        if piece.changes or piece.brief is not None:
            piece.problems = in_order([*piece.problems, *_change_problems(ctx, piece, found)])


def _check_new(ctx: Context, new: Iterable[_New], found: ExistingRecords) -> None:
    slugs = {slug for piece in new if (slug := piece.changes.get("slug"))}
    taken = ctx.store[Documents].find_taken_slugs(ctx.project_id, sorted(slugs)) if slugs else set()
    earlier: set[str] = set()
    for piece in new:
        slug = piece.changes.get("slug")
        facts = Facts(found, taken=slug in taken or (slug is not None and slug_key(slug) in earlier))
        piece.problems = in_order(
            [*piece.problems, *confirm_problems(ctx.features, Kind.DOCUMENT, piece.changes, facts)]
        )
        if slug and not piece.problems:
            earlier.add(slug_key(slug))


def _change_problems(ctx: Context, piece: _Known, found: ExistingRecords) -> list[Problem]:
    if refused := refusal_of(partial(refuse_edit, piece.document, ctx.call, piece.changes)):
        return [Problem(field="key", message=refused.message)]
    call = brief_call(ctx, piece.document, piece.brief or {})
    if refused := refusal_of(partial(call.pass_gates, piece.document)):
        return [Problem(field="brief", message=refused.message)]
    of_brief = brief_problems(piece.brief or {}, found, piece.document["id"])
    return [
        *problems(DocumentChanges, piece.changes),
        *reference_problems(piece.changes, found),
        *(Problem(field=f"brief.{one['field']}", message=one["message"]) for one in of_brief),
    ]


def _write(ctx: Context, new: Sequence[_New], known: Sequence[_Known]) -> None:
    """Writes all pieces that are not refused, in a few calls."""
    created = ctx.store[Documents].create(ctx.project_id, _new_documents(ctx, new))
    for piece, document in zip(new, created, strict=True):
        piece.document_id, piece.outcome = document["id"], PieceOutcome.CREATED
    changed = [(piece.document, decision) for piece in known if (decision := _decide(ctx, piece)).events]
    deliver_at_once(ctx, ((before, decision.document) for before, decision in changed))
    ctx.store[Documents].change_many(ctx.project_id, changed)
    origin = {**origin_of(ctx), "scripted": True}
    versions = [
        (decision.document, decision.events[-1], origin)
        for before, decision in changed
        if decision.document["version"] != before["version"]
    ]
    ctx.store[Revisions].add(ctx.project_id, versions)


def _new_documents(ctx: Context, pieces: Sequence[_New]) -> Iterator[NewRow]:
    """Yields the document that each piece creates."""
    given = [slug_key(slug) for piece in pieces if (slug := piece.changes.get("slug"))]
    free = FreeSlugs(ctx, [slug_of(piece.changes["title"]) for piece in pieces if "slug" not in piece.changes], given)
    for piece in pieces:
        slug = piece.changes.get("slug") or free.choose(slug_of(piece.changes["title"]))
        record, markdown, created, origin = new_row(ctx, piece.changes, slug=slug, words=piece.words)
        decision = Decision(cast(StoredDocument, record | {"key": composed(piece.key)}), tuple(created))
        if piece.offers:  # in the insert: another write of each document would take as long again
            decision = decision.then(partial(mark_brief_ready, call=ctx.call))
        yield dict(decision.document), markdown, decision.events, origin


def _decide(ctx: Context, piece: _Known) -> Decision:
    """Decides what a piece changes of its document, with an event for each operation that it stands for."""

    def change(document: StoredDocument) -> Decision:
        decision = Decision(document)
        if piece.changes:
            decision = decision.then(partial(edit_document, call=ctx.call, changes=piece.changes))
        if piece.brief is not None:
            decision = decision.then(partial(write_brief, call=ctx.call, fields=piece.brief))
        if piece.offers:
            decision = decision.then(partial(mark_brief_ready, call=ctx.call))
        return decision

    decision = change(piece.document)
    piece.outcome = PieceOutcome.UPDATED if decision.events else PieceOutcome.UNCHANGED
    return decision


def _all_problems(pieces: Iterable[_Piece]) -> list[Problem]:
    return in_order(
        Problem(field=f"pieces[{place}].{problem['field']}", message=problem["message"])
        for place, piece in enumerate(pieces)
        for problem in piece.problems
    )


def _outcome(piece: _Piece) -> Piece:
    return {"key": piece.key, "id": piece.document_id, "outcome": piece.outcome, "errors": piece.problems}

"""Drafts: begun, completed over any number of requests, and confirmed (contract: Intents; decisions, section 4).

A draft is what paths, tools and stored records call an intent.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, cast

from app.categories.operations import add_category
from app.categories.references import lock_references
from app.categories.responses import Category, Cluster
from app.categories.rules import CATEGORIES_PER_PROJECT, CLUSTERS_PER_PROJECT, new_cluster
from app.categories.schemas import DraftCategoryFields, DraftClusterFields
from app.categories.store import Categories, Clusters
from app.core.context import Context
from app.core.errors import BadRequest, IntentInvalid, NotFound, Problem, WriteConflict, or_raise
from app.core.events import Event
from app.core.operation import Effect, Result, operation
from app.core.records import record_of, record_tag
from app.core.schemas.loading import Fields
from app.core.schemas.queries import in_part
from app.core.store.store import Store
from app.core.vocabulary import Channel, Kind, Scope
from app.documents.content import count_words
from app.documents.creation import free_slug
from app.documents.operations import document_result, new_row
from app.documents.responses import DocumentSummary
from app.documents.store import Documents
from app.intents.responses import Confirmed, Intent, Validation
from app.intents.rules import DRAFTS_PER_TOKEN, Facts, StoredIntent, confirm_problems
from app.intents.schemas import DraftDocumentFields, IntentPartQuery, IntentQuery
from app.intents.store import Intents, guess_slot
from app.projects.store import Projects

_new_draft = partial(
    operation, Scope.WRITE, Effect.CREATES, tag="intents", errors=(BadRequest,), toolsets=("planning",)
)
_draft_change = partial(operation, Scope.WRITE, Effect.CHANGES, tag="intents", toolsets=("planning",))

_of_draft = partial(operation, tag="intents", query=IntentQuery, toolsets=("planning",))

_RECORDS = {
    Kind.DOCUMENT: "documents.getDocument",
    Kind.CLUSTER: "clusters.getCluster",
    Kind.CATEGORY: "categories.getCategory",
}
"""The endpoints of what drafts become."""


@_new_draft(
    "POST /document-intents",
    body=DraftDocumentFields,
    prepare=count_words,
    location="intents.getDocumentIntent",
    arguments_as="update_brief",
)
def create_document_intent(ctx: Context, fields: Fields) -> Result[Intent]:
    """Create a document draft.

    Documents are created by confirming a draft. All fields are optional until then. A token has at most 100 drafts.
    """
    return _create(ctx, Kind.DOCUMENT, fields)


@_new_draft("POST /cluster-intents", body=DraftClusterFields, location="intents.getClusterIntent")
def create_cluster_intent(ctx: Context, fields: Fields) -> Result[Intent]:
    """Create a cluster draft.

    A cluster is a topic that several documents cover.
    """
    return _create(ctx, Kind.CLUSTER, fields)


@_new_draft("POST /category-intents", body=DraftCategoryFields, location="intents.getCategoryIntent")
def create_category_intent(ctx: Context, fields: Fields) -> Result[Intent]:
    """Create a category draft.

    Writers receive its description with each brief.
    """
    return _create(ctx, Kind.CATEGORY, fields)


@_draft_change(
    "PATCH /document-intents/<id>",
    body=DraftDocumentFields,
    prepare=count_words,
    arguments_as="create_document_intent",
)
def update_document_intent(ctx: Context, intent_id: str, fields: Fields) -> Result[Intent]:
    """Change fields of a document draft; null clears one, `brief` is replaced whole."""
    return _update(ctx, intent_id, Kind.DOCUMENT, fields)


@_draft_change("PATCH /cluster-intents/<id>", body=DraftClusterFields, arguments_as="create_cluster_intent")
def update_cluster_intent(ctx: Context, intent_id: str, fields: Fields) -> Result[Intent]:
    """Change fields of a cluster draft; null clears one."""
    return _update(ctx, intent_id, Kind.CLUSTER, fields)


@_draft_change("PATCH /category-intents/<id>", body=DraftCategoryFields, arguments_as="create_category_intent")
def update_category_intent(ctx: Context, intent_id: str, fields: Fields) -> Result[Intent]:
    """Change fields of a category draft; null clears one."""
    return _update(ctx, intent_id, Kind.CATEGORY, fields)


@_of_draft(Scope.READ, Effect.READS, "GET /<kind>-intents")
def list_intents(ctx: Context, fields: Fields) -> Result[list[Intent]]:
    """List your unfinished drafts, the most recently updated first, without their markdown."""
    drafts = ctx.store[Intents].list(ctx.project_id, ctx.token_id, fields.get("kind"))
    return Result([record_of(Intent, draft) for draft in drafts])


@_of_draft(
    Scope.READ,
    Effect.READS,
    "GET /<kind>-intents/<id>",
    query=IntentPartQuery,
    next="The only tool that returns a draft's `markdown`.",
)
def get_intent(ctx: Context, intent_id: str, fields: Fields) -> Result[Intent]:
    """Read a draft with every field that was set."""
    result = _intent_result(_own_draft(ctx, intent_id, fields))
    part = in_part(result.body["fields"], "markdown", fields)
    rest = {"nextOffset": part.pop("nextOffset")} if "nextOffset" in part else {}
    body: Any = {**result.body, "fields": part, **rest}
    return replace(result, body=body)


@_of_draft(Scope.WRITE, Effect.DESTROYS, "DELETE /<kind>-intents/<id>", next="It can't be undone.")
def discard_intent(ctx: Context, intent_id: str, fields: Fields) -> Result[Intent]:
    """Discard a draft; nothing is made of it."""
    return _intent_result(_delete_draft(ctx, intent_id, fields))


@_of_draft(Scope.READ, Effect.READS, "POST /<kind>-intents/<id>/validate")
def validate_intent(ctx: Context, intent_id: str, fields: Fields) -> Result[Validation]:
    """Check a draft as confirming it would.

    `errors` lists every problem.
    """
    draft = _own_draft(ctx, intent_id, fields)
    errors = ctx.store.rolled_back(lambda store: _lock_and_check(store, draft))
    added = ctx.features.presented(ctx, "validate_intent", draft, fields)
    return Result(cast(Validation, {"valid": not errors, "errors": errors, **added}))


@_of_draft(
    Scope.WRITE,
    Effect.CREATES,
    "POST /<kind>-intents/<id>/confirm",
    errors=(IntentInvalid,),
    transaction=True,
    location=_RECORDS,
    next="Next, for a document with a brief: `mark_brief_ready`.",
)
def confirm_intent(ctx: Context, intent_id: str, fields: Fields) -> Result[Confirmed]:
    """Confirm a draft: the record is created and the draft is deleted.

    If a field is missing or invalid, the error lists every problem.
    """
    draft = _delete_draft(ctx, intent_id, fields)
    kind = Kind(draft["kind"])
    if wrong := _lock_and_check(ctx.store, draft):
        update = ctx.name_of(f"update_{kind}_intent")
        message = (
            f"Correct what `errors` lists with {update}, then confirm again." if ctx.channel == Channel.MCP else None
        )
        raise IntentInvalid(wrong, message)  # which aborts the transaction: the draft stays
    made = _CREATE[kind](ctx, draft)
    body = cast(Confirmed, {kind.value: made.body, "intentId": draft["id"]})
    return Result(body, text_ids=made.text_ids, record_key=kind.value, texts=made.texts, etag=made.etag)


def _about_text(ctx: Context, fields: Fields, before: str | None = None) -> dict[str, Any]:
    """Returns what a draft keeps about its markdown; nothing where the request leaves it as it was `before`."""
    if "markdown" not in fields or (before and fields["markdown"] == before):
        return {}
    return {"words": ctx.prepared, **ctx.features.added("draft", ctx, fields)}


def _create(ctx: Context, kind: Kind, fields: Fields) -> Result[Intent]:
    slot = ctx.store[Intents].find_free_slot(ctx.project_id, ctx.token_id) if ctx.tries else guess_slot(ctx.token_id)
    if slot is None:
        raise BadRequest(FULL_OF_DRAFTS)
    draft = {
        "tokenId": ctx.token_id,
        "kind": kind,
        "slot": slot,
        "fields": {name: value for name, value in fields.items() if value is not None},
        **_about_text(ctx, fields),
        "createdAt": ctx.now,
        "updatedAt": ctx.now,
        "createdBy": ctx.caller.actor,
    }
    return _intent_result(ctx.store[Intents].add(ctx.project_id, draft))


def _update(ctx: Context, intent_id: str, kind: Kind, fields: Fields) -> Result[Intent]:
    tags, before = ctx.if_match, None
    if "markdown" in fields:  # whose it is depends on the text before
        draft = ctx.check_match(_own_draft(ctx, intent_id, {"kind": kind}))
        tags, before = (record_tag(draft),), draft["fields"].get("markdown")
    about = _about_text(ctx, fields, before)
    changed = ctx.store[Intents].update(
        ctx.project_id, ctx.token_id, intent_id, fields, about, ctx.now, kind=kind, tags=tags
    )
    if changed is None:
        ctx.check_match(_own_draft(ctx, intent_id, {"kind": kind}))
        raise WriteConflict
    return _intent_result(changed)


def _delete_draft(ctx: Context, intent_id: str, fields: Fields) -> StoredIntent:
    kind = fields.get("kind")
    draft = ctx.store[Intents].delete(ctx.project_id, ctx.token_id, intent_id, kind, tags=ctx.if_match)
    if draft is None:
        ctx.check_match(_own_draft(ctx, intent_id, fields))
        raise WriteConflict
    return draft


def _own_draft(ctx: Context, intent_id: str, fields: Fields) -> StoredIntent:
    draft = ctx.store[Intents].get(ctx.project_id, ctx.token_id, intent_id, fields.get("kind"))
    return or_raise(draft, NotFound, NO_DRAFT)


FULL_OF_DRAFTS = (
    f"This token has {DRAFTS_PER_TOKEN} unfinished drafts in the project, the most there may be: "
    "confirm or discard one first."
)
NO_DRAFT = (
    "This token has no such draft: it may be confirmed or discarded already, be of another kind, or belong to another "
    "token."
)


def _intent_result(draft: StoredIntent) -> Result[Intent]:
    return Result(record_of(Intent, draft), etag=record_tag(draft))


def _lock_and_check(store: Store, draft: StoredIntent) -> list[Problem]:
    """Returns what is wrong with a draft. It writes, too: it locks what the draft names, and counts a cluster.

    So it runs only in a transaction, which a refusal aborts, and `validate_intent` rolls back.
    """
    kind, fields = Kind(draft["kind"]), draft["fields"]
    return confirm_problems(store.features, kind, fields, _FACTS[kind](store, draft["projectId"], fields))


def _document_facts(store: Store, project_id: str, fields: Fields) -> Facts:
    links = (fields.get("brief") or {}).get("internalLinks") or ()
    found, slug = lock_references(store, project_id, fields, from_draft=True), fields.get("slug")
    found.documents = store[Documents].find_existing(project_id, links)
    return Facts(found, taken=slug in store[Documents].find_taken_slugs(project_id, [slug]) if slug else False)


def _cluster_facts(store: Store, project_id: str, fields: Fields) -> Facts:
    return Facts(
        taken=store[Clusters].find_same(project_id, fields) is not None,
        full=not store[Projects].count_up(project_id, "clusters", CLUSTERS_PER_PROJECT),
    )


def _category_facts(store: Store, project_id: str, fields: Fields) -> Facts:
    return Facts(
        found=lock_references(store, project_id, fields, from_draft=True),
        taken=store[Categories].find_same(project_id, fields) is not None,
        full=store[Categories].count(project_id) >= CATEGORIES_PER_PROJECT,  # two that add one conflict: see `count`
    )


def _create_document(ctx: Context, draft: StoredIntent) -> Result[DocumentSummary]:
    fields = draft["fields"]
    slug = fields.get("slug") or free_slug(ctx, fields["title"])
    words, data = draft.get("words") or 0, {"intentId": draft["id"]}
    row = new_row(ctx, fields, slug=slug, words=words, data=data, draft=draft)
    [document] = ctx.store[Documents].create(ctx.project_id, [row])
    return document_result(ctx, document, row[1])


def _create_cluster(ctx: Context, draft: StoredIntent) -> Result[Cluster]:
    record = new_cluster(draft["fields"], by=ctx.caller.actor, now=ctx.now)
    cluster = ctx.store[Clusters].add(ctx.project_id, record, _created(ctx, draft))
    return Result(record_of(Cluster, cluster, teamId=ctx.caller.team_id), etag=record_tag(cluster))


def _create_category(ctx: Context, draft: StoredIntent) -> Result[Category]:
    category = add_category(ctx, draft["fields"], _created(ctx, draft))
    return Result(record_of(Category, category, teamId=ctx.caller.team_id), etag=record_tag(category))


def _created(ctx: Context, draft: StoredIntent) -> Event:
    return ctx.event(f"{draft['kind']}.created", {"intentId": draft["id"]})


_FACTS = {Kind.DOCUMENT: _document_facts, Kind.CLUSTER: _cluster_facts, Kind.CATEGORY: _category_facts}
_CREATE: Mapping[Kind, Callable[[Context, StoredIntent], Result[DocumentSummary | Cluster | Category]]] = {
    Kind.DOCUMENT: _create_document,
    Kind.CLUSTER: _create_cluster,
    Kind.CATEGORY: _create_category,
}

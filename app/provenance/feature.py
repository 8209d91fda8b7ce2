"""Who wrote and who reviewed a text, as versions, drafts, approvals and publications store it.

An approval may demand the record of a person's review (decisions, section 18).
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from app.core.calls import Call
from app.core.context import Context
from app.core.errors import HumanReviewRequired, WriteConflict, refusal_of
from app.core.features import AddedFields, Description, Extension, Feature, Gate, Record, by_class_name
from app.core.records import record_of
from app.core.schemas.loading import Fields
from app.core.store.bodies import Bodies, StoredBody
from app.documents.record import Decision, StoredDocument
from app.documents.responses import RevisionSummary
from app.documents.schemas import ApproveFields, ContentFields
from app.documents.statuses import approve_document
from app.documents.store import Documents
from app.intents.schemas import DraftDocumentFields
from app.projects.gates import Attempt
from app.projects.responses import Project
from app.projects.rules import StoredProject
from app.projects.schemas import ProjectChanges
from app.provenance.operations import attributed, provenance_of, review_of
from app.provenance.responses import ReviewedProject, WithGenerationShown
from app.provenance.reviews import TOKENS, Generation, lacking_parts, missing_of
from app.provenance.rules import Provenance, attribution_of, words_of_agents
from app.provenance.schemas import ReviewSettings, WithDraftGeneration, WithGeneration, WithReview
from app.provenance.store import AttributedRevisions
from app.provenance.vocabulary import DisclosureValue, ReviewDemand, WriterKind
from app.review.schemas import AcceptFields
from app.sections.schemas import ContentEdits

COMPLETE = {"facts": True, "examined": True}
"""The review of a valid call."""


OF_A_PERSON = (
    "A person has to approve this with `review`, in the console or over REST: an agent can't attest a person's review, "
    "and whoever calls over MCP counts as an agent."
)


def requires_record(project: StoredProject) -> bool:
    """Returns whether the project approves only with the record of a person's review."""
    return project.get("reviewRecord") == ReviewDemand.REQUIRED


def describe_disclosure(query: Any, document: Any) -> Description:
    """Returns the disclosure of a published document as JSON and front matter have it."""
    stored = document.row["disclosure"]
    shown = {"disclosure": {name: stored[name] for name in ("value", "models", "reviewedAt", "responsible")}}
    return Description(fields=shown, front_matter=shown)


def refuse_without_record(missing: Sequence[str], document: Any, call: Call) -> None:
    """Refuses with `HumanReviewRequired` an approval or a version that lacks something of a record."""
    if "person" in missing:
        raise HumanReviewRequired(OF_A_PERSON, missing=list(missing))
    if missing:
        raise HumanReviewRequired(missing=list(missing))


def _missing(attempt: Attempt) -> Sequence[str]:
    required = requires_record(attempt.project)
    valid = COMPLETE if required else None
    review = valid if attempt.fields is None else attempt.fields.get("review")
    return missing_of(attempt.call, review, required=required)


def _unrecorded(attempt: Attempt) -> Sequence[str]:
    """Returns what the record of the version that goes out lacks, whenever it was approved.

    Out of the trash that is the one that was live; nothing is lacking where none was.
    """
    document = attempt.record
    out = document
    if document["deletedAt"] is not None:
        out = document.get("published") if document["isPublished"] else None
    if out is None or not requires_record(attempt.project):
        return ()
    revisions = attempt.ctx.store[AttributedRevisions]
    version = revisions.get(attempt.ctx.project_id, document["id"], out["version"])
    return lacking_parts(version and version.get("review"))


RECORD = Gate(("approve_document",), read=_missing, refuse=refuse_without_record, errors=(HumanReviewRequired,))
RECORDED = Gate(
    ("schedule_document", "publish_document"),
    read=_unrecorded,
    refuse=refuse_without_record,
    errors=(HumanReviewRequired,),
)
RECORDED_OF_RESTORED = Gate(("restore_document",), read=_unrecorded, refuse=refuse_without_record)
"""Keeps a restored document off the website, and refuses nothing."""


def origin_of_version(ctx: Context, fields: Fields, draft: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns whose words a version has, an agent's or a person's, and what they say that they used.

    Those of a draft are whose they were when they were sent, whoever confirms it.
    """
    generation = fields.get("generation")
    by_agent = generation or draft.get("byAgent", ctx.call.is_by_agent)
    return {"kind": WriterKind.AGENT if by_agent else WriterKind.PERSON, "generation": generation}


def origin_of_draft(ctx: Context, fields: Fields) -> Mapping[str, Any]:
    """Returns whether an agent wrote a draft's markdown, or it came over MCP."""
    return {"byAgent": ctx.call.is_by_agent}


def tokens_of(fields: Fields) -> Mapping[str, Any]:
    """Returns the numbers of tokens that the writer of a text declares, for its event."""
    declared = fields.get("generation") or {}
    return {name: number for name in TOKENS if isinstance(number := declared.get(name), int)}


def generation_shown(revision: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns what the writer of a version says that they used, as callers see it."""
    declared = revision.get("generation")
    return {"generation": declared and record_of(Generation, declared)}


def attribution(ctx: Context, document: StoredDocument, body: StoredBody | None) -> Mapping[str, Any]:
    """Returns what a publication of a document discloses, and how many words each agent wrote of it."""
    written, revisions = attributed(ctx, body, document["version"], count=words_of_agents)
    revision = revisions.get(document["version"])
    return attribution_of(written, revision and revision.get("review"))


def read_for_review(ctx: Context, document_id: str, fields: Fields) -> tuple[StoredBody | None, Provenance] | None:
    """Returns a document's content and who wrote it; None without `review`, or where approving is refused anyway."""
    document = None if fields.get("review") is None else ctx.store[Documents].get(ctx.project_id, document_id)
    if document is None or refusal_of(partial(approve_document, document, ctx.call)):
        return None
    body = ctx.store[Bodies].get(ctx.project_id, document.get("contentId"))
    return body, provenance_of(ctx, body)


def add_review(ctx: Context, document: StoredDocument, decision: Decision, fields: Fields) -> Decision:
    """Stores the record of a person's review with the version that they approve."""
    if (sent := fields.get("review")) is None:
        return decision
    if ctx.prepared is None:
        raise WriteConflict
    body, written = ctx.prepared
    if (body and body["id"]) != document.get("contentId"):
        raise WriteConflict
    review = review_of(ctx, document, sent, body, written)
    ctx.store[AttributedRevisions].add_review(ctx.project_id, document["id"], document["version"], review)
    return decision


def _shown(project: Record) -> Record:
    return {"reviewRecord": project.get("reviewRecord") or ReviewDemand.OFF}


def _to_stored(project: Record, fields: Record) -> Record:
    """Returns the fields with the demand unset where it is off, as it is shown where it is unset."""
    return {**fields, "reviewRecord": None} if fields.get("reviewRecord") == ReviewDemand.OFF else fields


FEATURE = Feature(
    "provenance",
    schemas={
        ProjectChanges: ReviewSettings,
        ContentFields: WithGeneration,
        ContentEdits: WithGeneration,
        AcceptFields: WithGeneration,
        DraftDocumentFields: WithDraftGeneration,
        ApproveFields: WithReview,
    },
    responses={Project: ReviewedProject, RevisionSummary: WithGenerationShown},
    fields={
        Project: AddedFields(shown=_shown, to_stored=_to_stored),
        RevisionSummary: AddedFields(shown=generation_shown),
    },
    extensions=(Extension("approve_document", prepare=read_for_review, decide=add_review),),
    texts={
        "draft": origin_of_draft,
        "version": origin_of_version,
        "details": tokens_of,
        "publication": attribution,
    },
    requires_review=requires_record,
    describe=describe_disclosure,
    closed_lists=by_class_name(DisclosureValue, ReviewDemand, WriterKind),
    instructed=(WithGeneration, WithReview),
)

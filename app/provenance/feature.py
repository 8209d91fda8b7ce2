"""Fields, extensions and settings that provenance adds to the records and operations of others."""

from app.core.features import AddedFields, Extension, Feature, Record, by_class_name
from app.documents.responses import RevisionSummary
from app.documents.schemas import ApproveFields, ContentFields
from app.intents.schemas import DraftDocumentFields
from app.projects.responses import Project
from app.projects.schemas import ProjectChanges
from app.provenance import extensions
from app.provenance.delivery import describe_disclosure
from app.provenance.gates import requires_record
from app.provenance.generation import WithDraftGeneration, WithGeneration
from app.provenance.responses import ReviewedProject, WithGenerationShown
from app.provenance.schemas import ReviewSettings, WithReview
from app.provenance.vocabulary import DisclosureValue, ReviewDemand, WriterKind
from app.review.schemas import AcceptFields
from app.sections.schemas import ContentEdits


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
        RevisionSummary: AddedFields(shown=extensions.generation_shown),
    },
    extensions=(Extension("approve_document", prepare=extensions.read_for_review, decide=extensions.add_review),),
    texts={
        "draft": extensions.origin_of_draft,
        "version": extensions.origin_of_version,
        "details": extensions.tokens_of,
        "publication": extensions.attribution,
    },
    requires_review=requires_record,
    describe=describe_disclosure,
    closed_lists=by_class_name(DisclosureValue, ReviewDemand, WriterKind),
    instructed=(WithGeneration, WithReview),
)

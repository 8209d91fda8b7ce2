"""What provenance adds to the operations and records of other folders."""

from app.core.features import Extension, Feature
from app.documents.responses import RevisionSummary
from app.documents.schemas import ApproveFields, ContentFields
from app.intents.schemas import DraftDocumentFields
from app.provenance import extensions
from app.provenance.generation import WithDraftGeneration, WithGeneration
from app.provenance.responses import WithGenerationShown
from app.provenance.schemas import WithReview
from app.review.schemas import AcceptFields
from app.sections.schemas import ContentEdits

FEATURE = Feature(
    "provenance",
    schemas={
        ContentFields: WithGeneration,
        ContentEdits: WithGeneration,
        AcceptFields: WithGeneration,
        DraftDocumentFields: WithDraftGeneration,
        ApproveFields: WithReview,
    },
    responses={RevisionSummary: WithGenerationShown},
    shows={RevisionSummary: extensions.generation_shown},
    extensions=(Extension("approve_document", prepare=extensions.read_for_review, decide=extensions.add_review),),
    draft=extensions.origin_of_draft,
    version=extensions.origin_of_version,
    details=extensions.tokens_of,
    publication=extensions.attribution,
)

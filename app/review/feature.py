"""What review adds to the records and operations of others."""

from app.core.features import AddedFields, Extension, Feature
from app.documents.responses import Brief
from app.documents.schemas import ChangesRequest
from app.projects.responses import Project
from app.projects.schemas import ProjectChanges
from app.review.errors import RoundsExhausted
from app.review.extensions import begin_rounds, count_round, rounds_shown
from app.review.responses import LimitedProject, WithRounds
from app.review.schemas import RoundSettings, WithThreads

FEATURE = Feature(
    "review",
    responses={Project: LimitedProject, Brief: WithRounds},
    schemas={ProjectChanges: RoundSettings, ChangesRequest: WithThreads},
    fields={Brief: AddedFields(shown=rounds_shown)},
    extensions=(
        Extension("request_changes", errors=(RoundsExhausted,), decide=count_round),
        Extension("publish_document", decide=begin_rounds),
    ),
)

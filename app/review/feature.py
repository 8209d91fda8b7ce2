"""What review adds to the operations and records of other folders."""

from app.core.features import Extension, Feature
from app.documents.responses import Brief
from app.documents.schemas import ChangesRequest
from app.review.errors import RoundsExhausted
from app.review.extensions import begin_rounds, count_round, rounds_shown
from app.review.responses import WithRounds
from app.review.schemas import WithThreads

FEATURE = Feature(
    "review",
    schemas={ChangesRequest: WithThreads},
    responses={Brief: WithRounds},
    shows={Brief: rounds_shown},
    extensions=(
        Extension("request_changes", errors=(RoundsExhausted,), decide=count_round),
        Extension("publish_document", decide=begin_rounds),
    ),
)

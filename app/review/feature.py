"""What review adds to the operations and records of other folders."""

from app.core.features import Extension, Feature
from app.review.errors import RoundsExhausted
from app.review.extensions import begin_rounds, count_round

FEATURE = Feature(
    "review",
    extensions=(
        Extension("request_changes", errors=(RoundsExhausted,), decide=count_round),
        Extension("publish_document", decide=begin_rounds),
    ),
)

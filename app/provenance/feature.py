"""What provenance adds to the operations and records of other folders."""

from app.core.features import Extension, Feature
from app.provenance import extensions

FEATURE = Feature(
    "provenance",
    extensions=(Extension("approve_document", prepare=extensions.read_for_review, decide=extensions.add_review),),
    draft=extensions.origin_of_draft,
    version=extensions.origin_of_version,
    details=extensions.tokens_of,
    publication=extensions.attribution,
)

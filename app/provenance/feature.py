"""What provenance adds to other folders."""

from app.core.features import Feature, by_class_name
from app.provenance.generation import WithGeneration
from app.provenance.schemas import ApproveFields
from app.provenance.vocabulary import DisclosureValue, ReviewDemand, WriterKind

FEATURE = Feature(
    "provenance",
    closed_lists=by_class_name(DisclosureValue, ReviewDemand, WriterKind),
    instructed=(WithGeneration, ApproveFields),
)

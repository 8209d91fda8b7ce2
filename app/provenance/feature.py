"""What provenance adds to the records and operations of other folders."""

from app.core.features import Feature
from app.provenance.gates import requires_record

PROVENANCE = Feature("provenance", requires_review=requires_record)

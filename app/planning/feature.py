"""Additions of planning to other folders."""

from app.core.features import Feature, by_class_name
from app.planning.schemas import PieceOutcome

FEATURE = Feature("planning", closed_lists=by_class_name(PieceOutcome))

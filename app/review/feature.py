"""What review adds to other folders."""

from app.core.features import Feature, by_class_name
from app.review.vocabulary import ThreadLevel, ThreadOutcome, ThreadState

FEATURE = Feature("review", closed_lists=by_class_name(ThreadLevel, ThreadOutcome, ThreadState))

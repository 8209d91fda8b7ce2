"""What checks adds to other folders."""

from app.checks.vocabulary import CheckLevel, CheckName, CheckOutcome
from app.core.features import Feature, by_class_name

FEATURE = Feature("checks", closed_lists=by_class_name(CheckLevel, CheckName, CheckOutcome))

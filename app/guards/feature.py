"""What guards adds to other folders."""

from app.core.features import Feature, by_class_name
from app.guards.vocabulary import BudgetLimit, SkipReason

FEATURE = Feature("guards", closed_lists=by_class_name(BudgetLimit, SkipReason))

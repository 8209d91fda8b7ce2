"""What notices adds to other folders."""

from app.core.features import Feature, by_class_name
from app.notices.vocabulary import Digest, WaitKind

FEATURE = Feature("notices", closed_lists=by_class_name(Digest, WaitKind))

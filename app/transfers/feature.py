"""What transfers adds to other folders."""

from app.core.features import Feature

FEATURE = Feature("transfers")

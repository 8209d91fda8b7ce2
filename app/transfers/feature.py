"""Additions of transfers to other folders."""

from app.core.features import Feature

FEATURE = Feature("transfers")

"""Refusals of sources (decisions, section 22)."""

from app.core.errors import Refusal


class SourceCited(Refusal, status=409):
    """The present or the published text cites this source: take its references out of the text first, and publish."""

"""The refusal of a request that accepts none of the media types."""

from app.core.errors import Refusal


class NotAcceptable(Refusal, status=406):
    """Documents are `text/markdown`, `text/html` or `application/json`: accept one of them, or ask for `SLUG.md`."""

"""The refusal of a submit whose checks fail."""

from app.core.errors import Refusal


class ChecksFailed(Refusal, status=409):
    """The project demands checks that fail: correct what `checks` lists, then submit again."""

"""Arguments of `changes` (decisions, section 21)."""

from app.core.schemas.fields import Schema, StrictInteger, StrictString


class ChangesPage(Schema):
    """One page of changes."""

    after = StrictString(200, description="the cursor of an earlier page", allow_none=False)
    limit = StrictInteger(1, 100, description="most changes to return", load_default=100)

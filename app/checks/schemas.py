"""Query of `check_document`, and the levels of checks that a project sets."""

from itertools import chain
from typing import Any

import marshmallow as ma

from app.checks.vocabulary import CheckLevel, CheckName
from app.core.schemas.fields import MAX_LISTED, OVER_MCP, Documented, EnumString, Schema, StrictBoolean


class ChecksQuery(Schema):
    """Which outcomes of checks to list; over REST always all (decisions, section 8)."""

    all = StrictBoolean(description="list what passed and was skipped too", metadata={OVER_MCP: False})


class CheckLevels(Documented, ma.fields.Dict):
    """Names of checks, each with its level; the second stage checks both words."""

    default_error_messages: dict[str, Any] = {"invalid": "Must be an object."}

    def __init__(self, **options: Any) -> None:
        super().__init__(
            keys=EnumString(CheckName, allow_none=False), values=EnumString(CheckLevel, allow_none=False), **options
        )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, dict) and len(value) > MAX_LISTED:
            raise ma.ValidationError(f"Must have at most {MAX_LISTED} items.")
        try:
            return super()._deserialize(value, attr, data, **kwargs)  # type: ignore[no-untyped-call]
        except ma.ValidationError as error:
            if isinstance(error.messages, dict):  # by name, then by `key` and `value`
                flat = {name: [*chain.from_iterable(one.values())] for name, one in error.messages.items()}
                raise ma.ValidationError(flat) from None
            raise


class CheckSettings(Schema):
    """The project's setting of checks."""

    checks = CheckLevels(
        description="levels of checks by name; replaced whole",
        example={"meta_title": "error", "references": "off"},
        allow_none=True,
    )

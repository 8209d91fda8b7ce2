"""Query of `check_document`, and the levels of checks that a project sets."""

from typing import Any

from app.checks.vocabulary import CheckLevel, CheckName
from app.core.schemas.fields import MAX_LISTED, OVER_MCP, EnumString, Schema, StrictBoolean, StringTable


class ChecksQuery(Schema):
    """Which outcomes of checks to list; over REST always all (decisions, section 8)."""

    all = StrictBoolean(description="passed and skipped ones too", metadata={OVER_MCP: False})


class CheckLevels(StringTable):
    """Names of checks, each with its level; the second stage checks both words."""

    def __init__(self, **options: Any) -> None:
        names, levels = EnumString(CheckName, allow_none=False), EnumString(CheckLevel, allow_none=False)
        super().__init__(names, levels, MAX_LISTED, **options)


class CheckSettings(Schema):
    """The project's setting of checks."""

    checks = CheckLevels(
        description="levels of checks by name; replaced whole",
        example={"meta_title": "error", "references": "off"},
        allow_none=True,
    )

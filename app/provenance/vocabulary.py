"""Kinds of writers, and values of disclosure (decisions, section 18)."""

from enum import StrEnum


class WriterKind(StrEnum):
    """Whether words count as an agent's or as a person's (decisions, section 18)."""

    AGENT = "agent"
    PERSON = "person"


class ReviewDemand(StrEnum):
    """Whether an approval needs the record of a person's review (decisions, section 18)."""

    OFF = "off"
    REQUIRED = "required"


class DisclosureValue(StrEnum):
    """What a publisher has to say of a text (decisions, section 18)."""

    HUMAN_ONLY = "human-only"
    AI_ASSISTED = "ai-assisted"
    AI_AUTONOMOUS = "ai-autonomous"

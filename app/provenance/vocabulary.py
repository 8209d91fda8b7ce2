"""Kinds of writers, and values of disclosure (decisions, section 18)."""

from enum import StrEnum


class WriterKind(StrEnum):
    """Kind of writer that words are attributed to: an agent or a person (decisions, section 18)."""

    AGENT = "agent"
    PERSON = "person"


class ReviewDemand(StrEnum):
    """Requirement of the record of a person's review for an approval (decisions, section 18)."""

    OFF = "off"
    REQUIRED = "required"


class DisclosureValue(StrEnum):
    """Disclosure that a publisher has to make about a text (decisions, section 18)."""

    HUMAN_ONLY = "human-only"
    AI_ASSISTED = "ai-assisted"
    AI_AUTONOMOUS = "ai-autonomous"

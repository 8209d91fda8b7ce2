"""Names, levels and outcomes of checks (decisions, section 12)."""

from enum import StrEnum


class CheckName(StrEnum):
    """The checks of a document, in the order in which they are listed (decisions, section 12)."""

    KEYWORD_IN_TITLE = "keyword_in_title"
    KEYWORD_IN_OPENING = "keyword_in_opening"
    KEYWORD_IN_SLUG = "keyword_in_slug"
    LENGTH = "length"
    OUTLINE_COVERED = "outline_covered"
    INTERNAL_LINKS = "internal_links"
    REFERENCES = "references"
    SOURCES_KNOWN = "sources_known"
    SOURCES_CITED = "sources_cited"
    QUOTES_VERBATIM = "quotes_verbatim"
    NUMBERS_SOURCED = "numbers_sourced"
    HEADING_LEVELS = "heading_levels"
    IMAGE_ALT = "image_alt"
    META_TITLE = "meta_title"
    META_DESCRIPTION = "meta_description"
    PLACEHOLDERS = "placeholders"
    MODEL_SLIPS = "model_slips"
    REPEATED_PARAGRAPHS = "repeated_paragraphs"
    LINKS = "links"
    HTML_KEPT = "html_kept"
    KEYWORD_TAKEN = "keyword_taken"


class CheckLevel(StrEnum):
    """How much a failed check counts: an `error` prevents submitting the document (decisions, section 12)."""

    OFF = "off"
    WARNING = "warning"
    ERROR = "error"


class CheckOutcome(StrEnum):
    """How a check ended; it is skipped where the document lacks what it compares with."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"

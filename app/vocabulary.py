"""The closed word lists of the contract."""

from enum import StrEnum


class Kind(StrEnum):
    """What an intent becomes when it is confirmed."""

    DOCUMENT = "document"
    CLUSTER = "cluster"
    CATEGORY = "category"


class BriefState(StrEnum):
    """The states of a brief (contract: Brief states)."""

    NONE = "none"
    READY = "ready"
    CLAIMED = "claimed"
    DRAFTED = "drafted"


class DocumentStatus(StrEnum):
    """The statuses of a document, from idea to published (decisions, section 5)."""

    IDEA = "idea"
    PLANNED = "planned"
    DRAFTING = "drafting"
    REVIEW = "review"
    APPROVED = "approved"
    SCHEDULED = "scheduled"
    PUBLISHED = "published"


class SearchIntent(StrEnum):
    """What a searcher wants who types the brief's keyword."""

    INFORMATIONAL = "informational"
    COMMERCIAL = "commercial"
    TRANSACTIONAL = "transactional"
    NAVIGATIONAL = "navigational"


class Scope(StrEnum):
    """What a management token allows; none implies another (decisions, section 2)."""

    READ = "read"
    WRITE = "write"
    PUBLISH = "publish"
    ADMIN = "admin"


class Role(StrEnum):
    """A member's role; descriptive, as permissions are the token's."""

    OWNER = "owner"
    EDITOR = "editor"
    WRITER = "writer"


class TokenKind(StrEnum):
    """Which API a token opens; a calendar's opens one member's calendar alone."""

    MANAGEMENT = "management"
    DELIVERY = "delivery"
    CALENDAR = "calendar"


class ActorType(StrEnum):
    """Who wrote: a token, a visitor by a review link, or the service itself (command line and worker)."""

    TOKEN = "token"  # noqa: S105
    LINK = "link"
    SYSTEM = "system"


class ThreadLevel(StrEnum):
    """How much a remark matters; a `must` stands in the way of publishing (decisions, section 17)."""

    MUST = "must"
    SHOULD = "should"
    NOTE = "note"


class ThreadState(StrEnum):
    """The states of a review thread (decisions, section 17)."""

    OPEN = "open"
    ANSWERED = "answered"
    RESOLVED = "resolved"


class ThreadOutcome(StrEnum):
    """What became of a suggestion (decisions, section 17)."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"


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


class WaitKind(StrEnum):
    """Why something waits for somebody (decisions, section 19)."""

    REVIEW = "review"
    CHANGES = "changes"
    THREAD = "thread"
    OVERDUE = "overdue"
    PUBLISH_FAILED = "publish_failed"
    ROUNDS = "rounds"


class Digest(StrEnum):
    """When a member is told of what waits (decisions, section 19)."""

    INSTANT = "instant"
    DAILY = "daily"
    OFF = "off"


class BudgetLimit(StrEnum):
    """The limits of a token's budget, by the names of their keys (decisions, section 13)."""

    WRITES = "writesPerHour"
    PUBLISHES = "publishesPerDay"


class SkipReason(StrEnum):
    """Why a document was not reverted, or not completely (decisions, section 13)."""

    CHANGED_SINCE = "changed_since"
    CREATED_SINCE = "created_since"
    FROZEN_STATUS = "frozen_status"
    SLUG_TAKEN = "slug_taken"
    PUBLISHED_SINCE = "published_since"


class DeliveryStatus(StrEnum):
    """How far a webhook's delivery got (decisions, section 9)."""

    PENDING = "pending"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


class PieceOutcome(StrEnum):
    """What became of a piece of a plan (decisions, section 14)."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    REFUSED = "refused"


class Channel(StrEnum):
    """The way an operation was called; some rules depend on it (contract: Brief states, rule 3)."""

    REST = "rest"
    CONSOLE = "console"
    MCP = "mcp"
    GRAPHQL = "graphql"
    CLI = "cli"
    WORKER = "worker"


ALL_TOOLS = "all"
TOOLSETS = ("writing", "planning", "reviewing", "admin", ALL_TOOLS)
"""The sets of MCP's tools, for clients whose work needs few of them: `/mcp?toolset=writing`, `mcp --toolset writing`.

A token sees those of its scopes; `all` holds every tool.
"""

EVENT_TYPES = (
    *(
        f"document.{what}"
        for what in (
            *("created", "updated", "content_updated", "submitted", "approved", "changes_requested", "scheduled"),
            *("unscheduled", "published", "unpublished", "deleted", "restored", "publish_failed"),
        )
    ),
    *(f"brief.{what}" for what in ("updated", "ready", "claimed", "renewed", "withdrawn", "released", "expired")),
    *(f"thread.{what}" for what in ("opened", "replied", "resolved", "reopened")),
    *("review_link.created", "review_link.deleted"),
    *(f"{thing}.{what}" for thing in ("category", "cluster", "member") for what in ("created", "updated", "deleted")),
    "member.invited",
    *("token.created", "token.updated", "token.rotated", "token.revoked"),
    *("webhook.created", "webhook.updated", "webhook.deleted", "webhook.disabled"),
    *("project.updated", "project.frozen", "project.unfrozen"),
)
"""Every type of event there is."""


class CheckName(StrEnum):
    """The checks of a document, in the order in which they are listed (decisions, section 12)."""

    KEYWORD_IN_TITLE = "keyword_in_title"
    KEYWORD_IN_OPENING = "keyword_in_opening"
    KEYWORD_IN_SLUG = "keyword_in_slug"
    LENGTH = "length"
    OUTLINE_COVERED = "outline_covered"
    INTERNAL_LINKS = "internal_links"
    REFERENCES = "references"
    HEADING_LEVELS = "heading_levels"
    IMAGE_ALT = "image_alt"
    META_TITLE = "meta_title"
    META_DESCRIPTION = "meta_description"
    PLACEHOLDERS = "placeholders"
    REPEATED_PARAGRAPHS = "repeated_paragraphs"
    LINKS = "links"
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

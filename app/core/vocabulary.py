"""The closed word lists of the contract."""

from enum import StrEnum


class Kind(StrEnum):
    """Type of the record that an intent becomes when it is confirmed."""

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
    """Intent of a searcher who enters the brief's keyword."""

    INFORMATIONAL = "informational"
    COMMERCIAL = "commercial"
    TRANSACTIONAL = "transactional"
    NAVIGATIONAL = "navigational"


class Scope(StrEnum):
    """Permission of a management token; none implies another (decisions, section 2)."""

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
    """Which API a token opens."""

    MANAGEMENT = "management"
    DELIVERY = "delivery"


class ActorType(StrEnum):
    """Who wrote: a token, a visitor by a review link, or the service itself (command line and worker)."""

    TOKEN = "token"  # noqa: S105
    LINK = "link"
    SYSTEM = "system"

    @classmethod
    def _missing_(cls, value: object) -> None:
        raise ValueError(f"Must be one of {', '.join(cls)}.")


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

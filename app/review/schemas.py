"""Schemas of review threads and review links (decisions, section 17)."""

from app.core.schemas.fields import (
    EnumList,
    List,
    Nested,
    Schema,
    StrictBoolean,
    StrictInteger,
    StrictString,
    not_empty,
)
from app.core.schemas.queries import Page
from app.core.schemas.validation import HEX_ID, WRONG_ID, full_match, not_blank, one_of
from app.documents.schemas import WithClaim
from app.review.vocabulary import ThreadLevel, ThreadState

MOST_COMMENTS = 100
"""Maximum number of comments of a thread."""
MOST_TEXT = 100_000
"""Maximum number of characters of a thread's comments together: lists answer 200 threads at once."""


MOST_OPENED = 50
"""Maximum number of threads per request for changes."""


class QuoteFields(Schema):
    """The passage that a remark is about: together with what stands around it, it must stand in the text once."""

    exact = StrictString(2_000, validate=[not_empty], description="to the character", example="Flour", required=True)
    prefix = StrictString(200, description="before it", allow_none=False)
    suffix = StrictString(200, description="after it", example=", water", allow_none=False)


class ReplyFields(Schema):
    """Body of `POST /documents/:id/threads/:threadId/replies`."""

    text = StrictString(5_000, validate=[not_empty], description="the comment", example="Say which.", required=True)


class ThreadReply(ReplyFields):
    """One of several answers."""

    threadId = StrictString(None, validate=[full_match(HEX_ID.pattern, WRONG_ID)], required=True)


class Replies(Schema):
    """Answers to several threads."""

    replies = List(
        Nested(ThreadReply, allow_none=False),
        MOST_OPENED,
        min_items=1,
        description="instead of `threadId` and `text`: several, all or none",
        required=True,
    )


class SettleFields(Schema):
    """Body of a request that resolves a thread or rejects a suggestion."""

    text = StrictString(
        5_000, validate=[not_empty], description="a last comment", example="Good now.", allow_none=False
    )


class ThreadFields(ReplyFields):
    """Fields of a thread to open: the body of `POST /documents/:id/threads`, or one thread of a request for changes."""

    level = StrictString(
        validate=[one_of(ThreadLevel)],
        description="by default `should`; a `must` prevents approval",
        example="must",
        allow_none=False,
    )
    quote = Nested(QuoteFields, description="the passage")
    suggestion = StrictString(20_000, description="replaces the passage; empty removes it", example="Wheat flour")


class ThreadQuery(Page):
    """Which threads of a document to list."""

    limit = StrictInteger(1, 200, description="most items to return", load_default=200)
    state = EnumList(
        ThreadState,
        load_default=lambda: [ThreadState.OPEN, ThreadState.ANSWERED],
        description="in these states",
        metadata={"default": ["open", "answered"]},
    )


class ReviewLinkFields(Schema):
    """Body of `POST /documents/:id/review-links`."""

    name = StrictString(100, validate=[not_blank], description="the visitor's name", example="Lee", required=True)
    days = StrictInteger(1, 14, description="for how many days it works, by default 7", example=7, allow_none=False)


class AcceptFields(WithClaim):
    """Body of `POST /documents/:id/threads/:threadId/accept`."""


class WithThreads(Schema):
    """A request for changes that may open threads, and offer the brief."""

    threads = List(
        Nested(ThreadFields, allow_none=False),
        MOST_OPENED,
        description="threads to open, all or none",
        example=[{"text": "Say which.", "quote": {"exact": "Flour"}, "suggestion": "Wheat flour"}],
        allow_none=False,
    )
    offer = StrictBoolean(description="make the brief `ready` too, for a writer to take", example=True)


class RoundSettings(Schema):
    """The limit, as it is sent."""

    maxRounds = StrictInteger(
        1,
        20,
        description="requests for changes with `offer` before a publication; null: no limit",
        example=3,
        allow_none=True,
    )

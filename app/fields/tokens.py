"""What a token may hold (decisions, section 2)."""

from app.fields.kinds import Fields, flag, not_blank, text, timestamp, word, words
from app.vocabulary import Scope, TokenKind


class TokenFields(Fields):
    """What makes a token."""

    name = text(100, not_blank, doc="what or who uses the token", null=False, required=True)
    kind = word(TokenKind, doc="`management` (the default) or `delivery`", null=False)
    agent = text(100, not_blank, doc="name of the agent that uses the token")
    scopes = words(Scope, doc="what it may do; by default `read write publish`, with an agent `read write`")
    drafts = flag(doc="a delivery token: may it see documents that are not published?")
    expiresAt = text(100, timestamp, doc="when it stops working, a timestamp with its offset; never without")

"""Token records; the secret is in the response to the creation and nowhere else (decisions, section 2)."""

from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from app.core.actors import Actor
from app.core.documented import Id, Timestamp, doc, one_of, shown_once
from app.core.vocabulary import Scope, TokenKind


class Token(TypedDict):
    """A token, without its secret."""

    id: Annotated[Id, doc("the token's id")]
    kind: Annotated[str, one_of(TokenKind), doc("which API it opens")]
    name: Annotated[str, doc("what or who uses it", "Night writer")]
    agent: Annotated[str | None, doc("the agent that uses it", "writer-1")]
    scopes: Annotated[
        list[Annotated[str, one_of(Scope)]], doc("what it may do; empty for a delivery token", ["read", "write"])
    ]
    drafts: Annotated[bool, doc("a delivery token: may read drafts")]
    memberId: Annotated[Id | None, doc("the member whose it is; null: nobody's")]
    createdAt: Annotated[Timestamp, doc("when it was created")]
    expiresAt: Annotated[Timestamp | None, doc("when it expires; null: never")]
    lastUsedAt: Annotated[Timestamp | None, doc("when it was last used; may lag a minute")]
    revokedAt: Annotated[Timestamp | None, doc("when it was revoked")]


class NewToken(Token):
    """A token with its secret, shown only in this response; a replay under an idempotency key leaves it out."""

    token: NotRequired[
        Annotated[str, shown_once("the secret: store it now, it is not shown again", "cwm_shown-this-once")]
    ]


class Invitation(TypedDict):
    """An invitation of a member that can still be accepted, without its link."""

    id: Annotated[Id, doc("the invitation's id")]
    scopes: Annotated[
        list[Annotated[str, one_of(Scope)]], doc("what the member's token may do", ["read", "write", "publish"])
    ]
    createdAt: Annotated[Timestamp, doc("when it was made")]
    createdBy: Annotated[Actor, doc("who invited")]
    expiresAt: Annotated[Timestamp, doc("until when it can be accepted")]


class NewInvitation(Invitation):
    """An invitation with its link, shown only in this response; a replay under an idempotency key leaves it out."""

    link: NotRequired[
        Annotated[
            str,
            shown_once(
                "signs the member in to the console, once", "https://cms.example.org/console/join#shown-this-once"
            ),
        ]
    ]

"""Invitations as callers see them; the link is in the response to the creation and nowhere else."""

from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from app.documented import Id, Timestamp, doc, one_of, shown_once
from app.rules.actors import Actor
from app.vocabulary import Scope


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

"""Invitations: a link that signs a member in to the console once, with a token of their own (decisions, section 2)."""

from datetime import datetime, timedelta

from app.core.actors import Actor
from app.core.context import Caller, Context, system
from app.core.errors import BadRequest, Forbidden, NotFound, Unauthorized, or_raise
from app.core.operation import Effect, Result, operation
from app.core.records import record_of
from app.core.schemas.loading import Fields, check
from app.core.schemas.queries import LongPage
from app.core.store.store import Store
from app.core.times import wire_time
from app.core.vocabulary import Channel, Scope
from app.projects.access import (
    hash_of,
    in_force,
    made_by,
    new_project_secret,
    no_later_than_maker,
    project_of_secret,
    refuse_if_maker_ended,
)
from app.projects.members import own_member
from app.projects.rules import StoredInvitation
from app.projects.store import Members, Projects
from app.projects.token_responses import Invitation, NewInvitation
from app.projects.token_schemas import InvitationFields
from app.projects.token_store import Invitations, Tokens
from app.projects.tokens import USUAL_SCOPES, create_token, refuse_agents, refuse_scopes

DEFAULT_LIFE = timedelta(days=7)
NO_INVITATION = "The member has no such invitation: it was accepted, withdrawn or has ended."


@operation(
    Scope.ADMIN,
    Effect.CREATES,
    "POST /members/<id>/invitations",
    body=InvitationFields,
    errors=(BadRequest, Forbidden),
    transaction=True,
    unchanging=True,
    next="Give the link to the member alone, and never write it into a document.",
)
def invite_member(ctx: Context, member_id: str, fields: Fields) -> Result[NewInvitation]:
    """Invite a member: the link signs them in to the console once.

    The link is shown only in this response. Agents can't invite.
    """
    member = ctx.check_match(own_member(ctx, member_id))
    refuse_agents(ctx)
    check(InvitationFields, fields)
    scopes = [str(scope) for scope in Scope if scope in fields.get("scopes", USUAL_SCOPES)]
    refuse_scopes(ctx, scopes)
    life = timedelta(seconds=fields["expiresIn"]) if "expiresIn" in fields else DEFAULT_LIFE
    secret = new_project_secret(ctx.project_id)
    invitation = ctx.store[Invitations].add(
        ctx.project_id,
        hash_of(secret),
        {"memberId": member_id, "scopes": scopes, **made_by(ctx.caller)},
        ctx.now,
        no_later_than_maker(ctx.caller, ctx.now + life),
    )
    ctx.store[Members].update(
        ctx.project_id, member, {}, ctx.event("member.invited", {"invitationId": invitation["id"]})
    )
    # What follows the # reaches no server and no log.
    link = f"{ctx.server.address().rstrip('/')}/console/join#{secret}"
    return Result({**record_of(Invitation, invitation), "link": link}, secrets=("link",))


def joined_and_invited(ctx: Context) -> tuple[set[str], set[str]]:
    """Returns the ids of the members who have a token, and of those with an open invitation."""
    tokens, found = ctx.store[Tokens], ctx.store[Invitations].list(ctx.project_id, None, ctx.now)
    invited = {one["memberId"] for one in in_force(ctx.store, ctx.project_id, found, ctx.now)}
    return set(tokens.owners(ctx.project_id, revokedAt=None).values()), invited


@operation(Scope.ADMIN, Effect.READS, "GET /members/<id>/invitations", query=LongPage)
def list_invitations(ctx: Context, member_id: str, fields: Fields) -> Result[list[Invitation]]:
    """List the open invitations of a member, the oldest first."""
    own_member(ctx, member_id)
    found = ctx.store[Invitations].list(ctx.project_id, member_id, ctx.now)
    open_ones = in_force(ctx.store, ctx.project_id, found, ctx.now)
    first = fields["offset"]
    return Result([record_of(Invitation, one) for one in open_ones[first : first + fields["limit"]]])


@operation(Scope.ADMIN, Effect.DESTROYS, "DELETE /members/<id>/invitations/<invitation_id>", unchanging=True)
def withdraw_invitation(ctx: Context, member_id: str, invitation_id: str) -> Result[Invitation]:
    """Withdraw an invitation, whose link then signs nobody in."""
    ctx.check_match(own_member(ctx, member_id))
    withdrawn = ctx.store[Invitations].delete(ctx.project_id, member_id, invitation_id)
    return Result(record_of(Invitation, or_raise(withdrawn, NotFound, NO_INVITATION)))


def read_invitation(store: Store, secret: str, now: datetime) -> tuple[str, str, Actor]:
    """Returns the names of the project and of the member that an invitation is for, and who invited.

    Refuses with `Unauthorized` as `accept_invitation` does.
    """
    project_id = project_of_secret(secret)
    invitation = or_raise(store[Invitations].get(project_id, hash_of(secret), now), Unauthorized)
    refuse_if_maker_ended(store, project_id, invitation, now)
    member = or_raise(store[Members].get(project_id, invitation["memberId"]), Unauthorized)
    return store[Projects].settings(project_id)["name"], member["name"], invitation["createdBy"]


def accept_invitation(store: Store, secret: str, now: datetime) -> str:
    """Uses an invitation up and returns the secret of the token that it makes, which has the member's name.

    Not an operation: the invited person has no token yet, so the inviter is the caller. Refuses with `Unauthorized`
    when there is no such invitation, it has ended or was used, or the member is gone, and while the project is closed;
    a refusal uses nothing up.
    """
    project_id = project_of_secret(secret)

    def accept(store: Store) -> str:
        invitation = or_raise(store[Invitations].take(project_id, hash_of(secret), now), Unauthorized)
        refuse_if_maker_ended(store, project_id, invitation, now)
        if closed := store.features.if_closed(store[Projects].settings(project_id)):
            raise closed
        member = or_raise(store[Members].get(project_id, invitation["memberId"]), Unauthorized)
        fields = {"name": member["name"], "scopes": invitation["scopes"], "memberId": member["id"]}
        inviter = store[Tokens].get(project_id, invitation["createdBy"]["id"] or "")
        if inviter and (ends := inviter.get("expiresAt")):
            fields["expiresAt"] = wire_time(ends)
        ctx = Context(store, _inviter(project_id, invitation), Channel.CLI, now)
        token: str = create_token(ctx, fields=fields).body["token"]
        return token

    return store.in_transaction(accept)


def _inviter(project_id: str, invitation: StoredInvitation) -> Caller:
    """Returns the inviter as the caller; their scopes were checked when they invited."""
    by = invitation["createdBy"]
    if by["id"] is None:
        return system(project_id, "")
    return Caller(project_id, "", by["id"], by["name"], by["agent"], frozenset(Scope))

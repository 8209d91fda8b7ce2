"""Invitations: a link that signs a member in to the console once, with a token of their own.

Neither is an operation of the catalogue: the console and the command line create invitations, and who accepts one has
no token yet.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from app.errors import NotFound, Unauthorized, or_raise
from app.operations.access import hash_of, new_project_secret, project_of_secret
from app.operations.context import Context, system
from app.operations.members import NO_MEMBER
from app.operations.tokens import create_token, refuse_scopes
from app.store.store import Store
from app.vocabulary import Channel, Scope


def invite_member(ctx: Context, member_id: str, scopes: Sequence[Scope], life: timedelta) -> str:
    """Returns the secret of a new invitation, which makes one token with these scopes.

    Whoever invites needs what making that token needs: refuses with `Forbidden` and `ProjectFrozen` as `create_token`
    does, and with `NotFound` where there is no such member.
    """
    create_token.permit(ctx)
    refuse_scopes(ctx, scopes)
    secret = new_project_secret(ctx.project_id)
    with ctx.store.deadline():
        or_raise(ctx.store.members.get(ctx.project_id, member_id), NotFound, NO_MEMBER)
        inviter = ctx.store.tokens.get(ctx.project_id, ctx.caller.token_id) if ctx.caller.token_id else None
        token_hash = inviter["hash"] if inviter else None
        invitation = {"memberId": member_id, "scopes": [str(scope) for scope in scopes], "tokenHash": token_hash}
        ctx.store.invitations.add(ctx.project_id, hash_of(secret), invitation, ctx.now, ctx.now + life)
    return secret


def join_link(address: str, secret: str) -> str:
    """Returns the link of an invitation; the part after the # reaches no server and no log."""
    return f"{address.rstrip('/')}/console/join#{secret}"


def accept_invitation(store: Store, secret: str, now: datetime) -> str:
    """Uses an invitation up and returns the secret of the token that it makes, which has the member's name.

    Refuses with `Unauthorized` when there is no such invitation, it expired or was used, the member is gone, or the
    token that made it was revoked or got a new secret.
    """
    project_id = project_of_secret(secret)

    def accept(store: Store) -> str:
        invitation = or_raise(store.invitations.delete(project_id, hash_of(secret), now), Unauthorized)
        if token_hash := invitation.get("tokenHash"):
            inviter = or_raise(store.tokens.by_hash(token_hash), Unauthorized)
            if inviter["revokedAt"] is not None:
                raise Unauthorized
        ctx = Context(store, system(project_id, ""), Channel.CLI, now)
        member = or_raise(store.members.get(project_id, invitation["memberId"]), Unauthorized)
        token: str = create_token(ctx, fields={"name": member["name"], "scopes": invitation["scopes"]}).body["token"]
        return token

    with store.deadline():
        return store.in_transaction(accept)

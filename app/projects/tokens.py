"""Tokens of the project (decisions, section 2)."""

from collections.abc import Iterable
from typing import get_type_hints

from app.core.context import Context
from app.core.errors import BadRequest, Forbidden, NotFound, Problem, or_raise
from app.core.operation import Effect, Result, operation
from app.core.records import record_tag
from app.core.schemas.loading import Fields, changed_fields, check, in_order, problems
from app.core.schemas.queries import LongPage
from app.core.store.store import Store
from app.core.times import read_time
from app.core.vocabulary import Scope, TokenKind
from app.projects.access import hash_of, new_secret
from app.projects.rules import NEW_TOKEN, StoredToken
from app.projects.store import Members
from app.projects.token_responses import NewToken, Token
from app.projects.token_schemas import TokenChanges, TokenFields
from app.projects.token_store import Tokens

AGENT_SCOPES = (Scope.READ, Scope.WRITE)
USUAL_SCOPES = (*AGENT_SCOPES, Scope.PUBLISH)

NOBODY = Problem(field="memberId", message="Is not the id of a member in this project.")
NAMELESS = "MCP client"
"""The agent's name of a token that is made over MCP by a client without a name."""
OTHER_AGENT = (
    "Must be {!r} or left out: an agent, and anybody over MCP, makes tokens in the caller's own agent name alone: a "
    "person makes others, in the console or over REST."
)
NO_OWNER = Problem(field="memberId", message="Only a management token can be a member's.")


@operation(Scope.ADMIN, Effect.READS, "GET /tokens", query=LongPage)
def list_tokens(ctx: Context, fields: Fields) -> Result[list[Token]]:
    """List the project's tokens, the oldest first, revoked ones too."""
    shown = get_type_hints(ctx.features.response_of(Token))
    found = ctx.store[Tokens].list(ctx.project_id, shown, limit=fields["limit"], offset=fields["offset"])
    return Result([ctx.features.record_of(Token, token) for token in found])


@operation(
    Scope.ADMIN,
    Effect.CREATES,
    "POST /tokens",
    body=TokenFields,
    errors=(BadRequest, Forbidden),
    next="Pass the secret on at once, and never write it into a document.",
)
def create_token(ctx: Context, fields: Fields) -> Result[NewToken]:
    """Create a token of the project; its secret is shown only in this response.

    One that an agent makes, or anybody over MCP, has the caller's own agent name.
    """
    own = agent_name(ctx, fields.get("agent"))
    _check(ctx, fields, own)
    kind = TokenKind(fields.get("kind", TokenKind.MANAGEMENT))
    delivery = kind == TokenKind.DELIVERY
    agent = own or fields.get("agent")
    usual = () if delivery else AGENT_SCOPES if agent else USUAL_SCOPES
    scopes = [str(scope) for scope in Scope if scope in fields.get("scopes", usual)]
    refuse_scopes(ctx, scopes, drafts=fields.get("drafts", False))
    expires = fields.get("expiresAt")
    secret = new_secret(kind)
    token = {
        **NEW_TOKEN,
        **ctx.features.to_stored(Token, {"kind": kind}, fields),
        "kind": kind,
        "name": fields["name"],
        "agent": agent,
        "scopes": scopes,
        "drafts": fields.get("drafts", False),
        "memberId": fields.get("memberId"),
        "hash": hash_of(secret),
        "createdAt": ctx.now,
        "expiresAt": read_time(expires) if expires else None,
    }
    added = ctx.store[Tokens].add(ctx.project_id, token, ctx.event("token.created"))
    return _result_with_secret(ctx, added, secret)


@operation(Scope.ADMIN, Effect.CHANGES, "PATCH /tokens/<id>", body=TokenChanges, errors=(BadRequest,))
def update_token(ctx: Context, token_id: str, fields: Fields) -> Result[Token]:
    """Change a token, within 5 seconds on every server."""
    token = ctx.check_match(_own_token(ctx, token_id))
    check(ctx.features.schema_of(TokenChanges), fields, *_wrong_for(ctx, token["kind"], fields))
    changes = changed_fields(token, ctx.features.to_stored(Token, token, fields))
    return _result(ctx, _write(ctx, token, changes, "token.updated") if changes else token)


@operation(Scope.ADMIN, Effect.DESTROYS, "DELETE /tokens/<id>")
def revoke_token(ctx: Context, token_id: str) -> Result[Token]:
    """Revoke a token: within 5 seconds no server accepts it."""
    token = ctx.check_match(_own_token(ctx, token_id))
    return _result(ctx, _write(ctx, token, {"revokedAt": ctx.now}, "token.revoked"))


@operation(
    Scope.ADMIN,
    Effect.CHANGES,
    "POST /tokens/<id>/rotate",
    errors=(BadRequest, Forbidden),
    each_call_counts=True,
)
def rotate_token(ctx: Context, token_id: str) -> Result[NewToken]:
    """Give a token a new secret; the old one stops working within 5 seconds.

    The secret is shown only in this response. Drafts and claims stay its own.
    """
    token = ctx.check_match(_own_token(ctx, token_id))
    if not token["agent"]:
        refuse_agents(ctx)
    for feature in ctx.features.features:
        if feature.refuse_rotation:
            feature.refuse_rotation(token)
    refuse_scopes(ctx, token["scopes"], drafts=token["drafts"])
    secret = new_secret(token["kind"])
    rotated = _write(ctx, token, {"hash": hash_of(secret)}, "token.rotated")
    return _result_with_secret(ctx, rotated, secret)


def read_token(ctx: Context, token_id: str) -> Token:
    """Returns a token as `list_tokens` has it, for the console: a token has no address in the API.

    Refuses with `Forbidden` a caller who may not list tokens, and with `NotFound` when the project has no such token.
    """
    list_tokens.permit(ctx)
    token = ctx.store[Tokens].get(ctx.project_id, token_id)
    return ctx.features.record_of(Token, or_raise(token, NotFound, "The project has no such token."))


def refuse_scopes(ctx: Context, scopes: Iterable[str], *, drafts: bool = False) -> None:
    """Refuses with `Forbidden` a token with more rights than the caller; the drafts permission counts as `read`."""
    lacking = {*scopes, *((str(Scope.READ),) if drafts else ())} - ctx.caller.scopes
    if lacking:
        raise Forbidden(f"A token can't be given scopes that its maker lacks: {', '.join(sorted(lacking))}.")


def refuse_agents(ctx: Context) -> None:
    """Refuses with `Forbidden` an agent that would get a secret of a person."""
    if ctx.call.is_by_agent:
        raise Forbidden("An agent, and anybody over MCP, can't get a secret with which it would act as a person.")


def agent_name(ctx: Context, wanted: str | None = None) -> str | None:
    """Returns the agent's name under which acts whoever gets a secret of the caller's making; None for persons.

    `wanted` is the name for a caller over MCP who has none.
    """
    return (ctx.caller.actor["agent"] or wanted or NAMELESS) if ctx.call.is_by_agent else None


def project_of_token(store: Store, token_id: str) -> str:
    """Returns the id of the project that a token belongs to; for the command line, which is given the token alone.

    Refuses with `NotFound` when there is no such token.
    """
    token = store[Tokens].by_id(token_id)
    missing = f"There is no token {token_id}: `content-workflow token list --project ID` lists a project's."
    return or_raise(token, NotFound, missing)["projectId"]


def _check(ctx: Context, fields: Fields, agent: str | None) -> None:
    wrong = problems(ctx.features.schema_of(TokenFields), fields)
    if agent is not None and fields.get("agent", agent) != agent:
        wrong.append(Problem(field="agent", message=OTHER_AGENT.format(agent)))
    delivery = fields.get("kind") == TokenKind.DELIVERY
    if delivery and fields.get("scopes"):
        wrong.append(Problem(field="scopes", message="A delivery token has no scopes: it reads what is published."))
    wrong += _wrong_for(ctx, TokenKind.DELIVERY if delivery else TokenKind.MANAGEMENT, fields)
    if not delivery and fields.get("drafts"):
        wrong.append(Problem(field="drafts", message="Only a delivery token can be given the drafts permission."))
    expires = fields.get("expiresAt")
    if expires and not any(problem["field"] == "expiresAt" for problem in wrong) and read_time(expires) <= ctx.now:
        wrong.append(Problem(field="expiresAt", message="Must be in the future."))
    if wrong:
        raise BadRequest(errors=in_order(wrong))


def _wrong_for(ctx: Context, kind: str, fields: Fields) -> list[Problem]:
    """Returns what a token of a kind can't have, and a member that it can't belong to."""
    delivery, member_id = kind == TokenKind.DELIVERY, fields.get("memberId")
    is_somebody = member_id is None or ctx.store[Members].exists(ctx.project_id, member_id)
    wrong = ctx.features.problems(Token, ctx, {"kind": kind}, fields)
    if delivery and member_id is not None:
        return [*wrong, NO_OWNER]
    return wrong if is_somebody else [*wrong, NOBODY]


def _write(ctx: Context, token: StoredToken, changes: Fields, event: str) -> StoredToken:
    return ctx.store[Tokens].update(ctx.project_id, token, changes, ctx.event(event))


def _own_token(ctx: Context, token_id: str) -> StoredToken:
    token = ctx.store[Tokens].get(ctx.project_id, token_id)
    if token is None or token["revokedAt"]:
        raise NotFound("The project has no such token, or it was revoked already.")
    return token


def _result(ctx: Context, token: StoredToken) -> Result[Token]:
    return Result(ctx.features.record_of(Token, token), etag=record_tag(token))


def _result_with_secret(ctx: Context, token: StoredToken, secret: str) -> Result[NewToken]:
    """Returns a token with its new secret, which is shown once."""
    return Result({**ctx.features.record_of(Token, token), "token": secret}, etag=record_tag(token), secrets=("token",))

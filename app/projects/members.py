"""Members of the project (decisions, section 2)."""

from functools import partial

from app.core.context import Context
from app.core.errors import BadRequest, NotFound, Problem, or_raise
from app.core.operation import Effect, Result, operation
from app.core.records import record_tag
from app.core.schemas.fields import Schema
from app.core.schemas.loading import Fields, changed_fields, check
from app.core.schemas.queries import LongPage
from app.core.vocabulary import Role, Scope
from app.projects.responses import Member
from app.projects.rules import StoredMember
from app.projects.schemas import MemberChanges, MemberFields
from app.projects.store import AUTHOR, Members
from app.projects.token_store import Tokens

NO_MEMBER = ("The project has no member with this id", "memberId", "list the members to find it")
TAKEN = {
    "emailKey": Problem(field="email", message="Another member of the project has this e-mail address."),
    "slug": Problem(field="slug", message="Another member of the project has this slug: choose another."),
}
"""The problem where another member has the same, by the field."""
CLEARABLE = ("email", "bio", "imageUrl")


@operation(Scope.READ, Effect.READS, "GET /members", query=LongPage, toolsets=("planning", "admin"))
def list_members(ctx: Context, fields: Fields) -> Result[list[Member]]:
    """List the project's members by name: the ids that documents can be assigned to."""
    found = ctx.store[Members].list(ctx.project_id, limit=fields["limit"], offset=fields["offset"])
    return Result([ctx.features.record_of(Member, member) for member in found])


@operation(Scope.READ, Effect.READS, "GET /members/<id>", toolsets=("planning", "admin"))
def get_member(ctx: Context, member_id: str) -> Result[Member]:
    """Read a member."""
    return _result(ctx, own_member(ctx, member_id))


@operation(
    Scope.ADMIN,
    Effect.CREATES,
    "POST /members",
    body=MemberFields,
    errors=(BadRequest,),
    location="members.getMember",
)
def create_member(ctx: Context, fields: Fields) -> Result[Member]:
    """Add a member to the project."""
    _check(ctx, MemberFields, fields)
    members = ctx.store[Members]
    slug = fields.get("slug") or members.free_slug(ctx.project_id, fields["name"])
    unset = dict.fromkeys(CLEARABLE)
    own = {"role": Role.WRITER, **unset, **changed_fields(unset, fields, CLEARABLE), "slug": slug, "createdAt": ctx.now}
    return _result(ctx, members.add(ctx.project_id, own, ctx.event("member.created")))


@operation(
    Scope.ADMIN,
    Effect.CHANGES,
    "PATCH /members/<id>",
    body=MemberChanges,
    errors=(BadRequest,),
    transaction=True,
    arguments_as="create_member",
)
def update_member(ctx: Context, member_id: str, fields: Fields) -> Result[Member]:
    """Change a member; null clears `email`, `bio` and `imageUrl`."""
    member = ctx.check_match(own_member(ctx, member_id))
    problems = ctx.features.problems(Member, ctx, member, fields)
    _check(ctx, MemberChanges, fields, *problems, exclude=member_id)
    changes = changed_fields(member, ctx.features.to_stored(Member, member, fields), CLEARABLE)
    if not changes:
        return _result(ctx, member)
    if changes.keys() & AUTHOR.keys():
        ctx.store.change_delivery(ctx.project_id, "members")
    return _result(ctx, ctx.store[Members].update(ctx.project_id, member, changes, ctx.event("member.updated")))


@operation(Scope.ADMIN, Effect.DESTROYS, "DELETE /members/<id>", transaction=True)
def delete_member(ctx: Context, member_id: str) -> Result[Member]:
    """Remove a member: they can't be assigned any more, their tokens are revoked, and records keep their id."""
    member = ctx.check_match(own_member(ctx, member_id))
    ctx.store.change_delivery(ctx.project_id, "members")
    deleted = ctx.store[Members].delete(ctx.project_id, member, ctx.event("member.deleted"))
    tokens = ctx.store[Tokens]
    for token in tokens.all_of_member(ctx.project_id, member["id"]):
        tokens.update(ctx.project_id, token, {"revokedAt": ctx.now}, ctx.event("token.revoked"))
    return _result(ctx, deleted)


def own_member(ctx: Context, member_id: str) -> StoredMember:
    """Returns a stored member of the caller's project; else refuses with `NotFound`."""
    return or_raise(ctx.store[Members].get(ctx.project_id, member_id), NotFound, *NO_MEMBER)


def _check(ctx: Context, schema: type[Schema], fields: Fields, *problems: Problem, exclude: str | None = None) -> None:
    """Refuses with `BadRequest` invalid fields, what members other than `exclude` have alone, and `problems`."""
    same = partial(ctx.store[Members].find_same, ctx.project_id, fields, exclude)
    taken = [problem for name, problem in TAKEN.items() if same(unique=name)]
    check(ctx.features.schema_of(schema), fields, *taken, *problems)


def _result(ctx: Context, member: StoredMember) -> Result[Member]:
    return Result(ctx.features.record_of(Member, member), etag=record_tag(member))

"""Members of the project (decisions, section 2)."""

from app.errors import BadRequest, NotFound, Problem, or_raise
from app.operations.context import Context
from app.operations.operation import Effect, Result, operation
from app.responses.named import Member, member_record
from app.rules.etags import record_tag
from app.rules.named import StoredMember
from app.schemas.loading import Fields, changed_fields, check
from app.schemas.named import MemberChanges, MemberFields
from app.schemas.queries import LongPage
from app.schemas.types import Schema
from app.vocabulary import Role, Scope

NO_MEMBER = "The project has no member with this id; list the members to find it."
EMAIL_TAKEN = Problem(field="email", message="Another member of the project has this e-mail address.")


@operation(Scope.READ, Effect.READS, query=LongPage)
def list_members(ctx: Context, fields: Fields) -> Result[list[Member]]:
    """List the project's members by name: the ids that documents can be assigned to."""
    found = ctx.store.members.list(ctx.project_id, limit=fields["limit"], offset=fields["offset"])
    return Result([member_record(member) for member in found])


@operation(Scope.READ, Effect.READS)
def get_member(ctx: Context, member_id: str) -> Result[Member]:
    """Read a member."""
    return _result(own_member(ctx, member_id))


@operation(Scope.ADMIN, Effect.CREATES, body=MemberFields, errors=(BadRequest,))
def create_member(ctx: Context, fields: Fields) -> Result[Member]:
    """Add a member to the project."""
    _check(ctx, MemberFields, fields)
    member = {"role": Role.WRITER, "email": None, **fields, "createdAt": ctx.now}
    return _result(ctx.store.members.add(ctx.project_id, member, ctx.event("member.created")))


@operation(Scope.ADMIN, Effect.CHANGES, body=MemberChanges, errors=(BadRequest,), transaction=True)
def update_member(ctx: Context, member_id: str, fields: Fields) -> Result[Member]:
    """Change a member; null clears the e-mail address."""
    member = ctx.check_match(own_member(ctx, member_id))
    _check(ctx, MemberChanges, fields, exclude=member_id)
    changes = changed_fields(member, fields)
    if not changes:
        return _result(member)
    changed = ctx.store.members.update(ctx.project_id, member, changes, ctx.event("member.updated"))
    if "name" in changes:
        ctx.store.projects.delivery_changed(ctx.project_id)
    return _result(changed)


@operation(Scope.ADMIN, Effect.DESTROYS, transaction=True)
def delete_member(ctx: Context, member_id: str) -> Result[Member]:
    """Remove a member: they can't be assigned any more, and records keep their id.

    The response is the member as they were.
    """
    member = ctx.check_match(own_member(ctx, member_id))
    deleted = ctx.store.members.delete(ctx.project_id, member, ctx.event("member.deleted"))
    ctx.store.projects.delivery_changed(ctx.project_id)
    return _result(deleted)


def own_member(ctx: Context, member_id: str) -> StoredMember:
    """Returns a stored member of the caller's project; else refuses with `NotFound`."""
    return or_raise(ctx.store.members.get(ctx.project_id, member_id), NotFound, NO_MEMBER)


def _check(ctx: Context, schema: type[Schema], fields: Fields, exclude: str | None = None) -> None:
    """Refuses fields that break a rule, and the e-mail address of a member other than `exclude`."""
    is_taken = ctx.store.members.find_same(ctx.project_id, fields, exclude=exclude)
    check(schema, fields, *((EMAIL_TAKEN,) if is_taken else ()))


def _result(member: StoredMember) -> Result[Member]:
    return Result(member_record(member), etag=record_tag(member))

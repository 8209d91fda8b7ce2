"""Members of the project (decisions, section 2)."""

from datetime import datetime
from secrets import compare_digest, token_urlsafe

from app.core.actors import SYSTEM
from app.core.context import Context
from app.core.errors import BadRequest, NotFound, Problem, WriteConflict, or_raise
from app.core.etags import record_tag
from app.core.events import Event
from app.core.operation import Effect, Result, operation
from app.core.schemas.fields import Schema
from app.core.schemas.loading import Fields, changed_fields, check
from app.core.schemas.queries import LongPage
from app.core.store.collection import object_id
from app.core.store.store import Store
from app.core.vocabulary import Role, Scope
from app.notices.rules import notify_of
from app.notices.settings import merged_notify, notify_problems
from app.projects.responses import Member, member_record
from app.projects.rules import StoredMember
from app.projects.schemas import MemberChanges, MemberFields
from app.projects.store import Members, Projects

NO_MEMBER = "The project has no member with this id; list the members to find it."
EMAIL_TAKEN = Problem(field="email", message="Another member of the project has this e-mail address.")


@operation(Scope.READ, Effect.READS, "GET /members", query=LongPage, toolsets=("planning", "admin"))
def list_members(ctx: Context, fields: Fields) -> Result[list[Member]]:
    """List the project's members by name: the ids that documents can be assigned to."""
    found = ctx.store[Members].list(ctx.project_id, limit=fields["limit"], offset=fields["offset"])
    return Result([member_record(member) for member in found])


@operation(Scope.READ, Effect.READS, "GET /members/<id>", toolsets=("planning", "admin"))
def get_member(ctx: Context, member_id: str) -> Result[Member]:
    """Read a member."""
    return _result(own_member(ctx, member_id))


@operation(
    Scope.ADMIN,
    Effect.CREATES,
    "POST /members",
    body=MemberFields,
    errors=(BadRequest,),
    location="members.getMember",
    toolsets=("admin",),
)
def create_member(ctx: Context, fields: Fields) -> Result[Member]:
    """Add a member to the project."""
    _check(ctx, MemberFields, fields)
    member = {"role": Role.WRITER, "email": None, **fields, "createdAt": ctx.now}
    return _result(ctx.store[Members].add(ctx.project_id, member, ctx.event("member.created")))


@operation(
    Scope.ADMIN,
    Effect.CHANGES,
    "PATCH /members/<id>",
    body=MemberChanges,
    errors=(BadRequest,),
    transaction=True,
    toolsets=("admin",),
    arguments_as="create_member",
)
def update_member(ctx: Context, member_id: str, fields: Fields) -> Result[Member]:
    """Change a member; null clears the e-mail address."""
    member = ctx.check_match(own_member(ctx, member_id))
    notify = merged_notify(member, fields.get("notify") or {})
    problems = notify_problems(ctx, {**member, **fields}, notify) if "notify" in fields else ()
    _check(ctx, MemberChanges, fields, *problems, exclude=member_id)
    changes = changed_fields({**member, "notify": notify_of(member)}, {**fields, "notify": notify})
    if not changes:
        return _result(member)
    if notify["email"] and "notifyKey" not in member:
        changes["notifyKey"] = token_urlsafe(24)
    changed = ctx.store[Members].update(ctx.project_id, member, changes, ctx.event("member.updated"))
    if "name" in changes:
        ctx.store[Projects].delivery_changed(ctx.project_id)
    return _result(changed)


@operation(Scope.ADMIN, Effect.DESTROYS, "DELETE /members/<id>", transaction=True, toolsets=("admin",))
def delete_member(ctx: Context, member_id: str) -> Result[Member]:
    """Remove a member: they can't be assigned any more, and records keep their id.

    The response is the member as they were.
    """
    member = ctx.check_match(own_member(ctx, member_id))
    deleted = ctx.store[Members].delete(ctx.project_id, member, ctx.event("member.deleted"))
    ctx.store[Projects].delivery_changed(ctx.project_id)
    return _result(deleted)


def turn_off_email(store: Store, key: str, now: datetime, *, dry_run: bool) -> bool:
    """Turns off the e-mail of the member whose key is in a link; returns whether there is one.

    Not an operation: the reader of the link need not be signed in. A `dry_run` changes nothing. (decisions, section 19)
    """
    project_id, _, rest = key.partition(".")
    member_id, _, secret = rest.partition(".")
    if object_id(project_id) is None or (member := store[Members].get(project_id, member_id)) is None:
        return False
    if not compare_digest(member.get("notifyKey", "").encode(), secret.encode()) or not secret:
        return False
    if notify_of(member)["email"] and not dry_run:
        off = {"notify": {**notify_of(member), "email": False}}
        try:
            store[Members].update(project_id, member, off, Event("member.updated", now, SYSTEM))
        except WriteConflict:  # the member was changed meanwhile
            return turn_off_email(store, key, now, dry_run=False)
    return True


def own_member(ctx: Context, member_id: str) -> StoredMember:
    """Returns a stored member of the caller's project; else refuses with `NotFound`."""
    return or_raise(ctx.store[Members].get(ctx.project_id, member_id), NotFound, NO_MEMBER)


def _check(ctx: Context, schema: type[Schema], fields: Fields, *problems: Problem, exclude: str | None = None) -> None:
    """Refuses with `BadRequest` invalid fields, an e-mail address of a member other than `exclude`, and `problems`."""
    is_taken = ctx.store[Members].find_same(ctx.project_id, fields, exclude=exclude)
    check(schema, fields, *((EMAIL_TAKEN,) if is_taken else ()), *problems)


def _result(member: StoredMember) -> Result[Member]:
    return Result(member_record(member), etag=record_tag(member))

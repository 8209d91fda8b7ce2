"""Settings that members change for themselves: notification settings and their calendar (decisions, section 19).

These operations are in no catalogue: the REST API and MCP have `update_member`, for administrators.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from secrets import compare_digest

from app.core.actors import SYSTEM
from app.core.context import Context
from app.core.errors import BadRequest, NotFound, Unauthorized, WriteConflict, or_raise
from app.core.events import Event
from app.core.operation import Effect, Result, operation
from app.core.schemas.loading import Fields, load
from app.core.store.collection import object_id
from app.core.store.store import Store
from app.core.vocabulary import Scope
from app.documents.operations import documents_by_day
from app.documents.responses import DocumentSummary
from app.documents.schemas import DocumentQuery
from app.notices.rules import TEST, NoticeLine, mailboxes, notify_of
from app.notices.schemas import CalendarFields, NotifyFields
from app.notices.store import NoticeLeases, Notices
from app.notices.vocabulary import CALENDAR, Digest
from app.projects.access import hash_of, made_by, new_secret, refuse_if_maker_ended
from app.projects.members import update_member
from app.projects.responses import Member
from app.projects.rules import NEW_TOKEN, StoredMember
from app.projects.store import Members
from app.projects.token_responses import NewToken, Token
from app.projects.token_store import Tokens

DAYS_BACK, DAYS_AHEAD = 60, 400
"""The days back and ahead of which a calendar has the documents."""
MOST_OF_A_KIND = 2_000
NO_MEMBER = "Your token is not a member's: an administrator can say whose it is."


@operation(Scope.READ, Effect.CHANGES, body=NotifyFields, errors=(BadRequest,), transaction=True)
def update_own_notices(ctx: Context, fields: Fields) -> Result[Member]:
    """Change your notification settings."""
    return update_member.function(ctx, _own(ctx)["id"], {"notify": fields})


@operation(Scope.READ, Effect.CHANGES, errors=(BadRequest,))
def send_test_notice(ctx: Context) -> Result[Member]:
    """Send yourself a test, by e-mail and to your Slack."""
    member = _own(ctx)
    line = NoticeLine(kind=TEST, documentId="", title=ctx.caller.project_name, by="", text="")
    if not (boxes := mailboxes(member)):
        raise BadRequest("Choose e-mail or Slack first, and save that.")
    ctx.store[Notices].add_test(ctx.project_id, boxes, line, ctx.now)
    return Result(ctx.features.record_of(Member, member))


@dataclass(frozen=True)
class SentTest:
    """A test message that a member sent themselves."""

    channel: str
    """`email` or `slack`."""
    sent_at: datetime
    arrived: bool
    problem: str
    """Why the last attempt failed; empty where none did since the test was sent."""


def own_tests(ctx: Context) -> list[SentTest]:
    """Returns the last test of each of the caller's mailboxes."""
    found = []
    for box in mailboxes(_own(ctx)):
        if (test := ctx.store[Notices].last_test(ctx.project_id, box)) is None:
            continue
        lease = ctx.store[NoticeLeases].get(ctx.project_id, box)
        is_pending = test.get("isPending", False)
        failed = lease and is_pending and lease.get("lastFailureAt", test["createdAt"]) > test["createdAt"]
        problem = lease.get("lastFailure", "") if lease and failed else ""
        found.append(SentTest(box.partition(":")[0], test["createdAt"], not is_pending, problem))
    return found


def begin_daily(ctx: Context, hour: int) -> bool:
    """Sends the caller their inbox by e-mail each day, unless they have settings already; returns whether that is so.

    Changes nothing where the server sends no e-mail, or the caller is no member with an address who may read.
    """
    if not ctx.server.facts.get("sends_mail") or update_own_notices.scope not in ctx.caller.scopes:
        return False
    member = ctx.store[Members].get(ctx.project_id, ctx.caller.member_id or "")
    if member is None or not member.get("email") or "notify" in member:
        return False
    fields = {"email": True, "digest": str(Digest.DAILY), "hour": hour}
    update_own_notices(ctx, fields=load(NotifyFields, fields))
    return True


@operation(Scope.READ, Effect.CREATES, body=CalendarFields, transaction=True)
def make_own_calendar(ctx: Context, fields: Fields) -> Result[NewToken]:
    """Get a secret of your calendar, or of everybody's, which ends with your token; one that you had stops working."""
    member, tokens = _own(ctx), ctx.store[Tokens]
    secret = new_secret(CALENDAR)
    mine = tokens.get(ctx.project_id, ctx.token_id)
    given = {"hash": hash_of(secret), "expiresAt": mine.get("expiresAt") if mine else None, **made_by(ctx.caller)}
    everybody = fields.get("everybody") or None
    if before := tokens.of_member(ctx.project_id, member["id"], kind=CALENDAR, everybody=everybody):
        made = tokens.update(ctx.project_id, before, given, ctx.event("token.rotated"))
    else:
        of = f"everybody, for {member['name']}" if everybody else member["name"]
        own = {"kind": CALENDAR, "name": f"Calendar of {of}"[:100], "memberId": member["id"]}
        record = {
            **NEW_TOKEN,
            **own,
            **({"everybody": True} if everybody else {}),
            **given,
            "scopes": [str(Scope.READ)],
            "createdAt": ctx.now,
        }
        made = tokens.add(ctx.project_id, record, ctx.event("token.created"))
    return Result({**ctx.features.record_of(Token, made), "token": secret}, secrets=("token",))


def own_calendar(ctx: Context) -> dict[str, list[DocumentSummary]]:
    """Returns what is due, scheduled and published: a member's documents and those that are nobody's, or everybody's.

    Refuses with `Unauthorized` a member who left, and where the token that made the calendar has ended.
    """
    if "createdBy" in ctx.caller.token:
        refuse_if_maker_ended(ctx.store, ctx.project_id, ctx.caller.token, ctx.now)
    member = or_raise(ctx.store[Members].get(ctx.project_id, ctx.caller.member_id or ""), Unauthorized)
    today = ctx.now.date()
    first, last = today - timedelta(days=DAYS_BACK), today + timedelta(days=DAYS_AHEAD)
    theirs = {} if ctx.caller.token.get("everybody") else {"assigneeId": [member["id"], "none"]}
    filters = load(DocumentQuery, theirs)
    return documents_by_day(ctx, filters, first, last, limit=MOST_OF_A_KIND)


def turn_off_email(store: Store, key: str, now: datetime, *, dry_run: bool) -> bool:
    """Turns off the e-mail of the member whose key is in a link; returns whether there is one.

    Not an operation: the reader of the link need not be signed in. A `dry_run` changes nothing. (decisions, section 19)
    """
    project_id, _, rest = key.partition(".")
    member_id, _, secret = rest.partition(".")
    if object_id(project_id) is None or (member := store[Members].get(project_id, member_id)) is None:
        return False
    if not compare_digest(str(member.get("notifyKey", "")).encode(), secret.encode()) or not secret:
        return False
    if notify_of(member)["email"] and not dry_run:
        off = {"notify": {**notify_of(member), "email": False}}
        try:
            store[Members].update(project_id, member, off, Event("member.updated", now, SYSTEM))
        except WriteConflict:  # the member was changed meanwhile
            return turn_off_email(store, key, now, dry_run=False)
    return True


def _own(ctx: Context) -> StoredMember:
    return or_raise(ctx.store[Members].get(ctx.project_id, ctx.caller.member_id or ""), NotFound, NO_MEMBER)

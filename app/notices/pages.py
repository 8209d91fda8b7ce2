"""The inbox with its actions, one's own notices and calendar, and what is reached without signing in.

The calendar's address and the link that turns e-mail off have a secret of their own; no session is sent to them.
"""

from collections.abc import Mapping
from datetime import UTC, date, timedelta
from operator import itemgetter
from typing import Any, cast

from flask import Blueprint, Flask, Response, abort, request, url_for
from werkzeug import Response as BaseResponse

from app.console.additions import Pages
from app.console.buttons import BY_NAME
from app.console.calls import call, may, require
from app.console.forms import form_of, leads_to, text
from app.console.frame import done, page, secret_page, summary_of
from app.console.moves import sent_fields
from app.console.responses import add_headers
from app.console.sessions import context
from app.console.times import zone
from app.core.context import Context, this_instant
from app.core.errors import Unauthorized
from app.core.operation import Operation
from app.core.times import read_time
from app.documents import publishing
from app.documents.record import StoredDocument
from app.documents.responses import DocumentSummary
from app.http.callers import callers
from app.notices import operations as inbox
from app.notices import own_settings as own_notices
from app.notices.feature import MailSettings
from app.notices.inbox import ACTIONS, RESOLVE, InboxEntry
from app.notices.rules import KIND_TEXTS, said
from app.notices.vocabulary import CALENDAR, Digest, WaitKind
from app.projects.gates import Attempt
from app.projects.members import get_member
from app.review import operations as threads
from app.settings import Settings

REPLY = ACTIONS[WaitKind.THREAD]
ON_THREADS: Mapping[str, tuple[Operation[Any], str, str]] = {
    REPLY: (threads.reply_to_thread, "Reply", "Your answer is there."),
    RESOLVE: (threads.resolve_thread, "Resolve", "The remark is resolved."),
}
"""The operations on threads, each with its button and its message."""
URGENT = (
    *(WaitKind.PUBLISH_FAILED, WaitKind.CHANGES, WaitKind.ROUNDS, WaitKind.OVERDUE),
    *(WaitKind.THREAD, WaitKind.MENTION, WaitKind.REVIEW, WaitKind.ASSIGNED),
)
"""The kinds of lines, the most urgent first, as the page lists them."""
DIGESTS = {Digest.INSTANT: "At once", Digest.DAILY: "Each day", Digest.OFF: "Never"}
CHANNELS = {"email": "E-mail", "slack": "Slack"}
SHOWN_FOR, WAITS = timedelta(hours=1), timedelta(seconds=90)
"""How long the page shows what came of a test, and how long it waits for that."""
MORNING = 8
"""The hour of the daily message as the reader's clock shows it, for who did not choose another."""
VERBS = {"due": "Due", "scheduled": "Goes live", "published": "Published"}
CONTROLS = bytes({*range(32), 127} - {*b"\t\r\n"})
AS_SPACES = bytes.maketrans(CONTROLS, b" " * len(CONTROLS))
"""For characters that titles may have, and RFC 5545 does not allow in a calendar."""

pages = Blueprint("notices", __name__, template_folder="templates")
open_to_all = Blueprint("own_notices", __name__)
open_to_all.after_request(add_headers)


@pages.get("/inbox")
def show_inbox() -> Response:
    """Shows the signed-in user's inbox by document, each line with its comment and action.

    The most urgent lines are first, and of equally urgent ones what is due first.
    """
    pieces: dict[str, list[dict[str, Any]]] = {}
    for line, document, thread in sorted(inbox.with_records(context(), _waiting()), key=_urgency):
        by, text = said(line["kind"], document, thread)
        shown = {**line, "document": document, "by": by, "text": text, **_button(line, document)}
        pieces.setdefault(line["documentId"], []).append(shown)
    return page("notices/inbox.html", pieces=pieces, kinds=KIND_TEXTS, reply=REPLY, mine=context().caller.member_id)


@pages.get("/inbox/count")
def count_inbox() -> str:
    """Returns the number of lines in the inbox, for the bell icon."""
    return str(len(_waiting()) or "")


@pages.post("/inbox/<id>")
@leads_to("notices.show_inbox")
def end_waiting(id: str) -> str:
    """Runs the action of an inbox line."""
    action, thread_id = request.form.get("action", ""), request.form.get("threadId", "")
    if action in ON_THREADS:
        operation, _, message = ON_THREADS[action]
        call(operation, id, thread_id, fields={"text": text("text")} if action == REPLY else {}, once=True)
        return message
    if action not in ACTIONS.values() or action not in BY_NAME:
        abort(404)
    move = BY_NAME[action]
    return move.message(call(move.operation, id, fields=sent_fields(move), once=True).body["title"])


@pages.get("/inbox/settings")
def show_own_notices() -> Response:
    """Shows the signed-in user's notification settings, with a test, and the address of their calendar."""
    own_id = context().caller.member_id
    member = call(get_member, own_id).body if own_id else None
    mails = context().server.facts["sends_mail"]
    shown = {"digests": DIGESTS.items(), "hours": _hours(), "zone": zone(), "mails": mails, "morning": _morning()}
    return page("notices/own_notices.html", member=member, **shown, **(_tests() if member else {}))


@pages.post("/inbox/settings")
@form_of(show_own_notices)
def change_own_notices() -> BaseResponse:
    """Changes the signed-in user's notification settings."""
    form = request.form
    fields = {"digest": form.get("digest"), "hour": form.get("hour", 7, type=int), "slack": text("slack") or None}
    call(own_notices.update_own_notices, fields={**fields, "email": "email" in form})
    return done("That is saved.", url_for("console.notices.show_own_notices"))


@pages.post("/inbox/test")
@leads_to("notices.show_own_notices")
def send_test() -> str:
    """Sends the signed-in user a test."""
    call(own_notices.send_test_notice)
    return "A test is on its way. This page says what came of it."


@pages.get("/inbox/test")
def show_tests() -> Response:
    """Shows what came of the tests that the signed-in user sent; the page asks again while one is on its way."""
    require(own_notices.send_test_notice)
    return page("notices/tests.html", **_tests())


def _tests() -> dict[str, Any]:
    ctx = context()
    tests = [one for one in own_notices.own_tests(ctx) if ctx.now - one.sent_at < SHOWN_FOR]
    waits = any(not one.arrived and not one.problem and ctx.now - one.sent_at < WAITS for one in tests)
    return {"tests": tests, "waits": waits, "late": ctx.now - WAITS, "channels": CHANNELS}


@pages.post("/inbox/calendar")
@leads_to("notices.show_own_notices")
def make_calendar() -> BaseResponse:
    """Shows the address of the signed-in user's calendar, or of everybody's, once."""
    everybody = "everybody" in request.form
    secret = call(own_notices.make_own_calendar, fields={"everybody": everybody}).body["token"]
    address = f"{context().server.address().rstrip('/')}/calendar.ics?token={secret}"
    advice = "Subscribe to this address in your calendar. Whoever has it sees the titles: it is not shown again."
    return secret_page(
        "Everybody's calendar" if everybody else "Your calendar",
        advice,
        address,
        url_for("console.notices.show_own_notices"),
    )


@open_to_all.get("/calendar.ics")
def calendar() -> Response:
    """Returns a member's calendar (RFC 5545). Refuses with `Unauthorized`."""
    ctx = callers().of_kind(CALENDAR, request.args.get("token", ""))
    from icalendar import Calendar, Event, vText  # takes 3 MB, and few members have a calendar

    feed = Calendar()
    feed.add("prodid", "-//content-workflow//calendar//EN")
    feed.add("version", "2.0")
    feed.add("x-wr-calname", vText(ctx.caller.project_name))  # which escapes line ends
    for kind, documents in own_notices.own_calendar(ctx).items():
        for document in documents:
            feed.add_component(_filled(Event(), kind, document, ctx.server.public_url.rstrip("/")))
    return Response(feed.to_ical().translate(AS_SPACES), content_type="text/calendar; charset=utf-8")


@open_to_all.route("/notices/off", methods=["GET", "POST"])
def turn_off() -> Response:
    """Shows a button that turns somebody's e-mail off, and does so (RFC 8058). Refuses with `Unauthorized`."""
    key, changes = request.args.get("key", ""), request.method == "POST"
    with callers().counting_failures():
        if not own_notices.turn_off_email(callers().store, key, this_instant(), dry_run=not changes):
            raise Unauthorized("This link does not work any more.")
    return page("notices/off.html", is_off=changes)


def _hours() -> list[tuple[str, str]]:
    """Returns the hours in UTC, each with what the reader's clock shows then today, in the order of that clock."""
    today = this_instant()
    shown = {str(hour): f"{today.replace(hour=hour, minute=0).astimezone(zone()):%H:%M}" for hour in range(24)}
    return sorted(shown.items(), key=lambda one: one[1])


def _morning() -> int:
    """Returns the hour in UTC at which it is morning where the reader is."""
    return this_instant().astimezone(zone()).replace(hour=MORNING, minute=0).astimezone(UTC).hour


def _offered() -> dict[str, Any]:
    return {"offers_mail": bool(cast(MailSettings, callers().settings).smtp_url)}


def _joined(ctx: Context) -> dict[str, Any]:
    """Begins the daily e-mail of who just accepted an invitation, where that is ticked in the form."""
    return {"is_told_daily": "notices" in request.form and own_notices.begin_daily(ctx, _morning())}


def _waiting() -> list[InboxEntry]:
    """Returns the inbox as the console shows it: reviews only to members who may approve, then all of them.

    In the API a document in review waits for its assignee, who often is its writer.
    """
    member_id = context().caller.member_id
    if not member_id:
        return call(inbox.get_inbox, fields={}).body
    found = call(inbox.get_inbox, fields={"memberId": member_id}).body
    if not may(publishing.approve_document):
        return [entry for entry in found if entry["kind"] != WaitKind.REVIEW]
    return sorted(found + inbox.reviews_of_others(context(), member_id), key=itemgetter("since"))


def _urgency(row: tuple[InboxEntry, StoredDocument, Any]) -> tuple[int, str]:
    line, document, _ = row
    return URGENT.index(WaitKind(line["kind"])), document.get("dueDate") or date.max.isoformat()


def _button(line: InboxEntry, document: StoredDocument) -> dict[str, Any]:
    """Returns a line's button, with its question and version; one without a label has the reason."""
    if line["action"] in ON_THREADS:
        operation, label, _ = ON_THREADS[line["action"]]
        return {"label": label if may(operation) else ""}
    move = BY_NAME.get(line["action"])  # none for an assignment: its text is written on the page that Read opens
    if move is None or not may(move.operation):
        return {"label": ""}
    ctx = context()
    if refused := Attempt(ctx, document, ctx.call, reads=False).if_refused(move.operation):
        return {"label": "", "blocked": summary_of(refused)}
    version = document["version"] if move.keeps_version else None
    return {"label": move.label, "question": move.question, "version": version}


def _filled(event: Any, kind: str, document: DocumentSummary, public_url: str) -> Any:
    """Returns an event with a document's due day, or its time of publishing."""
    event.add("uid", f"{kind}-{document['id']}@content-workflow")
    event.add("summary", f"{VERBS[kind]}: {document['title']}")
    event.add("dtstamp", read_time(document["updatedAt"]))
    event.add("transp", "TRANSPARENT")
    if kind == "due":
        event.add("dtstart", date.fromisoformat(document["dueDate"] or ""))
    else:
        event.add("dtstart", read_time(document["publishAt" if kind == "scheduled" else "publishedAt"] or ""))
    if public_url:
        event.add("url", f"{public_url}/console/documents/{document['id']}")
    return event


def _install(app: Flask, settings: Settings) -> None:
    app.register_blueprint(open_to_all)


PAGES = Pages(
    "notices",
    blueprints=(pages,),
    install=_install,
    templates={
        "navigation": "notices/bell.html",
        "who is told": "notices/told.html",
        "menu": "notices/menu.html",
        "keys": "notices/keys.html",
        "calendar": "notices/subscribe.html",
        "joining": "notices/joining.html",
        "joined": "notices/joined.html",
    },
    values={"joining": _offered, "joined": _joined},
)

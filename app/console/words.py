"""The texts of the console: labels of statuses, states and events, and dates."""

import re
from collections.abc import Mapping
from datetime import date

from markupsafe import Markup

from app.console.frame import console
from app.console.sessions import context
from app.console.times import local, local_text, utc_text, write_instants, zone
from app.core.actors import Actor, actor_name
from app.core.times import read_time
from app.core.vocabulary import ActorType, BriefState, DocumentStatus, Scope, SearchIntent
from app.documents.lengths import word_targets
from app.documents.record import StoredDocument
from app.documents.responses import DocumentSummary
from app.documents.schemas import FirstStatus

STATUSES: Mapping[str, str] = {
    **{status: status.capitalize() for status in DocumentStatus},
    DocumentStatus.REVIEW: "In review",
}
BRIEF_STATES: Mapping[str, str] = {
    BriefState.NONE: "Not offered",
    BriefState.READY: "Ready to claim",
    BriefState.CLAIMED: "Claimed",
    BriefState.DRAFTED: "Drafted",
}
INTENTS: Mapping[str, str] = {intent: intent.capitalize() for intent in SearchIntent}

PERMISSIONS: Mapping[str, str] = {
    Scope.READ: "Read everything in the project",
    Scope.WRITE: "Write drafts and texts, and take briefs",
    Scope.PUBLISH: "Approve, publish, take down and delete",
    Scope.ADMIN: "Change settings, members, tokens and webhooks",
}
"""Descriptions of what each scope allows."""

EVENTS: Mapping[str, str] = {
    "document.created": "created the document",
    "document.updated": "changed fields",
    "document.content_updated": "wrote the text",
    "document.submitted": "submitted it for review",
    "document.approved": "approved it",
    "document.changes_requested": "requested changes",
    "document.scheduled": "scheduled it",
    "document.unscheduled": "took back the schedule",
    "document.published": "published it",
    "document.unpublished": "took it off the site",
    "document.deleted": "moved it to the trash",
    "document.restored": "restored it from the trash",
    "document.publish_failed": "could not publish it",
    "brief.updated": "changed the brief",
    "brief.ready": "offered the brief",
    "brief.claimed": "claimed the brief",
    "brief.renewed": "renewed the claim",
    "brief.withdrawn": "withdrew the brief",
    "brief.released": "released the brief",
    "brief.expired": "lost the claim: its lease ran out",
    "thread.opened": "remarked on the text",
    "thread.replied": "answered a remark",
    "thread.resolved": "resolved a remark",
    "thread.reopened": "opened a remark again",
    "review_link.created": "made a review link",
    "review_link.deleted": "ended a review link",
}

UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))

for name, words in (("status_label", STATUSES), ("state_label", BRIEF_STATES)):
    console.add_app_template_filter(words.__getitem__, name)
console.add_app_template_filter("{:,}".format, "number")
console.add_app_template_global(STATUSES.items, "statuses")
console.add_app_template_global(BRIEF_STATES.items, "brief_states")
console.add_app_template_global(INTENTS.items, "intents")


@console.app_template_filter()
def length_wanted(text: str | None) -> str:
    """Returns the number of words that a brief wants, or the two between which it is; empty where it names none."""
    return "–".join(f"{number:,}" for number in word_targets(text or ""))


@console.app_template_filter("event_label")
def event_label(kind: str) -> str:
    """Returns the label of an event; its type if there is none."""
    return EVENTS.get(kind, kind.replace("_", " ").replace(".", ": "))


@console.app_template_filter("actor")
def actor_label(actor: Actor | None) -> str:
    """Returns who did something: the agent's name with the token's, or the token's."""
    if not actor:
        return ""
    if actor["type"] == "system":
        return "The service"
    if actor["type"] == ActorType.LINK:
        return f"{actor['name']} (by review link)"
    return actor_name(actor)


@console.app_template_filter("message_html")
def message_html(text: str) -> Markup:
    """Returns a message as HTML, with the parts between backticks as `<code>`, and with its instants in the reader's
    own time zone; `Markup` is returned unchanged.
    """
    if isinstance(text, Markup):
        return text
    html = Markup("")
    for number, part in enumerate(re.split("`([^`]+)`", text)):
        html += Markup("<code>{}</code>").format(part) if number % 2 else Markup("").join(write_instants(part, when))
    return html


def first_statuses() -> list[tuple[str, str]]:
    """Returns the statuses that are chosen freely, each with its label."""
    return [(status, STATUSES[status]) for status in FirstStatus]


@console.app_template_filter("initials")
def initials(name: str) -> str:
    """Returns the first letters of a name's first and last word."""
    words = name.split()
    return "".join(word[0] for word in (words[:1] + words[1:][-1:])).upper()


@console.app_template_filter("when")
def when(time: str | None) -> Markup:
    """Returns an instant as an element in the reader's own time zone, with its time in UTC on hover."""
    if not time:
        return Markup("")
    return Markup('<time datetime="{}" title="{}" data-time>{}</time>').format(time, utc_text(time), local_text(time))


@console.app_template_filter("field_time")
def field_time(time: str) -> str:
    """Returns an instant as the value of a form's field, in the reader's own time zone."""
    return f"{local(time):%Y-%m-%dT%H:%M}"


@console.app_template_filter("clock")
def clock(time: str) -> Markup:
    """Returns the time of day of an instant as an element, in the reader's own time zone."""
    return Markup('<time datetime="{}" title="{}">{}</time>').format(time, utc_text(time), f"{local(time):%H:%M}")


@console.app_template_filter("time_left")
def time_left(time: str) -> Markup:
    """Returns how long it is until an instant, in whole days, hours or minutes, as an element that has the instant."""
    seconds = (read_time(time) - context().now).total_seconds()
    size, unit = next(one for one in UNITS if seconds >= 2 * one[0] or one[1] == "minute")
    text = _counted(f"{max(1, round(seconds / size))}", unit)
    return Markup('<time datetime="{}" title="{} ({})">{}</time>').format(time, local_text(time), utc_text(time), text)


@console.app_template_filter("duration")
def duration(seconds: float | None) -> str:
    """Returns a duration in words, as precise as it is known: `3.5 hours`."""
    if seconds is None:
        return ""
    size, unit = next((one for one in UNITS if seconds >= one[0]), UNITS[-1])
    value = seconds / size
    return _counted(f"{value:.0f}" if value >= 10 or size == 1 else f"{value:.1f}".removesuffix(".0"), unit)


@console.app_template_filter("exact_duration")
def exact_duration(seconds: int | None) -> str:
    """Returns a duration in the largest unit that divides it: `90 minutes`."""
    if not seconds:
        return ""
    size, unit = next(one for one in UNITS if seconds % one[0] == 0)
    return _counted(str(seconds // size), unit)


def _counted(number: str, unit: str) -> str:
    return f"{number} {unit}" if number == "1" else f"{number} {unit}s"


@console.app_template_filter("day")
def day(value: str | None) -> Markup:
    """Returns a calendar day as an element, with its year where that is not the present one."""
    if not value:
        return Markup("")
    found = date.fromisoformat(value)
    form = "{:%d %b}" if found.year == today().year else "{:%d %b %Y}"
    return Markup('<time datetime="{}">{}</time>').format(value, form.format(found).lstrip("0"))


@console.app_template_filter("full_day")
def full_day(value: str) -> str:
    """Returns a calendar day with its year: `9 Dec 2026`."""
    return f"{date.fromisoformat(value):%d %b %Y}".lstrip("0")


@console.app_template_global("today")
def today() -> date:
    """Returns the present day in the reader's time zone."""
    return context().now.astimezone(zone()).date()


@console.app_template_filter("overdue_days")
def overdue_days(document: DocumentSummary | StoredDocument) -> int:
    """Returns by how many days a document is overdue; 0 where it is not, or is published or scheduled."""
    due = document.get("dueDate")
    if not due or document["isPublished"] or document.get("publishAt"):
        return 0
    return max(0, (today() - date.fromisoformat(due)).days)

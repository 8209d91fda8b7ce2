"""The notification settings of members and projects: what is stored, and what is wrong (decisions, section 19)."""

from collections.abc import Mapping
from secrets import token_urlsafe
from typing import Any, cast

from app.core.context import Context
from app.core.errors import Problem
from app.core.features import Record
from app.core.schemas.loading import Fields, problems
from app.notices.member_fields import Notify
from app.notices.rules import masked, notify_of
from app.notices.schemas import NotifyFields
from app.outbound.ip_addresses import wrong_url

NO_MAIL = "This server sends no e-mail: set SMTP_URL first."
NO_ADDRESS = "The member has no e-mail address: set `email` first."


def unmasked(fields: Fields, record: Mapping[str, Any]) -> dict[str, Any]:
    """Returns fields with a record's Slack address in place of its masked form."""
    own = record.get("slack")
    is_same = own and fields.get("slack") == masked(own)
    return {**fields, "slack": own} if is_same else {**fields}


def member_to_stored(member: Record, fields: Record) -> Record:
    """Returns the fields for a member with their merged settings, and with the secret of links that e-mail needs."""
    if "notify" not in fields:
        return fields
    rest = {name: value for name, value in fields.items() if name != "notify"}
    notify = merged_notify(member, fields["notify"])
    if notify == notify_of(member):
        return rest
    key = {"notifyKey": token_urlsafe(24)} if notify["email"] and "notifyKey" not in member else {}
    return {**rest, "notify": notify, **key}


def project_to_stored(project: Record, fields: Record) -> Record:
    """Returns the fields for a project with its own Slack address where they have that as it is shown."""
    return unmasked(fields, project)


def merged_notify(member: Record, fields: Fields) -> Notify:
    """Returns a member's notification settings, updated with what was sent."""
    own = notify_of(member)
    return cast(Notify, {**own, **unmasked(fields, own)})


def member_problems(ctx: Context, member: Record, fields: Record) -> list[Problem]:
    """Returns what is wrong with a member's notification settings."""
    if "notify" not in fields:
        return []
    notify, member = merged_notify(member, fields["notify"]), {**member, **fields}
    wrong = slack_problems(ctx, notify["slack"], "notify.slack")
    sends_mail = ctx.server.facts.get("sends_mail", False)  # the command line sends none
    if notify["email"] and not (sends_mail and member.get("email")):
        wrong.append(Problem(field="notify.email", message=NO_ADDRESS if sends_mail else NO_MAIL))
    return wrong


def slack_problems(ctx: Context, url: str | None, field: str) -> list[Problem]:
    """Returns what is wrong with a Slack address, except what its schema finds."""
    if not url or problems(NotifyFields, {"slack": url}):
        return []
    message = wrong_url(url, ctx.server.webhooks_allow_local)
    return [Problem(field=field, message=message)] if message else []


def project_problems(ctx: Context, project: Record, fields: Record) -> list[Problem]:
    """Returns what is wrong with a project's Slack address."""
    return slack_problems(ctx, unmasked(fields, project).get("slack"), "slack")


def shown_member(member: Record) -> Record:
    """Returns a member's settings, with their Slack address masked."""
    notify = notify_of(member)
    return {"notify": {**notify, "slack": masked(notify["slack"])}}


def shown_project(project: Record) -> Record:
    """Returns a project's Slack address, masked."""
    return {"slack": masked(project.get("slack"))}

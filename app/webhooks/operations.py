"""The project's webhooks, and the log of what was sent to them (decisions, section 9)."""

import base64
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.core.context import Context
from app.core.errors import BadRequest, NotFound, Problem, or_raise
from app.core.operation import Effect, Result, operation
from app.core.records import record_tag
from app.core.schemas.loading import Fields, in_order, problems
from app.core.vocabulary import Scope
from app.outbound.ip_addresses import wrong_url
from app.projects.store import Projects
from app.webhooks.attempt_store import Deliveries
from app.webhooks.responses import Delivery, NewWebhook, Webhook, delivery_record, webhook_record
from app.webhooks.rules import TEST, WEBHOOKS_PER_PROJECT, StoredHeader, StoredWebhook, rotated
from app.webhooks.schemas import HIDDEN, DeliveryQuery, WebhookChanges, WebhookFields
from app.webhooks.store import Leases, Webhooks

UNSET: dict[str, Any] = {"events": [], "description": ""}
TOO_MANY = Problem(field="url", message=f"The project has {WEBHOOKS_PER_PROJECT} webhooks already: delete one first.")
NO_WEBHOOK = ("The project has no webhook with this id", "webhookId", "list the webhooks to find it")


@operation(Scope.ADMIN, Effect.READS, "GET /webhooks")
def list_webhooks(ctx: Context) -> Result[list[Webhook]]:
    """List the project's webhooks, oldest first."""
    webhooks = ctx.store[Webhooks].all(ctx.project_id)
    failing = ctx.store[Leases].failing(ctx.project_id, [webhook["id"] for webhook in webhooks])
    return Result([webhook_record(webhook, failing.get(webhook["id"])) for webhook in webhooks])


@operation(Scope.ADMIN, Effect.READS, "GET /webhooks/<id>")
def get_webhook(ctx: Context, webhook_id: str) -> Result[Webhook]:
    """Read a webhook."""
    return _result(ctx, _own_webhook(ctx, webhook_id))


@operation(
    Scope.ADMIN,
    Effect.CREATES,
    "POST /webhooks",
    body=WebhookFields,
    errors=(BadRequest,),
    transaction=True,
    location="webhooks.getWebhook",
)
def create_webhook(ctx: Context, fields: Fields) -> Result[NewWebhook]:
    """Create a webhook: the project's events are sent to a URL, signed as Standard Webhooks specifies.

    The secret is shown only in this response.
    """
    headers = _headers([], fields.get("headers") or {})
    _check(ctx, WebhookFields, fields, headers)
    if not ctx.store[Projects].count_up(ctx.project_id, "webhooks", WEBHOOKS_PER_PROJECT):
        raise BadRequest(errors=[TOO_MANY])
    secret = new_secret()
    webhook = {
        "url": fields["url"],
        **{name: fields.get(name) or unset for name, unset in UNSET.items()},
        "headers": headers,
        "enabled": True,
        "disabledAt": None,
        "secrets": rotated([], secret, ctx.now),
        "createdAt": ctx.now,
        "createdBy": ctx.caller.actor,
        "updatedAt": ctx.now,
    }
    added = ctx.store[Webhooks].add(ctx.project_id, webhook, ctx.event("webhook.created"))
    return _with_secret(Result(webhook_record(added, None), etag=record_tag(added)), secret)


@operation(
    Scope.ADMIN,
    Effect.CHANGES,
    "PATCH /webhooks/<id>",
    body=WebhookChanges,
    errors=(BadRequest,),
    transaction=True,
    arguments_as="create_webhook",
)
def update_webhook(ctx: Context, webhook_id: str, fields: Fields) -> Result[Webhook]:
    """Change a webhook; null clears.

    Events from the time when it was off are not sent afterwards.
    """
    webhook = ctx.check_match(_own_webhook(ctx, webhook_id, with_secrets="headers" in fields))
    changes = {name: value or UNSET.get(name, value) for name, value in fields.items() if name != "headers"}
    before = webhook.get("headers") or []
    headers = _headers(before, fields["headers"] or {}) if "headers" in fields else before
    _check(ctx, WebhookChanges, fields, headers if "headers" in fields else [])
    changes |= {"headers": headers} if headers != before else {}
    if changes.get("enabled"):
        changes |= {"disabledAt": None, "disabledBecause": None}
    differs = any(webhook.get(name) != value for name, value in changes.items())
    event = ctx.event("webhook.updated")
    changed = ctx.store[Webhooks].update(ctx.project_id, webhook, changes, event) if differs else webhook
    if differs and fields.keys() & {"enabled", "url"}:
        ctx.store[Leases].reset(ctx.project_id, webhook_id)
    if fields.get("enabled") is False:
        ctx.store[Deliveries].give_up(ctx.project_id, webhook_id)
    return _result(ctx, changed)


@operation(Scope.ADMIN, Effect.DESTROYS, "DELETE /webhooks/<id>", transaction=True)
def delete_webhook(ctx: Context, webhook_id: str) -> Result[Webhook]:
    """Delete a webhook; messages that were not sent yet are given up."""
    webhook = ctx.check_match(_own_webhook(ctx, webhook_id))
    deleted = ctx.store[Webhooks].delete(ctx.project_id, webhook, ctx.event("webhook.deleted"))
    ctx.store[Projects].count_down(ctx.project_id, "webhooks")
    ctx.store[Deliveries].give_up(ctx.project_id, webhook_id)
    ctx.store[Leases].delete(ctx.project_id, webhook_id)
    return _result(ctx, deleted)


@operation(Scope.ADMIN, Effect.CHANGES, "POST /webhooks/<id>/rotate-secret", each_call_counts=True)
def rotate_webhook_secret(ctx: Context, webhook_id: str) -> Result[NewWebhook]:
    """Give a webhook a new secret, which is shown only in this response.

    For one day messages are signed with the old secret too.
    """
    webhook = ctx.check_match(_own_webhook(ctx, webhook_id, with_secrets=True))
    secret = new_secret()
    changes = {"secrets": rotated(webhook.get("secrets", []), secret, ctx.now)}
    written = ctx.store[Webhooks].update(ctx.project_id, webhook, changes, ctx.event("webhook.updated"))
    return _with_secret(_result(ctx, written), secret)


@operation(Scope.ADMIN, Effect.CREATES, "POST /webhooks/<id>/test", transaction=True, unchanging=True)
def test_webhook(ctx: Context, webhook_id: str) -> Result[Delivery]:
    """Send a message of the type `webhook.test` to a webhook, whatever its events, also when it is disabled."""
    ctx.check_match(_own_webhook(ctx, webhook_id))
    message = ctx.event(TEST, {"webhookId": webhook_id})
    return Result(delivery_record(ctx.store[Deliveries].add(ctx.project_id, webhook_id, message)))


@operation(Scope.ADMIN, Effect.READS, "GET /webhooks/<id>/deliveries", query=DeliveryQuery)
def list_webhook_deliveries(ctx: Context, webhook_id: str, fields: Fields) -> Result[list[Delivery]]:
    """List the deliveries of a webhook in the last 30 days, newest first, with every attempt."""
    _own_webhook(ctx, webhook_id)
    found = ctx.store[Deliveries].log(
        ctx.project_id, webhook_id, fields["status"], limit=fields["limit"], offset=fields["offset"]
    )
    return Result([delivery_record(delivery) for delivery in found])


@operation(
    Scope.ADMIN,
    Effect.CHANGES,
    "POST /webhooks/<id>/deliveries/<delivery_id>/redeliver",
    transaction=True,
    unchanging=True,
)
def redeliver_webhook(ctx: Context, webhook_id: str, delivery_id: str) -> Result[Delivery]:
    """Send a delivery again, whether it arrived or not, with the same `webhook-id`."""
    ctx.check_match(_own_webhook(ctx, webhook_id))
    delivery = ctx.store[Deliveries].queue_again(ctx.project_id, webhook_id, delivery_id, ctx.now)
    missing = "The webhook has no such delivery: the log goes back 30 days."
    return Result(delivery_record(or_raise(delivery, NotFound, missing)))


def new_secret() -> str:
    """Returns a new secret of 256 bits in the form that Standard Webhooks specifies."""
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()


def _headers(stored: Sequence[StoredHeader], sent: Mapping[str, str]) -> list[StoredHeader]:
    """Returns the headers of a request, with stored values in place of the sign for them, where there are such."""
    values = {one["name"].lower(): one.get("value", HIDDEN) for one in stored}
    return [
        StoredHeader(name=name, value=values.get(name.lower(), HIDDEN) if value == HIDDEN else value)
        for name, value in sent.items()
    ]


def _problems_of_headers(headers: Sequence[StoredHeader]) -> Iterator[Problem]:
    """Yields what is wrong with headers besides their form: one without a value, two with one name."""
    names = Counter(one["name"].lower() for one in headers)
    for one in headers:
        if one.get("value") == HIDDEN:
            yield Problem(field=f"headers.{one['name']}", message="Send its value: the webhook has none of this name.")
        if names[one["name"].lower()] > 1:
            yield Problem(field=f"headers.{one['name']}", message="Another header has this name but for case.")


def _check(ctx: Context, table: type[WebhookFields], fields: Fields, headers: Sequence[StoredHeader]) -> None:
    wrong = [*problems(ctx.features.schema_of(table), fields), *_problems_of_headers(headers)]
    if "url" in fields and not any(problem["field"] == "url" for problem in wrong):
        message = wrong_url(fields["url"], ctx.server.webhooks_allow_local)
        wrong += [Problem(field="url", message=message)] if message else []
    if wrong:
        raise BadRequest(errors=in_order(wrong))


def _own_webhook(ctx: Context, webhook_id: str, *, with_secrets: bool = False) -> StoredWebhook:
    webhooks = ctx.store[Webhooks]
    get = webhooks.get_with_secrets if with_secrets else webhooks.get
    return or_raise(get(ctx.project_id, webhook_id), NotFound, *NO_WEBHOOK)


def _result(ctx: Context, webhook: StoredWebhook) -> Result[Webhook]:
    since = ctx.store[Leases].failing(ctx.project_id, [webhook["id"]]).get(webhook["id"])
    tag = record_tag(webhook) + (f".{int(since.timestamp()):x}" if since else "")
    return Result(webhook_record(webhook, since), etag=tag)


def _with_secret(shown: Result[Webhook], secret: str) -> Result[NewWebhook]:
    """Returns a webhook with its new secret, which is shown once."""
    return Result({**shown.body, "secret": secret}, etag=shown.etag, secrets=("secret",))

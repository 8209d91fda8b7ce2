"""The project's webhooks, and the log of what was sent to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Response, request, url_for
from werkzeug import Response as BaseResponse

from app.console.frame import ID, SHOWN_BEFORE, call, console, done, page, problems_of, said_by
from app.errors import NotFound, Refusal
from app.operations import webhooks
from app.operations.operation import Operation
from app.vocabulary import EVENT_TYPES, DeliveryStatus

IN_LOG = 25


@console.get("/administration/webhooks")
def show_webhooks() -> Response:
    """Lists the webhooks, with a form for another."""
    return _list({})


@console.post("/administration/webhooks")
def make_webhook() -> BaseResponse:
    """Makes a webhook and shows its secret, once."""
    try:
        made = call(webhooks.create_webhook, fields=_fields(), once=True).body
    except Refusal as refusal:
        return _list(request.form.to_dict(), refusal)
    return _secret(made)


@console.get("/administration/webhooks/<id>")
def show_webhook(id: str) -> Response:
    """Shows a webhook with its log."""
    return _webhook(id)


@console.post("/administration/webhooks/<id>")
def change_webhook(id: str) -> BaseResponse:
    """Changes a webhook."""
    try:
        call(webhooks.update_webhook, id, fields={**_fields(), "enabled": "enabled" in request.form})
    except NotFound:
        raise
    except Refusal as refusal:
        return _webhook(id, refusal)
    return done("The webhook is saved.", url_for("console.show_webhook", id=id))


@console.post("/administration/webhooks/<id>/rotate")
def rotate_webhook(id: str) -> BaseResponse:
    """Gives a webhook a new secret and shows it, once."""
    try:
        return _secret(call(webhooks.rotate_webhook_secret, id, once=True).body)
    except Refusal as refusal:
        return done(said_by(refusal), url_for("console.show_webhook", id=id), ok=False)


@console.post("/administration/webhooks/<id>/test")
def test_webhook(id: str) -> BaseResponse:
    """Sends a message to try a webhook."""
    return _run(webhooks.test_webhook, "A test message is being sent: the log shows the outcome.", id)


@console.post("/administration/webhooks/<id>/redeliver")
def redeliver(id: str) -> BaseResponse:
    """Sends a message of the log again."""
    delivery_id = request.form.get("delivery", "")
    if not ID.fullmatch(delivery_id):
        raise NotFound("The log has no such message.")
    return _run(webhooks.redeliver_webhook, "The message is being sent again.", id, delivery_id)


@console.post("/administration/webhooks/<id>/delete")
def delete_webhook(id: str) -> BaseResponse:
    """Deletes a webhook."""
    try:
        call(webhooks.delete_webhook, id)
    except Refusal as refusal:
        return done(said_by(refusal), url_for("console.show_webhooks"), ok=False)
    return done("The webhook is deleted.", url_for("console.show_webhooks"))


def _run(operation: Operation, message: str, *ids: str) -> BaseResponse:
    to = url_for("console.show_webhook", id=ids[0])
    try:
        call(operation, *ids, once=True)
    except Refusal as refusal:
        return done(said_by(refusal), to, ok=False)
    return done(message, to)


def _fields() -> dict[str, Any]:
    description = request.form.get("description", "").strip()
    url = request.form.get("url", "").strip()
    return {"url": url, "description": description, "events": request.form.getlist("events")}


def _secret(made: Mapping[str, Any]) -> BaseResponse:
    if "secret" not in made:
        return done(SHOWN_BEFORE, url_for("console.show_webhook", id=made["id"]), ok=False)
    text = "With it the receiver checks the signatures. Store it there now: it is not shown again."
    back = url_for("console.show_webhook", id=made["id"])
    return page("secret.html", heading="The webhook's secret", text=text, secret=made["secret"], back=back)


def _list(values: Mapping[str, Any], refusal: Refusal | None = None) -> Response:
    return page(
        "webhooks.html",
        refusal.status if refusal else 200,
        webhooks=call(webhooks.list_webhooks).body,
        values={**values, "events": request.form.getlist("events")},
        types=[(name, name) for name in EVENT_TYPES],
        problems=problems_of(refusal) if refusal else {},
        said=said_by(refusal) if refusal else "",
    )


def _webhook(id: str, refusal: Refusal | None = None) -> Response:
    webhook = call(webhooks.get_webhook, id).body
    status, offset = request.args.get("status", ""), max(0, request.args.get("offset", 0, type=int))
    fields = {"limit": IN_LOG, "offset": offset, **({"status": [status]} if status in set(DeliveryStatus) else {})}
    log = call(webhooks.list_webhook_deliveries, id, fields=fields).body
    sent = {**request.form.to_dict(), "events": request.form.getlist("events"), "enabled": "enabled" in request.form}
    return page(
        "webhook.html",
        refusal.status if refusal else 200,
        webhook=webhook,
        values=sent if refusal else webhook,
        log=log,
        chosen=status,
        statuses_of_log=[str(one) for one in DeliveryStatus],
        offset=offset,
        shown=IN_LOG,
        types=[(name, name) for name in EVENT_TYPES],
        problems=problems_of(refusal) if refusal else {},
        said=said_by(refusal) if refusal else "",
    )

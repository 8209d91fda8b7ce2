"""The project's webhooks, and the log of what was sent to them."""

from typing import Any

from flask import Blueprint, Response, abort, request, url_for
from werkzeug import Response as BaseResponse

from app.console.additions import Pages
from app.console.calls import call, listing
from app.console.forms import form_of, leads_to, text
from app.console.frame import done, page, secret_page
from app.console.sessions import context
from app.core.schemas.validation import HEX_ID
from app.webhooks import operations as webhooks
from app.webhooks.responses import NewWebhook
from app.webhooks.schemas import DeliveryStatus

IN_LOG = 25

pages = Blueprint("webhooks", __name__, template_folder="templates")


@pages.get("/administration/webhooks")
def show_webhooks() -> Response:
    """Lists the webhooks, with a form for another."""
    types = context().features.message_types
    return page("webhooks/webhooks.html", webhooks=call(webhooks.list_webhooks).body, types=types)


@pages.post("/administration/webhooks")
@form_of(show_webhooks)
def make_webhook() -> BaseResponse:
    """Makes a webhook and shows its secret, once."""
    return _secret(call(webhooks.create_webhook, fields=_fields(), once=True).body)


@pages.get("/administration/webhooks/<id>")
def show_webhook(id: str) -> Response:
    """Shows a webhook with its log."""
    webhook, status = call(webhooks.get_webhook, id).body, request.args.get("status", "")
    filters = {"status": [status]} if status in set(DeliveryStatus) else {}
    return page(
        "webhooks/webhook.html",
        webhook=webhook,
        log=listing(webhooks.list_webhook_deliveries, id, limit=IN_LOG, **filters),
        chosen=status,
        statuses_of_log=DeliveryStatus,
        types=context().features.message_types,
    )


@pages.post("/administration/webhooks/<id>")
@form_of(show_webhook)
def change_webhook(id: str) -> BaseResponse:
    """Changes a webhook."""
    call(webhooks.update_webhook, id, fields={**_fields(), "enabled": "enabled" in request.form})
    return done("The webhook is saved.", url_for("console.webhooks.show_webhook", id=id))


@pages.post("/administration/webhooks/<id>/rotate")
@leads_to("webhooks.show_webhook", "id")
def rotate_webhook(id: str) -> BaseResponse:
    """Gives a webhook a new secret and shows it, once."""
    return _secret(call(webhooks.rotate_webhook_secret, id, once=True).body)


@pages.post("/administration/webhooks/<id>/test")
@leads_to("webhooks.show_webhook", "id")
def test_webhook(id: str) -> str:
    """Sends a message to try a webhook."""
    call(webhooks.test_webhook, id, once=True)
    return "A test message is being sent: the log shows the outcome."


@pages.post("/administration/webhooks/<id>/redeliver")
@leads_to("webhooks.show_webhook", "id")
def redeliver(id: str) -> str:
    """Sends a message of the log again."""
    delivery_id = request.form.get("delivery", "")
    if not HEX_ID.fullmatch(delivery_id):
        abort(404)
    call(webhooks.redeliver_webhook, id, delivery_id, once=True)
    return "The message is being sent again."


@pages.post("/administration/webhooks/<id>/delete")
@leads_to("webhooks.show_webhooks")
def delete_webhook(id: str) -> str:
    """Deletes a webhook."""
    call(webhooks.delete_webhook, id)
    return "The webhook is deleted."


def _fields() -> dict[str, Any]:
    pairs = (line.partition(":") for line in text("headers").splitlines() if line.strip())
    headers = {name.strip(): value.strip() for name, _, value in pairs}
    events = request.form.getlist("events")
    return {"url": text("url"), "description": text("description"), "events": events, "headers": headers}


def _secret(made: NewWebhook) -> BaseResponse:
    advice = "With it the receiver checks the signatures. Store it there now: it is not shown again."
    back = url_for("console.webhooks.show_webhook", id=made["id"])
    return secret_page("The webhook's secret", advice, made.get("secret"), back)


PAGES = Pages("webhooks", blueprints=(pages,), tabs={"administration": ("webhooks.show_webhooks", "Webhooks")})

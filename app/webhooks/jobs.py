"""The jobs that send webhooks, and that count those that fail or were disabled for it."""

from datetime import timedelta
from functools import partial

from prometheus_client import Gauge

from app.core.store.store import Store
from app.core.worker import Job
from app.outbound.dispatcher import Dispatcher
from app.outbound.message_client import MessageClient
from app.settings import Settings
from app.webhooks.attempt_store import Deliveries
from app.webhooks.sender import WebhookSender
from app.webhooks.store import Leases, Webhooks

FAILING_FOR = timedelta(minutes=15)
FAILING = Gauge(
    "content_workflow_webhooks_failing",
    "Enabled webhooks that have failed for 15 minutes without a success between.",
    multiprocess_mode="mostrecent",
)
DISABLED = Gauge(
    "content_workflow_webhooks_disabled",
    "Webhooks that were disabled because they failed, until somebody enables or deletes them.",
    multiprocess_mode="mostrecent",
)
WAITING = Gauge(
    "content_workflow_webhook_messages_waiting",
    "Messages that wait to be sent to webhooks, counted once a minute.",
    multiprocess_mode="mostrecent",
)


def send_webhooks(store: Store, settings: Settings) -> Job:
    """Sends what is due to webhooks."""
    client = MessageClient(allow_local=settings.webhooks_allow_local)
    dispatcher = Dispatcher(store, WebhookSender(store, client, clock=store.now), job="send webhooks")
    return Job("send webhooks", 0.2, dispatcher.dispatch, dispatcher.close, after_events=True)


def count_failing_webhooks(store: Store, _settings: Settings) -> Job:
    """Counts the webhooks that fail or were disabled for it, and the messages that wait, for the metrics."""
    return Job("count failing webhooks", 60, partial(count_failing, store))


def count_failing(store: Store) -> bool:
    """Sets the metrics of all projects' webhooks."""
    with store.deadline():
        failing = store[Leases].failing_since(store.now() - FAILING_FOR)
        FAILING.set(sum(store[Webhooks].count_enabled(project_id, ids) for project_id, ids in failing.items()))
        DISABLED.set(store[Webhooks].count_disabled())
        WAITING.set(store[Deliveries].count_waiting())
    return False

"""The job that sends webhooks."""

from app.core.store.store import Store
from app.core.worker import Job
from app.outbound.dispatcher import Dispatcher
from app.outbound.message_client import MessageClient
from app.settings import Settings
from app.webhooks.sender import WebhookSender


def send_webhooks(store: Store, settings: Settings) -> Job:
    """Sends what is due to webhooks."""
    client = MessageClient(allow_local=settings.webhooks_allow_local)
    dispatcher = Dispatcher(store, WebhookSender(store, client, clock=store.now), job="send webhooks")
    return Job("send webhooks", 0.2, dispatcher.dispatch, dispatcher.close, after_events=True)

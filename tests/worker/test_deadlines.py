"""Every command that the worker sends to MongoDB has a deadline."""

from datetime import timedelta
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient
from pymongo.monitoring import CommandStartedEvent

from app.core.context import Server, this_instant
from app.core.store.store import CODEC, Store
from app.core.times import wire_time
from app.core.worker import jobs
from app.features import ALL, ServerSettings
from tests.listener import Listener
from tests.live import until
from tests.make import OPERATIONS, a_document, a_project, a_ready_brief
from tests.webhooks.receiver import receiving

pytestmark = pytest.mark.needs_mongod


class Commands(Listener):
    """Notes the commands of a client that have no deadline."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.unbounded: list[Any] = []

    def started(self, event: CommandStartedEvent) -> None:
        self.names.add(event.command_name)
        if "maxTimeMS" not in event.command and event.command_name not in ("getMore", "endSessions"):
            self.unbounded.append(event.command)


def test_each_job_bounds_all_of_its_commands(fresh_store: Store, mongodb_uri: str) -> None:
    commands = Commands()
    client: MongoClient[Any] = MongoClient(mongodb_uri, w="majority", event_listeners=[commands])
    database = client.get_database(fresh_store.database.name, codec_options=CODEC)

    watched = Store(database, deadline_seconds=10, features=ALL)
    settings = ServerSettings(mongodb_uri="mongodb://given", webhooks_allow_local=True, events_kept_days=0)
    project = a_project(fresh_store)
    ctx = project.context(server=Server(webhooks_allow_local=True))
    with receiving() as receiver:
        OPERATIONS["create_webhook"](ctx, fields={"url": receiver.url})
        receiver.statuses = [200, 410]
        for number in range(2):
            a_document(ctx, title=f"Document {number}")
        past = this_instant() - timedelta(seconds=1)
        scheduled = a_document(ctx, title="Scheduled", markdown="# Rye")
        at = wire_time(this_instant() + timedelta(hours=1))
        OPERATIONS["schedule_document"](ctx, scheduled["id"], fields={"publishAt": at})
        due = {"$set": {"publishAt": past}}
        fresh_store.database.documents.update_one({"_id": ObjectId(scheduled["id"])}, due)
        brief = a_ready_brief(ctx, title="Claimed")
        OPERATIONS["claim_brief"](ctx, brief["id"], fields={"leaseSeconds": 60})
        lapsed = {"$set": {"brief.claimExpiresAt": past}}
        fresh_store.database.documents.update_one({"_id": ObjectId(brief["id"])}, lapsed)

        running = jobs(watched, settings)
        for job in running:
            while job.run():
                pass
        # Closing would end the sending after the attempt that is being made.
        until(lambda: fresh_store.database.webhooks.find_one({"enabled": False}))
        for job in running:
            job.close()

    client.close()
    assert commands.unbounded == []
    assert len(receiver.requests) == 2
    assert fresh_store.database.documents.find_one({"isPublished": True}) is not None
    assert fresh_store.database.webhooks.find_one({"enabled": False}) is not None
    assert fresh_store.database.feeds.find_one({"_id": ObjectId(project.id)})["trimmed"] > 0

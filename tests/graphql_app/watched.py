"""A server whose calls to MongoDB are counted."""

import re
from typing import Any

from flask import Flask
from pymongo import MongoClient, monitoring

from app.core.store.store import CODEC, Store
from app.features import ALL
from tests.listener import Listener, is_for_a_request
from tests.make import an_app


class Watched(Listener):
    """Notes what is read, in order."""

    def __init__(self, uri: str, database: str) -> None:
        self.collections: list[str] = []
        self.commands: list[dict[str, Any]] = []
        self.client: MongoClient[Any] = MongoClient(uri, event_listeners=[self])
        store = Store(self.client.get_database(database, codec_options=CODEC), deadline_seconds=10, features=ALL)
        self.app: Flask = an_app(store)

    def clear(self) -> None:
        """Forgets what was read."""
        self.collections.clear()
        self.commands.clear()

    def started(self, event: monitoring.CommandStartedEvent) -> None:
        """Notes a read: each is one of these two commands."""
        if event.command_name in ("find", "aggregate") and is_for_a_request(event):
            self.collections.append(event.command[event.command_name])
            self.commands.append({"name": event.command_name, **event.command})

    def explained(self, command: dict[str, Any]) -> list[str]:
        """Returns the names of the stages, and of the indexes, of the plan that MongoDB runs a read by."""
        sent = {key: value for key, value in command.items() if key not in ("name", "lsid", "$clusterTime", "$db")}
        sent.pop("maxTimeMS", None)
        plan = self.client[command["$db"]].command("explain", sent, verbosity="queryPlanner")
        return re.findall(r"'(?:stage|indexName)': '([^']+)'", str(_winning(plan)))


def _winning(plan: dict[str, Any]) -> Any:
    if "stages" in plan:
        plan = plan["stages"][0]["$cursor"]
    return plan["queryPlanner"]["winningPlan"]

"""A server whose calls to MongoDB are counted."""

from __future__ import annotations

from typing import Any

from flask import Flask
from pymongo import MongoClient, monitoring

from app.store.store import CODEC, Store
from tests.graphql_app.client import opened


class Watched(monitoring.CommandListener):
    """Notes which collections are read, in order."""

    def __init__(self, uri: str, database: str) -> None:
        self.collections: list[str] = []
        self.client: MongoClient[Any] = MongoClient(uri, event_listeners=[self])
        store = Store(self.client.get_database(database, codec_options=CODEC), transact=_no, deadline_seconds=10)
        self.app: Flask = opened(store)

    def started(self, event: monitoring.CommandStartedEvent) -> None:
        """Notes a read: each is one of these two commands."""
        if event.command_name in ("find", "aggregate"):
            self.collections.append(event.command[event.command_name])

    def succeeded(self, event: monitoring.CommandSucceededEvent) -> None:
        """Is of no interest."""

    def failed(self, event: monitoring.CommandFailedEvent) -> None:
        """Is of no interest."""


def _no(run: Any) -> Any:
    raise AssertionError("Delivery only reads.")

"""Makes a mongod a replica set with one member, for `dev` and the tests: transactions need a replica set."""

import time

from pymongo import MongoClient
from pymongo.database import Database
from pymongo.errors import AutoReconnect

from app.core.store.types import Bson

_ALREADY_INITIATED, _NOT_YET_INITIATED = 23, 94
_POLL_SECONDS = 0.02
_TIMEOUTS: Bson = {
    "serverSelectionTimeoutMS": 1000,
    "socketTimeoutMS": 5000,
}  # of one step; `seconds` bounds all steps together


class NoPrimary(Exception):
    """The mongod did not become a primary in time."""


def become_primary(host: str, name: str, seconds: float) -> None:
    """Makes the mongod at `host` (address:port) the one member of replica set `name` and waits for it to take writes.

    A set that was made under another address, because the port changed, is reconfigured to this one.
    """
    deadline = time.monotonic() + seconds
    with MongoClient[Bson](host, directConnection=True, **_TIMEOUTS) as client:
        while not _is_primary(client.admin, host, name):
            if time.monotonic() > deadline:
                raise NoPrimary(f"The mongod at {host} was no primary after {seconds:g} seconds.")
            time.sleep(_POLL_SECONDS)


def _is_primary(admin: Database[Bson], host: str, name: str) -> bool:
    """Takes one step towards a primary; repeated calls reach it."""
    try:
        if admin.command("hello")["isWritablePrimary"]:
            return True
        _configure(admin, host, name)
    except AutoReconnect:
        pass  # a member closes its connections when it changes its state
    return False


def _configure(admin: Database[Bson], host: str, name: str) -> None:
    config = admin.command("replSetGetConfig", allowable_errors=[_NOT_YET_INITIATED]).get("config")
    if config is None:  # or it is still reading its configuration from the disk
        new = {"_id": name, "members": [{"_id": 0, "host": host}]}
        admin.command("replSetInitiate", new, allowable_errors=[_ALREADY_INITIATED])
        return
    (member,) = config["members"]
    if member["host"] != host:
        member["host"] = host
        config["version"] += 1
        # Forced: under its old address the set has no primary that could take the change.
        admin.command("replSetReconfig", config, force=True)

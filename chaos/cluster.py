"""A replica set of three real mongods on loopback, whose members can be killed, frozen and stepped down."""

import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from pymongo import MongoClient
from pymongo.errors import AutoReconnect, OperationFailure, PyMongoError

from app.cli.mongod import find_mongod
from tests.live import free_port, until

NAME = "chaos"
MEMBERS = 3
PAUSE = 0.05
ELECTION_MS = 2_000
"""How long a secondary waits for the primary before it stands for election; MongoDB's default is 10,000, with which an
incident takes longer than 10 seconds."""
TRANSACTION_SECONDS = 6
"""How long MongoDB holds the locks of a server that was killed; it looks for such transactions every half of it."""

ALREADY_INITIATED = 23

_OPTIONS = (
    *("--bind_ip", "127.0.0.1", "--nounixsocket", "--replSet", NAME, "--oplogSize", "128"),
    *("--wiredTigerCacheSizeGB", "0.25", "--wiredTigerEngineConfigString", "log=(prealloc=false,file_max=10MB)"),
    *("--setParameter", "diagnosticDataCollectionEnabled=false"),
    *("--setParameter", f"transactionLifetimeLimitSeconds={TRANSACTION_SECONDS}"),
)


class Member:
    """One mongod, with its data in a folder and always at the same port."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"
        self._program = program
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.client: MongoClient[dict[str, Any]] = MongoClient(
            self.address, directConnection=True, connect=False, serverSelectionTimeoutMS=500, socketTimeoutMS=1_000
        )

    def start(self) -> None:
        """Starts it, with the data that it has."""
        (self._folder / "data").mkdir(parents=True, exist_ok=True)
        places = ("--port", str(self.port), "--dbpath", str(self._folder / "data"))
        with (self._folder / "mongod.log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._program, *_OPTIONS, *places], stdout=log, stderr=log, start_new_session=True
            )

    def send(self, number: signal.Signals) -> None:
        """Sends it a signal."""
        if self._process is not None:
            self._process.send_signal(number)

    def kill(self) -> None:
        """Ends it as a power cut does."""
        self.send(signal.SIGKILL)
        if self._process is not None:
            self._process.wait()

    def hello(self) -> dict[str, Any]:
        """Returns what it says of itself; nothing where it does not answer."""
        with suppress(PyMongoError):
            return dict(self.client.admin.command("hello"))
        return {}


class ReplicaSet:
    """The three members."""

    def __init__(self, folder: Path) -> None:
        program = find_mongod()
        self.members = tuple(Member(program, folder / f"mongod-{number}") for number in range(MEMBERS))
        self._folder = folder

    @property
    def uri(self) -> str:
        return f"mongodb://{','.join(member.address for member in self.members)}/{NAME}?replicaSet={NAME}"

    def start(self) -> None:
        """Starts all members as one replica set; returns when it accepts writes."""
        for member in self.members:
            member.start()
        rows = [{"_id": number, "host": member.address} for number, member in enumerate(self.members)]
        settings = {"electionTimeoutMillis": ELECTION_MS, "heartbeatIntervalMillis": 500}
        until(lambda: all(member.hello() for member in self.members), 60, PAUSE)
        until(lambda: self._initiated({"_id": NAME, "members": rows, "settings": settings}), 60, PAUSE)
        until(self.is_healthy, 60, PAUSE)

    def _initiated(self, config: dict[str, Any]) -> bool:
        try:
            self.members[0].client.admin.command("replSetInitiate", config)
        except AutoReconnect:
            return False
        except OperationFailure as error:
            if error.code != ALREADY_INITIATED:
                raise
        return True

    def stop(self) -> None:
        """Ends all members and deletes their data; the logs stay."""
        for member in self.members:
            member.kill()
            member.client.close()
        for number in range(MEMBERS):
            shutil.rmtree(self._folder / f"mongod-{number}" / "data", ignore_errors=True)

    def primary(self) -> Member:
        """Returns the member that accepts writes, as soon as there is one that all others agree on."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            found = [member for member in self.members if member.hello().get("isWritablePrimary")]
            if len(found) == 1:
                return found[0]
            time.sleep(PAUSE)
        raise TimeoutError("The replica set has no primary.")

    def secondaries(self) -> list[Member]:
        """Returns the other members."""
        primary = self.primary()
        return [member for member in self.members if member is not primary]

    def is_healthy(self) -> bool:
        """Is one member the primary, and is each of the others a secondary?"""
        states = [member.hello() for member in self.members]
        primaries = sum(bool(state.get("isWritablePrimary")) for state in states)
        return primaries == 1 and sum(bool(state.get("secondary")) for state in states) == MEMBERS - 1

    def step_down(self) -> Member:
        """Has the primary step down, and returns it."""
        primary = self.primary()
        with suppress(AutoReconnect):
            primary.client.admin.command("replSetStepDown", 5, force=True)
        return primary

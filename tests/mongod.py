"""The mongod that the tests share: its writes wait for no disk, where most of a test's time would go otherwise.

Tests that stop or kill a mongod, and look at what it has kept, start one of their own with `running_mongod`.
"""

import fcntl
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from pymongo import MongoClient

from app.cli.mongod import MongodProcess, find_mongod, lock_at_once, raise_on_signals

MEMORY = Path("/dev/shm")
ROOM = 2 * 2**30
"""How many bytes have to be free there; the whole suite needs a fifth of them."""


@contextmanager
def quick_mongod(folder: Path) -> Iterator[str]:
    """Yields the URI of a mongod that all processes with the same folder share, and that a crash may cost its data.

    The data are in memory where there is room, else in the folder, and go with the last process.
    """
    folder.mkdir(parents=True, exist_ok=True)
    process, data = MongodProcess(folder), folder / "data"

    def start() -> str:
        if not data.exists() and MEMORY.exists() and shutil.disk_usage(MEMORY).free > ROOM:
            memory = MEMORY / f"content-workflow-{sha256(str(folder).encode()).hexdigest()[:16]}"
            memory.mkdir(exist_ok=True)
            data.unlink(missing_ok=True)  # a link from before the machine was started again
            data.symlink_to(memory)
        uri = process.start(find_mongod())
        _acknowledge_before_the_journal(uri)
        return uri

    def stop() -> None:
        process.stop()
        shutil.rmtree(data.resolve(), ignore_errors=True)
        if data.is_symlink():
            data.unlink()

    raise_on_signals()
    with shared(folder, start, lambda: process.uri, stop) as uri:
        yield uri


@contextmanager
def shared(folder: Path, start: Callable[[], str], found: Callable[[], str], stop: Callable[[], None]) -> Iterator[str]:
    """Runs a block as one of the users of a mongod, which the first one starts and the last one stops.

    The others get what `found` returns. File locks (flock) count the users, so that the kernel releases the lock of a
    process that is killed.
    """
    with (folder / "users.lock").open("a") as users:
        try:
            with _exclusive(folder):
                uri = start() if lock_at_once(users, fcntl.LOCK_EX) else found()
                fcntl.flock(users, fcntl.LOCK_SH)
            yield uri
        finally:
            with _exclusive(folder):
                if lock_at_once(users, fcntl.LOCK_EX):
                    stop()


@contextmanager
def _exclusive(folder: Path) -> Iterator[None]:
    with (folder / "boot.lock").open("a") as boot:
        fcntl.flock(boot, fcntl.LOCK_EX)
        yield


def _acknowledge_before_the_journal(uri: str) -> None:
    """Has writes be acknowledged before they are in the journal; to a caller nothing else differs."""
    with MongoClient(uri) as client:
        config = client.admin.command("replSetGetConfig")["config"]
        if config["writeConcernMajorityJournalDefault"]:
            config["version"] += 1
            config["writeConcernMajorityJournalDefault"] = False
            client.admin.command("replSetReconfig", config)

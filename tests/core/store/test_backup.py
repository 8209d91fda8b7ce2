"""A backup that is taken while clients write holds all that was acknowledged before (docs/operations.md)."""

import shutil
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import orjson
import pytest

from app.cli.db import differences, prepare
from app.cli.mongod import running_mongod
from app.core.store.store import Store
from app.features import connect
from app.transfers.operations import export_lines
from tests.make import Project, a_project, a_ready_brief

pytestmark = [pytest.mark.needs_mongod, pytest.mark.slow]

WRITERS = 3
ENOUGH = 10
"""How many documents each writer has made when the backup begins, and makes after it."""


class Writer:
    """Makes documents until it is told to stop."""

    def __init__(self, project: Project) -> None:
        self.acknowledged: list[str] = []
        self._project = project
        self._over = threading.Event()

    def run(self) -> None:
        """Makes documents, and notes each when its last write was acknowledged."""
        ctx = self._project.context()
        while not self._over.is_set():
            document = a_ready_brief(ctx, title=f"Rye {len(self.acknowledged)}", markdown="# Rye")
            self.acknowledged.append(document["id"])

    def wait_for(self, more: int) -> None:
        """Returns when so many more were acknowledged."""
        number = len(self.acknowledged) + more
        while len(self.acknowledged) < number:
            assert not self._over.wait(0.01)

    def stop(self) -> None:
        self._over.set()


@contextmanager
def writing(project: Project) -> Iterator[list[Writer]]:
    """Lets writers make documents until the block ends; an error of one is raised there."""
    writers = [Writer(project) for _ in range(WRITERS)]
    with ThreadPoolExecutor(WRITERS) as pool:
        running = [pool.submit(writer.run) for writer in writers]
        try:
            yield writers
        finally:
            for writer in writers:
                writer.stop()
        for one in running:
            one.result()


def all_write(writers: list[Writer]) -> list[str]:
    """Returns the ids of all acknowledged documents, after each writer has made some more."""
    for writer in writers:
        writer.wait_for(ENOUGH)
    return [one for writer in writers for one in writer.acknowledged]


def assert_holds(uri: str, project: Project, acknowledged: list[str], written: Mapping[str, list[bytes]]) -> None:
    """Asserts that a restored deployment serves, and has these documents as they were written."""
    store = connect(uri)
    assert differences(store) == []
    after = a_ready_brief(Project(store, project.id, project.team_id).context(), title="After the restore")["id"]
    kept = exported(store, project.id)
    store.database.client.close()

    assert len(acknowledged) >= ENOUGH * WRITERS
    assert after in kept
    assert set(acknowledged) <= kept.keys()
    assert {one: kept[one] for one in acknowledged} == {one: written[one] for one in acknowledged}


@pytest.mark.long
def test_files_copied_under_fsync_lock_while_clients_write_hold_all_that_was_acknowledged(tmp_path: Path) -> None:
    source, restored = tmp_path / "source", tmp_path / "restored"
    with running_mongod(source) as uri, closing(connect(uri).database.client) as client:
        store = connect(uri)
        prepare(store)
        project = a_project(store)
        with writing(project) as writers:
            before = all_write(writers)
            client.admin.command("fsync", lock=True)
            shutil.copytree(source / "data", restored / "data")
            client.admin.command("fsyncUnlock")
            all_write(writers)
        written = exported(store, project.id)
        store.database.client.close()

    with running_mongod(restored) as uri:
        assert_holds(uri, project, before, written)


needs_tools = pytest.mark.skipif(
    not (shutil.which("mongodump") and shutil.which("mongorestore")),
    reason="needs mongodump and mongorestore, which come from MongoDB's own packages alone",
)


@needs_tools
@pytest.mark.parametrize("drop", [True, False], ids=["same deployment", "new deployment"])
def test_a_mongodump_while_clients_write_holds_all_that_was_acknowledged(tmp_path: Path, drop: bool) -> None:
    with running_mongod(tmp_path / "source") as uri:
        store = connect(uri)
        prepare(store)
        project = a_project(store)
        with writing(project) as writers:
            before = all_write(writers)
            dump(uri, tmp_path)
            all_write(writers)
        written = exported(store, project.id)
        if drop:
            restore(uri, tmp_path, "--drop")
            assert_holds(uri, project, before, written)
        store.database.client.close()

    if not drop:
        with running_mongod(tmp_path / "restored") as uri:
            restore(uri, tmp_path)
            assert_holds(uri, project, before, written)


@needs_tools
def test_the_oplog_after_a_mongodump_restores_a_point_in_time(tmp_path: Path) -> None:
    with running_mongod(tmp_path / "source") as uri:
        store = connect(uri)
        prepare(store)
        project = a_project(store)
        ctx = project.context()
        before = [a_ready_brief(ctx, title=f"Rye {number}")["id"] for number in range(ENOUGH * WRITERS)]
        dump(uri, tmp_path)
        before += [a_ready_brief(ctx, title=f"Spelt {number}")["id"] for number in range(ENOUGH)]
        second = int(time.time()) + 1
        time.sleep(second + 1 - time.time())  # the oplog counts in seconds
        too_late = {a_ready_brief(ctx, title=f"Oats {number}")["id"] for number in range(ENOUGH)}
        run("mongodump", "--uri", uri, "--db", "local", "--collection", "oplog.rs", "--out", str(tmp_path / "oplog"))
        written = exported(store, project.id)
        store.database.client.close()

    with running_mongod(tmp_path / "restored") as uri:
        restore(uri, tmp_path)
        (tmp_path / "nothing-else").mkdir()
        oplog = ["--oplogFile", str(tmp_path / "oplog" / "local" / "oplog.rs.bson"), "--oplogLimit", f"{second}:0"]
        run("mongorestore", "--uri", uri, "--oplogReplay", *oplog, str(tmp_path / "nothing-else"))
        assert_holds(uri, project, before, written)
        store = connect(uri)
        assert not too_late & exported(store, project.id).keys()
        store.database.client.close()


def dump(uri: str, folder: Path) -> None:
    """Dumps a deployment, MongoDB's own databases included, into a folder."""
    run("mongodump", "--uri", uri, "--oplog", "--gzip", f"--archive={folder / 'backup.gz'}")


def restore(uri: str, folder: Path, *options: str) -> None:
    """Restores the dump of a folder."""
    run("mongorestore", "--uri", uri, "--oplogReplay", "--gzip", f"--archive={folder / 'backup.gz'}", *options)


def run(*command: str) -> None:
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr


def exported(store: Store, project_id: str) -> Mapping[str, list[bytes]]:
    """Returns the lines of a project's export by the document that each is of."""
    lines: dict[str, list[bytes]] = {}
    for line in export_lines(store, project_id):
        record = orjson.loads(line)
        if document_id := record.get("documentId") or (record["type"] == "document" and record["id"]):
            lines.setdefault(document_id, []).append(line)
    return lines

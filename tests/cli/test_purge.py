"""`purge` asks before it deletes for good, and scripts say `--yes` (decisions, section 10)."""

import os
import pty
import subprocess
import sys
from datetime import timedelta

import pytest
from bson import ObjectId

from app.core.context import this_instant
from app.core.store.outbox import Outboxes
from app.core.store.store import Store
from tests.cli.conftest import Cli
from tests.make import OPERATIONS, Project, a_document, a_project

pytestmark = pytest.mark.needs_mongod


def trashed(project: Project, *ages: float) -> None:
    """Moves a document to the trash for each age in days."""
    for age in ages:
        document = a_document(project.context(), title="Rye")
        OPERATIONS["delete_document"](project.context(), document["id"])
        gone = {"outbox": [], "deletedAt": this_instant() - timedelta(days=age)}
        project.store.database.documents.update_one({"_id": ObjectId(document["id"])}, {"$set": gone})


def left(project: Project) -> int:
    return int(project.store.database.documents.count_documents({"projectId": ObjectId(project.id)}))


@pytest.mark.contract("decided-plans.purge")
@pytest.mark.parametrize(
    ("options", "purged"),
    [
        ((), 1),
        (("--older-than", "12h"), 2),
        (("--older-than", "0d"), 3),
        (("--older-than", "0s"), 3),
        (("--older-than", "9w"), 0),
    ],
)
def test_it_deletes_what_was_trashed_so_long_ago(
    cli: Cli, project: Project, options: tuple[object, ...], purged: int
) -> None:
    trashed(project, 0.1, 1, 40)

    done = cli("purge", "--project", project.id, *options, "--yes")

    assert done.stdout == f"{purged} document{' was' if purged == 1 else 's were'} permanently deleted.\n"
    assert left(project) == 3 - purged


@pytest.mark.contract("decided-threads.life")
def test_threads_and_links_go_with_the_document(cli: Cli, project: Project) -> None:
    ctx = project.context(now=this_instant() - timedelta(days=40))
    document = a_document(ctx, markdown="Rye.")["id"]
    OPERATIONS["open_thread"](ctx, document, fields={"text": "Which?"})
    OPERATIONS["create_review_link"](ctx, document, fields={"name": "Lee", "days": 14})
    OPERATIONS["delete_document"](ctx, document)
    project.store[Outboxes].publish_all(project.id)

    cli("purge", "--project", project.id, "--yes")

    assert left(project) == 0
    for name in ("threads", "reviewLinks"):
        assert project.store.database[name].count_documents({"projectId": ObjectId(project.id)}) == 0


@pytest.mark.contract("decided-plans.purge")
def test_without_a_terminal_it_needs_yes(cli: Cli, project: Project) -> None:
    trashed(project, 40)

    refused = cli("purge", "--project", project.id)

    assert (refused.exit_code, left(project)) == (2, 1)
    assert f"1 document in the trash of project {project.id} would be permanently deleted" in refused.stderr
    assert "--yes" in refused.stderr


def test_nothing_to_delete_needs_no_yes(cli: Cli, project: Project) -> None:
    assert cli("purge", "--project", project.id).stdout == "0 documents were permanently deleted.\n"


@pytest.mark.parametrize("age", ["0", "1y", "-1d", "999999w"])
def test_another_age_is_refused(cli: Cli, project: Project, age: str) -> None:
    assert cli("purge", "--project", project.id, "--older-than", age).exit_code == 2


@pytest.mark.contract("decided-plans.purge")
def test_on_a_terminal_it_asks(store: Store, mongodb_uri: str) -> None:
    project = a_project(store)
    trashed(project, 40)
    parent, terminal = pty.openpty()
    command = [sys.executable, "-c", "from app.cli import main; main()", "purge", "--project", project.id]
    environment = os.environ | {"MONGODB_URI": mongodb_uri, "MONGODB_DATABASE": store.database.name}

    with subprocess.Popen(
        command, stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment
    ) as asked:
        os.write(parent, b"n\n")
        output, _ = asked.communicate(timeout=60)

    os.close(parent)
    os.close(terminal)
    assert f"Permanently delete 1 document in the trash of project {project.id}? [y/N]" in output.decode()
    assert (asked.returncode, left(project)) == (1, 1)

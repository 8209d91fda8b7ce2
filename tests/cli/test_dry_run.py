"""`--dry-run` of the commands that change many documents: the same report, and no byte changed."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from bson import ObjectId

from app.core.context import this_instant
from app.core.store.store import Store
from tests.cli.conftest import Cli
from tests.databases import everything
from tests.make import OPERATIONS, Project, a_document, a_project

pytestmark = pytest.mark.needs_mongod


def report_of(cli: Cli, *arguments: object) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(cli("import", *arguments, "--json").stdout)
    return report


@pytest.mark.contract("decided-agents.dry-run-commands")
def test_a_dry_run_of_an_import_reports_what_the_import_then_does(
    cli: Cli, store: Store, project: Project, tmp_path: Path
) -> None:
    changed = a_document(project.context(), title="Rye", slug="rye", markdown="Dark.")
    (tmp_path / "rye.md").write_text("---\ntitle: Rye bread\nslug: rye\n---\nSour.\n")
    (tmp_path / "bad.md").write_text("---\nslug: bad\n---\n")
    for number in range(60):  # more than one batch
        head = f"---\ntitle: Bread {number}\ndate: 2020-01-01\ncategory: Breads\nmood: x\n---\n"
        (tmp_path / f"{number}.md").write_text(f"{head}Bread.\n")
    import_it = ("--project", project.id, tmp_path, "--update", "--publish")

    before = everything(store)
    dry = report_of(cli, *import_it, "--dry-run")
    assert everything(store) == before

    assert (dry["created"], dry["updated"], dry["published"], list(dry["refused"])) == (60, 1, 60, ["bad.md"])
    assert report_of(cli, *import_it) == dry
    fresh = OPERATIONS["get_document"](project.context(), changed["id"]).body
    assert (fresh["title"], fresh["version"]) == ("Rye bread", 3)
    assert "Dry run: nothing was changed." in cli("import", *import_it, "--dry-run").stdout


@pytest.mark.contract("decided-agents.dry-run-commands")
def test_a_dry_run_of_an_exported_project_reports_what_the_import_then_does(
    cli: Cli, store: Store, project: Project, tmp_path: Path
) -> None:
    a_document(project.context(), title="Rye", markdown="Dark.")
    OPERATIONS["update_project"](project.context(), fields={"siteUrl": "https://rye.example"})
    file, other = tmp_path / "project.ndjson", a_project(store)
    cli("export", "--project", project.id, "--out", file)

    before = everything(store)
    dry = report_of(cli, "--project", other.id, file, "--dry-run")
    assert everything(store) == before

    assert dry["created"]["document"] == 1
    told = cli("import", "--project", other.id, file, "--dry-run").stdout
    assert ("Would import: 1 document" in told, "that would be replaced: siteUrl" in told) == (True, True)
    assert report_of(cli, "--project", other.id, file) == dry


@pytest.mark.contract("decided-agents.dry-run-commands")
def test_a_dry_run_of_purge_counts_what_purge_then_deletes(cli: Cli, store: Store, project: Project) -> None:
    for number in range(2):
        document = a_document(project.context(), title=f"Rye {number}")
        OPERATIONS["delete_document"](project.context(), document["id"])
        store.database.documents.update_one(
            {"_id": ObjectId(document["id"])},
            {"$set": {"outbox": [], "deletedAt": this_instant() - timedelta(days=40)}},
        )

    before = everything(store)
    dry = cli("purge", "--project", project.id, "--dry-run")
    assert everything(store) == before

    assert "2 documents would be permanently deleted." in dry.stdout
    assert "2 documents were permanently deleted." in cli("purge", "--project", project.id, "--yes").stdout

"""Databases of earlier releases, brought to the form of this one (decisions, section 23)."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from bson import ObjectId
from click.testing import CliRunner, Result
from flask import Flask

from app.cli import calling, main
from app.cli.db import differences
from app.core.store import form
from app.core.store.migration import Migration, NotMigrated, Work
from app.core.store.outbox import Outboxes
from app.core.store.sharding import refused
from app.core.store.store import NewerForm, OlderForm, Store
from app.core.worker import jobs
from app.features import ALL, ServerSettings
from app.migrations import STEPS
from app.transfers.operations import export_lines, import_lines
from tests.databases import bare, everything
from tests.make import a_project, an_app
from tests.migrations.dumps import about_of, restored

pytestmark = pytest.mark.needs_mongod

DUMPS = ("form-1.bson.gz", "form-2.bson.gz")


@pytest.fixture(params=DUMPS)
def old(request: pytest.FixtureRequest, mongodb_uri: str) -> Iterator[tuple[Store, dict[str, Any]]]:
    """A database of an earlier release, and what its dump says about it."""
    with bare(mongodb_uri, features=ALL) as store:
        yield store, {"file": request.param, **restored(store.database, request.param)}


def fresh(store: Store) -> Store:
    """Returns a store that has read nothing yet, as a process that was just started."""
    return replace(store, form=form.KnownForm(), cache_scope=object())


def run(store: Store, uri: str, *arguments: str) -> Result:
    calling.store.cache_clear()
    environment = {"MONGODB_URI": uri, "MONGODB_DATABASE": store.database.name}
    return CliRunner().invoke(main, ["db", *arguments], env=environment)


def exports(store: Store, about: dict[str, Any]) -> dict[str, list[bytes]]:
    """Returns the lines of the export of each project."""
    return {one: b"".join(export_lines(store, one)).splitlines() for one in about["exports"]}


def exported_before(about: dict[str, Any]) -> dict[str, list[bytes]]:
    """Returns the lines of the export of each project by the release that made the database."""
    return {one: export.splitlines() for one, export in about["exports"].items()}


def test_an_old_database_opens_after_the_migration_and_exports_the_same_bytes(
    old: tuple[Store, dict[str, Any]], mongodb_uri: str
) -> None:
    store, about = old

    shown = run(store, mongodb_uri, "migrate")

    assert shown.exit_code == 0, shown.output
    assert f"The database has form {form.newest(STEPS)}.\n" in shown.output
    assert differences(store) == []
    assert refused(store.database, ALL.shard_keys) == []
    assert exports(store, about) == exported_before(about)
    for collection in ("counters", "feeds", "documents", "deliveryRevisions"):
        assert store.database[collection].count_documents({"projectId": None}) == 0


@pytest.mark.parametrize("dump", DUMPS)
def test_an_export_by_an_older_release_is_imported_and_exported_to_the_same_bytes(
    dump: str, fresh_store: Store
) -> None:
    for before in exported_before(about_of(dump)).values():
        project = a_project(fresh_store)

        import_lines(project.context(), before)

        assert b"".join(export_lines(fresh_store, project.id)).splitlines() == before


def test_members_get_slugs_that_no_two_of_a_project_have_in_common(old: tuple[Store, dict[str, Any]]) -> None:
    store, about = old
    Migration(store).run()
    members = [*store.database.members.find({}, {"projectId": 1, "name": 1, "slug": 1}, sort=[("_id", 1)])]
    live = [(one["projectId"], one["slug"]) for one in store.database.members.find({"deletedAt": None})]

    assert len(live) == len(set(live)) > 3
    assert {(one["name"], one["slug"]) for one in members} >= {("Ada", "ada")}
    if "form-2" in about["file"]:
        assert [one["slug"] for one in members][-4:] == ["ada", "ada-2", "zofie", "untitled"]
    client = an_app(fresh(store)).test_client()
    headers = {"Authorization": f"Bearer {[*json.loads(about['secrets']).values()][-1]}"}
    assert client.post("/members", json={"name": "ADA"}, headers=headers).json["slug"].startswith("ada-")


def test_every_operation_on_documents_works_on_a_migrated_database(old: tuple[Store, dict[str, Any]]) -> None:
    store, about = old
    Migration(store).run()
    client = an_app(fresh(store)).test_client()
    for project_id, secret in json.loads(about["secrets"]).items():
        headers = {"Authorization": f"Bearer {secret}"}
        if client.get("/project", headers=headers).json.get("frozen"):
            continue
        listed = client.get("/documents?limit=100", headers=headers).json
        for row in listed:
            assert client.get(f"/documents?q={row['title']}", headers=headers).json
            assert client.get(f"/documents?slug={row['slug']}", headers=headers).json == [row]
            changed = client.patch(f"/documents/{row['id']}", json={"dueDate": "2027-01-31"}, headers=headers)
            assert changed.status_code in (200, 409), changed.text
        for title in ("Rye", "RYE"):
            draft = client.post("/document-intents", json={"title": title}, headers=headers).json
            assert client.post(f"/document-intents/{draft['id']}/confirm", headers=headers).status_code == 201
        store[Outboxes].publish_all(project_id)
        assert client.get("/events?limit=200", headers=headers).json["events"]


def test_a_migration_that_is_interrupted_anywhere_goes_on(old: tuple[Store, dict[str, Any]]) -> None:
    store, about = old
    seen = []

    def interrupted(name: str, _records: int) -> None:
        if name not in seen:
            seen.append(name)
            raise KeyboardInterrupt

    for _ in range(10):
        try:
            Migration(store, report=interrupted).run()
            break
        except KeyboardInterrupt:
            assert form.read(store.database, STEPS) < form.newest(STEPS)

    assert "members" in seen
    assert exports(store, about) == exported_before(about)
    assert differences(store) == []
    after = everything(store)
    assert Migration(store).run() == 0
    assert {**everything(store), "form": []} == {**after, "form": []}


def test_what_was_gone_through_is_not_read_again(old: tuple[Store, dict[str, Any]]) -> None:
    store, _ = old
    form.note(store.database, STEPS)
    counted: list[tuple[str, int]] = []

    def once() -> None:
        Work(store, lambda name, records: counted.append((name, records)), step=2).each("documents", lambda _: {})

    once()
    once()

    assert counted == [("documents", store.database.documents.count_documents({}))]


@pytest.mark.parametrize("old", ["form-1.bson.gz"], indirect=True)
def test_slugs_that_are_the_same_now_are_listed_before_anything_is_changed(
    old: tuple[Store, dict[str, Any]], mongodb_uri: str
) -> None:
    store, _ = old
    one = store.database.documents.find_one({"deletedAt": None, "isPublished": False})
    assert one
    slug = one["slug"].upper()
    copy: dict[str, Any] = {**one, "_id": ObjectId(), "slug": slug, "slugs": [slug], "key": f"other-{one['_id']}"}
    store.database.documents.insert_one(copy)
    before = everything(store)

    shown = run(store, mongodb_uri, "migrate")

    assert shown.exit_code == 1
    assert f"{one['slug']!r} of {one['_id']}, {copy['slug']!r} of {copy['_id']}" in shown.output
    assert {**everything(store), "form": []} == {**before, "form": []}


def answers(app: Flask, *paths: str) -> list[int]:
    return [app.test_client().get(path).status_code for path in paths]


PATHS = ("/ready", "/documents", "/openapi.json", "/console", "/nowhere", "/mcp")


def test_a_server_answers_503_until_the_database_is_migrated(
    old: tuple[Store, dict[str, Any]], mongodb_uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _ = old
    app = an_app(fresh(store))

    assert answers(app, "/health", *PATHS) == [200, *[503] * len(PATHS)]
    assert "content-workflow db migrate" in app.test_client().get("/ready").text
    needed = [step.name for step in STEPS[form.read(store.database, STEPS) - form.FIRST :]]
    assert json.loads(run(store, mongodb_uri, "check", "--json").stdout)["steps"] == needed

    Migration(store).run()
    monkeypatch.setattr("app.core.store.form.CHECK_SECONDS", 0)

    assert answers(app, "/health", "/documents", "/openapi.json") == [200, 401, 200]


def test_a_newer_database_is_left_alone(
    old: tuple[Store, dict[str, Any]], mongodb_uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _ = old
    newer = form.newest(STEPS) + 1
    store.database.form.replace_one(form.ONE, {**form.ONE, "version": newer}, upsert=True)
    app = an_app(fresh(store))

    assert answers(app, "/health", *PATHS) == [200, *[503] * len(PATHS)]
    with pytest.raises(NewerForm):
        fresh(store).check_form()
    with pytest.raises(NewerForm):
        Migration(store).run()
    for command in ("init", "migrate"):
        shown = run(store, mongodb_uri, command)
        assert (shown.exit_code, "newer release" in shown.output) == (1, True)
    found = json.loads(run(store, mongodb_uri, "check", "--json").stdout)
    assert (found["version"], found["needs"]) == (newer, newer - 1)


def test_the_worker_does_nothing_in_a_database_of_another_form(old: tuple[Store, dict[str, Any]]) -> None:
    store = fresh(old[0])
    before = everything(store)

    for job in jobs(store, ServerSettings(mongodb_uri="mongodb://given")):
        with pytest.raises(OlderForm):
            job.run()
        job.close()

    assert everything(store) == before


def test_a_new_database_has_the_newest_form(fresh_store: Store) -> None:
    assert form.read(fresh_store.database, STEPS) == form.newest(STEPS)
    assert Migration(fresh_store).run() == 0


def test_a_migration_without_a_majority_is_refused(
    old: tuple[Store, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _ = old
    before = everything(store)
    monkeypatch.setattr("app.core.store.migration.MAJORITY", 5)
    monkeypatch.setattr("app.core.store.migration.MAJORITY_SECONDS", 0.05)

    with pytest.raises(NotMigrated, match="No majority"):
        Migration(store).run()

    assert {**everything(store), "form": []} == {**before, "form": []}

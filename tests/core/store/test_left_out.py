"""With a feature left out, the database and the worker have no trace of it."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from bson import ObjectId

from app.cli.db import prepare
from app.core.store.outbox import Outboxes
from app.core.store.store import Store
from app.core.worker import jobs
from app.features import ALL, ServerSettings
from tests.databases import bare
from tests.make import Project, a_document, a_project

pytestmark = pytest.mark.needs_mongod

FEATURES = sorted({feature.name for feature in ALL.features})
SETTINGS = ServerSettings(mongodb_uri="mongodb://given")


@pytest.fixture
def opened(mongodb_uri: str) -> Iterator[Store]:
    """A database without indexes and validators."""
    with bare(mongodb_uri) as store:
        yield store


@pytest.mark.parametrize("name", FEATURES)
def test_db_init_creates_nothing_of_a_feature_that_is_left_out(opened: Store, name: str) -> None:
    [left_out] = [feature for feature in ALL.features if feature.name == name]
    store = replace(opened, features=ALL.without(name))

    assert prepare(store) == []

    store.check_prepared()
    others = {index.collection for index in store.features.indexes}
    assert {*store.database.list_collection_names()} == others
    for index in left_out.storage.indexes:
        assert index.name not in store.database[index.collection].index_information()


def test_without_the_feed_events_are_numbered_and_leave_their_outboxes(store: Store, project: Project) -> None:
    document = a_document(project.context(project.token()))
    left = replace(store, features=ALL.without("events"))

    assert left[Outboxes].publish_all(project.id) > 0

    one = {"projectId": ObjectId(project.id)}
    assert store.database.events.count_documents(one) == 0
    assert store.database.feeds.find_one({"_id": ObjectId(project.id)})["sequence"] > 0
    assert store.database.documents.find_one({"_id": ObjectId(document["id"])})["outbox"] == []
    assert store.database.figures.count_documents(one) > 0


def test_without_notices_nothing_is_stored_with_a_document_for_them(store: Store) -> None:
    with_them, without = a_project(store), a_project(replace(store, features=ALL.without("notices")))

    for project, has_key in ((with_them, True), (without, False)):
        document = a_document(project.context(project.token()), dueDate="2027-01-01")
        stored = store.database.documents.find_one({"_id": ObjectId(document["id"])})
        assert ("waitingSince" in stored) is has_key


def test_the_worker_has_no_job_of_a_feature_that_is_left_out(store: Store) -> None:
    left = replace(store, features=ALL.without("webhooks", "notices", "provenance", "events", "images", "search"))
    running = jobs(left, SETTINGS)
    for job in running:
        job.close()

    own = ["relay events", "publish scheduled documents", "expire claims", "check the clock", "check the database"]
    assert [job.name for job in running] == own

"""What the store does while the replica set changes its primary (decisions, section 3)."""

from collections.abc import Callable
from functools import partial

import pytest
from pymongo import MongoClient, monitoring
from pymongo.errors import BulkWriteError, CursorNotFound, OperationFailure, PyMongoError, WriteConcernError

from app.core.errors import ServiceUnavailable
from app.core.store.bodies import Bodies
from app.core.store.collection import new_id
from app.core.store.store import Store
from app.documents.store import Documents
from app.features import connect
from tests.listener import Listener
from tests.make import Project

INTERRUPTED = 11602
"""MongoDB's code where a write was interrupted as its member stopped being the primary."""

ERRORS: dict[str, Callable[[], PyMongoError]] = {
    "a write that its primary did not see through": lambda: WriteConcernError("interrupted", INTERRUPTED),
    "many such writes": lambda: BulkWriteError({"writeErrors": [], "writeConcernErrors": [{"code": INTERRUPTED}]}),
    "a cursor of a member that was started again": lambda: CursorNotFound("cursor id 1 not found", 43),
    "a new primary that can't read for the majority yet": lambda: OperationFailure("not yet", 134),
}


@pytest.mark.parametrize("error", ERRORS.values(), ids=list(ERRORS))
def test_an_error_of_a_changing_replica_set_is_503_and_no_bug(store: Store, error: Callable[[], PyMongoError]) -> None:
    with pytest.raises(ServiceUnavailable), store.deadline():
        raise error()


def test_an_error_of_ours_stays_a_bug(store: Store) -> None:
    with pytest.raises(OperationFailure), store.deadline():
        raise OperationFailure("unknown operator", 2)


def test_a_read_after_the_client_was_closed_is_503_and_no_bug() -> None:
    store = connect("mongodb://127.0.0.1:1")
    store.database.client.close()

    with pytest.raises(ServiceUnavailable), store.deadline():
        store.database.projects.find_one({})


def test_a_member_that_answers_nothing_is_given_up_long_before_the_deadline_of_a_request() -> None:
    with connect("mongodb://127.0.0.1:1").database.client as client:
        pool = client.options.pool_options
        assert pool.connect_timeout is not None
        assert pool.connect_timeout + client.options.heartbeat_frequency < 5


class ReadConcerns(Listener):
    """The read concern of each `find`, by collection."""

    def __init__(self) -> None:
        self.of: dict[str, str] = {}

    def started(self, event: monitoring.CommandStartedEvent) -> None:
        if event.command_name == "find":
            self.of[event.command["find"]] = event.command.get("readConcern", {}).get("level")


@pytest.mark.needs_mongod
def test_a_text_is_read_as_the_primary_has_it_since_a_new_one_knows_only_later_what_the_majority_has(
    store: Store, project: Project, mongodb_uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    body_id = new_id()
    store[Bodies].add(project.id, project.id, "A text that a record names", body_id)
    listener = ReadConcerns()
    monkeypatch.setattr("app.core.store.store.MongoClient", partial(MongoClient, event_listeners=[listener]))
    watched = connect(mongodb_uri, store.database.name)
    watched[Documents].get(project.id, body_id)
    watched[Bodies].get_texts(project.id, [body_id])
    watched.database.client.close()

    assert listener.of == {"documents": "majority", "bodies": "local"}

"""Two apps in one process, each on a database of its own: neither shows what the other one has."""

from datetime import datetime
from typing import Any

import pytest

from app.core.store.store import Store
from tests.databases import opened
from tests.graphql_app.client import GraphQL, delivery_token, publish
from tests.make import OPERATIONS, a_document, a_project, a_ready_brief, an_app, made
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod

SITE = """{ categories { name documentCount } redirects { from to }
    documents(includeDrafts: true) { title html excerpt markdown category { name } preview { html excerpt } } }"""


other_store = pytest.fixture(opened)
"""Another empty database of the test's own."""


def test_two_apps_with_equal_ids_in_two_databases_see_nothing_of_each_other(
    fresh_store: Store, other_store: Store
) -> None:
    project = a_project(fresh_store, name="Rye", claimLeaseSeconds=600)
    ctx, editor, reader = project.context(), project.token(), delivery_token(project, drafts=True)
    category = made(ctx, "category", name="Rye breads", slug="rye-breads")
    live = a_document(ctx, title="Rye at first", markdown="Rye is dark.", categoryId=category["id"])
    publish(project, live)
    OPERATIONS["update_document"](ctx, live["id"], fields={"slug": "rye-later"})
    publish(project, live)
    draft = a_document(ctx, title="Rye to come", markdown="Rye is young.", categoryId=category["id"])
    brief = a_ready_brief(ctx, title="Rye to write", categoryId=category["id"])
    _copy(fresh_store, other_store)
    other_store.database.projects.update_many({}, {"$set": {"claimLeaseSeconds": 60}})

    seen = []
    for store in (fresh_store, other_store):
        app = an_app(store)
        rest, site = Rest(app.test_client(), editor), GraphQL(app.test_client(), reader)
        shown = [site.get(SITE).text, rest.get("/briefs").text]
        shown += [rest.get(f"/documents/{one['id']}").text for one in (live, draft)]
        claim = rest.post(f"/documents/{brief['id']}/brief/claim").json["brief"]
        seen.append((" ".join(shown), _lease_of(claim)))

    (of_rye, rye_lease), (of_oat, oat_lease) = seen
    assert "Oat" not in of_rye
    assert "oat" not in of_rye
    assert of_oat == of_rye.replace("Rye", "Oat").replace("rye", "oat")
    assert (rye_lease, oat_lease) == (600, 60)


def _copy(store: Store, other: Store) -> None:
    """Copies all records from one database to another, with oat for rye."""
    for name in store.database.list_collection_names():
        if rows := [*store.database[name].find()]:
            other.database[name].insert_many([_with_oat(row) for row in rows])


def _with_oat(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_oat(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_with_oat(one) for one in value]
    return value.replace("Rye", "Oat").replace("rye", "oat") if isinstance(value, str) else value


def _lease_of(brief: dict[str, Any]) -> float:
    began, ends = (datetime.fromisoformat(brief[name]) for name in ("claimedAt", "claimExpiresAt"))
    return (ends - began).total_seconds()

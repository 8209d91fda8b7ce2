"""The demo project: a month lies behind it, so that its figures show something."""

from bson import ObjectId
from flask import Flask

from app.cli.demo import make_demo
from app.core.context import this_instant
from app.core.store.store import Store


def test_a_month_of_work_lies_behind_the_demo(store: Store) -> None:
    project = ObjectId(make_demo(store)["projectId"])
    documents = list(store.database.documents.find({"projectId": project}))
    now = this_instant()

    assert sorted((now - one["publishedAt"]).days for one in documents if one["isPublished"]) == [9, 13, 21]
    assert max((now - one["createdAt"]).days for one in documents) == 29
    assert all(one["createdAt"] <= one["updatedAt"] <= now for one in documents)


def test_the_demo_has_categories_of_three_levels_and_a_redirect(app: Flask, store: Store) -> None:
    headers = {"Authorization": f"Bearer {make_demo(store)['tokens']['site']}"}
    query = "{ categories { slug parent { slug parent { slug } } } redirects { from to } }"

    data = app.test_client().post("/graphql", json={"query": query}, headers=headers).get_json()["data"]

    assert {"slug": "starters", "parent": {"slug": "sourdough", "parent": {"slug": "bread"}}} in data["categories"]
    assert data["redirects"] == [{"from": "what-a-sourdough-starter-is-and-what-it-is-not", "to": "what-a-starter-is"}]

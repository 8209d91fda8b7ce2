"""The name of a category that was read a moment ago is used for that moment, counted from before the read."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from bson import ObjectId

from app.store import categories
from tests.make import Project, made

pytestmark = pytest.mark.needs_mongod


def test_a_name_is_used_until_its_moment_is_over_however_long_its_read_took(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    category = made(project.context(project.token()), "category", name="Bread", slug="bread")["id"]
    now = 0.0
    monkeypatch.setattr(categories, "time", SimpleNamespace(monotonic=lambda: now))

    def slowly() -> Iterator[str]:
        nonlocal now
        now = categories.NAME_SECONDS
        yield category

    assert project.store.categories.get_names(project.id, slowly()) == {category: "Bread"}
    project.store.database.categories.update_one({"_id": ObjectId(category)}, {"$set": {"name": "Loaves"}})
    assert project.store.categories.get_names(project.id, [category]) == {category: "Bread"}
    now += 0.01
    assert project.store.categories.get_names(project.id, [category]) == {category: "Loaves"}

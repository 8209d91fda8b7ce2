"""What was read a moment ago is used for that moment, counted from before the read."""

from __future__ import annotations

import time

import pytest

from app.store.categories import NAME_SECONDS, _names
from tests.make import Project, made

pytestmark = pytest.mark.needs_mongod


def test_a_name_is_used_until_its_moment_is_over_however_late_it_was_stored(project: Project) -> None:
    category = made(project.context(project.token()), "category", name="Bread", slug="bread")["id"]

    def name_after(seconds: float) -> str:
        _names[category] = ("Loaves", time.monotonic() - seconds)
        return project.store.categories.get_names(project.id, [category])[category]

    assert (name_after(0), name_after(NAME_SECONDS)) == ("Loaves", "Bread")

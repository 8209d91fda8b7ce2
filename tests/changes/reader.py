"""Somebody who reads a whole website by `changes`, and goes on from the cursor."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.graphql_app.client import GraphQL

FIELDS = "id title slug updatedAt author{id} category{slug}"
CHANGES = (
    "query($after:String,$limit:Int){changes(after:$after,limit:$limit){cursor hasMore categoriesChanged "
    f"authorsChanged removed{{id slug}} documents{{{FIELDS}}}}}}}"
)


@dataclass
class Reader:
    """What one reader holds."""

    graphql: GraphQL
    limit: int = 100
    cursor: str | None = None
    held: dict[str, Any] = field(default_factory=dict)
    removed: list[str] = field(default_factory=list)

    def step(self) -> dict[str, Any]:
        """Reads one page, and returns it."""
        page: dict[str, Any] = self.graphql.data(CHANGES, {"after": self.cursor, "limit": self.limit})["changes"]
        ids = [one["id"] for one in (*page["documents"], *page["removed"])]
        assert len(ids) == len(set(ids)) <= self.limit
        self.held |= {one["id"]: one for one in page["documents"]}
        for one in page["removed"]:
            self.held.pop(one["id"], None)
        self.removed += [one["slug"] for one in page["removed"]]
        self.cursor = page["cursor"]
        return page

    def follow(self) -> dict[str, Any]:
        """Reads until there is no more, and returns what it holds."""
        for _ in range(1_000):
            if not self.step()["hasMore"]:
                return self.held
        raise AssertionError("The reading does not end.")


def live(graphql: GraphQL) -> dict[str, Any]:
    """Returns what is delivered, by id."""
    rows = graphql.data(f"{{documents(limit:100){{{FIELDS}}}}}")["documents"]
    return {one["id"]: one for one in rows}

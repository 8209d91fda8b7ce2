"""From form 2 to 3: every member has a slug, under which readers find what they wrote."""

from collections import defaultdict
from typing import Any

from bson import ObjectId

from app.core.slugs import first_free, slug_of
from app.core.store.form import Step
from app.core.store.migration import COMMENT, Work
from app.core.store.types import Bson

FIELDS = {"projectId": 1, "rev": 1, "name": 1, "slug": 1, "deletedAt": 1}


def _run(work: Work) -> None:
    taken: dict[ObjectId, set[str]] = {}
    given = defaultdict[ObjectId, dict[ObjectId, str]](dict)

    def with_slug(row: Bson) -> Bson:
        """Returns the slug of a member; a member who left takes none from others."""
        project, member = row["projectId"], row["_id"]
        if row.get("slug"):
            return {}
        if row.get("deletedAt"):
            return {"slug": slug_of(row["name"])}
        if project not in taken:
            taken[project] = _slugs(work, project)
        if member not in given[project]:
            given[project][member] = first_free(slug_of(row["name"]), taken[project])
            taken[project].add(given[project][member])
        return {"slug": given[project][member]}

    work.each("members", with_slug, FIELDS)


def _slugs(work: Work, project: ObjectId) -> set[str]:
    """Returns the slugs that the members of a project have, where an earlier run was interrupted."""
    rows: Any = work.store.database.members.find(
        {"projectId": project, "slug": {"$gt": ""}, "deletedAt": None}, {"slug": 1}, comment=COMMENT
    )
    return {row["slug"] for row in rows}


STEP = Step("authors", "every member has a slug, made from the name", _run)

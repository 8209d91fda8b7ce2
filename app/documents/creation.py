"""A new document: its record, with a slug that no other document of the project has (decisions, section 4)."""

from collections.abc import Iterable
from typing import Any

from app.core.calls import Call
from app.core.context import Context
from app.core.schemas.loading import Fields
from app.core.slugs import lower_id, numbered, slug_of
from app.core.vocabulary import BriefState, DocumentStatus
from app.documents.record import NO_CLAIM, assignment, written_brief
from app.documents.store import Documents


def free_slug(ctx: Context, title: str) -> str:
    """Returns a slug made from a title, with `-2`, `-3`, … as long as a document of the project has it.

    The first try assumes that it is free, as nearly all are. Where it is taken, the insert fails with a duplicate key;
    `Store.deadline` raises `WriteConflict`, and `Operation` runs the call again with `tries`.
    """
    slug = slug_of(title)
    return FreeSlugs(ctx).choose(slug) if ctx.tries else slug


class FreeSlugs:
    """Chooses slugs that no document of the project has, none twice."""

    def __init__(self, ctx: Context, slugs: Iterable[str] = (), reserved: Iterable[str] = ()) -> None:
        """Looks up the slugs that are wanted, in one query; `reserved` are slugs that are not chosen."""
        self._ctx = ctx
        self._known, self._taken = set(reserved), set(reserved)
        self._next: dict[str, int] = {}
        self._look_up(slugs)

    def choose(self, slug: str) -> str:
        """Returns the slug, or where it is taken one with the first number from `-2` on that is free."""
        number, many = self._next.get(slug, 1), 10
        while (candidate := numbered(slug, number)) not in self._known or candidate in self._taken:
            if candidate in self._known:
                number += 1
            else:
                self._look_up(numbered(slug, n) for n in range(number, number + many))
                many *= 10
        self._taken.add(candidate)
        self._next[slug] = number + 1
        return candidate

    def _look_up(self, slugs: Iterable[str]) -> None:
        if unknown := set(slugs) - self._known:
            self._taken |= self._ctx.store[Documents].find_taken_slugs(self._ctx.project_id, sorted(unknown))
            self._known |= unknown


def new_document(fields: Fields, *, slug: str, words: int, call: Call) -> dict[str, Any]:
    """Returns the record of a document that begins with the fields of a draft that has no problem.

    `words` is the number of words in its markdown.
    """
    brief = fields.get("brief")
    status = fields.get("status") or (DocumentStatus.DRAFTING if brief is None else DocumentStatus.IDEA)
    category_id, assignee_id = (lower_id(fields.get(name)) for name in ("categoryId", "assigneeId"))
    now, by = call.now, call.actor
    record = {
        "title": fields["title"],
        "slug": slug,
        "status": status,
        "assigneeId": assignee_id,
        **assignment(assignee_id, call),
        "authorId": None,
        "categoryId": category_id,
        "clusterId": lower_id(fields.get("clusterId")),
        "dueDate": fields.get("dueDate"),
        "version": 1,
        "wordCount": words,
        "isPublished": False,
        "publishedAt": None,
        "published": None,
        "deletedAt": None,
        "createdAt": now,
        "createdBy": by,
        "updatedAt": now,
        "contentUpdatedAt": now,
        "contentUpdatedBy": by,
    }
    return record if brief is None else record | {"brief": new_brief(brief)}


def new_brief(fields: Fields) -> dict[str, Any]:
    """Returns the brief that a document begins with."""
    written = {name: value for name, value in written_brief(fields).items() if value is not None}
    return written | {"state": BriefState.NONE, **NO_CLAIM}

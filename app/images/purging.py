"""`purge --images`: deletes pictures that nothing has used for 30 days (decisions, section 20)."""

from collections.abc import Callable
from datetime import datetime

from app.core.context import Context, system, this_instant
from app.core.errors import NotFound
from app.core.store.store import Store
from app.core.vocabulary import Channel
from app.images.operations import purge_image
from app.images.rules import StoredImage
from app.images.store import Images, Uses

OPTION = ("--images", "Delete pictures that nothing has used for so long, instead of documents.")
NOUN = ("picture", "that nothing uses")


def count(store: Store, before: datetime, project_id: str | None = None) -> int:
    """Returns how many pictures `purge` would delete now."""
    return len(_unused(store, before, project_id))


def purge(store: Store, before: datetime, project_id: str | None, advance: Callable[[int], None]) -> int:
    """Deletes pictures that nothing has used since a time; returns how many. `advance` is called with each number."""
    purged = 0
    for image in _unused(store, before, project_id):
        ctx = Context(store, system(image["projectId"], ""), Channel.CLI, this_instant())
        try:
            purge_image(ctx, image["id"])
        except NotFound:  # used again meanwhile, or gone
            continue
        purged += 1
        advance(1)
    return purged


def _unused(store: Store, before: datetime, project_id: str | None) -> list[StoredImage]:
    with store.deadline():
        candidates = store[Images].unused_since(project_id, before)
    used: dict[str, set[str]] = {}
    for project in {image["projectId"] for image in candidates}:
        with store.deadline():
            used[project] = store[Uses].used_keys(project)
    return [image for image in candidates if image["key"] not in used[image["projectId"]]]

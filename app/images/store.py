"""Pictures and their files; which documents use a picture."""

from __future__ import annotations

from collections.abc import Collection as Container
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

import gridfs
from bson import ObjectId
from gridfs.grid_file import GridOut

from app.core.store.bodies import Bodies
from app.core.store.collection import DESCENDING, OutboxCollection, object_ids
from app.core.store.indexes import NOT_DELETED
from app.core.store.types import Bson, Values
from app.images.rules import ADDRESS, OF_COVERS, StoredImage, cover_entry, keys_in, words_of

if TYPE_CHECKING:
    from app.core.context import Context
    from app.core.store.store import Store

BUCKET = "imageFiles"
FILES, CHUNKS = f"{BUCKET}.files", f"{BUCKET}.chunks"
NEWEST = (("_id", DESCENDING),)
IN_USE: Bson = {"imageKeys": {"$gt": ""}}
PUBLISHED = ("published", "trashedPublication")
OF_TEXTS = {"contentId": 1, **{f"{name}.markdownId": 1 for name in PUBLISHED}}
AT_ONCE = 1_000
"""How many texts are looked at by one command."""


class Images(OutboxCollection[StoredImage]):
    """The pictures of a project. The record of a deleted one is removed when its last event is relayed."""

    name = "images"
    event_data = (("imageId", "id"), ("name", "name"))

    def keys(self, record: Values, before: Values | None = None) -> Bson:
        """Returns the words that a picture is found by."""
        return {"words": words_of(record)}

    hidden = {"outbox": 0, "words": 0}

    def page(self, project_id: str, condition: Bson, *, limit: int, offset: int) -> list[StoredImage]:
        """Returns one page of pictures that meet a condition, the newest first."""
        where = condition | NOT_DELETED
        return self._find(project_id, where, sort=NEWEST, limit=limit, skip=offset, fields=self.hidden)

    def count(self, project_id: str, condition: Bson) -> int:
        """Returns how many pictures meet a condition."""
        return self._count(project_id, condition | NOT_DELETED)

    def by_keys(self, project_id: str, keys: Container[str]) -> dict[str, StoredImage]:
        """Returns those of a project's pictures that have one of the keys, by key."""
        wanted = list(keys)
        found = self._find(project_id, {"key": {"$in": wanted}, **NOT_DELETED}, fields=self.hidden) if wanted else []
        return {image["key"]: image for image in found}

    def with_hash(self, project_id: str, sha256: str) -> StoredImage | None:
        """Returns the picture that a file was stored as; None if there is none."""
        return self._find_one(project_id, {"hashes": sha256, **NOT_DELETED}, self.hidden)

    def public(self, key: str) -> StoredImage | None:
        """Returns the picture with a key, of whatever project: who has its address may see it."""
        found = self._collection.find_one({"key": key, **NOT_DELETED}, self.hidden)
        return self.from_bson(found)

    def add_width(self, project_id: str, image_id: str, made: Values) -> bool:
        """Notes a width that was made; False if another process was first, or the picture is gone."""
        condition = {"_id": ObjectId(image_id), "made.width": {"$ne": made["width"]}, **NOT_DELETED}
        return self._update_one(project_id, condition, {"$push": {"made": dict(made)}}, {"_id": 1}) is not None

    def note_used(self, project_id: str, keys: Iterable[str], now: datetime) -> None:
        """Notes that pictures are in use."""
        where = self._where(project_id, {"key": {"$in": list(keys)}})
        self._collection.update_many(where, {"$set": {"usedAt": now}}, session=self._session)

    def unused_since(self, project_id: str | None, before: datetime) -> list[StoredImage]:
        """Returns pictures that were not in use when the worker last looked, nor for some time before."""
        own = {} if project_id is None else {"projectId": ObjectId(project_id)}
        found = self._collection.find({**own, "usedAt": {"$lt": before}, **NOT_DELETED}, self.hidden)
        return [self.from_bson(one) for one in found.sort([("projectId", 1), ("_id", 1)])]

    def projects(self) -> list[str]:
        """Returns the projects that have pictures."""
        return [str(one["_id"]) for one in self._collection.aggregate([{"$group": {"_id": "$projectId"}}])]


class Uses(Bodies):
    """Which texts and covers have a picture: what is written with them (`text_keys`, `document_entries`)."""

    def documents(self, project_id: str, key: str, limit: int) -> list[dict[str, str]]:
        """Returns the id and the title of documents whose present or published text or cover has a picture."""
        ids = {document_id for document_id, _ in self._current(project_id, {"imageKeys": key})}
        for name, condition in (("documents", {"listed": cover_entry(key)}), ("publications", {"imageKeys": key})):
            where = self._where(project_id, condition)
            found = self._store.database[name].find(where, {"_id": 1}, session=self._session)
            ids |= {one["_id"] for one in found}
        where = self._where(project_id, {"_id": {"$in": list(ids)}})
        found = self._store.database["documents"].find(where, {"title": 1}, session=self._session)
        return [{"id": str(one["_id"]), "title": one["title"]} for one in found.sort("_id", 1).limit(limit)]

    def used_keys(self, project_id: str) -> set[str]:
        """Returns the keys of all pictures that documents or members use."""
        keys = {key for _, named in self._current(project_id, IN_USE) for key in named}
        where = self._where(project_id, IN_USE)
        publications, documents = (self._store.database[name] for name in ("publications", "documents"))
        keys |= set(publications.distinct("imageKeys", where, session=self._session))
        covers = self._where(project_id, {"listed": {"$regex": f"^{OF_COVERS}"}})
        entries = documents.distinct("listed", covers, session=self._session)
        keys |= {entry.removeprefix(OF_COVERS) for entry in entries if entry.startswith(OF_COVERS)}
        portraits = self._where(project_id, {"imageUrl": {"$gt": ""}, **NOT_DELETED})
        members = self._store.database["members"].find(portraits, {"imageUrl": 1}, session=self._session)
        return keys.union(*(keys_in(member["imageUrl"]) for member in members))

    def _current(self, project_id: str, condition: Bson) -> Iterator[tuple[ObjectId, list[str]]]:
        """Yields the document and the pictures of each of some texts that is a document's present or published one."""
        fields = {"documentId": 1, "imageKeys": 1}
        rows = iter(self._collection.find(self._where(project_id, condition), fields, session=self._session))
        while texts := list(islice(rows, AT_ONCE)):
            where = self._where(project_id, {"_id": {"$in": [*{one["documentId"] for one in texts}]}})
            found = self._store.database["documents"].find(where, OF_TEXTS, session=self._session)
            current = {str(text) for document in found for text in _texts_of(document)}
            yield from ((one["documentId"], one["imageKeys"]) for one in texts if str(one["_id"]) in current)


def _texts_of(document: Bson) -> Iterator[Any]:
    """Yields the ids of a document's present and published texts."""
    yield document.get("contentId")
    for name in PUBLISHED:
        yield (document.get(name) or {}).get("markdownId")


class ImageFiles:
    """The files of pictures, in GridFS. A file is written before the record that names it."""

    def __init__(self, store: Store) -> None:
        self._store, self._session = store, store.session
        self._bucket = gridfs.GridFSBucket(store.database, BUCKET)

    def add(self, project_id: str, key: str, content: bytes) -> str:
        """Stores a file outside of any transaction, and returns its id."""
        about = {"projectId": ObjectId(project_id), "key": key}
        return str(self._bucket.upload_from_stream(key, content, metadata=about))

    def open(self, file_id: str) -> GridOut:
        """Returns a file to read from. Raises `gridfs.NoFile`."""
        return self._bucket.open_download_stream(ObjectId(file_id))

    def read(self, file_id: str) -> bytes | None:
        """Returns a whole file; None if it is gone."""
        try:
            return self.open(file_id).read()
        except gridfs.NoFile:
            return None

    def delete(self, file_ids: Iterable[str]) -> None:
        """Deletes files with their chunks."""
        ids = object_ids(file_ids)
        self._store.database[CHUNKS].delete_many({"files_id": {"$in": ids}}, session=self._session)
        self._store.database[FILES].delete_many({"_id": {"$in": ids}}, session=self._session)

    def without_record(self, since: datetime | None, before: datetime, at_once: int = 1_000) -> Iterator[list[str]]:
        """Yields the ids of files that were begun in some time and that no picture names, a few at a time."""
        last = ObjectId("0" * 24) if since is None else ObjectId.from_datetime(since)
        end = ObjectId.from_datetime(before)
        while True:
            with self._store.deadline():
                ids = self._next(last, end, at_once)
                named = self._named(ids)
            if not ids:
                return
            yield [str(one) for one in ids if one not in named]
            last = ids[-1]

    def _next(self, after: ObjectId, end: ObjectId, at_once: int) -> list[ObjectId]:
        """Returns the next ids of files in order, also of those of which only chunks were written."""
        found: set[ObjectId] = set()
        for collection, key in ((FILES, "_id"), (CHUNKS, "files_id")):
            within = {key: {"$gt": after, "$lt": end}, **({"n": 0} if key == "files_id" else {})}
            rows = self._store.database[collection].find(within, {key: 1}).sort(key, 1).limit(at_once)
            found |= {one[key] for one in rows}
        return sorted(found)[:at_once]

    def _named(self, ids: Sequence[ObjectId]) -> set[ObjectId]:
        rows = self._store.database[FILES].find({"_id": {"$in": ids}}, {"metadata": 1})
        owners: dict[Any, set[str]] = {}
        for row in rows:
            about = row.get("metadata") or {}
            owners.setdefault(about.get("projectId"), set()).add(about.get("key", ""))
        named: set[ObjectId] = set()
        for project, keys in owners.items():
            where = {"projectId": project, "key": {"$in": list(keys)}, **NOT_DELETED}
            for image in self._store.database[Images.name].find(where, {"fileId": 1, "made": 1}):
                named |= {image["fileId"], *object_ids(one["file"] for one in image.get("made", ()))}
        return named


def own_pictures(ctx: Context, addresses: Iterable[str]) -> dict[str, StoredImage]:
    """Returns the project's own pictures by the addresses that a text or a cover has for them: one read."""
    keys = {address: found[1] for address in addresses if (found := ADDRESS.search(address))}
    images = ctx.store[Images].by_keys(ctx.project_id, set(keys.values()))
    return {address: images[key] for address, key in keys.items() if key in images}


def found_by(words: Sequence[str], beginning: str | None) -> Bson:
    """Returns the condition for pictures with all of some words, and one that begins with another."""
    wanted: Bson = {"$all": list(words)} if words else {}
    wanted |= {"$regex": f"^{beginning}"} if beginning else {}
    return {"words": wanted} if wanted else {}


def among(keys: Container[str], *, used: bool) -> Mapping[str, Any]:
    """Returns the condition for pictures that are among those in use, or not."""
    return {"key": {"$in" if used else "$nin": list(keys)}}

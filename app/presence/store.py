"""The pages on which texts are open. MongoDB deletes each row a minute or so after it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bson import ObjectId

from app.core.store.collection import Collection, object_id
from app.core.store.indexes import Storage, index
from app.presence.rules import MOST, OpenText

if TYPE_CHECKING:
    from datetime import datetime

    from app.core.store.types import Bson

BY_DOCUMENT = index("openTexts", "projectId documentId until", "who has a text open")

STORAGE = Storage(
    indexes=(BY_DOCUMENT, index("openTexts", "until", "deletes what ended", expireAfterSeconds=0)),
    shard_keys={"openTexts": "projectId"},
)


class OpenTexts(Collection[OpenText]):
    """The open texts of a project.

    There is no unique index, as a row that is there twice ends by itself.
    """

    name = "openTexts"

    def note(self, project_id: str, document_id: str, one: OpenText) -> None:
        """Notes that a page has a text open, until when."""
        fields: Bson = {"memberId": object_id(one["memberId"]), "name": one["name"], "until": one["until"]}
        self._collection.update_one(
            self._page(project_id, document_id, one["tokenId"], one["page"]), {"$set": fields}, upsert=True
        )

    def leave(self, project_id: str, document_id: str, token_id: str, page: str) -> None:
        """Notes that a page was left."""
        self._collection.delete_one(self._page(project_id, document_id, token_id, page))

    def others(self, project_id: str, document_id: str, page: str, now: datetime) -> list[OpenText]:
        """Returns the other pages that have a text open."""
        open_now = {"documentId": ObjectId(document_id), "until": {"$gt": now}}
        found = self._find(project_id, open_now, limit=MOST, index=BY_DOCUMENT)
        return [one for one in found if one["page"] != page]

    def _page(self, project_id: str, document_id: str, token_id: str, page: str) -> Bson:
        own = {"documentId": ObjectId(document_id), "tokenId": ObjectId(token_id), "page": page}
        return self._where(project_id, own)

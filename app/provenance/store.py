"""Who wrote and reviewed the versions of documents, and what is disclosed of all that is delivered."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from bson import ObjectId

from app.core.store.collection import DESCENDING, Collection, object_ids
from app.core.store.types import Bson
from app.provenance.reviews import AgentWords, AttributedRevision, DisclosedPublication, HumanReview
from app.provenance.vocabulary import WriterKind
from app.publications.store import NEWEST, NEWEST_FIRST

WRITTEN = dict.fromkeys(("documentId", "version", "by", "kind", "generation", "suggestedBy", "review"), 1)
"""Projection: the fields that attribute a version."""
OF_AGENTS = ({"kind": WriterKind.AGENT}, {"suggestedBy": {"$ne": None}})
DISCLOSED = dict.fromkeys(("title", "slug", "version", "publishedAt", "disclosure"), 1)


class AttributedRevisions(Collection[AttributedRevision]):
    """The versions of documents, with who wrote and reviewed them."""

    name = "revisions"

    def get(self, project_id: str, document_id: str, version: int) -> AttributedRevision | None:
        """Returns one version of a document, or None."""
        return self._find_one(project_id, {"documentId": ObjectId(document_id), "version": version})

    def get_many(self, project_id: str, document_id: str, versions: Iterable[int]) -> dict[int, AttributedRevision]:
        """Returns who made some versions of a document, by number, without their fields."""
        wanted = {"documentId": ObjectId(document_id), "version": {"$in": [*versions]}}
        return {row["version"]: row for row in self._find(project_id, wanted, fields=WRITTEN)}

    def contents(self, project_id: str, document_ids: Iterable[str]) -> dict[str, dict[int, str | None]]:
        """Returns the texts of documents' versions, by the document's id and the number of the version."""
        wanted = {"documentId": {"$in": object_ids(document_ids)}}
        found: dict[str, dict[int, str | None]] = {}
        for row in self._find(project_id, wanted, fields={"_id": 0, "documentId": 1, "version": 1, "bodyId": 1}):
            found.setdefault(row["documentId"], {})[row["version"]] = row["bodyId"]
        return found

    def by_agents(self, project_id: str, document_ids: Iterable[str]) -> Sequence[AttributedRevision]:
        """Returns the authors of the versions that agents wrote, without fields."""
        wanted = {"documentId": {"$in": object_ids(document_ids)}}
        return self._find(project_id, wanted | {"$or": OF_AGENTS}, fields=WRITTEN)

    def newest_reviewed(self, project_id: str, document_id: str) -> AttributedRevision | None:
        """Returns the newest version of a document that has the record of a review, or None."""
        wanted: Bson = {"documentId": ObjectId(document_id), "review": {"$ne": None}}
        return next(iter(self._find(project_id, wanted, sort=(("version", DESCENDING),), limit=1)), None)

    def add_review(self, project_id: str, document_id: str, version: int, review: HumanReview) -> None:
        """Stores the record of a version's review, unless it has one; inside a transaction."""
        where = {"documentId": ObjectId(document_id), "version": version, "review": None}
        self._update_one(project_id, where, {"$set": {"review": dict(review)}}, {"_id": 1})


class Disclosures(Collection[DisclosedPublication]):
    """The publications of a project, with what is disclosed of them."""

    name = "publications"

    def published_between(
        self, project_id: str, since: datetime | None, until: datetime | None, *, limit: int, offset: int
    ) -> list[DisclosedPublication]:
        """Returns one page of what went live in a span of time, the newest first, with what is disclosed of it."""
        span = {name: time for name, time in (("$gte", since), ("$lte", until)) if time is not None}
        condition: Bson = {"publishedAt": span} if span else {}
        index = NEWEST_FIRST
        return self._find(project_id, condition, sort=NEWEST, skip=offset, limit=limit, fields=DISCLOSED, index=index)

    def words_by_agent(self, project_id: str) -> list[AgentWords]:
        """Returns how many words each agent wrote of all that is delivered."""
        one = "$agentWords"
        stages: list[Bson] = [
            {"$unwind": one},
            {"$group": {"_id": f"{one}.by.id", "by": {"$last": f"{one}.by"}, "words": {"$sum": f"{one}.words"}}},
        ]
        rows = self._aggregate(project_id, {"agentWords.words": {"$gt": 0}}, stages)
        return [AgentWords(by=row["by"], words=row["words"]) for row in rows]

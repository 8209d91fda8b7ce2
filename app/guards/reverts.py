"""Undoing what a token wrote: its documents get the version from before it again (decisions, section 13)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from itertools import chain

from app.core.context import Context
from app.core.errors import BadRequest, NotFound, Problem, SlugTaken, or_raise
from app.core.operation import Effect, Result, operation
from app.core.schemas.loading import Fields, check
from app.core.times import read_time
from app.core.vocabulary import Scope
from app.documents.content import restored
from app.documents.edits import NOT_EDITABLE
from app.documents.operations import write_decision
from app.documents.record import StoredDocument, StoredRevision
from app.documents.store import Documents, Revisions
from app.guards.responses import Revert, Reverted, Skipped
from app.guards.schemas import RevertFields
from app.guards.vocabulary import SkipReason
from app.projects.token_store import Tokens

AT_ONCE = 100
VERSIONS_AT_ONCE = 20_000
"""A call ends after undoing this many versions, so that it takes no longer than a request may."""
READ_AT_ONCE = 20
SKIPPED = 1_000
FURTHEST = timedelta(days=30)


@operation(
    Scope.ADMIN,
    Effect.CHANGES,
    "POST /tokens/<id>/revert",
    body=RevertFields,
    errors=(BadRequest,),
    transaction=True,
)
def revert_token(ctx: Context, token_id: str, fields: Fields) -> Result[Revert]:
    """Undo what a token wrote since a time: each document gets the version from before it again, as a new version.

    Call again while `more` is true. A document that somebody else changed since is skipped. What is live stays
    live.
    """
    missing = ("The project has no such token", "tokenId", "list the tokens to find it")
    token = or_raise(ctx.store[Tokens].get(ctx.project_id, token_id), NotFound, *missing)
    ctx.check_match(token)
    check(RevertFields, fields)
    if read_time(fields["since"]) < ctx.now - FURTHEST:
        raise BadRequest(errors=[Problem(field="since", message="Must be at most 30 days back.")])
    reverted: list[Reverted] = []
    skipped: list[Skipped] = []
    undone: list[str] = []
    taken: list[_Work] = []
    """Documents whose earlier slug another document has, but may release: tried again after all others."""
    more = False
    for work in chain(_works(ctx, token["id"], fields), taken):
        reason = work.obstacle
        if reason is None and (len(reverted) == AT_ONCE or len(undone) >= VERSIONS_AT_ONCE):
            more = True
            break
        if reason is None:
            try:
                reverted += _revert(ctx, token["id"], work)
                undone += [version["id"] for version in work.own]
                reason = SkipReason.PUBLISHED_SINCE if work.is_live else None
            except SlugTaken:
                if work not in taken:
                    taken.append(work)
                    continue
                reason = SkipReason.SLUG_TAKEN
        if reason is not None and len(skipped) < SKIPPED:
            skipped.append({"id": work.document["id"], "reason": str(reason)})
    ctx.store[Revisions].mark_undone(ctx.project_id, undone)
    return Result({"reverted": reverted, "skipped": skipped, "more": more})


@dataclass(frozen=True, eq=False)
class _Work:
    """The versions of a document that a token wrote and that are not reverted yet."""

    document: StoredDocument
    own: list[StoredRevision]
    """Its versions, the first one first."""
    before: int | None
    """The number of the version before them."""
    changed_since: bool
    """True if somebody else changed the document after the first of them."""

    @property
    def obstacle(self) -> SkipReason | None:
        """Why the document can't be reverted."""
        if self.changed_since:
            return SkipReason.CHANGED_SINCE
        if self.before is None:
            return SkipReason.CREATED_SINCE
        return SkipReason.FROZEN_STATUS if self.document["status"] in NOT_EDITABLE else None

    @property
    def is_live(self) -> bool:
        """True if one of the versions is the delivered one."""
        published = self.document.get("published")
        return published is not None and published["version"] in {version["version"] for version in self.own}


def _works(ctx: Context, token_id: str, fields: Fields) -> Iterator[_Work]:
    """Yields what a token wrote in each document outside the trash, at last in some of those that it created.

    Documents that it created can't be reverted, and no more of them are read than a response lists.
    """
    written = ctx.store[Revisions].first_versions_by(ctx.project_id, token_id, read_time(fields["since"]))
    created = [first for first in written if first[1] == 1]
    firsts = [*(first for first in written if first[1] > 1), *created[:SKIPPED]]
    for start in range(0, len(firsts), READ_AT_ONCE):
        batch = firsts[start : start + READ_AT_ONCE]
        documents = ctx.store[Documents].get_many(ctx.project_id, [document_id for document_id, _ in batch])
        histories = ctx.store[Revisions].around(ctx.project_id, batch)
        for document_id, first in batch:
            document = documents.get(document_id)
            if document is None or document["deletedAt"] is not None:
                continue
            history = histories[document_id]
            later = [version for version in history if version["version"] >= first]
            yield _Work(
                document,
                own=[version for version in later if version["by"]["id"] == token_id],
                before=max((version["version"] for version in history if version["version"] < first), default=None),
                changed_since=any(token_id not in (version["by"]["id"], version.get("reverts")) for version in later),
            )


def _revert(ctx: Context, token_id: str, work: _Work) -> list[Reverted]:
    """Writes the version before the token's as a new one; nothing where it is the same. Refuses with `SlugTaken`."""
    before = ctx.store[Revisions].get(ctx.project_id, work.document["id"], work.before) if work.before else None
    assert before is not None
    origin = {"reverts": token_id, "revertsTo": before["version"], "undone": True}
    rule = partial(restored, ctx, revision=before, data={"reverted": True})
    written = write_decision(ctx, work.document, rule, origin=origin)
    if written is work.document:
        return []
    return [{"id": written["id"], "version": written["version"], "to": before["version"]}]

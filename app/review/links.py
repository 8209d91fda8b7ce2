"""Review links: one document and its threads for somebody who is no member, without a token (decisions, section 17)."""

from datetime import datetime, timedelta

from app.core.context import Caller, Context
from app.core.errors import BadRequest, NotFound, Problem, Unauthorized, or_raise
from app.core.operation import Effect, Result, operation
from app.core.records import record_of
from app.core.schemas.loading import Fields
from app.core.schemas.queries import LongPage
from app.core.store.store import Store
from app.core.vocabulary import ActorType, Channel, Scope
from app.documents.operations import own_document
from app.documents.record import Decision, StoredDocument, document_event
from app.documents.store import Documents
from app.projects.access import (
    hash_of,
    in_force,
    made_by,
    new_project_secret,
    no_later_than_maker,
    project_of_secret,
    refuse_if_maker_ended,
)
from app.projects.store import Projects
from app.projects.tokens import agent_name
from app.review.operations import thread_change
from app.review.responses import NewReviewLink, ReviewLink, ReviewLinkOfDocument
from app.review.rules import StoredReviewLink
from app.review.schemas import ReviewLinkFields
from app.review.store import ReviewLinks

PREFIX = "cwl_"
DEFAULT_DAYS = 7
MOST_LINKS = 20
"""Maximum number of review links of a document that have not ended."""

TOO_MANY = Problem(field="name", message=f"The document has {MOST_LINKS} review links: end one of them first.")


@thread_change(
    Scope.PUBLISH,
    Effect.CREATES,
    "POST /documents/<id>/review-links",
    body=ReviewLinkFields,
    errors=(BadRequest,),
    unchanging=True,
    prepare=None,
)
def create_review_link(ctx: Context, document_id: str, fields: Fields) -> Result[NewReviewLink]:
    """Create a link that shows a document to somebody who is no member, for remarks.

    It is shown only in this response.
    """
    document = ctx.check_match(own_document(ctx, document_id))
    if len(_links(ctx, document["id"])) >= MOST_LINKS:
        raise BadRequest(errors=[TOO_MANY])
    secret = PREFIX + new_project_secret(ctx.project_id)
    link = ctx.store[ReviewLinks].add(
        ctx.project_id,
        hash_of(secret),
        {
            "documentId": document["id"],
            "name": fields["name"],
            "agent": agent_name(ctx),
            **made_by(ctx.caller),
        },
        ctx.now,
        no_later_than_maker(ctx.caller, ctx.now + timedelta(days=fields.get("days", DEFAULT_DAYS))),
    )
    _record(ctx, document, "review_link.created", link["id"])
    # What follows the # reaches no server and no log.
    address = f"{ctx.server.public_url.rstrip('/')}/console/review#{secret}"
    return Result({**record_of(ReviewLink, link), "link": address}, secrets=("link",))


@operation(Scope.PUBLISH, Effect.READS, "GET /documents/<id>/review-links", tag="threads", toolsets=("reviewing",))
def list_review_links(ctx: Context, document_id: str) -> Result[list[ReviewLink]]:
    """List the open review links of a document, the oldest first."""
    return Result([record_of(ReviewLink, one) for one in _links(ctx, own_document(ctx, document_id)["id"])])


@operation(Scope.ADMIN, Effect.READS, "GET /review-links", tag="threads", query=LongPage, toolsets=("admin",))
def list_all_review_links(ctx: Context, fields: Fields) -> Result[list[ReviewLinkOfDocument]]:
    """List the project's review links that have not ended, by document."""
    first, links = fields["offset"], _links(ctx)
    return Result([record_of(ReviewLinkOfDocument, one) for one in links[first : first + fields["limit"]]])


@thread_change(
    Scope.PUBLISH, Effect.DESTROYS, "DELETE /documents/<id>/review-links/<link_id>", unchanging=True, prepare=None
)
def delete_review_link(ctx: Context, document_id: str, link_id: str) -> Result[ReviewLink]:
    """End a review link: within 5 seconds nobody can open it."""
    document = ctx.check_match(own_document(ctx, document_id))
    found = ctx.store[ReviewLinks].delete(ctx.project_id, document["id"], link_id)
    link = or_raise(found, NotFound, "The document has no such review link: it was ended, or its time is over.")
    _record(ctx, document, "review_link.deleted", link["id"])
    return Result(record_of(ReviewLink, link))


def visit(store: Store, secret: str, now: datetime) -> tuple[Context, str]:
    """Returns the context of a visitor with a review link's secret, and the id of its document, for the console.

    The threads that a visitor opens have at most the level `should`, and they resolve only their own. Refuses with
    `Unauthorized` an unknown secret, one whose link or whose maker has ended, and any while the document is in the
    trash. Who comes by the link of an agent acts as the agent.
    """
    project_id = project_of_secret(secret.removeprefix(PREFIX))
    link = or_raise(store[ReviewLinks].get(project_id, hash_of(secret), now), Unauthorized)
    refuse_if_maker_ended(store, project_id, link, now)
    or_raise(store[Documents].get(project_id, link["documentId"]), Unauthorized)
    project = store[Projects].settings(project_id)
    caller = Caller(
        project_id,
        project["teamId"],
        link["id"],
        name=link["name"],
        scopes=frozenset({Scope.READ, Scope.WRITE}),
        project_name=project["name"],
        project=project,
        type=ActorType.LINK,
        client=link.get("agent", link["createdBy"]["agent"]) or "",
    )
    return Context(store, caller, Channel.CONSOLE, now), link["documentId"]


def _links(ctx: Context, document_id: str | None = None) -> list[StoredReviewLink]:
    """Returns the links of a document, of all without one, that have not ended."""
    found = ctx.store[ReviewLinks].list(ctx.project_id, document_id, ctx.now)
    return in_force(ctx.store, ctx.project_id, found, ctx.now)


def _record(ctx: Context, document: StoredDocument, event: str, link_id: str) -> None:
    """Writes the event of a link to its document, so that two calls can't make one link too many."""
    made = document_event(event, document, ctx.now, ctx.caller.actor, {"linkId": link_id})
    ctx.store[Documents].remark(ctx.project_id, document, Decision(document, (made,)))

"""Names the tool by which a model goes on after a refusal (decisions, section 8)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.core.context import Context
from app.core.errors import NotFound, Refusal, ReviewRequired
from app.core.operation import Operation
from app.core.vocabulary import Scope
from app.documents.statuses import EMPTY

TOOL_NAME = re.compile("`([a-z]+(?:_[a-z]+)+)`")
"""A tool that a sentence names."""
NAME = re.compile("[A-Za-z]+")

READ, NEXT, FIND = "Read the present state with {}.", "Next: {}.", "Find it with {}."
FIND_DRAFT = "Find it with {}, and what was confirmed with `list_documents`."
MERGE = "Read it again with {}, merge, and send its `version` as `baseVersion`."
DECIDE = "Read it again with {}, decide anew, and send its `version` as `baseVersion`."
ANOTHER, WAIT = "Claim another with {}.", "Wait until the claim ends, as {} shows, or ask a person to withdraw it."

AFTER: Mapping[str, tuple[str, Sequence[str]]] = {
    "BriefClaimed": (WAIT, ("get_brief",)),
    "VersionConflict": (MERGE, ("get_document", "get_outline")),
    "InvalidTransition": (READ, ("get_document", "get_work_packet")),
    **dict.fromkeys(("BriefClosed", "BriefNotReady", "BriefNotOffered"), (READ, ("get_brief", "get_work_packet"))),
    "ReviewRequired": (NEXT, ("list_document_actions",)),
    **dict.fromkeys(("ThreadsOpen", "ThreadNotYours"), (READ, ("list_threads",))),
    "ThreadResolved": ("To go on with it, reopen it first with {}.", ("reopen_thread",)),
    "QuoteGone": ("Edit the content with {}, then answer.", ("edit_content",)),
    "ChecksFailed": ("Correct what `checks` lists, a text with {}, then submit again.", ("edit_content",)),
    "SourceCited": (READ, ("read_document_content", "get_outline")),
    "ImageInUse": (READ, ("get_image",)),
    **dict.fromkeys(("CategoryInUse", "ClusterInUse"), (READ, ("list_documents",))),
}
"""By the tag of a refusal: what to do then, and the tool for it, the best first."""

LISTS: Mapping[str, Sequence[str]] = {
    "documentId": ("list_documents", "list_briefs"),
    "intentId": ("list_intents",),
    **dict.fromkeys(("categoryId", "category", "id"), ("list_categories",)),  # a subcategory's own is `id`
    **dict.fromkeys(("clusterId", "cluster"), ("list_clusters",)),
    **dict.fromkeys(("memberId", "assigneeId", "authorId", "assignee"), ("list_members",)),
    "internalLinks": ("list_documents",),
    "exact": ("read_document_content", "read_section"),
    "imageId": ("list_images",),
    "sourceId": ("list_sources",),
    "threadId": ("list_threads",),
    "linkId": ("list_review_links",),
    "version": ("list_revisions",),
    "number": ("get_outline",),
    "tokenId": ("list_tokens",),
    "invitationId": ("list_invitations",),
    "webhookId": ("list_webhooks",),
    "deliveryId": ("list_webhook_deliveries",),
}
"""By the argument that names a record: the tool that lists such records."""


def with_next_step(refusal: Refusal, operation: Operation[Any], ctx: Context) -> Refusal:
    """Names in a refusal's message the tool to call next, and in its problems the tool that lists what they name.

    It replaces the advice for all interfaces. A message that names a tool already stays as it is.
    """
    if not TOOL_NAME.search(refusal.message) and (step := _sentence(*_next_step(refusal, operation, ctx), ctx)):
        refusal.message = refusal.fact + step
    if problems := refusal.extra.get("errors"):
        refusal.extra["errors"] = with_lists(problems, ctx)
    return refusal


def with_lists(problems: Iterable[Mapping[str, Any]], ctx: Context) -> list[dict[str, Any]]:
    """Returns problems that name the tool that lists what their field names."""
    return [{**one, "message": one["message"] + _lists(one["field"], ctx)} for one in problems]


def _next_step(refusal: Refusal, operation: Operation[Any], ctx: Context) -> tuple[str, Sequence[str]]:
    if EMPTY in refusal.extra.get("errors", ()):
        return "Write some with {}.", ("write_content",)
    if isinstance(refusal, NotFound):
        is_draft = "intentId" in operation.id_names
        return FIND_DRAFT if is_draft else FIND, LISTS.get(refusal.argument or operation.id_names[-1], ())
    if refusal.tag == "BriefClaimed" and operation.is_in("writing") and ctx.permits("claim_next_brief"):
        return ANOTHER, ("claim_next_brief",)
    if refusal.tag == "ReviewRequired" and refusal.message != ReviewRequired.message:  # people decide
        return NEXT, ()
    if refusal.tag == "VersionConflict" and operation.scope == Scope.PUBLISH:  # what goes out has to be read
        return DECIDE, ("read_document_content",)
    if "hashes" in refusal.extra:
        return "Read its outline with {}, and edit what it has.", ("get_outline",)
    if refusal.tag == "VersionConflict" and operation.toolsets == ("writing",):  # a record lacks the text
        return MERGE, ("get_outline",)
    return AFTER.get(refusal.tag, (NEXT, ()))


def _lists(field: str, ctx: Context) -> str:
    """Returns the sentence for a problem of a field that names a record."""
    return _sentence(FIND, LISTS.get(NAME.findall(field)[-1], ()), ctx) if NAME.search(field) else ""


def _sentence(form: str, tools: Sequence[str], ctx: Context) -> str:
    """Returns the sentence that names the best of the tools that the client has, else the best of all."""
    known = [name for name in tools if name in ctx.features.by_name]
    own = [name for name in known if ctx.features.by_name[name].is_in(ctx.toolset)]
    return f" {form.format(ctx.name_of((own or known)[0]))}" if known else ""

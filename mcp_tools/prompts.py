"""The prompt that gives an agent a brief with everything that belongs to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mcp_types as t

from app.errors import HttpApiDecodeError, Issue, NotFound
from app.operations.briefs import get_brief
from app.operations.clusters import get_cluster
from app.operations.context import Context
from app.operations.projects import get_project
from mcp_tools.arguments import HEX_ID, WRONG_ID

WRITE = "write_document_from_brief"

PROMPTS = [
    t.Prompt(
        name=WRITE,
        title="Write a document from its brief",
        description="A brief with its category, cluster and links, and how to deliver the text.",
        arguments=[t.PromptArgument(name="documentId", description="the document's id", required=True)],
    )
]

FIELDS = (
    ("keyword", "Keyword to rank for"),
    ("intent", "Search intent"),
    ("audience", "Audience"),
    ("wordCount", "Length"),
    ("outline", "Outline, a section a line"),
    ("notes", "Notes"),
)

DELIVERY = """\
How to deliver it:
1. {claim}
2. Write the whole text as markdown (CommonMark with tables). Begin below the title; it is not part of the text.
3. Call `write_content` with documentId "{id}", baseVersion {version} and the text.
4. Call `submit_document` with documentId "{id}". If you can't finish, call `release_brief` with the
   same documentId.
Give each of these calls an `idempotencyKey`, and use the same one again if you have to retry it."""

CLAIMS = {
    "none": "The brief is not offered yet: ask whether you may write it, then `mark_brief_ready` and `claim_brief`.",
    "ready": 'Call `claim_brief` with documentId "{id}", so that nobody else writes it. Go on only if that succeeds.',
    "claimed": "The brief is claimed by {holder}. Go on only if that is you.",
    "drafted": "The brief was written already: ask whether to write it again, then `mark_brief_ready` and "
    "`claim_brief`.",
}


def written(ctx: Context, arguments: Mapping[str, str]) -> list[t.PromptMessage]:
    """Returns the prompt's messages for a document.

    Refuses with `HttpApiDecodeError` when the id is missing, and with `NotFound`.
    """
    document_id = arguments.get("documentId")
    if document_id is None:
        raise HttpApiDecodeError(issues=[Issue(path="documentId", message="Is required.")])
    if not HEX_ID.fullmatch(document_id):
        raise NotFound(WRONG_ID)
    text = _text(ctx, get_brief(ctx, document_id).body)
    return [t.PromptMessage(role="user", content=t.TextContent(type="text", text=text))]


def _text(ctx: Context, detail: Mapping[str, Any]) -> str:
    brief = detail["brief"] or {}
    project = get_project(ctx).body
    parts = [f'Write the document "{detail["title"]}" for the project "{project["name"]}".']
    parts += [f"{label}:\n{brief[name]}" for name, label in FIELDS if brief.get(name)]
    parts += [f"Due: {detail['dueDate']}"] if detail["dueDate"] else []
    if category := detail["category"]:
        parts.append(f"Category: {category['name']}\n{category['description']}".rstrip())
    if detail["clusterId"]:
        cluster = get_cluster(ctx, detail["clusterId"]).body
        keywords = f"\nKeywords: {', '.join(cluster['keywords'])}" if cluster["keywords"] else ""
        parts.append(f"Cluster: {cluster['name']}\n{cluster['description']}".rstrip() + keywords)
    if detail["internalLinks"]:
        links = "\n".join(f"- {link['title']} (slug `{link['slug']}`)" for link in detail["internalLinks"])
        parts.append(f"Link to these documents:\n{links}")
    if brief.get("referenceUrls"):
        parts.append("Sources:\n" + "\n".join(f"- {url}" for url in brief["referenceUrls"]))
    return "\n\n".join([*parts, _delivery(detail, brief)])


def _delivery(detail: Mapping[str, Any], brief: Mapping[str, Any]) -> str:
    holder = brief.get("claimedBy") or {}
    who = holder.get("agent") or holder.get("name")
    claim = CLAIMS[brief.get("state", "none")].format(id=detail["id"], holder=who)
    return DELIVERY.format(claim=claim, id=detail["id"], version=detail["version"])

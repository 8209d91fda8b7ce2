"""The prompt that gives an agent a brief with everything that belongs to it."""

import secrets
from collections.abc import Mapping

import mcp_types as t

from app.briefs.operations import get_brief
from app.categories.clusters import get_cluster
from app.core.context import Context
from app.core.schemas.fields import Schema, StrictString
from app.documents.record import OPEN
from app.projects.operations import get_project
from mcp_tools.arguments import load_known
from mcp_tools.texts import text_of
from mcp_tools.tools import UNTRUSTED

WRITE = "write_document_from_brief"

Arguments = Schema.from_dict({"documentId": StrictString(None, required=True)}, name="Arguments")
"""Arguments of the prompt."""

PROMPTS = [
    t.Prompt(
        name=WRITE,
        title="Write a document from its brief",
        description="A brief with its category, cluster and links, and how to deliver the text.",
        arguments=[t.PromptArgument(name="documentId", description="the document's id", required=True)],
    )
]


def written(ctx: Context, arguments: Mapping[str, str]) -> list[t.PromptMessage]:
    """Returns the prompt's messages for a document.

    Refuses with `HttpApiDecodeError` when the id is missing or another argument is there, and with `NotFound`.
    """
    document_id = load_known(Arguments, arguments)["documentId"]
    detail = get_brief(ctx, document_id).body
    text = text_of(
        "prompt.md.jinja",
        **{**detail, "brief": detail["brief"] or {}},
        boundary=secrets.token_hex(16),  # 128 bits, which nobody who writes a brief can guess
        cluster=get_cluster(ctx, detail["clusterId"]).body if detail["clusterId"] else None,
        features=ctx.features,
        name_of=ctx.name_of,
        open=OPEN,
        project=get_project(ctx).body["name"],
    )
    return [t.PromptMessage(role="user", content=t.TextContent(type="text", text=text, _meta=UNTRUSTED))]

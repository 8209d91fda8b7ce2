"""The MCP server: what a client may list, call, read and get, for every protocol revision of the SDK."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import mcp_types as t
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from app.errors import InternalError, Refusal
from app.fields.unknown import near_name
from app.operations.context import Context
from app.settings import VERSION
from mcp_tools import prompts, resources
from mcp_tools.guidance import INSTRUCTIONS
from mcp_tools.results import labelled, refused
from mcp_tools.tools import TOOLS, tools_for
from mcp_tools.toolsets import ALL, holds

log = logging.getLogger("content_workflow.mcp")


LIST_TTL = 300_000
"""Milliseconds for which a client may cache a list that changes with a new release alone."""

MAX_NAME = 100
"""The most characters of an agent's name."""

T = TypeVar("T")

Page = t.PaginatedRequestParams | None


@dataclass(frozen=True)
class Call:
    """Who sent a message, or why no call of theirs is served now (`RateLimited`), and which toolset they chose.

    `over_http` makes it, and the SDK passes it to handlers as the `request` of their context.
    """

    context_or_refusal: Context | Refusal
    request_id: str
    agent: str = ""
    """The client's name, where its handshake was another request."""
    toolset: str = ALL

    def context(self, message: Message) -> Context:
        """Returns the context of a message; a token without an agent's name takes the client's.

        Raises the refusal of a caller who is not served.
        """
        ctx = self.context_or_refusal
        if isinstance(ctx, Refusal):
            raise ctx
        if ctx.caller.agent:
            return ctx
        client = message.session.client_params
        name = printable_name(client.client_info.name) if client and client.client_info else self.agent
        return replace(ctx, caller=replace(ctx.caller, agent=name))

    def unexpected(self, where: str) -> InternalError:
        """Logs the current exception and returns what the client may know of it."""
        log.exception("bug", extra={"requestId": self.request_id, "where": where})
        return InternalError(self.request_id)


Message = ServerRequestContext[None, Call]
"""A message as the SDK passes it to a handler; its `request` is the `Call`."""


def printable_name(client: str) -> str:
    """Returns a client's name as records can store it."""
    return "".join(letter for letter in client if letter.isprintable()).strip()[:MAX_NAME]


def mcp_server() -> Server[None]:
    """Returns the server, which finds the `Call` of each message in its request.

    A handler blocks while its operation runs, so each message needs a thread and an event loop of its own.
    """

    async def list_tools(message: Message, page: Page) -> t.ListToolsResult:
        toolset = _call_of(message).toolset
        return _served(message, lambda ctx: t.ListToolsResult(tools=tools_for(ctx.caller.scopes, toolset)))

    async def call_tool(message: Message, params: t.CallToolRequestParams) -> t.CallToolResult:
        call, tool = _call_of(message), TOOLS.get(params.name)
        if tool is None or not holds(call.toolset, params.name):
            near = near_name(params.name, (name for name in TOOLS if holds(call.toolset, name)))
            hint = f"did you mean `{near}`?" if near else "call one of those that `tools/list` shows."
            unknown = f"There is no tool {params.name!r} in the toolset {call.toolset!r}"
            raise MCPError(code=t.INVALID_PARAMS, message=f"{unknown}: {hint}")
        arguments = params.arguments or {}
        try:
            result = tool.call(call.context(message), arguments)
        except Refusal as refusal:
            result = refused(refusal)
        except Exception:
            result = refused(call.unexpected(params.name))
        return labelled(result, tool.label(arguments))

    async def list_resources(message: Message, page: Page) -> t.ListResourcesResult:
        return _served(message, lambda ctx: t.ListResourcesResult(resources=resources.offered(ctx)))

    async def list_templates(message: Message, page: Page) -> t.ListResourceTemplatesResult:
        return t.ListResourceTemplatesResult(resource_templates=resources.TEMPLATES)

    async def read_resource(message: Message, params: t.ReadResourceRequestParams) -> t.ReadResourceResult:
        uri = str(params.uri)
        return _served(message, lambda ctx: t.ReadResourceResult(contents=resources.read(ctx, uri)), uri=uri)

    async def list_prompts(message: Message, page: Page) -> t.ListPromptsResult:
        return t.ListPromptsResult(prompts=prompts.PROMPTS)

    async def get_prompt(message: Message, params: t.GetPromptRequestParams) -> t.GetPromptResult:
        if params.name != prompts.WRITE:
            raise MCPError(code=t.INVALID_PARAMS, message=f"There is no prompt {params.name!r}: list the prompts.")
        arguments = params.arguments or {}
        return _served(message, lambda ctx: t.GetPromptResult(messages=prompts.written(ctx, arguments)))

    return Server(
        "content-workflow",
        version=VERSION,
        title="Content workflow",
        instructions=INSTRUCTIONS,
        cache_hints={"tools/list": CacheHint(ttl_ms=LIST_TTL), "prompts/list": CacheHint(ttl_ms=LIST_TTL)},
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


def _call_of(message: Message) -> Call:
    if message.request is None:
        raise RuntimeError("A message came without its call.")
    return message.request


def _served(message: Message, serve: Callable[[Context], T], **data: str) -> T:
    """Returns what `serve` does; a refusal is a protocol error with the body of REST and `data` as its data."""
    call = _call_of(message)
    try:
        return serve(call.context(message))
    except Refusal as refusal:
        code = t.INVALID_PARAMS if refusal.status < 500 else t.INTERNAL_ERROR
        body = refusal.body()
        issues = (f"`{issue['path']}`: {issue['message']}" for issue in body.get("issues", ()))  # few clients show data
        raise MCPError(code=code, message=" ".join([refusal.message, *issues]), data={**body, **data}) from None
    except Exception:
        bug = call.unexpected(message.method)
        raise MCPError(code=t.INTERNAL_ERROR, message=bug.message, data={**bug.body(), **data}) from None

"""The MCP server: what a client may list, call, read and get, for every protocol revision of the SDK."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import mcp_types as t
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from app.errors import Refusal
from app.operations.context import Context
from app.settings import VERSION
from mcp_tools import prompts, resources
from mcp_tools.answers import refused
from mcp_tools.calls import Message, Who
from mcp_tools.guidance import INSTRUCTIONS
from mcp_tools.tools import TOOLS, tools_for

FRESH = 300_000
"""Milliseconds for which a client may keep a list that changes with a new release alone."""

T = TypeVar("T")

Page = t.PaginatedRequestParams | None


def mcp_server(who: Who) -> Server[None]:
    """Returns the server; `who` tells it who sent a message.

    It blocks while an operation runs: whoever drives it gives it a thread and an event loop of its own.
    """

    async def list_tools(message: Message, page: Page) -> t.ListToolsResult:
        return _served(who, message, lambda ctx: t.ListToolsResult(tools=tools_for(ctx.caller.scopes)))

    async def call_tool(message: Message, asked: t.CallToolRequestParams) -> t.CallToolResult:
        tool = TOOLS.get(asked.name)
        if tool is None:
            raise MCPError(code=t.INVALID_PARAMS, message=f"There is no tool {asked.name!r}: list the tools.")
        call = who(message)
        try:
            return tool.call(call.context(message), asked.arguments or {})
        except Refusal as refusal:
            return refused(refusal)
        except Exception:
            return refused(call.bug(asked.name))

    async def list_resources(message: Message, page: Page) -> t.ListResourcesResult:
        return _served(who, message, lambda ctx: t.ListResourcesResult(resources=resources.offered(ctx)))

    async def list_templates(message: Message, page: Page) -> t.ListResourceTemplatesResult:
        return t.ListResourceTemplatesResult(resource_templates=resources.TEMPLATES)

    async def read_resource(message: Message, asked: t.ReadResourceRequestParams) -> t.ReadResourceResult:
        return _served(who, message, lambda ctx: t.ReadResourceResult(contents=resources.read(ctx, str(asked.uri))))

    async def list_prompts(message: Message, page: Page) -> t.ListPromptsResult:
        return t.ListPromptsResult(prompts=prompts.PROMPTS)

    async def get_prompt(message: Message, asked: t.GetPromptRequestParams) -> t.GetPromptResult:
        if asked.name != prompts.WRITE:
            raise MCPError(code=t.INVALID_PARAMS, message=f"There is no prompt {asked.name!r}: list the prompts.")
        return _served(
            who, message, lambda ctx: t.GetPromptResult(messages=prompts.written(ctx, asked.arguments or {}))
        )

    return Server(
        "content-workflow",
        version=VERSION,
        title="Content workflow",
        instructions=INSTRUCTIONS,
        cache_hints={"tools/list": CacheHint(ttl_ms=FRESH), "prompts/list": CacheHint(ttl_ms=FRESH)},
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


def _served(who: Who, message: Message, serve: Callable[[Context], T]) -> T:
    """Returns what is served to a message; a refusal is a protocol error with REST's body as its data."""
    call = who(message)
    try:
        return serve(call.context(message))
    except Refusal as refusal:
        code = t.INVALID_PARAMS if refusal.status < 500 else t.INTERNAL_ERROR
        raise MCPError(code=code, message=refusal.message, data=refusal.body()) from None
    except Exception:
        bug = call.bug(message.method)
        raise MCPError(code=t.INTERNAL_ERROR, message=bug.message, data=bug.body()) from None

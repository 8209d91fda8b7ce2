"""The MCP server: what a client may list, call, read and get, for every protocol revision of the SDK."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NoReturn, TypeVar

import mcp_types as t
from anyio import to_thread
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from starlette.requests import Request

from app.core.context import Context
from app.core.errors import Forbidden, InternalError, Refusal
from app.core.features import Features
from app.core.schemas.validation import near_name
from app.core.vocabulary import ALL_TOOLS
from app.settings import VERSION
from mcp_tools import prompts, resources
from mcp_tools.refusals import with_next_step
from mcp_tools.texts import text_of
from mcp_tools.tools import Tool, labelled, refused, tools_for, tools_of

log = logging.getLogger("content_workflow.mcp")


@cache
def instructions_of(features: Features, toolset: str = ALL_TOOLS) -> str:
    """Returns what the server says of itself and of the tools of a set, as every client shows it to its model."""
    return text_of("instructions.md.jinja", features=features, tools=tools_of(features, toolset))


RELEASE = CacheHint(ttl_ms=300_000)
"""How long a client may cache a list that changes only with a new release."""

T = TypeVar("T")

Message = ServerRequestContext[None, Request]
"""A message as the SDK passes it to a handler; the state of its request has the `call`."""


@dataclass(frozen=True)
class Call:
    """Who sent a message, or why no call of theirs is served now (`RateLimited`), and which toolset they chose."""

    context_or_refusal: Context | Refusal
    toolset: str
    request_id: str
    features: Features
    """The lists of the application that was called."""
    minimal: bool
    """True if a write of a document returns only what the next call needs."""
    note_refusal: Callable[[Refusal], None]
    """Has the log show which refusal the caller gets."""

    @property
    def context(self) -> Context:
        """The context of the call. Raises the refusal of a caller who is not served."""
        if isinstance(self.context_or_refusal, Refusal):
            raise self.context_or_refusal
        return self.context_or_refusal


def mcp_server(features: Features, toolset: str) -> Server[None]:
    """Returns the server of an application for the clients that chose a toolset."""
    return Server(
        "content-workflow",
        version=VERSION,
        title="Content workflow",
        instructions=instructions_of(features, toolset),
        cache_hints={"tools/list": RELEASE, "prompts/list": RELEASE},
        get_tool_input_schema=lambda name: None,  # no argument is sent as a header; the default lists all tools
        on_list_tools=_list_tools,
        on_call_tool=_call_tool,
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=_read_resource,
        on_list_prompts=_list_prompts,
        on_get_prompt=_get_prompt,
    )


async def _list_tools(message: Message, page: object) -> t.ListToolsResult:
    call = _call_of(message)
    return await _served(
        message, lambda ctx: t.ListToolsResult(tools=tools_for(call.features, ctx.caller.scopes, call.toolset))
    )


async def _call_tool(message: Message, params: t.CallToolRequestParams) -> t.CallToolResult:
    call, arguments = _call_of(message), params.arguments or {}
    tool = tools_of(call.features, call.toolset).get(params.name)
    if tool is None and params.name in tools_of(call.features):
        refuse = partial(_refuse_toolset, name=params.name, toolset=call.toolset)
        return labelled(await _served(message, refuse, refused), dry_run=False)
    if tool is None:
        raise MCPError(t.INVALID_PARAMS, _no_tool(params.name, call.toolset, call.features))
    explain = partial(_explained, call=call, tool=tool)
    result = await _served(message, lambda ctx: tool.call(ctx, arguments, minimal=call.minimal), explain)
    return tool.labelled(result, arguments)


def _explained(refusal: Refusal, call: Call, tool: Tool) -> t.CallToolResult:
    is_served = isinstance(call.context_or_refusal, Context)
    return refused(with_next_step(refusal, tool.operation, call.context) if is_served else refusal)


def _no_tool(name: str, toolset: str, features: Features) -> str:
    """Returns the message for a call of a tool that does not exist."""
    hint = "call one of those that `tools/list` shows."
    if near := near_name(name, tools_of(features, toolset)):
        hint = f"did you mean `{near}`?"
    return f"There is no tool {name!r} in the toolset {toolset!r}: {hint}"


def _refuse_toolset(ctx: Context, *, name: str, toolset: str) -> NoReturn:
    """Refuses a call of a tool of another toolset with `Forbidden`: models are shown that, and not protocol errors."""
    found = ctx.features.by_name[name]
    address = " or ".join(f"`toolset={one}`" for one in found.toolsets)
    lacks = found.scope not in ctx.caller.scopes
    message = f"The toolset {toolset!r} has no tool `{name}` (of the toolset `{found.toolsets[0]}`): "
    message += f"ask your operator to connect with {address}"
    message += f", and with a token that has the scope `{found.scope}`." if lacks else "."
    extra: dict[str, Any] = {"scope": str(found.scope)} if lacks else {}
    raise Forbidden(message, **extra)


async def _list_resources(message: Message, page: object) -> t.ListResourcesResult:
    return await _served(message, lambda ctx: t.ListResourcesResult(resources=resources.offered(ctx)))


async def _list_templates(message: Message, page: object) -> t.ListResourceTemplatesResult:
    return t.ListResourceTemplatesResult(resource_templates=list(resources.TEMPLATES))


async def _read_resource(message: Message, params: t.ReadResourceRequestParams) -> t.ReadResourceResult:
    return await _served(message, partial(resources.read, uri=params.uri), partial(_protocol_error, uri=params.uri))


async def _list_prompts(message: Message, page: object) -> t.ListPromptsResult:
    return t.ListPromptsResult(prompts=prompts.PROMPTS)


async def _get_prompt(message: Message, params: t.GetPromptRequestParams) -> t.GetPromptResult:
    if params.name != prompts.WRITE:
        raise MCPError(t.INVALID_PARAMS, f"There is no prompt {params.name!r}: list the prompts.")
    arguments = params.arguments or {}
    return await _served(message, lambda ctx: t.GetPromptResult(messages=prompts.written(ctx, arguments)))


def _call_of(message: Message) -> Call:
    assert message.request
    call: Call = message.request.state.call
    return call


def _protocol_error(refusal: Refusal, **data: str) -> NoReturn:
    """Raises a refusal as a protocol error, with the body of REST and `data` as its data."""
    code = t.INVALID_PARAMS if refusal.status < 500 else t.INTERNAL_ERROR
    body = refusal.body()
    issues = (f"`{issue['path']}`: {issue['message']}" for issue in body.get("issues", ()))  # few clients show data
    raise MCPError(code=code, message=" ".join([refusal.message, *issues]), data={**body, **data}) from None


async def _served(
    message: Message, serve: Callable[[Context], T], refuse: Callable[[Refusal], T] = _protocol_error
) -> T:
    """Returns what `serve` does in a thread, as operations block, or what `refuse` makes of its refusal.

    A bug is logged, and refused with the request's id.
    """
    call = _call_of(message)

    def run() -> T:
        try:
            with call.context.store.deadline():
                return serve(call.context)
        except Refusal as refusal:
            call.note_refusal(refusal)
            return refuse(refusal)
        except Exception:
            log.exception("bug", extra={"requestId": call.request_id, "where": message.method})
            return refuse(InternalError(call.request_id))

    return await to_thread.run_sync(run)

"""Messages of MCP, right ones and then changed: over HTTP, and as lines over standard input."""

import io
import random
from dataclasses import dataclass
from typing import Any

import httpx2
import orjson
from flask import Flask
from jsonschema import Draft202012Validator

from app.core import errors
from app.core.store.store import Store
from app.features import ALL
from mcp_tools.over_stdio import StdioServer
from mcp_tools.prompts import WRITE
from mcp_tools.tools import tools_of
from tests.bad_input.aftermath import unreadable
from tests.bad_input.campaign import Outcome
from tests.bad_input.mutations import TEXTS, from_schema, json_bytes, mutated_bytes, mutated_value, wrong_value
from tests.bad_input.requests import Request, Response, mutated, send
from tests.bad_input.scene import a_scene
from tests.mcp_tools.client import ERAS, MODERN, NAMED_BY

TOOLS = tools_of(ALL)

STATUSES = {200, 202, 400, 401, 403, 404, 405, 406, 413, 415, 421}
TAGS = {one.__name__ for one in errors.Refusal.__subclasses__()} - {"InternalError", "ServiceUnavailable"}
METHODS = (
    *("tools/list", "resources/list", "resources/templates/list", "prompts/list", "ping", "initialize"),
    *("server/discover", "completion/complete", "logging/setLevel", "resources/subscribe", "sampling/createMessage"),
    *("tasks/get", "", "tools", "notifications/initialized", "notifications/cancelled", "$/x", "tools/call\0"),
)
INTERNAL_ERROR = -32603
SAMPLED = 10
"""Of how many successes one is held to the output schema of its tool."""


@dataclass
class Messages:
    """Makes messages about the records of a project."""

    store: Store

    def __post_init__(self) -> None:
        self.scene = a_scene(self.store)

    def make(self, chance: random.Random, era: str) -> dict[str, Any]:
        """Returns a message that is near to a right one."""
        match chance.randrange(20):
            case 0 | 1:
                method, params = chance.choice(METHODS), {}
            case 2:
                document = chance.choice(self.scene.ids["documents"])
                uri = chance.choice((f"brief://{document}", f"document://{document}", f"x://{document}", *TEXTS))
                method, params = "resources/read", {"uri": uri}
            case 3:
                method = "prompts/get"
                params = {"name": WRITE, "arguments": {"documentId": chance.choice(self.scene.ids["documents"])}}
            case _:
                method, params = "tools/call", self._call(chance)
        if era == MODERN:
            info = {"name": "fuzzer", "version": "1"}
            params["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": era,
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": info,
            }
        message = {"jsonrpc": "2.0", "id": chance.randrange(99), "method": method, "params": params}
        for _ in range(chance.choice((0,) * 8 + (1, 2))):
            message = mutated_value(chance, message)
        return message

    def _call(self, chance: random.Random) -> dict[str, Any]:
        name = chance.choice(sorted(TOOLS))
        tool = TOOLS[name]
        arguments = from_schema(tool.definition.input_schema, chance, self.scene.all_ids, {})
        own = self._ids_for(name)
        arguments |= {
            one: chance.choice(own) for one in tool.operation.id_names if one in arguments and one.endswith("d")
        }
        for _ in range(chance.choice((0, 0, 1, 1, 2))):
            arguments = mutated_value(chance, arguments)
        if isinstance(arguments, dict) and chance.random() < 0.1:
            arguments[chance.choice(TEXTS)] = wrong_value(chance)
        return {"name": name, "arguments": arguments}

    def _ids_for(self, tool: str) -> list[str]:
        """Returns ids of the records that a tool is most likely about."""
        for word in ("webhook", "token", "member", "cluster", "categor"):
            if word in tool and "intent" not in tool:
                return next(ids for name, ids in self.scene.ids.items() if name.startswith(word))
        if "intent" in tool:
            return [one for name, ids in self.scene.ids.items() if name.endswith("intents") for one in ids]
        return self.scene.ids["documents"]


class McpTarget:
    """MCP over HTTP."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._answers = 0

    def begin(self, store: Store) -> None:
        """Makes a project with something of everything."""
        self._messages = Messages(store)

    def make(self, chance: random.Random) -> Request:
        """Returns a request that is near to a right one."""
        era = chance.choice(ERAS)
        message = self._messages.make(chance, era)
        headers = {
            "Authorization": f"Bearer {self._messages.scene.token.secret}",
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
            "MCP-Protocol-Version": era,
        }
        if era == MODERN and isinstance(message, dict):
            params = message.get("params")
            about = params.get(NAMED_BY.get(str(message.get("method")), "")) if isinstance(params, dict) else None
            headers |= {"Mcp-Method": _header(message.get("method"))}
            headers |= {"Mcp-Name": _header(about)} if about else {}
        body = json_bytes(chance, message)
        body = mutated_bytes(chance, body) if chance.random() < 0.05 else body
        request = Request("POST", "/mcp", chance.choice(("", "", "toolset=writing")), tuple(headers.items()), body)
        return mutated(chance, request) if chance.random() < 0.1 else request

    def end(self) -> str | None:
        """Returns what can't be read any more."""
        return unreadable(self._app, self._messages.scene)

    def run(self, given: Request) -> Outcome:
        """Sends a request."""
        response = send(self._app, given)
        answer = response.json
        is_refused = response.status >= 400 or not isinstance(answer, dict) or _is_refusal(answer)
        self._answers += 1
        return Outcome(is_refused, self.problem(given, response), may_write=not is_refused)

    def problem(self, request: Request, response: Response) -> str | None:
        """Returns what of an answer is not JSON-RPC's."""
        shown = f"{response.status} {response.body[:500]!r}"
        if request.path != "/mcp" or request.method != "POST":
            return shown if response.status >= 500 else None
        if response.status not in STATUSES:
            return f"It was answered with {shown}"
        if response.status == 202:
            return shown if response.body else None
        answer = response.json
        if response.status in (401, 413, 400) and isinstance(answer, dict) and answer.get("_tag") in TAGS:
            return None
        problem = wrong_answer(answer)
        if problem is None and self._answers % SAMPLED == 0:
            problem = _misfit(request.body, answer)
        return problem and f"{problem} {shown}"


class StdioTarget:
    """MCP over standard input and output, in front of the same application."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._transport = httpx2.WSGITransport(app=app)

    def begin(self, store: Store) -> None:
        """Makes a project with something of everything, and a client's process."""
        self._messages = Messages(store)
        secret = self._messages.scene.token.secret
        headers = {
            "Authorization": f"Bearer {secret}",
            "Accept": "application/json",
            "Content-Type": "application/json",
        }
        self._http = httpx2.Client(headers=headers, transport=self._transport)

    def make(self, chance: random.Random) -> bytes:
        """Returns a line that is near to a right one."""
        line = json_bytes(chance, self._messages.make(chance, chance.choice(ERAS)))
        line = mutated_bytes(chance, line) if chance.random() < 0.2 else line
        return line.replace(b"\n", b" ")

    def end(self) -> str | None:
        """Returns what can't be read any more."""
        return unreadable(self._app, self._messages.scene)

    def run(self, given: bytes) -> Outcome:
        """Sends a line."""
        written = io.BytesIO()
        StdioServer(self._http, "http://localhost/mcp", written).serve([given])
        lines = written.getvalue().splitlines()
        if len(lines) > 1:
            return Outcome(True, f"There is more than one answer: {lines!r}"[:1_000])
        if not lines:
            return Outcome(True)
        answer = orjson.loads(lines[0])
        problem = wrong_answer(answer)
        return Outcome(
            _is_refusal(answer), problem and f"{problem} {lines[0][:500]!r}", may_write=not _is_refusal(answer)
        )


def _header(value: Any) -> str:
    return str(value).encode("latin-1", "replace").decode("latin-1").translate(dict.fromkeys((0, 10, 13), " "))[:8_000]


def _is_refusal(answer: dict[str, Any]) -> bool:
    return "error" in answer or bool(answer.get("result", {}).get("isError"))


def wrong_answer(answer: Any) -> str | None:
    """Returns what of an answer is not JSON-RPC's, or is a bug of the service."""
    if not isinstance(answer, dict) or answer.get("jsonrpc") != "2.0" or "id" not in answer:
        return "The answer is not JSON-RPC's:"
    if ("result" in answer) == ("error" in answer):
        return "The answer has both a result and an error, or neither:"
    if error := answer.get("error"):
        if not isinstance(error.get("code"), int) or not error.get("message"):
            return "The error has no code or no message:"
        return "The error is a bug of ours:" if error["code"] == INTERNAL_ERROR else None
    result = answer["result"]
    if result.get("isError"):
        refusal = result.get("structuredContent", {})
        if refusal.get("_tag") not in TAGS or not refusal.get("message"):
            return "The refusal has no `_tag` or message:"
    return None


def _misfit(body: bytes, answer: Any) -> str | None:
    """Returns what of a tool's answer does not fit its output schema."""
    try:
        tool = TOOLS[orjson.loads(body)["params"]["name"]]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return None
    if "result" not in answer or "structuredContent" not in answer["result"] or answer["result"].get("isError"):
        return None
    fits = Draft202012Validator(tool.definition.output_schema)
    error = next(fits.iter_errors(answer["result"]["structuredContent"]), None)
    return error and f"{tool.definition.name} documents another answer ({error.json_path}: {error.message[:200]}):"

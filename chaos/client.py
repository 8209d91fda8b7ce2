"""What the clients of a run share: calls over REST and over MCP, sent again where that is safe, and all of it noted."""

import http.client
import json
import random
import threading
import time
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from chaos.history import BUSY, UNANSWERED, Attempt, Call, Client
from tests.make import Token

PATIENCE_SECONDS = 60
"""How long a call is sent again under its idempotency key."""
PAUSE_SECONDS = 0.5
"""How long a client waits after a request that was not answered; `Retry-After` says 2, this finds the end sooner."""
TIMEOUT_SECONDS = 30

ROUTES = {
    "create_document_intent": ("POST", "/document-intents"),
    "update_document_intent": ("PATCH", "/document-intents/{}"),
    "confirm_intent": ("POST", "/document-intents/{}/confirm"),
    "plan_documents": ("POST", "/plan"),
    "list_briefs": ("GET", "/briefs?limit=20"),
    "mark_brief_ready": ("POST", "/documents/{}/brief/ready"),
    "claim_brief": ("POST", "/documents/{}/brief/claim"),
    "claim_next_brief": ("POST", "/briefs/claim"),
    "renew_claim": ("POST", "/documents/{}/brief/renew"),
    "withdraw_brief": ("POST", "/documents/{}/brief/withdraw"),
    "release_brief": ("POST", "/documents/{}/brief/release"),
    "list_documents": ("GET", "/documents?limit=20&status={}"),
    "get_outline": ("GET", "/documents/{}/outline"),
    "write_content": ("PUT", "/documents/{}/content"),
    "edit_content": ("PATCH", "/documents/{}/content"),
    "list_threads": ("GET", "/documents/{}/threads"),
    "open_thread": ("POST", "/documents/{}/threads"),
    "reply_to_thread": ("POST", "/documents/{}/threads/{}/replies"),
    "submit_document": ("POST", "/documents/{}/submit"),
    "approve_document": ("POST", "/documents/{}/approve"),
    "request_changes": ("POST", "/documents/{}/request-changes"),
    "schedule_document": ("POST", "/documents/{}/schedule"),
    "publish_document": ("POST", "/documents/{}/publish"),
    "unpublish_document": ("POST", "/documents/{}/unpublish"),
}
"""The operations that clients call, by the names that MCP has for them."""

PATH_ARGUMENTS = {
    "list_documents": ("status",),
    "update_document_intent": ("intentId",),
    "confirm_intent": ("intentId",),
    "reply_to_thread": ("documentId", "threadId"),
}
"""The arguments in an operation's path; `documentId` for all others."""

READS = ("list_briefs", "list_documents", "list_threads", "get_outline")


class Caller:
    """One client's calls, one at a time, to any of the servers."""

    def __init__(self, token: Token, client: Client, ports: Sequence[int], rng: random.Random) -> None:
        self.token = token
        self.client = client
        self.calls: list[Call] = []
        self._ports = ports
        self._rng = rng
        self._server = rng.randrange(len(ports))
        self._keys = count(1)
        self.over = threading.Event()

    def call(self, operation: str, **arguments: Any) -> Mapping[str, Any] | None:
        """Returns the answer of a call that succeeded, None for one that was refused or not answered.

        Half of the writes have an idempotency key and are sent again until they are answered, as reads are. The others
        are sent once.
        """
        key = None
        if operation not in READS and self._rng.random() < 0.5:
            key = f"{self.client.token}-{next(self._keys)}"
        attempts: list[Attempt] = []
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            attempt, body = self._attempt(operation, arguments, key)
            attempts.append(attempt)
            if attempt.outcome in UNANSWERED:
                self._server = (self._server + 1) % len(self._ports)
            elif attempt.outcome != BUSY:
                break
            time.sleep(PAUSE_SECONDS)
            if (key is None and operation not in READS) or time.monotonic() > deadline:
                break
        document = arguments.get("documentId")
        done = Call(self.client.token, operation, document, tuple(attempts), arguments, _noted(operation, body), key)
        self.calls.append(done)
        return body if done.succeeded else None

    def _attempt(
        self, operation: str, arguments: Mapping[str, Any], key: str | None
    ) -> tuple[Attempt, Mapping[str, Any]]:
        send = self._over_rest if self.client.channel == "rest" else self._over_mcp
        began, server = time.monotonic(), self._server
        try:
            outcome, body, retry_after = send(operation, arguments, key)
        except (OSError, http.client.HTTPException) as error:
            outcome = "no answer" if isinstance(error, TimeoutError) else "broken"
            body, retry_after = {}, None
        return Attempt(began, time.monotonic(), server, outcome, retry_after), body

    def _over_rest(
        self, operation: str, arguments: Mapping[str, Any], key: str | None
    ) -> tuple[str, Mapping[str, Any], int | None]:
        method, path = ROUTES[operation]
        names = PATH_ARGUMENTS.get(operation, ("documentId",))
        body = {field: value for field, value in arguments.items() if field not in names}
        headers = {"Idempotency-Key": key} if key else {}
        in_path = [arguments.get(name) for name in names]
        filled = path.format(*(",".join(value) if isinstance(value, list) else value for value in in_path))
        status, answer, retry_after = self._send(method, filled, body, headers)
        if status == 503:
            return "503", answer, retry_after
        if status < 400:
            return str(status), {"items": answer} if isinstance(answer, list) else answer, retry_after
        return str(answer.get("_tag", status)), answer, retry_after

    def _over_mcp(
        self, operation: str, arguments: Mapping[str, Any], key: str | None
    ) -> tuple[str, Mapping[str, Any], int | None]:
        given = {**arguments, **({"idempotencyKey": key} if key else {})}
        params = {"name": operation, "arguments": given}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
        status, answer, retry_after = self._send("POST", "/mcp", message, headers)
        if status == 503:
            return "503", answer, retry_after
        if "result" not in answer:
            return str(answer), {}, None
        content = answer["result"]["structuredContent"]
        if not answer["result"]["isError"]:
            return "200", content, None
        if content["_tag"] != "ServiceUnavailable":
            return content["_tag"], content, None
        wait = answer["result"]["content"][-1]["text"].split()
        return "503", content, int(wait[1]) if wait[0] == "Wait" else None

    def _send(self, method: str, path: str, body: Any, headers: Mapping[str, str]) -> tuple[int, Any, int | None]:
        port = self._ports[self._server]
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_SECONDS)
        sent = {"Authorization": f"Bearer {self.token.secret}", "Content-Type": "application/json", **headers}
        try:
            connection.request(method, path, None if method == "GET" else json.dumps(body), sent)
            response = connection.getresponse()
            text = response.read()
        finally:
            connection.close()
        wait = response.headers.get("Retry-After")
        return response.status, json.loads(text), int(wait) if wait else None


def _noted(operation: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what the checker needs of an answer."""
    if "_tag" in body:
        holder = body.get("claimedBy") or {}
        return {"message": body["message"], "holder": holder.get("id"), "version": body.get("version")}
    if operation == "get_outline":
        return {"version": body["version"]} if body else {}
    if operation in ("create_document_intent", "update_document_intent"):
        return {"id": body.get("id")}
    if operation == "plan_documents":
        return {"ids": [piece["id"] for piece in body.get("pieces", ())]}
    return shown(body.get("document") or body)


def shown(document: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what the checker needs of a document's record; nothing for anything else."""
    if "brief" not in document or "version" not in document:
        return {}
    brief = document["brief"]
    return {
        "id": document["id"],
        "title": document["title"],
        "key": document["key"],
        "status": document["status"],
        "briefState": brief["state"],
        "holder": (brief.get("claimedBy") or {}).get("id"),
        "version": document["version"],
        "publishedVersion": document["publishedVersion"],
        "categoryId": document["categoryId"],
    }

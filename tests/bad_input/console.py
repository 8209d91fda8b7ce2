"""Pages and forms of the console, with the fields of its own pages and wrong values."""

import random
import re
from base64 import urlsafe_b64encode
from dataclasses import replace
from urllib.parse import quote_from_bytes, urlencode

from flask import Flask

from app.core.store.store import Store
from tests.bad_input.aftermath import unreadable
from tests.bad_input.campaign import Outcome
from tests.bad_input.files import PLANS
from tests.bad_input.mutations import TEXTS, json_bytes, mutated_bytes, mutated_text, mutated_value
from tests.bad_input.requests import Request, Response, mutated, send
from tests.bad_input.scene import TEXT, a_scene

STATUSES = {200, 302, 303, 304, 400, 401, 403, 404, 405, 409, 410, 412, 413, 415, 422, 429}
VALUES = (
    "Rye",
    TEXT,
    "2027-02-14",
    "2027-02",
    "week",
    "month",
    "1",
    "0",
    "on",
    "title",
    "approve_document",
    "[]",
    "{}",
    "a,b\n1,2\n",
)
FIELDS = (
    *("title", "slug", "markdown", "baseVersion", "brief.keyword", "status", "assigneeId", "categoryId", "dueDate"),
    *("note", "publishAt", "action", "document", "ids", "id", "field", "value", "sort", "columns", "from", "to"),
    *("month", "q", "page", "url", "events", "scopes", "role", "email", "name", "since", "days", "kind", "table"),
    *("pieces", "plan", "version", "_key"),
)


class ConsoleTarget:
    """The console, for somebody who is signed in and may do everything."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._routes = [
            (rule.rule, method)
            for rule in self._app.url_map.iter_rules()
            if str(rule.endpoint).startswith("console.") and rule.endpoint not in LEFT_OUT
            for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
            for _ in range(1 if method == "GET" else 3)
        ]
        self._names = sorted(FIELDS)

    def begin(self, store: Store) -> None:
        """Makes a project with something of everything, and signs in."""
        self._scene = a_scene(store)
        form = urlencode({"token": self._scene.token.secret}).encode()
        sign_in = Request("POST", "/console/sign-in", body=form).with_header("Content-Type", FORM)
        cookie = send(self._app, sign_in).headers["set-cookie"].partition(";")[0]
        self._headers = (("Cookie", cookie),)
        pages = [send(self._app, Request("GET", path, headers=self._headers)) for path in self._pages()]
        found = re.search(r'name="csrf-token" content="(\w+)"', pages[0].body.decode())
        assert found
        self._csrf = found[1]
        self._names = sorted(
            {*FIELDS, *(name for page in pages for name in NAMES.findall(page.body.decode()))} - {"_csrf"}
        )

    def _pages(self) -> list[str]:
        document = self._scene.ids["documents"][0]
        pages = ("calendar", "board", "table", "plan", "plan/many", "administration", "administration/tokens")
        more = ("administration/members", "administration/webhooks", *(f"documents/{document}/{one}" for one in PARTS))
        return [f"/console/{page}" for page in (*pages, *more)]

    def make(self, chance: random.Random) -> Request:
        """Returns a request that is near to a right one."""
        rule, method = chance.choice(self._routes)
        path = re.sub(r"<(?:[^:>]*:)?(\w+)>", lambda found: self._part(chance, rule, found[1]), rule)
        sent = [(name, self._value(chance)) for name in chance.sample(self._names, k=chance.choice((0, 1, 3, 8)))]
        encoded = "&".join(f"{_quoted(name)}={_quoted(value)}" for name, value in sent)
        request = Request(method, path, headers=self._headers)
        if method == "GET":
            request = replace(request, query=encoded)
        else:
            body = f"_csrf={self._csrf}&{encoded}".encode()
            body = mutated_bytes(chance, body) if chance.random() < 0.2 else body
            content_type = FORM
            if chance.random() < 0.5:
                body, content_type = multipart(chance, [("_csrf", self._csrf), *sent], path)
            script = (("HX-Request", "true"),) if chance.random() < 0.3 else ()
            request = replace(request, body=body, headers=(*self._headers, *script))
            request = request.with_header("Content-Type", content_type)
        if chance.random() < 0.1:
            cookies = f"{self._headers[0][1]}; {cookie(chance)}"
            request = replace(request, headers=(("Cookie", cookies), *request.headers[1:]))
        return mutated(chance, request) if chance.random() < 0.2 else request

    def _part(self, chance: random.Random, rule: str, name: str) -> str:
        if name == "id":
            kind = next((one for one in self._scene.ids if f"/{one}/<" in rule), None)
            return chance.choice(self._scene.ids[kind] if kind else self._scene.all_ids)
        return chance.choice(
            ("document", "category", "cluster", "claim_brief", "publish_document", "1", "2", "app.js", "x")
        )

    def _value(self, chance: random.Random) -> str:
        value = chance.choice((*VALUES, *TEXTS, *self._scene.all_ids))
        return mutated_text(chance, value) if chance.random() < 0.2 else value

    def end(self) -> str | None:
        """Returns what can't be read any more."""
        return unreadable(self._app, self._scene)

    def run(self, given: Request) -> Outcome:
        """Sends a request."""
        response = send(self._app, given)
        is_refused = response.status >= 400
        return Outcome(
            is_refused, self.problem(given, response), may_write=given.method not in ("GET", "HEAD", "OPTIONS")
        )

    def problem(self, given: Request, response: Response) -> str | None:
        """Returns what of an answer is neither a page nor a refusal."""
        if response.status not in STATUSES:
            return f"It was answered with {response.status} {response.body[:500]!r}"
        if (
            response.status >= 400
            and given.method != "HEAD"
            and not response.body
            and "hx-redirect" not in response.headers
        ):
            return f"A refusal says nothing: {response.status}"
        return None


LEFT_OUT = {"console.sign_out", "console.changes"}
"""What ends the session, and what waits."""
FORM = "application/x-www-form-urlencoded"
NAMES = re.compile(r'<(?:input|select|textarea|button)[^>]*? name="([^"]+)"')
PARTS = ("", "/edit", "/fields", "/brief")


BOUNDARY = "------x"


def multipart(chance: random.Random, fields: list[tuple[str, str]], path: str) -> tuple[bytes, str]:
    """Returns a body as the console's own forms send it, and its type; a form of many pieces has a file of them."""
    parts = [
        f'Content-Disposition: form-data; name="{name}"\r\n\r\n{value}'.encode("utf-8", "surrogatepass")
        for name, value in fields
    ]
    if path.endswith("/many"):
        table = chance.choice((PLANS["csv"], PLANS["tsv"], b"\xff\xfe" + PLANS["csv"].decode().encode("utf-16-le")))
        table = mutated_bytes(chance, table) if chance.random() < 0.8 else table
        where = chance.choice((b'name="file"; filename="plan.csv"', b'name="table"', b'name="file"; filename*=x'))
        parts.append(b"Content-Disposition: form-data; " + where + b"\r\nContent-Type: text/csv\r\n\r\n" + table)
    body = b"".join(b"--%b\r\n%b\r\n" % (BOUNDARY.encode(), part) for part in parts) + f"--{BOUNDARY}--\r\n".encode()
    body = mutated_bytes(chance, body) if chance.random() < 0.2 else body
    return body, f"multipart/form-data; boundary={BOUNDARY}"


def cookie(chance: random.Random) -> str:
    """Returns a cookie beside that of the session: a notice, as the console leaves for the next page, changed."""
    notice: object = {"ok": False, "message": "Saved.", "restores": "0" * 24}
    for _ in range(chance.choice((0, 1, 3))):
        notice = mutated_value(chance, notice)
    value = urlsafe_b64encode(json_bytes(chance, notice)).decode()
    value = mutated_text(chance, value) if chance.random() < 0.5 else value
    value = "".join(one for one in value if one not in "\r\n\0")
    return f"cw_notice={value}".encode("utf-8", "replace").decode("latin-1")


def _quoted(text: str) -> str:
    return quote_from_bytes(text.encode("utf-8", "surrogatepass"))

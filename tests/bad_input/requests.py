"""Requests as bytes: sent to the application in this process, or over a socket."""

from __future__ import annotations

import io
import random
import sys
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote, unquote_to_bytes

import orjson
from flask import Flask
from werkzeug.test import run_wsgi_app

from tests.bad_input.mutations import BYTES, TEXTS, mutated_bytes, mutated_text


@dataclass(frozen=True)
class Request:
    """A request; the path and the query are as they stand in the request line."""

    method: str
    path: str
    query: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    def __str__(self) -> str:
        lines = "".join(f"{name}: {value}\n" for name, value in self.headers)
        return f"{self.method} {self.target!r}\n{lines}\n{self.body!r}"

    @property
    def target(self) -> str:
        return f"{self.path}?{self.query}" if self.query else self.path

    def with_header(self, name: str, value: str) -> Request:
        """Returns the request with a header more."""
        return replace(self, headers=(*self.headers, (name, value)))

    def to_bytes(self) -> bytes:
        """Returns the request as it is sent; the connection is closed after its answer."""
        length = [("Content-Length", str(len(self.body)))] if self.body else []
        lines = [f"{self.method} {self.target} HTTP/1.1", "Host: localhost", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in (*self.headers, *length)]
        return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + self.body

    def environ(self) -> dict[str, Any]:
        """Returns the request as a WSGI server hands it on."""
        environ = {
            "REQUEST_METHOD": self.method,
            "SCRIPT_NAME": "",
            "PATH_INFO": unquote_to_bytes(self.path).decode("latin-1"),
            "QUERY_STRING": self.query,
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": "localhost",
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.input_terminated": True,
            "wsgi.input": io.BytesIO(self.body),
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        }
        if self.body:
            environ["CONTENT_LENGTH"] = str(len(self.body))
        for name, value in self.headers:
            key = name.upper().replace("-", "_")
            key = key if key == "CONTENT_TYPE" else f"HTTP_{key}"
            environ[key] = f"{environ[key]},{value}" if key in environ else value
        return environ


@dataclass(frozen=True)
class Response:
    """The answer to a request."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0]

    @property
    def json(self) -> Any:
        """The body, where it is JSON; else None."""
        try:
            return orjson.loads(self.body)
        except orjson.JSONDecodeError:
            return None


def send(app: Flask, request: Request) -> Response:
    """Sends a request to the application in this process."""
    body, status, headers = run_wsgi_app(app, request.environ())
    try:
        return Response(int(status[:3]), {k.lower(): v for k, v in headers}, b"".join(body))
    finally:
        if close := getattr(body, "close", None):
            close()


METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get", "X-" + "M" * 50)
CONTENT_TYPES = (
    *("", "text/plain", "application/json; charset=utf-16", "application/json;charset=", "application/problem+json"),
    *("application/x-www-form-urlencoded", "multipart/form-data", "multipart/form-data; boundary=x", "application/xml"),
    *("application/json, text/plain", "application/merge-patch+json", "*/*", ";", "application/" + "j" * 2_000, "é"),
)
HEADERS = (
    *("If-Match", "If-None-Match", "If-Range", "If-Modified-Since", "Range", "Prefer", "Idempotency-Key", "Accept"),
    *("Accept-Encoding", "Content-Encoding", "Transfer-Encoding", "Expect", "X-Request-Id", "X-Forwarded-For"),
    *("X-HTTP-Method-Override", "Cookie", "Origin", "Referer", "Authorization", "Upgrade", "Connection", "traceparent"),
    *("Mcp-Session-Id", "Mcp-Method", "Mcp-Name", "MCP-Protocol-Version", "Last-Event-ID", "HX-Request"),
    "Sec-Fetch-Site",
)
HEADER_VALUES = (
    *("", "*", '"', '""', '"1"', 'W/"1-x"', '"1-x", "2-y", *', "W/", '"' * 500, ", ,", '"x' + ',"y"' * 500),
    *(
        "bytes=0-",
        "bytes=-1",
        "bytes=0-0,5-4",
        "bytes=" + "0-1," * 500,
        "handling=strict",
        "handling=strict; x=y, wait=9",
    ),
    *("respond-async", "handling", "handling=", "gzip", "deflate, br", "chunked", "100-continue", "1" * 255, "1" * 256),
    *("a b", "é", "\x80\xff", "key", "Bearer", "Bearer ", "Basic eDp5", "Bearer cwm_" + "A" * 43, "Bearer cwd_\xe9"),
    *("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 99 Foo 9999", "q=;", "text/html;q=2", "application/json;q=0", "*/*;q=nan"),
    *(
        *("127.0.0.1, " * 300, "[::1]:x", "h2c", "DELETE", "null", "http://[", "cw_session=x; cw_notice=%"),
        *("00-0-0-00", "x" * 8_000),
    ),
)


def mutated(chance: random.Random, request: Request) -> Request:
    """Returns a request in which one part is another; its body stays."""
    match chance.randrange(12):
        case 0:
            return replace(request, method=chance.choice(METHODS))
        case 1 | 2:
            return replace(request, path=_mutated_path(chance, request.path))
        case 3 | 4 | 5:
            return replace(request, query=_mutated_query(chance, request.query))
        case 6:
            others = tuple(one for one in request.headers if one[0] != "Content-Type")
            return replace(request, headers=others).with_header("Content-Type", chance.choice(CONTENT_TYPES))
        case 7 if request.headers:
            name, value = chance.choice(request.headers)
            changed = mutated_text(chance, value).encode("latin-1", "replace").decode("latin-1")
            kept = tuple(one for one in request.headers if one[0] != name)
            return replace(request, headers=kept).with_header(name, changed.translate(_NO_LINES))
    return request.with_header(chance.choice(HEADERS), chance.choice(HEADER_VALUES))


_NO_LINES = dict.fromkeys((0, 10, 13), " ")
"""What no server hands on in a header."""


def _mutated_path(chance: random.Random, path: str) -> str:
    parts = path.split("/")
    place = chance.randrange(1, len(parts) + 1)
    new = chance.choice(
        (
            quote(chance.choice(TEXTS).encode("utf-8", "surrogatepass")[:3_000]),
            quote(chance.choice(BYTES)[:1_000]),
            *(
                *("", ".", "..", "%2e%2e", "%2f", "%00", "%ff", "%", "%zz", "%25", ";x=y", "*", "a" * 7_000, "9" * 30),
                *("-1", "1.0"),
            ),
            *("%D9%A3", "0", "confirm", "brief", "content"),
        )
    )
    return "/".join(parts[:place] + [new] + parts[place + chance.randrange(2) :])


def _mutated_query(chance: random.Random, query: str) -> str:
    pairs = query.split("&") if query else []
    if pairs and chance.random() < 0.6:
        place = chance.randrange(len(pairs))
        name = pairs[place].partition("=")[0]
        pairs[place] = f"{name}={_value(chance)}"
        pairs += [pairs[place]] * chance.choice((0, 0, 1, 200))
    else:
        name = chance.choice(
            ("limit", "offset", "state", "dryRun", "sort", "q", "after", "days", "", "a[b]", "x" * 200)
        )
        pairs.append(f"{name}={_value(chance)}")
    joined = "&".join(pairs)
    return (
        mutated_bytes(chance, joined.encode()).decode("latin-1").translate(_NO_SPACES)
        if chance.random() < 0.1
        else joined
    )


_NO_SPACES = {place: f"%{place:02x}" for place in (*range(33), 127, *range(128, 256))}


def _value(chance: random.Random) -> str:
    text = chance.choice(
        (*TEXTS, "1", "0", "-1", "100", "101", "100001", "1.0", "5e1", "+5", " 5", "true", "TRUE", "٣", "9" * 400)
    )
    return quote(text.encode("utf-8", "surrogatepass")[:3_000], safe=chance.choice(("", ",/")))

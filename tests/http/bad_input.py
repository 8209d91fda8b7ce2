"""Inputs that are near to right ones: values, texts and bytes of which some parts are seldom meant."""

import copy
import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

tried = settings(
    max_examples=int(os.environ.get("FUZZ_EXAMPLES", "8")), deadline=None, suppress_health_check=list(HealthCheck)
)

TEXTS = st.text(max_size=20) | st.sampled_from(
    (
        *(
            "",
            " ",
            "\0",
            "a\0b",
            "\ud800",
            "\ufeff",
            "\u2028",
            "\r\n",
            "null",
            "NaN",
            "1e999",
            "٣",
            "ﬁ",
            "👩‍👩‍👧",
            "%zz",
        ),
        *("../../etc/passwd", "a/b", "a?b#c", "\\", '"', "<script>", "$where", "a.b", "__proto__", "_id", "g" * 24),
        *("0" * 24, "published", "2027-02-30", "10000-01-01", "0001-01-01T00:00:00+23:59", "https://[", "//x", "(((,"),
        *("https://exa mple.org", "https://example.org:99999999/", "https://xn--/", "javascript:alert(1)", "e\u0301"),
        *("x" * 101, "x" * 501, "x" * 5_001, "é" * 9_000, "," * 200, "--", "2027-01-31T09:00:00.000Z", "true", "-0"),
    )
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from((None, True, 0, -1, 1.5, -0.0, 1e308, 2**31, 2**63, 10**400, float("nan"), ("x",) * 51)) | TEXTS,
    lambda values: st.lists(values, max_size=3) | st.dictionaries(TEXTS, values, max_size=3),
    max_leaves=5,
)
PIECES = st.binary(max_size=4) | st.sampled_from(
    (
        *(b"\0", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r\n", b'"', b"'", b"\\u", b"\\ud800", b"{"),
        *(b"}", b"]", b",", b":", b"#", b"--", b"NaN", b"9" * 400, b"[" * 2_000, b'{"a":' * 2_000, b"---\n", b"+++\n"),
        *(b"<<: *a\n", b"&a *a", b"!!python/name:os", b"!!timestamp", b"2027-13-45", b"!!set {a}", b"!!float .nan"),
        *(b"190:20:30", b"? [a]\n: b\n", b"|2-\n", b'"\\U00110000"', b"[[a]]\n", b"a.b = 1\na = 2\n", b"a = inf\n"),
        *(
            b"title: [a, b]\n",
            b"title: 1.5\n",
            b"brief: x\n",
            b"draft: 3\n",
            b",,,,",
            b"key,key\n",
            b"|",
            b"%YAML 9.9\n",
        ),
    )
)
"""Bytes that mean something to a parser of JSON, YAML, TOML, CSV or GraphQL."""
HEADERS = st.dictionaries(
    st.sampled_from(
        (
            *("If-Match", "If-None-Match", "Range", "Prefer", "Idempotency-Key", "Accept", "Content-Type", "Origin"),
            *(
                "X-Forwarded-For",
                "Authorization",
                "Mcp-Session-Id",
                "Mcp-Method",
                "MCP-Protocol-Version",
                "traceparent",
            ),
        )
    ),
    st.sampled_from(
        (
            *("", "*", '""', '"1"', 'W/"1-x"', '"' * 500, ", ,", "bytes=-1", "handling=strict; x=y, wait=9", "é"),
            *("\x80\xff", "Bearer ", "Bearer cwm_" + "A" * 43, "*/*;q=nan", "127.0.0.1, " * 300, "[::1]:x", "http://["),
            *("null", "1" * 256, "http://localhost:x", "00-0-0-00", "application/json;charset="),
        )
    ),
    max_size=1,
)


KINDS = ("replaced", "extended", "null", "removed", "added", "repeated", "nested")


@st.composite
def changed(draw: st.DrawFn, value: Any, kinds: Sequence[str] = KINDS) -> Any:
    """Draws a value of JSON of which some parts are replaced, removed, repeated or inside of others."""
    whole = [copy.deepcopy(value)]
    for _ in range(draw(st.integers(0, 3))):
        within, key = draw(st.sampled_from(list(_parts(whole))))
        match draw(st.sampled_from(kinds)):
            case "extended" if isinstance(within[key], str):
                within[key] += draw(st.sampled_from(("\0", "\ud800", "x" * 5_000)))
            case "removed" if isinstance(within, dict):
                del within[key]
            case "added" if isinstance(within, dict):
                within[draw(TEXTS)] = draw(VALUES)
            case "repeated":
                within[key] = [within[key]] * draw(st.sampled_from((1, 2, 60)))
            case "nested":
                for _ in range(draw(st.sampled_from((1, 70, 200)))):
                    within[key] = {"a": within[key]}
            case "null":
                within[key] = None
            case _:
                within[key] = draw(VALUES)
    return whole[0]


def _parts(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yields what holds each part of a value, and its key or index there."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, key
        if isinstance(item, dict | list):
            yield from _parts(item)


def encodable(text: str) -> str:
    """Returns a text without halves of surrogate pairs, which forms of the test client can't send."""
    return text.encode("utf-8", "replace").decode()


def without_a_part(line: bytes, number: int) -> bytes:
    """Returns JSON of which one part is null."""
    value = json.loads(line)
    parts = [*_parts(value)]
    within, key = parts[number % len(parts)]
    within[key] = None
    return json.dumps(value).encode()


@st.composite
def spoiled(draw: st.DrawFn, data: bytes, most: int = 2) -> bytes:
    """Draws bytes of which some parts are replaced."""
    for _ in range(draw(st.integers(0, most))):
        start = draw(st.integers(0, len(data)))
        data = data[:start] + draw(PIECES) + data[start + draw(st.sampled_from((0, 0, 1, 5, 40))) :]
    return data


@st.composite
def json_lines(draw: st.DrawFn, value: Any, kinds: Sequence[str] = KINDS) -> bytes:
    """Draws a changed value as JSON on one line, seldom with spoiled bytes."""
    text = json.dumps(draw(changed(value, kinds)), ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass")
    return draw(spoiled(text, draw(st.sampled_from((0, 0, 0, 1))))).replace(b"\n", b" ")

"""Inputs made of right ones: values from a schema, and what goes wrong in values, texts and bytes."""

import copy
import json
import random
from collections.abc import Sequence
from typing import Any

NO_ID = "0123456789abcdef01234567"

TEXTS: tuple[str, ...] = (
    *("", " ", "x", "\0", "a\0b", "\ud800", "\udfff\ud800", "\ufeff", "\u202e", "\u2028", "\x7f", "\x1b[2J", "\r\n"),
    *("null", "true", "NaN", "-0", "1e999", "0x1f", "٣", "ſ", "İ", "ß", "ﬁ", "e\u0301", "👩‍👩‍👧", "\U0010ffff", "𝒜"),
    *(
        *("../../etc/passwd", "%00", "%2e%2e%2f", "%", "%zz", "%ff", "a/b", "a?b#c", "\\", '"', "'", "`", "<script>"),
        "&lt;",
    ),
    *("$where", "$gt", "a.b", "__proto__", "constructor", "_id", "{{7*7}}", "${x}", "%s%n", "'; --", "*", "(((", "[a-"),
    *(NO_ID, "g" * 24, "0" * 23, "published", "ready", "none", "2027-02-30", "2027-02-28", "0000-00-00", "9999-12-31"),
    *("10000-01-01", "2027-01-31T09:00:00.000Z", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"),
    *(
        *("2027-01-31T25:00:00Z", "2027-01-31T09:00:60Z", "http://", "https://[", "https://exa mple.org"),
        "https://[::1]:99",
    ),
    *("https://example.org:99999999/", "javascript:alert(1)", "https://xn--/", "https://" + "a" * 300 + ".org", "//x"),
    *("x" * 101, "x" * 301, "x" * 501, "x" * 2_001, "x" * 5_001, "é" * 70_000, "a,b,,c", ",", "," * 200, "-", "--"),
)
"""Texts that are seldom meant."""

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 1.5, -0.0, 1e308, 60.0, 2**31, 2**53 + 1, 2**63, 2**64, -(2**63) - 1, 10**400),
    *(float("nan"), float("inf"), float("-inf")),
    *([], {}, [[]], [{}], [None], {"": ""}, {"a": {"b": {"c": []}}}, {"$gt": ""}, {"$where": "1"}, {"\0": 1}),
    *(["x"] * 51, list(range(101)), ["x" * 501], [NO_ID, NO_ID], {"_tag": "x"}, {"toString": 1}),
)
"""Values of JSON that are seldom meant."""

BYTES: tuple[bytes, ...] = (
    *(b"\0", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xf4\x90\x80\x80", b"\r\n", b"\n\n", b"\t"),
    *(b'"', b"'", b"\\", b"\\u", b"\\ud800", b"{", b"}", b"[", b"]", b",", b":", b"//", b"/*", b"#", b"-", b"--", b"="),
    *(b"NaN", b"Infinity", b"1e999", b"9" * 400, b"null", b"undefined", b"[" * 2_000, b'{"a":' * 2_000, b" " * 5_000),
    *(b"&", b"*", b"!", b"|", b">", b"%", b"@", b"`", b"?", b"<", b"---\n", b"+++\n", b"<<: ", b"&a *a"),
    b"!!python/name:os",
)
"""Pieces that mean something to a parser."""


def mutated_value(chance: random.Random, value: Any) -> Any:
    """Returns a value of JSON in which one part is another now."""
    parts = list(_parts(value))
    if not parts or chance.random() < 0.03:
        return wrong_value(chance)
    parent, key = chance.choice(parts)
    match chance.randrange(8):
        case 0 if isinstance(parent, dict):
            del parent[key]
        case 0 | 1:
            parent[key] = [parent[key]] * chance.choice((1, 2, 60))
        case 2 if isinstance(parent, dict):
            parent[chance.choice(TEXTS)] = wrong_value(chance)
        case 3 if isinstance(parent, dict):
            parent[_renamed(chance, str(key))] = parent.pop(key)
        case 4:
            parent[key] = _nested(chance, parent[key])
        case 5 if isinstance(parent[key], str):
            parent[key] = mutated_text(chance, parent[key])
        case _:
            parent[key] = wrong_value(chance)
    return value


def _parts(value: Any) -> Any:
    """Yields the place of each part of a value: what holds it, and its key or index."""
    values = [value]
    while values:
        value = values.pop()
        items: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, item in items:
            yield value, key
            if isinstance(item, dict | list):
                values.append(item)


def _renamed(chance: random.Random, name: str) -> str:
    return chance.choice((name.upper(), name + "s", name[1:], name + "\0", f" {name}", f"{name}.x", f"${name}"))


def _nested(chance: random.Random, value: Any) -> Any:
    """Returns a value inside of many others."""
    for _ in range(chance.choice((1, 10, 70, 200))):
        value = [value] if chance.random() < 0.5 else {"a": value}
    return value


def wrong_value(chance: random.Random) -> Any:
    """Returns a value that is seldom meant."""
    return chance.choice(TEXTS) if chance.random() < 0.5 else copy.deepcopy(chance.choice(VALUES))


def mutated_text(chance: random.Random, text: str) -> str:
    """Returns a text with one part added, removed, doubled or replaced."""
    start = chance.randrange(len(text) + 1)
    end = min(len(text), start + chance.choice((0, 1, 1, 5, 40)))
    part = text[start:end]
    new = chance.choice(
        (chance.choice(TEXTS), "", part * 2, part[::-1], part.swapcase(), chr(chance.randrange(0x11000)))
    )
    return text[:start] + new + text[end:]


def mutated_bytes(chance: random.Random, data: bytes) -> bytes:
    """Returns bytes with one part added, removed, doubled or replaced."""
    start = chance.randrange(len(data) + 1)
    end = min(len(data), start + chance.choice((0, 1, 1, 5, 40)))
    part = data[start:end]
    new = chance.choice((chance.choice(BYTES), b"", part * 2, part[::-1], chance.randbytes(chance.choice((1, 4)))))
    return data[:start] + new + data[end:]


def json_bytes(chance: random.Random, value: Any) -> bytes:
    """Returns a value as JSON, seldom in another way than is usual, and seldom with a key twice."""
    text = json.dumps(value, ensure_ascii=chance.random() < 0.5)
    match chance.randrange(80):
        case 0:
            return text.encode("utf-16", "surrogatepass")
        case 1:
            return text.encode("utf-8-sig", "surrogatepass")
        case 2:
            return text.encode("latin-1", "replace")
        case 3 if text.startswith('{"'):
            return (text[:-1] + ", " + text[1:]).encode("utf-8", "surrogatepass")
        case 4:
            return json.dumps(value, indent=chance.choice((1, 200))).encode()
    return text.encode("utf-8", "surrogatepass")


def from_schema(schema: dict[str, Any], chance: random.Random, ids: Sequence[str], defs: dict[str, Any]) -> Any:
    """Returns a value that is near to what a JSON schema describes; identifiers are some of `ids`."""
    if "$ref" in schema:
        return from_schema(defs[schema["$ref"].rpartition("/")[2]], chance, ids, defs)
    if "enum" in schema:
        return chance.choice(schema["enum"])
    for choice in ("anyOf", "oneOf", "allOf"):
        if choice in schema:
            return from_schema(chance.choice(schema[choice]), chance, ids, defs)
    types = schema.get("type", "string")
    match chance.choice(types) if isinstance(types, list) else types:
        case "object":
            required = schema.get("required", ())
            fields = schema.get("properties", {}).items()
            return {
                name: chance.choice(ids) if _is_id(name) else from_schema(one, chance, ids, defs)
                for name, one in fields
                if name in required or chance.random() < 0.35
            }
        case "array":
            count = chance.choice((1, 1, 2, 3, schema.get("maxItems", 3)))
            return [from_schema(schema.get("items", {}), chance, ids, defs) for _ in range(min(count, 60))]
        case "integer" | "number":
            least, most = schema.get("minimum", 0), schema.get("maximum", 10)
            return chance.choice((least, most, least + 1, chance.randint(int(least), int(most))))
        case "boolean":
            return chance.random() < 0.5
        case "null":
            return None
    return _text(schema, chance, ids)


def _is_id(name: str) -> bool:
    return name == "id" or name.endswith("Id")


def _text(schema: dict[str, Any], chance: random.Random, ids: Sequence[str]) -> str:
    if "0-9a-f" in schema.get("pattern", ""):
        return chance.choice(ids)
    texts = (
        *(f"Rye {chance.randrange(99)}", "https://example.org/a", "2027-02-14", "2027-01-31T09:00:00Z"),
        "# Rye\n\nDark.",
    )
    length = schema.get("maxLength", 100)
    return chance.choice((*texts, "rye-bread", "ada@example.org", "x" * min(length, 5_000), chance.choice(TEXTS)))[
        :length
    ]

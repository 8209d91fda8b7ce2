"""Bodies made to be expensive to validate: each is refused or ignored cheaply, with a short response."""

from collections.abc import Callable

import httpx
import orjson
import pytest

from tests.abuse.service import Service

SIZE = 19_900_000
"""Bytes in a body, just under the limit."""
MAX_ANSWER_BYTES = 100_000
MAX_CPU_SECONDS = 1
"""Of the server's processor for one request; the bystanders' requests are in it."""


def filled(before: str, item: str, after: str) -> bytes:
    """Returns a body of about `SIZE` bytes: `item`, repeated with commas between."""
    count = SIZE // (len(item) + 1)
    return (before + ",".join([item] * count) + after).encode()


def named(count: int) -> bytes:
    """Returns an object with so many keys of different names."""
    return orjson.dumps({f"key{number}": 1 for number in range(count)})


BODIES: dict[str, Callable[[], bytes]] = {
    "a list that is too long, of wrong items": lambda: filled('{"keywords":[', "1", "]}"),
    "an unknown field of empty lists": lambda: filled('{"x":[', "[]", "]}"),
    "an unknown field of objects": lambda: filled('{"x":[', '{"a":{}}', "]}"),
    "an unknown field of strings": lambda: filled('{"x":[', '"ab"', "]}"),
    "strings of escaped quotes": lambda: filled('{"x":[', r'"\"\""', "]}"),
    "unknown fields": lambda: named(1_300_000),
    "nested lists": lambda: b'{"keywords":' + b"[" * (SIZE // 2) + b"]" * (SIZE // 2) + b"}",
    "a long unknown name": lambda: b'{"' + b"k" * SIZE + b'":1}',
    "a long word": lambda: b'{"keywords":"' + b"k" * SIZE + b'"}',
    "a string without an end": lambda: b'{"keywords":"' + b'\\"' * (SIZE // 2),
    "a string of quotes and commas without an end": lambda: b'{"keywords":"' + b'\\",' * (SIZE // 3),
    "a string of commas": lambda: b'{"keywords":"' + b"," * SIZE + b'"}',
}


def over_rest(body: bytes) -> tuple[str, bytes]:
    return "/cluster-intents", body


def over_mcp(body: bytes) -> tuple[str, bytes]:
    call = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_cluster_intent","arguments":'
    return "/mcp", call + body + b"}}"


@pytest.mark.timeout(120)
@pytest.mark.parametrize("interface", [over_rest, over_mcp])
def test_a_body_that_is_expensive_to_judge_is_answered_cheaply(
    service: Service, interface: Callable[[bytes], tuple[str, bytes]]
) -> None:
    headers = {
        "Authorization": f"Bearer {service.new_project().token().secret}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    expensive: dict[str, float] = {}

    with service.holds(), httpx.Client(headers=headers, timeout=60) as attacker:
        attacker.post(service.url + interface(b"{}")[0], content=interface(b"{}")[1])  # the first request loads modules
        for name, make in BODIES.items():
            path, body = interface(make())
            before = service.cpu_seconds()
            answer = attacker.post(service.url + path, content=body)
            expensive[name] = service.cpu_seconds() - before
            assert answer.status_code in (200, 201, 400), name
            assert len(answer.content) < MAX_ANSWER_BYTES, name

    assert {name: seconds for name, seconds in expensive.items() if seconds > MAX_CPU_SECONDS} == {}

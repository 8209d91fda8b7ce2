"""Which names MCP answers to, and which pages may call it and the console."""

import pytest

from app.http.hosts import HostNames, is_same_origin


@pytest.mark.parametrize(
    ("public_url", "allowed", "host", "included"),
    [
        ("", (), "localhost", True),
        ("", (), "LocalHost:8000", True),
        ("", (), "127.0.0.1:1", True),
        ("", (), "[::1]:8000", True),
        ("", (), "", False),
        ("", (), "content.example", False),
        ("", (), "localhost.evil.example", False),
        ("", (), "localhost:evil", False),
        ("", (), "localhost:80:90", False),
        ("", (), "user@localhost", False),
        ("", (), "localhost/evil", False),
        ("", (), "localhost, evil.example", False),
        ("", ("content_workflow",), "content_workflow:8000", True),
        ("", ("content_workflow:8000",), "content_workflow:8000", True),
        ("", ("content_workflow:8000",), "content_workflow:8001", True),
        ("", ("content_workflow:8000",), "content_workflow", True),
        ("", ("content.example:*",), "content.example:9", True),
        ("", ("Content.Example",), "content.example", True),
        ("", ("*",), "any.example:9", True),
        ("", ("*",), "", False),
        ("", ("https://content.example",), "content.example", False),
        ("https://Content.example", (), "content.example", True),
        ("https://content.example:8443/prefix", (), "content.example:8443", True),
        ("https://content.example:8443/prefix", (), "content.example", True),
    ],
)
def test_the_names_of_a_server(public_url: str, allowed: tuple[str, ...], host: str, included: bool) -> None:
    assert HostNames(public_url, allowed).include(host) is included


@pytest.mark.parametrize(
    ("origin", "host", "same"),
    [
        ("http://localhost:8000", "localhost:8000", True),
        ("http://content_workflow:8000", "content_workflow:8000", True),
        ("http://[::1]:8000", "[::1]:8000", True),
        ("https://content.example", "content.example", True),
        ("http://content.example", "Content.Example", True),
        ("https://content.example", "content.example:443", True),
        ("http://content.example:80", "content.example", True),
        ("https://content.example", "content.example:80", False),
        ("http://localhost:9999", "localhost:8000", False),
        ("http://localhost", "localhost:8000", False),
        ("http://evil.example", "localhost", False),
        ("http://localhost.evil.example", "localhost", False),
        ("http://evil@localhost", "localhost", False),
        ("chrome-extension://localhost", "localhost", False),
        ("http://localhost/", "localhost", False),
        ("http://localhost, http://localhost", "localhost", False),
        ("null", "localhost", False),
        ("null", "null", False),
        ("http://", "", False),
    ],
)
def test_a_page_of_the_very_address(origin: str, host: str, same: bool) -> None:
    assert is_same_origin(origin, host) is same

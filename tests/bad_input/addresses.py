"""Addresses: those of webhooks, judged and then sent to, and those that the sitemap and the feed are made of."""

import json
import random
import re
import socket
from unittest.mock import patch
from xml.etree import ElementTree

from flask import Flask

from app.core.store.store import Store
from app.webhooks.client import NO_ADDRESS, WebhookClient
from tests.bad_input.aftermath import unreadable
from tests.bad_input.campaign import Outcome
from tests.bad_input.mutations import TEXTS, mutated_text
from tests.bad_input.requests import Request, Response, send
from tests.bad_input.scene import a_scene

RIGHT = (
    *("https://hooks.example.org/a?b=c#d", "http://localhost:8080/x", "https://user:pass@example.org"),
    *("https://[2001:db8::1]:8443/", "https://münchen.example/ü", "https://xn--mnchen-3ya.example"),
    *("http://127.0.0.1/", "https://0x7f.1/", "https://2130706433/", "https://example.org/{slug}"),
    *("https://example.org/blog/{slug}.html", "HTTPS://EXAMPLE.ORG.:443", "https://a.b_c.d/%zz"),
)
PIECES = (
    *("://", "/", "?", "#", "@", ":", "[", "]", "%", "{slug}", "{", "}", "{0}", "{slug.__class__}", ".", "..", "\\"),
    *("//", "\t", ":65536", ":-1", ":0", ":٣", "::1", "%25eth0", "localhost", "169.254.169.254", "xn--", "。", "ⅷ"),
    *("\u00ad", "ß", " ", "\r\n"),
)
INTERNAL, LOOPBACK = ["10.0.0.1"], ["127.0.0.1"]


class AddressTarget:
    """Webhooks and `siteUrl`."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._client = WebhookClient(allow_local=False, resolve=lambda host, seconds: INTERNAL)
        self._local = WebhookClient(allow_local=True, resolve=lambda host, seconds: LOOPBACK)

    def begin(self, store: Store) -> None:
        """Makes a project with something of everything."""
        self._scene = a_scene(store)

    def make(self, chance: random.Random) -> tuple[str, str]:
        """Returns the name of a field, and an address for it."""
        address = chance.choice(RIGHT)
        for _ in range(chance.choice((0, 1, 1, 2, 3))):
            place = chance.randrange(len(address) + 1)
            piece = chance.choice((*PIECES, *TEXTS))
            address = (
                address[:place] + piece + address[place:] if chance.random() < 0.6 else mutated_text(chance, address)
            )
        return chance.choice(("url", "url", "siteUrl", "categoryUrl", "coverImageUrl", "referenceUrls")), address

    def end(self) -> str | None:
        """Returns what can't be read any more."""
        return unreadable(self._app, self._scene)

    def run(self, given: tuple[str, str]) -> Outcome:
        """Writes an address, and uses it where it was accepted."""
        name, address = given
        response = self._written(name, address)
        if response.status >= 400:
            refusal = response.json
            is_clear = response.status in (400, 409, 422) and refusal.get("_tag") and refusal.get("message")
            return Outcome(True, None if is_clear else f"It was answered with {response.status} {response.body!r}")
        if name == "url":
            self._call("DELETE", f"/webhooks/{response.json['id']}")
            return Outcome(False, self._sent(address), may_write=True)
        return Outcome(False, self._delivered() if name in ("siteUrl", "categoryUrl") else None, may_write=True)

    def _written(self, name: str, address: str) -> Response:
        document = self._scene.ids["documents"][0]
        match name:
            case "url":
                return self._call("POST", "/webhooks", url=address)
            case "siteUrl" | "categoryUrl":
                return self._call("PATCH", "/project", **{name: address})
            case "coverImageUrl":
                return self._call("PATCH", f"/documents/{document}", coverImageUrl=address)
        return self._call("PATCH", f"/documents/{document}/brief", referenceUrls=[address])

    def _call(self, method: str, path: str, **body: object) -> Response:
        headers = (("Authorization", f"Bearer {self._scene.token.secret}"), ("Content-Type", "application/json"))
        return send(self._app, Request(method, path, headers=headers, body=json.dumps(body).encode()))

    def _sent(self, address: str) -> str | None:
        """Returns what goes wrong where a message is sent to an address that was accepted."""
        refused = self._client.send(address, {}, b"{}")
        if refused.error != NO_ADDRESS:
            return f"A message to an internal address is not refused: {refused}"
        ours, theirs = socket.socketpair()
        with ours, theirs, patch("socket.create_connection", return_value=ours):
            theirs.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            theirs.shutdown(socket.SHUT_WR)
            sent = self._local.send(re.sub("^https:", "http:", address, flags=re.IGNORECASE), {}, b"{}")
        return None if sent.succeeded or sent.error == NO_ADDRESS else f"A message can't be sent: {sent}"

    def _delivered(self) -> str | None:
        """Returns what is wrong with what a site is given of the addresses."""
        headers = (("Authorization", f"Bearer {self._scene.delivery.secret}"),)
        for path in ("/delivery/sitemap.xml", "/delivery/feed.xml"):
            response = send(self._app, Request("GET", path, headers=headers))
            if response.status == 422 and not self._call("GET", "/project").json["siteUrl"]:
                continue  # an empty `siteUrl` was accepted: there is nothing to make URLs from
            if response.status != 200:
                return f"{path} is answered with {response.status} {response.body[:300]!r}"
            try:
                ElementTree.fromstring(response.body)
            except ElementTree.ParseError as error:
                return f"{path} is not XML: {error}"
        return None

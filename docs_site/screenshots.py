"""Takes the screenshots of the console in `docs/images`, of a demo of its own: `make screenshots`.

It needs Chromium, chromedriver and a mongod, as the tests do.
"""

from __future__ import annotations

import base64
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx

from docs_site.generated import DOCS
from docs_site.screens import SCHEMES, SCREENS, SIGN_IN, SIZES, Screen, file_of
from tests.console.browser import Window, chromium
from tests.live import free_port, until

QUALITY = 60
REQUEST = {
    "note": "Nearly there. Use one word for the hand, and say how warm the kitchen is.",
    "threads": [
        {
            "text": "The heading says hand: use one word for it.",
            "level": "must",
            "quote": {"exact": "palm", "prefix": "press with a wet "},
        },
        {"text": "At which temperature?", "level": "should", "quote": {"exact": "Flour takes ten minutes to drink"}},
        {"text": "A photograph of the strings would help.", "level": "note"},
    ],
    "offer": True,
}
ANSWERS = {"The heading says hand: use one word for it.": "A hand now.", "At which temperature?": "At 24 °C: added."}
CHANGES = {"wet palm": "wet hand", "ten minutes to drink": "ten minutes at 24 °C to drink"}
REVIEW = {
    "facts": True,
    "sources": True,
    "examined": "Names and dates against the mill's own register; both quotes with the miller by telephone.",
    "responsible": "The Crust, Ingrid Solberg",
}
MOUSE = "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4"
"""Has Chromium, which has no mouse here, show pages as to somebody with one."""
IS_LOADED = """
return document.readyState === "complete" && document.fonts.status === "loaded"
    && [...document.images].every((one) => one.complete);
"""


@contextmanager
def demo(folder: Path) -> Iterator[dict[str, str]]:
    """Yields the variables of a demo that is served from a folder, and `LINK`, which signs its owner in."""
    program = Path(sys.executable).with_name("content-workflow")
    environment = {"LOG_LEVEL": "ERROR"} | {
        name: value for name, value in os.environ.items() if name not in ("MONGODB_URI", "PUBLIC_URL")
    }
    command = [str(program), "dev", "--port", str(free_port())]
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            banner = ""
            while "Ctrl-C" not in banner:
                line = process.stdout.readline()
                assert line, f"The demo ended: {banner}"
                banner += line
            [link] = re.findall(r"^The console: +(\S+)", banner, re.MULTILINE)
            yield {**dict(re.findall(r"^  (\w+)=(\S+)", banner, re.MULTILINE)), "LINK": link}
        finally:
            process.terminate()


class Api:
    """The API of the demo."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables

    def call(self, method: str, path: str, body: Any = None, use: str = "OWNER") -> Any:
        """Calls a route with a token of the demo, and returns the body of the response."""
        headers = {"Authorization": f"Bearer {self._variables[use]}"}
        response = httpx.request(method, self._variables["BASE"] + path, json=body, headers=headers, timeout=40)
        assert response.is_success, f"{path}: {response.text}"
        return response.json()


def revise(api: Api, id: str) -> None:
    """Requests changes to a document, and has the agent revise and submit it."""
    path = f"/documents/{id}"
    api.call("POST", f"{path}/request-changes", REQUEST)
    api.call("POST", f"{path}/brief/claim", {"leaseSeconds": 3600}, "AGENT")
    for thread in api.call("GET", f"{path}/threads", use="AGENT"):
        if answer := ANSWERS.get(thread["comments"][0]["text"]):
            api.call("POST", f"{path}/threads/{thread['id']}/replies", {"text": answer}, "AGENT")
    document = api.call("GET", path, use="AGENT")
    markdown = document["content"]
    for old, new in CHANGES.items():
        markdown = markdown.replace(old, new)
    generation = {"model": "example-4", "provider": "Example AI"}
    body = {"markdown": markdown, "baseVersion": document["version"], "generation": generation}
    api.call("PUT", f"{path}/content", body, "AGENT")
    api.call("POST", f"{path}/submit", {}, "AGENT")


def consent_query(api: Api) -> str:
    """Registers an assistant, and returns the query with which it asks to be connected."""
    address = "https://assistant.example/callback"
    client = api.call("POST", "/oauth/register", {"client_name": "Kitchen assistant", "redirect_uris": [address]})
    challenge = {"code_challenge": base64.urlsafe_b64encode(bytes(32)).decode().rstrip("="), "state": "1"}
    asked = {"response_type": "code", "client_id": client["client_id"], "redirect_uri": address}
    return urlencode({**asked, **challenge, "code_challenge_method": "S256"})


def prepare(api: Api) -> dict[str, Any]:
    """Makes what the demo lacks and waits until its figures are counted; returns what the addresses of screens name."""
    ids = {one["title"]: one["id"] for one in api.call("GET", "/documents?limit=100")}
    revised, recorded = ids["Why your dough sticks, and when it should"], ids["The miller of Hallingdal"]
    tokens = {one["name"]: one["id"] for one in api.call("GET", "/tokens")}
    [owner] = [one["id"] for one in api.call("GET", "/members") if one["name"] == "Ingrid Solberg"]
    api.call("PATCH", f"/documents/{ids['Reading a bag of flour']}", {"assigneeId": owner, "dueDate": "2026-11-02"})
    revise(api, revised)
    for thread in api.call("GET", f"/documents/{recorded}/threads"):
        api.call("POST", f"/documents/{recorded}/threads/{thread['id']}/resolve")
    version = api.call("POST", f"/documents/{recorded}/approve", {"review": REVIEW})["version"]
    api.call("POST", f"/documents/{recorded}/publish", {})
    until(lambda: api.call("GET", "/insights?days=1")["days"][0]["published"])
    link = api.call("POST", f"/documents/{revised}/review-links", {"name": "Lee"})["link"]
    return {
        "revised": revised,
        "recorded": recorded,
        "version": version,
        "draft": ids["Folding instead of kneading"],
        "token": tokens["Night writer"],
        "consent": consent_query(api),
        "link": link.partition("#")[2],
    }


def take(window: Window, screen: Screen, names: Mapping[str, Any]) -> None:
    """Takes the screenshots of a page, in both sizes and schemes."""
    chrome = window.chrome
    for size, (width, height) in SIZES.items():
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == "phone"}
        chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        chrome.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": size == "phone"})
        window.open(screen.path.format(**names))
        if screen.script:
            window.until(lambda: chrome.execute_script(IS_LOADED))
            chrome.execute_script(screen.script)
        window.find(screen.shows)
        for scheme in SCHEMES:
            window.in_scheme(scheme)
            window.until(lambda: chrome.execute_script(IS_LOADED))
            shot = chrome.execute_cdp_cmd("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
            file = DOCS / "images" / file_of(screen.name, size, scheme)
            file.write_bytes(base64.b64decode(shot["data"]))


def main() -> None:
    """Takes all screenshots."""
    with tempfile.TemporaryDirectory() as temporary, demo(Path(temporary)) as variables:
        names = prepare(Api(variables))
        with chromium(Path(temporary) / "chromium", MOUSE) as chrome:
            window = Window(chrome, variables["BASE"])
            take(window, SIGN_IN, names)
            window.open(variables["LINK"].removeprefix(variables["BASE"]))
            window.find("main .button").click()
            window.find("main a.button").click()
            window.find("nav")
            for screen in SCREENS:
                take(window, screen, names)


if __name__ == "__main__":
    main()

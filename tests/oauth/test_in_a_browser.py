"""The page that asks, in headless Chromium: coming from another site, signing in, and going back to the client."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.clients.npm import installed
from tests.console.browser import Window
from tests.live import Handler, answering
from tests.make import Project, Token
from tests.oauth.flow import Flow

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.needs_mongod]

AXE = Path(__file__).parents[1] / "console" / "axe"
RUN_AXE = """
const done = arguments[arguments.length - 1];
axe.run(document).then((found) => done(found.violations.map((one) => [one.id, one.nodes.length])));
"""
PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}


@pytest.fixture
def client_site() -> Iterator[str]:
    """The site of a client: a link to connect, and the address that gets the answer."""

    class Site(Handler):
        def do_GET(self) -> None:
            query = parse_qs(urlsplit(self.path).query)
            if self.path.startswith("/back?"):  # leads on to another site, as hosted assistants do to their apps
                self.answer(status=302, headers={"Location": f"{address}/done?{urlsplit(self.path).query}"})
                return
            link = f'<a id="link" href="{query["to"][0]}">Connect</a>' if "to" in query else "Done"
            page = f"<!doctype html><html lang=en><title>Client</title>{link}</html>".replace("&", "&amp;").encode()
            self.answer(page, headers={"Content-Type": "text/html"})

    with answering(Site) as address:
        yield address.replace("127.0.0.1", "localhost")


def test_coming_from_another_site_and_going_back(
    address: str, client_site: str, project: Project, editor: Token, chrome: webdriver.Chrome
) -> None:
    flow = Flow.__new__(Flow)
    flow.redirect_uri, flow.challenge = f"{client_site}/back", "x" * 43
    metadata = {"redirect_uris": [flow.redirect_uri], "client_name": "Desk assistant"}
    flow.client_id = httpx.post(f"{address}/oauth/register", json=metadata).json()["client_id"]
    query = flow.asked(scope="read write publish", state="st-2").replace("%", "%25").replace("&", "%26")

    window = Window(chrome, address)
    chrome.get(f"{client_site}/?to={address}/oauth/authorize?{query}")
    window.click("#link")
    window.find("#token").send_keys(editor.secret + Keys.ENTER)
    window.until(lambda: "/console/connect" in chrome.current_url)

    chrome.get(f"{client_site}/?to={address}/oauth/authorize?{query}")
    window.click("#link")
    window.find("form.connect")
    assert "/console/connect" in chrome.current_url, "who is signed in is not asked again"

    chrome.execute_script((installed(AXE, "axe") / "axe-core" / "axe.min.js").read_text())
    assert chrome.execute_async_script(RUN_AXE) == []
    chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    agree = window.find("button[value=yes]")
    assert agree.rect["y"] + agree.rect["height"] < PHONE["height"], "one screen on a phone"
    assert chrome.execute_script("return document.documentElement.scrollWidth") <= 390

    chrome.find_element(By.CSS_SELECTOR, "input[value=publish]").click()
    window.click("button[value=yes]")
    window.until(lambda: urlsplit(chrome.current_url).path == "/done")
    sent = parse_qs(urlsplit(chrome.current_url).query)
    assert (sent["state"], sent["iss"]) == (["st-2"], [address])
    assert window.problems() == []
    stored = project.store.database.codes.find_one({"token.grantedBy.id": editor.id})
    assert stored is not None
    assert stored["token"]["scopes"] == ["read", "write"]


def test_a_name_paints_over_nothing(address: str, editor: Token, chrome: webdriver.Chrome) -> None:
    flow = Flow.__new__(Flow)
    flow.redirect_uri, flow.challenge = f"https://{'a' * 60}.{'b' * 60}.example.com/back", "x" * 43
    metadata = {"redirect_uris": [flow.redirect_uri], "client_name": "a" + "\u0301" * 60 + "W" * 39}
    flow.client_id = httpx.post(f"{address}/oauth/register", json=metadata).json()["client_id"]
    window = Window(chrome, address)
    window.sign_in(editor)
    chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    window.open(f"/console/connect?{flow.asked()}")
    for selector in (".connect h1", ".connect summary"):
        assert window.find(selector).value_of_css_property("overflow-y") == "clip"
    assert chrome.execute_script("return document.documentElement.scrollWidth") <= 390

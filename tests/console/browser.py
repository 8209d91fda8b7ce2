"""Headless Chromium at the console."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from selenium import webdriver
from selenium.common.exceptions import (
    ElementNotInteractableException,
    StaleElementReferenceException,
    WebDriverException,
)
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from tests.live import program
from tests.make import Token


class Window:
    """A browser at the console of one project."""

    def __init__(self, chrome: webdriver.Chrome, base: str) -> None:
        self.chrome, self.base = chrome, base

    def sign_in(self, token: Token, page: str = "/console/board") -> None:
        """Opens a page, signed in with a token as its form does, whoever was signed in before."""
        self.chrome.get("about:blank")  # the page before may still wait for changes, with the cookies
        self.chrome.execute_cdp_cmd("Network.clearBrowserCookies", {})
        with httpx.Client(base_url=self.base, headers={"Origin": self.base}, trust_env=False) as visitor:
            assert visitor.post("/console/sign-in", data={"token": token.secret}).status_code == 303
            for name, value in visitor.cookies.items():
                cookie = {"name": name, "value": value, "url": f"{self.base}/console", "path": "/console"}
                self.chrome.execute_cdp_cmd("Network.setCookie", {**cookie, "httpOnly": True, "sameSite": "Strict"})
        self.open(page)

    def open(self, path: str) -> None:
        """Opens a page."""
        self.chrome.get(self.base + path)

    def find(self, selector: str) -> WebElement:
        """Returns the first element that a selector finds, as soon as there is one."""
        found: list[WebElement] = self.until(lambda: self.chrome.find_elements(By.CSS_SELECTOR, selector))
        return found[0]

    def click(self, selector: str) -> None:
        """Clicks on the first element that a selector finds; a live page may replace it meanwhile."""
        self.until(lambda: self.find(selector).click() or True)

    def has(self, selector: str) -> bool:
        """Returns whether a selector finds something now."""
        return bool(self.chrome.find_elements(By.CSS_SELECTOR, selector))

    def press(self, label: str) -> None:
        """Presses the button with a label, and confirms what it asks."""
        before = self.chrome.find_element(By.TAG_NAME, "html")

        def clicked() -> tuple[str | None]:
            button = self.chrome.find_element(By.XPATH, f"//main//button[normalize-space()='{label}']")
            asks = button.find_element(By.XPATH, "..").get_attribute("data-question")
            button.click()
            return (asks,)

        if self.until(clicked)[0]:
            self.click("#question button[value=yes]")
        self.until(lambda: self.chrome.find_element(By.TAG_NAME, "html") != before)

    def click_tab(self, label: str) -> None:
        """Opens a tab of the page."""
        before = self.chrome.find_element(By.TAG_NAME, "html")
        self.find(".tabs").find_element(By.LINK_TEXT, label).click()
        self.until(lambda: self.chrome.find_element(By.TAG_NAME, "html") != before)

    def keys(self, keys: str) -> None:
        """Presses keys where the focus is; a live page may replace what has it."""
        self.until(lambda: self.chrome.switch_to.active_element.send_keys(keys) or True)

    def in_scheme(self, scheme: str) -> None:
        """Has pages be shown in light or in dark."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})

    def until(self, what: Any) -> Any:
        """Waits until something is true, and returns it; a page may still be placing or replacing what it looks at."""

        def tried(_: object) -> Any:
            try:
                return what()
            except WebDriverException as error:  # what chromedriver calls some elements that were replaced
                if "Node with given id does not belong to the document" in str(error):
                    raise StaleElementReferenceException from error
                raise

        ignored = [StaleElementReferenceException, ElementNotInteractableException, IndexError]
        waiting = WebDriverWait(self.chrome, 60, 0.05, ignored_exceptions=ignored)
        return waiting.until(tried)

    def problems(self) -> list[str]:
        """Returns what the browser complained of, a breach of the content security policy above all.

        CodeMirror's note that it goes on measuring in the next frame, as on a busy machine, is no complaint.
        """
        entries = [one for one in self.chrome.get_log("browser") if one["level"] in ("SEVERE", "WARNING")]
        return [one["message"] for one in entries if "Measure loop restarted" not in one["message"]]


@contextmanager
def chromium(profile: Path, *more: str) -> Iterator[webdriver.Chrome]:
    """Yields a headless Chromium with a profile of its own, and more arguments; skips the test where there is none."""
    missing = "No Chromium and chromedriver were found (Debian: apt-get install chromium chromium-driver)."
    driver = program("chromedriver", missing=missing)
    options = webdriver.ChromeOptions()
    options.binary_location = program("chromium", "google-chrome", missing=missing)
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,900", *more):
        options.add_argument(argument)
    options.add_argument(f"--user-data-dir={profile}")
    options.add_argument("--proxy-server=direct://")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield started
    finally:
        started.quit()

"""`/docs` in a real browser: it shows the API, without the internet (decisions, section 1)."""

import os

import pytest
from flask import Flask
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support import expected_conditions as ec
from selenium.webdriver.support.wait import WebDriverWait

from tests.live import serving

pytestmark = pytest.mark.browser

PICTURE = os.environ.get("DOCS_SCREENSHOT")
"""Where to keep a picture of the page, for whoever wants to look at it."""


def test_the_reference_shows_every_group_and_how_to_authorize_with_nothing_from_elsewhere(
    app: Flask, chrome: webdriver.Chrome
) -> None:
    document = app.test_client().get("/openapi.json").json
    described = [*document["paths"].values(), *document["webhooks"].values()]
    operations = sum(len(item.keys() - {"parameters"}) for item in described)
    with serving(app) as address:
        chrome.get(f"{address}/docs")
        wait = WebDriverWait(chrome, 30)
        wait.until(ec.presence_of_element_located((By.CSS_SELECTOR, ".opblock")))
        if PICTURE:
            chrome.save_screenshot(PICTURE)

        assert "Content workflow" in chrome.find_element(By.CSS_SELECTOR, ".info .title").text
        assert len(chrome.find_elements(By.CSS_SELECTOR, ".opblock")) == operations
        groups = {group.get_attribute("data-tag") for group in chrome.find_elements(By.CSS_SELECTOR, ".opblock-tag")}
        assert groups == {tag["name"] for tag in document["tags"]}

        claim = chrome.find_element(By.ID, "operations-briefs-claimBrief")
        claim.find_element(By.CSS_SELECTOR, ".opblock-summary-control").click()
        wait.until(lambda _: "BriefClaimed" in claim.text)

        chrome.find_element(By.CSS_SELECTOR, "button.authorize").click()
        wait.until(ec.visibility_of_element_located((By.CSS_SELECTOR, ".auth-container input")))

        said = [entry for entry in chrome.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        assert said == []
        fetched = chrome.execute_script("return performance.getEntriesByType('resource').map(one => one.name)")
        assert fetched
        assert [url for url in fetched if not url.startswith((address, "data:"))] == []

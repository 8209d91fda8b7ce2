"""The explorer: a page for browsers that needs nothing from elsewhere, and runs queries with a token."""

import os
import re

import pytest
from flask import Flask
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from tests.graphql_app.client import GraphQL, published
from tests.live import serving
from tests.make import Project

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


def test_a_browser_gets_a_page_without_a_token(app: Flask) -> None:
    answer = app.test_client().get("/graphql", headers=BROWSER)

    assert answer.status_code == 200
    assert answer.content_type == "text/html; charset=utf-8"
    assert "script-src 'self';" in answer.headers["Content-Security-Policy"]
    assert "Accept" in answer.headers["Vary"]


def test_all_that_the_page_loads_is_served_by_the_service_itself(app: Flask) -> None:
    client = app.test_client()
    loaded = re.findall(r'(?:src|href)="([^"]+)"', client.get("/graphql", headers=BROWSER).text)

    files = [one for one in loaded if not one.startswith("data:")]
    assert len(files) == 6
    for file in files:
        assert file.startswith("/graphql/explorer/")
        answer = client.get(file, buffered=True)
        assert answer.status_code == 200
        again = client.get(file, headers={"If-None-Match": answer.headers["ETag"]}, buffered=True)
        assert again.status_code == 304
    assert client.get("/graphql/explorer/README.md").status_code == 404


@pytest.mark.browser
@pytest.mark.needs_mongod
def test_a_query_runs_with_a_token_that_is_pasted(
    project: Project, graphql: GraphQL, app: Flask, chrome: webdriver.Chrome
) -> None:
    published(project, title="A loaf in the explorer")
    wait = WebDriverWait(chrome, 60)
    with serving(app) as address:
        chrome.get(f"{address}/graphql")
        chrome.find_element(By.ID, "token").send_keys(graphql.token.secret, Keys.TAB)
        wait.until(lambda page: page.find_elements(By.CSS_SELECTOR, ".graphiql-execute-button"))[0].click()
        wait.until(lambda page: "A loaf in the explorer" in _result(page))
        chrome.find_element(By.CSS_SELECTOR, "[aria-label='Show Documentation Explorer']").click()
        wait.until(lambda page: "root type" in page.find_element(By.TAG_NAME, "body").text)
        if folder := os.environ.get("SCREENSHOTS"):
            chrome.save_screenshot(f"{folder}/explorer.png")
        trouble = [entry for entry in chrome.get_log("browser") if entry["level"] == "SEVERE"]

    assert trouble == []


def _result(page: webdriver.Chrome) -> str:
    return " ".join(element.text for element in page.find_elements(By.CSS_SELECTOR, ".result-window"))

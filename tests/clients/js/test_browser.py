"""The client runs in a browser, on a page of another origin."""

from pathlib import Path

import pytest
from flask import Flask, Response, send_from_directory
from selenium import webdriver

from tests.clients.js.package import built
from tests.graphql_app.client import delivery_token, published
from tests.live import serving
from tests.make import Project

pytestmark = [pytest.mark.clients, pytest.mark.browser, pytest.mark.needs_mongod]

PROGRAM = """
const [address, token, done] = arguments;
(async () => {
  const { createClient } = await import("/client/index.js");
  const statuses = [];
  const send = async (...request) => {
    const response = await fetch(...request);
    statuses.push(response.status);
    return response;
  };
  const client = createClient({ url: address, token, fetch: send });
  const titles = [];
  for (let turn = 0; turn < 2; turn++) for await (const { title } of client.documents()) titles.push(title);
  const code = await createClient({ url: address, token: "cwd_wrong" }).categories().catch((error) => error.code);
  return { titles, statuses, code };
})().then(done, (error) => done(String(error)));
"""


def test_the_client_runs_in_a_browser_and_asks_with_etags(
    project: Project, address: str, chrome: webdriver.Chrome
) -> None:
    published(project, title="Rye")
    with serving(page_with(built() / "dist" / "esm")) as page:
        chrome.get(page)
        found = chrome.execute_async_script(PROGRAM, address, delivery_token(project).secret)  # type: ignore[no-untyped-call]

    assert found == {"titles": ["Rye", "Rye"], "statuses": [200, 304], "code": "UNAUTHENTICATED"}


def page_with(modules: Path) -> Flask:
    """Makes an application that serves a page, and the client's modules."""
    site = Flask(__name__)
    site.add_url_rule("/", view_func=lambda: Response("<!doctype html><title>Site</title>", mimetype="text/html"))
    site.add_url_rule("/client/<name>", "client", lambda name: send_from_directory(modules, name))
    return site

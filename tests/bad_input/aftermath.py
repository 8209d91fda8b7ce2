"""What was accepted can be read everywhere: over REST, by a site, in the console, and in another project."""

from collections.abc import Iterator
from urllib.parse import urlencode
from xml.etree import ElementTree

from flask import Flask

from app.core.context import Context, system
from app.core.vocabulary import Channel
from app.transfers.operations import check_import, export_project, import_project
from tests.bad_input.requests import Request, Response, send
from tests.bad_input.scene import Scene
from tests.make import a_project

QUERY = """{
  documentsPage(limit: 50, includeDrafts: true) { totalCount documents {
    id slug title html markdown excerpt author { name } category { name category { name } } coverImage { url } wordCount
    preview { title slug html metaTitle version } related { slug }
  } }
  categories { name slug documentCount children { name } }
  redirects(limit: 100) { from to }
}"""
LISTS = ("documents?limit=100", "documents?limit=100&deleted=true", "briefs?state=none,ready,claimed,drafted&limit=100")
MORE = ("categories", "clusters", "members", "tokens", "webhooks", "project", "insights", "events?limit=1000")
PAGES = ("board", "table", "calendar", "plan", "insight", "administration", "administration/tokens")
FORM = "application/x-www-form-urlencoded"


def unreadable(app: Flask, scene: Scene) -> str | None:
    """Returns the first thing that can't be read any more, after all that a project was sent."""
    return next(_problems(app, scene), None)


def _problems(app: Flask, scene: Scene) -> Iterator[str]:
    token = scene.project.token("Reader")
    management, delivery = ((("Authorization", f"Bearer {one.secret}"),) for one in (token, scene.delivery))
    documents = []
    for path in (*LISTS, *MORE):
        response = send(app, Request("GET", *_split(f"/{path}"), headers=management))
        yield from _unless_ok(path, response)
        documents += [one["id"] for one in response.json] if path == LISTS[0] else []
    for part in ("", "/brief", "/packet", "/checks", "/outline", "/actions", "/activity", "/revisions"):
        for document in documents:
            yield from _unless_ok(part, send(app, Request("GET", f"/documents/{document}{part}", headers=management)))
    for path in ("/delivery/feed.xml", "/delivery/sitemap.xml"):
        response = send(app, Request("GET", path, headers=delivery))
        if response.status != 422:  # the project has no `siteUrl` any more
            yield from _unless_ok(path, response)
            yield from _unless_xml(path, response)
    response = send(app, Request("GET", "/graphql", urlencode({"query": QUERY}), delivery))
    yield from _unless_ok("/graphql", response)
    if "errors" in response.json:
        yield f"/graphql: {response.body[:500]!r}"
    signed_in = _session(app, token.secret)
    for page in (*PAGES, *(f"documents/{document}" for document in documents)):
        yield from _unless_ok(page, send(app, Request("GET", f"/console/{page}", headers=signed_in)))
    yield from _not_imported(scene)


def _split(path: str) -> tuple[str, str]:
    before, _, query = path.partition("?")
    return before, query


def _unless_ok(what: str, response: Response) -> Iterator[str]:
    if response.status != 200:
        yield f"{what} can't be read any more: {response.status} {response.body[:500]!r}"


def _unless_xml(what: str, response: Response) -> Iterator[str]:
    try:
        ElementTree.fromstring(response.body)
    except ElementTree.ParseError as error:
        yield f"{what} is not XML: {error}"


def _session(app: Flask, secret: str) -> tuple[tuple[str, str], ...]:
    form = Request("POST", "/console/sign-in", body=urlencode({"token": secret}).encode())
    cookie = send(app, form.with_header("Content-Type", FORM)).headers["set-cookie"].partition(";")[0]
    return (("Cookie", cookie),)


def _not_imported(scene: Scene) -> Iterator[str]:
    """Yields why another project refuses what the export of this one holds."""
    other = a_project(scene.project.store)
    ctx = Context(scene.project.store, system(other.id, other.team_id), Channel.CLI)
    lines = list(export_project(scene.project.store, scene.project.id))
    refused = check_import(ctx, lines).refused
    yield from (f"An export can't be imported: line {one.number}: {one.what}: {one.why}" for one in refused)
    if not refused:
        import_project(ctx, lines)

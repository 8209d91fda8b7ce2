"""Each system: how it is installed and started, and how a client does there what the rows of the table name."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar
from uuid import uuid4

from pymongo import MongoClient

from app.cli.mongod import running_mongod
from app.core.vocabulary import TokenKind
from bench.peers.measure import Caller, running, until_answered
from bench.servers import own_store, service
from tests.live import free_port
from tests.make import a_project, made

HERE = Path(__file__).parent
PASSWORD = "bench-bench-1"


@dataclass
class System:
    """A system that runs, with callers' headers; `processes` are those of the server and of its database."""

    port: int
    processes: tuple[int, int]
    headers: dict[str, str]
    category: str = ""
    name: ClassVar[str] = ""
    graphql: ClassVar[str] = "/graphql"

    def caller(self) -> Caller:
        """Returns a new connection."""
        return Caller(self.port, self.headers)

    def prepare(self, caller: Caller) -> None:
        """Makes the category that all documents are in."""
        raise NotImplementedError

    def create(self, caller: Caller, title: str, markdown: str) -> str:
        """Makes a draft of a document; returns its id."""
        raise NotImplementedError

    def publish(self, caller: Caller, document: str) -> None:
        """Publishes a document."""
        raise NotImplementedError

    def listed(self, caller: Caller) -> list[Any]:
        """Returns the newest 50 documents of the category, each with the category's id."""
        raise NotImplementedError

    def read(self, caller: Caller, document: str) -> str:
        """Returns the text of a document."""
        raise NotImplementedError

    def update(self, caller: Caller, document: str, markdown: str) -> None:
        """Writes a new version of a document's text; the one before is kept."""
        raise NotImplementedError

    def delivered(self, caller: Caller, name: str) -> list[Any]:
        """Returns the newest 20 published documents with text and category by a GraphQL query of this name."""
        raise NotImplementedError

    def _query(self, caller: Caller, query: str) -> Any:
        return caller.send("POST", self.graphql, {"query": query})["data"]


@dataclass
class Ours(System):
    """This service, as `serve` runs it by default."""

    name = "content-workflow"
    delivery: str = ""
    versions: dict[str, int] = field(default_factory=dict)

    def prepare(self, caller: Caller) -> None:
        pass  # `running_ours` made it

    def create(self, caller: Caller, title: str, markdown: str) -> str:
        fields = {"title": title, "slug": title.lower().replace(" ", "-"), "markdown": markdown}
        draft = caller.send("POST", "/document-intents", {**fields, "categoryId": self.category})
        document: str = caller.send("POST", f"/document-intents/{draft['id']}/confirm")["document"]["id"]
        self.versions[document] = 1
        return document

    def publish(self, caller: Caller, document: str) -> None:
        caller.send("POST", f"/documents/{document}/publish")

    def listed(self, caller: Caller) -> list[Any]:
        found: list[Any] = caller.send("GET", f"/documents?categoryId={self.category}&limit=50&sort=-createdAt")
        return found

    def read(self, caller: Caller, document: str) -> str:
        text: str = caller.send("GET", f"/documents/{document}")["content"]
        return text

    def update(self, caller: Caller, document: str, markdown: str) -> None:
        fields = {"markdown": markdown, "baseVersion": self.versions[document]}
        self.versions[document] = caller.send("PUT", f"/documents/{document}/content", fields)["version"]

    def delivered(self, caller: Caller, name: str) -> list[Any]:
        query = f"query {name} {{documents(limit: 20) {{id title slug markdown html category {{name slug}}}}}}"
        answer = caller.send("POST", "/graphql", {"query": query}, Authorization=f"Bearer {self.delivery}")
        found: list[Any] = answer["data"]["documents"]
        return found


@dataclass
class Strapi(System):
    """Strapi with its GraphQL plugin on PostgreSQL, draft and publish on, without its admin panel."""

    name = "strapi"

    def prepare(self, caller: Caller) -> None:
        self.category = caller.send("POST", "/api/categories", {"data": {"name": "Bread"}})["data"]["documentId"]

    def create(self, caller: Caller, title: str, markdown: str) -> str:
        data = {"title": title, "markdown": markdown, "category": self.category}
        document: str = caller.send("POST", "/api/documents?status=draft", {"data": data})["data"]["documentId"]
        return document

    def publish(self, caller: Caller, document: str) -> None:
        caller.send("PUT", f"/api/documents/{document}?status=published", {"data": {}})

    def listed(self, caller: Caller) -> list[Any]:
        of_category = f"filters[category][documentId][$eq]={self.category}&populate[category][fields]=documentId"
        page = "sort=createdAt:desc&pagination[pageSize]=50&fields=title,slug,excerpt,dueDate,createdAt,updatedAt"
        found: list[Any] = caller.send("GET", f"/api/documents?status=draft&{of_category}&{page}")["data"]
        return found

    def read(self, caller: Caller, document: str) -> str:
        text: str = caller.send("GET", f"/api/documents/{document}?status=draft")["data"]["markdown"]
        return text

    def update(self, caller: Caller, document: str, markdown: str) -> None:
        caller.send("PUT", f"/api/documents/{document}?status=draft", {"data": {"markdown": markdown}})

    def delivered(self, caller: Caller, name: str) -> list[Any]:
        page = 'status: PUBLISHED, sort: "publishedAt:desc", pagination: {limit: 20}'
        fields = "documentId title slug markdown category {name slug}"
        found: list[Any] = self._query(caller, f"query {name} {{documents({page}) {{{fields}}}}}")["documents"]
        return found


@dataclass
class Directus(System):
    """Directus on PostgreSQL, with its revisions of each change."""

    name = "directus"

    def prepare(self, caller: Caller) -> None:
        key = {"field": "id", "type": "uuid", "schema": {"is_primary_key": True}, "meta": {"special": ["uuid"]}}
        text: list[Any] = [
            {"field": one, "type": "string", "schema": {}} for one in ("title", "slug", "excerpt", "status")
        ]
        written = {"field": "created", "type": "timestamp", "meta": {"special": ["date-created"]}, "schema": {}}
        due = {"field": "dueDate", "type": "timestamp", "schema": {}}
        body = {"field": "markdown", "type": "text", "schema": {}}
        filed = {"field": "category", "type": "uuid", "schema": {"is_indexed": True}}
        names: list[Any] = [{"field": one, "type": "string", "schema": {}} for one in ("name", "slug")]
        of_category = {"collection": "categories", "schema": {}, "meta": {}, "fields": [key, *names]}
        caller.send("POST", "/collections", of_category)
        fields = [key, *text, written, due, body, filed]
        caller.send("POST", "/collections", {"collection": "documents", "schema": {}, "meta": {}, "fields": fields})
        relation = {"collection": "documents", "field": "category", "related_collection": "categories"}
        caller.send("POST", "/relations", relation)
        self.category = caller.send("POST", "/items/categories", {"name": "Bread", "slug": "bread"})["data"]["id"]

    def create(self, caller: Caller, title: str, markdown: str) -> str:
        fields = {"title": title, "slug": title.lower().replace(" ", "-"), "status": "draft", "category": self.category}
        document: str = caller.send("POST", "/items/documents", {**fields, "markdown": markdown})["data"]["id"]
        return document

    def publish(self, caller: Caller, document: str) -> None:
        caller.send("PATCH", f"/items/documents/{document}", {"status": "published"})

    def listed(self, caller: Caller) -> list[Any]:
        fields = "id,title,slug,excerpt,status,dueDate,created,category"
        page = f"filter[category][_eq]={self.category}&sort=-created&limit=50&fields={fields}"
        found: list[Any] = caller.send("GET", f"/items/documents?{page}")["data"]
        return found

    def read(self, caller: Caller, document: str) -> str:
        text: str = caller.send("GET", f"/items/documents/{document}")["data"]["markdown"]
        return text

    def update(self, caller: Caller, document: str, markdown: str) -> None:
        caller.send("PATCH", f"/items/documents/{document}", {"markdown": markdown})

    def delivered(self, caller: Caller, name: str) -> list[Any]:
        page = 'filter: {status: {_eq: "published"}}, sort: ["-created"], limit: 20'
        fields = "id title slug markdown category {name slug}"
        found: list[Any] = self._query(caller, f"query {name} {{documents({page}) {{{fields}}}}}")["documents"]
        return found


@dataclass
class Payload(System):
    """Payload on MongoDB in production mode, with drafts and versions."""

    name = "payload"
    graphql = "/api/graphql"

    def prepare(self, caller: Caller) -> None:
        self.category = caller.send("POST", "/api/categories", {"name": "Bread", "slug": "bread"})["doc"]["id"]

    def create(self, caller: Caller, title: str, markdown: str) -> str:
        fields = {"title": title, "slug": title.lower().replace(" ", "-"), "category": self.category}
        made = caller.send("POST", "/api/documents?draft=true&depth=0", {**fields, "markdown": markdown})
        document: str = made["doc"]["id"]
        return document

    def publish(self, caller: Caller, document: str) -> None:
        caller.send("PATCH", f"/api/documents/{document}?depth=0", {"_status": "published"})

    def listed(self, caller: Caller) -> list[Any]:
        shown = "&".join(f"select[{one}]=true" for one in ("title", "slug", "excerpt", "dueDate", "category"))
        page = f"where[category][equals]={self.category}&sort=-createdAt&limit=50&depth=0&{shown}"
        found: list[Any] = caller.send("GET", f"/api/documents?{page}")["docs"]
        return found

    def read(self, caller: Caller, document: str) -> str:
        text: str = caller.send("GET", f"/api/documents/{document}?depth=0&draft=true")["markdown"]
        return text

    def update(self, caller: Caller, document: str, markdown: str) -> None:
        caller.send("PATCH", f"/api/documents/{document}?draft=true&depth=0", {"markdown": markdown})

    def delivered(self, caller: Caller, name: str) -> list[Any]:
        where = 'where: {_status: {equals: published}}, sort: "-createdAt"'
        fields = "docs {id title slug markdown category {name slug}}"
        query = f"query {name} {{Documents({where}, limit: 20) {{{fields}}}}}"
        found: list[Any] = self._query(caller, query)["Documents"]["docs"]
        return found


@contextmanager
def running_ours(folder: Path) -> Iterator[System]:
    """Serves this service on a mongod of its own."""
    with running_mongod(folder / "mongod") as uri, own_store(uri) as store:
        project = a_project(store)
        category = made(project.context(), "category", name="Bread", slug="bread")["id"]
        database: int = store.database.client.admin.command("serverStatus")["pid"]
        headers = {"Authorization": f"Bearer {project.token().secret}"}
        delivery = project.token("Site", kind=TokenKind.DELIVERY).secret
        with service({"MONGODB_URI": uri, "MONGODB_DATABASE": store.database.name}) as server:
            yield Ours(server.port, (server.process, database), headers, category, delivery)


@contextmanager
def running_strapi(folder: Path) -> Iterator[System]:
    """Serves Strapi."""
    home, log, token = _installed("strapi", folder), folder / "strapi.log", folder / "strapi-token"
    token.unlink(missing_ok=True)
    with _postgresql(folder) as (database, url):
        port = free_port()
        environment = {"PORT": str(port), "DATABASE_URL": url, "TOKEN_FILE": str(token), "NODE_ENV": "production"}
        environment |= {"STRAPI_TELEMETRY_DISABLED": "true"}
        with running(["node", "node_modules/@strapi/strapi/bin/strapi.js", "start"], home, environment, log) as process:
            until_answered(port, "/_health", process, log)
            yield Strapi(port, (process, database), {"Authorization": f"Bearer {token.read_text()}"})


@contextmanager
def running_directus(folder: Path) -> Iterator[System]:
    """Serves Directus."""
    home, log, token = _installed("directus", folder), folder / "directus.log", uuid4().hex
    with _postgresql(folder) as (database, url):
        port = free_port()
        environment = {"HOST": "127.0.0.1", "PORT": str(port), "SECRET": uuid4().hex, "TELEMETRY": "false"}
        environment |= {"DB_CLIENT": "pg", "DB_CONNECTION_STRING": url, "LOG_LEVEL": "warn", "NODE_ENV": "production"}
        environment |= {"ADMIN_EMAIL": "ada@example.com", "ADMIN_PASSWORD": PASSWORD, "ADMIN_TOKEN": token}
        environment |= {"SERVE_APP": "false", "PUBLIC_URL": f"http://127.0.0.1:{port}"}
        command = ["node", "node_modules/directus/cli.js"]
        bootstrap = [*command, "bootstrap"]
        with log.open("ab") as written:
            every = {**os.environ, **environment}
            subprocess.run(bootstrap, cwd=home, env=every, stdout=written, stderr=written, check=True)
        with running([*command, "start"], home, environment, log) as process:
            until_answered(port, "/server/ping", process, log)
            yield Directus(port, (process, database), {"Authorization": f"Bearer {token}"})


@contextmanager
def running_payload(folder: Path) -> Iterator[System]:
    """Serves Payload."""
    home, log = _installed("payload", folder), folder / "payload.log"
    with running_mongod(folder / "mongod") as uri:
        name = f"payload_{uuid4().hex[:8]}"
        with MongoClient[dict[str, Any]](uri) as client:
            database: int = client.admin.command("serverStatus")["pid"]
            port = free_port()
            head, _, options = uri.partition("?")
            url = f"{head.rstrip('/')}/{name}?{options}"
            environment = {"DATABASE_URL": url, "NODE_ENV": "production", "NEXT_TELEMETRY_DISABLED": "1"}
            next_js = ["node", "node_modules/next/dist/bin/next"]
            if not (home / ".next" / "BUILD_ID").exists():
                with log.open("ab") as written:
                    every, build = {**os.environ, **environment}, [*next_js, "build"]
                    subprocess.run(build, cwd=home, env=every, stdout=written, stderr=written, check=True)
            start = [*next_js, "start", "--hostname", "127.0.0.1", "--port", str(port)]
            with running(start, home, environment, log) as process:
                until_answered(port, "/api/access", process, log)
                visitor, key = Caller(port, {}), str(uuid4())
                person = {"email": "ada@example.com", "password": PASSWORD}
                first = visitor.send("POST", "/api/users/first-register", person)
                signed_in = {"Authorization": f"JWT {first['token']}"}
                with_key = {"enableAPIKey": True, "apiKey": key}
                visitor.send("PATCH", f"/api/users/{first['user']['id']}", with_key, **signed_in)
                yield Payload(port, (process, database), {"Authorization": f"users API-Key {key}"})
            client.drop_database(name)


SYSTEMS = {"ours": running_ours, "strapi": running_strapi, "directus": running_directus, "payload": running_payload}


def _installed(name: str, folder: Path) -> Path:
    """Returns the folder of a system with its packages, which npm installs once."""
    home = folder / name
    shutil.copytree(HERE / name, home, dirs_exist_ok=True)
    if not (home / "node_modules").exists():
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"], cwd=home, check=True)
    return home


@contextmanager
def _postgresql(folder: Path) -> Iterator[tuple[int, str]]:
    """Runs an empty PostgreSQL with its default settings; yields its process id and its address."""
    data, log, port = folder / f"postgresql-{uuid4().hex[:8]}", folder / "postgresql.log", free_port()
    data.mkdir(mode=0o700)
    programs = max(Path("/usr/lib/postgresql").glob("*/bin"), default=Path("/usr/local/bin"))
    as_user: list[str] = []
    if os.getuid() == 0:  # as whom PostgreSQL refuses to run
        shutil.chown(data, "postgres", "postgres")
        as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    make = [*as_user, str(programs / "initdb"), "-D", str(data), "--auth=trust", "--username=bench", "--encoding=UTF8"]
    subprocess.run(make, check=True, stdout=subprocess.DEVNULL, cwd="/")
    options = ["-c", f"port={port}", "-c", "unix_socket_directories=", "-c", "listen_addresses=127.0.0.1"]
    try:
        with running([*as_user, str(programs / "postgres"), "-D", str(data), *options], Path("/"), {}, log) as process:
            url = f"postgres://bench@127.0.0.1:{port}/postgres"
            ready = [programs / "pg_isready", "--host=127.0.0.1", f"--port={port}", "--timeout=30"]
            until_listening(ready)
            yield process, url
    finally:
        shutil.rmtree(data, ignore_errors=True)


def until_listening(ready: list[Any]) -> None:
    """Waits until a database says that it is ready; raises `CalledProcessError` after 30 s."""
    for _ in range(150):
        if subprocess.run(ready, stdout=subprocess.DEVNULL).returncode == 0:
            return
        subprocess.run(["sleep", "0.2"], check=True)
    subprocess.run(ready, check=True)

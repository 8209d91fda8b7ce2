"""A soak test: an hour of mixed load at a modest rate, and what memory the service takes meanwhile.

`make soak`, or `python -m bench.soak --minutes 40 --rate 20`. It writes `bench/results/soak-….json`.
"""

import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import click
import httpx
import orjson

from app.cli.mongod import running_mongod
from app.core.vocabulary import TokenKind
from bench import seeds
from bench.mcp import HANDSHAKE
from bench.report import write_results
from bench.servers import Server, own_store, service
from tests.make import OPERATIONS, Project, a_document, a_project, made

DOCUMENTS, PUBLISHED = 5_000, 200
CLIENTS = 4
SIZES = (10_000,) * 60 + (100_000,) * 30 + (500_000,) * 8 + (2_000_000,) * 2
"""The lengths of texts: one in 50 is of 2 MB."""
LIST = "{ documents(limit: 20, offset: %d) { id title slug excerpt html category { name } } }"
ONE = '{ documentBySlug(slug: "site-%d") { title html markdown related { title } } }'
TEXT_SECONDS = 60


class Client:
    """One connection that sends what agents, people and sites send, in a random order."""

    def __init__(self, url: str, project: Project, site: str, documents: Sequence[str], number: int) -> None:
        self._token, self._site, self._documents = project.token(f"Agent {number}").secret, site, documents
        self._http = httpx.Client(base_url=url, timeout=TEXT_SECONDS, trust_env=False)
        self._random, self._numbers, self._number = random.Random(number), count(), number
        self.statuses: Counter[str] = Counter()
        self.works: dict[Callable[[], None], int] = {
            self._briefs: 15,
            self._lists: 10,
            self._read: 10,
            self._search: 3,
            self._events: 5,
            self._claims: 10,
            self._draft: 8,
            self._write: 8,
            self._publish: 2,
            self._graphql: 15,
            self._feed: 4,
            self._mcp: 10,
        }

    def run(self, over: threading.Event, pause: float) -> None:
        """Works until the time is over, with a pause of random length after each piece of work."""
        works, weights = list(self.works), list(self.works.values())
        while not over.wait(self._random.uniform(0, 2 * pause)):
            self._random.choices(works, weights)[0]()
        self._http.close()

    def _send(self, method: str, path: str, body: Any = None, token: str = "", **headers: str) -> Any:
        sent = {"Authorization": f"Bearer {token or self._token}", **headers}
        if body is not None:
            sent["Content-Type"] = "application/json"
        response = self._http.request(method, path, content=None if body is None else orjson.dumps(body), headers=sent)
        self.statuses[f"{method} {re.sub('[0-9a-f]{24}|[?].*', '', path)} {response.status_code}"] += 1
        if response.status_code >= 400 or "json" not in response.headers["Content-Type"]:
            return {}
        return orjson.loads(response.content)

    def _any(self) -> str:
        return self._random.choice(self._documents)

    def _text(self) -> str:
        length = self._random.choice(SIZES)
        return (seeds.text(10_000, self._random.randrange(1_000_000)) * (length // 10_000))[:length]

    def _briefs(self) -> None:
        self._send("GET", f"/briefs?limit=50&offset={self._random.choice((0, 0, 50))}")

    def _lists(self) -> None:
        sort = self._random.choice(("-updatedAt", "title", "dueDate"))
        status = self._random.choice(("", "&status=idea,drafting", "&isPublished=true"))
        self._send("GET", f"/documents?limit=50&sort={sort}{status}")

    def _read(self) -> None:
        self._send("GET", f"/documents/{self._any()}")

    def _search(self) -> None:
        self._send("GET", f"/documents?q=loaf+{self._random.randrange(DOCUMENTS)}")

    def _events(self) -> None:
        self._send("GET", "/events?limit=100")

    def _claims(self) -> None:
        claimed = self._send("POST", "/briefs/claim", {"leaseSeconds": 60})
        if claimed and self._random.random() < 0.9:  # else its lease expires
            self._send("POST", f"/documents/{claimed['id']}/brief/release")

    def _draft(self) -> None:
        title = f"Draft {self._number} {next(self._numbers)}"
        draft = self._send("POST", "/document-intents", {"title": title, "markdown": self._text()})
        if draft and self._random.random() < 0.7:
            self._send("POST", f"/document-intents/{draft['id']}/confirm")
        elif draft:
            self._send("DELETE", f"/document-intents/{draft['id']}")

    def _write(self) -> None:
        document = self._any()
        self._send("PUT", f"/documents/{document}/content", {"markdown": self._text()}, **{"If-Match": "*"})
        self._send("GET", f"/documents/{document}/revisions")

    def _publish(self) -> None:
        document = self._any()
        self._send("POST", f"/documents/{document}/publish")
        self._send("POST", f"/documents/{document}/unpublish")

    def _graphql(self) -> None:
        asked = self._random.choice(
            (LIST % self._random.randrange(0, 100, 20), ONE % self._random.randrange(PUBLISHED))
        )
        self._send("POST", "/graphql", {"query": asked}, self._site)

    def _feed(self) -> None:
        self._send("GET", self._random.choice(("/delivery/feed.xml", "/delivery/sitemap.xml")), None, self._site)

    def _mcp(self) -> None:
        name, arguments = self._random.choice(
            [("list_briefs", {"limit": 50}), ("get_document", {"documentId": self._any()}), ("list_documents", {})]
        )
        params = {"name": name, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        accepted = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": HANDSHAKE}
        self._send("POST", "/mcp", message, **accepted)


def _project(store: Any) -> tuple[Project, list[str]]:
    project = a_project(store, siteUrl="https://crust.example")
    ctx = project.context()
    category = made(ctx, "category", name="Bread", slug="bread")["id"]
    for number in range(PUBLISHED):
        fields = {"title": f"Site {number}", "markdown": seeds.text(4_700, number), "categoryId": category}
        OPERATIONS["publish_document"](ctx, a_document(ctx, **fields)["id"], fields={})
    return project, seeds.fill(project, DOCUMENTS, length=10_000)


def _watch(server: Server, minutes: int, began: float) -> list[dict[str, float]]:
    """Returns the resident megabytes of the server process and of its parent, the worker, at each minute."""
    rows = []
    for minute in range(minutes + 1):
        time.sleep(max(0.0, began + 60 * minute - time.monotonic()))
        status = Path(f"/proc/{server.process}/status").read_text()
        worker = int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024
        rows.append({"minute": minute, "server": max(server.resident_megabytes()), "worker": worker})
        click.echo(f"{minute:4} min  server {rows[-1]['server']:6.1f} MB  worker {rows[-1]['worker']:6.1f} MB")
    return rows


@click.command()
@click.option("--minutes", default=60, show_default=True)
@click.option("--rate", default=20.0, show_default=True, help="About how many pieces of work a second.")
@click.option("--folder", type=Path, default=Path(".mongod") / "soak", help="For the data of a mongod of its own.")
def main(minutes: int, rate: float, folder: Path) -> None:
    """Prints the memory of the service at each minute of a mixed load."""
    over = threading.Event()
    with running_mongod(folder) as uri, own_store(uri) as store:
        project, documents = _project(store)
        site = project.token(kind=TokenKind.DELIVERY).secret
        with service({"MONGODB_URI": uri, "MONGODB_DATABASE": store.database.name}) as server:
            url = f"http://127.0.0.1:{server.port}"
            clients = [Client(url, project, site, documents, number) for number in range(CLIENTS)]
            threads = [threading.Thread(target=one.run, args=(over, CLIENTS / rate)) for one in clients]
            began = time.monotonic()
            for thread in threads:
                thread.start()
            try:
                rows = _watch(server, minutes, began)
            finally:
                over.set()
                for thread in threads:
                    thread.join()
    statuses = sum((one.statuses for one in clients), Counter())
    file = write_results("soak-", {"minutes": minutes, "memory": rows, "requests": dict(statuses)})
    click.echo(f"{sum(statuses.values()):,} requests. Written: {file}")
    click.echo("\n".join(f"{number:7,}  {name}" for name, number in sorted(statuses.items())))


if __name__ == "__main__":
    main()

"""One run: everything is started, fails and recovers while clients work, comes to rest, and is read."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import httpx
import orjson
from bson import ObjectId

from app.cli.db import prepare
from app.core.store.indexes import NOT_DELETED
from app.core.store.store import Store
from app.core.vocabulary import TokenKind
from app.events.store import Events
from app.features import ALL, connect
from app.notices.rules import GATHERS
from chaos.client import Caller, shown
from chaos.cluster import ReplicaSet
from chaos.history import Client, Final, History, Message, Notice
from chaos.nemesis import Nemesis, Targets
from chaos.punctuality import Punctuality, punctual
from chaos.service import CHECKOUT, Server, Worker, router_log
from chaos.writer import Writer
from tests.live import until
from tests.make import Token, a_project, made
from tests.watched import verdict
from tests.webhooks.receiver import Receiver, receiving

CLIENTS = 8
SERVERS = 2
WORKERS = 2
REST_SECONDS = 300
"""How long the service may take to relay and send everything after the last failure."""
HOOKS = ("", "brief.claimed,document.published")
"""The types of events that the webhooks ask for; none for all."""
BUDGET = {"writesPerHour": 1_000_000, "publishesPerDay": 1_000_000}

T = TypeVar("T")


def run(
    seconds: float, seed: int, folder: Path, log: Callable[[str], object] = print, *, pause: float = 0.1
) -> History:
    """Returns the history of a run. The logs of all processes are left in the folder.

    `pause` is the longest time, in seconds, for which a client rests between two tasks.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with running(folder) as (targets, store):
        history = _Run(targets, store, seed, log, pause).history(seconds)
    judged, refused = verdict(router_log(folder))
    return replace(history, judged=tuple(sorted(judged)), refused=tuple(refused))


def read_at_rest(position: Callable[[], int | None], read: Callable[[], T]) -> T:
    """Returns what is read while the feed stays at one position, since the leases of claims run out at any time.

    `position` returns the feed's last sequence number, or None as long as something is under way.
    """
    while True:
        until(lambda: position() is not None, REST_SECONDS, 0.2)
        before, found = position(), read()
        if before is not None and position() == before:
            return found


@contextmanager
def running(folder: Path) -> Iterator[tuple[Targets, Store]]:
    """Yields a replica set with servers and workers that run on it, and a store of its database."""
    replica_set = ReplicaSet(folder)
    shutil.rmtree(router_log(folder), ignore_errors=True)
    router_log(folder).mkdir()
    with ExitStack() as stack:
        stack.callback(replica_set.stop)
        replica_set.start()
        store = connect(replica_set.uri)
        stack.callback(store.database.client.close)
        prepare(store)
        servers = [Server(replica_set.uri, folder / f"server-{number}.log") for number in range(SERVERS)]
        workers = [Worker(replica_set.uri, folder / f"worker-{number}.log") for number in range(WORKERS)]
        for process in (*servers, *workers):
            stack.callback(process.kill)
            process.start()
        until(lambda: all(server.is_ready() for server in servers), 60, 0.1)
        yield Targets(replica_set, servers, workers), store


class _Run:
    """The project, its tokens and clients."""

    def __init__(self, targets: Targets, store: Store, seed: int, log: Callable[[str], object], pause: float) -> None:
        self._targets = targets
        self._store = store
        self._seed = seed
        self._log = log
        self._pause = pause
        self._project = a_project(store)
        self._owner = self._project.token("Owner")
        self._site = self._project.token("Site", kind=TokenKind.DELIVERY)
        self._categories = [
            made(self._project.context(self._owner), "category", name=name, slug=name)["id"]
            for name in ("bread", "rolls")
        ]
        ports = [server.port for server in targets.servers]
        self._callers = [self._caller(number, ports) for number in range(CLIENTS)]
        self._follower = _Follower(ports, self._owner)
        self._waits_for: list[str] = []

    def _caller(self, number: int, ports: Sequence[int]) -> Caller:
        """Returns a client: half of them over MCP, three of four are agents, half have a budget."""
        is_agent, has_budget = number >= CLIENTS // 4, number % 2 == 0
        token = self._project.token(
            f"Client {number}", agent=f"agent-{number}" if is_agent else None, budget=BUDGET if has_budget else None
        )
        client = Client(token.id, "mcp" if number >= CLIENTS // 2 else "rest", is_agent, has_budget)
        return Caller(token, client, ports, random.Random(f"{self._seed} caller {number}"))

    def history(self, seconds: float) -> History:
        """Lets the clients work while failures are injected, and returns what was recorded."""
        nemesis = Nemesis(self._targets, random.Random(f"{self._seed} nemesis"), self._log)
        with ExitStack() as stack:
            hooks = {types: stack.enter_context(self._hook(types)) for types in HOOKS}
            slack = _Slack(stack.enter_context(receiving()))
            self._get("PATCH", "/project", json={"slack": slack.url})
            ports = [server.port for server in self._targets.servers]
            punctuality = Punctuality(self._store, ports, stack.enter_context(receiving()))
            with self._working():
                punctuality.thread.start()
                nemesis.run(seconds)
                punctuality.stop()
            self._log("waiting until everything is relayed and sent")
            final = read_at_rest(self._position_at_rest, partial(self._final, hooks, slack))
            self._follower.stop()
        took, late = punctual(punctuality.submitted, punctuality.told, nemesis.incidents)
        calls = sorted((call for caller in self._callers for call in caller.calls), key=lambda call: call.began)
        clients = tuple(caller.client for caller in self._callers)
        return History(self._seed, clients, tuple(calls), tuple(nemesis.incidents), final, tuple(took), tuple(late))

    @contextmanager
    def _hook(self, types: str) -> Iterator[_Hook]:
        with receiving() as receiver:
            hook = _Hook(receiver)
            fields = {"url": receiver.url, "events": types.split(",") if types else []}
            self._get("POST", "/webhooks", json=fields)
            yield hook

    @contextmanager
    def _working(self) -> Iterator[None]:
        """Has all clients work, each in a thread, until the block ends and they have finished what they are doing."""
        writers = (
            Writer(caller, self._categories, random.Random(f"{self._seed} writer {number}"), self._pause)
            for number, caller in enumerate(self._callers)
        )
        threads = [threading.Thread(target=writer.run, daemon=True) for writer in writers]
        for thread in (*threads, self._follower.thread):
            thread.start()
        try:
            yield
        finally:
            for caller in self._callers:
                caller.over.set()
            for thread in threads:
                thread.join(120)
                assert not thread.is_alive(), "a client did not come to an end"

    def _position_at_rest(self) -> int | None:
        """Returns the last sequence number of the project's feed if everything is relayed and sent; else None."""
        database = self._store.database
        sequence = self._store[Events].last(self._project.id)
        self._end_gathering()
        expired = {"brief.state": "claimed", "brief.claimExpiresAt": {"$lte": datetime.now(UTC)}, **NOT_DELETED}
        left = {
            "events": any(database[name].find_one({"outbox.at": {"$exists": True}}) for name in ALL.outboxes)
            or database.feeds.find_one({"plan": {"$ne": []}}),
            "deliveries": database.deliveries.find_one({"status": "pending"}),
            "notices": database.notices.find_one({"isPending": True}),
            "scheduled documents": database.documents.find_one({"status": "scheduled"}),
            "expired claims": database.documents.find_one(expired),
            "the reader of the feed": len(self._follower.events) != sequence,
        }
        waits_for = [name for name, found in left.items() if found]
        if waits_for != self._waits_for:
            self._log(f"waits for {', '.join(waits_for) or 'nothing more'}")
        self._waits_for = waits_for
        return None if waits_for else sequence

    def _end_gathering(self) -> None:
        """Has notices that wait to be sent together be sent now: otherwise each run would end a minute later."""
        now = datetime.now(UTC)
        gathers = {"dueAt": {"$gt": now, "$lte": now + GATHERS}}
        self._store.database.noticeLeases.update_many(gathers, {"$set": {"dueAt": now, "gathersUntil": now}})

    def _final(self, hooks: Mapping[str, _Hook], slack: _Slack) -> Final:
        query = {"query": "{ categories { id documentCount } }"}
        counts = self._get("POST", "/graphql", self._site, json=query)["data"]["categories"]
        database = self._store.database
        outboxes = [row for name in ALL.outboxes for row in database[name].find({"outbox.at": {"$exists": True}})]
        budgets: dict[str, dict[str, int]] = {caller.token.id: {} for caller in self._callers}
        for row in database.budgets.find():
            used = budgets[str(row["tokenId"])]
            used[row["limit"]] = used.get(row["limit"], 0) + row["used"]
        return Final(
            documents={
                document["id"]: shown(document) for document in self._pages("/documents?sort=createdAt&limit=100")
            },
            revisions=self._revisions(),
            comments=self._comments(),
            events=tuple(self._events()),
            followed=tuple(event["id"] for event in self._follower.events),
            messages={types: tuple(hook.messages) for types, hook in hooks.items()},
            notices=tuple(slack.notices),
            unnamed_notices=slack.unnamed,
            insights=self._get("GET", "/insights?days=2"),
            document_counts={one["id"]: one["documentCount"] for one in counts},
            budgets=budgets,
            waiting_events=sum(len(row["outbox"]) for row in outboxes),
            problems=_problems(self._targets.replica_set.uri),
            at=time.monotonic(),
        )

    def _get(self, method: str, path: str, token: Token | None = None, **options: Any) -> Any:
        """Returns what the first server answers."""
        headers = {"Authorization": f"Bearer {(token or self._owner).secret}"}
        url = f"http://127.0.0.1:{self._targets.servers[0].port}{path}"
        response = httpx.request(method, url, headers=headers, timeout=30, trust_env=False, **options)
        return response.raise_for_status().json()

    def _pages(self, path: str) -> Iterator[dict[str, Any]]:
        offset = 0
        while page := self._get("GET", f"{path}&offset={offset}"):
            yield from page
            offset += len(page)

    def _events(self) -> Iterator[dict[str, Any]]:
        after = ""
        while (page := self._get("GET", f"/events?limit=1000{after}"))["events"]:
            yield from page["events"]
            after = f"&after={page['cursor']}"

    def _revisions(self) -> dict[str, dict[str, str]]:
        """Returns the text of every version, read from the database: over HTTP each would be a request."""
        texts = {row["_id"]: row.get("text") for row in self._store.database.bodies.find()}
        found: dict[str, dict[str, str]] = {}
        for row in self._store.database.revisions.find({"projectId": ObjectId(self._project.id)}):
            found.setdefault(str(row["documentId"]), {})[str(row["version"])] = texts.get(row.get("bodyId")) or ""
        return found

    def _comments(self) -> dict[str, tuple[str, ...]]:
        """Returns the texts of all remarks and answers, read from the database."""
        found: dict[str, tuple[str, ...]] = {}
        for thread in self._store.database.threads.find({"projectId": ObjectId(self._project.id)}):
            texts = tuple(comment["text"] for comment in thread["comments"])
            found[str(thread["documentId"])] = found.get(str(thread["documentId"]), ()) + texts
        return found


class _Hook:
    """A webhook of the run: what arrived, and when."""

    def __init__(self, receiver: Receiver) -> None:
        self.messages: list[Message] = []
        self._receiver = receiver
        receiver.on_request = self._note

    def _note(self) -> None:
        headers, body = self._receiver.requests[-1]
        sent = orjson.loads(body)
        data = sent["data"]
        arrived = Message(
            headers["webhook-id"], time.monotonic(), sent["type"], data["sequence"], data.get("documentId")
        )
        self.messages.append(arrived)


class _Slack:
    """The project's Slack: what arrived, and when."""

    def __init__(self, receiver: Receiver) -> None:
        self.url = receiver.url
        self.notices: list[Notice] = []
        self.unnamed = 0
        self._receiver = receiver
        receiver.on_request = self._note

    def _note(self) -> None:
        text = orjson.loads(self._receiver.requests[-1][1])["text"]
        lines = re.findall(r"^([^:\n]+): <[^|>]*/documents/([0-9a-f]{24})", text, re.MULTILINE)
        self.notices += [Notice(time.monotonic(), why, document_id) for why, document_id in lines]
        if cut := re.search(r"^and (\d+) more$", text, re.MULTILINE):
            self.unnamed += int(cut[1])


class _Follower:
    """A reader of the feed that follows the cursor, from one server to the next."""

    def __init__(self, ports: Sequence[int], token: Token) -> None:
        self.events: list[dict[str, Any]] = []
        self.thread = threading.Thread(target=self._run, daemon=True)
        self._ports = ports
        self._headers = {"Authorization": f"Bearer {token.secret}"}
        self._over = threading.Event()

    def stop(self) -> None:
        """Returns when it has stopped."""
        self._over.set()
        self.thread.join(60)

    def _run(self) -> None:
        after, server = "", 0
        while not self._over.is_set():
            try:
                url = f"http://127.0.0.1:{self._ports[server]}/events?wait=2{after}"
                page = httpx.get(url, headers=self._headers, timeout=30, trust_env=False).raise_for_status().json()
            except httpx.HTTPError:
                server = (server + 1) % len(self._ports)
                self._over.wait(0.2)
                continue
            self.events += page["events"]
            after = f"&after={page['cursor']}"


def _problems(uri: str) -> tuple[str, ...]:
    command = [str(Path(sys.executable).with_name("content-workflow")), "db", "check"]
    checked = subprocess.run(command, cwd=CHECKOUT, env={"MONGODB_URI": uri}, capture_output=True, text=True)
    return () if checked.returncode == 0 else tuple((checked.stdout + checked.stderr).splitlines())

"""Reads after writes: `python -m chaos.reads` has one client write and three read without a pause, through failovers.

It prints how many reads showed less than was acknowledged before they began, which MongoDB allows in the moments of a
failover alone (docs/reliability.md), and exits with 1 where there are any.
"""

import random
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, takewhile
from pathlib import Path
from typing import Any

import click
import httpx

from chaos.nemesis import Nemesis, freeze_primary, kill_primary, step_down_primary
from chaos.run import running
from tests.make import a_document, a_project

READERS = 3
FAILOVERS = (kill_primary, freeze_primary, step_down_primary)


class Trial:
    """One document on two servers: what was acknowledged, and what was read."""

    def __init__(self, ports: list[int], path: str, version: int) -> None:
        self._ports, self._path = ports, path
        self.acknowledged = version
        """The version of the last write that was answered."""
        self.reads = 0
        self.stale: list[str] = []
        self.over = threading.Event()

    def write(self, secret: str) -> None:
        """Writes the content again and again, each time based on what was read before."""
        with _client(secret) as client:
            for number, port in enumerate(self._turns()):
                document = _answer(client, "GET", port, self._path)
                body = {"markdown": f"Text {number}.", "baseVersion": document.get("version")}
                written = _answer(client, "PUT", port, f"{self._path}/content", json=body) if document else {}
                self.acknowledged = written.get("version", self.acknowledged)

    def read(self, secret: str) -> None:
        """Reads the outline again and again, from one server and then from the other."""
        with _client(secret) as client:
            for port in self._turns():
                before = self.acknowledged
                if outline := _answer(client, "GET", port, f"{self._path}/outline"):
                    self.reads += 1
                    if outline["version"] < before:
                        self.stale.append(f"version {outline['version']} after {before} was acknowledged")

    def _turns(self) -> Iterator[int]:
        return takewhile(lambda _: not self.over.is_set(), cycle(self._ports))


def _client(secret: str) -> httpx.Client:
    return httpx.Client(headers={"Authorization": f"Bearer {secret}"}, timeout=30, verify=False, trust_env=False)


def _answer(client: httpx.Client, method: str, port: int, path: str, **options: Any) -> dict[str, Any]:
    """Returns what a server answers; nothing where it could not, or another write came first."""
    try:
        response = client.request(method, f"http://127.0.0.1:{port}{path}", **options)
    except httpx.HTTPError:
        return {}
    return dict(response.json()) if response.status_code == 200 else {}


@click.command()
@click.option("--seconds", default=75.0, show_default=True, help="How long failovers are caused.")
@click.option("--seed", default=1, show_default=True, help="Decides their order.")
def main(seconds: float, seed: int) -> None:
    """Reads while another client writes, through failovers."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as (targets, store):
        project, rng = a_project(store), random.Random(seed)
        document = a_document(project.context(), markdown="Text.")
        trial = Trial([one.port for one in targets.servers], f"/documents/{document['id']}", document["version"])
        nemesis = Nemesis(targets, rng, click.echo)
        ends = time.monotonic() + seconds
        with ThreadPoolExecutor(READERS + 1) as threads:
            clients = [threads.submit(run, project.token().secret) for run in (trial.write, *[trial.read] * READERS)]
            try:
                while time.monotonic() < ends:
                    nemesis.inject(rng.choice(FAILOVERS))
            finally:
                trial.over.set()
        assert [client.result() for client in clients] == [None] * len(clients)
    counts = f"{len(nemesis.incidents)} failovers, {trial.acknowledged:,} versions, {trial.reads:,} reads"
    click.echo(f"{counts}, of which {len(trial.stale)} showed less than was acknowledged before")
    for line in trial.stale:
        click.echo(line)
    sys.exit(bool(trial.stale))


if __name__ == "__main__":
    main()

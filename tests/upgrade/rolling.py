"""A rolling upgrade: `python -m tests.upgrade.rolling COMMIT` serves a database by an earlier version and by this one.

Each step of the workflow, from a draft to the site, goes to the other server than the step before: before, while and
after `db init` of this version, and after `db init` of the earlier one. The first answer that is no success ends it.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

from app.cli.mongod import running_mongod
from tests.live import free_port
from tests.upgrade.make_fixture import CHECKOUT, Version
from tests.upgrade.story import Caller

ROUNDS = 10
"""How often a piece goes from a draft to the site in each phase."""


class ThisVersion(Version):
    """What is checked out, with the environment that runs this."""

    def __init__(self) -> None:
        self._folder, self._python = CHECKOUT, Path(sys.executable)


class Alternately:
    """The two servers, asked in turns with the same tokens."""

    def __init__(self, ports: tuple[int, int], secret: str, site: str) -> None:
        self._callers = cycle([(Caller(port, secret), Caller(port, site)) for port in ports])

    def work(self, title: str) -> None:
        """Takes a piece from a draft to the site, each step on the other server than the one before."""
        turns: Iterator[Caller] = (own for own, _ in self._callers)
        draft = next(turns).post("/document-intents", {"title": title, "brief": {"keyword": "rolls"}})["id"]
        one = "/documents/" + next(turns).post(f"/document-intents/{draft}/confirm")["document"]["id"]
        next(turns).post(f"{one}/brief/ready", Idempotency_Key=title)
        next(turns).post(f"{one}/brief/ready", Idempotency_Key=title)
        assert one.rpartition("/")[2] in [brief["id"] for brief in next(turns).get("/briefs?limit=100")]
        version = next(turns).tool("claim_brief", documentId=one.rpartition("/")[2], leaseSeconds=60)["version"]
        next(turns).post(f"{one}/brief/renew", {"leaseSeconds": 60})
        version = next(turns).call("PUT", f"{one}/content", {"markdown": "Rolls.", "baseVersion": version})["version"]
        next(turns).call("PUT", f"{one}/content", {"markdown": "# Rolls\n\nSoft.", "baseVersion": version})
        for move in ("submit", "approve", "publish", "unpublish", "publish"):
            next(turns).post(f"{one}/{move}")
        slug = next(turns).get(one)["slug"]
        _, site = next(self._callers)
        found = site.post("/graphql", {"query": f'{{ documentBySlug(slug: "{slug}") {{ html }} }}'})
        assert "Soft" in found["data"]["documentBySlug"]["html"], found
        next(turns).get(f"{one}/activity")
        next(turns).get("/events?limit=1000")
        next(turns)  # so that the next piece begins on the other server


def main(commit: str) -> None:
    """Serves a database by both versions, and prints how many pieces came through."""
    with tempfile.TemporaryDirectory() as folder, running_mongod(Path(folder) / "mongod") as uri:
        earlier, this = Version(commit, Path(folder) / "version"), ThisVersion()
        earlier.command(uri, "db", "init").wait(60)
        project = earlier.run(uri, "project", "create", "--name", "The Crust")["id"]
        of = ("--project", project, "--name", "x")
        secret = earlier.run(uri, "token", "create", *of)["token"]
        site = earlier.run(uri, "token", "create", *of, "--delivery")["token"]
        ports = free_port(), free_port()
        with earlier.serving(uri, ports[0]), this.serving(uri, ports[1]):
            work = Alternately(ports, secret, site).work
            done = _phases(work, lambda version: version.command(uri, "db", "init"), this, earlier)
        print(f"{done} pieces went from a draft to the site, each step on the other version than the one before.")
        assert this.command(uri, "db", "init").wait(60) == 0


def _phases(
    work: Callable[[str], None],
    db_init: Callable[[Version], subprocess.Popen[bytes]],
    this: Version,
    earlier: Version,
) -> int:
    """Works before, while and after `db init` of each version; returns how many pieces were made."""
    titles = [f"rolls-{number}" for number in range(5 * ROUNDS)]
    phases = [titles[first : first + ROUNDS] for first in range(0, len(titles), ROUNDS)]
    _each(work, phases.pop())
    for version in (this, earlier):
        running = db_init(version)
        _each(work, phases.pop())
        assert running.wait(60) == 0 or version is earlier, "an earlier one reports the indexes that it does not know"
        _each(work, phases.pop())
    return len(titles)


def _each(work: Callable[[str], None], titles: list[str]) -> None:
    for title in titles:
        work(title)


if __name__ == "__main__":
    main(sys.argv[1])

"""`content-workflow` and its application in processes of their own, with a router that judges their commands.

`python -m tests.watched serve` is `content-workflow serve`, `tests.watched:app` is `wsgi:app`. Each process writes what
the router finds into the folder `ROUTER_LOG`; `verdict` reads that.
"""

import os
from pathlib import Path

from pymongo import monitoring

from tests.router import Router

FOLDER = "ROUTER_LOG"
TAKEN, REFUSED = "taken ", "refused "


class RouterLog(Router):
    """A router that writes each kind of command and each finding once, so that a process can be killed at any time."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._log = folder / f"{os.getpid()}.log"
        self._written: set[str] = set()

    def started(self, event: monitoring.CommandStartedEvent) -> None:
        """Judges a command."""
        seen = self.seen
        super().started(event)
        if self.seen > seen:
            name = event.command_name
            self._write(f"{TAKEN}{name} on {event.command[name]}")
        for line in self.take():
            self._write(f"{REFUSED}{line}")

    def _write(self, line: str) -> None:
        if line not in self._written:
            self._written.add(line)
            with self._log.open("a", encoding="utf-8") as log:
                log.write(f"{line}\n")


def verdict(folder: Path) -> tuple[set[str], list[str]]:
    """Returns the kinds of commands that processes sent, and what a router would refuse or scatter of them."""
    lines = {line for log in folder.glob("*.log") for line in log.read_text("utf-8").splitlines()}
    taken = {line.removeprefix(TAKEN) for line in lines if line.startswith(TAKEN)}
    return taken, sorted(line.removeprefix(REFUSED) for line in lines if line.startswith(REFUSED))


if FOLDER in os.environ:
    monitoring.register(RouterLog(Path(os.environ[FOLDER])))  # before any client is made

if __name__ == "__main__":
    from app.cli import main

    main()
elif FOLDER in os.environ and __name__ == __spec__.name:
    from wsgi import app as app

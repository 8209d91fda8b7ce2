"""Has a version of the service write a small database, and dumps it: `python -m tests.upgrade.make_fixture COMMIT`.

The version is taken from git into a temporary folder, with its own dependencies in an environment of its own.
`tests/upgrade/fixtures` has one dump for each earlier version that is tried, named by its day and commit; add one with
each release.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from pymongo import MongoClient

from app.cli.mongod import running_mongod
from tests.live import free_port, until
from tests.upgrade import dumps
from tests.upgrade.story import SITE, Caller, Story, begin, finish, reads
from tests.webhooks.receiver import receiving

CHECKOUT = Path(__file__).parents[2]
DATABASE = "upgraded"


class Version:
    """A version of the service in a folder, with what it needs to run."""

    def __init__(self, commit: str, folder: Path) -> None:
        archive = subprocess.run(["git", "archive", commit], cwd=CHECKOUT, capture_output=True, check=True)
        with tarfile.open(fileobj=BytesIO(archive.stdout)) as files:
            files.extractall(folder, filter="data")
        self._folder = folder
        self._python = folder / ".venv" / "bin" / "python"
        uv = Path(sys.executable).with_name("uv")
        subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, folder / ".venv"], check=True)
        install = [uv, "pip", "install", "--quiet", "--python", self._python]
        subprocess.run([*install, "-r", folder / "requirements.lock"], check=True)
        subprocess.run([*install, "--no-deps", "--no-build-isolation", "--editable", folder], check=True)

    def command(self, uri: str, *arguments: str) -> subprocess.Popen[bytes]:
        """Starts a command of the version."""
        given = {"MONGODB_URI": uri, "MONGODB_DATABASE": DATABASE, "WEBHOOKS_ALLOW_LOCAL": "1", "LOG_LEVEL": "ERROR"}
        return subprocess.Popen(
            [self._python, "-c", "from app.cli import main; main()", *arguments],
            cwd=self._folder,
            env={**os.environ, **given},
            stdout=subprocess.PIPE,
        )

    def run(self, uri: str, *arguments: str) -> Any:
        """Runs a command with `--json` and returns what it prints."""
        process = self.command(uri, *arguments, "--json")
        printed, _ = process.communicate(timeout=60)
        assert process.returncode == 0, arguments
        return json.loads(printed)

    @contextmanager
    def serving(self, uri: str, port: int, *options: str) -> Iterator[None]:
        """Serves at a port until the block ends."""
        process = self.command(uri, "serve", "--port", str(port), *options)
        try:
            until(lambda: _is_ready(port), 60)
            yield
        finally:
            process.terminate()
            process.wait(60)


def _is_ready(port: int) -> bool:
    try:
        return bool(urlopen(f"http://127.0.0.1:{port}/ready", timeout=5).status == 200)
    except (URLError, ConnectionError):
        time.sleep(0.1)
        return False


def make(commit: str, path: Path) -> None:
    """Writes the dump of a version."""
    with tempfile.TemporaryDirectory() as folder, running_mongod(Path(folder) / "mongod") as uri:
        version = Version(commit, Path(folder) / "version")
        version.command(uri, "db", "init").wait(60)
        project = version.run(uri, "project", "create", "--name", "The Crust")["id"]
        of = ("--project", project)
        scopes = [part for scope in ("read", "write", "publish", "admin") for part in ("--scope", scope)]
        options = {
            "editor": (*scopes, "--expires-in", "90d"),
            "agent": ("--agent", "writer-1"),
            "site": ("--delivery",),
            "previews": ("--delivery", "--drafts"),
            "revoked": (),
        }
        tokens = {
            name: version.run(uri, "token", "create", *of, "--name", name, *more) for name, more in options.items()
        }
        version.run(uri, "token", "revoke", tokens["revoked"]["id"])
        port = free_port()
        callers = {name: Caller(port, token["token"]) for name, token in tokens.items() if name != "revoked"}
        story = Story(**callers)
        with receiving() as receiver, version.serving(uri, port):
            begin(story, receiver.url)
            time.sleep(3)  # the worker relays events and attempts webhooks
        with version.serving(uri, port, "--no-worker"):
            finish(story)
            about = {
                "commit": commit,
                "tokens": {name: token["token"] for name, token in tokens.items()},
                "ids": story.ids,
                "replays": story.replays,
                "answers": {path: story.editor.get(path) for path in reads(story)},
                "drafts": story.agent.get("/document-intents"),
                "site": story.site.post("/graphql", {"query": SITE})["data"],
            }
        with MongoClient[dict[str, Any]](uri, tz_aware=True) as client:
            dumps.write(client[DATABASE], path, about)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        said = ["git", "show", "-s", "--format=%cd-%h", "--date=format-local:%Y-%m-%dT%H%M", name]
        shown = subprocess.run(said, cwd=CHECKOUT, env=os.environ | {"TZ": "UTC"}, capture_output=True, text=True)
        file = dumps.FOLDER / f"{shown.stdout.strip()}.jsonl.gz"
        make(name, file)
        print(file, f"{file.stat().st_size:,} bytes")

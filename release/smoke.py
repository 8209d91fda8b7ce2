"""Installs a wheel into a bare environment outside of the checkout, and tries it: `python -m release.smoke dist/*.whl`.

The environment has what the lock of the container names. The package serves a project on a mongod of its own.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

from app.cli.mongod import running_mongod

CHECKOUT = Path(__file__).parents[1]
UV = Path(sys.executable).parent / "uv"
LOCK = CHECKOUT / "requirements-run.lock"
START_SECONDS = 60
PAGES = ("/ready", "/docs", "/openapi.json", "/llms.txt", "/console/sign-in", "/console/assets/console.css")


class Failed(Exception):
    """The package does not do what a release has to."""


def install(wheel: Path, folder: Path) -> Path:
    """Installs a wheel and what the lock names into a new environment, and returns the folder of its commands."""
    install: list[str | Path] = [UV, "pip", "install", "--quiet", "--python", folder / "bin" / "python"]
    commands: list[list[str | Path]] = [
        [UV, "venv", "--quiet", "--python", sys.executable, folder],
        [*install, "--require-hashes", "--requirement", LOCK],
        [*install, "--no-deps", wheel.resolve()],
    ]
    for command in commands:
        subprocess.run(command, check=True, cwd=folder.parent)
    return folder / "bin"


def version_of(commands: Path) -> str:
    """Returns the version that an installed package says it has."""
    said = subprocess.run([commands / "content-workflow", "--version"], check=True, capture_output=True, text=True)
    return said.stdout.split()[-1]


def try_out(commands: Path, folder: Path, uri: str) -> None:
    """Makes a project on the command line, and takes a document through REST, delivery and MCP. Raises `Failed`."""
    environment = {"PATH": str(commands), "MONGODB_URI": uri, "HOME": str(folder)}

    def run(*arguments: str) -> Any:
        command: list[str | Path] = [commands / "content-workflow", *arguments, "--json"]
        done = subprocess.run(command, check=True, capture_output=True, cwd=folder, env=environment)
        return json.loads(done.stdout)

    project = run("project", "create", "--name", "Loaf")["id"]
    token = run("token", "create", "--project", project, "--name", "Smoke")["token"]
    site = run("token", "create", "--project", project, "--name", "Site", "--delivery")["token"]
    form = run("db", "check")
    if form["version"] != form["needs"] or form["differences"]:
        raise Failed(f"db check: {form}")
    with _serving(commands, folder, environment) as address:
        for page in PAGES:
            _ask(address + page)
        draft = _ask(f"{address}/document-intents", token, {"title": "Rye", "markdown": "Rye is dark."})
        confirmed = _ask(f"{address}/document-intents/{draft['id']}/confirm", token, {})
        _ask(f"{address}/documents/{confirmed['document']['id']}/publish", token, {})
        shown = _ask(f"{address}/graphql", site, {"query": "{ documents { title html } }"})
        if shown != {"data": {"documents": [{"title": "Rye", "html": "<p>Rye is dark.</p>\n"}]}}:
            raise Failed(f"delivery: {shown}")
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        if not _ask(f"{address}/mcp", token, asked)["result"]["tools"]:
            raise Failed("MCP lists no tools")


@contextmanager
def _serving(commands: Path, folder: Path, environment: Mapping[str, str]) -> Iterator[str]:
    port = 18_000 + os.getpid() % 10_000
    with (folder / "serve.log").open("wb") as log:
        command: list[str | Path] = [commands / "content-workflow", "serve", "--port", str(port)]
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
    try:
        _wait(f"http://127.0.0.1:{port}", process)
        yield f"http://127.0.0.1:{port}"
    except Exception:
        sys.stderr.write((folder / "serve.log").read_text("utf-8"))
        raise
    finally:
        process.terminate()
        process.wait(30)


def _wait(address: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urlopen(f"{address}/ready", timeout=10):
                return
        except URLError:
            time.sleep(0.1)
    raise Failed("the server did not become ready")


def _ask(url: str, token: str = "", body: Mapping[str, Any] | None = None) -> Any:
    headers = {"Accept": "application/json, text/event-stream, */*", "Content-Type": "application/json"}
    headers |= {"Authorization": f"Bearer {token}"} if token else {}
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, data, headers), timeout=30) as answer:
        text = answer.read().decode()
        return json.loads(text) if "json" in answer.headers["Content-Type"] else text


def main(wheel: Path) -> None:
    """Installs and tries a wheel; its version is the one in its name."""
    with TemporaryDirectory() as folder:
        commands = install(wheel, Path(folder) / "environment")
        if (version := version_of(commands)) != wheel.name.split("-")[1]:
            raise Failed(f"{wheel.name} says that it is {version}")
        with running_mongod(Path(folder) / "mongod") as uri:
            try_out(commands, Path(folder), uri)
        shutil.rmtree(Path(folder) / "environment")
    sys.stdout.write(f"{wheel.name} serves.\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""The package for JavaScript, built and packed as it would be published."""

import fcntl
import json
import subprocess
from pathlib import Path
from typing import Any

from tests.clients.npm import installed
from tests.clients.test_clients import WITHOUT_PROXIES

CHECKOUT = Path(__file__).parents[3]
PACKAGE = CHECKOUT / "clients" / "js"
SOURCES = ("src/**/*", "package.json", "tsconfig.json")
PATIENCE = 280


def built() -> Path:
    """Returns the folder of the package, installed and built where that is not done yet."""
    installed(PACKAGE, "the client for JavaScript is not tried")
    done = PACKAGE / "dist" / "schema.graphql"  # written last
    with (PACKAGE / ".installing").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the test processes share the folder
        newest = max(file.stat().st_mtime for pattern in SOURCES for file in PACKAGE.glob(pattern))
        if not done.exists() or done.stat().st_mtime < newest:
            run(["npm", "run", "build"], PACKAGE)
    return PACKAGE


def packed(folder: Path) -> Path:
    """Packs the package into a folder, and returns the file."""
    command = ["npm", "pack", "--json", "--ignore-scripts", "--pack-destination", str(folder)]
    told: Any = json.loads(run(command, built()))
    [one] = told.values() if isinstance(told, dict) else told
    return folder / str(one["filename"])


def run(command: list[Any], folder: Path, **environment: str) -> str:
    """Runs a program and returns what it printed; it has to succeed."""
    given = WITHOUT_PROXIES | environment
    ended = subprocess.run(command, cwd=folder, env=given, capture_output=True, text=True, timeout=PATIENCE)
    assert ended.returncode == 0, f"{command}: {ended.stdout}{ended.stderr}"
    return ended.stdout

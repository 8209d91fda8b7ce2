"""Other people's software from npm, for tests that put it before the service."""

import fcntl
import subprocess
from pathlib import Path

from tests.live import program

PATIENCE = 280


def installed(folder: Path, untried: str, *options: str) -> Path:
    """Returns the folder of the packages that a folder's package-lock.json names, installed where they are not yet.

    Without npm the test is skipped, saying what is `untried`; CI has to have it.
    """
    npm = program("npm", missing=f"npm was not found: {untried}. Install Node.js 20.")
    packages, lock_file = folder / "node_modules", folder / "package-lock.json"
    with (folder / ".installing").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the test processes share the folder
        there = packages / ".package-lock.json"
        if not there.exists() or there.stat().st_mtime < lock_file.stat().st_mtime:
            command = [npm, "ci", "--no-audit", "--no-fund", *options]
            subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=PATIENCE)
    return packages

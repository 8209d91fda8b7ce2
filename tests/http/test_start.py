"""What a server process imports before its first request: the rest takes memory and time of processes without use."""

import os
import subprocess
import sys


def test_a_process_starts_without_what_only_some_requests_need() -> None:
    environment = {**os.environ, "MONGODB_URI": "mongodb://localhost:1/?replicaSet=rs0"}
    command = [sys.executable, "-c", "import sys, wsgi; print(*sys.modules)"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)

    assert {"graphql", "strawberry", "mcp", "rapidfuzz", "icu4py"} & set(done.stdout.split()) == set()

"""The worker goes by MongoDB's clock, and a server whose own is wrong says so."""

import json
import signal
import urllib.request
from datetime import timedelta
from pathlib import Path

import pytest
from bson import ObjectId

from app.core.context import this_instant
from app.core.store.store import Store
from tests.cli.running import CHECKOUT, answers, running, until
from tests.live import free_port
from tests.make import Project, a_ready_brief
from tests.rest.client import Rest
from tests.worker.test_worker import scheduled, status_of

pytestmark = [pytest.mark.needs_mongod, pytest.mark.slow]

AHEAD = "import time; true = time.time; time.time = lambda: true() + 600"


@pytest.mark.contract("decided-running.clock")
def test_a_server_ten_minutes_ahead_publishes_and_ends_claims_in_time_and_says_that_its_clock_is_wrong(
    tmp_path: Path, mongodb_uri: str, store: Store, rest: Rest, project: Project
) -> None:
    now = this_instant()
    embargoed = scheduled(project, rest, now + timedelta(minutes=5), title="Embargoed")
    claimed = a_ready_brief(project.context(rest.token), title="Claimed")
    rest.post(f"/documents/{claimed['id']}/brief/claim", {"leaseSeconds": 300})
    due = scheduled(project, rest, now, title="Due")
    expired = a_ready_brief(project.context(rest.token), title="Expired")
    rest.post(f"/documents/{expired['id']}/brief/claim", {"leaseSeconds": 300})
    store.database.documents.update_one({"_id": ObjectId(expired["id"])}, {"$set": {"brief.claimExpiresAt": now}})

    (tmp_path / "sitecustomize.py").write_text(AHEAD)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    options = {"MONGODB_URI": mongodb_uri, "MONGODB_DATABASE": store.database.name, "SERVE_METRICS": "1"}
    with running(tmp_path, "serve", "--port", str(port), PYTHONPATH=f"{tmp_path}:{CHECKOUT}", **options) as server:
        until(lambda: answers(url), server)
        until(lambda: status_of(rest, due) == "published", server)
        until(lambda: rest.get(f"/documents/{expired['id']}").json["brief"]["state"] == "ready", server)
        ready = json.load(urllib.request.urlopen(f"{url}/ready"))
        metrics = urllib.request.urlopen(f"{url}/metrics").read().decode()
        assert server.end(signal.SIGTERM) == 0

    assert status_of(rest, embargoed) == "scheduled"
    assert rest.get(f"/documents/{claimed['id']}").json["brief"]["state"] == "claimed"
    wrong = r"The clock of this server is 600.0 s ahead of MongoDB's: synchronize both by NTP."
    assert ready == {"status": "ready", "warning": wrong}
    drift = next(line for line in metrics.splitlines() if line.startswith("content_workflow_clock_drift_seconds"))
    assert round(float(drift.split()[-1])) == 600
    warnings = [line for line in map(json.loads, server.said.splitlines()) if line["message"] == wrong]
    assert {line["level"] for line in warnings} == {"WARNING"}

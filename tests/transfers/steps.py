"""Steps about projects that were imported."""

from tests.documents.steps import incomplete
from tests.rest.client import Rest

MOVES = [
    *(
        ("GET", part)
        for part in ("", "/brief", "/packet", "/actions", "/activity", "/revisions", "/revisions/1", "/outline")
    ),
    *(("POST", f"/brief/{move}") for move in ("claim", "renew", "release", "withdraw", "ready", "claim")),
    *(("POST", f"/{move}") for move in ("unschedule", "submit", "request-changes", "approve", "publish", "unpublish")),
    *(("GET", part) for part in ("", "/brief", "/packet", "/actions", "/activity")),
]


def read_and_move(rest: Rest) -> int:
    """Reads and moves each document of a project in every way: all are complete, nothing is a bug. Returns how many."""
    rows = rest.get("/documents").json
    for row in rows:
        assert incomplete(row) == []
        for method, path in MOVES:
            answer = rest.call(method, f"/documents/{row['id']}{path}", {} if method != "GET" else None)
            assert answer.status_code < 500, (path, answer.text)
    return len(rows)

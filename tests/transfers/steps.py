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


def read_and_move(rest: Rest, most: int = 100) -> int:
    """Reads the documents of a project, moves some in every way, and returns how many there are.

    All are complete, and nothing is a bug.
    """
    rows = rest.get("/documents?limit=100").json
    assert {row["id"]: wrong for row in rows if (wrong := incomplete(row))} == {}
    for row in rows[:most]:
        for method, path in MOVES:
            answer = rest.call(method, f"/documents/{row['id']}{path}", {} if method != "GET" else None)
            assert answer.status_code < 500, (path, answer.text)
    return len(rows)

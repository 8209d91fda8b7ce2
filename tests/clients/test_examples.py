"""The programs of `examples/plan` send a request again where that is right, and say what was refused."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests import live

PROGRAMS = Path(__file__).parents[2] / "examples" / "plan"
PAGE = b"<html>502 Bad Gateway</html>"
PLANNED = {"pieces": [{"key": "rye", "id": "6650f0a1b2c3d4e5f6a7b8c9", "outcome": "created", "errors": []}]}


def error(tag: str, **extra: Any) -> bytes:
    """Returns an error as the service answers with it."""
    return json.dumps({"_tag": tag, "message": "Why.", **extra}).encode()


@contextmanager
def answering(
    *answers: tuple[int, bytes], retry_after: str = "0", cut: int = 0
) -> Iterator[tuple[str, list[str | None]]]:
    """Serves answers, one for each request, the first `cut` of them without their end; yields the address, and the
    idempotency keys of the writes."""
    left, keys = list(answers), list[str | None]()

    class Service(live.Handler):
        def do_POST(self) -> None:
            keys.append(self.headers["Idempotency-Key"])
            self.do_GET()

        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, body = left.pop(0)
            length = len(body) + (len(answers) - len(left) <= cut)
            self.answer(body, status, {"Retry-After": retry_after, "Content-Length": str(length)})

    with live.answering(Service) as address:
        yield address, keys


def plan(
    address: str,
    folder: Path,
    *options: str,
    file: bytes = b"key,title,ready\nrye,Rye bread,TRUE\n",
    program: str = "plan.py",
) -> subprocess.CompletedProcess[str]:
    (folder / "plan.csv").write_bytes(file)
    environment = {**os.environ, "BASE": address, "TOKEN": "cwm_x", "no_proxy": "*"}
    command = [sys.executable, PROGRAMS / program, "plan.csv", *options]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)


def test_a_plan_is_sent_again_with_its_key_while_the_service_is_busy(tmp_path: Path) -> None:
    busy = [
        (503, error("ServiceUnavailable")),
        (502, PAGE),
        (429, error("RateLimited")),
        (409, error("IdempotencyConflict")),
    ]
    with answering(*busy, (200, json.dumps(PLANNED).encode())) as (address, keys):
        ended = plan(address, tmp_path)

    assert ended.stdout == "1 pieces: 1 created, 0 updated, 0 unchanged, 0 refused.\n", ended.stderr
    assert len(keys) == 5
    assert len(set(keys)) == 1


def test_a_plan_is_sent_again_with_its_key_when_the_answer_breaks_off(tmp_path: Path) -> None:
    whole = (200, json.dumps(PLANNED).encode())
    with answering(whole, (503, error("ServiceUnavailable")), whole, cut=2) as (address, keys):
        ended = plan(address, tmp_path)

    assert ended.stdout == "1 pieces: 1 created, 0 updated, 0 unchanged, 0 refused.\n", ended.stderr
    assert len(keys) == 3
    assert len(set(keys)) == 1


@pytest.mark.parametrize("tag", ["BudgetExceeded", "Forbidden", "HttpApiDecodeError", "IdempotencyMismatch"])
def test_what_another_try_does_not_change_is_sent_once(tmp_path: Path, tag: str) -> None:
    with answering((422, error(tag, issues=[{"path": "pieces[0].x", "message": "Unknown field."}]))) as (address, keys):
        ended = plan(address, tmp_path)

    assert ended.returncode == 1
    assert ended.stderr == f"Not planned: {tag}: Why.\npieces[0].x: Unknown field.\n"
    assert len(keys) == 1


@pytest.mark.parametrize(
    ("program", "failure"),
    [("plan.py", "Not planned: "), ("overdue.py", "Not compared: "), ("publish.py", "Stopped: ")],
)
def test_a_refusal_and_a_missing_token_end_a_program_in_one_line(tmp_path: Path, program: str, failure: str) -> None:
    options = ["--cursor", "cursor", "--seconds", "1"] if program == "publish.py" else []
    with answering((403, error("Forbidden"))) as (address, _):
        refused = plan(address, tmp_path, *options, program=program)
    unset = plan("", tmp_path, *options, program=program)

    assert (refused.returncode, refused.stderr) == (1, f"{failure}Forbidden: Why.\n")
    assert (unset.returncode, unset.stderr) == (
        1,
        "Set BASE to the service's address, and TOKEN to a token of the project.\n",
    )


def test_an_approved_piece_that_changes_before_it_is_published_is_read_again(tmp_path: Path) -> None:
    event = {"id": "6650f0a1b2c3d4e5f6a7b8c9", "type": "document.approved", "data": {"documentId": "6650"}}
    document = {"key": "rye", "title": "Rye bread", "status": "approved"}
    page, last = ({"events": events, "cursor": "c"} for events in ([event], []))
    changed = (412, error("PreconditionFailed"))
    rest = [(200, json.dumps(body).encode()) for body in (document, document, *[last] * 3)]
    answers = [(200, json.dumps(page).encode()), rest[0], changed, *rest]
    with answering(*answers) as (address, keys):
        ended = plan(address, tmp_path, "--cursor", "cursor", "--seconds", "1", program="publish.py")

    assert (ended.stdout, ended.stderr) == ("published rye  Rye bread\n", "")
    assert keys == ["publish-6650f0a1b2c3d4e5f6a7b8c9"] * 2

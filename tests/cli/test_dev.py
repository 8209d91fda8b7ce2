"""`dev`: one command, a whole service; the second start goes on from the first."""

import re
import signal
import stat
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError

import pytest

from app.cli.demo import make_demo
from app.cli.mongod import MongodProcess
from app.core.store.store import Store
from app.core.vocabulary import DocumentStatus
from tests.cli.running import answers, get, mongod_runs, running, until
from tests.make import OPERATIONS

pytestmark = [pytest.mark.needs_mongod, pytest.mark.slow, pytest.mark.timeout(400)]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    for lock in tmp_path.rglob("mongod.lock"):
        MongodProcess(lock.parent.parent).stop()  # what a failed test has left


def serves(url: str, owner: str) -> bool:
    """Whether the project of a token is served there; another demo may have the port by now."""
    try:
        return bool(get(f"{url}/project", owner))
    except (URLError, ConnectionError):
        return False


@pytest.mark.contract("decided-commands.dev")
@pytest.mark.long
def test_two_checkouts_run_side_by_side_and_one_that_was_killed_starts_with_the_same_tokens_and_data(
    folder: Path,
) -> None:
    one, two = folder / "one", folder / "two"
    with running(one, "dev") as first:
        url, owner, agent = first.url, first.secret("OWNER"), first.secret("AGENT")
        assert f"For an assistant: {url}/mcp" in first.said
        assert get(f"{url}/.well-known/oauth-protected-resource", "")["resource"] == f"{url}/mcp"
        with running(two, "dev") as second:
            other, others_owner = second.url, second.secret("OWNER")
            assert url != other
            assert f"using port {other.rpartition(':')[2]}." in second.said
            before = get(f"{url}/documents?limit=100&sort=title", owner)
            assert before != get(f"{other}/documents?limit=100&sort=title", others_owner)
            assert len(get(f"{url}/briefs", agent)) == 5

            second.ctrl_c()
            assert (serves(other, others_owner), mongod_runs(two / ".mongod" / "dev")) == (False, False)
            assert (serves(url, owner), mongod_runs(one / ".mongod" / "dev")) == (True, True)
        first.end(signal.SIGKILL)
    assert stat.S_IMODE((one / ".mongod" / "dev" / "demo.json").stat().st_mode) == 0o600

    with running(one, "dev") as first:
        assert get(f"{first.url}/documents?limit=100&sort=title", owner) == before
        assert (first.secret("OWNER"), first.secret("AGENT")) == (owner, agent)
        first.end(signal.SIGINT)
    assert not serves(url, owner)
    assert not mongod_runs(one / ".mongod" / "dev")


def test_with_mongodb_uri_it_says_which_database_it_uses_and_starts_no_mongodb(
    folder: Path, mongodb_uri: str, fresh_store: Store
) -> None:
    name = fresh_store.database.name
    options = {"MONGODB_URI": mongodb_uri, "MONGODB_DATABASE": name}
    with running(folder, "dev", **options) as server:
        until(lambda: "is served at" in server.said, server)
        url = re.search(r"is served at (\S+)", server.said)
        assert url
        assert answers(url[1]), "the banner is printed when the server answers"
        assert f"MONGODB_URI is set: the demo uses the database {name} on 127.0.0.1." in server.said
        env = folder / ".mongod" / "dev" / "env"
        assert stat.S_IMODE(env.stat().st_mode) == 0o600
        assert f"export BASE={url[1]}\n" in env.read_text("utf-8")

    assert not (folder / ".mongod" / "dev" / "data").exists()


def test_the_demo_has_documents_in_every_status_ready_briefs_and_a_claim(store: Store) -> None:
    demo = make_demo(store)
    from app.cli.calling import context

    fields = {"limit": 100, "offset": 0, "sort": "title"}
    documents = OPERATIONS["list_documents"](context(demo["projectId"], store), fields=fields).body
    states = Counter(document["brief"]["state"] for document in documents)

    assert {document["status"] for document in documents} == set(DocumentStatus)
    assert len(documents) == 40
    assert (states["ready"], states["claimed"]) == (5, 1)
    [claimed] = [document["brief"] for document in documents if document["brief"]["state"] == "claimed"]
    assert claimed["claimedBy"]["agent"] == "writer-1"
    assert claimed["claimExpiresAt"] > claimed["claimedAt"]

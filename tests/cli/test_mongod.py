"""A local mongod is found, used by one process at a time, stopped with it, and started anew after one was killed."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from pymongo import MongoClient

from app.cli import mongod
from app.cli.mongod import MongodFailed, MongodMissing, MongodProcess, find_mongod, running_mongod
from tests.cli.running import mongod_runs

User = subprocess.Popen[str]

USER = """
import sys
from pathlib import Path
from app.cli.mongod import running_mongod

with running_mongod(Path(sys.argv[1])) as uri:
    print(uri, flush=True)
    sys.stdin.read()
"""
SHARING_USER = USER.replace(
    "app.cli.mongod import running_mongod", "tests.mongod import quick_mongod as running_mongod"
)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    for lock in tmp_path.rglob("mongod.lock"):
        MongodProcess(lock.parent.parent).stop()  # what a failed test has left


@pytest.fixture
def a_user(folder: Path) -> Iterator[Callable[..., User]]:
    """Starts another process that uses the folder's mongod until its input is closed."""
    with ExitStack() as users:

        def start(script: str = USER) -> User:
            command = [sys.executable, "-c", script, str(folder)]
            user = users.enter_context(
                subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            )
            users.callback(user.kill)
            return user

        yield start


def uri_of(user: User) -> str:
    assert user.stdout is not None
    return user.stdout.readline().strip()


def leave(user: User) -> None:
    user.communicate(timeout=30)


def pid_of(uri: str) -> int:
    with MongoClient(uri) as client:
        return int(client.admin.command("serverStatus")["pid"])


def note(uri: str, text: str) -> None:
    with MongoClient(uri) as client:
        client.test.notes.insert_one({"text": text})


def notes(uri: str) -> list[str]:
    with MongoClient(uri) as client:
        return [found["text"] for found in client.test.notes.find()]


def a_program(folder: Path, script: str) -> Path:
    """Puts a `mongod` of a few lines into the folder."""
    program = folder / "mongod"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program


class TestFinding:
    def test_the_mongod_on_path_comes_first(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        program = a_program(tmp_path, "exit 0")
        monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
        assert find_mongod() == program

    def test_without_any_the_message_says_what_to_install(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.setattr(mongod, "find_spec", lambda name: None)
        with pytest.raises(MongodMissing, match=r"(?s)No mongod.*MONGODB_URI.*embedded.*libcurl4"):
            find_mongod()

    def test_one_that_lacks_a_library_is_refused_with_the_reason(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        a_program(tmp_path, "echo >&2 'error while loading shared libraries: libcurl.so.4'; exit 127")
        monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
        with pytest.raises(MongodMissing, match=r"(?s)does not run here: .*libcurl\.so\.4.*apt-get install libcurl4"):
            find_mongod()

    def test_one_that_can_not_start_names_its_log(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        a_program(tmp_path, '[ "$1" = --version ]')
        monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
        with (
            pytest.raises(MongodFailed, match=r"exit code 1\. Its log: .*mongod\.log"),
            running_mongod(tmp_path / "folder"),
        ):
            pass


@pytest.mark.needs_mongod
@pytest.mark.slow
class TestRunning:
    def test_it_takes_transactions_and_listens_on_loopback_alone(self, folder: Path) -> None:
        with running_mongod(folder) as uri, MongoClient(uri) as client:
            client.test.create_collection("notes")
            with client.start_session() as session, session.start_transaction():
                client.test.notes.insert_one({"text": "kept"}, session=session)
            assert notes(uri) == ["kept"]
            assert client.admin.command("getCmdLineOpts")["parsed"]["net"]["bindIp"] == "127.0.0.1"

    def test_leaving_stops_it_and_the_next_start_has_its_data_at_the_same_address(self, folder: Path) -> None:
        for number in range(1, 4):  # a connection of another program may take the port meanwhile
            with running_mongod(folder) as uri:
                note(uri, "kept")
            assert not mongod_runs(folder)
            with running_mongod(folder) as again:
                assert notes(again) == ["kept"] * number
            if again == uri:
                return
        pytest.fail("It had another address each time.")

    def test_a_port_that_another_took_is_given_up_for_a_free_one_and_the_data_stay(self, folder: Path) -> None:
        one, two = folder / "one", folder / "two"
        with running_mongod(one) as uri:
            note(uri, "kept")
        two.mkdir()
        shutil.copy(one / "mongod.port", two)  # so that this one takes the port of the other
        with running_mongod(two) as same, running_mongod(one) as other:
            assert same == uri != other
            assert notes(other) == ["kept"]


@pytest.mark.needs_mongod
@pytest.mark.slow
class TestSharing:
    def test_a_second_user_is_refused_until_the_first_leaves(self, folder: Path, a_user: Callable[[], User]) -> None:
        first = a_user()
        note(uri_of(first), "kept")
        with pytest.raises(MongodFailed, match="Another process uses the MongoDB in"), running_mongod(folder):
            pass
        leave(first)
        assert not mongod_runs(folder)
        with running_mongod(folder) as uri:
            assert notes(uri) == ["kept"]

    def test_users_of_the_tests_that_come_at_once_share_one_and_the_last_stops_it(
        self, folder: Path, a_user: Callable[..., User]
    ) -> None:
        users = [a_user(SHARING_USER) for _ in range(4)]
        [uri] = {uri_of(user) for user in users}
        for user in users[1:]:
            leave(user)
        note(uri, "still there")
        leave(users[0])
        assert not (folder / "data").exists()


@pytest.mark.needs_mongod
@pytest.mark.slow
@pytest.mark.long
class TestSignals:
    @pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda sign: sign.name)
    def test_a_user_that_ends_by_a_signal_stops_it(
        self, folder: Path, a_user: Callable[[], User], sign: signal.Signals
    ) -> None:
        user = a_user()
        uri_of(user)
        user.send_signal(sign)
        user.wait(timeout=30)
        assert not mongod_runs(folder)

    @pytest.mark.parametrize("port_is_known", [True, False])
    def test_after_a_user_was_killed_the_next_replaces_its_mongod_and_has_its_data(
        self, folder: Path, a_user: Callable[[], User], port_is_known: bool
    ) -> None:
        user = a_user()
        before = uri_of(user)
        orphan = pid_of(before)
        note(before, "kept")
        user.kill()
        user.wait()
        assert mongod_runs(folder)
        if not port_is_known:
            (folder / "mongod.port").unlink()
        with running_mongod(folder) as uri:
            assert pid_of(uri) != orphan
            assert notes(uri) == ["kept"]
        assert not mongod_runs(folder)

    def test_a_killed_mongod_is_started_again_with_its_data(self, folder: Path) -> None:
        with running_mongod(folder) as uri:
            note(uri, "kept")
            os.kill(pid_of(uri), signal.SIGKILL)
        with running_mongod(folder) as again:
            assert notes(again) == ["kept"]

    def test_a_process_id_that_is_another_process_by_now_is_left_alone(self, folder: Path) -> None:
        with running_mongod(folder) as uri:
            os.kill(pid_of(uri), signal.SIGKILL)
        innocent = os.getpid()
        (folder / "data" / "mongod.lock").write_text(f"{innocent}\n")
        with running_mongod(folder) as again:
            assert pid_of(again) != innocent

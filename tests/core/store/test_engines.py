"""Servers that speak MongoDB's protocol and keep no promise of a transaction are found at the start."""

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

import bson
import pytest

from app.core.store import engines
from app.core.store.store import NoRollback, Store
from app.features import ALL, connect

pytestmark = pytest.mark.needs_mongod

HEADER = struct.Struct("<iiii")
OP_MSG = 2013
OF_TRANSACTIONS = ("txnNumber", "autocommit", "startTransaction")


class Careless:
    """A server before a real mongod: it takes commands out of their transactions, and answers commit and abort."""

    def __init__(self, uri: str) -> None:
        host, _, port = uri.removeprefix("mongodb://").partition("/")[0].partition(":")
        self._behind = host, int(port)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.uri = f"mongodb://127.0.0.1:{self._listening.getsockname()[1]}/?directConnection=true"
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def close(self) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with closing(client), closing(socket.create_connection(self._behind)) as server, suppress(OSError, EOFError):
            while True:
                message = _received(client)
                answer = _answered(message)
                if answer is None:
                    server.sendall(_without_transaction(message))
                    answer = _received(server)
                client.sendall(answer)


def _exactly(source: socket.socket, length: int) -> bytes:
    data = b""
    while len(data) < length:
        if not (more := source.recv(length - len(data))):
            raise EOFError
        data += more
    return data


def _received(source: socket.socket) -> bytes:
    head = _exactly(source, HEADER.size)
    return head + _exactly(source, HEADER.unpack(head)[0] - HEADER.size)


def _command(message: bytes) -> tuple[dict[str, Any], bytes] | None:
    """Returns the command of a message and what follows it; None where it is of another kind."""
    if HEADER.unpack_from(message)[3] != OP_MSG or message[20] != 0:
        return None
    end = 21 + struct.unpack_from("<i", message, 21)[0]
    return bson.decode(message[21:end]), message[end:]


def _message(request: bytes, body: dict[str, Any], rest: bytes = b"") -> bytes:
    encoded = request[16:20] + b"\0" + bson.encode(body) + rest
    _, number, to, kind = HEADER.unpack_from(request)
    return HEADER.pack(HEADER.size + len(encoded), number, to, kind) + encoded


def _answered(request: bytes) -> bytes | None:
    found = _command(request)
    if found is None or next(iter(found[0])) not in ("commitTransaction", "abortTransaction"):
        return None
    number = HEADER.unpack_from(request)[1]
    encoded = struct.pack("<i", 0) + b"\0" + bson.encode({"ok": 1.0})
    return HEADER.pack(HEADER.size + len(encoded), 1, number, OP_MSG) + encoded


def _without_transaction(request: bytes) -> bytes:
    found = _command(request)
    if found is None or not any(name in found[0] for name in OF_TRANSACTIONS):
        return request
    command = {name: value for name, value in found[0].items() if name not in (*OF_TRANSACTIONS, "readConcern")}
    return _message(request, command, found[1])


@pytest.fixture
def careless(mongodb_uri: str) -> Iterator[str]:
    server = Careless(mongodb_uri)
    yield server.uri
    server.close()


def test_a_server_that_rolls_nothing_back_is_refused(fresh_store: Store, careless: str) -> None:
    store = connect(careless, fresh_store.database.name, features=ALL)
    with pytest.raises(NoRollback):
        store.check_writes()
    store.database.client.close()

    fresh_store.check_writes()
    assert fresh_store.database.form.count_documents({"_id": {"$ne": "form"}}) == 0


@pytest.mark.parametrize("engine", engines.ENGINES, ids=lambda engine: engine.name)
def test_an_engine_is_known_by_its_hosts_or_by_what_it_says_of_itself(engine: engines.Engine) -> None:
    hosts = [f"cluster.example{end}" for end in engine.hosts] or ["mongo.example.com"]
    built = dict.fromkeys(engine.fields, "2.7")

    assert engines.known(hosts, built) is engine
    assert engine.lacks
    assert engine.source


def test_mongodb_is_none_of_them(fresh_store: Store) -> None:
    assert engines.known(["mongo1.example.com"], {"version": "6.0.5"}) is None
    assert engines.reason(fresh_store.database) == ""

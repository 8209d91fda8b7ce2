"""A receiver of webhooks on loopback, that answers as a test wants."""

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from typing import Any

import orjson

from tests.live import Handler, running


class Receiver:
    """What arrived, and what is answered next: statuses in turn, the last one for ever."""

    def __init__(self, server: ThreadingHTTPServer, scheme: str) -> None:
        self.url = f"{scheme}://127.0.0.1:{server.server_port}/hook"
        self.port = server.server_port
        self.statuses = [200]
        self.headers: dict[str, str] = {}
        self.on_request: Callable[[], object] = lambda: None
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.requests: list[tuple[dict[str, str], bytes]] = []
        self.arrived = threading.Semaphore(0)

    @property
    def messages(self) -> list[dict[str, Any]]:
        return [orjson.loads(body) for _, body in self.requests]

    def answer(self, handler: Handler) -> None:
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        self.requests.append(({**headers, ":path": handler.path}, body))
        self.arrived.release()
        self.on_request()
        self.may_answer.wait(30)
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        handler.answer(status=status, headers=self.headers)


@contextmanager
def receiving(tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """Receives until the block ends."""

    class Hook(Handler):
        def do_POST(self) -> None:
            receiver.answer(self)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    receiver = Receiver(server, "https" if tls else "http")
    with running(server):
        yield receiver
        receiver.may_answer.set()

"""A receiver of webhooks on loopback, that answers as a test wants."""

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import orjson


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

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        self.requests.append(({**headers, ":path": handler.path}, body))
        self.arrived.release()
        self.on_request()
        self.may_answer.wait(30)
        handler.send_response(self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0])
        for name, value in self.headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", "0")
        handler.end_headers()


@contextmanager
def receiving(tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """Receives until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            receiver.answer(self)

        def log_message(self, *_: Any) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    receiver = Receiver(server, "https" if tls else "http")
    thread = threading.Thread(target=lambda: server.serve_forever(0.01))
    thread.start()
    try:
        yield receiver
    finally:
        receiver.may_answer.set()
        server.shutdown()
        thread.join()
        server.server_close()

"""Closes connections of this server process: idle ones, and those of an address that has too many.

granian closes a connection that sends no request for 30 seconds, and has no limit for one that stops in the middle of a
body or of a response, nor for how many an address may open. The kernel reports all of that (TCP_INFO, Linux), and
shutting a connection down ends it in granian and in the thread that waits for it.
"""

from __future__ import annotations

import math
import os
import socket
import stat
import struct
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from app.http.proxies import Networks, client_of, is_within

EVERY_SECONDS = 0.5
SOON_SECONDS, SOON_FOR_SECONDS = 0.1, 10.0
"""How often it looks for some seconds after it closed a connection, or a caller had too many requests in flight.
Measured with 5,000 connections of one address that send requests, and come back when they are closed: with 0.5 seconds
others wait three times as long, as more requests are before theirs."""
PER_ADDRESS = 512
"""Connections of one address that is no trusted proxy; the ones that have been idle longest are closed first."""
STILL_SECONDS = 30
"""How long a connection may be idle in both directions, in addition to the deadline of a request."""
UNANSWERED_SECONDS = 120
"""How long nothing may be sent to a client, whether or not it sends: a body that takes longer is too slow."""

TCP_INFO_TIMES = struct.Struct("=44x I 4x I")
"""Of `struct tcp_info`: milliseconds since data was last sent, and last received."""


_crowded = threading.Event()


@dataclass(frozen=True)
class Connection:
    """An open connection of a client."""

    descriptor: int
    peer: tuple[str, int]
    seconds_since_sent: float
    seconds_since_received: float

    @property
    def still_seconds(self) -> float:
        """How long nothing moved in either direction."""
        return min(self.seconds_since_sent, self.seconds_since_received)


def watch(port: int, proxies: Networks, deadline_seconds: float) -> None:
    """Watches the connections to a port from now on, where the system reports them (Linux)."""
    if sys.platform == "linux":
        arguments = (port, tuple(proxies), deadline_seconds)
        threading.Thread(target=_watch, args=arguments, name="connections", daemon=True).start()


def look_often() -> None:
    """Has the connections looked at often for the next seconds, as a caller has too many requests in flight."""
    _crowded.set()


def _watch(port: int, proxies: Networks, deadline_seconds: float) -> None:
    seconds, soon_until = EVERY_SECONDS, -math.inf
    while True:
        crowded = _crowded.wait(seconds)
        _crowded.clear()
        began, computed = time.monotonic(), time.thread_time()
        with suppress(OSError):  # no file descriptor left to list the others with: the next round has one
            for connection in surplus(connections(port), proxies, deadline_seconds):
                _shut_down(connection)
                crowded = True
        if crowded:
            soon_until = began + SOON_FOR_SECONDS
        pause = SOON_SECONDS if began < soon_until else EVERY_SECONDS
        seconds = max(pause, time.thread_time() - computed)  # it computes at most half of the time


def connections(port: int) -> list[Connection]:
    """Returns the connections that clients have to a port of this process."""
    found: list[Connection] = []
    for file in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            descriptor = int(file.name)
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                with socket.socket(fileno=os.dup(descriptor)) as copy:
                    if copy.family in (socket.AF_INET, socket.AF_INET6) and copy.getsockname()[1] == port:
                        info = copy.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TCP_INFO_TIMES.size)
                        sent, received = TCP_INFO_TIMES.unpack(info)
                        found.append(Connection(descriptor, copy.getpeername()[:2], sent / 1000, received / 1000))
    return found


def surplus(open_now: Iterable[Connection], proxies: Networks, deadline_seconds: float) -> list[Connection]:
    """Returns the connections to close: idle ones, and those of each address beyond its limit."""
    still = STILL_SECONDS + deadline_seconds
    closed: list[Connection] = []
    by_address: defaultdict[str, list[Connection]] = defaultdict(list)
    for connection in open_now:
        if connection.still_seconds > still or connection.seconds_since_sent > UNANSWERED_SECONDS + deadline_seconds:
            closed.append(connection)
        else:
            by_address[client_of(connection.peer[0])].append(connection)
    for of_it in by_address.values():
        if len(of_it) > PER_ADDRESS:
            trusted = {peer for peer in {connection.peer[0] for connection in of_it} if is_within(peer, proxies)}
            clients = [connection for connection in of_it if connection.peer[0] not in trusted]
            clients.sort(key=lambda connection: connection.still_seconds)
            closed += clients[PER_ADDRESS:]
    return closed


def _shut_down(connection: Connection) -> None:
    """Ends a connection, unless its descriptor was reused since; the unread rest of a response is dropped."""
    with suppress(OSError), socket.socket(fileno=os.dup(connection.descriptor)) as copy:
        if copy.getpeername()[:2] == connection.peer:
            copy.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            copy.shutdown(socket.SHUT_RDWR)

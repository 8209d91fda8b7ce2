"""Posts one message to an address that a project names; when it is sent again, or given up (decisions, section 9)."""

import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import h11

from app.outbound.requests import NoAddress, OutboundClient, Resolve, ResponseTooLarge, resolve_host

ATTEMPT_SECONDS = 15.0
SLOW_SECONDS = 1.0
HEADERS = {"Content-Type": "application/json", "User-Agent": "content-workflow"}
MAX_RESPONSE_BYTES = 64 * 1024
"""How much of a response is read, headers included; nothing but its status is used."""

NO_ADDRESS = "The URL leads to no address that webhooks may reach."
"""The same for a name that does not resolve and for an internal one, so that the log reveals no internal names."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of an attempt. `seconds` is 0 when no connection was tried."""

    status_code: int | None
    error: str | None
    seconds: float

    @property
    def succeeded(self) -> bool:
        return self.error is None

    @property
    def was_slow(self) -> bool:
        """True if the receiver is served by the threads for those that are slow or fail."""
        return not self.succeeded or self.seconds > SLOW_SECONDS


class MessageClient:
    """Posts messages."""

    def __init__(
        self,
        *,
        allow_local: bool,
        resolve: Resolve = resolve_host,
        tls: ssl.SSLContext | None = None,
        attempt_seconds: float = ATTEMPT_SECONDS,
    ) -> None:
        self._attempt_seconds = attempt_seconds
        self._outbound = OutboundClient(
            allow_local=allow_local, seconds=attempt_seconds, max_bytes=MAX_RESPONSE_BYTES, resolve=resolve, tls=tls
        )

    def send(self, url: str, headers: Mapping[str, str], body: bytes) -> Outcome:
        """Posts a body and returns the outcome; nothing that a receiver does raises an error."""
        began = time.monotonic()
        status, error = None, None
        try:
            response, _ = self._outbound.exchange("POST", url, headers, body)
            status = response.status_code
            error = None if 200 <= status < 300 else f"The response had status {status}."
        except NoAddress:
            return Outcome(None, NO_ADDRESS, 0)
        except TimeoutError:
            error = f"The receiver did not respond within {self._attempt_seconds:g} seconds."
        except ssl.SSLError as problem:
            error = f"TLS failed: {problem.reason or 'the certificate is not valid'}."
        except ConnectionRefusedError:
            error = "The connection was refused."
        except ResponseTooLarge:
            error = f"The response had no status within {MAX_RESPONSE_BYTES // 1024} KiB."
        except (OSError, h11.ProtocolError):
            error = "The connection was closed early, or the response was not valid HTTP."
        return Outcome(status, error, time.monotonic() - began)


GIVE_UP_AFTER = timedelta(days=3)
"""How long a message is tried, and how long a webhook stays enabled without a success."""

DELAYS = tuple(timedelta(seconds=seconds) for seconds in (5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200))
"""The delays after the first failure, the second, and so on; the last one is repeated."""

JITTER = 0.2
"""The fraction by which a delay is varied, so that messages that failed together are not retried together."""

LONGEST_REST = timedelta(minutes=1)


def next_attempt(failures: int, since: datetime, now: datetime, chance: float) -> datetime | None:
    """Returns when a message is sent again, given its failures since it was queued; None for never.

    The last attempt is made when `GIVE_UP_AFTER` is over. `chance` is a random number from 0 to 1.
    """
    end = since + GIVE_UP_AFTER
    if now >= end:
        return None
    delay = DELAYS[min(failures, len(DELAYS)) - 1]
    return min(now + delay * (1 + JITTER * (2 * chance - 1)), end)


def rest_after(failures: int) -> timedelta:
    """Returns how long a webhook pauses after a number of failures in a row."""
    return min(timedelta(seconds=2 ** min(failures - 1, 6)), LONGEST_REST)

"""Sends one e-mail by SMTP, and returns the outcome (decisions, section 19)."""

import smtplib
import socket
import ssl
import threading
import time
from contextlib import closing, suppress
from email.message import EmailMessage
from functools import partial
from urllib.parse import unquote, urlsplit

from app.outbound.message_client import Outcome
from app.outbound.requests import seconds_left

PORTS = {"smtp": 587, "smtps": 465}


class Mailer:
    """Sends e-mail through the server that `SMTP_URL` names; with TLS throughout, or from where it is offered."""

    def __init__(self, url: str, sender: str, tls: ssl.SSLContext | None = None) -> None:
        self.sender = sender
        self._url = urlsplit(url)
        self._host, self._port = self._url.hostname or "", self._url.port or PORTS[self._url.scheme]
        self._tls = tls or ssl.create_default_context()

    def send(self, message: EmailMessage, seconds: float) -> Outcome:
        """Sends a message and returns the outcome; nothing that the server does raises an error.

        Within `seconds` the message is sent or given up; then the server has as long again to accept it.
        """
        began = time.monotonic()
        try:
            self._deliver(message, began + seconds, seconds)
        except (smtplib.SMTPException, OSError, ValueError) as error:  # the last for a password that is not ASCII
            server = f"{self._host}:{self._port}"
            why = f"The mail server {server} refused it, or could not be used: {type(error).__name__}."
            return Outcome(getattr(error, "smtp_code", None), why, time.monotonic() - began)
        return Outcome(250, None, time.monotonic() - began)

    def _deliver(self, message: EmailMessage, deadline: float, seconds: float) -> None:
        with closing(self._connected(deadline)) as smtp:
            if self._url.scheme == "smtp" and smtp.has_extn("starttls"):
                smtp.starttls(context=self._tls)
            if self._url.username:
                smtp.login(unquote(self._url.username), unquote(self._url.password or ""))
            hang_up = threading.Timer(
                seconds_left(deadline) + seconds, _hang_up, (smtp,)
            )  # smtplib bounds single reads only
            hang_up.start()
            try:
                smtp.send_message(message)
                with suppress(smtplib.SMTPException, OSError):  # it is accepted: how the conversation ends is the same
                    smtp.quit()
            finally:
                hang_up.cancel()

    def _connected(self, deadline: float) -> smtplib.SMTP:
        own = self.sender.rpartition("@")[2].rstrip(">")  # what smtplib would look up by DNS
        connect = partial(smtplib.SMTP_SSL, context=self._tls) if self._url.scheme == "smtps" else smtplib.SMTP
        smtp = connect(self._host, self._port, own, timeout=seconds_left(deadline))
        smtp.ehlo()
        return smtp


def _hang_up(smtp: smtplib.SMTP) -> None:
    """Ends a connection while a thread waits for it; `shutdown` of an `ssl` socket would not."""
    with suppress(OSError):
        if smtp.sock:
            socket.socket.shutdown(smtp.sock, socket.SHUT_RDWR)

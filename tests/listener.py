"""What tests that look at the commands of MongoDB's client begin with."""

from typing import Any

from pymongo import monitoring


class Listener(monitoring.CommandListener):
    """Hears of commands when they are sent: a test's own class says in `started` what it notes of them."""

    def succeeded(self, event: monitoring.CommandSucceededEvent) -> None: ...

    def failed(self, event: monitoring.CommandFailedEvent) -> None: ...


def is_for_a_request(event: monitoring.CommandStartedEvent) -> bool:
    """Returns whether a command is sent for a request; the database's form is read every five seconds for all."""
    return bool(event.command.get(event.command_name) != "form")


class Commands(Listener):
    """The names of the commands for requests that were sent since `sent` was cleared."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def started(self, event: monitoring.CommandStartedEvent) -> None:
        if is_for_a_request(event):
            self.sent.append(event.command_name)


class Queries(Listener):
    """The commands of some names that were sent since `sent` was cleared, as `explain` takes them."""

    def __init__(self, *names: str) -> None:
        self.names = names
        self.sent: list[dict[str, Any]] = []

    def started(self, event: monitoring.CommandStartedEvent) -> None:
        if event.command_name in self.names:
            of_drivers = ("lsid", "txnNumber", "writeConcern")
            asked = {name: value for name, value in event.command.items() if name not in of_drivers}
            self.sent.append({name: value for name, value in asked.items() if not name.startswith("$")})

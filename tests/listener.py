"""What tests that look at the commands of MongoDB's client begin with."""

from pymongo import monitoring


class Listener(monitoring.CommandListener):
    """Hears of commands when they are sent: a test's own class says in `started` what it notes of them."""

    def succeeded(self, event: monitoring.CommandSucceededEvent) -> None: ...

    def failed(self, event: monitoring.CommandFailedEvent) -> None: ...

"""The leases of webhooks: one worker at a time sends the messages of each."""

from app.core.store.leases import LeaseQueue, StoredLease


class Leases(LeaseQueue[StoredLease]):
    """The leases of webhooks."""

    name = "leases"

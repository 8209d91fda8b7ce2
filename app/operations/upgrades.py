"""Completes records that earlier versions of the service wrote, where a default on reading them is not enough.

`db init` runs each of `UPGRADES` on each project. They may run any number of times and in several processes at once,
while servers of this version run: so they change only what lacks something, and whose condition is in the write.
"""

from collections.abc import Callable

from app.store.store import Store

Advance = Callable[[int], None]
"""Takes the number of records that were completed since the last call."""


def complete_keys(store: Store, project_id: str, advance: Advance = lambda _: None) -> None:
    """Stores by which keys members and categories are sorted and found, where earlier versions stored others or none.

    Those had no key for e-mail addresses, and left spaces around names in theirs. Cached answers of the delivery API
    change with the order of categories. (decisions, section 15)
    """

    def complete(store: Store) -> int:
        completed = store.members.complete_keys(project_id) + store.categories.complete_keys(project_id)
        if completed:
            store.projects.delivery_changed(project_id)
        return completed

    with store.deadline(unbounded=True):
        advance(store.in_transaction(complete))


UPGRADES: tuple[Callable[[Store, str, Advance], None], ...] = (complete_keys,)
"""In the order in which versions of the service added them; each has a test of its own."""

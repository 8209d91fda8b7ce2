"""Completes records that earlier versions of the service wrote."""

from app.rules.publishing import delivered_words
from app.store.store import Store

WORDS_ADDED_AT_ONCE = 200
"""How many documents are completed at once."""


def add_delivered_words(store: Store, project_id: str) -> None:
    """Adds the words that searches look for to documents that were published before these were stored.

    Any number of processes may do this at once, while the service runs. (decisions, section 15)
    """
    while True:
        with store.deadline():
            rows = store.delivery.without_words(project_id, WORDS_ADDED_AT_ONCE)
            words = {row["id"]: (row["snapshot"]["htmlId"], delivered_words(row["snapshot"])) for row in rows}
            store.delivery.add_words(project_id, words)
        if len(rows) < WORDS_ADDED_AT_ONCE:
            return

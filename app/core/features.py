"""How the contract's folders and the features meet: in lists that `app/features.py` writes down, and nowhere else.

A folder above the line (`service.md`) never imports a feature. It asks the lists: which gates refuse this move, who
consumes relayed events, what else is stored with a document. `Features` holds the lists of one application; with a
feature left out (`Features.without`) the application has no trace of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from app.core.store.indexes import Index, Storage, outbox_index
from app.core.store.types import Bson, Values

if TYPE_CHECKING:
    from app.core.events import StoredEvent
    from app.core.operation import Operation
    from app.core.store.store import Store
    from app.core.vocabulary import Channel
    from app.core.worker import MakeJob

Consumer = Callable[["Store", str, Sequence["StoredEvent"], datetime], None]
"""Takes a batch of a project's numbered events, and when they were numbered; once more where a relay died."""


@dataclass(frozen=True)
class Feature:
    """What one folder adds to the records and operations of others, besides the four lists.

    Use it in the folder's `feature.py`, once; a folder that only adds operations, gates, consumers or jobs needs none.
    """

    name: str
    """The folder's name."""
    storage: Storage = field(default_factory=Storage)
    """Its indexes and validators in MongoDB, also those of collections of other folders."""
    document_keys: Mapping[str, Callable[[Values], Any]] = field(default_factory=dict)
    """Derives values that are stored with each document, by the name of the field."""
    purge: Callable[[Store, str, str], None] | None = None
    """Deletes what it stores of a document that is deleted for good, in that transaction."""


@dataclass(frozen=True, eq=False)
class Features:
    """The lists of one application, in the order that the contract gives them.

    Use it to ask what an application has; the lists themselves are in `app/features.py`. Never add to it at run time.
    """

    operations: tuple[Operation[Any], ...] = ()
    features: tuple[Feature, ...] = ()
    contract: tuple[Storage, ...] = ()
    """The storage of the contract's folders."""
    consumers: tuple[Consumer, ...] = ()
    """Called in order with the events that the relay numbered, before they leave the outboxes."""
    jobs: Callable[[], tuple[MakeJob, ...]] = tuple
    """Returns what makes the worker's jobs; a function, as only the worker needs what they import."""

    def without(self, *names: str) -> Features:
        """Returns the lists without the parts of some folders."""
        kept = {name: tuple(one for one in getattr(self, name) if folder_of(one) not in names) for name in LISTS}
        return replace(self, **kept, jobs=lambda: tuple(one for one in self.jobs() if folder_of(one) not in names))

    @cached_property
    def by_name(self) -> Mapping[str, Operation[Any]]:
        """The operations by name."""
        return {operation.name: operation for operation in self.operations}

    @cached_property
    def _storage(self) -> Sequence[Storage]:
        return *self.contract, *(feature.storage for feature in self.features)

    @cached_property
    def outboxes(self) -> Sequence[str]:
        """The collections whose records have an outbox."""
        return [name for storage in self._storage for name in storage.outboxes]

    @cached_property
    def tombstones(self) -> frozenset[str]:
        """The collections whose deleted records stay until their last event has been moved."""
        return frozenset(name for storage in self._storage for name in storage.tombstones)

    @cached_property
    def indexes(self) -> Sequence[Index]:
        """All indexes."""
        return [*(one for storage in self._storage for one in storage.indexes), *map(outbox_index, self.outboxes)]

    @cached_property
    def validators(self) -> Mapping[str, Bson]:
        """All validators, by collection."""
        return {name: one for storage in self._storage for name, one in storage.validators.items()}

    @cached_property
    def document_keys(self) -> Mapping[str, Callable[[Values], Any]]:
        """Derives the values that features store with each document, by the name of the field."""
        return {name: key for feature in self.features for name, key in feature.document_keys.items()}

    def name_of(self, channel: Channel, operation: str) -> str:
        """Returns how messages name an operation for the callers of an interface (decisions, section 11)."""
        found = self.by_name.get(operation)
        return found.name_on(channel) if found else f"`{operation}`"


LISTS = ("operations", "features", "consumers")


def folder_of(part: Any) -> str:
    """Returns the name of the folder in `app` that declares a part of a list."""
    if isinstance(part, Feature):
        return part.name
    function: Callable[..., Any] = getattr(part, "function", part)
    return function.__module__.split(".")[1]


NO_FEATURES = Features()
"""Lists without entries, for code that needs none of them."""

"""How the contract's folders and the features meet: in lists that `app/features.py` writes down, and nowhere else.

A folder above the line (`service.md`) never imports a feature. It asks the lists: which gates refuse this move, who
consumes relayed events, what else is stored with a document. `Features` holds the lists of one application; with a
feature left out (`Features.without`) the application has no trace of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.core.context import Context
    from app.core.operation import Operation
    from app.core.vocabulary import Channel


@dataclass(frozen=True)
class Feature:
    """What one folder adds to the records and operations of others, besides the four lists.

    Use it in the folder's `feature.py`, once; a folder that only adds operations, gates, consumers or jobs needs none.
    """

    name: str
    """The folder's name."""


@dataclass(frozen=True, eq=False)
class Features:
    """The lists of one application, in the order that the contract gives them.

    Use it to ask what an application has; the lists themselves are in `app/features.py`. Never add to it at run time.
    """

    operations: tuple[Operation[Any], ...] = ()
    features: tuple[Feature, ...] = ()
    users: tuple[Callable[[Context, str, str], bool], ...] = ()
    """Return whether a record is filed under a category or cluster, given the field that names it, and its id."""

    def without(self, *names: str) -> Features:
        """Returns the lists without the parts of some folders."""
        kept = {name: tuple(one for one in getattr(self, name) if folder_of(one) not in names) for name in LISTS}
        return replace(self, **kept)

    @cached_property
    def by_name(self) -> Mapping[str, Operation[Any]]:
        """The operations by name."""
        return {operation.name: operation for operation in self.operations}

    def uses(self, ctx: Context, field: str, record_id: str) -> bool:
        """Returns whether something is filed under a category (`categoryId`) or a cluster (`clusterId`)."""
        return any(is_used(ctx, field, record_id) for is_used in self.users)

    def name_of(self, channel: Channel, operation: str) -> str:
        """Returns how messages name an operation for the callers of an interface (decisions, section 11)."""
        found = self.by_name.get(operation)
        return found.name_on(channel) if found else f"`{operation}`"


LISTS = ("operations", "features", "users")


def folder_of(part: Any) -> str:
    """Returns the name of the folder in `app` that declares a part of a list."""
    if isinstance(part, Feature):
        return part.name
    function: Callable[..., Any] = getattr(part, "function", part)
    return function.__module__.split(".")[1]


NO_FEATURES = Features()
"""Lists without entries, for code that needs none of them."""

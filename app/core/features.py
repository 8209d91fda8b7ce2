"""How the contract's folders and the features meet: in lists that `app/features.py` writes down, and nowhere else.

A folder above the line (`service.md`) never imports a feature. It asks the lists: which gates refuse this move, who
consumes relayed events, what else is stored with a document. `Features` holds the lists of one application; with a
feature left out (`Features.without`) the application has no trace of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.core.context import Context
    from app.core.errors import Refusal
    from app.core.operation import Operation
    from app.core.schemas.loading import Fields
    from app.core.store.bodies import StoredBody
    from app.core.vocabulary import Channel


@dataclass(frozen=True, eq=False)
class Extension:
    """What a folder adds to an operation of another: functions that the operation calls, each where it says.

    Use it for one operation that gets more fields; what is added to each text or record whoever writes it is a field of
    `Feature`. Never use it for a refusal that other operations raise, too: that is a gate.
    """

    operation: str
    """The operation's name."""
    errors: tuple[type[Refusal], ...] = ()
    """The errors that it raises besides those of the operation."""
    prepare: Callable[[Context, str, Fields], Any] | None = None
    """Does slow work before each try, as `Operation.prepare`; its result is `ctx.prepared` in `decide`."""
    decide: Callable[[Context, Any, Any, Fields], Any] | None = None
    """Adds to the `Decision` of the operation's rule about a document, in the same transaction, or refuses it."""
    present: Callable[[Context, Mapping[str, Any], Fields], Mapping[str, Any]] | None = None
    """Returns what it adds to the response, given the stored record."""


@dataclass(frozen=True)
class Feature:
    """What one folder adds to the records and operations of others, besides the four lists.

    Use it in the folder's `feature.py`, once; a folder that only adds operations, gates, consumers or jobs needs none.
    """

    name: str
    """The folder's name."""

    # What it adds to the operations and records of others.
    extensions: tuple[Extension, ...] = ()
    """What it adds to single operations."""
    draft: Callable[[Context, Fields], Mapping[str, Any]] | None = None
    """Returns what a draft stores about the text that is sent for it."""
    version: Callable[[Context, Fields, Mapping[str, Any]], Mapping[str, Any]] | None = None
    """Returns what is stored with a new version of a document, given the request's fields and the draft, if any."""
    details: Callable[[Fields], Mapping[str, Any]] | None = None
    """Returns details for the event of a written text."""
    publication: Callable[[Context, Any, StoredBody | None], Mapping[str, Any]] | None = None
    """Returns what is stored with a publication of a document and its content; outside of a transaction."""


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

    def extensions_of(self, operation: str) -> Sequence[Extension]:
        """Returns what folders add to an operation, in their order."""
        return [one for feature in self.features for one in feature.extensions if one.operation == operation]

    def added(self, name: str, *arguments: Any) -> dict[str, Any]:
        """Returns what the features add by the function that each has as its field `name`."""
        functions = [function for feature in self.features if (function := getattr(feature, name))]
        return {key: value for function in functions for key, value in function(*arguments).items()}

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

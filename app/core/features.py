"""How the contract's folders and the features meet: in lists that `app/features.py` writes down, and nowhere else.

A folder above the line (`service.md`) never imports a feature. It asks the lists: which gates refuse this move, who
consumes relayed events, what else is stored with a document. `Features` holds the lists of one application; with a
feature left out (`Features.without`) the application has no trace of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.core.operation import Operation
    from app.core.schemas.fields import Schema
    from app.core.vocabulary import Channel


@dataclass(frozen=True)
class Feature:
    """What one folder adds to the records and operations of others, besides the four lists.

    Use it in the folder's `feature.py`, once; a folder that only adds operations, gates, consumers or jobs needs none.
    """

    name: str
    """The folder's name."""

    # What interfaces show of it, besides its operations.
    closed_lists: Mapping[str, Iterable[str]] = field(default_factory=dict)
    """Its closed lists of words, by the names of their components in OpenAPI."""
    instructed: tuple[type[Schema], ...] = ()
    """Schemas whose fields MCP's instructions describe, so that its tools leave their descriptions out."""


@dataclass(frozen=True, eq=False)
class Features:
    """The lists of one application, in the order that the contract gives them.

    Use it to ask what an application has; the lists themselves are in `app/features.py`. Never add to it at run time.
    """

    operations: tuple[Operation[Any], ...] = ()
    features: tuple[Feature, ...] = ()

    def without(self, *names: str) -> Features:
        """Returns the lists without the parts of some folders."""
        kept = {name: tuple(one for one in getattr(self, name) if folder_of(one) not in names) for name in LISTS}
        return replace(self, **kept)

    def __contains__(self, name: str) -> bool:
        """Returns whether a folder is part of the application: `"review" in features`."""
        return name in self.folders

    @cached_property
    def folders(self) -> frozenset[str]:
        """The names of the folders that declare a part."""
        return frozenset(folder_of(one) for name in LISTS for one in getattr(self, name))

    @cached_property
    def by_name(self) -> Mapping[str, Operation[Any]]:
        """The operations by name."""
        return {operation.name: operation for operation in self.operations}

    def name_of(self, channel: Channel, operation: str) -> str:
        """Returns how messages name an operation for the callers of an interface (decisions, section 11)."""
        found = self.by_name.get(operation)
        return found.name_on(channel) if found else f"`{operation}`"


LISTS = ("operations", "features")


def folder_of(part: Any) -> str:
    """Returns the name of the folder in `app` that declares a part of a list."""
    if isinstance(part, Feature):
        return part.name
    function: Callable[..., Any] = getattr(part, "function", part)
    return function.__module__.split(".")[1]


def by_class_name(*enums: type[StrEnum]) -> Mapping[str, Iterable[str]]:
    """Returns closed lists of words by the names of their classes."""
    return {words.__name__: words for words in enums}


NO_FEATURES = Features()
"""Lists without entries, for code that needs none of them."""

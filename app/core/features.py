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
from types import UnionType
from typing import TYPE_CHECKING, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from typing_extensions import TypedDict, get_original_bases, is_typeddict

if TYPE_CHECKING:
    from app.core.operation import Operation
    from app.core.schemas.fields import Schema
    from app.core.vocabulary import Channel

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Feature:
    """What one folder adds to the records and operations of others, besides the four lists.

    Use it in the folder's `feature.py`, once; a folder that only adds operations, gates, consumers or jobs needs none.
    """

    name: str
    """The folder's name."""
    responses: Mapping[Any, type] = field(default_factory=dict)
    """TypedDicts with the keys that it adds to the responses of others, and to those that extend them."""
    schemas: Mapping[type[Schema], type[Schema]] = field(default_factory=dict)
    """Schemas with the fields that it adds to the requests of others, and to the schemas that extend them."""

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

    def schema_of(self, schema: type[T]) -> type[T]:
        """Returns a schema of requests with the fields that features add to it."""
        if schema not in self._composed:
            added = [
                mixin
                for feature in self.features
                for extended, mixin in feature.schemas.items()
                if issubclass(schema, extended) and not issubclass(schema, mixin)
            ]
            own = {"__doc__": schema.__doc__, "__module__": schema.__module__}
            made = type(schema.__name__, (*reversed(added), schema), own) if added else schema
            self._composed[schema] = made
        return cast(type[T], self._composed[schema])

    def response_of(self, response: type[T]) -> type[T]:
        """Returns the TypedDict of a response with the keys that features add to it, and to those that it holds."""
        if response not in self._composed:
            own = get_type_hints(response, include_extras=True)
            added: dict[str, Any] = {}
            for feature in self.features:
                for extended, keys in feature.responses.items():
                    if extended in _lineage(response):
                        added |= get_type_hints(keys, include_extras=True)
            hints = {name: self._composed_hint(hint) for name, hint in (own | added).items()}
            is_own = not added and all(hint is own[name] for name, hint in hints.items())
            self._composed[response] = response if is_own else _typed_dict(response, hints)
        return cast(type[T], self._composed[response])

    def _composed_hint(self, hint: Any) -> Any:
        """Returns the type of a key with what features add to the TypedDicts in it."""
        if is_typeddict(hint):
            return self.response_of(hint)
        parts = get_args(hint)
        composed = tuple(map(self._composed_hint, parts))
        if all(one is part for one, part in zip(composed, parts, strict=True)):
            return hint
        origin: Any = get_origin(hint)
        return (Union if origin is UnionType else origin)[composed[0] if len(composed) == 1 else composed]

    @cached_property
    def _composed(self) -> dict[Any, Any]:
        """The schemas and responses that were composed, by the declared ones."""
        return {}

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


def _lineage(response: Any) -> set[Any]:
    """Returns a TypedDict and those that it extends, of which its class has no trace but its original bases."""
    bases = [one for one in get_original_bases(response) if is_typeddict(one)]
    return {response}.union(*map(_lineage, bases))


def _typed_dict(response: type, hints: dict[str, Any]) -> Any:
    """Returns a TypedDict with other keys, and the name and the docstring of a response."""
    made = cast(Any, TypedDict)(response.__name__, hints)
    made.__doc__, made.__module__ = response.__doc__, response.__module__
    return made


NO_FEATURES = Features()
"""Lists without entries, for code that needs none of them."""

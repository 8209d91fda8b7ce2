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
    from app.core.calls import Call
    from app.core.context import Context
    from app.core.errors import Refusal
    from app.core.operation import Operation
    from app.core.vocabulary import Channel


@dataclass(frozen=True, eq=False)
class Gate:
    """What else refuses operations on a document or a category, besides what they refuse themselves.

    Use it for a demand of a project on moves and changes; declare it in the folder's `gates.py`. Use a `WriteGate` for
    what holds for all writes alike, and a plain rule for what one operation of the same folder refuses.
    """

    guards: tuple[str, ...]
    """The operations, by name. On `restore_document` a refusal only keeps the document off the website."""
    refuse: Callable[[Any, Any, Call], None]
    """Takes the facts that `read` returned, the record and the call, and raises a refusal; pure."""
    read: Callable[[Any], Any] | None = None
    """Takes the `Attempt` and returns the facts, once a call; None where the record and the call say it all."""
    errors: tuple[type[Refusal], ...] = ()
    """The errors that it raises."""
    last: bool = False
    """Whether it comes last of all refusals, and reads only where nothing else refuses, instead of directly after the
    record's status."""


@dataclass(frozen=True, eq=False)
class WriteGate:
    """What else refuses every write of a project, whatever is written.

    Use it for what an operator stops or counts; never for what depends on the record that is written.
    """

    name: str
    """The folder's name."""
    errors: Callable[[Operation[Any]], Sequence[type[Refusal]]] = lambda operation: ()
    """Returns the errors that it raises on an operation that writes."""
    permit: Callable[[Context], None] = lambda ctx: None
    """Raises a refusal before the body is read, from what authentication read."""
    before: Callable[[Context], None] = lambda ctx: None
    """Raises a refusal at each try of the write."""
    after: Callable[[Context, bool], None] = lambda ctx, publishes: None
    """Raises a refusal after something was written, inside the transaction; `publishes` is the operation's."""
    needs_transaction: Callable[[Context], bool] = lambda ctx: False
    """Returns whether `after` writes too."""
    ask: Callable[[Context], Mapping[bool, Refusal | None]] = lambda ctx: {}
    """Returns the refusal of `after`, by whether the operation publishes, for the list of actions."""
    closes: Callable[[Mapping[str, Any]], Refusal | None] = lambda project: None
    """Returns why nothing is written to a project by who has no token: the worker, and who accepts an invitation."""


@dataclass(frozen=True)
class Feature:
    """What one folder adds to the records and operations of others, besides the four lists.

    Use it in the folder's `feature.py`, once; a folder that only adds operations, gates, consumers or jobs needs none.
    """

    name: str
    """The folder's name."""
    requires_review: Callable[[Any], bool] = lambda project: False
    """Returns whether a setting of a project counts as `reviewRequired`."""


@dataclass(frozen=True, eq=False)
class Features:
    """The lists of one application, in the order that the contract gives them.

    Use it to ask what an application has; the lists themselves are in `app/features.py`. Never add to it at run time.
    """

    operations: tuple[Operation[Any], ...] = ()
    features: tuple[Feature, ...] = ()
    gates: tuple[Gate, ...] = ()
    write_gates: tuple[WriteGate, ...] = ()

    def without(self, *names: str) -> Features:
        """Returns the lists without the parts of some folders."""
        kept = {name: tuple(one for one in getattr(self, name) if folder_of(one) not in names) for name in LISTS}
        return replace(self, **kept)

    @cached_property
    def by_name(self) -> Mapping[str, Operation[Any]]:
        """The operations by name."""
        return {operation.name: operation for operation in self.operations}

    def errors_of(self, operation: Operation[Any]) -> frozenset[type[Refusal]]:
        """Returns the errors that an operation declares, and those of its gates."""
        guarding = (gate.errors for gate in self.gates if operation.name in gate.guards)
        of_writes = () if operation.reads else (gate.errors(operation) for gate in self.write_gates)
        return frozenset(operation.errors).union(*guarding, *of_writes)

    def if_closed(self, project: Mapping[str, Any]) -> Refusal | None:
        """Returns why the worker and who accepts an invitation write nothing to a project; None where they do."""
        return next((refusal for gate in self.write_gates if (refusal := gate.closes(project))), None)

    def name_of(self, channel: Channel, operation: str) -> str:
        """Returns how messages name an operation for the callers of an interface (decisions, section 11)."""
        found = self.by_name.get(operation)
        return found.name_on(channel) if found else f"`{operation}`"


LISTS = ("operations", "features", "gates", "write_gates")


def folder_of(part: Any) -> str:
    """Returns the name of the folder in `app` that declares a part of a list."""
    if isinstance(part, Feature | WriteGate):
        return part.name
    function: Callable[..., Any] = part.refuse if isinstance(part, Gate) else getattr(part, "function", part)
    return function.__module__.split(".")[1]


NO_FEATURES = Features()
"""Lists without entries, for code that needs none of them."""

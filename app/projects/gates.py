"""How an operation meets the gates that the application's list has for it.

Needs no feature: `app/features.py` lists the gates, and here they read what they need of one call.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from app.core.calls import Call
from app.core.context import Context
from app.core.errors import Refusal, refusal_of
from app.core.features import Gate
from app.core.operation import Operation
from app.core.schemas.loading import Fields
from app.core.store.bodies import Bodies
from app.projects.rules import StoredProject
from app.projects.store import Projects


@dataclass
class Attempt:
    """A call that changes a document or a category, or asks what it could change; gates read it."""

    ctx: Context
    record: Any
    call: Call
    fields: Fields | None = None
    """What is to be changed, or was sent; None where a valid call is assumed."""
    text: str | None = None
    """The document's text, if it was read already."""
    facts: dict[Gate, Any] = field(default_factory=dict)
    """What the gates read, or is known already."""
    recent: bool = False
    """Whether the project's settings of up to 3 s ago do."""
    reads: bool = True
    """Whether gates that have to read are asked too."""

    @cached_property
    def project(self) -> StoredProject:
        """The project's settings, read once."""
        projects = self.ctx.store[Projects]
        return (projects.recent_settings if self.recent else projects.settings)(self.ctx.project_id)

    @property
    def markdown(self) -> str:
        """The document's text, read once."""
        if self.text is None:
            body_id = self.record.get("contentId")
            self.text = self.ctx.store[Bodies].get_texts(self.ctx.project_id, [body_id])[body_id] if body_id else ""
        return self.text

    def call_for(self, operation: str) -> Call:
        """Returns the call with the gates that an operation passes directly after the record's status."""
        return replace(self.call, gates=tuple(self._gates(operation, last=False)))

    def refuse_last(self, operation: str) -> None:
        """Raises the first refusal of the gates of an operation that come after all other refusals."""
        for refuse in self._gates(operation, last=True):
            refuse(self.record, self.call)

    def if_refused(self, operation: Operation[Any]) -> Refusal | None:
        """Returns why the rule of an operation or its gates refuse a valid call; None where they do not."""

        def run() -> None:
            if operation.rule:
                operation.rule(self.record, self.call_for(operation.name))
            self.refuse_last(operation.name)

        return refusal_of(run)

    def _gates(self, operation: str, *, last: bool) -> Iterator[Callable[[Mapping[str, Any], Call], None]]:
        for gate in self.ctx.features.gates:
            if operation in gate.guards and gate.last == last and (self.reads or not gate.read):
                yield partial(gate.refuse, self._facts(gate))

    def _facts(self, gate: Gate) -> Any:
        if gate not in self.facts:
            self.facts[gate] = gate.read(self) if gate.read else None
        return self.facts[gate]

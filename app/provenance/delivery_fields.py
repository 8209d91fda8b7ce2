"""The disclosure of a document as a field of the delivery API (decisions, section 18)."""

from typing import Any

import strawberry
from strawberry import field

from app.core.features import DeliveryField
from app.delivery.queries import DeliveredDocument
from app.provenance.delivery import delivered_disclosure


@strawberry.type(description="What a publisher discloses of how a text came about.")
class Disclosure:
    value: str = field(
        description="`human-only`: it has no agent's words. `ai-assisted`: it has, and a person attested a review. "
        "`ai-autonomous`: it has, without that."
    )
    models: list[str] = field(description="The models that were declared for it.")
    reviewed_at: str | None = field(description="When a person reviewed it; null if no review is recorded.")
    responsible: str | None = field(description="Who answers for it; null where nobody is named.")


def _disclosure(document: strawberry.Parent[DeliveredDocument], info: strawberry.Info) -> Any:
    return delivered_disclosure(info.context.query, document)


DISCLOSURE = DeliveryField(
    "provenance",
    "Document",
    field(
        name="disclosure",
        graphql_type=Disclosure,
        resolver=_disclosure,
        description="How the published text came about; of a draft, the present one.",
    ),
)

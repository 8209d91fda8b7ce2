"""What a cluster may hold (contract: Intent fields for kind `cluster`)."""

from app.fields.checks import not_blank
from app.fields.types import Schema, StrictString, StringList, StringToConfirm

_NAME = "the cluster's name, unique in the project ignoring case"


class DraftClusterFields(Schema):
    """The fields of a cluster draft."""

    name: StrictString = StringToConfirm(100, not_blank, description=_NAME, example="Sourdough")
    description = StrictString(2_000, description="what the topic covers", example="Wild yeast at home")
    keywords = StringList(50, 100, description="keywords the topic targets", example=["sourdough", "levain"])


class ClusterChanges(DraftClusterFields):
    """What PATCH of a cluster may carry; null clears, but not the name."""

    name = StrictString(100, not_blank, description=_NAME, allow_none=False)

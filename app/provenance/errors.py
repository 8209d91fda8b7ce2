"""The refusal of an approval without the record of a person's review."""

from typing import Annotated

from typing_extensions import TypedDict

from app.core.documented import doc
from app.core.errors import Refusal


class HumanReviewRequired(Refusal, status=409):
    """A person has to approve this with `review`, in which `facts` is true and `examined` says what they examined; an
    agent can't attest a person's review.
    """

    class Keys(TypedDict):
        missing: Annotated[
            list[str], doc("what lacks: `review`, its `facts` or `examined`, or a `person`", ["facts", "examined"])
        ]

"""The refusal of an approval without the record of a person's review."""

from app.core.errors import Refusal


class HumanReviewRequired(Refusal, status=409):
    """A person has to approve this with `review`, in which `facts` is true and `examined` says what they examined; an
    agent can't attest a person's review.
    """

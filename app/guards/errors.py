"""Refusals of the guard rails (decisions, section 13)."""

from typing import Annotated

from typing_extensions import TypedDict

from app.core.actors import Actor, Note
from app.core.documented import Timestamp, doc, one_of
from app.core.errors import Refusal
from app.guards.vocabulary import BudgetLimit


class FourEyes(Refusal, status=409):
    """This version was made or submitted by your token, or by another of the same agent: the project demands that
    somebody else approves, schedules or publishes it.
    """

    class Keys(TypedDict):
        by: Annotated[Actor, doc("who made or submitted the version")]


class ProjectFrozen(Refusal, status=409):
    """The project is frozen: nothing can be written until somebody with the scope `admin` unfreezes it."""

    Keys = Note


class BudgetExceeded(Refusal, status=429):
    """The token's budget is used up: wait as long as the response says, then send the request again."""

    class Keys(TypedDict):
        budget: Annotated[str, one_of(BudgetLimit), doc("the limit")]
        resetsAt: Annotated[Timestamp, doc("when the next hour or day begins")]

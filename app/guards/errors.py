"""Refusals of the guard rails (decisions, section 13)."""

from app.core.errors import Refusal


class FourEyes(Refusal, status=409):
    """This version was made or submitted by your token, or by another of the same agent: the project demands that
    somebody else approves, schedules or publishes it.
    """


class ProjectFrozen(Refusal, status=409):
    """The project is frozen: nothing can be written until somebody with the scope `admin` unfreezes it."""


class BudgetExceeded(Refusal, status=429):
    """The token's budget is used up: wait as long as the response says, then send the request again."""

"""The refusal of a submit whose checks fail."""

from typing import Annotated

from typing_extensions import TypedDict

from app.checks.rules import FAILED_CHECK, CheckResult
from app.core.documented import doc
from app.core.errors import Refusal


class ChecksFailed(Refusal, status=409):
    """The project demands checks that fail: correct what `checks` lists, then submit again."""

    class Keys(TypedDict):
        checks: Annotated[list[CheckResult], doc("every failure of a check whose level is `error`", [FAILED_CHECK])]

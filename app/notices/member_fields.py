"""The keys of members and projects that say how somebody is notified (decisions, section 19)."""

from typing import Annotated

from typing_extensions import TypedDict

from app.core.documented import doc, one_of
from app.notices.vocabulary import LISTED_TOKEN_KINDS, Digest


class Notify(TypedDict):
    """How a member is told of what waits for them (decisions, section 19)."""

    email: Annotated[bool, doc("whether by e-mail")]
    slack: Annotated[str | None, doc("the last four characters of an incoming webhook's URL; null: none", "…x7Qd")]
    digest: Annotated[str, one_of(Digest), doc("at once, daily, or not", "daily")]
    hour: Annotated[int, doc("the hour of the daily one, UTC", 7)]


NO_NOTICES = Notify(email=False, slack=None, digest=Digest.OFF, hour=7)


class MemberKeys(TypedDict):
    """The setting of a member."""

    notify: Annotated[Notify, doc("how they are told of what waits for them")]


class TokenKeys(TypedDict):
    """The kind of a token, which may be a calendar's."""

    kind: Annotated[str, one_of(LISTED_TOKEN_KINDS), doc("which API it opens; a calendar's opens that calendar alone")]


class ProjectKeys(TypedDict):
    """The setting of a project."""

    slack: Annotated[str | None, doc("where notices for everybody go, by its last four characters; null: nowhere")]

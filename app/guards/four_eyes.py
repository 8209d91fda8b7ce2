"""Who counts as the author of a version, so that somebody else publishes it (decisions, section 13)."""

from collections.abc import Callable, Iterable, Mapping, Set
from typing import NotRequired, cast

from app.core.actors import Actor
from app.documents.record import StoredRevision
from app.projects.rules import StoredToken


class RevertedRevision(StoredRevision):
    """A version of a document, with the work that it undoes."""

    reverts: NotRequired[str]
    """The id of the token whose work it undoes."""
    revertsTo: NotRequired[int]
    """The version that it restores."""
    undone: NotRequired[bool]
    """True if it was undone, or undoes other versions."""


NOBODY: Set[str] = frozenset()
Find = Callable[[int], StoredRevision | None]


def makers_of(version: int, find: Find, find_read_before: Find) -> list[Actor]:
    """Returns who counts as an author of a version, beginning with the one who wrote it.

    Of a version by a script the authors of the newest version before it that no script wrote count too, since a script
    read nothing; of a revert only those of the version that it restores. `find` returns a version by its number,
    `find_read_before` the newest one before a number that no script wrote.
    """
    makers: list[Actor] = []
    revision = find(version)
    while revision is not None:
        if (target := cast(RevertedRevision, revision).get("revertsTo")) is not None:
            revision = find(target)
            continue
        makers.append(revision["by"])
        revision = find_read_before(revision["version"]) if revision.get("scripted") else None
    return makers


def same_eyes(
    token_id: str, makers: Iterable[Actor], submitted_by: Actor | None, persons: Mapping[str, Set[str]]
) -> Actor | None:
    """Returns the author of a version, else its last submitter, if that counts as the token; of several, the token.

    `persons` has, by token id, whose the token is: two tokens that have something of that in common count as one.
    """

    def is_same(by: Actor) -> bool:
        maker = by["id"] or ""
        return maker == token_id or not persons.get(token_id, NOBODY).isdisjoint(persons.get(maker, NOBODY))

    for actors in (makers, [submitted_by] if submitted_by else []):
        if same := [*filter(is_same, actors)]:
            return min(same, key=lambda by: by["id"] != token_id)
    return None


def persons_of(tokens: Mapping[str, StoredToken]) -> dict[str, Set[str]]:
    """Returns whose each token is: its own, its granter's if it is a connection, a member's, an agent's by name.

    A name that a client sends over MCP does not count.
    """
    granters = {token_id: _granter(token) or token_id for token_id, token in tokens.items()}
    return {
        token_id: {
            f"token {granters[token_id]}",
            *(f"member {member}" for one in (token_id, granters[token_id]) if (member := _member(tokens, one))),
            *((f"agent {token['agent']}",) if token.get("agent") else ()),
        }
        for token_id, token in tokens.items()
    }


def _granter(token: StoredToken) -> str | None:
    by = cast(Mapping[str, Actor | None], token).get("grantedBy")
    return by["id"] if by else None


def _member(tokens: Mapping[str, StoredToken], token_id: str) -> str | None:
    token = tokens.get(token_id)
    return token.get("memberId") if token else None

"""Who counts as the author of a version, so that somebody else publishes it (decisions, section 13)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NotRequired, cast

from app.core.actors import Actor
from app.documents.history import StoredRevision


class RevertedRevision(StoredRevision):
    """A version of a document, with the work that it undoes."""

    reverts: NotRequired[str]
    """The id of the token whose work it undoes."""
    revertsTo: NotRequired[int]
    """The version that it restores."""
    undone: NotRequired[bool]
    """True if it was undone, or undoes other versions."""


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
    token_id: str,
    makers: Sequence[Actor],
    submitted_by: Actor | None,
    agents: Mapping[str, str],
    granters: Mapping[str, str],
) -> Actor | None:
    """Returns the author of a version, else its last submitter, if that counts as the token; of several, the token.

    `agents` has the agents' names of tokens by token id; a name that a client sends does not count. `granters` has who
    agreed to connections by token id: a client counts as that person, and as the other clients that they connected,
    while the person, who reads what a client made, does not count as the client.
    """
    submitters = [submitted_by] if submitted_by else []
    return _same(token_id, makers, agents, granters) or _same(token_id, submitters, agents, granters)


def _same(
    token_id: str, actors: Iterable[Actor], agents: Mapping[str, str], granters: Mapping[str, str]
) -> Actor | None:
    agent, granter = agents.get(token_id), granters.get(token_id)

    def is_same(maker: str) -> bool:
        shares_agent = agent is not None and agents.get(maker) == agent
        return maker == token_id or shares_agent or (granter is not None and granter in (maker, granters.get(maker)))

    same = [by for by in actors if is_same(by["id"] or "")]
    return min(same, key=lambda by: by["id"] != token_id, default=None)

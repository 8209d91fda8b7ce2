"""What tests begin with: plain functions, sensible defaults, keywords for what matters to the test."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from bson import ObjectId
from flask import Flask

from app.briefs.jobs import expire_claims
from app.core.actors import SYSTEM
from app.core.context import Caller, Context, this_instant
from app.core.events import Event
from app.core.store.collection import new_id
from app.core.store.delivery_revisions import DeliveryRevisions
from app.core.store.store import Store
from app.core.vocabulary import Channel, Scope, TokenKind
from app.core.worker import ProjectByProject
from app.features import ALL
from app.projects.access import hash_of, new_secret
from app.projects.store import Projects
from app.projects.token_store import Tokens
from app.server import create_app
from app.settings import settings_of

OPERATIONS = ALL.by_name
EMPTY_BRIEF = {
    **dict.fromkeys(("audience", "intent", "keyword", "notes", "outline", "wordCount"), ""),
    "internalLinks": [],
    "referenceUrls": [],
    "state": "none",
    **dict.fromkeys(("claimedAt", "claimedBy", "claimExpiresAt")),
    "rounds": 0,
}
"""The brief of a document that has none, as it is answered."""


@dataclass(frozen=True)
class Token:
    """A token with its secret, as somebody holds it."""

    id: str
    secret: str
    caller: Caller


@dataclass(frozen=True)
class Project:
    """A project that tokens can be made for."""

    store: Store
    id: str
    team_id: str

    def token(
        self,
        name: str = "A script",
        *,
        agent: str | None = None,
        scopes: Iterable[Scope] = tuple(Scope),
        kind: TokenKind = TokenKind.MANAGEMENT,
        drafts: bool = False,
        **fields: Any,
    ) -> Token:
        """Makes a token."""
        now, secret = this_instant(), new_secret(kind)
        granted = [] if kind == TokenKind.DELIVERY else [str(scope) for scope in scopes]
        record = {
            "kind": kind,
            "name": name,
            "agent": agent,
            "scopes": granted,
            "drafts": drafts,
            "hash": hash_of(secret),
            "createdAt": now,
            "expiresAt": None,
            "lastUsedAt": now,
            "revokedAt": None,
            **fields,
        }
        made = self.store[Tokens].add(self.id, record, Event("token.created", now, SYSTEM))
        allowed = frozenset(map(Scope, granted))
        caller = Caller(
            self.id, self.team_id, made["id"], name, agent or "", allowed, drafts, token_hash=hash_of(secret)
        )
        return Token(made["id"], secret, caller)

    def context(self, token: Token | None = None, *, channel: Channel = Channel.REST, **options: Any) -> Context:
        """Makes the context of a call."""
        return Context(self.store, (token or self.token()).caller, channel, **options)


def an_app(store: Store, **settings: Any) -> Flask:
    """Makes an application; unless the settings say so, it does not limit how often it is called."""
    quiet = {"mongodb_uri": "mongodb://given", "rate_limit": 0, "failed_auth_limit": 0, "log_level": "CRITICAL"}
    return create_app(settings_of(store.features)(**{**quiet, **settings}), store, store.features)


def an_uncached_app(store: Store, **settings: Any) -> Flask:
    """Makes an application that looks tokens and sessions up on each request, as each does after a few seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.projects.access.Access.__init__.__defaults__", (0,))
        return an_app(store, **settings)


def a_project(store: Store, **fields: Any) -> Project:
    """Makes a project."""
    now = this_instant()
    record = {
        "teamId": new_id(),
        "name": "The Crust",
        "reviewRequired": False,
        "siteUrl": None,
        "claimLeaseSeconds": None,
        "createdAt": now,
        "updatedAt": now,
        **fields,
    }
    made = store[Projects].create(record)
    return Project(store, made["id"], made["teamId"])


def made(ctx: Context, kind: str, **fields: Any) -> dict[str, Any]:
    """Makes a document, cluster or category by confirming a draft, and returns its record."""
    draft = OPERATIONS[f"create_{kind}_intent"](ctx, fields=fields).body
    record: dict[str, Any] = OPERATIONS["confirm_intent"](ctx, draft["id"], fields={}).body[kind]
    return record


def a_document(ctx: Context, **fields: Any) -> dict[str, Any]:
    """Makes a document."""
    return made(ctx, "document", **{"title": "How to begin a sourdough starter", **fields})


def fill_with_categories(project: Project, number: int, **fields: Any) -> None:
    """Adds so many categories to a project by writing them to the database; they sort before any other name."""
    now = this_instant()
    shared = {"projectId": ObjectId(project.id), "description": None, "categoryId": None, "deletedAt": None, "rev": 1}
    times = {"createdAt": now, "updatedAt": now, "createdBy": SYSTEM, "outbox": []}
    project.store.database.categories.insert_many(
        [
            {**shared, **times, "name": name, "nameKey": name, "slug": name, "_id": ObjectId(), **fields}
            for name in (f"00-{index:05}" for index in range(number))
        ]
    )
    project.store[DeliveryRevisions].count(project.id, [])


def a_ready_brief(ctx: Context, **fields: Any) -> dict[str, Any]:
    """Makes a document whose brief is ready to be claimed."""
    document = a_document(ctx, **{"brief": {"keyword": "sourdough"}, **fields})
    record: dict[str, Any] = OPERATIONS["mark_brief_ready"](ctx, document["id"]).body
    return record


def an_expired_claim(project: Project, token: Token, **fields: Any) -> dict[str, Any]:
    """Makes a document whose brief the token claimed an hour ago, for a minute."""
    past = project.context(token, now=this_instant() - timedelta(hours=1))
    document = a_ready_brief(past, **fields)
    record: dict[str, Any] = OPERATIONS["claim_brief"](past, document["id"], fields={"leaseSeconds": 60}).body
    return record


def end_expired_claims(store: Store) -> None:
    """Has the worker end the claims whose lease has run out."""
    while expire_claims(store, ProjectByProject("expire claims")):
        pass

"""Tasks for agents, as data: what a person asks, the calls that do it, what must result, and what it may cost.

A step names the tool, its arguments, and `because`: the words from which an agent knows that this is the call to make.
They have to stand in the server's instructions, in the description of a listed tool, or in the refusal just met. An
argument `$claim.brief.state` is taken from the answer that an earlier step saved as `claim`; `$given.0.id` is the first
record that the project held before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

NOWHERE = "0" * 24

BRIEF = {"keyword": "sourdough", "intent": "informational", "audience": "beginners"}
TEXT = "# Sourdough\n\nFlour, water and patience."


@dataclass(frozen=True)
class Step:
    """One call of a tool."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)
    because: str = ""
    refused: str = ""
    """The `_tag` of the refusal that the call meets; empty for one that succeeds."""
    saved: str = ""
    """The name under which later steps find the answer."""
    by: str = "agent"
    """`agent`, whose calls count; `other` and `editor` act in between with tokens of their own."""


@dataclass(frozen=True)
class Task:
    """What a person asks of an agent."""

    name: str
    asks: str
    steps: tuple[Step, ...]
    results: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...]
    """Reads by the project's owner afterwards: tool, arguments, and what the answer must hold."""
    calls: int
    """The most calls that the agent may need."""
    bytes: int
    """The most bytes that the answers to its calls may have together."""
    given: tuple[tuple[str, dict[str, Any]], ...] = ()
    """What the project holds before: a `document`, `category` or `cluster` with its fields, or a `ready` document."""


READY = ("ready", {"title": "Sourdough", "brief": BRIEF})
ANOTHER_READY = ("ready", {"title": "Rye", "brief": {"keyword": "rye"}, "dueDate": "2099-01-01"})

CLAIM_NEXT = Step(
    "claim_next_brief", {"leaseSeconds": 1800}, "To write: `claim_next_brief` with `leaseSeconds`", "", "claim"
)
GET_BRIEF = Step("get_brief", {"documentId": "$claim.id"}, "Next: `get_brief`, `write_content`", "", "brief")
WRITE = Step(
    "write_content",
    {"documentId": "$claim.id", "markdown": TEXT, "baseVersion": "$brief.version"},
    "`write_content` with the brief's `version` as `baseVersion`",
)
SUBMIT = Step("submit_document", {"documentId": "$claim.id"}, "then `submit_document`")
IN_REVIEW = ("get_document", {"documentId": "$claim.id"}, {"status": "review", "brief": {"state": "drafted"}})


def claimed_by(who: str, number: int = 0) -> Step:
    return Step("claim_brief", {"documentId": f"$given.{number}.id"}, by=who)


TASKS = (
    Task(
        "write_the_next_brief",
        "Write what is waiting.",
        (CLAIM_NEXT, GET_BRIEF, WRITE, SUBMIT),
        (IN_REVIEW,),
        calls=4,
        bytes=10_100,
        given=(READY,),
    ),
    Task(
        "write_a_brief_by_its_title",
        "Write the piece on rye.",
        (
            Step("list_briefs", {}, "List briefs, by default those that are ready", "", "briefs"),
            Step("claim_brief", {"documentId": "$given.1.id"}, "Claim a ready brief", "", "claim"),
            GET_BRIEF,
            WRITE,
            SUBMIT,
        ),
        (IN_REVIEW,),
        calls=5,
        bytes=10_700,
        given=(READY, ANOTHER_READY),
    ),
    Task(
        "find_no_work",
        "Write what is waiting.",
        (Step("claim_next_brief", {}, "Use it to get work.", "NoBriefReady"),),
        (("list_briefs", {}, {"items": []}),),
        calls=1,
        bytes=500,
    ),
    Task(
        "give_up",
        "Write what is waiting; stop when you lack the facts.",
        (
            CLAIM_NEXT,
            Step("release_brief", {"documentId": "$claim.id"}, "If you can't finish, call `release_brief`"),
        ),
        (("list_briefs", {}, {"items": [{"title": "Sourdough", "state": "ready"}]}),),
        calls=2,
        bytes=6_000,
        given=(READY,),
    ),
    Task(
        "lose_a_claim_to_another",
        "Write the piece on sourdough, or another one.",
        (
            claimed_by("other"),
            Step("claim_brief", {"documentId": "$given.0.id"}, "Claim a ready brief", "BriefClaimed"),
            Step("claim_next_brief", {}, "Claim another with `claim_next_brief`", "", "claim"),
            GET_BRIEF,
            WRITE,
            SUBMIT,
        ),
        (IN_REVIEW, ("get_brief", {"documentId": "$given.0.id"}, {"brief": {"state": "claimed"}})),
        calls=5,
        bytes=10_600,
        given=(READY, ANOTHER_READY),
    ),
    Task(
        "claim_what_is_claimed_already",
        "Go on with the piece on sourdough.",
        (
            Step("claim_brief", {"documentId": "$given.0.id"}, "Claim a ready brief", "", "claim"),
            Step("claim_brief", {"documentId": "$given.0.id"}, "Claim a ready brief", "BriefClaimed"),
            Step("get_brief", {"documentId": "$claim.id"}, "Go on with `get_brief` and `write_content`", "", "brief"),
            WRITE,
            SUBMIT,
        ),
        (IN_REVIEW,),
        calls=5,
        bytes=11_000,
        given=(READY,),
    ),
    Task(
        "offer_a_brief_before_claiming_it",
        "Write the piece on oats; nobody else does.",
        (
            Step("claim_brief", {"documentId": "$given.0.id"}, "Claim a ready brief", "BriefNotReady"),
            Step("mark_brief_ready", {"documentId": "$given.0.id"}, "offer it with `mark_brief_ready` first"),
            Step("claim_brief", {"documentId": "$given.0.id"}, "Claim a ready brief", "", "claim"),
            GET_BRIEF,
            WRITE,
            SUBMIT,
        ),
        (IN_REVIEW,),
        calls=6,
        bytes=12_600,
        given=(("document", {"title": "Oats", "brief": {"keyword": "oats"}}),),
    ),
    Task(
        "renew_a_lease",
        "Write what is waiting, and take your time.",
        (
            CLAIM_NEXT,
            Step(
                "renew_claim", {"documentId": "$claim.id", "leaseSeconds": 3600}, "Call `renew_claim` before the lease"
            ),
            GET_BRIEF,
            WRITE,
            SUBMIT,
        ),
        (IN_REVIEW,),
        calls=5,
        bytes=13_000,
        given=(READY,),
    ),
    Task(
        "submit_before_writing",
        "Write what is waiting.",
        (
            CLAIM_NEXT,
            Step("submit_document", {"documentId": "$claim.id"}, "Submit a document for review.", "BadRequest"),
            GET_BRIEF,
            WRITE,
            SUBMIT,
        ),
        (IN_REVIEW,),
        calls=5,
        bytes=10_600,
        given=(READY,),
    ),
    Task(
        "merge_after_a_conflict",
        "Write what is waiting.",
        (
            CLAIM_NEXT,
            GET_BRIEF,
            Step("update_document", {"documentId": "$claim.id", "title": "Sourdough bread"}, by="script"),
            Step(WRITE.tool, WRITE.arguments, WRITE.because, "VersionConflict"),
            Step(
                "get_document", {"documentId": "$claim.id"}, "read it again, merge, and send its `version`", "", "brief"
            ),
            WRITE,
            SUBMIT,
        ),
        (IN_REVIEW, ("get_document", {"documentId": "$claim.id"}, {"title": "Sourdough bread"})),
        calls=6,
        bytes=13_700,
        given=(READY,),
    ),
    Task(
        "revise_after_a_review",
        "The editor wants changes to the piece on sourdough.",
        (
            CLAIM_NEXT,
            GET_BRIEF,
            WRITE,
            SUBMIT,
            Step("request_changes", {"documentId": "$claim.id", "note": "Say which flour."}, by="editor"),
            Step("get_document", {"documentId": "$claim.id"}, "Read a document.", "", "brief"),
            Step("read_document_content", {"documentId": "$claim.id"}, "read it in parts with `read_document_content`"),
            Step(WRITE.tool, {**WRITE.arguments, "markdown": TEXT + " Rye flour."}, WRITE.because),
            SUBMIT,
        ),
        (IN_REVIEW, ("get_document", {"documentId": "$claim.id"}, {"reviewNote": "Say which flour.", "version": 3})),
        calls=8,
        bytes=18_800,
        given=(READY,),
    ),
    Task(
        "plan_a_document",
        "Plan a piece on spelt for beginners and have it written.",
        (
            Step(
                "create_document_intent",
                {"title": "Spelt", "status": "planned", "brief": BRIEF},
                "To plan: `create_document_intent`",
                "",
                "draft",
            ),
            Step("validate_intent", {"intentId": "$draft.id"}, "`validate_intent`, `confirm_intent`"),
            Step("confirm_intent", {"intentId": "$draft.id"}, "`confirm_intent`, then `mark_brief_ready`", "", "made"),
            Step("mark_brief_ready", {"documentId": "$made.document.id"}, "Next, for a document with a brief"),
        ),
        (("list_briefs", {}, {"items": [{"title": "Spelt", "state": "ready"}]}), ("list_intents", {}, {"items": []})),
        calls=4,
        bytes=6_900,
    ),
    Task(
        "correct_a_draft",
        "Plan a piece on spelt, due in February.",
        (
            Step(
                "create_document_intent",
                {"dueDate": "February", "categoryId": NOWHERE, "brief": {"intent": "learn"}},
                "To plan: `create_document_intent`",
                "",
                "draft",
            ),
            Step("confirm_intent", {"intentId": "$draft.id"}, "`confirm_intent`", "IntentInvalid"),
            Step(
                "update_document_intent",
                {
                    "intentId": "$draft.id",
                    "title": "Spelt",
                    "dueDate": "2027-02-28",
                    "categoryId": None,
                    "brief": BRIEF,
                },
                "correct what `errors` lists with an update, then confirm again",
            ),
            Step("confirm_intent", {"intentId": "$draft.id"}, "then `confirm_intent`", "", "made"),
        ),
        (("get_document", {"documentId": "$made.document.id"}, {"title": "Spelt", "dueDate": "2027-02-28"}),),
        calls=4,
        bytes=6_200,
    ),
    Task(
        "plan_a_category_with_a_document",
        "Open a category for grains and put a piece on spelt in it.",
        (
            Step(
                "create_category_intent", {"name": "Grains", "slug": "grains"}, "Create a category draft.", "", "draft"
            ),
            Step("confirm_intent", {"intentId": "$draft.id"}, "Next: `confirm_intent`.", "", "made"),
            Step(
                "create_document_intent",
                {"title": "Spelt", "categoryId": "$made.category.id"},
                "To plan: `create_document_intent`",
                "",
                "second",
            ),
            Step("confirm_intent", {"intentId": "$second.id"}, "`confirm_intent`", "", "document"),
        ),
        (
            ("get_document", {"documentId": "$document.document.id"}, {"categoryId": "$made.category.id"}),
            ("get_category", {"categoryId": "$made.category.id"}, {"name": "Grains"}),
        ),
        calls=4,
        bytes=5_800,
    ),
    Task(
        "plan_a_cluster",
        "Start a topic on flour with its keywords.",
        (
            Step(
                "create_cluster_intent",
                {"name": "Flour", "keywords": ["flour"]},
                "Create a cluster draft.",
                "",
                "draft",
            ),
            Step("confirm_intent", {"intentId": "$draft.id"}, "Next: `confirm_intent`.", "", "made"),
        ),
        (("get_cluster", {"clusterId": "$made.cluster.id"}, {"name": "Flour", "keywords": ["flour"]}),),
        calls=2,
        bytes=2_000,
    ),
    Task(
        "take_up_a_draft",
        "Finish what you began yesterday.",
        (
            Step("create_document_intent", {"title": "Spelt"}, "To plan: `create_document_intent`", "", "draft"),
            Step("list_intents", {"kind": "documents"}, "Look here for drafts you began earlier", "HttpApiDecodeError"),
            Step("list_intents", {"kind": "document"}, "Must be one of document, cluster, category.", "", "drafts"),
            Step("confirm_intent", {"intentId": "$drafts.items.0.id"}, "`confirm_intent`", "", "made"),
        ),
        (("get_document", {"documentId": "$made.document.id"}, {"title": "Spelt"}),),
        calls=4,
        bytes=5_200,
    ),
    Task(
        "retry_a_lost_answer",
        "Plan a piece on spelt; the connection is bad.",
        (
            Step(
                "create_document_intent",
                {"title": "Spelt", "idempotencyKey": "spelt-1"},
                "Every tool that writes takes `idempotencyKey`",
                "",
                "draft",
            ),
            Step(
                "create_document_intent",
                {"title": "Spelt", "idempotencyKey": "spelt-1"},
                "send the same one when you retry that call",
                "",
                "again",
            ),
            Step("confirm_intent", {"intentId": "$again.id"}, "`confirm_intent`", "", "made"),
        ),
        (("list_documents", {}, {"items": [{"title": "Spelt", "id": "$made.document.id"}]}),),
        calls=3,
        bytes=4_500,
    ),
    Task(
        "find_by_words",
        "Do we have something on rye?",
        (
            Step("list_documents", {"search": "rye"}, "List documents", "HttpApiDecodeError"),
            Step("list_documents", {"q": "rye"}, "`q`", "", "found"),
        ),
        (("get_document", {"documentId": "$found.items.0.id"}, {"title": "Rye"}),),
        calls=2,
        bytes=3_700,
        given=(READY, ANOTHER_READY),
    ),
    Task(
        "find_by_category",
        "What is in the category Bread?",
        (
            Step("list_categories", {}, "List the project's categories by name.", "", "categories"),
            Step("list_documents", {"category": "$categories.items.0.id"}, "List documents", "HttpApiDecodeError"),
            Step(
                "list_documents", {"categoryId": ["$categories.items.0.id"]}, "did you mean `categoryId`?", "", "found"
            ),
        ),
        (("list_documents", {"categoryId": ["$given.0.id"]}, {"items": [{"id": "$found.items.0.id"}]}),),
        calls=3,
        bytes=4_500,
        given=(
            ("category", {"name": "Bread", "slug": "bread"}),
            ("document", {"title": "Oats", "categoryId": "$given.0.id"}),
        ),
    ),
    Task(
        "move_a_due_date",
        "The piece on rye is due a week later, on 8 January 2099.",
        (
            Step("list_documents", {"q": "rye"}, "List documents", "", "found"),
            Step(
                "update_document",
                {"documentId": "$found.items.0.id", "dueDate": "2099-01-08"},
                "Change fields of a document",
            ),
        ),
        (("get_document", {"documentId": "$found.items.0.id"}, {"dueDate": "2099-01-08"}),),
        calls=2,
        bytes=5_300,
        given=(ANOTHER_READY,),
    ),
    Task(
        "choose_another_slug",
        "Give the piece on rye the slug `sourdough`.",
        (
            Step("update_document", {"documentId": "$given.1.id", "slug": "sourdough"}, "Change fields", "SlugTaken"),
            Step("update_document", {"documentId": "$given.1.id", "slug": "sourdough-rye"}, "choose another"),
        ),
        (("get_document", {"documentId": "$given.1.id"}, {"slug": "sourdough-rye"}),),
        calls=2,
        bytes=3_200,
        given=(READY, ANOTHER_READY),
    ),
    Task(
        "read_a_long_text",
        "Summarise the piece on oats.",
        (
            Step(
                "read_document_content",
                {"documentId": "$given.0.id"},
                "Read a document's markdown in parts.",
                "",
                "part",
            ),
            Step(
                "read_document_content",
                {"documentId": "$given.0.id", "offset": "$part.nextOffset"},
                "Read on with `nextOffset` as `offset` until it is null.",
                "",
                "rest",
            ),
        ),
        (("read_document_content", {"documentId": "$given.0.id", "offset": 20_000}, {"markdown": "$rest.markdown"}),),
        calls=2,
        bytes=55_000,
        given=(("document", {"title": "Oats", "markdown": "oats " * 5_000}),),
    ),
    Task(
        "bring_an_earlier_version_back",
        "Undo the last change of the text on oats.",
        (
            Step("write_content", {"documentId": "$given.0.id", "markdown": "gone", "baseVersion": 1}, by="script"),
            Step("list_revisions", {"documentId": "$given.0.id"}, "List a document's versions", "", "versions"),
            Step(
                "restore_revision",
                {"documentId": "$given.0.id", "version": 1, "baseVersion": "$versions.items.0.version"},
                "Make an earlier version the newest",
            ),
        ),
        (("read_document_content", {"documentId": "$given.0.id"}, {"markdown": "oats", "version": 3}),),
        calls=2,
        bytes=4_300,
        given=(("document", {"title": "Oats", "markdown": "oats"}),),
    ),
    Task(
        "leave_publishing_to_people",
        "Publish the piece on oats.",
        (
            Step("publish_document", {"documentId": "$given.0.id"}, "", "Forbidden"),
            Step("submit_document", {"documentId": "$given.0.id"}, "a person or an editor approves and publishes"),
        ),
        (("get_document", {"documentId": "$given.0.id"}, {"status": "review", "isPublished": False}),),
        calls=2,
        bytes=3_100,
        given=(("document", {"title": "Oats", "markdown": "oats"}),),
    ),
)

"""Another project, with one of everything that can be named in it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from bson import ObjectId
from bson.raw_bson import RawBSONDocument

from app.changes.cursors import ChangesCursor
from app.core.store.outbox import Outboxes
from app.delivery.places import ListPlace
from app.events.rules import cursor_of
from tests.make import Project
from tests.valid_calls import PICTURE, Scene

WORD, OTHER_WORD = "zanzibar", "timbuktu"
"""What everything in the other project is called, and a word of the same length that nothing is called."""
NO_ID = "0123456789abcdef01234567"
"""An id that never existed."""

KINDS = (
    "document",
    "draft",
    "category",
    "cluster",
    "member",
    "invitation",
    "token",
    "webhook",
    "image",
    "delivery",
    "thread",
    "source",
    "link",
)
"""What has an id."""


@dataclass(frozen=True)
class Theirs:
    """The other project: what names its records, by kind, and the same for records that never existed."""

    project: Project
    values: Mapping[str, tuple[str, ...]]
    never: Mapping[str, str]

    @cached_property
    def ids(self) -> set[bytes]:
        """The ids of its records, as MongoDB stores them."""
        return {ObjectId(one).binary for kind in KINDS for one in self.values[kind]}

    def rows(self) -> list[bytes]:
        """Returns every record of the project as its bytes."""
        return rows_of(self.project)

    def is_named_by(self, project: Project) -> bool:
        """Returns whether a record of another project refers to a record of this one."""
        return any(one in row for row in rows_of(project) for one in self.ids)


def rows_of(project: Project, *, but_token: str | None = None) -> list[bytes]:
    """Returns every record of a project as its bytes, by one command; `but_token` where the test changes a token."""
    database, own = project.store.database, ObjectId(project.id)
    raw = database.codec_options.with_options(document_class=RawBSONDocument)
    condition = {"$or": [{"projectId": own}, {"_id": own}], "_id": {"$ne": ObjectId(but_token)}}
    first, *others = sorted(database.list_collection_names())
    found = [{"$match": condition}, {"$sort": {"_id": 1}}]
    of_others = [{"$unionWith": {"coll": name, "pipeline": found}} for name in others]
    return [row.raw for row in database.get_collection(first, codec_options=raw).aggregate([*found, *of_others])]


def fill(scene: Scene) -> Theirs:
    """Makes one of everything in a project, its documents in several states."""
    named = {"title": WORD, "brief": {"keyword": WORD}, "markdown": WORD}
    category = scene.call("confirm_intent", scene.draft("category", name=WORD, slug=WORD))["category"]["id"]
    cluster = scene.call("confirm_intent", scene.draft("cluster", name=WORD))["cluster"]["id"]
    filed = {**named, "categoryId": category, "clusterId": cluster}
    member = scene.call("create_member", name=WORD, email=f"{WORD}@example.org")["id"]
    published = scene.document("publish_document", **filed)
    scene.call("update_document", published, authorId=member)
    moved = scene.document("publish_document", **filed, slug=f"{WORD}-before")
    scene.call("update_document", moved, slug=f"{WORD}-after")
    scene.call("publish_document", moved)
    scene.call("plan_documents", pieces=[{"key": WORD, **filed, "ready": True}])
    claimed = scene.document("claim_brief", **filed)
    trashed = scene.document("delete_document", **filed)
    invitation = scene.call("invite_member", member)["id"]
    webhook = scene.call("create_webhook", url=f"https://{WORD}.example.org")["id"]
    delivery = scene.call("test_webhook", webhook)["id"]
    image = scene.call("upload_image", data=PICTURE, name=WORD, alt=WORD)["id"]
    remark = {"text": WORD, "quote": {"exact": WORD}, "suggestion": WORD}
    thread = scene.call("open_thread", claimed, **remark)["id"]
    source = scene.call("add_source", claimed, title=WORD)["id"]
    link = scene.call("create_review_link", claimed, name=WORD)["id"]
    drafts = [scene.draft(kind) for kind in ("document", "cluster", "category")]
    scene.call("update_project", siteUrl=f"https://{WORD}.example.org")
    project = scene.project
    project.store[Outboxes].publish_all(project.id)
    section = scene.hash_of_content(published)
    return Theirs(
        project,
        values={
            "document": (published, claimed, trashed),
            "draft": tuple(drafts),
            "category": (category,),
            "cluster": (cluster,),
            "member": (member,),
            "invitation": (invitation,),
            "token": (scene.token.id, project.token("Another").id),
            "webhook": (webhook,),
            "image": (image,),
            "delivery": (delivery,),
            "thread": (thread,),
            "source": (source,),
            "link": (link,),
            "word": (WORD,),
            "past slug": (f"{WORD}-before",),
            "e-mail": (f"{WORD}@example.org",),
            "url": (f"https://{WORD}.example.org",),
            "cursor": (cursor_of(project.id, 1),),
            "place in a list": (ListPlace(True, datetime(2100, 1, 1, tzinfo=UTC), published).encode(project.id),),
            "place among changes": (ChangesCursor().encode(project.id),),
            "section": (section,),
        },
        never={
            **dict.fromkeys(KINDS, NO_ID),
            "word": OTHER_WORD,
            "past slug": f"{OTHER_WORD}-before",
            "e-mail": f"{OTHER_WORD}@example.org",
            "url": f"https://{OTHER_WORD}.example.org",
            "cursor": cursor_of(NO_ID, 1),
            "place in a list": ListPlace(True, datetime(2100, 1, 1, tzinfo=UTC), NO_ID).encode(NO_ID),
            "place among changes": ChangesCursor().encode(NO_ID),
            "section": NO_ID[:16],
        },
    )


MADE_UP = (
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)"), "<time>"),
    (re.compile(r"\d\d \w{3} \d{4}, \d\d:\d\d UTC"), "<time>"),
    (re.compile(r"(cwm_|cwd_|whsec_|(?<=/join#)|(?<=/review#))[\w+./=-]+"), "<secret>"),
    (re.compile(r'("cursor": ?)"[\w=-]+"'), r'\1"<cursor>"'),
)
"""What two answers to the same request differ in."""


def plain(text: str, *sent: str) -> str:
    """Returns an answer without what was sent and what is made up: ids become numbers, in the order of their places."""
    for value in sent:
        text = text.replace(value, "<sent>")
    for pattern, shown in MADE_UP:
        text = pattern.sub(shown, text)
    numbers: dict[str, str] = {}
    text = re.sub(r"\b[a-z2-7]{26}\b", "<key of a picture>", text)
    return re.sub(r"\b[0-9a-f]{24}\b", lambda id: numbers.setdefault(id[0], f"<id {len(numbers)}>"), text)

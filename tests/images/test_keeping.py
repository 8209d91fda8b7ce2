"""Which pictures are in use, and what is deleted."""

from datetime import timedelta
from functools import partial

import pytest

from app.core.context import this_instant
from app.core.store.store import Store
from app.core.vocabulary import Scope
from app.images import purging
from app.images.jobs import Sweep, tidy
from app.images.store import ImageFiles, Images
from tests.images.pictures import a_picture
from tests.images.steps import Pictures
from tests.make import Project

pytestmark = pytest.mark.needs_mongod


@pytest.mark.contract("decided-pictures.in-use")
@pytest.mark.parametrize("where", ["text", "published text", "cover", "published cover", "trash"])
def test_a_picture_that_is_used_is_not_deleted(pictures: Pictures, where: str) -> None:
    image, rest = pictures.upload(), pictures.rest
    cover = {"coverImageUrl": image["url"]} if "cover" in where else {}
    document = pictures.document("" if cover else f"Before ![]({image['url']}) after", **cover)
    if where.startswith("published"):
        pictures.publish(document)
        pictures.write(document, "Without.")
        rest.patch(f"/documents/{document}", {"coverImageUrl": None})
    if where == "trash":
        rest.delete(f"/documents/{document}")
    refused = rest.delete(f"/images/{image['id']}")

    assert (refused.status_code, refused.json["_tag"]) == (409, "ImageInUse")
    assert refused.json["usedIn"] == [{"id": document, "title": "Bread"}]
    assert rest.get(f"/images/{image['id']}").json["usedIn"] == [{"id": document, "title": "Bread"}]
    assert [one["id"] for one in rest.get("/images?used=true").json] == [image["id"]]
    assert rest.get("/images?used=false").json == []


@pytest.mark.contract("decided-pictures.in-use")
def test_earlier_versions_do_not_count(pictures: Pictures) -> None:
    image = pictures.upload()
    document = pictures.document(f"![]({image['url']})", coverImageUrl=image["url"])
    pictures.write(document, "Without.")
    pictures.rest.patch(f"/documents/{document}", {"coverImageUrl": None})

    assert pictures.rest.get("/images?used=false&count=true").headers["Total-Count"] == "1"
    assert pictures.rest.delete(f"/images/{image['id']}").status_code == 200


@pytest.mark.contract("decided-pictures.list")
def test_pictures_are_found_by_words(pictures: Pictures) -> None:
    loaf = pictures.upload(name="Round Loaf.jpg", alt="Fresh from the oven")
    pictures.upload(seed=1, name="Starter", alt="A jar")
    rest = pictures.rest

    assert [one["id"] for one in rest.get("/images?q=oven%20lo").json] == [loaf["id"]]
    assert [one["name"] for one in rest.get("/images").json] == ["Starter", "Round Loaf.jpg"]
    assert [one["name"] for one in rest.get("/images?limit=1&offset=1").json] == ["Round Loaf.jpg"]
    rest.patch(f"/images/{loaf['id']}", {"alt": "Cut open"})
    assert rest.get("/images?q=oven").json == []


@pytest.mark.contract("decided-pictures.agents")
def test_an_agent_deletes_its_own_pictures(pictures: Pictures, project: Project) -> None:
    scopes = [Scope.READ, Scope.WRITE]
    agent = Pictures(pictures.rest.by(project.token(agent="writer", scopes=scopes)), project)
    theirs, own = pictures.upload(), agent.upload(seed=1)

    assert agent.rest.delete(f"/images/{theirs['id']}").json["scope"] == "publish"
    assert agent.rest.delete(f"/images/{own['id']}").status_code == 200
    editor = pictures.rest.by(project.token(agent="editor", scopes=[*scopes, Scope.PUBLISH]))
    assert editor.delete(f"/images/{theirs['id']}").status_code == 200


@pytest.mark.contract("decided-pictures.events")
def test_each_change_has_its_event(pictures: Pictures) -> None:
    from app.core.store.outbox import Outboxes

    image, rest = pictures.upload(), pictures.rest
    rest.patch(f"/images/{image['id']}", {"alt": "A loaf"})
    rest.patch(f"/images/{image['id']}", {"alt": "A loaf"})
    rest.delete(f"/images/{image['id']}")
    pictures.project.store[Outboxes].publish_all(pictures.project.id)
    events = [one for one in rest.get("/events").json["events"] if one["type"].startswith("image.")]

    assert [(one["type"], one["data"]["imageId"]) for one in events] == [
        (f"image.{what}", image["id"]) for what in ("created", "updated", "deleted")
    ]


@pytest.mark.contract("decided-pictures.budget")
def test_an_upload_is_one_write_of_a_budget(pictures: Pictures, project: Project) -> None:
    small = project.token(budget={"writesPerHour": 2, "publishesPerDay": None})
    sent = {"Authorization": f"Bearer {small.secret}"}
    post = partial(pictures.rest.client.post, "/images", content_type="image/png", headers=sent)
    codes = [post(data=a_picture(seed=seed)).status_code for seed in (0, 1, 1, 2)]

    assert codes == [201, 201, 200, 429]


@pytest.mark.contract("decided-pictures.files")
def test_the_worker_removes_files_without_a_record(pictures: Pictures, store: Store) -> None:
    image = pictures.upload()
    project_id = pictures.project.id
    lost = store[ImageFiles].add(project_id, "a" * 26, b"lost")
    torn = store[ImageFiles].add(project_id, "b" * 26, b"torn")
    store.database["imageFiles.files"].delete_many({"filename": "b" * 26})

    tidy(store, Sweep())
    assert store[ImageFiles].read(lost) == b"lost"  # it may still get its record
    tidy(store, Sweep(), upload=timedelta(seconds=-5))
    assert store[ImageFiles].read(lost) is None
    chunks = store.database["imageFiles.chunks"]
    from bson import ObjectId

    assert chunks.count_documents({"files_id": {"$in": [ObjectId(lost), ObjectId(torn)]}}) == 0
    assert pictures.media(image).status_code == pictures.media(image, "?w=320").status_code == 200


@pytest.mark.contract("decided-pictures.purge")
def test_a_purge_deletes_what_nothing_has_used_for_long(pictures: Pictures, store: Store, project: Project) -> None:
    unused, used, left, portrait = (pictures.upload(seed=seed) for seed in range(4))
    pictures.document(f"![]({used['url']})")
    pictures.rest.post("/members", {"name": "Ada", "imageUrl": portrait["url"]})
    past = this_instant() - timedelta(days=40)
    keys = [one["key"] for one in (unused, used, portrait)]
    store.database.images.update_many({"key": {"$in": keys}}, {"$set": {"usedAt": past}})
    before = this_instant() - timedelta(days=30)

    assert purging.count(store, before, project.id) == 1
    assert purging.purge(store, before, project.id, lambda number: None) == 1
    assert [one["id"] for one in pictures.rest.get("/images").json] == [portrait["id"], left["id"], used["id"]]
    tidy(store, Sweep())
    assert store[Images].by_keys(project.id, [used["key"]])[used["key"]]["usedAt"] > past

"""Pictures in the console: the page of all, a page for each, and what the editor and the form of fields need."""

from dataclasses import replace
from typing import Any

from flask import Blueprint, Response, request
from werkzeug.exceptions import BadRequestKeyError

from app.console.additions import Pages
from app.console.calls import call, may
from app.console.forms import leads_to
from app.console.frame import page
from app.console.sessions import context
from app.core.errors import HttpApiDecodeError, Issue
from app.core.vocabulary import Scope
from app.documents.store import Documents
from app.http.callers import hold_large
from app.images import operations as images
from app.images.errors import ImageInUse
from app.images.responses import Image

ON_A_PAGE, IN_A_PICKER = 48, 24
SHOWN = {"": "All", "used": "Used", "unused": "Unused", "bare": "Without a description"}

pages = Blueprint("images", __name__, template_folder="templates")


def thumbnail(image: Image) -> str:
    """Returns the path of a picture's smallest width on this server."""
    path = image["url"][image["url"].rindex("/media/") :]
    return f"{path}?w={image['widths'][0]}" if image["widths"] else path


def path_of(image: Image) -> str:
    """Returns the path of a picture on this server."""
    return image["url"][image["url"].rindex("/media/") :]


@pages.get("/pictures")
def show_pictures() -> Response:
    """Shows the project's pictures, the newest first."""
    shown, offset = request.args.get("show", ""), max(0, request.args.get("offset", 0, type=int))
    fields: dict[str, Any] = {"limit": ON_A_PAGE, "offset": min(offset, 100_000), "count": True}
    fields |= {"q": query} if (query := request.args.get("q", "").strip()) else {}
    fields |= {"used": shown == "used"} if shown in ("used", "unused") else {}
    fields |= {"bare": True} if shown == "bare" else {}
    found = call(images.list_images, fields=fields)
    return page(
        "images/pictures.html",
        found=found.body,
        total=found.total,
        offset=offset,
        on_a_page=ON_A_PAGE,
        query=query,
        shown=shown if shown in SHOWN else "",
        choices=SHOWN,
        thumbnail=thumbnail,
    )


@pages.get("/pictures/found")
def find_pictures() -> dict[str, Any]:
    """Returns pictures for the picker, as JSON."""
    fields: dict[str, Any] = {"limit": IN_A_PICKER}
    fields |= {"q": query} if (query := request.args.get("q", "").strip()) else {}
    return {"pictures": [_for_script(image) for image in call(images.list_images, fields=fields).body]}


@pages.post("/pictures")
def upload_picture() -> dict[str, Any]:
    """Takes a file of a form, or the address of one, and returns the picture as JSON."""
    ctx = context()
    images.upload_image.permit(ctx)
    fields = {name: value for name in ("name", "alt", "url", "data") if (value := request.form.get(name))}
    if fields.keys() & {"url", "data"}:
        return _for_script(call(images.upload_image, fields=fields).body)
    try:
        data = request.files["file"].read()
    except BadRequestKeyError:
        raise HttpApiDecodeError(issues=[Issue(path="file", message="Choose a file.")]) from None
    hold_large(len(data))
    return _for_script(images.upload_image(replace(ctx, file=data), fields=fields).body)


def _for_script(image: Image) -> dict[str, Any]:
    names = ("id", "url", "name", "alt", "width", "height")
    return {"ok": True, **{name: image[name] for name in names}, "thumbnail": thumbnail(image)}  # type: ignore[literal-required]


@pages.get("/pictures/<id>")
def show_picture(id: str) -> Response:
    """Shows a picture, what uses it, and the form of its name and alternative text."""
    image = call(images.get_image, id).body
    return page("images/picture.html", image=image, path=path_of(image), may_write=may(images.update_image))


@pages.post("/pictures/<id>")
@leads_to("images.show_picture", "id")
def save_picture(id: str) -> str:
    """Saves a picture's name and alternative text."""
    fields = {name: request.form[name].strip() for name in ("name", "alt") if name in request.form}
    call(images.update_image, id, fields=fields)
    ctx, uses = context(), call(images.get_image, id).body["usedIn"] if may(images.get_image) else []
    used_in = ctx.store[Documents].get_many(ctx.project_id, {one["id"] for one in uses})
    is_live = any(one["isPublished"] for one in used_in.values())
    return f"What the picture shows is saved.{' Published texts get it when they are published again.' * is_live}"


@pages.post("/pictures/<id>/delete")
@leads_to("images.show_pictures")
def delete_picture(id: str) -> str:
    """Deletes a picture that nothing uses."""
    call(images.delete_image, id)
    return "The picture is deleted."


PAGES = Pages(
    "images",
    blueprints=(pages,),
    navigation=(("images.show_pictures", "Pictures", "picture", "m", Scope.READ),),
    templates={
        "editor tools": "images/tools.html",
        "after the editor": "images/editor.html",
        "cover": "images/cover.html",
        "after the fields": "images/fields.html",
    },
    messages={ImageInUse: lambda refusal: _in_use(refusal.extra["usedIn"])},
)


def _in_use(uses: list[dict[str, str]]) -> str:
    titles = ", ".join(f"“{one['title']}”" for one in uses[:3])
    return f"Texts use this picture: {titles}{' and others' if len(uses) > 3 else ''}. Take it out of them first."

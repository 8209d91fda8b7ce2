"""The errors of pictures."""

from typing import Annotated

from typing_extensions import TypedDict

from app.core.documented import doc
from app.core.errors import Refusal
from app.images.responses import Use


class ImageInUse(Refusal, status=409):
    """Documents use this picture in their present or published text or cover: take it out of those in `usedIn`."""

    class Keys(TypedDict):
        usedIn: Annotated[list[Use], doc("up to 20 of the documents that use it")]

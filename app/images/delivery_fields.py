"""Fields of cover images on the delivery API (decisions, section 20)."""

from typing import Any

from strawberry import field

from app.core.features import DeliveryField


def _field(name: str, kind: Any, description: str) -> DeliveryField:
    def resolve(root: Any) -> Any:
        return getattr(root, name, None)

    made = field(name=name, graphql_type=kind, resolver=resolve, description=description)
    return DeliveryField("images", "CoverImage", made)


OF_COVERS = (
    _field("width", int | None, "Its width in pixels; null for an address elsewhere."),
    _field("height", int | None, "Its height in pixels; null for an address elsewhere."),
    _field("alt", str | None, "The text for people who don't see it; null where there is none."),
    _field("srcset", str | None, "The addresses of its widths, for `srcset`; null for an address elsewhere."),
)

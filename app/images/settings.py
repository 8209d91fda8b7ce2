"""The server's setting of pictures (decisions, section 20)."""

from pydantic import Field

from app.settings import Settings, Url


class PictureSettings(Settings):
    """Where pictures are delivered from."""

    images_url: Url = Field(
        "", description="what the addresses of pictures begin with, where it is not PUBLIC_URL: a CDN in front of it"
    )

    @property
    def pictures_begin(self) -> str:
        """What the addresses of pictures begin with; empty where nothing is configured."""
        return (self.images_url or self.public_url).rstrip("/")

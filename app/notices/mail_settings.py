"""The server's settings of e-mail (decisions, section 19)."""

import re
from email.utils import parseaddr
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from app.settings import Settings


def _check_smtp(value: str) -> str:
    try:
        parts = urlsplit(value)
        is_address = parts.scheme in ("smtp", "smtps") and parts.hostname and parts.port != 0
    except ValueError:  # its message may have a part of the password
        is_address = False
    if value and not is_address:
        raise ValueError("must be like smtp://host:587 or smtps://user:password@host:465, percent-encoded")
    return value


class MailSettings(Settings):
    """Where e-mail is sent."""

    smtp_url: Annotated[str, AfterValidator(_check_smtp)] = Field(
        "", repr=False, description="where e-mail is sent, like smtps://user:password@mail.example.org:465"
    )
    smtp_from: str = Field("", validate_default=True, description="the sender of e-mail, where SMTP_URL is set")

    @field_validator("smtp_from")
    @classmethod
    def _check_sender(cls, value: str, info: ValidationInfo) -> str:
        address = parseaddr(value)[1]
        if info.data.get("smtp_url") and not re.fullmatch(r"[^@\s]+@[^@\s]+", address):
            raise ValueError("must be an address where SMTP_URL is set, like notices@example.org")
        return value

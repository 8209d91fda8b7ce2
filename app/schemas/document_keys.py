"""The key of a document: the caller's own id of it (decisions, section 14)."""

import unicodedata
from typing import Any

import marshmallow as ma
from marshmallow import validate

from app.schemas.types import StrictString

MAX_KEY = 200

not_empty = validate.Length(min=1, error="Must not be empty.")


def document_key_form(value: str) -> None:
    """Checks the form of a document's key: lists of keys are separated by commas."""
    if "," in value or any(unicodedata.category(character) == "Cc" for character in value):
        raise ma.ValidationError("Must not have commas, line breaks and other control characters.")


def document_key(**options: Any) -> StrictString:
    """Declares a document's key, 1 to 200 characters, whose form the second stage checks."""
    return StrictString(MAX_KEY, document_key_form, validate=[not_empty], **options)

"""What a write of a text may say that it used (decisions, section 18)."""

from app.core.schemas.fields import Nested, Schema, StrictInteger, StrictString, StringToConfirm
from app.core.schemas.validation import not_blank

MOST_TOKENS = 10**12


class _Declared(Schema):
    provider = StrictString(200, description="who provides it", example="Example AI")
    promptUrl = StrictString(2_000, description="where the prompt is")
    inputTokens = StrictInteger(0, MOST_TOKENS, description="tokens read", allow_none=True)
    outputTokens = StrictInteger(0, MOST_TOKENS, description="tokens written", allow_none=True)


class DraftGenerationFields(_Declared):
    """What the writer of a draft's markdown used; the model is needed to confirm."""

    model = StringToConfirm(200, not_blank, description="the model", example="example-4", allow_none=False)


class WithDraftGeneration(Schema):
    """A draft that may say what its markdown used."""

    generation = Nested(DraftGenerationFields, description="what you used to write it")


class GenerationFields(_Declared):
    """What the writer of a text used."""

    model = StrictString(200, validate=[not_blank], description="the model", example="example-4", required=True)


class WithGeneration(Schema):
    """A write of a text that may say what it used."""

    generation = Nested(GenerationFields, description="what you used to write it")

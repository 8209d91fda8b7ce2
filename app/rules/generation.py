"""What the writer of a text says that they used (decisions, section 18)."""

from typing import Annotated

from typing_extensions import TypedDict

from app.documented import doc


class Generation(TypedDict):
    """What the writer of a version says that they used."""

    model: Annotated[str, doc("the model", "example-4")]
    provider: Annotated[str | None, doc("who provides it", "Example AI")]
    promptUrl: Annotated[str | None, doc("where the prompt is")]
    inputTokens: Annotated[int | None, doc("tokens read")]
    outputTokens: Annotated[int | None, doc("tokens written")]


def declared_tokens(generation: Generation | None) -> dict[str, int]:
    """Returns the numbers of tokens that somebody declared, for an event."""
    counts = {name: generation.get(name) for name in TOKENS} if generation else {}
    return {name: number for name, number in counts.items() if isinstance(number, int)}


TOKENS = ("inputTokens", "outputTokens")

"""The checks of a text itself, and of its place among others (decisions, section 12)."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any
from urllib.parse import unquote

import regex

from app.checks.addresses import is_usable, last_segment
from app.checks.kept import fragments_of, ids_of, losses_of
from app.checks.rules import (
    NO_KEYWORD,
    UNPUBLISHED_LINK,
    Check,
    CheckResult,
    Failure,
    Subject,
    failed,
    keyword_of,
    run_checks,
)
from app.checks.slips import slips_of
from app.checks.vocabulary import CheckLevel, CheckName
from app.core.text.words import COMPARED

META_TITLE_MAX = 60
META_DESCRIPTION_RANGE = (50, 160)
REPEATED_PARAGRAPH_WORDS = 20
NAMED_TITLES = 3
_PLACEHOLDER = regex.compile(
    r"\b(?:TODO|FIXME|TKTK|XXX)\b|\b(?i:lorem[ \n]ipsum)\b|\[(?i:insert)\b"
    r"|\b(?i:as[ \n]an[ \n]ai(?:[ \n]language)?[ \n]model)\b"
    r"|\[(?i:your\b|source:)[^\[\]\n]{1,80}\](?![\[(:])|【\d+†|\bciteturn\d|\boaicite\b"
)


def keyword_warnings(keyword: str, titles: Sequence[str], levels: Mapping[str, str]) -> list[CheckResult]:
    """Returns what `keyword_taken` says of a draft's keyword, which documents with these titles have too."""
    draft: Any = {"brief": {"keyword": keyword}}
    only: dict[str, str] = {name: CheckLevel.OFF for name in CheckName if name != CheckName.KEYWORD_TAKEN}
    return failed(run_checks(Subject(draft, "", (), titles), {**levels, **only}, CHECKS))


def _heading_levels(subject: Subject) -> Iterator[Failure]:
    """A heading skips a level, or is a second one of level 1."""
    last, first = 1, True
    for level, title, line in subject.content.headings:
        if level > last + 1:
            message = f"{title!r} is a heading of level {level} after one of {last}."
            yield Failure(message, line)
        if level == 1 and not first:
            yield Failure(f"{title!r} is another heading of level 1.", line)
        first = first and level != 1
        last = level


def _image_alt(subject: Subject) -> Iterator[Failure]:
    """An image has no alternative text: `![](loaf.jpg)`."""
    without = [(address, line) for address, alt, line in subject.content.images if not alt.strip()]
    find = subject.added.get("image_alts")
    alts = find({address for address, _ in without}) if find and without else {}
    for address, line in without:
        if not alts.get(address, "").strip():
            message = f"The image {address[:200]!r} has no alternative text."
            yield Failure(message, line)


def _meta_title(subject: Subject) -> Iterator[Failure]:
    """The meta title is missing or has over 60 characters."""
    size = len(subject.document.get("metaTitle") or "")
    if size == 0:
        yield Failure("The meta title is missing.")
    elif size > META_TITLE_MAX:
        yield Failure(f"The meta title has {size} characters, over {META_TITLE_MAX}.")


def _meta_description(subject: Subject) -> Iterator[Failure]:
    """The meta description is missing, or has under 50 or over 160 characters."""
    size, (least, most) = len(subject.document.get("metaDescription") or ""), META_DESCRIPTION_RANGE
    if size == 0:
        yield Failure("The meta description is missing.")
    elif not least <= size <= most:
        yield Failure(f"The meta description has {size} characters; {least} to {most} are shown whole.")


def _placeholders(subject: Subject) -> Iterator[Failure]:
    """`TODO`, `FIXME`, `TKTK`, `XXX`, `lorem ipsum`, `[insert`, `[Your name]`, `as an AI language model` or a chat's
    own citation (`【4†source】`) is outside code."""
    for passage, first_line in subject.content.prose:
        for found in _PLACEHOLDER.finditer(passage):
            placeholder = found[0].replace("\n", " ")
            line = first_line + passage.count("\n", 0, found.start())
            yield Failure(f"{placeholder!r} is a placeholder: write what belongs there.", line)


def _model_slips(subject: Subject) -> Iterator[Failure]:
    """The whole text is in a code fence, has front matter, speaks to who asked for it ("Here is the article you asked
    for"), or has a written out `\\n` or a fence that is not closed."""
    for message, line in slips_of(subject.markdown, subject.content):
        yield Failure(message, line)


def _repeated_paragraphs(subject: Subject) -> Iterator[Failure]:
    """A paragraph of 20 words or more appears twice."""
    first: dict[str, int] = {}
    for text, line in subject.content.paragraphs:
        if len(text) < REPEATED_PARAGRAPH_WORDS:  # of characters, which are words in some scripts
            continue
        began = first.setdefault(" ".join(text.split()), line)
        if began != line and _is_long(text):
            yield Failure(f"This paragraph repeats the one in line {began}.", line)


def _is_long(paragraph: str) -> bool:
    return sum(1 for _ in islice(COMPARED.finditer(paragraph), REPEATED_PARAGRAPH_WORDS)) == REPEATED_PARAGRAPH_WORDS


def _links(subject: Subject) -> Iterator[Failure]:
    """A link or image has no usable address, a `#fragment` no heading, or a document linked to is not published."""
    content, usable = subject.content, cache(is_usable)
    for kind, address, line in (
        *(("link", address, line) for address, line in content.links),
        *(("image", address, line) for address, _, line in content.images),
    ):
        if not usable(address):
            message = f"The {kind} {address[:200]!r} can't be followed: use a relative, http, https or mailto address."
            yield Failure(message, line)
    if fragments := fragments_of(content):
        to_render = subject.added.get("to_render")
        ids = ids_of(to_render() if to_render else subject.markdown)
        for fragment, line in fragments.items():
            if not {fragment, unquote(fragment)} & ids and fragment.lower() not in ("", "top"):
                yield Failure(f"No heading or anchor of the text has the id {fragment[:200]!r}.", line)
    wanted = {document["slug"] for document in subject.internal_links}
    for address, line in content.links:
        if address in subject.dead_links:
            advice = "that is not published: leave it out until it is."
            if last_segment(address) in wanted:
                advice = f"that the brief names, {UNPUBLISHED_LINK}"
            yield Failure(f"The link {address[:200]!r} leads to a document {advice}", line)


def _html_kept(subject: Subject) -> Iterator[Failure]:
    """An element, attribute, address or embedded file of the text is not in its html; one entry for each kind."""
    for message, line in losses_of(subject.content):
        yield Failure(message, line)


def _keyword_taken(subject: Subject) -> Iterator[Failure]:
    """Another document outside the trash has a brief with the same keyword; up to three are named."""
    if titles := subject.same_keyword_titles:
        named = ", ".join(repr(title) for title in titles[:NAMED_TITLES])
        yield Failure(f"Other documents have the keyword {subject.keyword!r}, too: {named}.")


CHECKS: tuple[Check, ...] = (
    Check(CheckName.HEADING_LEVELS, "The headings step down one level at a time.", _heading_levels, reads_text=True),
    Check(CheckName.IMAGE_ALT, "Every image has an alternative text.", _image_alt, reads_text=True),
    Check(CheckName.META_TITLE, "There is a meta title of the right length.", _meta_title),
    Check(CheckName.META_DESCRIPTION, "There is a meta description of the right length.", _meta_description),
    Check(CheckName.PLACEHOLDERS, "The text has no placeholders.", _placeholders, reads_text=True),
    Check(CheckName.MODEL_SLIPS, "Nothing of a conversation is in the text.", _model_slips, reads_text=True),
    Check(CheckName.REPEATED_PARAGRAPHS, "No paragraph is repeated.", _repeated_paragraphs, reads_text=True),
    Check(CheckName.LINKS, "Every link leads somewhere.", _links, reads_text=True),
    Check(CheckName.HTML_KEPT, "Nothing of the text is lost in html.", _html_kept, reads_text=True),
    Check(
        CheckName.KEYWORD_TAKEN,
        "No other document has the keyword.",
        _keyword_taken,
        keyword_of,
        NO_KEYWORD,
    ),
)
"""The checks of the text itself, and of its place among others."""

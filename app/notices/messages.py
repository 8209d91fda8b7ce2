"""How notices read: as e-mail, in text and html, and in Slack (decisions, section 19)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from email.headerregistry import BaseHeader, HeaderRegistry, UnstructuredHeader
from email.message import EmailMessage
from email.policy import EmailPolicy, Policy
from email.utils import format_datetime, make_msgid
from typing import Any

from jinja2 import Environment, PackageLoader, select_autoescape

from app.notices.rules import KIND_TEXTS, NoticeLine

TEMPLATES = Environment(
    loader=PackageLoader("app.notices"),
    autoescape=select_autoescape(("html.jinja",)),
    trim_blocks=True,
    lstrip_blocks=True,
)
MOST_SHOWN = 200
"""Maximum number of lines of a message, as many as an inbox has."""
SLACK_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


class UrlHeader(UnstructuredHeader, BaseHeader):
    """A header with a URL, which mail programs can't read when it is folded or encoded."""

    def fold(self, *, policy: Policy) -> str:
        return f"{self.name}: {self}{policy.linesep}"


HEADERS = HeaderRegistry()
HEADERS.map_to_type("list-unsubscribe", UrlHeader)
POLICY = EmailPolicy(header_factory=HEADERS)


def mail_of(
    lines: Sequence[NoticeLine], *, project: str, public_url: str, sender: str, to: str, off: str, at: datetime
) -> EmailMessage:
    """Returns the e-mail with some lines; `off` is the link that turns e-mail off, empty for none."""
    shown, more = [_shown(line, public_url) for line in lines[:MOST_SHOWN]], len(lines) - MOST_SHOWN
    subject = f"{shown[0]['what']}: {shown[0]['title']}" if len(shown) == 1 else f"{len(lines)} things wait for you"
    message = EmailMessage(POLICY)
    message["From"], message["To"] = sender, to
    # `email` decodes encoded words in what it is given, with line breaks and all.
    message["Subject"] = f"{subject} · {_plain(project)}".replace("=?", "= ?")
    message["Date"] = format_datetime(at)
    message["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2].rstrip(">"))
    message["Auto-Submitted"] = "auto-generated"
    if off:
        message["List-Unsubscribe"] = f"<{off}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    values = {"lines": shown, "more": more, "project": _plain(project), "off": off, "subject": subject}
    message.set_content(TEMPLATES.get_template("notice.txt.jinja").render(values))
    message.add_alternative(TEMPLATES.get_template("notice.html.jinja").render(values), subtype="html")
    return message


def slack_of(lines: Sequence[NoticeLine], public_url: str) -> dict[str, Any]:
    """Returns the message with some lines for Slack's incoming webhooks."""
    shown = [_slack_line(_shown(line, public_url)) for line in lines[:MOST_SHOWN]]
    more = len(lines) - len(shown)
    return {"text": "\n".join([*shown, *([f"and {more} more"] if more else [])]), "unfurl_links": False}


def _slack_line(line: Mapping[str, str]) -> str:
    what, title, by, text, link = (line[name].translate(SLACK_ESCAPES) for name in line)
    named = f"<{link}|{title}>" if link else title
    return f"{what}: {named}" + (f" ({by})" if by else "") + (f"\n> {text}" if text else "")


def _shown(line: NoticeLine, public_url: str) -> dict[str, str]:
    """Returns a line as it is shown; a test has neither title nor link of a document."""
    link = f"{public_url.rstrip('/')}/console/documents/{line['documentId']}" if line["documentId"] else ""
    return {
        "what": KIND_TEXTS[line["kind"]],
        "title": _plain(line["title"]),
        "by": _plain(line["by"]),
        "text": _plain(line["text"]),
        "link": link,
    }


def _plain(text: str) -> str:
    """Returns a text on one line, without characters that control anything."""
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())

"""Translates shortcodes of Hugo and tags of Jekyll into markdown, where that can say them.

All others stay as they are, and are listed (`tags_in`). `ref`, `post_url` and `link` are links (`PostLinks`).
"""

import re
from html import escape
from pathlib import PurePath

from app.transfers.commands.generators import CODE

PICTURES, SOURCES = {"figure", "image", "img", "picture"}, ("src", "image_path", "image", "path", "url")
TAKEN = {*SOURCES, "alt", "title", "caption", "attr", "attrlink", "link"}
"""The arguments of a picture that markdown has a place for."""
PAGES = {
    "gist": "https://gist.github.com/",
    "instagram": "https://www.instagram.com/p/",
    **dict.fromkeys(("tweet", "twitter", "x"), "https://x.com/i/status/"),
    "vimeo": "https://vimeo.com/",
    "youtube": "https://www.youtube.com/watch?v=",
}
"""The beginnings of addresses that an `id` ends."""
ALERTS = {
    **dict.fromkeys(("admonition", "alert", "callout", "hint", "notice"), ""),
    **dict.fromkeys(("info", "note"), "NOTE"),
    **dict.fromkeys(("success", "tip"), "TIP"),
    "important": "IMPORTANT",
    "warning": "WARNING",
    **dict.fromkeys(("caution", "danger", "error"), "CAUTION"),
}
"""The kinds of GitHub's alerts; the first ones have the kind as an argument."""
FOLDED = {"details", "expand"}
PLAIN = {"center", "lead", "raw", "rawhtml"}
"""Those around a text that stays as it is."""
CODES, QUOTES = {"highlight", "mermaid"}, {"blockquote", "quote"}
WITH_TEXT = {"comment", *CODES, *PLAIN, *QUOTES, *ALERTS, *FOLDED}
"""The tags that end with another."""

_ARGUMENTS = r"((?:\"(?:[^\"\\]|\\.){0,5000}+\"|`[^`]{0,5000}+`|'[^'\n]{0,5000}+'|[^\\\"`'{}])*?)"
_WITHIN = r"(?:[^{}*]|\*(?!/))*+"
_AS_TEXT = rf"\{{\{{[<%]/\*{_WITHIN}\*/[>%]\}}\}}"
_TAG = re.compile(
    rf"{CODE.pattern}|\{{\{{([<%])\s*+(\w[\w./-]*+){_ARGUMENTS}/?[>%]\}}\}}|\{{%-?\s*+(\w++){_ARGUMENTS}-?%\}}"
    rf"|\{{::comment\}}(?:[^{{]|\{{(?!:/|::comment\}})){{0,5000}}+\{{:/(?:comment)?\}}"
    rf"|^(#{{1,6}} +[^\s{{][^\n{{]*+)\{{#([\w:.-]+)[^{{}}\n]*+\}}[ \t#]*+$|({_AS_TEXT})|\{{\{{/\*{_WITHIN}\*/\}}\}}"
    r"|^((?:[ \t]*+>)++[ \t]*+\[!\w++\])[-+](?=\s)",
    CODE.flags,
)
_ARGUMENT = re.compile(r"(?:([\w-]+)\s*=\s*)?(?:\"((?:[^\"\\]|\\.)*+)\"|`([^`]*)`|'([^']*)'|([^\s\"'`=]+))")
_ESCAPED = re.compile(rf"(\{{\{{[<%])/\*({_WITHIN})\*/([>%]\}}\}})")
_RAW = re.compile(r"\{%-?\s*(?:end)?raw\s*-?%\}")


def translated(markdown: str, left_out: set[str], *, is_of_jekyll: bool) -> str:
    """Returns a text with its tags in markdown; in code, only those by which generators show tags as text.

    Adds the arguments that it leaves out, each with its tag. Alerts that fold become those that don't.
    """
    parts, position, unclosed = [""], 0, set[str]()
    while found := _TAG.search(markdown, position):
        parts.append(markdown[position : found.start()])
        position = found.end()
        name, arguments = found[3] or found[5], found[4] or found[6] or ""
        if name in WITH_TEXT and name not in unclosed:
            ends = rf"\{{%-?\s*end{name}\s*-?%\}}" if found[5] else rf"\{{\{{[<%]\s*/\s*{name}\s*[>%]\}}\}}"
            if end := re.compile(ends).search(markdown, position):
                text, position = markdown[position : end.start()], end.end()
                if name not in {"comment", "raw", *CODES}:
                    text = translated(text, left_out, is_of_jekyll=is_of_jekyll)
                begins_line = not "".join(parts[-2:]).rpartition("\n")[2].strip(" >")
                parts.append(_with_text(name, arguments, _RAW.sub("", text), left_out, begins_line=begins_line))
                continue
            unclosed.add(name)
        if name:
            parts.append(_alone(name, arguments, left_out, in_liquid=bool(found[5])) or found[0])
        elif found[7]:
            parts.append(_heading(found[7], found[8]))
        elif found[9]:
            parts.append(_ESCAPED.sub(r"`\1\2\3`", found[9]))
        elif found[10]:
            parts.append(found[10])
        elif found[0][:3] not in ("{{/", "{::"):
            parts.append(_RAW.sub("", found[0]) if is_of_jekyll else _ESCAPED.sub(r"\1\2\3", found[0]))
    return "".join((*parts, markdown[position:]))


def _with_text(name: str, arguments: str, text: str, left_out: set[str], *, begins_line: bool) -> str:
    """Returns the markdown of a tag around a text."""
    if name == "comment" or name in PLAIN:
        return text if name in PLAIN else ""
    values, named = _read(arguments)
    kind = "mermaid" if name == "mermaid" else next(iter(values), "")
    if name in CODES:
        options = {option for value in values[1:] for option in re.findall(r"(?:^|,)\s*([a-z]\w*)", value)}
        left_out |= {f"highlight {option}" for option in options - {"hl_inline"}}
        if "\n" not in text:
            return f"`{text.strip()}`"
        fence = max(re.findall("`{3,}", text), default="``", key=len) + "`"
        indent = last if not (last := text.rpartition("\n")[2]).strip() else ""
        before = "" if begins_line else "\n\n"
        return f"{before}{fence}{kind}\n{text.removeprefix(chr(10)).rstrip()}\n{indent}{fence}"
    if name in QUOTES:
        by = ", ".join(filter(None, (named.get("author") or kind, named.get("source", ""))))
        lines = [*text.strip().splitlines(), *(["", f"— {by}"] if by else [])]
        return "\n".join(f"> {line}".rstrip() for line in lines) + "\n"
    title = named.get("title") or named.get("summary", "")
    if name in FOLDED:
        return f"<details>\n<summary>{escape(title or kind or 'Details')}</summary>\n\n{text.strip()}\n\n</details>\n"
    titles = [value for value in (values if ALERTS[name] else values[1:]) if value not in ("true", "false", *ALERTS)]
    title = title or next(iter(titles), "")
    alert = ALERTS[name] or ALERTS.get(named.get("type") or named.get("color") or kind) or "NOTE"
    lines = [f"[!{alert}]", *([f"**{title}**", ""] if title else []), *text.strip().splitlines()]
    return "\n".join(f"> {line}".rstrip() for line in lines) + "\n"


def _alone(name: str, arguments: str, left_out: set[str], *, in_liquid: bool) -> str:
    """Returns the markdown of a tag without a text; nothing where it has none."""
    values, named = _read(arguments, with_variables=not in_liquid)
    if name == "include" and values:
        name, values = PurePath(values[0]).stem, values[1:]
        name = named.get("provider", name)
    if name in PAGES:
        page_id = named.get("id") or "/".join(values[: 2 if name == "gist" else 1])
        address = page_id if page_id.startswith("https://") else PAGES[name] + page_id
        title = _escaped(named.get("title", ""))
        return (f"[{title}]({address})" if title else f"<{address}>") if re.fullmatch(r"[\w./:?=&-]+", page_id) else ""
    source = next((named[key] for key in SOURCES if key in named), "")
    if not (name in PICTURES and source):
        return ""
    left_out |= {f"{name} {key}" for key in named.keys() - TAKEN}
    return _picture(source, named)


def _picture(source: str, named: dict[str, str]) -> str:
    """Returns a picture, with its caption below."""
    title, caption, attribution = (named.get(key, "") for key in ("title", "caption", "attr"))
    if attribution and "attrlink" in named:
        attribution = f"[{attribution}]({_address(named['attrlink'])})"
    words = re.sub(r"[*_`]|\]\([^)]*\)|\[", "", caption)
    alt = _escaped(named.get("alt") or words or title)
    picture = f"![{alt}]({_address(source)}" + (' "' + title.replace('"', r"\"") + '")' if title else ")")
    if link := named.get("link"):
        picture = f"[{picture}]({_address(link)})"
    below = " ".join(filter(None, (" ".join(caption.split()), attribution)))
    return f"{picture}\\\n{below}" if below else picture


def _heading(heading: str, named: str) -> str:
    """Returns a heading that links to a given id lead to."""
    marks, title = heading.strip().split(maxsplit=1)
    own = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
    return f'{marks} <a id="{named}"></a>{title}' if own != named else heading.strip()


def _read(arguments: str, *, with_variables: bool = True) -> tuple[list[str], dict[str, str]]:
    """Returns the arguments without a name, and those with one; without quotes, Liquid's are variables."""
    values, named = [], {}
    for name, *quoted, bare in _ARGUMENT.findall(arguments):
        value = re.sub(r"\\(.)", r"\1", "".join(quoted)) or bare
        if not name:
            values.append(value)
        elif with_variables or not bare:
            named[name.lower()] = value
    return values, named


def _address(address: str) -> str:
    return f"<{address}>" if re.search(r"[\s()]", address) else address


def _escaped(text: str) -> str:
    return re.sub(r"([\[\]\\])", r"\\\1", " ".join(text.split()))

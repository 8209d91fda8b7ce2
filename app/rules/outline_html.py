"""Html that says which lines of the markdown each element comes from."""

import comrak

_EXTENSIONS = comrak.ExtensionOptions()
_EXTENSIONS.table = _EXTENSIONS.strikethrough = _EXTENSIONS.autolink = _EXTENSIONS.tasklist = True
_PARSE = comrak.ParseOptions()
_WITHOUT_RAW_HTML = comrak.RenderOptions()
_WITHOUT_RAW_HTML.sourcepos = True
_WITH_RAW_HTML = comrak.RenderOptions()
_WITH_RAW_HTML.sourcepos = _WITH_RAW_HTML.unsafe_ = True


def to_outline_html(markdown: str) -> str:
    """Returns the html of markdown, each element with its lines and columns in `data-sourcepos`; raw html is left out.

    What comes out is the parser's own, so that a pattern can read it.
    """
    return comrak.render_markdown(markdown, _EXTENSIONS, _PARSE, _WITHOUT_RAW_HTML)


def to_annotated_html(markdown: str) -> str:
    """Returns the same with raw html as its author wrote it: not safe to show."""
    return comrak.render_markdown(markdown, _EXTENSIONS, _PARSE, _WITH_RAW_HTML)

"""Markdown as its parser reads it: CommonMark with GitHub's extensions, by cmark-gfm, called through its C interface.

The library comes in the wheel of `cmarkgfm`, whose own functions are not used, for two faults of them (2025.10.22,
both measured). They never free the tree and the html, which loses 7 bytes for every byte rendered. And they let
several threads into the library at once, which keeps the special characters of its extensions in globals: of 160
renderings by 4 threads, 117 came out wrong. Here everything is freed, and one thread at a time is inside.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import CDLL, CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_size_t, c_void_p, string_at
from importlib.util import find_spec
from threading import Lock

_EXTENSIONS = (b"table", b"strikethrough", b"autolink", b"tasklist")
_KEEP_RAW_HTML = 1 << 17  # CMARK_OPT_UNSAFE: whoever shows the html sanitises it

_Node = c_void_p


class _Memory(Structure):
    _fields_ = (("calloc", c_void_p), ("realloc", c_void_p), ("free", CFUNCTYPE(None, c_void_p)))


_FUNCTIONS = {  # what each returns and takes, as in cmark-gfm.h
    "cmark_get_default_mem_allocator": (POINTER(_Memory),),
    "cmark_gfm_core_extensions_ensure_registered": (None,),
    "cmark_find_syntax_extension": (c_void_p, c_char_p),
    "cmark_parser_new": (c_void_p, c_int),
    "cmark_parser_attach_syntax_extension": (c_int, c_void_p, c_void_p),
    "cmark_parser_get_syntax_extensions": (c_void_p, c_void_p),
    "cmark_parser_feed": (None, c_void_p, c_char_p, c_size_t),
    "cmark_parser_finish": (_Node, c_void_p),
    "cmark_parser_free": (None, c_void_p),
    "cmark_node_first_child": (_Node, _Node),
    "cmark_node_next": (_Node, _Node),
    "cmark_node_get_type_string": (c_char_p, _Node),
    "cmark_node_free": (None, _Node),
    "cmark_render_html": (c_void_p, _Node, c_int, c_void_p),
}


class Tree:
    """A parsed document, to be read inside `with parsed(…)` alone."""

    def __init__(self, parser: int, root: int) -> None:
        self._parser, self._root = parser, root

    def html(self) -> str:
        """Returns the whole document as html, raw html and all: not safe to show."""
        return self._html_of(self._root)

    def paragraphs(self, within: int) -> Iterator[str]:
        """Gives the html of each paragraph among the first `within` blocks: none inside a quote, a list or a table."""
        node = _CMARK.cmark_node_first_child(self._root)
        while node and within:
            if _CMARK.cmark_node_get_type_string(node) == b"paragraph":
                yield self._html_of(node)
            node, within = _CMARK.cmark_node_next(node), within - 1

    def _html_of(self, node: int) -> str:
        html = _CMARK.cmark_render_html(node, _KEEP_RAW_HTML, _CMARK.cmark_parser_get_syntax_extensions(self._parser))
        try:
            return string_at(html).decode()
        finally:
            _MEMORY.free(html)


@contextmanager
def parsed(markdown: str) -> Iterator[Tree]:
    """Parses markdown; its tree is there until the block ends, and meanwhile no other thread parses."""
    source = markdown.encode()
    with _ONE_AT_A_TIME:
        parser = _CMARK.cmark_parser_new(_KEEP_RAW_HTML)
        for extension in _EXTENSIONS:
            _CMARK.cmark_parser_attach_syntax_extension(parser, _CMARK.cmark_find_syntax_extension(extension))
        _CMARK.cmark_parser_feed(parser, source, len(source))
        root = _CMARK.cmark_parser_finish(parser)
        try:
            yield Tree(parser, root)
        finally:
            _CMARK.cmark_node_free(root)
            _CMARK.cmark_parser_free(parser)


def _library() -> CDLL:
    wheel = find_spec("cmarkgfm._cmark")
    if wheel is None or wheel.origin is None:
        raise ImportError("cmarkgfm has no compiled part here. Install it from its wheel.")
    library = CDLL(wheel.origin)
    for name, (response, *body) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = response, body
    library.cmark_gfm_core_extensions_ensure_registered()
    return library


_ONE_AT_A_TIME = Lock()
_CMARK = _library()
_MEMORY = _CMARK.cmark_get_default_mem_allocator().contents

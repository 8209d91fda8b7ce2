"""Where a site shows a document (decisions, section 7: `siteUrl`)."""

from functools import lru_cache
from urllib.parse import quote, urlsplit, urlunsplit
from uuid import NAMESPACE_OID, uuid5

SLUG = "{slug}"
ID = "{id}"
_NOT_ESCAPED = "%/:?#[]@!$&'()*+,;={}"


def page_url(site_url: str, slug: str, document_id: str = "") -> str:
    """Returns the URI of a document's page: the site's, with the slug for `{slug}`, or at the end of its path.

    That of a preview has the id for `{id}`.
    """
    uri, segment = _uri(site_url), quote(slug, safe="")
    if SLUG in uri or (document_id and ID in uri):
        return uri.replace(SLUG, segment).replace(ID, document_id or ID)
    parts = urlsplit(uri)
    return urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/{segment}"))


def home_url(site_url: str) -> str:
    """Returns the URI of a site's home page; with `{slug}` in the host, of its parent domain, or an empty text."""
    uri = _uri(site_url)
    if SLUG not in uri:
        return uri
    parts = urlsplit(uri)
    host = parts.netloc.rpartition(SLUG)[2].partition(".")[2] if SLUG in parts.netloc else parts.netloc
    return f"{parts.scheme}://{host}/" if host else ""


def feed_url(site_url: str) -> str:
    """Returns the URI of a site's feed: `feed.xml` beside its home page; an empty text without one."""
    parts = urlsplit(home_url(site_url))
    path = f"{parts.path.rstrip('/')}/feed.xml"
    return urlunsplit(parts._replace(path=path, query="", fragment="")) if parts.netloc else ""


def atom_id(record_id: str) -> str:
    """Returns an id for feeds that stays when the slug, the site or the server moves, as Atom demands."""
    return f"urn:uuid:{uuid5(NAMESPACE_OID, record_id)}"


@lru_cache(maxsize=100)
def _uri(iri: str) -> str:
    """Returns an IRI as a URI: the host in Punycode, other characters outside ASCII percent-encoded (RFC 3987)."""
    parts = urlsplit(iri)
    try:
        host = parts.netloc.encode("idna").decode("ascii")
    except UnicodeError:  # a host that DNS can't have
        host = parts.netloc
    return quote(urlunsplit(parts._replace(netloc=host)), safe=_NOT_ESCAPED)

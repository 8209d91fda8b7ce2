"""Where a site shows a document (decisions, section 7: `siteUrl`)."""

from urllib.parse import quote

SLUG = "{slug}"


def page_url(site_url: str, slug: str) -> str:
    """Returns the address of a document's page: the site's, with the slug in place of `{slug}`, or at its end."""
    segment = quote(slug, safe="")
    if SLUG in site_url:
        return site_url.replace(SLUG, segment)
    return f"{site_url.rstrip('/')}/{segment}"


def home_url(site_url: str) -> str:
    """Returns the address of a site's first page."""
    before, found, _ = site_url.partition(SLUG)
    if not found:
        return site_url
    scheme, _, rest = before.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}/"

"""Builds a static site from the delivery API: articles, topics, authors, redirects, feed, sitemap, and llms.txt.

    python -m pip install -r examples/site/requirements.txt
    DELIVERY_TOKEN=cwd_… python examples/site/build.py --api http://127.0.0.1:8000 --out site

A build reads what changed since the one before. `--watch` goes on, and builds again when something was published.
`--preview` shows every document as it is now; its token needs the drafts permission.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from html import unescape
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, unquote, urlsplit

from content import Article, Content, Place, SiteError, drafts, kept_content
from delivery import UNAUTHORIZED, UNREACHABLE, ApiError, Delivery

try:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
except ModuleNotFoundError:
    raise SystemExit("Jinja is missing. Install it: python -m pip install -r examples/site/requirements.txt") from None

HERE = Path(__file__).parent
POLL_SECONDS, PREVIEW_POLL_SECONDS = 1.0, 10.0
"""How long `--watch` waits between two builds; a preview reads everything each time."""
ON_A_PAGE = 13
"""How many articles a page of the index has: a large one, and rows of three."""
RELATED = 3
"""How many articles an article names to read next."""
WORDS_A_MINUTE = 230
HINTS = {UNAUTHORIZED: ": is DELIVERY_TOKEN a valid delivery token?"}
HUES = (16, 32, 48, 90, 165, 205, 340)
"""The colours of what stands in for a cover image, by their angle."""
SOURCES = {
    "human-only": "digitalCreation",
    "ai-assisted": "compositeWithTrainedAlgorithmicMedia",
    "ai-autonomous": "trainedAlgorithmicMedia",
}
"""The digital source type of IPTC for each disclosure: made by a person, with a trained model, by one."""
MAX_NAME_BYTES = 200
"""File systems allow 255 bytes; a slug of 200 characters can have 800."""
MANIFEST = ".built.json"
"""The list of the files that a build wrote, so that the next one deletes no other."""

SELF = re.compile(r'<link rel="self"[^>]*/>\n')
HOME = re.compile(r'<link rel="alternate" type="text/html" href="[^"]+"/>')
LINKS = re.compile(r'<loc>([^<]+)</loc>|<link rel="alternate" type="text/html" href="([^"]+)"')
CONTENTS = re.compile(r"^(- \[(?:\\.|[^\\\]])*\]\()[^)\s]*/delivery/documents/([^)\s]*)\.md(?=\))", re.MULTILINE)
"""A line of the table of contents: what stands before the address, and the slug in the address."""


@dataclass(frozen=True)
class Options:
    """What the site is called, and where it will stand."""

    title: str
    description: str
    url: str
    preview: bool = False


class Site:
    """A site in a folder, which is built as often as its content changes."""

    def __init__(self, api: Delivery, out: Path, options: Options) -> None:
        self._api, self._out, self._options = api, out, options
        self._kept = kept_content(out)
        self._saved = self._kept.place
        self._built: Place | None = None

    def build(self) -> tuple[int, int]:
        """Builds the site; returns how many articles it has and how many files changed.

        Only files that changed are written, and nothing is when a page can't be made.
        """
        if self._options.preview:
            return self._write(drafts(self._api))
        self._kept.follow(self._api)
        if self._kept.place == self._built:
            return len(self._kept.articles), 0
        result = self._write(self._kept)
        if self._kept.place != self._saved:
            self._kept.save(self._out)
        self._built = self._saved = self._kept.place
        return result

    def _write(self, content: Content) -> tuple[int, int]:
        pages = Pages(self._options, content)
        files = pages.all()
        for one in content.redirects:
            files |= redirect_pages(self._options, files, one["from"], one["to"])
        for name, text in content.files.items():
            if name.endswith(".xml"):
                files[name] = self._own_links(name, text, pages.articles, files)
            else:
                files["llms.txt"] = own_contents(self._options.url, text, files)
        files |= {str(path.relative_to(HERE / "static")): path.read_bytes() for path in static_files()}
        return len(pages.articles), write(self._out, files)

    def _own_links(self, name: str, content: str, articles: list[Article], files: dict[str, bytes]) -> bytes:
        """Returns a feed with the site's own address, after checking that each of its links is a page."""
        for article in articles:
            if name_of(article["slug"]) != article["slug"]:  # too long for a folder
                content = content.replace(quote(article["slug"], safe=""), quote(name_of(article["slug"])))
        url = self._options.url
        own = f'<link rel="self" type="application/atom+xml" href="{url}/feed.xml"/>'
        home = f'<link rel="alternate" type="text/html" href="{url}/"/>'
        content = HOME.sub(lambda _: f"{own}\n{home}", SELF.sub("", content), count=1)
        for found in LINKS.finditer(content):
            link = unescape(found[1] or found[2])
            if page_at(url, link) not in files:
                raise SiteError(
                    f"{name} links to {link}, which is no page of this site. Set the project's `siteUrl` to "
                    f"{url}/articles/{{slug}}/ and its `categoryUrl` to {url}/topics/{{slug}}/"
                )
        return content.encode()


class Pages:
    """Makes pages from templates; everything that is not html already is escaped."""

    def __init__(self, options: Options, content: Content) -> None:
        self._files: dict[str, bytes] = {}
        topics = {one["id"]: {**one, "below": list[Any]()} for one in content.topics}
        authors = {one["id"]: one for one in content.authors}
        self._topics, self._authors = list(topics.values()), content.authors
        self.articles = [shown(one, topics, authors) for one in content.articles.values()]
        if not options.preview:
            self.articles.sort(key=lambda one: (one["publishedAt"], one["id"]), reverse=True)
        self._used = {article["category"]["id"] for article in self.articles if article["category"]}
        for topic in self._topics:
            topic["parent"] = topic["parent"] and topics.get(topic["parent"]["id"])
            if topic["parent"]:
                topic["parent"]["below"].append(topic)
        self._clusters: defaultdict[str, list[Article]] = defaultdict(list)
        for article in self.articles:
            if article["clusterId"] and article["isPublished"]:
                self._clusters[article["clusterId"]].append(article)
        slugs = [article["slug"] for article in self.articles] + [one["from"] for one in content.redirects]
        self._folders = {name_of(slug) for slug in slugs}
        base = urlsplit(options.url).path
        self._templates = Environment(
            loader=FileSystemLoader(HERE / "templates"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=StrictUndefined,
        )
        self._templates.filters |= {
            "at": lambda path: base + path,
            "article_path": lambda slug: f"{base}/articles/{quote(name_of(slug))}/",
            "topic_path": lambda slug: f"{base}/topics/{quote(slug)}/",
            "author_path": lambda slug: f"{base}/authors/{slug}/",
            "cover": lambda url: base + url.removeprefix(options.url) if url.startswith(f"{options.url}/") else url,
            "day": day,
            "minutes": lambda words: max(1, round(words / WORDS_A_MINUTE)),
            "picture": picture,
            "linked_data": linked_data,
        }
        for topic in self._topics:
            topic["below"] = [one for one in topic["below"] if self._ids(one) & self._used]
        roots = [one for one in self._topics if not one["parent"] and self._ids(one) & self._used]
        self._templates.globals |= {"site": options, "has_feed": "feed.xml" in content.files, "topics": roots}

    def all(self) -> dict[str, bytes]:
        """Returns the pages by their path in the site's folder, and beside each article its markdown."""
        self._index()
        for article in self.articles:
            path, markdown = f"articles/{name_of(article['slug'])}/", self._markdown(article)
            self._page(path, "article.html", article=article, related=self._related(article), markdown=markdown)
            if markdown:
                self._files[markdown] = article["markdown"].encode()
        for topic in self._topics:
            filed = self._ids(topic)
            if articles := [one for one in self.articles if one["category"] and one["category"]["id"] in filed]:
                self._page(f"topics/{topic['slug']}/", "topic.html", topic=topic, articles=articles)
        for author in self._authors:
            if articles := [one for one in self.articles if one["author"] is author]:
                self._page(f"authors/{author['slug']}/", "author.html", author=author, articles=articles)
        self._page("404.html", "404.html", articles=self.articles[:3])
        return self._files

    def _index(self) -> None:
        count = max(1, -(-len(self.articles) // ON_A_PAGE))
        for number in range(1, count + 1):
            articles = self.articles[(number - 1) * ON_A_PAGE : number * ON_A_PAGE]
            path = "" if number == 1 else f"page/{number}/"
            self._page(path, "index.html", articles=articles, number=number, count=count)

    def _related(self, article: Article) -> list[Article]:
        """Returns other published articles of its cluster, the newest first."""
        newest = self._clusters[article["clusterId"]][: RELATED + 1]
        return [one for one in newest if one is not article][:RELATED]

    def _markdown(self, article: Article) -> str | None:
        """Returns the path of its markdown; None without any, or where another article's folder has that name."""
        name = f"{name_of(article['slug'])}.md"
        return f"articles/{name}" if article.get("markdown") and name not in self._folders else None

    def _ids(self, topic: dict[str, Any]) -> set[str]:
        """Returns the ids of a topic and of all below it."""
        return {topic["id"]}.union(*map(self._ids, topic["below"]))

    def _page(self, path: str, template: str, **values: Any) -> None:
        file = path if path.endswith(".html") else f"{path}index.html"
        address = f"/{quote(path)}"
        text = self._templates.get_template(template).render(address=address, **values)
        self._files[file] = text.encode()


def shown(article: Article, topics: dict[str, Any], authors: dict[str, Any]) -> Article:
    """Returns an article with its topic and its author as they are now."""
    topic, author = (article[name] and article[name]["id"] for name in ("category", "author"))
    return {"edited": False, **article, "category": topics.get(topic), "author": authors.get(author)}


def own_contents(url: str, text: str, files: dict[str, bytes]) -> bytes:
    """Returns the table of contents with the site's own addresses, of markdown where a page has it beside it."""

    def own(found: re.Match[str]) -> str:
        path = f"articles/{name_of(unquote(found[2]))}"
        return f"{found[1]}{url}/{quote(path)}{'.md' if f'{path}.md' in files else '/'}"

    return CONTENTS.sub(own, text).encode()


def redirect_pages(options: Options, files: dict[str, bytes], old: str, new: str) -> dict[str, bytes]:
    """Returns the page at a past slug, and the line for hosts that read `_redirects` and send a real 301."""
    base = urlsplit(options.url).path
    source, target = f"articles/{name_of(old)}/", f"articles/{quote(name_of(new))}/"
    template = Environment(loader=FileSystemLoader(HERE / "templates"), autoescape=True).get_template("redirect.html")
    page = template.render(target=f"{base}/{target}", canonical=f"{options.url}/{target}")
    line = f"{base}/{quote(source)} {base}/{target} 301\n"
    return {f"{source}index.html": page.encode(), "_redirects": files.get("_redirects", b"") + line.encode()}


def name_of(slug: str) -> str:
    """Returns the name of an article's folder: the slug, or its beginning and a hash where it is too long for one."""
    name = slug.encode()
    if len(name) <= MAX_NAME_BYTES:
        return slug
    return f"{name[: MAX_NAME_BYTES - 17].decode(errors='ignore')}-{hashlib.sha256(name).hexdigest()[:16]}"


def picture(article: Article) -> dict[str, int]:
    """Returns the hue and the centre of the drawing that stands for an article without a cover image."""
    first, second, third, *_ = hashlib.sha256(article["id"].encode()).digest()
    return {"hue": HUES[first % len(HUES)], "x": 200 + second * 3, "y": 100 + third * 2}


def linked_data(article: Article) -> dict[str, Any]:
    """Returns what machines read of how an article came about, by schema.org and with IPTC's source type."""
    disclosure = article["disclosure"]
    data = {
        "@context": "https://schema.org",
        "@type": "Article",
        "headline": article["title"],
        "datePublished": article["publishedAt"],
        "dateModified": article["updatedAt"],
        "creativeWorkStatus": disclosure["value"],
        "digitalSourceType": f"http://cv.iptc.org/newscodes/digitalsourcetype/{SOURCES[disclosure['value']]}",
    }
    if article["author"]:
        data["author"] = {"@type": "Person", "name": article["author"]["name"]}
    if disclosure["responsible"]:
        data["accountablePerson"] = {"@type": "Person", "name": disclosure["responsible"]}
    if article["sources"]:
        data["citation"] = [citation(source) for source in article["sources"]]
    return {name: value for name, value in data.items() if value is not None}


def citation(source: dict[str, Any]) -> dict[str, Any]:
    """Returns a cited source, by schema.org."""
    publisher = source["publisher"] and {"@type": "Organization", "name": source["publisher"]}
    data = {"@type": "CreativeWork", "name": source["title"], "url": source["url"], "publisher": publisher}
    data["datePublished"] = source["publishedOn"]
    return {name: value for name, value in data.items() if value}


def page_at(url: str, link: str) -> str:
    """Returns the path of the file that is served at an address of the site."""
    path = unquote(link.removeprefix(url)).lstrip("/")
    return f"{path}index.html" if path.endswith("/") or not path else path


def day(timestamp: str | None) -> str:
    """Returns a date as people write it."""
    if not timestamp:
        return ""
    then = date.fromisoformat(timestamp[:10])
    return f"{then.day} {then:%B %Y}"


def static_files() -> Iterator[Path]:
    """Yields the files that every site has: style, icon, pictures."""
    return (path for path in (HERE / "static").rglob("*") if path.is_file())


def write(out: Path, files: dict[str, bytes]) -> int:
    """Writes the files that changed, deletes those of the last build that are gone, and returns how many that were.

    A file is replaced whole, so that a reader never gets half a page.
    """
    manifest = out / MANIFEST
    old = set(json.loads(manifest.read_text("utf-8"))) if manifest.exists() else set()
    changed = {path: content for path, content in files.items() if not _same(out / path, content)}
    gone = old - files.keys()
    for path in gone:  # first: a folder may get the name of a file, or a file that of a folder
        (out / path).unlink(missing_ok=True)
        for folder in (out / path).relative_to(out).parents:
            if folder != Path() and (out / folder).is_dir() and not any((out / folder).iterdir()):
                (out / folder).rmdir()
    for path, content in changed.items():
        file = out / path
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_name(f".{file.name}.new")
        new.write_bytes(content)
        new.replace(file)
    if files.keys() != old:
        manifest.write_text(json.dumps(sorted(files)), "utf-8")
    return len(changed) + len(gone)


def _same(file: Path, content: bytes) -> bool:
    return file.is_file() and file.read_bytes() == content


def watch(site: Site, seconds: float) -> None:
    """Builds the site again and again, also when the service restarts meanwhile; ends when the token is refused."""
    failure = ""
    while True:
        time.sleep(seconds)
        began = time.monotonic()
        try:
            count, changed = site.build()
        except (ApiError, SiteError, *UNREACHABLE) as error:
            if isinstance(error, HTTPError) and error.code == UNAUTHORIZED:
                raise
            if str(error) != failure:
                print(f"Not built: {error}", file=sys.stderr, flush=True)
            failure = str(error)
            continue
        failure = ""
        if changed:
            print(f"{count} articles, {changed} files changed, {time.monotonic() - began:.1f} s", flush=True)


def main() -> None:
    """Reads the command line and builds the site."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--api", default="http://127.0.0.1:8000", help="the service's address")
    parser.add_argument("--out", type=Path, default=Path("site"), help="the folder to write")
    parser.add_argument("--url", default="https://thecrust.example", help="where the site will stand")
    parser.add_argument("--title", default="The Crust", help="the site's name")
    parser.add_argument("--description", default="", help="what it is about")
    parser.add_argument("--preview", action="store_true", help="documents as they are now")
    parser.add_argument("--watch", action="store_true", help="build again when something was published")
    given = parser.parse_args()
    options = Options(given.title, given.description, given.url.rstrip("/"), given.preview)
    try:
        site = Site(Delivery(given.api.rstrip("/"), _token()), given.out, options)
        count, _ = site.build()
        print(f"{count} articles in {given.out}/", flush=True)
        if given.watch:
            watch(site, PREVIEW_POLL_SECONDS if given.preview else POLL_SECONDS)
    except (ApiError, SiteError) as error:
        raise SystemExit(f"Not built: {error}") from error
    except HTTPError as error:
        raise SystemExit(f"The service refused: {error.code} {error.reason}{HINTS.get(error.code, '')}") from error
    except UNREACHABLE as error:
        raise SystemExit(f"The service at {given.api} can't be reached: {error}") from error
    except KeyboardInterrupt:
        print()


def _token() -> str:
    if not (token := os.environ.get("DELIVERY_TOKEN", "")):
        raise SystemExit("Set DELIVERY_TOKEN to a delivery token: cwd_…")
    return token


if __name__ == "__main__":
    main()

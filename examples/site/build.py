"""Builds a static site from the delivery API: articles, topics, authors, redirects, a feed and a sitemap.

    python -m pip install -r examples/site/requirements.txt
    DELIVERY_TOKEN=cwd_… python examples/site/build.py --api http://127.0.0.1:8000 --out site

`--preview` shows every document as it is now; its token needs the drafts permission. `--watch` goes on, and builds
again when something happens; it reads the feed of events with a management token in EVENTS_TOKEN.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from html import unescape
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, unquote, urlsplit

from delivery import POLL_SECONDS, UNREACHABLE, ApiError, Delivery, Events, may_pass

try:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
except ModuleNotFoundError:
    raise SystemExit("Jinja is missing. Install it: python -m pip install -r examples/site/requirements.txt") from None

HERE = Path(__file__).parent
FEEDS = ("feed", "sitemap")
READS = 10
"""How often all is read, until nothing was published meanwhile."""
ON_A_PAGE = 13
"""How many articles a page of the index has: a large one, and rows of three."""
WORDS_A_MINUTE = 230
HINTS = {401: ": is DELIVERY_TOKEN, or EVENTS_TOKEN, a valid token of that kind?"}
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

Article = dict[str, Any]


class SiteError(Exception):
    """The site can't be built as the project is set up; the message says what to change."""


@dataclass(frozen=True)
class Options:
    """What the site is called, and where it will stand."""

    title: str
    description: str
    url: str
    preview: bool = False


@dataclass(frozen=True)
class Content:
    """What the site shows: the feeds by the name of their file, articles with their texts, topics, and redirects."""

    feeds: dict[str, str]
    articles: list[Article]
    topics: list[dict[str, Any]]
    redirects: list[dict[str, str]]


@dataclass
class Site:
    """A site in a folder, which is built as often as its content changes."""

    api: Delivery
    out: Path
    options: Options
    _texts: dict[tuple[str, str], Any] = field(default_factory=dict)
    """The texts of each article, by its id and the time of its last change."""

    def build(self) -> tuple[int, int]:
        """Builds the site; returns how many articles it has and how many files changed.

        Only texts that changed are fetched, only files that changed are written, and nothing is when a page can't be
        made.
        """
        content = self._read()
        feeds, articles = content.feeds, content.articles
        files = Pages(self.options, articles, content.topics, feed="feed.xml" in feeds).all()
        for one in content.redirects:
            files |= redirect_pages(self.options, files, one["from"], one["to"])
        for name, text in feeds.items():
            files[name] = self._own_links(name, text, articles, files)
        files |= {str(path.relative_to(HERE / "static")): path.read_bytes() for path in static_files()}
        return len(articles), write(self.out, files)

    def _read(self) -> Content:
        """Returns all that is published, as it was at one moment: the pages of a list move when a document joins it."""
        drafts = self.options.preview
        for _ in range(READS):
            state = self.api.state()
            feeds = {f"{name}.xml": text for name in FEEDS if not drafts and (text := self.api.feed(name)) is not None}
            articles = [self._shown(one) for one in self.api.articles(drafts=drafts)]
            self._fetch_texts(articles)
            redirects = [] if drafts else list(self.api.redirects())
            content = Content(feeds, articles, self.api.topics(), redirects)
            if self.api.state() == state:
                return content
        raise SiteError(f"Something was published during each of {READS} reads: build again in a moment.")

    def _shown(self, article: Article) -> Article:
        """Returns an article as the site shows it: in a preview as it is now."""
        preview = article.get("preview")
        now = preview or article
        edited = any(article[name] != now[name] for name in ("title", "subtitle", "slug", "excerpt", "coverImage"))
        return {**article, **now, "updatedAt": article["updatedAt"], "changed": now["updatedAt"], "edited": edited}

    def _fetch_texts(self, articles: list[Article]) -> None:
        keys = {article["id"]: (article["id"], article["changed"]) for article in articles}
        missing = [one for one, key in keys.items() if key not in self._texts]
        fetched = self.api.texts(missing, drafts=self.options.preview)
        self._texts = {key: self._texts[key] if key in self._texts else fetched.get(one) for one, key in keys.items()}
        for article in articles:
            texts = self._texts[keys[article["id"]]] or {"html": ""}
            article["html"] = (texts.get("preview") or texts)["html"] or ""
            article["edited"] |= article["html"] != texts["html"]

    def _own_links(self, name: str, content: str, articles: list[Article], files: dict[str, bytes]) -> bytes:
        """Returns a feed with the site's own address, after checking that each of its links is a page."""
        for article in articles:
            if name_of(article["slug"]) != article["slug"]:  # too long for a folder
                content = content.replace(quote(article["slug"], safe=""), quote(name_of(article["slug"])))
        url = self.options.url
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

    def __init__(self, options: Options, articles: list[Article], topics: list[dict[str, Any]], *, feed: bool) -> None:
        self._articles, self._files = articles, dict[str, bytes]()
        self._by_id = {article["id"]: article for article in articles}
        self._used = {article["category"]["slug"] for article in articles if article["category"]}
        self._topics = {topic["slug"]: {**topic, "below": list[Any]()} for topic in topics}
        for topic in self._topics.values():
            if topic["parent"]:
                self._topics[topic["parent"]["slug"]]["below"].append(topic)
        authors = {article["author"]["id"]: article["author"]["name"] for article in articles if article["author"]}
        self._author_slugs = author_slugs(authors)
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
            "author_path": lambda author: f"{base}/authors/{self._author_slugs[author['id']]}/",
            "cover": lambda url: base + url.removeprefix(options.url) if url.startswith(f"{options.url}/") else url,
            "day": day,
            "minutes": lambda words: max(1, round(words / WORDS_A_MINUTE)),
            "picture": picture,
            "linked_data": linked_data,
        }
        for topic in self._topics.values():
            topic["below"] = [one for one in topic["below"] if self._slugs(one) & self._used]
        roots = [one for one in self._topics.values() if not one["parent"] and self._slugs(one) & self._used]
        self._templates.globals |= {"site": options, "has_feed": feed, "topics": roots}

    def all(self) -> dict[str, bytes]:
        """Returns the pages by their path in the site's folder."""
        self._index()
        for article in self._articles:
            related = [self._by_id[one["id"]] for one in article["related"] if one["id"] in self._by_id]
            path = f"articles/{name_of(article['slug'])}/"
            self._page(path, "article.html", article=article, related=related)
        for topic in self._topics.values():
            filed = self._slugs(topic)
            if articles := [one for one in self._articles if one["category"] and one["category"]["slug"] in filed]:
                self._page(f"topics/{topic['slug']}/", "topic.html", topic=topic, articles=articles)
        for author_id, articles in self._authors().items():
            name = articles[0]["author"]["name"]
            self._page(f"authors/{self._author_slugs[author_id]}/", "author.html", name=name, articles=articles)
        self._page("404.html", "404.html", articles=self._articles[:3])
        return self._files

    def _index(self) -> None:
        count = max(1, -(-len(self._articles) // ON_A_PAGE))
        for number in range(1, count + 1):
            articles = self._articles[(number - 1) * ON_A_PAGE : number * ON_A_PAGE]
            path = "" if number == 1 else f"page/{number}/"
            self._page(path, "index.html", articles=articles, number=number, count=count)

    def _authors(self) -> dict[str, list[Article]]:
        authors: dict[str, list[Article]] = {}
        for article in self._articles:
            if article["author"]:
                authors.setdefault(article["author"]["id"], []).append(article)
        return authors

    def _slugs(self, topic: dict[str, Any]) -> set[str]:
        """Returns the slugs of a topic and of all below it."""
        return {topic["slug"]}.union(*map(self._slugs, topic["below"]))

    def _page(self, path: str, template: str, **values: Any) -> None:
        file = path if path.endswith(".html") else f"{path}index.html"
        address = f"/{quote(path)}"
        text = self._templates.get_template(template).render(address=address, **values)
        self._files[file] = text.encode()


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


def author_slugs(names: Mapping[str, str]) -> dict[str, str]:
    """Returns the names of the authors' folders by their ids: letters and digits; a hash where that is too little."""
    slugs: dict[str, str] = {}
    for author_id, name in names.items():
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
        slugs[author_id] = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    shared = {slug for slug, count in Counter(slugs.values()).items() if count > 1}
    for author_id, slug in slugs.items():
        if not slug or not names[author_id].isascii() or slug in shared:
            slugs[author_id] = f"{slug}-{hashlib.sha256(author_id.encode()).hexdigest()[:6]}".strip("-")
    return slugs


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
    for path, content in changed.items():
        file = out / path
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_name(f".{file.name}.new")
        new.write_bytes(content)
        new.replace(file)
    gone = old - files.keys()
    for path in gone:
        (out / path).unlink(missing_ok=True)
        for folder in (out / path).relative_to(out).parents:
            if folder != Path() and not any((out / folder).iterdir()):
                (out / folder).rmdir()
    manifest.write_text(json.dumps(sorted(files)), "utf-8")
    return len(changed) + len(gone)


def _same(file: Path, content: bytes) -> bool:
    return file.exists() and file.read_bytes() == content


def watch(site: Site, events: Events) -> None:
    """Builds the site again whenever something happens, and until it is built where the service restarts meanwhile."""
    while True:
        events.wait()
        while not rebuild(site):
            time.sleep(POLL_SECONDS)


def rebuild(site: Site) -> bool:
    """Builds the site; returns False where the service can't be reached, so that the same build may succeed soon."""
    began = time.monotonic()
    try:
        count, changed = site.build()
    except (ApiError, SiteError, *UNREACHABLE) as error:
        print(f"Not built: {error}", file=sys.stderr, flush=True)
        return not may_pass(error)
    print(f"{count} articles, {changed} files changed, {time.monotonic() - began:.1f} s", flush=True)
    return True


def main() -> None:
    """Reads the command line and builds the site."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--api", default="http://127.0.0.1:8000", help="the service's address")
    parser.add_argument("--out", type=Path, default=Path("site"), help="the folder to write")
    parser.add_argument("--url", default="https://thecrust.example", help="where the site will stand")
    parser.add_argument("--title", default="The Crust", help="the site's name")
    parser.add_argument("--description", default="A small magazine about baking at home.", help="what it is about")
    parser.add_argument("--preview", action="store_true", help="documents as they are now")
    parser.add_argument("--watch", action="store_true", help="build again when something happens")
    given = parser.parse_args()
    options = Options(given.title, given.description, given.url.rstrip("/"), given.preview)
    api = given.api.rstrip("/")
    try:
        site = Site(Delivery(api, _token("DELIVERY_TOKEN", "a delivery token: cwd_…")), given.out, options)
        events = Events(api, _token("EVENTS_TOKEN", "a token with the scope read: cwm_…")) if given.watch else None
        count, _ = site.build()
        print(f"{count} articles in {given.out}/", flush=True)
        if events is not None:
            watch(site, events)
    except (ApiError, SiteError) as error:
        raise SystemExit(f"Not built: {error}") from error
    except HTTPError as error:
        raise SystemExit(f"The service refused: {error.code} {error.reason}{HINTS.get(error.code, '')}") from error
    except UNREACHABLE as error:
        raise SystemExit(f"The service at {given.api} can't be reached: {error}") from error
    except KeyboardInterrupt:
        print()


def _token(name: str, what: str) -> str:
    if not (token := os.environ.get(name, "")):
        raise SystemExit(f"Set {name} to {what}")
    return token


if __name__ == "__main__":
    main()

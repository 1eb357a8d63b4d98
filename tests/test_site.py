"""The documentation becomes a site without a broken link that needs no network."""

import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

ROOT = Path(__file__).resolve().parents[1]
SITE = ("mkdocs.yml", "docs", "src", "CHANGELOG.md")
# What a browser loads by itself; a link is only followed.
LOADED = {"script": "src", "img": "src", "iframe": "src", "link": "href"}

pytestmark = pytest.mark.skipif(
    not (ROOT / "mkdocs.yml").exists()
    or None in map(find_spec, ("mkdocs", "material", "mkdocstrings_handlers")),
    reason="the documentation is not here, or nothing to build it with",
)


class Page(HTMLParser):
    """The addresses in a page, and the places that can be linked to."""

    def __init__(self, text):
        super().__init__()
        self.loaded, self.linked, self.places = [], [], {""}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.places.add(attributes.get("id") or "")
        address = attributes.get(LOADED.get(tag)) or ""
        if address and attributes.get("rel") not in ("canonical", "next", "prev"):
            self.loaded.append(address)
        if tag == "a" and attributes.get("href"):
            self.linked.append(attributes["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The pages by path, built in a copy so that nothing is left in the folder."""
    folder = tmp_path_factory.mktemp("documentation")
    leave = shutil.ignore_patterns("*.so", "__pycache__")
    for name in SITE:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=leave)
        else:
            shutil.copy(source, folder / name)
    # Not --quiet: warnings that are not shown are not counted either.
    command = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    built = (folder / "build" / "site").resolve()
    pages = {page: Page(page.read_text()) for page in built.rglob("*.html")}
    assert len(pages) > 20
    return built, pages


def is_elsewhere(address):
    return re.match(r"([a-z]+:)?//|(mailto|data):", address) is not None


def test_no_link_leads_nowhere(site):
    built, pages = site
    broken = []
    for at, page in pages.items():
        if at.name == "404.html":  # its addresses are those of a server
            continue
        for address in page.loaded + page.linked:
            if is_elsewhere(address):
                continue
            path, place = urldefrag(address)
            target = (at.parent / unquote(path)).resolve() if path else at
            found = target.is_file() or (target / "index.html").is_file()
            if found and target in pages:
                found = unquote(place) in pages[target].places
            if not found:
                broken.append(f"{at.relative_to(built)}: {address}")
    assert broken == []


def test_nothing_is_loaded_from_elsewhere(site):
    built, pages = site
    for at, page in pages.items():
        assert [name for name in page.loaded if is_elsewhere(name)] == [], at
    for sheet in built.rglob("*.css"):
        assert not re.search(r"(url\(|@import)\s*[\"']?(https?:)?//", sheet.read_text())


def test_every_page_shows_something(site):
    """No directive of mkdocstrings or of snippets is left as it was written."""
    for at in site[1]:
        text = at.read_text()
        assert "::: polymargin" not in text and "--8&lt;--" not in text, at
    built = site[0]
    reference = (built / "api" / "linear-svm.html").read_text()
    assert "intercept_scaling" in reference and "partial_fit" in reference


def test_search_needs_no_server(site):
    index = (site[0] / "search" / "search_index.js").read_text()
    assert index.startswith("var __index = ") and "Crammer-Singer" in index
    assert 'src="iframe-worker.js"' in (site[0] / "index.html").read_text()

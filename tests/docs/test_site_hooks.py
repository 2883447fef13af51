"""The site: a navigation with every page, text as MkDocs reads it, and, where MkDocs is installed, no broken link."""

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from docs.site_hooks import OUTSIDE, in_site, navigation

ROOT = Path(__file__).parents[2]
INSTALLED = importlib.util.find_spec("material") is not None and importlib.util.find_spec("mkdocs") is not None


def _pages(entry: Any) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    else:
        for part in entry.values() if isinstance(entry, dict) else entry:
            yield from _pages(part)


def test_the_navigation_has_every_page_once() -> None:
    listed = list(_pages(navigation((ROOT / "docs" / "index.md").read_text(encoding="utf-8"))))
    there = [page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")]
    assert sorted(listed) == sorted([*there, *OUTSIDE.values()])


def test_headings_are_sections() -> None:
    tree = navigation("# D\n\n## How to\n\n### In\n\n- [A](how-to/a.md): x\n\n## Decisions\n\n- [B](decisions/b.md)\n")
    assert tree[2:] == [{"How to": [{"In": [{"A": "how-to/a.md"}]}]}, {"Decisions": [{"B": "decisions/b.md"}]}]


def test_lists_and_tables_get_the_empty_line_that_they_need() -> None:
    assert in_site("You get\n- one\n  more\n- two\n", "index.md") == "You get\n\n- one\n  more\n- two\n"
    assert in_site("So:\n| a |\n| --- |\n", "index.md") == "So:\n\n| a |\n| --- |\n"


def test_blocks_stay_as_they_are_but_for_what_is_not_run() -> None:
    text = "x\n\n```sh no-run\nls\n- not a list\n```\n"
    assert in_site(text, "index.md") == text.replace(" no-run", "")


@pytest.mark.parametrize(
    ("page", "link", "leads"),
    [
        ("index.md", "../CHANGELOG.md", "changelog.md"),
        ("how-to/audit.md", "../../examples/README.md#x", "../examples.md#x"),
        ("changelog.md", "docs/how-to/audit.md", "how-to/audit.md"),
        ("examples.md", "literature/README.md", "literature.md"),
        ("how-to/audit.md", "../reference/json.md#audit", "../reference/json.md#audit"),
        ("how-to/audit.md", "../../deploy/README.md", "../../deploy/README.md"),
    ],
)
def test_links_lead_to_where_pages_stand_in_the_site(page: str, link: str, leads: str) -> None:
    assert in_site(f"[a]({link})", page) == f"[a]({leads})"


class _Links(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        results = dict(attrs)
        self.anchors |= {value for key in ("id", "name") if (value := results.get(key))}
        if tag == "a" and results.get("href"):
            self.links.append(str(results["href"]))
        elif results.get("src") or (tag == "link" and results.get("href")):
            self.loaded.append(str(results.get("src") or results["href"]))


@pytest.mark.skipif(
    not INSTALLED, reason="MkDocs is not installed: `make docs-site` installs it; the site was not built"
)
def test_the_site_has_no_broken_link_and_loads_nothing_from_outside(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    result = subprocess.run(command, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True,
                            text=True, timeout=300, check=False)  # fmt: skip
    assert result.returncode == 0, result.stderr
    pages = {page: _Links(page.read_text(encoding="utf-8")) for page in (tmp_path / "site").rglob("*.html")}
    assert len(pages) > 60
    for page, parsed in pages.items():
        if page.name == "404.html":  # its links begin at the root of a server
            continue
        for link in parsed.links:
            if urlsplit(link).scheme:
                continue
            path, _, anchor = link.partition("#")
            leads = (page.parent / unquote(path)).resolve() if path else page
            assert leads.is_file(), f"{page.name}: {link}"
            assert not anchor or leads not in pages or unquote(anchor) in pages[leads].anchors, f"{page.name}: {link}"
        for loaded in parsed.loaded:
            assert not urlsplit(loaded).netloc, f"{page.name} loads {loaded}"
            assert loaded.startswith("data:") or (page.parent / loaded).is_file(), f"{page.name}: {loaded}"
    styles = "".join(style.read_text(encoding="utf-8") for style in (tmp_path / "site").rglob("*.css"))
    assert re.findall(r"url\(['\"]?https?:", styles) == []
    assert (tmp_path / "site" / "search" / "search_index.js").is_file()

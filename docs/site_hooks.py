"""Prepare the pages for MkDocs, which calls these functions by name: `make docs-site`.

The pages are written for the repository. The site takes its navigation from docs/index.md, so that a page is listed
once, and has a few pages that stand outside of docs/.
"""

import re
from pathlib import Path
from posixpath import relpath
from typing import Any

ROOT = Path(__file__).parents[1]
# Pages outside of docs/, and where they stand in the site.
OUTSIDE = {"CHANGELOG.md": "changelog.md", "examples/README.md": "examples.md",
           "examples/literature/README.md": "literature.md"}  # fmt: skip
ENTRY = re.compile(r"^- \[(?P<title>[^\]]+)\]\((?P<target>[^)#]+\.md)\)")
LINK = re.compile(r"\]\((?P<target>[^)#:\s]+\.md)(?P<anchor>#[^)\s]*)?\)")
BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def navigation(index: str) -> list[Any]:
    """Return the navigation: headings of docs/index.md are sections, the links at the start of a line are pages."""
    sections: list[Any] = [
        {"Start": "index.md"},
        {"Tutorial": ["tutorial.md", {"The demo's exports": "examples.md"}, {"From the literature": "literature.md"}]},
    ]
    pages: list[Any] = []
    for line in index.splitlines():
        if line.startswith("## "):
            pages = section = []
            sections.append({line[3:]: section})
        elif line.startswith("### "):
            pages = []
            section.append({line[4:]: pages})
        elif entry := ENTRY.match(line):
            pages.append({entry["title"]: _in_site("index.md", entry["target"])})
    return sections


def in_site(text: str, page: str) -> str:
    """Return a page of the repository, at `page` of the site, as MkDocs reads it.

    Lists get the empty line before them that Python's Markdown wants, fences lose `no-run`, links lead to where the
    pages stand.
    """
    text = LINK.sub(lambda link: f"]({_in_site(page, link['target'])}{link['anchor'] or ''})", text)
    blocks = BLOCK.findall(text)
    prose = BLOCK.sub("\x00", text)
    prose = re.sub(r"(^(?!- |\d+\. |\|| |$|\x00).+\n)(?=- |1\. |\|)", r"\1\n", prose, flags=re.MULTILINE)
    return re.sub("\x00", lambda _: blocks.pop(0).replace(" no-run\n", "\n", 1), prose)


def _in_site(page: str, target: str) -> str:
    """Return where a link leads in the site. One to a page that is not in it stays as it is, for MkDocs to report."""
    source = {there: here for here, there in OUTSIDE.items()}.get(page, f"docs/{page}")
    leads = (ROOT / source).parent.joinpath(target).resolve().relative_to(ROOT).as_posix()
    there = OUTSIDE.get(leads, leads.removeprefix("docs/") if leads.startswith("docs/") else None)
    return target if there is None else relpath(there, Path(page).parent.as_posix())


def on_config(config: Any) -> Any:
    """Set the navigation."""
    config["nav"] = navigation((ROOT / "docs" / "index.md").read_text(encoding="utf-8"))
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages outside of docs/."""
    from mkdocs.structure.files import File

    for here, there in OUTSIDE.items():
        files.append(File.generated(config, there, abs_src_path=str(ROOT / here)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Adapt the text of a page."""
    return in_site(markdown, page.file.src_uri)

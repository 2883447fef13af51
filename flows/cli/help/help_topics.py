"""The pages that `kappaflow help` prints. They are the pages of docs/, which the package brings along."""

import re
from pathlib import Path

from tasks.errors import InputError

# In the wheel the pages stand beside this module (pyproject.toml), in a checkout in docs/.
INSTALLED = Path(__file__).parent / "pages"
CHECKOUT = Path(__file__).parents[3] / "docs"
FOLDERS = ("reference", "how-to", "explanation")
OTHER_NAMES = {
    "tables": "warehouse",
    "views": "warehouse",
    "sql": "query",
    "rejects": "fix-rejected-rows",
    "alerts": "act-on-alerts",
    "check": "check-in-ci",
    "toml": "settings",
    "limits": "accuracy-limits",
    "accuracy": "accuracy-without-gold",
}
LINK = re.compile(r"\[([^\]]+)\]\((?:[^()\s#]*/)?([\w-]+)\.md(?:#[\w-]+)?\)")


def topics() -> dict[str, Path]:
    """Return the pages by topic: the tutorial, then reference, how-to and explanation, each by name."""
    root = INSTALLED if INSTALLED.is_dir() else CHECKOUT
    pages = [root / "tutorial.md", *(page for folder in FOLDERS for page in sorted((root / folder).glob("*.md")))]
    return {page.stem: page for page in pages if page.is_file()}


def is_topic(name: str) -> bool:
    """Return whether there is a page on `name`."""
    return name in OTHER_NAMES or name in topics()


def title(page: Path) -> str:
    """Return the first heading of a page."""
    with page.open(encoding="utf-8") as lines:
        return next((line.removeprefix("# ").strip() for line in lines if line.startswith("# ")), page.stem)


def page_text(topic: str, section: str | None = None) -> str:
    """Return the page on a topic, or its sections whose heading holds the words `section`.

    Links to other pages become the commands that print them. Raises InputError for an unknown topic or section.
    """
    pages = topics()
    name = OTHER_NAMES.get(topic, topic) if topic not in pages else topic
    if name not in pages:
        from difflib import get_close_matches

        near = get_close_matches(topic, [*pages, *OTHER_NAMES], n=1)
        raise InputError(
            f"There is no help on {topic!r}." + (f" Did you mean {near[0]!r}?" if near else ""),
            "`kappaflow help` lists the topics, and `kappaflow COMMAND --help` explains a command.",
        )
    text = pages[name].read_text(encoding="utf-8")
    text = LINK.sub(lambda link: _as_command(link[1], link[2], name, pages), text)
    text = re.sub(r"<!--.*?-->\n*", "", text, flags=re.DOTALL)
    return text if section is None else _sections(text, section, name)


def _as_command(words: str, target: str, page: str, pages: dict[str, Path]) -> str:
    return f"{words} (`kappaflow help {target}`)" if target in pages and target != page else words


def _sections(text: str, words: str, topic: str) -> str:
    """Return the sections with `words` in their heading, each up to the next heading of its level or above."""
    headings = list(re.finditer(r"^(#{2,4}) (.+)$", _without_blocks(text), re.MULTILINE))
    chosen: list[str] = []
    end_of_last = 0
    for number, heading in enumerate(headings):
        if words.lower() in heading[2].lower() and heading.start() >= end_of_last:
            after = (later.start() for later in headings[number + 1 :] if len(later[1]) <= len(heading[1]))
            end_of_last = next(after, len(text))
            chosen.append(text[heading.start() : end_of_last].strip())
    if not chosen:
        names = ", ".join(heading[2] for heading in headings if heading[1] == "##")
        raise InputError(f"The page {topic!r} has no section {words!r}.", f"It has: {names}.")
    return "\n\n".join(chosen) + "\n"


def _without_blocks(text: str) -> str:
    """Replace code blocks by blanks, because comments in them look like headings.

    All other characters keep their place.
    """
    return re.sub(r"^```.*?^```", lambda block: re.sub(r"[^\n]", " ", block[0]), text, flags=re.MULTILINE | re.DOTALL)

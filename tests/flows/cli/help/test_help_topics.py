"""The pages of `kappaflow help`: which there are, what is printed of them, and that the wheel brings them along."""

import tomllib
from pathlib import Path

import pytest

from flows.cli.help.help_topics import CHECKOUT, FOLDERS, INSTALLED, OTHER_NAMES, page_text, title, topics
from tasks.errors import InputError

ROOT = Path(__file__).parents[4]


def test_each_page_for_users_is_a_topic() -> None:
    pages = topics()
    assert {"tutorial", "settings", "formats", "warehouse", "query", "accuracy-limits"} <= set(pages)
    assert set(OTHER_NAMES.values()) <= set(pages)
    assert title(pages["settings"]) == "Settings: kappaflow.toml"
    assert len(pages) == 1 + sum(len(list((CHECKOUT / folder).glob("*.md"))) for folder in FOLDERS), "names are unique"


def test_the_wheel_brings_the_pages_where_they_are_looked_for() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    included = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    place = INSTALLED.relative_to(ROOT).as_posix()
    assert included == {f"docs/{name}": f"{place}/{name}" for name in ("tutorial.md", *FOLDERS)}


def test_links_between_pages_become_commands() -> None:
    text = page_text("settings")
    assert ".md)" not in text
    assert "`kappaflow help look-after-the-warehouse`" in text
    assert "<!--" not in page_text("commands")


def test_a_section_is_printed_alone() -> None:
    section = page_text("settings", "publish")
    assert section.startswith("## [publish]")
    assert section.count("\n## ") == 0
    with pytest.raises(InputError, match="no section 'none such'") as caught:
        page_text("settings", "none such")
    assert "[publish]" in caught.value.hint


@pytest.mark.parametrize(("word", "near"), [("setings", "'settings'"), ("zzz", None)])
def test_an_unknown_topic_names_the_nearest(word: str, near: str | None) -> None:
    with pytest.raises(InputError) as caught:
        page_text(word)
    assert (f"Did you mean {near}?" in str(caught.value)) is (near is not None)
    assert "kappaflow help" in caught.value.hint

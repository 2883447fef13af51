"""The reference is complete: what a registry holds has its place on its page, and generated pages are up to date."""

import re
import shlex
import tomllib
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from pydantic import TypeAdapter

from docs.generate import PAGES, REFERENCE
from flows.cli import app
from flows.settings.model import SECTIONS, Settings
from stats.accuracy import ESTIMATORS
from stats.agreement import COEFFICIENTS, WEIGHTS
from stats.reasons import REASONS as WHY_NULL
from tasks.formats import FORMATS
from tasks.formats.parsing.reject_rows import REASONS as WHY_REJECTED

KEYS = [(section, key) for section, part in SECTIONS.items() for key in part.model_fields]


def page(name: str) -> str:
    return (REFERENCE / name).read_text(encoding="utf-8")


def section(text: str, heading: str) -> str:
    """What stands under a heading of the second level that begins so."""
    results = [part for part in text.split("\n## ")[1:] if part.startswith(heading)]
    assert len(results) == 1, f"one section {heading!r}"
    return results[0]


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_up_to_date(name: str) -> None:
    assert page(name) == PAGES[name](), f"docs/reference/{name} is out of date: run `make docs`"


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_each_coefficient_has_its_section(name: str) -> None:
    assert "Source" in section(page("coefficients.md"), f"{name}\n")


@pytest.mark.parametrize("name", ESTIMATORS)
def test_each_estimator_has_its_section(name: str) -> None:
    assert f"\n### {name}\n" in section(page("coefficients.md"), "Estimators")


@pytest.mark.parametrize("name", WEIGHTS)
def test_each_weighting_is_named(name: str) -> None:
    assert f"| `{name}` |" in section(page("coefficients.md"), "Weights")


@pytest.mark.parametrize("name", WHY_NULL)
def test_each_reason_for_null_is_named_with_its_sentence(name: str) -> None:
    assert f"| `{name}` | {WHY_NULL[name]} |" in section(page("coefficients.md"), "Reasons")


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_is_named(name: str) -> None:
    assert f"| `{name}` |" in section(page("formats.md"), "What is read")


@pytest.mark.parametrize("name", WHY_REJECTED)
def test_each_reason_for_a_reject_is_named(name: str) -> None:
    assert f"| `{name}` |" in section(page("formats.md"), "Why a row is rejected")


@pytest.mark.parametrize(("part", "key"), KEYS, ids=lambda value: value)
def test_each_setting_is_named_in_its_section(part: str, key: str) -> None:
    assert part in Settings.model_fields
    assert f"| `{key}` |" in _settings_section(part)


def _settings_section(part: str) -> str:
    heading = {"source": "[[source]]", "notify": "[[notify]]", "questions": "[questions.NAME]"}.get(part, f"[{part}]")
    return section(page("settings.md"), heading)


@pytest.mark.parametrize(("part", "key"), KEYS, ids=lambda value: value)
def test_each_setting_is_shown_with_its_default(part: str, key: str) -> None:
    row = re.search(rf"^\| `{key}` \| (.*?) \|", _settings_section(part), re.MULTILINE)
    field = SECTIONS[part].model_fields[key]
    assert row is not None
    if field.default is None:
        assert row[1].startswith(("none", "that of", "those of"))
    else:
        shown = tomllib.loads(f"value = {row[1].strip('`')}")["value"]
        kind = Annotated[field.annotation, "default", *field.metadata]
        assert TypeAdapter(kind).validate_python(shown) == field.default


def test_every_section_of_the_settings_is_looked_at() -> None:
    assert set(SECTIONS) == set(Settings.model_fields)


@pytest.mark.parametrize("name", sorted(typer.main.get_command(app).commands))  # type: ignore[attr-defined]
def test_each_command_has_its_section_and_its_json(name: str) -> None:
    assert section(page("commands.md"), f"{name}\n")
    assert f"`{name}`" in page("json.md") or name in _headings(page("json.md"))


def test_defaults_of_arguments_and_examples_with_a_pipe_are_shown() -> None:
    assert "| `[DIR]` | `.` |" in section(page("commands.md"), "init\n")
    assert "cat labels.csv | kappaflow agree -" in section(page("commands.md"), "agree\n")


def test_each_example_in_the_help_is_understood() -> None:
    """Its command, its options and their values exist. Whether its files do depends on the project."""
    blocks = re.findall(r"```sh no-run\n(.*?)```", page("commands.md"), re.DOTALL)
    examples = [example for block in blocks for example in re.split(r"\n(?=\S)", block.strip())]
    assert len(examples) > 100
    for example in examples:
        program, *words = shlex.split(example.partition(" > ")[0].rpartition("| ")[2])
        assert program == "kappaflow"
        group: Any = typer.main.get_command(app)
        while hasattr(group, "commands"):
            name, *words = words if words and words[0] in group.commands else ("list", *words)
            group = group.commands[name]
        assert group.make_context(name, words), example


def _headings(text: str) -> list[str]:
    lines = [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")]
    return [name.strip() for line in lines for name in line.split(",")]


def test_every_page_is_reached_from_the_index() -> None:
    docs = Path(__file__).parents[1] / "docs"
    index = (docs / "index.md").read_text(encoding="utf-8")
    pages = [path.relative_to(docs).as_posix() for path in docs.rglob("*.md") if path.name != "index.md"]
    assert [path for path in pages if f"({path})" not in index] == []

"""The page on Python has every public name, with arguments and what it says of itself."""

import importlib
import inspect
import re

import pytest

from docs.generate import REFERENCE
from docs.python_api import CONSTANTS, MODULES, public_names

NAMES = [(module, name) for module, names in public_names().items() for name in names]
# What users, and the checks of a release, import. A name that leaves is a broken promise.
PROMISED = {
    "stats.agreement": ("agreement", "pairwise", "against_group", "by_label", "by_item", "by_rater", "compare",
                        "benchmark", "homogeneity", "paradox", "COEFFICIENTS", "WEIGHTS"),
    "stats.accuracy": ("accuracy", "plan", "consensus", "compare_systems", "assumption_checks", "ESTIMATORS"),
    "stats.accuracy.planning": ("gold_items", "raters_for_budget"),
    "stats.simulate": ("simulate", "FIGURES"),
    "stats.counts": ("rating_patterns", "pair_tables"),
    "stats.monitoring": ("DailyCounts", "question_charts", "plan_alarm"),
    "stats.errors": ("StatsError",),
    "tasks.formats": ("FORMATS",),
}  # fmt: skip


@pytest.fixture(scope="module")
def page() -> str:
    return (REFERENCE / "python-api.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("module", PROMISED)
def test_what_is_promised_is_public(module: str) -> None:
    assert set(PROMISED[module]) <= set(public_names()[module])


def test_every_name_has_its_section_with_what_it_says(page: str) -> None:
    sections = dict(re.findall(r"^### (?:class )?([\w.]+)\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL))
    for module, name in NAMES:
        text = sections.get(name) or sections[f"{module.removeprefix('stats.')}.{name}"]
        value = getattr(importlib.import_module(module), name)
        output = CONSTANTS[f"{module}.{name}"] if name.isupper() else (inspect.getdoc(value) or "").split("\n")[0]
        assert output, f"{module}.{name} says nothing of itself"
        assert output.replace("<", "&lt;").split("`")[0] in text.replace("`", "`"), f"{module}.{name}"


def test_arguments_are_shown_with_their_defaults(page: str) -> None:
    assert "    confidence: float = 0.95,\n    interval_method: str = 't',\n    replicates: int = 1000,\n" in page
    for module, name in NAMES:
        value = getattr(importlib.import_module(module), name)
        if inspect.isfunction(value):
            head = re.search(rf"^{name}\((.*?)\)[^\n]*\n```$", page, re.MULTILINE | re.DOTALL)
            assert head is not None
    assert " object at 0x" not in page


@pytest.mark.parametrize("module", MODULES)
def test_public_names_can_be_imported_from_their_module(module: str) -> None:
    assert all(hasattr(importlib.import_module(module), name) for name in importlib.import_module(module).__all__)


def test_columns_stand_where_a_docstring_only_names_them(page: str) -> None:
    section = page.split("### agreement\n")[1].split("\n### ")[0]
    assert "Columns of SCHEMA:" in section
    assert "`krippendorff_alpha`" not in section
    assert "`p_value` Float64" in section

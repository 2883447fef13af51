"""Simulated size and power of the checks: the plan is whole, a run is repeatable, the page shows what was found."""

import re
from itertools import product

import numpy as np
import polars as pl
import pytest

from benchmarks.accuracy.checks import (
    ACCURACIES,
    CLEAN_RATERS,
    CLEAN_SETS,
    ITEMS,
    LABELS,
    RATERS,
    VIOLATIONS,
    Cell,
    _drawn,
    plan,
    run,
)
from benchmarks.accuracy.checks_page import CHECKS, HIGH, LOW, PAGE, page
from stats.accuracy import CHECKS as ALL
from stats.simulation.draws import ErrorProfile

SMALL = Cell("power", "AD=2", 200, (0.6,) * 3, errors=ErrorProfile(2.0, 0.0, 0.0), sets=5, replicates=199)


def test_the_plan_holds_every_setting() -> None:
    size = [cell for cell in plan() if cell.section == "size"]
    for n, p, k, r in product(ITEMS, ACCURACIES, LABELS, RATERS):
        assert any((cell.items, cell.raters, cell.labels) == (n, (p,) * r, k) for cell in size)
    assert all(cell.sets >= 200 for cell in size)
    assert {cell.base_rates for cell in size} == {"even", "drawn"}
    assert {cell.missing for cell in size} == {0.0, 0.2}
    power = [cell for cell in plan() if cell.section == "power"]
    assert {(cell.world, len(cell.raters)) for cell in power} == set(product(VIOLATIONS, (3, 4, 5)))
    clean = [cell for cell in plan() if cell.section == "clean"]
    assert {(cell.items, cell.raters, cell.labels, cell.systems) for cell in clean} == set(
        product(CLEAN_SETS, CLEAN_RATERS, LABELS, (1, 3))
    )
    assert all(cell.sets >= 1000 for cell in clean if cell.items == 50)
    assert {cell.world for cell in plan() if cell.section == "warnings"} == {str(number) for number in range(8, 15)}


def test_the_page_shows_every_check() -> None:
    assert tuple(ALL) == CHECKS


def test_a_violation_is_found_and_the_same_again() -> None:
    rows = run(SMALL)
    assert rows == run(SMALL)
    of_check = {row["check"]: row for row in rows}
    assert of_check["adjacent"]["violated"] == of_check["any"]["violated"] == 1.0
    assert of_check["alike"]["made"] == 0.0
    assert of_check["alike"]["violated"] is None


def test_with_four_raters_a_rater_who_copies_another_is_mostly_unclear() -> None:
    cell = Cell("power", "rater copies 30 %", 1000, (0.6,) * 4, copier="rater", copied=0.3, sets=10, replicates=99)
    of_check = {row["check"]: row for row in run(cell)}
    assert of_check["copying"]["violated"] == 0.0, "nobody says that the system copies"
    assert of_check["verdict on pairs"]["unclear"] > 0.9


@pytest.mark.parametrize(("copier", "column"), [("system", -1), ("rater", 1)])
def test_who_copies_agrees_more_with_the_first_rater(copier: str, column: int) -> None:
    cell = Cell("power", "copies", 400, (0.6,) * 3, copier=copier, copied=1.0, sets=1)
    (material,) = _drawn(cell)
    given, humans = material.systems["system 1"], material.humans
    codes = np.full((len(humans.n_items), 3), -1)
    codes[humans.pattern, humans.rater] = humans.label
    copied = given.answer if column < 0 else codes[:, column]
    np.testing.assert_array_equal(copied, codes[:, 0])


def test_a_cell_out_of_bounds_is_bold() -> None:
    rows = [row for cell in plan() for row in _made_up(cell)]
    rows[next(i for i, row in enumerate(rows) if row["section"] == "size")]["significant"] = 0.2
    text = page(pl.DataFrame(rows, infer_schema_length=None))
    assert text.count("**.200**") == 1
    assert " 1 of the " in text
    for violation in VIOLATIONS:
        assert f"| {violation} | 1000 |" in text


def test_the_written_page_marks_what_is_out_of_bounds() -> None:
    text = PAGE.read_text(encoding="utf-8")
    size = text[text.index("## False alarms") : text.index("## What is found")]
    cells = re.findall(r"\| (\*\*)?(1?\.\d{3})(\*\*)?(?= \|)", size)
    assert len(cells) > 300
    for bold, share, _ in cells:
        assert (LOW <= float(share) <= HIGH) != bool(bold), share


def _made_up(cell: Cell) -> list[dict[str, object]]:
    of_cell: dict[str, object] = {
        "accuracies": " ".join(map(str, cell.raters)), "effect": 0.0,
        "section": cell.section, "world": cell.world, "items": cell.items, "accuracy": min(cell.raters),
        "raters": len(cell.raters), "labels": cell.labels, "base_rates": cell.base_rates, "missing": cell.missing,
        "ordered": cell.ordered, "sets": cell.sets, "made": 1.0, "significant": 0.05, "violated": 0.04,
        "systems": cell.systems, "alone": 0.15, "unclear": 0.02,
    }  # fmt: skip
    together = ("verdict", "verdict but raters", "verdict on pairs")
    return [of_cell | {"check": name} for name in (*CHECKS, "kappa", *together, "any")]


@pytest.mark.field_trial(3)
def test_few_of_the_questions_on_which_nothing_is_wrong_draw_a_verdict() -> None:
    text = PAGE.read_text(encoding="utf-8")
    section = text[text.index("## Questions on which nothing is wrong") : text.index("## False alarms")]
    shares = [
        (float(corrected), float(alone)) for corrected, alone in re.findall(r"(1?\.\d{3}) / (1?\.\d{3})", section)
    ]
    assert len(shares) == sum(cell.section == "clean" for cell in plan())
    # 1,000 sets of a true share of .05 have more than .071 in one table of a hundred
    assert max(corrected for corrected, _ in shares) < 0.07
    assert sum(corrected for corrected, _ in shares) / len(shares) < 0.03
    assert sum(alone for _, alone in shares) / len(shares) > 0.05

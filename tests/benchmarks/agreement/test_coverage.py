"""Simulated coverage: the worlds are what they claim, a run is repeatable, the page holds every setting."""

import re
from dataclasses import asdict
from itertools import product

import numpy as np
import polars as pl
import pytest

from benchmarks.agreement.coverage import ANY, ITEMS, KAPPAS, LABELS, RATERS, TWO, Task, plan, run
from benchmarks.agreement.coverage_page import HIGH, LOW, PAGE, REASONS, page
from benchmarks.agreement.worlds import World, population_of, setting, true_value

SMALL = Task("errors", World("errors", 0.5, 3, 2), 100, ("fleiss_kappa", "krippendorff_alpha"), "t", sets=200)


@pytest.mark.parametrize(("kappa", "r", "k"), list(product(KAPPAS, (2, 3), LABELS)))
def test_a_world_of_errors_has_the_fleiss_kappa_it_is_tuned_to(kappa: float, r: int, k: int) -> None:
    everyone = population_of(World("errors", kappa, r, k))
    assert true_value("fleiss_kappa", everyone, setting(k)) == pytest.approx(kappa, abs=1e-9)


@pytest.mark.parametrize("name", ["cohen_kappa", "scott_pi", "fleiss_kappa", "conger_kappa", "krippendorff_alpha"])
def test_the_share_of_easy_items_is_kappa_by_every_count_of_habits(name: str) -> None:
    everyone = population_of(World("hard items", 0.5, 2, 5))
    assert true_value(name, everyone, setting(5)) == pytest.approx(0.5, abs=1e-8)


def test_gaps_leave_every_item_with_a_rating() -> None:
    everyone = population_of(World("errors", 0.5, 3, 2, missing=0.2))
    assert len(everyone.shares) == 3**3 - 1
    assert everyone.shares.sum() == pytest.approx(1)
    assert (everyone.codes >= 0).any(axis=1).all()
    single = (everyone.codes >= 0).sum(axis=1) == 1
    assert everyone.shares[single].sum() == pytest.approx(3 * 0.8 * 0.2**2 / (1 - 0.2**3))


def test_missing_at_random_does_not_change_the_truth() -> None:
    whole, gaps = (population_of(World("errors", 0.5, 3, 2, missing)) for missing in (0.0, 0.2))
    for name in ("percent_agreement", "conger_kappa", "light_kappa"):
        truth = true_value(name, whole, setting(2))
        assert true_value(name, gaps, setting(2)) == pytest.approx(truth, abs=1e-9)


def test_intervals_hold_the_truth_as_often_as_they_should() -> None:
    for row in run(SMALL):
        assert row["truth"] == pytest.approx(0.5, abs=1e-6)
        assert 0.88 <= row["coverage"] <= 1
        assert row["coverage"] + row["below"] + row["above"] == pytest.approx(1)
        assert row["se"] == pytest.approx(row["sd"], rel=0.15)


def test_the_same_seed_gives_the_same_table() -> None:
    assert run(SMALL) == run(SMALL)


def test_methods_are_compared_on_the_same_sets() -> None:
    t, jackknife = (
        run(Task("", SMALL.world, 30, ("fleiss_kappa",), method, sets=50))[0] for method in ("t", "jackknife")
    )
    assert (t["bias"], t["sd"]) == (jackknife["bias"], jackknife["sd"])
    assert t["se"] != jackknife["se"]


def test_the_plan_holds_every_setting() -> None:
    planned = {
        (task.world.kappa, task.items, task.world.raters, task.world.labels, name)
        for task in plan()
        if task.section == "errors"
        for name in task.coefficients
    }
    for kappa, n, r, k in product(KAPPAS, ITEMS, RATERS, LABELS):
        for name in TWO if r == 2 else ANY:
            assert (kappa, n, r, k, name) in planned


def test_a_cell_out_of_bounds_is_bold_and_has_a_reason() -> None:
    summary = {"coverage": 0.95, "below": 0.02, "above": 0.03, "bias": 0.0, "sd": 1.0, "se": 1.0, "correlation": 0.0}
    rows = [
        {"section": task.section, **asdict(task.world), "items": task.items, "asked": task.method, "sets": task.sets}
        | {"coefficient": name, "method": task.method, "undefined": 0, "degenerate": 0, **summary}
        for task in plan()
        for name in task.coefficients
    ]
    rows[7] |= {"coverage": 0.91, "above": 0.07, "correlation": -0.9, "undefined": 3}
    text = page(pl.DataFrame(rows, infer_schema_length=None))
    assert text.count("**.910** s (3)") == 1
    assert text.count("| .950 ") > 1000
    assert REASONS["s"] in text
    assert REASONS["w"] not in text


def test_the_written_page_has_all_settings_and_marks_what_is_out_of_bounds() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for r, k in product(RATERS, LABELS):
        assert f"### {r} raters, {k} labels\n" in text
    cells = re.findall(r"\| (\*\*)?(1?\.\d{3})(?:\*\* ([a-z]))?(?= [|(])", text)
    assert len(cells) > 1000
    for bold, coverage, letter in cells:
        assert (LOW <= float(coverage) <= HIGH) != bool(bold), coverage
        assert bool(bold) == (letter in REASONS)


def test_sets_are_multinomial_draws_of_the_items_asked_for() -> None:
    everyone = population_of(SMALL.world)
    tables = everyone.tables(np.array([[1.0] * 8, [2.0] * 8]))
    assert tables.n.tolist() == [8, 16]
    assert tables.by_rater().sum(axis=2).tolist() == [[8] * 3, [16] * 3]

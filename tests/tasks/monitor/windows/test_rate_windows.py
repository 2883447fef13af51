"""Label rates by window: at the level of the evaluation, and where the system's share moves but the rate does not."""

from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from tasks.evaluate.evaluation_options import EvaluationOptions
from tests.tasks.monitor.conftest import START, Project, Rating
from tests.tasks.monitor.windows.test_window_tables import OPTIONS, monitor, rows

LABELS = ("bad", "good")
OF_WINDOW = "select label, method, estimate, low, high, outer_low, outer_high, n_items, n_gold from label_rate_trend"


def ratings(days: range, rate: float, *, gold: int = 0, seed: int = 1) -> list[Rating]:
    """30 items a day with three raters (.8) and the system `bot` (.9), some of them with gold."""
    rng, result = np.random.default_rng([seed, days.start]), []
    for day in days:
        at = START + timedelta(days=day)
        for i in range(30):
            truth = LABELS[int(rng.random() < rate)]
            wrong = LABELS[truth == "bad"]
            item = f"d{day}-{i}"
            for rater, right in (("r1", 0.8), ("r2", 0.8), ("r3", 0.8), ("bot", 0.9)):
                kind = "system" if rater == "bot" else "human"
                result.append((item, rater, kind, truth if rng.random() < right else wrong, at, None, None))
            if i < gold:
                result.append((item, "expert", "gold", truth, at, None, None))
    return result


def figures(project: Project, where: str) -> dict[tuple[str, str], Any]:
    return {row[:2]: row[2:] for row in rows(project, f"{OF_WINDOW} where {where} order by label, method")}


@pytest.fixture
def two_months(project: Project) -> Project:
    """The share of good items falls from .8 to .5."""
    project.store(ratings(range(28), 0.8))
    project.store(ratings(range(28, 56), 0.5))
    monitor(project, EvaluationOptions(**{**vars(OPTIONS), "last_items": 10_000}))
    return project


def test_the_last_items_of_all_have_the_rates_of_the_evaluation(two_months: Project) -> None:
    query = "select label, method, estimate, n_items from latest_label_rates where scope = 'all' and system = 'bot'"
    whole = {row[:2]: row[2:] for row in rows(two_months, query)}
    result = figures(two_months, "period = 'last_n'")
    assert set(result) == set(whole) == {(label, method) for label in LABELS for method in ("model", "raw")}
    for key, (estimate, low, high, outer_low, outer_high, n_items, n_gold) in result.items():
        assert estimate == pytest.approx(whole[key][0], abs=1e-9)
        assert (n_items, n_gold) == (whole[key][1], 0)
        assert low < estimate < high
        if key[1] == "model":
            assert outer_low < low
            assert high < outer_high
        else:
            assert (outer_low, outer_high) == (None, None)


def test_a_rate_that_falls_is_seen_without_gold(two_months: Project) -> None:
    """The mean probability would fall less, since it is drawn to that of all items."""
    batches = rows(
        two_months,
        "select estimate, low, high from label_rate_trend where period = 'batch' and label = 'good'"
        " and method = 'model' order by period_start",
    )
    assert [estimate for estimate, _, _ in batches] == pytest.approx([0.8, 0.5], abs=0.05)
    assert all(low < truth < high for truth, (_, low, high) in zip((0.8, 0.5), batches, strict=True))
    assert batches[1][2] < batches[0][1]
    difference = rows(
        two_months,
        "select difference from label_rate_trend where period = 'batch' and label = 'good' and method = 'model'"
        " order by period_start",
    )
    assert difference == [(None,), (pytest.approx(batches[1][0] - batches[0][0]),)]


def test_all_gold_corrects_every_window_and_its_own_gold_where_there_is_enough(project: Project) -> None:
    project.store(ratings(range(28), 0.8, gold=2))
    project.store(ratings(range(28, 56), 0.5))
    monitor(project)
    starts = rows(project, "select distinct period_start from label_rate_trend where period = 'batch' order by all")
    results = [figures(project, f"period = 'batch' and period_start = '{start}'") for (start,) in starts]
    for truth, of_batch in zip((0.8, 0.5), results, strict=True):
        estimate, low, high, *_, n_gold = of_batch["good", "rogan_gladen"]
        assert (n_gold, low < truth < high, abs(estimate - truth) < 0.1) == (56, True, True)
    assert results[0]["good", "ppi"][-1] == 56
    assert ("good", "ppi") not in results[1]
    assert ("good", "model") not in results[0]
    by_hand = rows(
        project, "select count(*) filter (where label = 'good') / count(*) from current_ratings where rater = 'bot'"
    )[0][0]
    shares = [of_batch["good", "raw"][0] for of_batch in results]
    assert np.mean(shares) == pytest.approx(by_hand)


def test_raters_who_tell_nothing_leave_a_reason(project: Project) -> None:
    day = START
    project.store(
        [
            (str(i), rater, "system" if rater == "bot" else "human", LABELS[(i >> place) & 1], day, None, None)
            for i in range(64)
            for place, rater in enumerate(("r1", "r2", "bot"))
        ]
    )
    monitor(project)
    table = rows(project, "select distinct method, estimate is null, reason from label_rate_trend order by all")
    assert table == [("model", True, "not_identified"), ("raw", False, None)]


def without_people(rated: list[Rating]) -> list[Rating]:
    return [row for row in rated if row[2] != "human"]


def test_without_people_gold_corrects_the_weeks_of_the_system(project: Project) -> None:
    """The same figures as beside people, who have no part in what gold corrects."""
    project.store(ratings(range(28), 0.8, gold=2))
    project.store(ratings(range(28, 56), 0.5))
    monitor(project)
    beside = figures(project, "period = 'month'"), figures(project, "period = 'week'")
    project.store(without_people(ratings(range(28), 0.8, gold=2)), question="alone")
    project.store(without_people(ratings(range(28, 56), 0.5)), question="alone")
    monitor(project)
    alone = "question = 'alone' and period"
    assert (figures(project, f"{alone} = 'month'"), figures(project, f"{alone} = 'week'")) == beside
    weeks = rows(
        project,
        "select distinct first_day, method, n_items, too_few from label_rate_trend where question = 'alone'"
        " and period = 'week' and method <> 'ppi' order by all",
    )
    assert weeks[0] == (START, "raw", 210, False)
    assert len(weeks) == 2 * 8
    assert rows(project, "select distinct period from label_rate_trend where question = 'alone' order by all") == [
        ("day",), ("month",), ("rolling",), ("week",),
    ]  # fmt: skip


def test_without_people_and_gold_there_is_what_the_system_says(project: Project) -> None:
    project.store(without_people(ratings(range(8), 0.8)))
    monitor(project)
    result = figures(project, f"period = 'week' and first_day = '{START}'")
    assert set(result) == {(label, "raw") for label in LABELS}
    assert result["good", "raw"][-2:] == (210, 0)
    counted = "select count(*) filter (where label = 'good') / count(*) from current_ratings where rated_at < '{}'"
    by_hand = rows(project, counted.format(START + timedelta(days=7)))[0][0]
    assert result["good", "raw"][0] == pytest.approx(by_hand)


def test_without_people_small_windows_are_marked(project: Project) -> None:
    project.store([row for row in without_people(ratings(range(2), 0.8)) if row[0].split("-")[1] < "2"])
    monitor(project)
    assert rows(project, "select distinct n_items < 30, too_few from label_rate_trend where period = 'day'") == [
        (True, True)
    ]
    assert rows(project, "select count(*) from system_trend union all select count(*) from agreement_trend") == [
        (0,), (0,),
    ]  # fmt: skip


def test_an_item_that_nobody_rated_counts_on_the_day_of_its_latest_answer(project: Project) -> None:
    later = START + timedelta(days=9)
    project.store(
        [("i", "bot", "system", "good", START, None, None), ("j", "bot", "system", "good", START, None, None)]
    )
    project.store([("i", "bot", "system", "bad", later, None, None), ("i", "gold", "gold", "bad", later, None, None)])
    monitor(project)
    table = rows(
        project, "select first_day, label, estimate, n_items from label_rate_trend where period = 'day'"
        " and method = 'raw' order by all",
    )  # fmt: skip
    assert table == [(START, "bad", 0, 1), (START, "good", 1, 1), (later, "bad", 1, 1), (later, "good", 0, 1)]
    project.store([("i", "ann", "human", "bad", later + timedelta(days=1), None, None)])
    monitor(project)
    days = rows(project, "select distinct first_day from label_rate_trend where period = 'day'")
    assert days == [(later + timedelta(days=1),)]

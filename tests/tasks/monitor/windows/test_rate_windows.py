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
    rng, found = np.random.default_rng([seed, days.start]), []
    for day in days:
        at = START + timedelta(days=day)
        for i in range(30):
            truth = LABELS[int(rng.random() < rate)]
            wrong = LABELS[truth == "bad"]
            item = f"d{day}-{i}"
            for rater, right in (("r1", 0.8), ("r2", 0.8), ("r3", 0.8), ("bot", 0.9)):
                kind = "system" if rater == "bot" else "human"
                found.append((item, rater, kind, truth if rng.random() < right else wrong, at, None, None))
            if i < gold:
                found.append((item, "expert", "gold", truth, at, None, None))
    return found


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
    found = figures(two_months, "period = 'last_n'")
    assert set(found) == set(whole) == {(label, method) for label in LABELS for method in ("model", "raw")}
    for key, (estimate, low, high, outer_low, outer_high, n_items, n_gold) in found.items():
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
    found = [figures(project, f"period = 'batch' and period_start = '{start}'") for (start,) in starts]
    for truth, of_batch in zip((0.8, 0.5), found, strict=True):
        estimate, low, high, *_, n_gold = of_batch["good", "rogan_gladen"]
        assert (n_gold, low < truth < high, abs(estimate - truth) < 0.1) == (56, True, True)
    assert found[0]["good", "ppi"][-1] == 56
    assert ("good", "ppi") not in found[1]
    assert ("good", "model") not in found[0]
    by_hand = rows(
        project, "select count(*) filter (where label = 'good') / count(*) from current_ratings where rater = 'bot'"
    )[0][0]
    shares = [of_batch["good", "raw"][0] for of_batch in found]
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
    found = rows(project, "select distinct method, estimate is null, reason from label_rate_trend order by all")
    assert found == [("model", True, "not_identified"), ("raw", False, None)]

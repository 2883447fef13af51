"""Why an accuracy of a window is null."""

import numpy as np
import polars as pl

from stats.trends.anchored_accuracy import Accuracies, Anchor
from stats.trends.quality_trends import QualityTrends
from stats.trends.ratio_shares import Shares
from tasks.monitor.windows.quality_windows import ACCURACIES, REASONS, _rows


def test_each_undefined_accuracy_has_its_reason() -> None:
    figures = np.array([0.8, np.nan, np.nan, np.nan, np.nan])
    contradicts = np.array([False, False, False, True, False])
    subject, n_shared = np.array([0, 0, 0, 0, 1]), np.array([9, 1, 9, 9, 9])
    trends = QualityTrends(
        np.arange(5),
        subject,
        np.full(5, 9),
        n_shared,
        Shares(*[np.full(5, 0.7)] * 3),
        Accuracies(figures, figures, figures, figures, contradicts),
    )
    anchor = Anchor(np.array([0.8, np.nan]), np.array([0.1, np.nan]))
    rows = _rows(trends, "system", ["gpt", "new"], pl.DataFrame(schema=ACCURACIES), anchor)
    expected = [(None, None), *(REASONS[name] for name in ("too_few_items", "not_identified", "contradiction"))]
    assert rows.select("reason", "detail").rows() == [*expected, REASONS["not_evaluated"]]
    assert rows["accuracy"].to_list() == [0.8, None, None, None, None]

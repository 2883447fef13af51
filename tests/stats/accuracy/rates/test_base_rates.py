"""Base rates by the models: near the truth with an honest interval, and undefined where the models are."""

import numpy as np

from stats.accuracy import prepared
from stats.accuracy.rates.base_rates import base_rates
from stats.simulate import simulate_ratings

LABELS = ["A", "B", "C"]


def test_the_interval_holds_the_base_rate_where_the_model_is_right() -> None:
    held = []
    for seed in range(25):
        frame = simulate_ratings(
            n_items=300, labels=LABELS, raters={"ann": 0.75, "bob": 0.75, "cy": 0.75}, systems={"bot": 0.8},
            rng=np.random.default_rng(seed),
        )  # fmt: skip
        shares = frame.unique("item")["truth"].value_counts(normalize=True)
        truth = dict(shares.iter_rows())
        patterns = prepared(frame.drop("truth"), systems=["bot"], labels=LABELS).patterns("bot", by_rater=True)
        rows = base_rates(patterns, 0.95)
        assert abs(sum(float(str(row["estimate"])) for row in rows) - 1) < 1e-6
        held += [float(str(row["low"])) <= truth.get(label, 0) <= float(str(row["high"])) for label, row in zip(LABELS, rows, strict=True)]  # fmt: skip # noqa: E501
    assert np.mean(held) >= 0.93

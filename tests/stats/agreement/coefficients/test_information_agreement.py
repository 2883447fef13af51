"""Where information agreement is far from 0 by chance alone, it says so."""

import numpy as np
import polars as pl
import pytest

from stats.agreement import agreement


def drawn(n: int, k: int, seed: int) -> dict[str, object]:
    """Return the row of two raters who give k labels to n items at random."""
    labels = np.random.default_rng(seed).integers(0, k, 2 * n).astype(str)
    items = [str(item) for item in range(n)] * 2
    ratings = pl.DataFrame({"item": items, "rater": ["ann"] * n + ["ben"] * n, "label": labels})
    chosen = [str(label) for label in range(k)]
    return agreement(ratings, labels=chosen, coefficients=["information_agreement"]).row(0, named=True)


@pytest.mark.parametrize(("n", "k", "text"), [(60, 5, "0.08"), (100, 10, "0.18"), (30, 2, None), (1000, 5, None)])
def test_it_says_what_unrelated_raters_reach(n: int, k: int, text: str | None) -> None:
    rows = [drawn(n, k, seed) for seed in range(30)]
    mean = np.mean([row["estimate"] for row in rows])  # type: ignore[arg-type]
    if text is None:
        assert mean < 0.04
        assert not any(row["detail"] for row in rows)
        return
    assert mean == pytest.approx(float(text), rel=0.25)
    assert all(f"with {n} items for" in str(row["detail"]) for row in rows)
    assert any(str(row["detail"]).endswith(f"would reach about {text}.") for row in rows)


def test_with_hundreds_of_labels_it_gives_no_number() -> None:
    row = drawn(300, 200, 1)
    assert row["estimate"] > 0.8  # type: ignore[operator]
    assert str(row["detail"]).endswith("would reach a large part of it.")

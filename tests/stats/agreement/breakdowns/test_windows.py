"""Agreement by window is agreement on the items of each window."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from stats.agreement import COEFFICIENTS, agreement, agreement_by_window
from stats.errors import StatsError

LABELS = ["1", "2", "3"]


def _ratings(n_items: int = 30) -> pl.DataFrame:
    rng = np.random.default_rng(4)
    rows = [
        (f"i{item}", f"r{rater}", LABELS[(item if rng.random() < 0.6 else rng.integers(3)) % 3])
        for item in range(n_items)
        for rater in range(5)
        if rng.random() < 0.7 or not rater
    ]
    return pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")


BY_RATER = [name for name in COEFFICIENTS if name not in ("cohen_kappa", "scott_pi")]
TOGETHER = ["percent_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1"]


@pytest.mark.parametrize("max_cells", [2_000_000, 50])
@pytest.mark.parametrize("names", [BY_RATER, TOGETHER], ids=["by rater", "together"])
@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
def test_a_window_is_its_items_alone(
    scale: str, names: list[str], max_cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stats.agreement.breakdowns.windows.MAX_CELLS", max_cells)
    ratings, rng = _ratings(), np.random.default_rng(5)
    lonely = pl.DataFrame({"item": ["j1", "j2"], "rater": ["r0", "r0"], "label": ["1", "2"]})
    ratings = pl.concat([ratings, lonely])
    items = ratings["item"].unique().sort()
    parts = [
        pl.DataFrame({"window": window, "item": items.sample(size, seed=size), "n_items": rng.integers(1, 4, size)})
        for window, size in (("few", 5), ("all", 32), ("half", 15), ("one", 1))
    ]
    parts.append(pl.DataFrame({"window": "alone", "item": lonely["item"], "n_items": [1, 2]}))  # with one rater
    result = agreement_by_window(
        ratings, pl.concat(parts), labels=LABELS, scale=scale, coefficients=names, confidence=0.9
    )
    assert result["window"].unique(maintain_order=True).to_list() == ["all", "alone", "few", "half", "one"]
    for part in parts:
        alone = agreement(
            ratings.join(part.drop("window"), on="item"), labels=LABELS, scale=scale, coefficients=names, confidence=0.9
        )
        of_window = result.filter(pl.col("window") == part["window"][0]).drop("window")
        assert_frame_equal(of_window, alone, abs_tol=1e-9, rel_tol=1e-9)


@pytest.mark.parametrize("names", [["conger_kappa"], TOGETHER], ids=["by rater", "together"])
def test_windows_of_units_are_those_of_their_items(names: list[str]) -> None:
    ratings = _ratings()
    items = ratings["item"].unique().sort()
    units = pl.DataFrame({"unit": np.arange(30) // 6 * 10, "item": items, "n_items": np.arange(30) % 4 + 1})
    units = pl.concat([units, units.head(2).with_columns(unit=pl.lit(40, pl.Int64))])  # two items in two units
    members = pl.DataFrame({"window": ["b", "b", "a", "a", "a", "c"], "unit": [0, 10, 0, 40, 30, 99]})  # 99: no items
    windows = units.join(members, on="unit").group_by("window", "item").agg(pl.col("n_items").sum())
    figures = {"labels": LABELS, "coefficients": names}
    of_units = agreement_by_window(ratings, units, members=members, **figures)
    assert of_units["window"].unique().sort().to_list() == ["a", "b"]
    assert_frame_equal(of_units, agreement_by_window(ratings, windows, **figures), abs_tol=1e-12, rel_tol=1e-12)


def test_raters_who_are_not_in_a_window_do_not_count() -> None:
    rows = [("1", "a", "1"), ("1", "b", "1"), ("2", "c", "2"), ("2", "d", "1")]
    ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    windows = pl.DataFrame({"window": [1, 2], "item": ["1", "2"], "n_items": [4, 1]})
    result = agreement_by_window(ratings, windows, labels=LABELS, coefficients=["percent_agreement"])
    assert result.select("n_raters", "n_items", "n_ratings").rows() == [(2, 4, 8), (2, 1, 2)]
    assert agreement_by_window(ratings, windows.clear(), labels=LABELS).is_empty()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (pl.when(pl.col("item") == "i3").then(pl.lit("x")).otherwise("label").alias("label"), "label must be declared"),
        (pl.lit("i1").alias("item"), "labels an item once"),
    ],
)
def test_what_is_wrong_with_the_ratings_is_said(change: pl.Expr, sentence: str) -> None:
    windows = pl.DataFrame({"window": [1], "item": ["i1"], "n_items": [1]})
    with pytest.raises(StatsError, match=sentence):
        agreement_by_window(_ratings().with_columns(change), windows, labels=LABELS)


def test_an_item_without_ratings_is_said() -> None:
    windows = pl.DataFrame({"window": [1], "item": ["nobody's"], "n_items": [1]})
    with pytest.raises(StatsError, match='found "nobody\'s" without'):
        agreement_by_window(_ratings(), windows, labels=LABELS)


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
def test_other_windows_do_not_change_a_bit(scale: str) -> None:
    """A window that is computed alone has the figures that it has beside others, also in the last bit."""
    ratings, rng = _ratings(60), np.random.default_rng(6)
    items = ratings["item"].unique().sort()
    counts = pl.concat(
        [
            pl.DataFrame({"unit": unit, "item": items.sample(20, seed=unit), "n_items": rng.integers(1, 4, 20)})
            for unit in range(12)
        ]
    )
    members = pl.DataFrame([(unit // 2, unit) for unit in range(12)], schema=["window", "unit"], orient="row")

    def rows(members: pl.DataFrame) -> list[tuple[object, ...]]:
        inside = counts.join(members, on="unit", how="semi")
        rated = ratings.join(inside, on="item", how="semi")
        options = {"labels": LABELS, "scale": scale, "coefficients": TOGETHER}
        return agreement_by_window(rated, inside, members=members, **options).rows()  # type: ignore[arg-type]

    every = rows(members)
    for window in range(6):
        assert rows(members.filter(window=window)) == [row for row in every if row[0] == window]

"""Who stands out among the annotators of spans, boxes, rankings and texts, and that nobody is named without reason."""

from typing import Any

import polars as pl

from tasks.summary.region_raters import region_rater_sentences

Pairs = dict[tuple[str, str], float]
FOUR: Pairs = {("a", "b"): 0.9, ("a", "c"): 0.85, ("b", "c"): 0.9, ("a", "d"): 0.3, ("b", "d"): 0.4, ("c", "d"): 0.3}


def rows(pairs: Pairs, coefficient: str = "f1_exact", **figures: Any) -> pl.DataFrame:
    """Return rows of the view: of all raters, and of each pair with an interval of .1 on either side."""
    shared = {"question": "q", "label": None, "coefficient": coefficient, "n_items": 90, "n_regions": 200}
    results = [shared | {"rater_a": None, "rater_b": None, "estimate": 0.5, "low": 0.4, "high": 0.6}]
    results += [
        shared | {"rater_a": a, "rater_b": b, "estimate": value, "low": value - 0.1, "high": value + 0.1} | figures
        for (a, b), value in pairs.items()
    ]
    return pl.DataFrame(results, infer_schema_length=None)


def test_who_agrees_less_with_each_of_the_others_is_named() -> None:
    assert region_rater_sentences(rows(FOUR)) == {
        "q": ["d agrees less with the others (F1 (exact) 0.33) than they with each other (0.88)."]
    }
    assert "(similarity of characters 0.33)" in region_rater_sentences(rows(FOUR, "text_similarity"))["q"][0]


def test_nobody_is_named_where_intervals_overlap_or_the_difference_is_small() -> None:
    assert region_rater_sentences(rows(FOUR | {("a", "d"): 0.7})) == {}
    alike = {pair: 0.9 if "d" not in pair else 0.85 for pair in FOUR}
    narrow = rows(alike).with_columns(low=pl.col("estimate") - 0.01, high=pl.col("estimate") + 0.01)
    assert region_rater_sentences(narrow) == {}
    assert region_rater_sentences(rows({("a", "b"): 0.1})) == {}
    assert region_rater_sentences(pl.DataFrame()) == {}


def test_nobody_is_named_who_did_other_items_or_too_few_or_with_few_marks() -> None:
    difficult = rows(FOUR).with_columns(
        n_items=pl.when(pl.col("rater_b") == "d").then(80).otherwise("n_items")  # of 90: perhaps the difficult ones
    )
    assert region_rater_sentences(difficult) == {}
    assert region_rater_sentences(rows(FOUR, n_items=19)) == {}
    assert region_rater_sentences(rows(FOUR, n_regions=19)) == {}
    assert region_rater_sentences(rows(FOUR, "text_similarity", n_regions=0)) != {}


def test_who_puts_options_in_the_opposite_order_is_named() -> None:
    signs = {pair: -0.7 if "d" in pair else value for pair, value in FOUR.items()}
    assert region_rater_sentences(rows(signs, "spearman", n_regions=0)) == {
        "q": [
            "d contradicts the others (Spearman's rho -0.70 [-0.80, -0.60]; that of the others among themselves is"
            " 0.88). Perhaps the order was taken upside down."
        ]
    }
    (two,) = region_rater_sentences(rows({("a", "b"): -0.7}, "spearman", n_regions=0))["q"]
    assert two.startswith("a and b contradict each other (Spearman's rho -0.70")
    assert region_rater_sentences(rows({("a", "b"): -0.7}, "kendall_tau", n_regions=0)) == {}

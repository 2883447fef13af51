"""A rater who gives nearly always the same label is not the best one, and does not make the others poor."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from stats.accuracy import accuracy as accuracy_of_systems
from stats.accuracy import (
    alternative_annotator_test,
    annotators,
    assumption_checks,
    better_than_raters,
    bins,
    compare_systems,
    consensus,
    label_quality,
    rating_queue,
    summary,
)
from stats.accuracy.raters.single_label import single_label_raters
from stats.accuracy.rates.label_rates import label_rates
from stats.counts import distinct_raters, long_patterns

LABELS = ["a", "b", "c"]


def answers(truth: Any, accuracy: float, rng: np.random.Generator) -> Any:
    return np.where(rng.random(len(truth)) < accuracy, truth, (truth + rng.integers(1, 3, len(truth))) % 3)


def always(label: str, n: int, rng: np.random.Generator) -> Any:
    usual, _, share = label.partition(" ")
    return np.where(rng.random(n) < float(share or 1), LABELS.index(usual), rng.integers(1, 3, n))


def ratings(*accuracies: float | str, n: int = 120, share_of_a: float = 1 / 3) -> pl.DataFrame:
    """Raters r0, r1, ... of these accuracies, or of one label. `a .9` gives it to nine of ten items."""
    rng = np.random.default_rng(4)
    other = (1 - share_of_a) / 2
    truth = rng.choice(3, n, p=[share_of_a, other, other])
    rows = []
    for place, accuracy in enumerate(accuracies):
        codes = always(accuracy, n, rng) if isinstance(accuracy, str) else answers(truth, accuracy, rng)
        rows += [(str(item), f"r{place}", LABELS[code]) for item, code in enumerate(codes)]
    return pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")


@pytest.mark.parametrize(
    ("frame", "marked"),
    [
        (ratings(0.9, 0.9, "a"), [False, False, True]),
        (ratings(0.9, 0.9, "a", "a"), [False, False, True, True]),
        (ratings(0.9, 0.9, "a", n=19), [False, False, False]),  # too few items
        (ratings(0.9, 0.9, "a", share_of_a=0.95), [False, False, False]),  # the label is nearly always right
        (ratings(0.9, "a"), [False, False]),  # nobody tells which of two
        (ratings("a", "a", "a"), [False, False, False]),
        (ratings(0.9, 0.9, "a .95"), [False, False, True]),
        (ratings(0.9, 0.9, "a .8", n=300), [False, False, True]),
        (ratings(0.8, 0.8, "a .9", n=60), [False, False, True]),
        (ratings(0.9, 0.9, "a .5", n=300), [False, False, False]),  # no usual label: the models know such raters
        (ratings("a .9", "a .9", 0.9), [False, False, False]),  # two lazy raters do not agree beyond chance
        (ratings(0.9, 0.9, 0.6, share_of_a=0.8, n=300), [False, False, False]),  # poor, and yet better than chance
        (ratings(0.9, 0.9, 0.4), [False, False, False]),
    ],
)
def test_who_has_one_label_where_others_agree_on_another(frame: pl.DataFrame, marked: list[bool]) -> None:
    patterns = long_patterns(frame, labels=LABELS, raters=distinct_raters(frame))
    assert single_label_raters(patterns).tolist() == marked


def test_the_others_have_the_accuracy_that_they_have_without_that_rater() -> None:
    """Fitted with it, a model puts the rater of one label at .99 and the others, who are right in .9, at .3."""
    everybody = ratings(0.9, 0.9, 0.9, "a")
    result = annotators(everybody, labels=LABELS)
    honest = annotators(everybody.filter(pl.col("rater") != "r3"), labels=LABELS)
    assert result.accuracy == pytest.approx(honest.accuracy)
    assert result.raters["accuracy"].to_list()[:3] == pytest.approx(honest.raters["accuracy"].to_list())
    row = result.of("r3")
    assert (row["accuracy"], row["low"], row["reason"]) == (None, None, "not_identified")
    assert row["n_ratings"] == 120
    assert row["agreement_with_others"] is not None
    assert result.best != "r3"


def with_two_ratings(frame: pl.DataFrame) -> pl.DataFrame:
    """Return two ratings of each item, drawn at random."""
    drawn = frame.with_columns(order=pl.Series(np.random.default_rng(7).random(frame.height)))
    return drawn.filter(pl.col("order").rank().over("item") <= 2).drop("order")


@pytest.mark.parametrize("lazy", ["a", "a .9"])
def test_the_consensus_holds_where_two_people_rate_an_item(lazy: str) -> None:
    """With such a rater among four, .47 of the labels were right."""
    frame = with_two_ratings(ratings(0.85, 0.85, 0.85, lazy, n=300))
    right = ratings(1.0, n=300).select("item", truth="label")  # the same items: the truth is drawn first
    label = consensus(frame, labels=LABELS).join(right, on="item")
    assert (label["label"] == label["truth"]).mean() > 0.8


@pytest.mark.parametrize("share_of_a", [0.33, 0.8, 0.95])
@pytest.mark.parametrize("accuracy", [0.7, 0.8, 0.9])
def test_nobody_who_knows_something_is_left_out(accuracy: float, share_of_a: float) -> None:
    frame = ratings(*[accuracy] * 4, n=400, share_of_a=share_of_a)
    for each in (frame, with_two_ratings(frame)):
        assert not single_label_raters(long_patterns(each, labels=LABELS, raters=distinct_raters(each))).any()


def test_nobody_is_left_out_of_whose_items_the_others_rated_none() -> None:
    apart = ratings("a .7", "a .7", n=300).with_columns(pl.col("item") + "-apart", pl.col("rater") + "-apart")
    frame = pl.concat([ratings(0.9, 0.9), apart])
    assert not single_label_raters(long_patterns(frame, labels=LABELS, raters=distinct_raters(frame))).any()


LAZY = ["a", "a .9"]


def with_and_without(lazy: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Ratings of two good people, a lazy one (r2) and two systems (r3, r4), and those without the lazy one."""
    frame = ratings(0.8, 0.85, lazy, 0.9, 0.7, n=200)
    return frame, frame.filter(pl.col("rater") != "r2")


@pytest.mark.parametrize("lazy", LAZY)
def test_no_figure_of_a_system_without_gold_rests_on_that_rater(lazy: str) -> None:
    """With such ratings the average of the models put the system, which is right in .9, at .3."""
    everybody, honest = with_and_without(lazy)
    options: dict[str, Any] = {"systems": ["r3", "r4"], "labels": LABELS}
    figures = [accuracy_of_systems(frame, **options) for frame in (everybody, honest)]
    assert figures[0].drop("warnings").equals(figures[1].drop("warnings"))
    assert figures[0]["accuracy"][0] == pytest.approx(0.9, abs=0.06)
    for function in (bins, compare_systems, better_than_raters, label_rates):
        assert function(everybody, **options).equals(function(honest, **options))
    quality = label_quality(everybody, **options)
    assert quality.filter(pl.col("rater") != "r2").equals(label_quality(honest, **options))
    assert quality.filter(pl.col("rater") == "r2").height == len(LABELS)


def test_a_warning_names_the_raters_who_are_left_out() -> None:
    everybody, honest = with_and_without("a")
    options: dict[str, Any] = {"systems": ["r3"], "labels": LABELS, "methods": ["average"]}
    warnings = accuracy_of_systems(everybody, **options)["warnings"][0].to_list()
    assert any("came from r2. Such ratings do not show" in sentence for sentence in warnings)
    assert not any("came from" in sentence for sentence in accuracy_of_systems(honest, **options)["warnings"][0])
    detail = annotators(everybody.filter(~pl.col("rater").is_in(["r3", "r4"])), labels=LABELS).of("r2")["detail"]
    assert "neither that of another annotator nor that of a system" in detail


@pytest.mark.parametrize("lazy", LAZY)
@pytest.mark.parametrize("method", ["mixture", "glad", "dawid_skene", "lehner"])
def test_the_consensus_is_that_of_the_others(lazy: str, method: str) -> None:
    """With such ratings every item had the label of the lazy rater."""
    (everybody, honest) = (frame.filter(~pl.col("rater").is_in(["r3", "r4"])) for frame in with_and_without(lazy))
    for function in (consensus, rating_queue):
        with_all, of_others = (
            function(frame, labels=LABELS, method=method).sort("item") for frame in (everybody, honest)
        )
        assert with_all["label"].equals(of_others["label"])
        assert with_all["probability"].to_list() == pytest.approx(of_others["probability"].to_list())
        assert (with_all["n_ratings"] == 3).all()


def test_an_item_that_nobody_else_rated_has_the_most_frequent_label() -> None:
    frame = ratings(0.9, 0.9, "a", n=120, share_of_a=0.1)
    alone = pl.DataFrame([("alone", "r2", "a")], schema=frame.schema, orient="row")
    row = consensus(pl.concat([frame, alone]), labels=LABELS).row(by_predicate=pl.col("item") == "alone", named=True)
    assert row["label"] != "a"
    assert 0.35 < row["probability"] < 0.6
    assert row["n_ratings"] == 1


def test_kappa_counts_all_raters_and_the_accuracy_of_lehner_the_others() -> None:
    (everybody, honest) = (frame.filter(~pl.col("rater").is_in(["r3", "r4"])) for frame in with_and_without("a"))
    with_all, of_others = summary(everybody, labels=LABELS), summary(honest, labels=LABELS)
    assert with_all.rater_accuracy == of_others.rater_accuracy
    assert with_all.kappa is not None
    assert of_others.kappa is not None
    assert with_all.kappa < of_others.kappa - 0.2


def test_the_test_of_replacing_a_rater_has_all_raters_as_published() -> None:
    frame, _ = with_and_without("a")
    assert alternative_annotator_test(frame, systems=["r3"], labels=LABELS)["n_raters"].to_list() == [4]


def test_gold_audits_that_rater_too() -> None:
    frame = ratings(0.9, 0.9, 0.9, "a")
    gold = pl.DataFrame({"item": [str(item) for item in range(40)], "label": ["a", "b"] * 20})
    row = annotators(frame, labels=LABELS, gold=gold).of("r3")
    assert row["accuracy"] is not None
    assert row["low"] <= 0.5 <= row["high"]


@pytest.mark.parametrize("systems", [[], ["r3"]])
def test_the_checks_are_of_the_other_raters_and_name_that_one(systems: list[str]) -> None:
    everybody, honest = (frame.filter(pl.col("rater") != "r4") for frame in with_and_without("a"))
    if not systems:
        everybody, honest = (frame.filter(pl.col("rater") != "r3") for frame in (everybody, honest))
    result, of_others = (
        assumption_checks(frame, systems=systems, labels=LABELS, replicates=199) for frame in (everybody, honest)
    )
    assert result.drop("detail").equals(of_others.drop("detail"))
    (row,) = result.filter(name="raters").to_dicts()
    assert "This is without the ratings of r2." in row["detail"]

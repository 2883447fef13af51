"""The annotators' accuracy: one definition, against the truth, with and without gold."""

import numpy as np
import polars as pl
import pytest

from stats.accuracy import annotators, better_than_raters, rater_quality
from stats.accuracy.raters.partial_pooling import drawn_together, with_mean
from stats.simulate import simulate_ratings

LABELS = list("ABC")
PEOPLE = {"ann": 0.6, "bob": 0.75, "cy": 0.7}


def world_of(seed: int = 1, n_items: int = 200) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return simulate_ratings(n_items=n_items, labels=LABELS, raters=PEOPLE, systems={"bot": 0.85}, rng=rng)


def trapped(seed: int = 1, n_items: int = 300) -> tuple[pl.DataFrame, pl.DataFrame]:
    """People who all fall for the same trap on three items in ten, a system that does not, and the truth."""
    world = world_of(seed, n_items)
    wrong = pl.col("truth").replace_strict(dict(zip(LABELS, [*LABELS[1:], LABELS[0]], strict=True)))
    caught = (pl.col("item").cast(pl.Int64) % 10 < 3) & (pl.col("rater") != "bot")
    world = world.with_columns(label=pl.when(caught).then(wrong).otherwise(pl.col("label")))
    return world.drop("truth"), world.select("item", label="truth").unique().sort("item")


@pytest.mark.field_trial(2)
def test_the_annotators_accuracy_is_the_mean_of_their_table_by_ratings() -> None:
    world = world_of(3).filter((pl.col("rater") != "ann") | (pl.col("item").cast(pl.Int64) % 4 == 0))
    human = world.drop("truth").filter(pl.col("rater") != "bot")
    result = annotators(human, labels=LABELS)
    mean = np.average(result.raters["accuracy"].to_numpy(), weights=result.raters["n_ratings"].to_numpy())
    assert result.accuracy == pytest.approx(mean, abs=1e-9)
    assert result.raters.equals(rater_quality(human, labels=LABELS))
    average, best = better_than_raters(world.drop("truth"), systems=["bot"], labels=LABELS).rows(named=True)
    assert average["rater_accuracy"] == result.accuracy
    assert (best["rater"], best["rater_accuracy"]) == (result.best, result.of(str(result.best))["accuracy"])
    assert best["rater_accuracy"] == result.raters["accuracy"].max()


def test_the_truth_is_held_as_often_as_said() -> None:
    held = []
    for seed in range(40):
        world = world_of(seed, 150)
        result = annotators(world.drop("truth").filter(pl.col("rater") != "bot"), labels=LABELS, confidence=0.9)
        assert result.low is not None
        assert result.high is not None
        held.append(result.low <= 0.6833 <= result.high)
    assert 0.8 <= np.mean(held) <= 1


@pytest.mark.field_trial(1)
def test_gold_corrects_the_annotators_and_every_verdict_on_them() -> None:
    ratings, truth = trapped()
    human = ratings.filter(pl.col("rater") != "bot")
    real = float(human.join(truth.rename({"label": "truth"}), on="item").select(
        (pl.col("label") == pl.col("truth")).mean()).item())  # fmt: skip
    gold = truth.sample(60, seed=2)
    alone, audited = annotators(human, labels=LABELS), annotators(human, labels=LABELS, gold=gold)
    assert alone.accuracy is not None
    assert audited.accuracy is not None
    assert alone.accuracy - real > 0.15
    assert audited.accuracy == pytest.approx(real, abs=0.1)
    assert audited.n_gold == 60
    assert (audited.raters["n_gold"] > 30).all()
    assert audited.raters["accuracy"].mean() == pytest.approx(audited.accuracy, abs=1e-6)
    before = better_than_raters(ratings, systems=["bot"], labels=LABELS).row(0, named=True)
    after = better_than_raters(ratings, systems=["bot"], labels=LABELS, gold=gold).row(0, named=True)
    assert before["difference"] < 0  # the trap makes the system look worse than the people
    assert after["difference"] > 0.15
    assert after["low"] > 0
    assert after["p_system_better"] > 0.99


@pytest.mark.field_trial(1)
def test_the_audit_holds_the_truth_whatever_the_model_gets_wrong() -> None:
    held, differences = [], []
    for seed in range(40):
        ratings, truth = trapped(seed, 150)
        human = ratings.filter(pl.col("rater") != "bot")
        marked = ratings.join(truth.rename({"label": "truth"}), on="item").with_columns(
            ok=pl.col("label") == pl.col("truth")
        )
        people = float(marked.filter(pl.col("rater") != "bot").select(pl.col("ok").mean()).item())
        system = float(marked.filter(pl.col("rater") == "bot").select(pl.col("ok").mean()).item())
        gold = truth.sample(30, seed=seed)
        result = annotators(human, labels=LABELS, gold=gold, confidence=0.9)
        assert result.low is not None
        assert result.high is not None
        held.append(result.low <= people <= result.high)
        row = better_than_raters(ratings, systems=["bot"], labels=LABELS, gold=gold, confidence=0.9).row(0, named=True)
        differences.append(row["low"] <= system - people <= row["high"])
    assert np.mean(held) >= 0.82
    assert np.mean(differences) >= 0.82


@pytest.mark.field_trial(1)
def test_what_has_too_little_gold_has_no_figure() -> None:
    ratings, truth = trapped()
    human = ratings.filter(pl.col("rater") != "bot")
    late = pl.concat([human, pl.DataFrame({"item": ["299"], "rater": ["late"], "label": ["A"]})])
    result = annotators(late, labels=LABELS, gold=truth.head(20))
    row = result.of("late")
    assert (row["accuracy"], row["reason"]) == (None, "too_few_gold")
    assert result.of("ann")["accuracy"] is not None
    first = annotators(human, labels=LABELS, gold=truth.head(1))
    assert (first.accuracy, first.reason, first.n_gold) == (None, "too_few_gold", 1)
    assert set(first.raters["reason"]) == {"too_few_gold"}
    verdicts = better_than_raters(ratings, systems=["bot"], labels=LABELS, gold=truth.head(1))
    assert verdicts["reason"].to_list() == ["too_few_gold"] * 2


def test_the_best_needs_ratings() -> None:
    result = annotators(world_of(n_items=29).drop("truth").filter(pl.col("rater") != "bot"), labels=LABELS)
    assert result.best is None
    assert result.raters["accuracy"].null_count() == 0


def test_gold_saves_raters_who_tell_nothing_of_each_other() -> None:
    rows = [(str(i), rater, "AB"[(i + j) % 2]) for i in range(40) for j, rater in enumerate(("ann", "bob"))]
    human = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    gold = pl.DataFrame({"item": [str(i) for i in range(20)], "label": ["A", "B"] * 10})
    assert annotators(human, labels=["A", "B"]).reason == "not_identified"
    result = annotators(human, labels=["A", "B"], gold=gold)
    assert result.accuracy == pytest.approx(0.5)
    assert result.of("ann")["accuracy"] > 0.8
    assert result.of("bob")["accuracy"] < 0.2


def test_nobody() -> None:
    nobody = pl.DataFrame(schema={"item": pl.String, "rater": pl.String, "label": pl.String})
    assert annotators(nobody, labels=LABELS).reason == "too_few_raters"


def test_many_equal_raters_are_drawn_together_and_few_are_not() -> None:
    rng = np.random.default_rng(4)
    equal, alike = drawn_together(rng.normal(0.8, 0.06, 60), np.full(60, 0.0036), 0.8)
    assert alike
    assert np.ptp(equal) < 0.12
    three, alike = drawn_together(np.array([0.6, 0.7, 0.8]), np.full(3, 0.002), 0.7)
    assert not alike
    assert np.ptp(three) > 0.17
    assert np.average(with_mean(three, np.array([1.0, 2.0, 3.0]), 0.66), weights=[1, 2, 3]) == pytest.approx(0.66)


def test_who_agrees_little_may_be_no_better_than_chance() -> None:
    """Two people are right in .3 of 60 items with 20 labels: the intervals reach down to that."""
    held, labels = [], list("ABCDEFGHIJKLMNOPQRST")
    for seed in range(40):
        world = simulate_ratings(
            n_items=60, labels=labels, raters={"ann": 0.3, "bob": 0.3}, systems={}, rng=np.random.default_rng(seed)
        )
        result = annotators(world.drop("truth"), labels=labels)
        if result.accuracy is None:
            continue
        assert result.se is not None
        assert result.low is not None
        assert result.high is not None
        if "The raters agree little" in " ".join(result.warnings):
            assert result.se >= (result.high - result.low) / 2 / 1.96 - 1e-9
        held.append(result.low <= 0.3 <= result.high)
    assert len(held) > 20
    assert np.mean(held) >= 0.95

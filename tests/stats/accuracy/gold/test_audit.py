"""Audited accuracy: the formula by hand, what it is worth, and what is refused."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.gold.audit import measure
from stats.accuracy import ESTIMATORS, annotators
from stats.accuracy import accuracy as by_default
from stats.accuracy.estimators.lehner import rater_figures
from stats.accuracy.estimators.lehner_fit import own_answer_score
from stats.accuracy.fitting.estimator import SystemFit, SystemPatterns
from stats.accuracy.gold.audit import GoldItems, audit, combined, gold_items
from stats.accuracy.system_patterns import patterns_of, tables
from stats.errors import StatsError
from stats.simulate import simulate_ratings

Frame = Callable[..., pl.DataFrame]
LABELS = ["A", "B", "C", "D"]
accuracy = partial(by_default, methods=["lehner"])
TEN = SystemPatterns(np.ones((10, 2), np.int64), np.zeros(10, np.int64), np.ones(10, np.int64))


def gold_frame(**truth: str) -> pl.DataFrame:
    return pl.DataFrame(list(truth.items()), schema={"item": pl.String, "label": pl.String}, orient="row")


def scored(scores: list[float], gold_scores: list[float]) -> SystemFit:
    """A fit whose scores are these: for the ten items, then for the gold ones."""
    return SystemFit(0.5, 10, score=lambda C, system: np.array(scores if len(C) == len(scores) else gold_scores))


def test_the_formula_by_hand() -> None:
    gold = GoldItems(np.ones((4, 2), np.int64), np.array([0, 0, 0, 0]), np.array([0, 0, 0, 1]), 0)
    result = audit(TEN, scored([0.6] * 5 + [0.8] * 5, [0.9, 0.8, 0.7, 0.4]), gold, confidence=0.95)
    # Y = 1 1 1 0, mean .75; f mean .7; cov = (.25*.2 + .25*.1 + .25*0 + (-.75)(-.3)) / 4 = .075
    # var = (.04 + .01 + 0 + .09) / 4 = .035; cov / var > 1 -> 1; lambda = 10 / 14
    slope = 10 / 14
    assert result.accuracy == pytest.approx(0.75 + slope * (0.7 - 0.7), abs=1e-12)
    p = (3 + 2) / (4 + 4)
    variance = p * (1 - p) / 4 + (1 / 4 - 1 / 10) * (slope**2 * 0.035 - 2 * slope * 0.075)
    assert result.se == pytest.approx(variance**0.5, abs=1e-12)
    half = 3.182446 * variance**0.5  # t with 3 degrees, 97.5 %
    assert result.low == pytest.approx(0.75 - half, abs=1e-6)
    assert result.high == 1.0


def test_a_score_that_does_not_vary_leaves_gold_alone() -> None:
    gold = GoldItems(np.ones((4, 2), np.int64), np.zeros(4, np.int64), np.array([0, 0, 1, 1]), 0)
    assert audit(TEN, scored([0.9] * 10, [0.3] * 4), gold, confidence=0.9).accuracy == 0.5


def test_a_score_that_points_the_wrong_way_is_not_used() -> None:
    gold = GoldItems(np.ones((4, 2), np.int64), np.zeros(4, np.int64), np.array([0, 0, 1, 1]), 0)
    assert audit(TEN, scored([0.1] * 10, [0.2, 0.3, 0.8, 0.9]), gold, confidence=0.9).accuracy == 0.5


def test_all_right_is_no_interval_of_width_zero() -> None:
    gold = GoldItems(np.ones((20, 2), np.int64), np.zeros(20, np.int64), np.zeros(20, np.int64), 0)
    many = SystemPatterns(np.ones((1, 2), np.int64), np.zeros(1, np.int64), np.array([500]))
    result = audit(many, SystemFit(None, 0, "not_identified", "Because."), gold, confidence=0.95)
    assert result.accuracy == result.high == 1.0
    assert result.low is not None
    assert 0.8 < result.low < 0.9  # the exact binomial bound is .861 one-sided, .832 two-sided
    assert any("Because." in warning for warning in result.warnings)


def test_score_is_the_responsibility_of_the_own_answer() -> None:
    C = np.array([[3, 0, 0], [2, 1, 0], [0, 0, 3], [0, 3, 0]])
    raters = rater_figures(C, np.ones((1, 4)))
    result = own_answer_score(raters, 0.9)(C, np.array([0, 1, 2, 2]))
    # odds of the raters for the answer, times the system's own odds .9 / (.1 / 2)
    P_c, pi = raters.P_c[0], raters.base_rates[0]
    ratio = P_c / ((1 - P_c) / 2)
    joint = pi * ratio ** np.array([2, 1, 0])
    g = joint[1] / joint.sum()
    assert result[1] == pytest.approx(g * 0.9 / (g * 0.9 + (1 - g) * 0.1 / 2), abs=1e-12)
    assert ((result >= 0) & (result <= 1)).all()
    assert result[0] > 0.99 > 0.5 > result[3]


def test_gold_items_carry_what_was_said_of_them(table2: pl.DataFrame) -> None:
    gold = gold_frame(i008="A", i000="C", elsewhere="A")
    result = gold_items(table2, gold, system="system", systems=["system"], labels=LABELS)
    assert result.C.tolist() == [[0, 0, 3, 1], [2, 1, 0, 1]]  # case 1 CDCC, case 9 DBAA
    assert result.system.tolist() == [0, 3]
    assert result.truth.tolist() == [2, 0]
    assert result.n_elsewhere == 1


def test_row_of_an_audited_system(table2: pl.DataFrame) -> None:
    gold = gold_frame(i000="A", i001="C", i004="B", i006="A", unknown="B")
    row = accuracy(table2, systems=["system"], labels=LABELS, gold=gold).row(0, named=True)
    assert row["n_gold"] == 4
    assert row["n_items"] == 10
    assert 0.6 < row["accuracy"] <= 1
    assert row["low"] <= row["accuracy"] <= row["high"]
    text = " ".join(row["warnings"])
    for words in (
        "random sample",
        "the gold items the estimate is 0.731",
        "Only 4 gold",
        "did not answer them: 1.",
    ):
        assert words in text


def test_gold_saves_an_estimate_that_has_none(frame: Frame) -> None:
    ratings = frame("ABA", "BAB", "ABA", "BAB", raters=["a", "b", "s"])
    row = accuracy(ratings, systems=["s"], labels=["A", "B"], gold=gold_frame(i000="A", i001="A")).row(0, named=True)
    assert (row["accuracy"], row["reason"], row["n_gold"]) == (0.5, None, 2)
    assert "gold items alone" in " ".join(row["warnings"])


def test_gold_counts_items_that_nobody_rated(table2: pl.DataFrame) -> None:
    extra = pl.DataFrame({"item": ["x1", "x2"], "rater": ["system"] * 2, "label": ["A", "B"]})
    result = accuracy(pl.concat([table2, extra]), systems=["system"], labels=LABELS, gold=gold_frame(x1="A", x2="B"))
    assert result["n_gold"].to_list() == [2]
    assert result["n_items"].to_list() == [12]


@pytest.mark.parametrize("raters", [[], ["a"]])
def test_gold_needs_no_two_raters(frame: Frame, raters: list[str]) -> None:
    answers = ["A" * (1 + len(raters)), *["B" * (1 + len(raters))] * 9]
    ratings = frame(*answers, raters=[*raters, "s"])
    gold = gold_frame(**{f"i{i:03}": "A" if i < 3 else "B" for i in range(8)})  # right on 6 of 8
    options: dict[str, Any] = {"systems": ["s"], "labels": ["A", "B"]}
    row = accuracy(ratings, **options, gold=gold, methods=["average"]).row(0, named=True)
    assert (row["accuracy"], row["n_gold"], row["n_items"], row["reason"]) == (0.75, 8, 10, None)
    assert (row["outer_low"], row["outer_high"]) == (row["low"], row["high"])
    assert row["low"] < 0.75 < row["high"]
    with pytest.raises(StatsError, match="or gold: right answers"):
        accuracy(ratings, **options)


@pytest.mark.field_trial(1)
def test_a_single_gold_item_is_no_audit(table2: pl.DataFrame) -> None:
    row = accuracy(table2, systems=["system"], labels=LABELS, gold=gold_frame(i000="A")).row(0, named=True)
    assert row["accuracy"] is row["se"] is row["low"] is row["high"] is None
    assert (row["reason"], row["n_gold"]) == ("too_few_gold", 1)


@pytest.mark.field_trial(1)
def test_a_system_without_gold_items_has_no_figure_beside_audited_ones(table2: pl.DataFrame) -> None:
    other = pl.DataFrame({"item": ["i000", "i001"], "rater": ["late"] * 2, "label": ["C", "C"]})
    result = accuracy(
        pl.concat([table2, other]),
        systems=["system", "late"],
        labels=LABELS,
        gold=gold_frame(i007="C", i008="D"),
    )
    assert result["n_gold"].to_list() == [2, 0]
    assert result["accuracy"][0] is not None
    assert (result["accuracy"][1], result["reason"][1]) == (None, "too_few_gold")
    assert "not audited" in result["detail"][1]


@pytest.mark.parametrize(
    ("gold", "words"),
    [
        (gold_frame(nowhere="A"), r"None of the gold items \(1\)"),
        (gold_frame(i000="E"), "undeclared label 'E'"),
        (pl.DataFrame({"item": ["i000", "i000"], "label": ["A", "B"]}), "'i000' more than once"),
        (pl.DataFrame({"item": ["i000", None], "label": ["A", "B"]}), "empty item or label"),
        (pl.DataFrame({"item": ["i000"], "truth": ["A"]}), r"\['label'\] are missing"),
        (gold_frame(), r"None of the gold items \(0\)"),
    ],
)
def test_bad_gold_is_refused_in_words(table2: pl.DataFrame, gold: pl.DataFrame, words: str) -> None:
    with pytest.raises(StatsError, match=words):
        accuracy(table2, systems=["system"], labels=LABELS, gold=gold)


def test_twenty_gold_items_beat_gold_alone_and_the_model_alone() -> None:
    """Over worlds that violate every assumption; also the interval keeps what it says."""
    rng, errors, covered = np.random.default_rng(17), [], []
    world: dict[str, Any] = {"labels": LABELS, "asymmetry": 2.0, "error_range": 1.0, "difficulty": 0.2}
    for _ in range(150):
        frame = simulate_ratings(
            n_items=150, raters={"a": 0.4, "b": 0.5, "c": 0.6}, systems={"s": 0.8}, rng=rng, **world
        )
        answers = frame.filter(pl.col("rater") == "s")
        right = (answers["label"] == answers["truth"]).mean()
        gold = answers.sample(20, seed=int(rng.integers(2**31))).select("item", label="truth")
        ratings = frame.drop("truth")
        patterns = patterns_of(tables(ratings, systems=["s"], labels=LABELS)["s"], "s")
        fitted = ESTIMATORS["lehner"].fit(patterns)
        result = gold_items(ratings, gold, system="s", systems=["s"], labels=LABELS)
        audited = audit(patterns, fitted, result, confidence=0.9)
        assert audited.low is not None
        assert audited.high is not None
        assert isinstance(right, float)
        model = 0.5 if fitted.accuracy is None else fitted.accuracy
        errors.append([audited.accuracy - right, result.correct.mean() - right, model - right])
        covered.append(audited.low <= right <= audited.high)
    audited_error, gold_error, model_error = np.sqrt((np.array(errors) ** 2).mean(axis=0))
    assert audited_error < gold_error
    assert audited_error < model_error
    assert np.mean(covered) > 0.85


def sure(accuracy: float, logit_variance: float) -> SystemFit:
    """A fit that knows its own error, with scores that do not vary."""
    return SystemFit(
        accuracy, 10, score=lambda C, system: np.full(len(C), 0.5), logit_error=lambda: (logit_variance, 1e9)
    )


def half_right() -> tuple[SystemPatterns, GoldItems]:
    many = SystemPatterns(np.ones((1, 2), np.int64), np.zeros(1, np.int64), np.array([500]))
    return many, GoldItems(np.ones((20, 2), np.int64), np.zeros(20, np.int64), np.array([0, 1] * 10), 0)


def test_a_model_that_knows_its_error_is_combined_by_hand() -> None:
    many, gold = half_right()
    result = audit(many, sure(0.6, 0.01), gold, confidence=0.9)
    se = (0.25 / 20) ** 0.5
    model = 0.01 * (0.6 * 0.4) ** 2  # (.6 - .5)^2 - se^2 < 0: its own variance counts
    assert result.unbiased == 0.5
    unknown = se**2 * (1 - 20 / 500)
    assert result.accuracy == pytest.approx(0.5 + 0.1 * unknown / (unknown + model), abs=1e-12)
    assert result.se == pytest.approx(se, abs=1e-12)
    half = 1.729133 * se  # t with 19 degrees, 95 %
    assert result.low == pytest.approx(0.5 - half, abs=1e-6)
    assert result.high == pytest.approx(0.5 + half, abs=1e-6)
    assert "is 0.500; the interval is for that one" in " ".join(result.warnings)


@given(unbiased=st.floats(0, 1), se=st.floats(0.001, 0.3), model=st.floats(0.01, 0.99), variance=st.floats(1e-6, 0.1))
def test_the_model_never_moves_the_audit_by_more_than_one_se(
    unbiased: float, se: float, model: float, variance: float
) -> None:
    result = combined(unbiased, se, model, variance)
    assert abs(result - unbiased) <= se * (1 + 1e-9)
    assert min(unbiased, model) - 1e-12 <= result <= max(unbiased, model) + 1e-12


@given(share=st.floats(0, 1))
def test_with_more_of_the_items_known_the_model_counts_less(share: float) -> None:
    result = combined(0.5, 0.1, 0.6, 0.01, share)
    assert result == pytest.approx(0.5 + 0.1 * 0.01 * (1 - share) / (0.01 * (1 - share) + 0.01), abs=1e-12)


def test_with_gold_for_every_item_the_accuracy_is_the_share_of_right_answers() -> None:
    """The model has nothing to say of items whose truth is known, for systems, raters and all raters together."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 60)
    answers = {name: np.where(rng.random(60) < right, truth, rng.integers(0, 3, 60))
               for name, right in {"ann": 0.6, "bob": 0.7, "cy": 0.5, "bot": 0.8}.items()}  # fmt: skip
    rows = [(str(i), name, str(codes[i])) for name, codes in answers.items() for i in range(60)]
    frame = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    gold = pl.DataFrame({"item": [str(i) for i in range(60)], "label": truth.astype(str).tolist()})
    right = {name: float(np.mean(codes == truth)) for name, codes in answers.items()}
    result = by_default(frame, systems=["bot"], labels=["0", "1", "2"], gold=gold)
    assert result["accuracy"].to_list() == pytest.approx([right["bot"]] * result.height, abs=1e-9)
    people = annotators(frame.filter(pl.col("rater") != "bot"), labels=["0", "1", "2"], gold=gold)
    each = [right[name] for name in ("ann", "bob", "cy")]  # partial pooling moves them a little
    assert people.raters["accuracy"].to_list() == pytest.approx(each, abs=0.002)
    assert people.accuracy == pytest.approx(np.mean([right[name] for name in ("ann", "bob", "cy")]), abs=1e-9)


def test_a_model_far_off_is_left() -> None:
    assert combined(0.5, 0.01, 0.9, 0.0001) == pytest.approx(0.5, abs=0.001)
    assert combined(0.5, 0.1, None, None) == 0.5


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("accuracy", [0.1, 0.5, 0.55, 0.65, 0.99])
def test_the_interval_holds_the_estimate(accuracy: float, confidence: float) -> None:
    many, gold = half_right()
    result = audit(many, sure(accuracy, 0.0001), gold, confidence=confidence)
    assert result.low is not None
    assert result.high is not None
    assert 0 <= result.low <= result.accuracy <= result.high <= 1


def test_more_gold_is_told_in_figures_and_words() -> None:
    many, gold = half_right()
    result = audit(many, sure(0.6, 0.01), gold, confidence=0.9)
    assert [size for size, _ in result.more_gold] == [50, 100]
    assert result.more_gold[0][1] == pytest.approx(1.676551 * (0.25 / 50) ** 0.5, abs=1e-5)  # t with 49 degrees
    text = result.warnings[-1]
    assert "With 20 gold items the half-width is 0.19; with 50 it would be about 0.12, with 100 0.08." in text
    assert "The model alone has 0.04, but that leaves out" in text


def test_gold_that_contradicts_the_model_is_told() -> None:
    """An estimate of 0.0, far from the model's 0.9, is not "little better than the model's"."""
    gold = GoldItems(np.ones((10, 2), np.int64), np.zeros(10, np.int64), np.ones(10, np.int64), 0)
    wrong = " ".join(audit(half_right()[0], sure(0.9, 0.001), gold, confidence=0.95).warnings)
    assert "Gold contradicts the model: 0.900" in wrong
    assert "Only 10 gold items (fewer than 20)." in wrong
    assert "little better" not in wrong
    right = " ".join(audit(half_right()[0], sure(0.1, 0.001), gold, confidence=0.95).warnings)
    assert "contradicts" not in right
    assert "the estimate is little better than the model's" in right


def test_the_half_width_that_is_told_is_that_of_the_interval() -> None:
    """An interval that is cut at 1 is half as wide as it is shown, and so are those with more gold."""
    gold = GoldItems(np.ones((20, 2), np.int64), np.zeros(20, np.int64), np.zeros(20, np.int64), 0)
    result = audit(half_right()[0], sure(0.95, 0.001), gold, confidence=0.95)
    assert (result.high, result.low) == (1.0, pytest.approx(1 - 2 * shown_width(result.warnings[-1]), abs=0.011))
    assert result.low is not None
    assert result.more_gold[0][1] < (1 - result.low) / 2


def shown_width(note: str) -> float:
    return float(note.partition("the half-width is ")[2].split(";")[0])


def test_no_more_gold_than_items() -> None:
    gold = GoldItems(np.ones((4, 2), np.int64), np.zeros(4, np.int64), np.array([0, 0, 0, 1]), 0)
    assert audit(TEN, scored([0.9] * 10, [0.3] * 4), gold, confidence=0.9).more_gold == ()


def test_audit_beats_gold_and_model() -> None:
    """A short run of benchmarks/gold/audit.py: 20 gold items, worlds in which the model is off."""
    result = measure(runs=10, seed=3, method="one_coin").filter(pl.col("n_gold").is_in([0, 20]))
    rmse = {name: float((part["error"] ** 2).mean() ** 0.5) for (name,), part in result.group_by("estimate")}  # type: ignore[operator]
    assert rmse["audited"] < rmse["prediction-powered"] < rmse["gold alone"]
    assert rmse["audited"] < rmse["model alone"]
    audited = result.filter(pl.col("estimate") == "audited")
    covered, bias = audited["covered"].mean(), audited["error"].mean()
    assert isinstance(covered, float)
    assert isinstance(bias, float)
    assert covered > 0.8
    assert abs(bias) < 0.03

"""Summary and consensus of the human raters."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import pytest

from stats import accuracy as public
from stats.accuracy import summary
from stats.accuracy.items.consensus import ERROR_CORRELATION, tempered
from stats.errors import StatsError
from stats.simulate import simulate_ratings

Frame = Callable[..., pl.DataFrame]
LABELS = ["A", "B", "C", "D"]
RATES = [0.4, 0.3, 0.2, 0.1]
consensus = partial(public.consensus, method="lehner")


@pytest.fixture(scope="module")
def experts(table2: pl.DataFrame) -> pl.DataFrame:
    return table2.filter(pl.col("rater") != "system")


def test_summary_of_table_2(experts: pl.DataFrame, lehner_facts: dict[str, Any]) -> None:
    result, facts = summary(experts, labels=LABELS), lehner_facts["table2"]
    assert result.kappa == pytest.approx(facts["kappa"], abs=5e-5)
    assert result.rater_accuracy == pytest.approx(facts["rater_accuracy"], abs=1e-12)
    assert result.base_rates == pytest.approx(dict(zip(LABELS, facts["base_rates"], strict=True)), abs=1e-12)
    assert (result.n_items, result.reason, result.detail) == (10, None, None)


def test_consensus_of_table_2(experts: pl.DataFrame, lehner_facts: dict[str, Any]) -> None:
    result, facts = consensus(experts, labels=LABELS), lehner_facts["table3"]
    assert result.columns == ["item", "label", "probability", "entropy", "n_ratings", "method"]
    assert "".join(result["label"]) == facts["top"]
    assert result["probability"].to_list() == pytest.approx([max(row) for row in facts["posterior"]], abs=5.1e-4)
    P = np.array(facts["posterior"])
    assert result["entropy"].to_list() == pytest.approx(list(-(P * np.log2(P)).sum(axis=1)), abs=0.01)
    assert result["n_ratings"].to_list() == [4] * 10


def test_agreement_below_chance_has_a_kappa_but_no_accuracy(frame: Frame) -> None:
    result = summary(frame("AB", "BA", "AB"), labels=["A", "B"])
    assert result.kappa == pytest.approx(-1)
    assert (result.rater_accuracy, result.base_rates) == (None, None)
    assert result.reason == "not_identified"
    assert result.detail is not None


def test_a_single_rater_has_neither(frame: Frame) -> None:
    result = summary(frame("A", "B"), labels=["A", "B"])
    assert (result.kappa, result.rater_accuracy, result.reason) == (None, None, "zero_denominator")


def test_without_accuracy_the_consensus_is_the_majority(frame: Frame) -> None:
    result = consensus(frame("BAA", "ABB", "CBA", "ABC"), labels=["C", "B", "A"])
    assert result["label"].to_list() == ["A", "B", "C", "C"]  # ties go to the first declared label
    assert result["probability"].null_count() == result["entropy"].null_count() == 4


def test_raters_who_always_agree_are_certain(frame: Frame) -> None:
    result = consensus(frame("AAA", "BBB", "B--"), labels=["A", "B"])
    assert result["probability"].to_list() == pytest.approx([1, 1, 1])
    assert result["entropy"].to_list() == pytest.approx([0, 0, 0], abs=1e-9)
    assert result["n_ratings"].to_list() == [3, 3, 1]


def test_order_of_declaration_decides_ties(frame: Frame) -> None:
    ratings = frame(*["AA", "BB"] * 4, "AB", "BA")
    for labels in (["A", "B"], ["B", "A"]):
        result = consensus(ratings, labels=labels)
        assert result["label"].to_list()[-2:] == [labels[0]] * 2
        assert result["probability"].to_list()[-2:] == pytest.approx([0.5, 0.5])


def test_probabilities_are_calibrated_when_the_assumptions_hold() -> None:
    rng = np.random.default_rng(3)
    world = simulate_ratings(
        n_items=4000, labels=LABELS, raters=dict.fromkeys("abc", 0.6), systems={}, rng=rng, base_rates=RATES
    )
    truth = world.select("item", "truth").unique()
    result = consensus(world.drop("truth"), labels=LABELS).join(truth, on="item")
    by_bin = result.group_by(bin=(pl.col("probability") * 5).floor()).agg(
        pl.col("probability").mean(), right=(pl.col("label") == pl.col("truth")).mean(), n=pl.len()
    )
    large = by_bin.filter(pl.col("n") > 200)
    assert large.height >= 2
    assert (large["probability"] - large["right"]).abs().max() < 0.05  # type: ignore[operator]


def test_fewer_than_two_labels_are_refused(experts: pl.DataFrame) -> None:
    with pytest.raises(StatsError, match="two declared labels"):
        summary(experts, labels=["A"])


def dawid_skene_by_hand(codes: Any, k: int) -> Any:
    """Posterior (n, k) of complete ratings (n, r), by plain EM from the majority without any prior."""
    Z = np.eye(k)[codes]  # (n, r, k)
    P = Z.mean(axis=1)
    for _ in range(500):
        matrices = np.einsum("nz,nrj->rzj", P, Z)
        matrices /= matrices.sum(axis=2, keepdims=True)
        P = P.mean(axis=0) * np.exp(np.einsum("nrj,rzj->nz", Z, np.log(np.maximum(matrices, 1e-300))))
        P /= P.sum(axis=1, keepdims=True)
    return P


@pytest.fixture(scope="module")
def unequal() -> pl.DataFrame:
    """3,000 items with their truth; ann and bob are good, cat and dan seldom right, eve takes every B for an A."""
    rng, k = np.random.default_rng(8), 3
    truth = rng.integers(0, k, 3000)
    columns = {}
    for name, right in {"ann": 0.85, "bob": 0.8, "cat": 0.4, "dan": 0.4, "eve": 0.9}.items():
        columns[name] = np.where(rng.random(3000) < right, truth, rng.integers(0, k, 3000))
    columns["eve"] = np.where(columns["eve"] == 1, 0, columns["eve"])
    wide = pl.DataFrame({"item": [f"i{number:04}" for number in range(3000)], "truth": truth, **columns})
    long = wide.unpivot(index=["item", "truth"], variable_name="rater", value_name="label")
    return long.with_columns(pl.col("truth", "label").replace_strict({0: "A", 1: "B", 2: "C"}))


def test_dawid_skene_is_em_with_a_matrix_for_each_rater(unequal: pl.DataFrame) -> None:
    result = consensus(unequal, labels=list("ABC"), method="dawid_skene")
    wide = unequal.pivot("rater", index="item", values="label").sort("item")
    codes = wide.select(pl.col("ann", "bob", "cat", "dan", "eve").replace_strict({"A": 0, "B": 1, "C": 2})).to_numpy()
    P = dawid_skene_by_hand(codes, 3)
    assert (result["label"].to_numpy() == np.array(list("ABC"))[P.argmax(axis=1)]).mean() > 0.995
    # the two pseudo-ratings of each row move the chances by less than a hundredth
    assert result["probability"].to_numpy() == pytest.approx(P.max(axis=1), abs=0.02)


def test_dawid_skene_is_better_where_raters_differ(unequal: pl.DataFrame) -> None:
    truth = unequal.select("item", "truth").unique()
    right = {}
    for method in ("lehner", "dawid_skene"):
        result = consensus(unequal.drop("truth"), labels=list("ABC"), method=method).join(truth, on="item")
        right[method] = (result["label"] == result["truth"]).mean()
    assert right["dawid_skene"] > right["lehner"] + 0.05  # type: ignore[operator]


def many_raters(n_items: int = 400) -> pl.DataFrame:
    """Four ratings an item by 60 raters, so that no row of labels fits an integer key."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, n_items)
    rows = [
        (f"i{item:03}", f"r{rater:02}", "ABC"[truth[item] if rng.random() < 0.7 else rng.integers(3)])
        for item in range(n_items)
        for rater in rng.choice(60, 4, replace=False)
    ]
    return pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")


@pytest.mark.parametrize("method", ["lehner", "dawid_skene"])
@pytest.mark.parametrize("many", [False, True])
def test_neither_order_nor_names_matter(unequal: pl.DataFrame, method: str, many: bool) -> None:
    ratings = many_raters() if many else unequal.drop("truth").filter(pl.col("item") < "i0400")
    first = consensus(ratings, labels=list("ABC"), method=method)
    mixed = ratings.sample(fraction=1, shuffle=True, seed=1).with_columns("x" + pl.col("rater").str.reverse())
    again = consensus(mixed, labels=list("CAB"), method=method)
    assert again["item"].equals(first["item"])
    assert again["n_ratings"].equals(first["n_ratings"])
    assert again["probability"].to_list() == pytest.approx(first["probability"].to_list(), abs=1e-4)
    sure = first["probability"] > 0.51
    assert again.filter(sure)["label"].equals(first.filter(sure)["label"])


def test_probabilities_are_shares(unequal: pl.DataFrame) -> None:
    for ratings in (many_raters(), unequal):
        result = consensus(ratings, labels=list("ABCD"), method="dawid_skene")
        assert result["probability"].is_between(0.25, 1).all()
        assert result["entropy"].is_between(0, 2).all()
        assert "D" not in result["label"]  # nobody gave it


def test_dawid_skene_without_agreement_is_the_majority(frame: Frame) -> None:
    result = consensus(frame("BAA", "ABB", "CBA", "ABC"), labels=["C", "B", "A"], method="dawid_skene")
    assert result["label"].to_list() == ["A", "B", "C", "C"]
    assert result["probability"].null_count() == result["entropy"].null_count() == 4


def test_an_unknown_method_is_refused(frame: Frame) -> None:
    sentence = r"no method 'mace' of consensus\. Choose from mixture, glad, dawid_skene, lehner"
    with pytest.raises(StatsError, match=sentence):
        consensus(frame("AB"), labels=["A", "B"], method="mace")


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (("i000", "r00", "A"), "labels an item once, found rater 'r00' 2 times"),
        (("i000", "r00", "Z"), "Every label must be declared, found 'Z'"),
        (("i000", "r01", None), "no null, found 1 in the column label"),
        ((None, "r01", "A"), "no null, found 1 in the column item"),
    ],
)
def test_what_is_no_rating_is_refused(row: tuple[str | None, ...], sentence: str, many: bool) -> None:
    ratings = many_raters().filter(pl.col("item") != "i000")
    ratings = ratings if many else ratings.filter(pl.col("rater") < "r04")
    more = [("i000", "r00", "A"), row]
    with pytest.raises(StatsError, match=sentence):
        consensus(pl.concat([ratings, pl.DataFrame(more, ratings.schema, orient="row")]), labels=list("ABC"))


def test_items_may_be_numbers() -> None:
    ratings = pl.DataFrame({"item": [10, 10, 9, 9], "rater": list("abab"), "label": list("XXYY")})
    assert consensus(ratings, labels=["X", "Y"])["item"].to_list() == ["10", "9"]


def two_good_and_three_bad(n: int = 300) -> pl.DataFrame:
    """Ratings of two raters who are right in .9 and of three in .4."""
    raters = {"ann": 0.9, "bob": 0.9, "cy": 0.4, "di": 0.4, "ed": 0.4}
    rng = np.random.default_rng(8)
    return simulate_ratings(n_items=n, labels=["A", "B", "C"], raters=raters, systems={}, rng=rng)


def test_the_default_knows_good_raters_from_bad_ones() -> None:
    world = two_good_and_three_bad()
    truth = world.select("item", "truth").unique()
    right = {}
    for method in ("mixture", "glad", "dawid_skene", "lehner"):
        result = public.consensus(world.drop("truth"), labels=["A", "B", "C"], method=method)
        assert result["method"].unique().to_list() == [method]
        right[method] = (result.join(truth, on="item")["label"] == result.join(truth, on="item")["truth"]).mean()
    assert right["mixture"] > right["lehner"] + 0.05  # type: ignore[operator]
    assert right["mixture"] >= right["dawid_skene"] - 0.02  # type: ignore[operator]
    assert public.consensus(world.drop("truth"), labels=["A", "B", "C"])["method"][0] == "mixture"


def test_the_mixture_is_less_sure_than_the_models_and_names_the_same_label_as_before_tempering() -> None:
    world = two_good_and_three_bad().drop("truth")
    sure = public.consensus(world, labels=["A", "B", "C"], method="dawid_skene")["probability"].mean()
    assert public.consensus(world, labels=["A", "B", "C"])["probability"].mean() < sure - 0.05  # type: ignore[operator]
    P = np.random.default_rng(1).dirichlet(np.ones(4), 50)
    m = np.arange(1, 51)
    T = tempered(P, m)
    assert (T.argmax(axis=1) == P.argmax(axis=1)).all()
    assert pytest.approx(np.ones(50)) == T.sum(axis=1)
    assert pytest.approx(P[0]) == T[0]  # one rating is one rating
    odds = np.log(T[:, 0] / T[:, 1]) / np.log(P[:, 0] / P[:, 1])
    assert odds == pytest.approx(1 / (1 + (m - 1) * ERROR_CORRELATION))


def test_tempered_keeps_certainty() -> None:
    assert tempered(np.array([[1.0, 0.0]]), np.array([9])).tolist() == [[1.0, 0.0]]


def test_without_accuracy_every_method_is_the_majority(frame: Frame) -> None:
    result = public.consensus(frame("BAA", "ABB", "CBA", "ABC"), labels=["C", "B", "A"])
    assert result["label"].to_list() == ["A", "B", "C", "C"]
    assert result["method"].unique().to_list() == ["majority"]


def test_too_large_a_question_falls_back_and_says_so(frame: Frame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stats.accuracy.items.consensus.MAX_PATTERNS", 3)
    ratings = frame(*["AAB", "BBA", "AAA", "BBB"] * 4)
    result = public.consensus(ratings, labels=["A", "B"])
    assert result["method"].unique().to_list() == ["lehner"]
    assert result.equals(consensus(ratings, labels=["A", "B"]))

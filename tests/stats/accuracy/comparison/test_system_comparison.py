"""Differences between systems: what must hold exactly, the error against re-weighting, and coverage by simulation."""

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from stats.accuracy import ESTIMATORS, accuracy, compare_systems, warnings_in_words
from stats.accuracy.comparison.influence import influence
from stats.accuracy.fitting import bootstrap as bootstrap_module
from stats.accuracy.fitting.likelihood import data_of, figure, solve
from stats.accuracy.fitting.model_data import batches
from stats.accuracy.models.one_coin import MODEL as ONE_COIN
from stats.accuracy.models.pooled_free import MODEL as POOLED_FREE
from stats.accuracy.models.rater_coins import EVEN as RATER_COINS
from stats.accuracy.system_patterns import patterns_by_rater, tables
from stats.errors import StatsError
from stats.reasons import REASONS
from stats.simulate import simulate_ratings

Frame = Callable[..., pl.DataFrame]
LABELS = list("ABCDE")
FIGURES = ("difference", "se", "low", "high", "p_a_better")


@pytest.fixture(autouse=True)
def few_replicates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap_module, "REPLICATES", 40)


def world_of(rng: np.random.Generator, n_items: int, shared: float = 0.0, **settings: Any) -> pl.DataFrame:
    """Systems a (.75) and b (.6); b repeats a's label on the share `shared` of the items."""
    raters = dict.fromkeys(("r1", "r2", "r3"), 0.6)
    world = simulate_ratings(
        n_items=n_items, labels=LABELS, raters=raters, systems={"a": 0.75, "b": 0.6}, rng=rng, **settings
    ).drop("truth")
    a, b = (world.filter(pl.col("rater") == name) for name in ("a", "b"))
    repeated = pl.Series(rng.random(n_items) < shared)
    b = b.with_columns(label=pl.select(pl.when(repeated).then(a["label"]).otherwise(b["label"])).to_series())
    return pl.concat([world.filter(pl.col("rater") != "b"), b])


def compare(ratings: pl.DataFrame, systems: tuple[str, ...] = ("a", "b"), **settings: Any) -> dict[str, Any]:
    settings.setdefault("labels", LABELS)
    return compare_systems(ratings, systems=list(systems), **settings).row(0, named=True)


@pytest.mark.parametrize("shared", [0.0, 0.9])
def test_the_interval_holds_the_truth_as_often_as_it_says(shared: float) -> None:
    """Of independent systems, and of two versions of one that differ on a tenth of the items."""
    rng, held, truth = np.random.default_rng(21), [], 0.15 * (1 - shared)
    for _ in range(40):
        result = compare(world_of(rng, 200, shared), confidence=0.9)
        held.append(result["low"] <= truth <= result["high"])
    assert 0.83 <= np.mean(held) <= 0.99


def test_the_paired_interval_is_the_narrower_one() -> None:
    ratings = world_of(np.random.default_rng(5), 300, 0.9)
    alone = accuracy(ratings, systems=["a", "b"], labels=LABELS, methods=["average"])
    unpaired = np.hypot(*alone["se"].to_list())
    assert compare(ratings)["se"] < 0.5 * unpaired
    independent = world_of(np.random.default_rng(5), 300)
    alone = accuracy(independent, systems=["a", "b"], labels=LABELS, methods=["average"])
    assert compare(independent)["se"] == pytest.approx(np.hypot(*alone["se"].to_list()), rel=0.2)


@pytest.mark.parametrize(
    "method", ["one_coin", "pooled_free", "dawid_skene", "difficulty", "lehner", "binless", "attenuation"]
)
def test_the_difference_is_that_of_the_two_figures(method: str) -> None:
    ratings = world_of(np.random.default_rng(8), 200, 0.5)
    alone = accuracy(ratings, systems=["a", "b"], labels=LABELS, methods=[method])["accuracy"]
    result = compare(ratings, method=method)
    # difficulty ends on a ridge, where it depends on the order of sums
    assert result["difference"] == pytest.approx(alone[0] - alone[1], abs=1e-3 if method == "difficulty" else 1e-9)
    if result["se"] is None:  # as its accuracy on these ratings
        assert method == "difficulty"
        assert warnings_in_words.NO_INFORMATION in result["warnings"]
    else:
        assert result["low"] < result["difference"] < result["high"]


@pytest.mark.field_trial(1)
@pytest.mark.parametrize("n_gold", [0, 30])
def test_the_difference_by_the_average_is_that_of_the_two_figures(n_gold: int) -> None:
    world = simulate_ratings(
        n_items=120, labels=LABELS, raters=dict.fromkeys("xyz", 0.6), systems={"a": 0.75, "b": 0.6},
        rng=np.random.default_rng(9),
    )  # fmt: skip
    truth = world.select("item", label="truth").unique().sort("item").head(n_gold)
    ratings, gold = world.drop("truth"), truth if n_gold else None
    alone = accuracy(ratings, systems=["a", "b"], labels=LABELS, methods=["average"], gold=gold)["accuracy"]
    result = compare(ratings, gold=gold)
    assert [result["accuracy_a"], result["accuracy_b"]] == pytest.approx(alone.to_list(), abs=1e-9)
    assert result["difference"] == pytest.approx(alone[0] - alone[1], abs=1e-9)
    assert (result["p_a_better"] > 0.5) == (alone[0] > alone[1])
    assert result["n_gold"] == n_gold


@pytest.mark.parametrize("model", [ONE_COIN, POOLED_FREE, RATER_COINS], ids=lambda model: model.name)
def test_influence_is_the_change_when_a_pattern_gets_more_weight(model: Any) -> None:
    ratings = world_of(np.random.default_rng(2), 400)
    table = tables(
        ratings.filter(pl.col("rater") != "b"), systems=["a"], labels=LABELS)["a"]  # fmt: skip
    patterns = patterns_by_rater(table, "a")
    moved, step = influence(model, data_of(patterns)), 0.02
    assert moved is not None
    chosen = np.random.default_rng(0).choice(len(patterns.C), 12, replace=False)
    W = np.tile(patterns.n_items.astype(float), (24, 1))
    W[np.arange(12), chosen] += step
    W[np.arange(12, 24), chosen] -= step
    result = np.concatenate([figure(solve(model, data), 5) for data, _ in batches(patterns, W)])
    change = (result[:12] - result[12:]) / (2 * step)
    assert np.corrcoef(change, moved[chosen])[0, 1] > 0.995
    assert change == pytest.approx(moved[chosen], abs=0.15 * float(np.abs(moved).max()))


@st.composite
def worlds(draw: Any) -> tuple[pl.DataFrame, list[str]]:
    """Up to 14 items by 2 to 4 raters and systems a, b and c, any of them missing."""
    k, r, n = draw(st.integers(2, 4)), draw(st.integers(2, 4)), draw(st.integers(2, 14))
    labels = LABELS[:k]
    cell = st.sampled_from([*labels, labels[0], None])
    rows = [
        (f"i{i}", rater, label)
        for i in range(n)
        for rater in [*(f"r{j}" for j in range(r)), "a", "b", "c"]
        if (label := draw(cell)) is not None
    ]
    frame = pl.DataFrame(rows, schema={"item": pl.String, "rater": pl.String, "label": pl.String}, orient="row")
    given = set(frame["rater"])
    assume({"a", "b", "c"} <= given and len(given) >= 5)
    return frame, labels


@settings(max_examples=25)
@given(worlds())
def test_in_bounds_or_null_with_a_reason_and_antisymmetric(world: tuple[pl.DataFrame, list[str]]) -> None:
    ratings, labels = world
    result = compare_systems(ratings, systems=["a", "b", "c"], labels=labels)
    assert result.select("system_a", "system_b").rows() == [("a", "b"), ("a", "c"), ("b", "c")]
    swapped = compare_systems(ratings, systems=["c", "b", "a"], labels=labels)
    turned = {(row["system_b"], row["system_a"]): row for row in swapped.iter_rows(named=True)}
    for row in result.iter_rows(named=True):
        other = turned[row["system_a"], row["system_b"]]
        assert (row["reason"], row["n_items"]) == (other["reason"], other["n_items"])
        if row["difference"] is None:
            assert row["reason"] in REASONS
            assert row["detail"]
            assert all(row[name] is None for name in FIGURES)
            continue
        assert row["difference"] == pytest.approx(-other["difference"], abs=1e-12)
        if row["se"] is not None:
            assert -1 <= row["low"] <= row["difference"] <= row["high"] <= 1
            assert row["p_a_better"] == pytest.approx(1 - other["p_a_better"], abs=1e-9)
            assert row["low"] == pytest.approx(-other["high"], abs=1e-9)
        else:
            assert row["warnings"]


@settings(max_examples=15)
@given(worlds(), st.randoms(use_true_random=False))
def test_order_names_and_labels_change_nothing(world: tuple[pl.DataFrame, list[str]], random: Any) -> None:
    ratings, labels = world
    order, other = list(range(ratings.height)), list(labels)
    random.shuffle(order)
    random.shuffle(other)
    renamed = ratings[order].with_columns(
        rater=pl.col("rater").replace({"r0": "z", "r1": "0"}),
        label=pl.col("label").replace(dict(zip(labels, other, strict=True))),
    )
    before, after = (
        compare(ratings, labels=labels, method="one_coin"),
        compare(renamed, labels=labels, method="one_coin"),
    )
    assert before["reason"] == after["reason"]
    for name in FIGURES:
        assert after[name] == (None if before[name] is None else pytest.approx(before[name], abs=1e-5))


@pytest.mark.parametrize("method", ["average", "lehner"])
def test_identical_systems(method: str) -> None:
    ratings = world_of(np.random.default_rng(4), 60, 1.0)
    result = compare(ratings, method=method)
    assert [result[name] for name in FIGURES] == [0.0, 0.0, 0.0, 0.0, 0.5]
    assert any("same label on every common item" in note for note in result["warnings"])


def test_only_common_items_count() -> None:
    """Answers of one system that the other has not are as if they had not been given."""
    ratings = world_of(np.random.default_rng(6), 200)
    late = pl.col("item").cast(pl.Int64) > 150
    less = ratings.filter(~(late & (pl.col("rater") == "b")))
    neither = ratings.filter(~(late & pl.col("rater").is_in(["a", "b"])))
    assert compare(less)["n_items"] == 150
    assert [compare(less)[name] for name in FIGURES] == pytest.approx([compare(neither)[name] for name in FIGURES])
    apart = ratings.filter(~(late & (pl.col("rater") == "b")) & ~(~late & (pl.col("rater") == "a")))
    result = compare(apart)
    assert (result["difference"], result["n_items"], result["reason"]) == (None, 0, "too_few_items")


def test_undefined_as_the_figures_are(frame: Frame) -> None:
    ratings = frame(*["ABAB", "BABA"] * 5, raters=["r1", "r2", "a", "b"])
    result = compare(ratings, labels=["A", "B"])
    assert (result["difference"], result["reason"], result["n_items"]) == (None, "not_identified", 10)
    three = frame(*["AABA", "BBBA", "AABB"] * 5, raters=["r1", "r2", "a", "b"])
    assert compare(three, labels=["A", "B"], method="difficulty")["reason"] == "not_identified"
    assert compare(three, labels=["A", "B"], method="ordinal")["reason"] == "not_applicable"


def test_more_systems_than_one_table_holds() -> None:
    ratings = world_of(np.random.default_rng(7), 60)
    names = [f"s{number}" for number in range(7)]
    copies = [ratings.filter(pl.col("rater") == "b").with_columns(rater=pl.lit(name)) for name in names]
    result = compare_systems(
        pl.concat([ratings, *copies]), systems=["a", "b", *names], labels=LABELS, method="one_coin"
    )
    assert result.height == 36
    of_a = result.filter(pl.col("system_a") == "a")
    assert of_a["difference"].to_list() == pytest.approx([of_a["difference"][0]] * 8)
    assert result.filter(pl.col("system_a") != "a")["difference"].to_list() == [0.0] * 28


def test_gold_corrects_the_difference() -> None:
    """The gold mean alone where the model's score says nothing; in all cases close to the truth."""
    rng, errors, widths = np.random.default_rng(12), [], []
    for _ in range(25):
        world = simulate_ratings(
            n_items=300, labels=LABELS, raters=dict.fromkeys("xyz", 0.6), systems={"a": 0.8, "b": 0.6}, rng=rng
        )
        truth = world.select("item", label="truth").unique().sort("item")
        result = compare(world.drop("truth"), gold=truth.sample(60, seed=1), confidence=0.9)
        errors.append(result["difference"] - 0.2)
        widths.append(result["low"] <= 0.2 <= result["high"])
        assert any("random sample" in note for note in result["warnings"])
    assert abs(np.mean(errors)) < 0.03
    assert np.mean(widths) >= 0.8
    elsewhere = pl.DataFrame({"item": ["no such item"], "label": ["A"]})
    unknown = compare(world.drop("truth"), gold=elsewhere)
    assert (unknown["difference"], unknown["reason"], unknown["n_gold"]) == (None, "too_few_gold", 0)


def test_gold_that_all_speaks_for_one_system_is_no_proof() -> None:
    world = world_of(np.random.default_rng(30), 100)
    given = {name: dict(world.filter(rater=name).select("item", "label").rows()) for name in ("a", "b")}
    items = [item for item, label in given["a"].items() if label != given["b"][item]][:2]
    gold = pl.DataFrame({"item": items, "label": [given["a"][item] for item in items]})
    result = compare(world, gold=gold)
    assert result["se"] > 0.3
    assert 0.5 < result["p_a_better"] < 0.99


def test_bad_input() -> None:
    ratings = world_of(np.random.default_rng(4), 20)
    for bad in (
        {"systems": ("a",)},
        {"method": "magic"},
        {"confidence": 95},
        {"scale": "wide"},
        {"systems": ("a", "x")},
    ):
        with pytest.raises(StatsError):
            compare(ratings, **bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", list(ESTIMATORS))
def test_every_method_compares(method: str) -> None:
    result = compare(world_of(np.random.default_rng(3), 80), method=method, scale="ordinal")
    assert result["reason"] is None
    assert 0 <= result["p_a_better"] <= 1


def test_a_difference_is_no_surer_than_the_two_accuracies() -> None:
    """Of a system that says A to everything (right in .8) hardly anything is known: then no system is the better."""
    rng, labels, unknown = np.random.default_rng(1), ["A", "B"], 0
    for _ in range(6):
        first = rng.random(200) < 0.8
        rows = [(str(i), "b", "A") for i in range(200)]
        for rater, right in {"r1": 0.75, "r2": 0.8, "r3": 0.85, "a": 0.9}.items():
            a_said = (rng.random(200) < right) == first
            rows += [(str(i), rater, "A" if says_a else "B") for i, says_a in enumerate(a_said)]
        ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
        alone = accuracy(ratings, systems=["a", "b"], labels=labels, methods=["average"])
        result = compare(ratings, labels=labels)
        (low_a, high_a), (low_b, high_b) = alone.select("low", "high").rows()
        assert result["low"] <= high_a - high_b + 1e-9
        assert result["high"] >= low_a - low_b - 1e-9
        if high_b - low_b > 0.9:
            unknown += 1
            assert result["se"] >= 0.1
            assert 0.05 < result["p_a_better"] < 0.95
    assert unknown >= 2


def with_a_constant_system(seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Ratings of 40 items by three people, system a, and system b that says A to everything; gold of 12 items."""
    rng = np.random.default_rng(seed)
    truth = rng.random(40) < 0.9
    text = {name: (rng.random(40) < right) == truth for name, right in
            {"r1": 0.8, "r2": 0.7, "r3": 0.7, "a": 0.85}.items()} | {"b": np.ones(40, bool)}  # fmt: skip
    rows = [(str(i), name, "A" if says_a else "B") for name, says in text.items() for i, says_a in enumerate(says)]
    gold = [(str(i), "A" if truth[i] else "B") for i in range(12)]
    return (
        pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row"),
        pl.DataFrame(gold, schema=["item", "label"], orient="row"),
    )


@pytest.mark.parametrize(
    ("method", "audited"),
    [("lehner", False), ("binless", False), ("attenuation", False), ("lehner", True), ("average", True)],
)
def test_a_bootstrap_and_an_audit_are_no_surer_either(method: str, audited: bool) -> None:
    for seed in range(12):
        ratings, gold = with_a_constant_system(seed)
        options = {"labels": ["A", "B"], "gold": gold if audited else None}
        alone = accuracy(ratings, systems=["a", "b"], methods=[method], **options)
        result = compare(ratings, method=method, **options)
        (low_a, high_a), (low_b, high_b) = alone.select("low", "high").rows()
        assert result["low"] <= min(low_a - low_b, high_a - high_b) + 1e-9
        assert result["high"] >= max(low_a - low_b, high_a - high_b) - 1e-9

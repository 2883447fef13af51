"""Rating patterns with n_items give, in every function that takes ratings, what the ratings written out give."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from stats import accuracy as of_accuracy
from stats import agreement as of_agreement
from stats import counts
from stats.errors import StatsError
from stats.ratings import check_ratings

SCHEMA = {"item": pl.String, "rater": pl.String, "label": pl.String, "n_items": pl.Int64}


@dataclass(frozen=True)
class Design:
    """How a set of ratings is drawn: raters a.., systems, labels A.., share of the ratings there, patterns."""

    raters: int
    systems: int
    labels: int
    share: float
    patterns: int


DESIGNS = {
    "two labels": Design(3, 1, 2, 0.8, 25),
    "five labels, three systems": Design(5, 3, 5, 0.7, 60),
    "complete": Design(4, 2, 3, 1.0, 40),
    "more raters than a key holds": Design(30, 2, 5, 0.3, 60),
}


@dataclass(frozen=True)
class Case:
    """The same ratings as patterns with n_items and written out, with gold labels for some."""

    patterns: pl.DataFrame
    ratings: pl.DataFrame
    gold: pl.DataFrame
    ratings_gold: pl.DataFrame
    labels: list[str]
    systems: list[str]

    @property
    def humans(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        human = ~pl.col("rater").is_in(self.systems)
        return self.patterns.filter(human), self.ratings.filter(human)


def drawn(design: Design, seed: int) -> Case:
    rng = np.random.default_rng(seed)
    labels = [chr(ord("A") + j) for j in range(design.labels)]
    systems = [f"system {number}" for number in range(design.systems)]
    raters = [*(f"rater {g}" for g in range(design.raters)), *systems]
    rows, gold = [], []
    for pattern in range(design.patterns):
        truth, n_items = rng.integers(design.labels), int(rng.integers(1, 9))
        given = [(rater, truth if rng.random() < 0.6 else rng.integers(design.labels)) for rater in raters]
        content = [(rater, labels[label]) for rater, label in given if rng.random() < design.share]
        # every fifth is there twice: patterns that look alike must be one
        for again in range(1 + (pattern % 5 == 0)):
            rows += [(f"p{pattern}-{again}", rater, label, n_items + again) for rater, label in content]
            gold += [(f"p{pattern}-{again}", labels[truth])] if pattern % 3 == 0 else []
    patterns = pl.DataFrame(rows, schema=SCHEMA, orient="row").sample(fraction=1, shuffle=True, seed=seed)
    answers = pl.DataFrame(gold, schema=["item", "label"], orient="row")
    return Case(patterns, written_out(patterns, seed), answers, gold_of(answers, patterns), labels, systems)


def written_out(patterns: pl.DataFrame, seed: int) -> pl.DataFrame:
    """One item for each that a pattern stands for, with names in another order, rows in none."""
    return (
        patterns.with_columns(copy=pl.int_ranges(0, "n_items"))
        .explode("copy")
        .with_columns(item=pl.format("{}|{}", pl.col("copy") * 7919 % 97, "item"))
        .select("item", "rater", "label")
        .sample(fraction=1, shuffle=True, seed=seed + 1)
    )


def gold_of(gold: pl.DataFrame, patterns: pl.DataFrame) -> pl.DataFrame:
    """The gold of the items written out."""
    n_items = patterns.select("item", "n_items").unique()
    labelled = gold.join(n_items, on="item").with_columns(rater=pl.lit("gold"))
    return written_out(labelled, 0).drop("rater")


@pytest.fixture(scope="module", params=DESIGNS)
def case(request: pytest.FixtureRequest) -> Case:
    return drawn(DESIGNS[request.param], seed=len(request.param))


def group_of(ratings: pl.DataFrame) -> list[str]:
    return sorted(ratings["rater"].unique())[::2]


def halves(ratings: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Two sets of ratings of the same items: those of every other rater."""
    first = pl.col("rater").is_in(group_of(ratings))
    return ratings.filter(first), ratings.filter(~first)


def windows_of(ratings: pl.DataFrame) -> pl.DataFrame:
    """Every item in the window 2; those of even patterns in 0, the others in 1."""
    if "n_items" not in ratings.columns:
        ratings = ratings.with_columns(n_items=1)
    number = pl.col("item").str.extract(r"p(\d+)-").cast(pl.Int64)
    items = ratings.unique("item").select("item", "n_items", window=number % 2)
    return pl.concat([items, items.with_columns(window=pl.lit(2, pl.Int64))])


Compute = Callable[[Case, pl.DataFrame, pl.DataFrame, pl.DataFrame], Any]  # case, everyone, humans, gold


def agreement_by(method: str) -> Compute:
    return lambda case, everyone, humans, gold: of_agreement.agreement(
        humans, labels=case.labels, interval_method=method, replicates=100, seed=3
    )


def accuracy_by(*methods: str, scale: str = "nominal", audited: bool = False) -> Compute:
    return lambda case, everyone, humans, gold: of_accuracy.accuracy(
        everyone,
        systems=case.systems,
        labels=case.labels,
        scale=scale,
        methods=list(methods) or None,
        gold=gold if audited else None,
        seed=5,
    )


def compared_by(method: str, *, audited: bool = False) -> Compute:
    def compute(case: Case, everyone: pl.DataFrame, humans: pl.DataFrame, gold: pl.DataFrame) -> pl.DataFrame:
        # with one system its rival is a human rater
        systems = case.systems if len(case.systems) > 1 else [*case.systems, "rater 0"]
        known = gold if audited else None
        return of_accuracy.compare_systems(
            everyone, systems=systems, labels=case.labels, method=method, gold=known, seed=2
        )

    return compute


FIGURES: dict[str, Compute] = {
    "rating_patterns": lambda case, everyone, humans, gold: counts.rating_patterns(
        everyone, labels=case.labels, raters=counts.distinct_raters(everyone)
    ),
    "count_patterns": lambda case, everyone, humans, gold: counts.count_patterns(
        everyone, labels=case.labels, system=case.systems[0]
    ),
    "pair_tables": lambda case, everyone, humans, gold: counts.pair_tables(
        everyone, labels=case.labels, raters=counts.distinct_raters(everyone)
    ),
    "long_patterns": lambda case, everyone, humans, gold: counts.long_patterns(
        everyone, labels=case.labels, raters=counts.distinct_raters(everyone)
    ),
    "count_ratings": lambda case, everyone, humans, gold: counts.count_ratings(everyone, labels=case.labels).patterns,
    "distinct_raters": lambda case, everyone, humans, gold: counts.distinct_raters(everyone),
    "agreement": agreement_by("t"),
    "agreement, jackknife": agreement_by("jackknife"),
    "agreement, percentile": agreement_by("percentile"),
    "agreement, bca": agreement_by("bca"),
    "agreement, ordinal": lambda case, everyone, humans, gold: of_agreement.agreement(
        humans, labels=case.labels, scale="ordinal", weights="linear"
    ),
    "pairwise": lambda case, everyone, humans, gold: of_agreement.pairwise(humans, labels=case.labels),
    "against_group": lambda case, everyone, humans, gold: of_agreement.against_group(
        everyone, system=case.systems[0], labels=case.labels
    ),
    "by_label": lambda case, everyone, humans, gold: of_agreement.by_label(
        humans, labels=case.labels, coefficients=["fleiss_kappa", "conger_kappa"], interval_method="bca", replicates=100
    ),
    "by_rater": lambda case, everyone, humans, gold: of_agreement.by_rater(humans, labels=case.labels),
    "between_groups": lambda case, everyone, humans, gold: of_agreement.between_groups(
        humans, group=group_of(humans), labels=case.labels
    ),
    "compare": lambda case, everyone, humans, gold: of_agreement.compare(
        humans, labels=case.labels, first="fleiss_kappa", second="conger_kappa", replicates=100
    ),
    "compare_groups": lambda case, everyone, humans, gold: of_agreement.compare_groups(
        *halves(everyone), labels=case.labels, coefficient="conger_kappa", replicates=100
    ),
    "agreement_by_window": lambda case, everyone, humans, gold: of_agreement.agreement_by_window(
        humans, windows_of(humans), labels=case.labels
    ),
    "paradox": lambda case, everyone, humans, gold: of_agreement.paradox(humans, labels=case.labels),
    "accuracy": accuracy_by(),
    "accuracy, every method, ordinal": accuracy_by(*of_accuracy.ESTIMATORS, scale="ordinal"),
    "accuracy, gold": accuracy_by(audited=True),
    "bins": lambda case, everyone, humans, gold: of_accuracy.bins(everyone, systems=case.systems, labels=case.labels),
    "summary": lambda case, everyone, humans, gold: of_accuracy.summary(humans, labels=case.labels),
    "rater_quality": lambda case, everyone, humans, gold: of_accuracy.rater_quality(humans, labels=case.labels),
    "annotators": lambda case, everyone, humans, gold: of_accuracy.annotators(humans, labels=case.labels).raters,
    "prepared": lambda case, everyone, humans, gold: (
        of_accuracy.prepared(everyone, systems=case.systems, labels=case.labels).tables[case.systems[0]].humans
    ),
    "label_quality": lambda case, everyone, humans, gold: of_accuracy.label_quality(
        everyone, systems=case.systems[:1], labels=case.labels, raters=["rater 0"]
    ),
    "better_than_raters": lambda case, everyone, humans, gold: of_accuracy.better_than_raters(
        everyone, systems=case.systems, labels=case.labels
    ),
    "compare_systems": compared_by("average"),
    "compare_systems, bootstrap": compared_by("lehner"),
    "compare_systems, gold": compared_by("average", audited=True),
    "alternative_annotator_test": lambda case, everyone, humans, gold: of_accuracy.alternative_annotator_test(
        everyone, systems=case.systems, labels=case.labels, min_items=5
    ),
    "alternative_annotator_raters": lambda case, everyone, humans, gold: of_accuracy.alternative_annotator_raters(
        everyone, systems=case.systems, labels=case.labels, min_items=5
    ),
    "assumption_checks": lambda case, everyone, humans, gold: of_accuracy.assumption_checks(
        everyone, labels=case.labels, systems=case.systems, scale="ordinal", replicates=49
    ),
}

# Adds up items in the order of their names, not the patterns that they show.
ROUNDED = ("agreement_by_window",)

OF_ITEMS: dict[str, Compute] = {
    "by_item": lambda case, everyone, humans, gold: of_agreement.by_item(humans, labels=case.labels),
    "consensus": lambda case, everyone, humans, gold: of_accuracy.consensus(humans, labels=case.labels),
    "consensus, dawid_skene": lambda case, everyone, humans, gold: of_accuracy.consensus(
        humans, labels=case.labels, method="dawid_skene"
    ),
    "rating_queue": lambda case, everyone, humans, gold: of_accuracy.rating_queue(humans, labels=case.labels),
}


def taking_ratings(module: ModuleType) -> set[str]:
    names = getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")])
    functions = {name: getattr(module, name) for name in names if inspect.isfunction(getattr(module, name))}
    own = {name: result for name, result in functions.items() if result.__module__.startswith(module.__name__)}
    return {
        name for name, result in own.items() if {"ratings", "first_ratings"} & set(inspect.signature(result).parameters)
    }


@pytest.mark.parametrize("module", [counts, of_agreement, of_accuracy])
def test_every_function_that_takes_ratings_is_tested_here(module: ModuleType) -> None:
    tested = {name.partition(",")[0] for name in (*FIGURES, *OF_ITEMS)}
    assert taking_ratings(module) - tested == set()


def same(result: Any, expected: Any, *, exactly: bool = True) -> None:
    """Equal to the last bit, or but for rounding."""
    if isinstance(result, pl.DataFrame):
        assert_frame_equal(result, expected, check_exact=exactly, abs_tol=1e-9, rel_tol=1e-9)
    elif isinstance(result, counts.RatingPatterns):
        for name, value in vars(result).items():
            assert np.array_equal(value, getattr(expected, name)), name
    else:
        assert result == expected


@pytest.mark.parametrize("name", FIGURES)
def test_patterns_give_what_the_ratings_written_out_give(name: str, case: Case) -> None:
    compute, humans = FIGURES[name], case.humans
    result = compute(case, case.patterns, humans[0], case.gold)
    same(result, compute(case, case.ratings, humans[1], case.ratings_gold), exactly=name not in ROUNDED)


@pytest.mark.parametrize("name", OF_ITEMS)
def test_an_item_of_a_pattern_is_told_what_each_item_written_out_is(name: str, case: Case) -> None:
    compute, humans = OF_ITEMS[name], case.humans
    result = compute(case, case.patterns, humans[0], case.gold)
    each = compute(case, case.ratings, humans[1], case.ratings_gold)
    named = each.with_columns(pl.col("item").str.split("|").list.get(1)).unique()
    assert named.height == result.height == humans[0]["item"].n_unique()
    assert each.height == humans[1]["item"].n_unique()
    same(result.sort("item"), named.sort("item"))


@pytest.mark.parametrize("name", FIGURES)
def test_names_of_items_and_order_of_rows_change_no_bit(name: str, case: Case) -> None:
    def renamed(frame: pl.DataFrame, seed: int) -> pl.DataFrame:
        other = pl.format("{}-{}", pl.col("item").hash(seed=1), "item").alias("item")
        return frame.with_columns(other).sample(fraction=1, shuffle=True, seed=seed)

    compute = FIGURES[name]
    result = compute(case, renamed(case.ratings, 8), renamed(case.humans[1], 9), renamed(case.ratings_gold, 10))
    same(result, compute(case, case.ratings, case.humans[1], case.ratings_gold), exactly=name not in ROUNDED)


@pytest.mark.parametrize("name", ["agreement", "by_label", "pairwise", "rater_quality", "rating_queue"])
def test_ratings_that_were_counted_once_give_the_same(name: str, case: Case) -> None:
    compute, humans = {**FIGURES, **OF_ITEMS}[name], case.humans[0]
    once: Any = counts.count_ratings(humans, labels=case.labels)
    same(compute(case, case.patterns, once, case.gold), compute(case, case.patterns, humans, case.gold))


def test_ratings_that_were_counted_by_other_names_are_refused(case: Case) -> None:
    once = counts.count_ratings(case.patterns, labels=case.labels)
    with pytest.raises(StatsError, match=r"counted with the labels 'A', .*, found 'B', 'A'"):
        of_agreement.agreement(once, labels=["B", "A", *case.labels[2:]])
    with pytest.raises(StatsError, match="found 'nobody'"):
        counts.pair_tables(once, labels=case.labels, raters=["nobody"])


@pytest.mark.parametrize("case", ["two labels", "more raters than a key holds"], indirect=True)
def test_lazy_and_duckdb_frames_may_have_n_items(case: Case) -> None:
    raters = counts.distinct_raters(case.patterns)
    expected = counts.long_patterns(case.ratings, labels=case.labels, raters=raters)
    relation = duckdb.connect().from_arrow(case.patterns.to_arrow())
    for frame in (case.patterns.lazy(), relation, case.patterns.cast({"n_items": pl.UInt16})):
        same(counts.long_patterns(frame, labels=case.labels, raters=raters), expected)


ROWS = [("1", "ann", "A", 2), ("1", "bob", "B", 2), ("2", "ann", "A", 1)]
BAD: dict[str, tuple[pl.DataFrame, str]] = {
    "null": (
        pl.DataFrame([*ROWS, ("3", "ann", "A", None)], schema=SCHEMA, orient="row"),
        "stands for 1 item or more, found n_items 0 or none at item '3'. Drop its rows or repair them",
    ),
    "zero": (
        pl.DataFrame([*ROWS, ("3", "ann", "A", 0)], schema=SCHEMA, orient="row"),
        "stands for 1 item or more, found n_items 0 or none at item '3'",
    ),
    "negative": (
        pl.DataFrame([*ROWS, ("2", "bob", "A", -4)], schema=SCHEMA, orient="row"),
        "stands for 1 item or more, found n_items -4 at item '2'",
    ),
    "two numbers of one item": (
        pl.DataFrame([*ROWS, ("2", "bob", "A", 7)], schema=SCHEMA, orient="row"),
        "has one n_items, found 1 and 7 at item '2'. Give all its rows the same number",
    ),
    "not integers": (
        pl.DataFrame(ROWS, schema={**SCHEMA, "n_items": pl.Float64}, orient="row"),
        "n_items must be whole numbers, found Float64. Cast it to integers",
    ),
    "text": (
        pl.DataFrame(ROWS, schema=SCHEMA, orient="row").cast({"n_items": pl.String}),
        "n_items must be whole numbers, found String",
    ),
}


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("what", BAD)
def test_a_bad_n_items_is_named(what: str, engine: str) -> None:
    frame, message = BAD[what]
    ratings = frame if engine == "polars" else duckdb.connect().from_arrow(frame.to_arrow())
    with pytest.raises(StatsError, match=message):
        counts.long_patterns(ratings, labels=["A", "B"], raters=["ann", "bob"])
    with pytest.raises(StatsError, match=message):
        of_agreement.agreement(ratings, labels=["A", "B"])


def test_one_set_of_two_may_have_n_items_if_they_are_one() -> None:
    rows = pl.DataFrame(ROWS, schema=SCHEMA, orient="row")
    ones = rows.with_columns(n_items=pl.lit(1, pl.Int32))
    plain = rows.drop("n_items")
    result = of_agreement.compare_groups(ones, plain, labels=["A", "B"])
    assert_frame_equal(result, of_agreement.compare_groups(plain, plain, labels=["A", "B"]))
    with pytest.raises(StatsError, match="has one n_items, found 1 and 2 at item '1'"):
        of_agreement.compare_groups(rows, plain, labels=["A", "B"])


def with_gold_elsewhere(case: Case, gold: pl.DataFrame) -> dict[str, Any]:
    result = of_accuracy.accuracy(
        case.patterns, systems=case.systems, labels=case.labels, methods=["one_coin"], gold=gold
    )
    return result.row(0, named=True)


@pytest.mark.parametrize("case", ["two labels"], indirect=True)
def test_gold_counts_as_many_items_as_it_stands_for(case: Case) -> None:
    answered = case.patterns.filter(pl.col("rater") == case.systems[0]).join(case.gold, on="item", how="semi")
    unanswered = case.gold.join(answered, on="item", how="anti").join(case.patterns.unique("item"), on="item")
    alone = int(unanswered["n_items"].sum())
    assert alone > 0
    row = with_gold_elsewhere(case, case.gold)
    assert row["n_gold"] == answered["n_items"].sum()
    assert f"because the system did not answer them: {alone}." in " ".join(row["warnings"])
    # an item without a rating has its number in gold, or is one; in the ratings' items that of the ratings counts
    nobody = pl.DataFrame({"item": ["nobody", "no one"], "label": ["A", "A"], "n_items": [5, 1]})
    more = pl.concat([case.gold.with_columns(n_items=pl.lit(1, pl.Int64)), nobody])
    assert f"did not answer them: {alone + 6}." in " ".join(with_gold_elsewhere(case, more)["warnings"])
    less = more.drop("n_items")
    assert f"did not answer them: {alone + 2}." in " ".join(with_gold_elsewhere(case, less)["warnings"])


@pytest.mark.parametrize("n_items", [[0, 1], [None, 1], [0.5, 1.0]])
def test_a_bad_n_items_of_gold_is_named(n_items: list[float]) -> None:
    frame = pl.DataFrame({"item": list("111222"), "rater": ["ann", "bob", "bot"] * 2, "label": list("AABABB")})
    gold = pl.DataFrame({"item": ["1", "2"], "label": ["A", "B"], "n_items": n_items})
    with pytest.raises(StatsError, match="n_items of gold must be whole numbers from 1"):
        of_accuracy.accuracy(frame, systems=["bot"], labels=["A", "B"], gold=gold)


def test_ratings_without_the_column_are_not_looked_at_for_it() -> None:
    frame = pl.DataFrame(ROWS, schema=SCHEMA, orient="row").drop("n_items")
    assert check_ratings(frame, ["A", "B"], ["ann", "bob"]).collect_schema().names() == ["item", "rater", "label"]

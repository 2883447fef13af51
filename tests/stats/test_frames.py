"""Every function that takes ratings gives the same for a frame of any library."""

from collections.abc import Callable
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

from stats import accuracy as of_accuracy
from stats import agreement as of_agreement
from stats.accuracy.rates.label_rates import label_rates
from stats.accuracy.rates.rate_differences import rate_differences
from stats.counts import pair_tables, rating_patterns
from stats.errors import StatsError
from tests.stats.test_n_items import FIGURES, OF_ITEMS, Case, Design, drawn, group_of, halves, same, windows_of

pytestmark = pytest.mark.field_trial(18)

DESIGNS = {
    "complete": Design(3, 2, 3, 1.0, 12),
    "with gaps": Design(3, 1, 2, 0.7, 12),
    "more raters than a key holds": Design(22, 1, 5, 0.8, 12),
}
# of a function that has several entries, those that hand over its frames in other ways
VARIANTS = ("accuracy, gold", "compare_systems, gold")


DATABASE = duckdb.connect()  # one for all relations: to open it takes longer than most functions


def duckdb_relation(frame: pl.DataFrame) -> duckdb.DuckDBPyRelation:
    con = DATABASE.cursor()
    con.register("frame", frame.to_arrow())
    return con.sql("select * from frame")


def other_index(frame: pl.DataFrame) -> pd.DataFrame:
    """Rows of a pandas frame that was filtered keep their numbers."""
    return frame.to_pandas().set_index(np.arange(frame.height)[::-1] * 7)


FRAMES: dict[str, Callable[[pl.DataFrame], Any]] = {
    "lazy": pl.DataFrame.lazy,
    "narwhals": nw.from_native,
    "arrow": pl.DataFrame.to_arrow,
    "duckdb": duckdb_relation,
    "pandas": pl.DataFrame.to_pandas,
    "pandas, object": lambda frame: frame.to_pandas().astype(dict.fromkeys(names_of(frame), object)),
    "pandas, category": lambda frame: frame.to_pandas().astype(dict.fromkeys(names_of(frame), "category")),
    "pandas, arrow types": lambda frame: frame.to_pandas(use_pyarrow_extension_array=True),
    "pandas, other index": other_index,
}


def names_of(frame: pl.DataFrame) -> list[str]:
    return [name for name in frame.columns if name in ("item", "rater", "label")]


Take = Callable[[pl.DataFrame], Any]
WITH_MORE: dict[str, Callable[[Case, pl.DataFrame, Take], Any]] = {
    "between_groups": lambda case, humans, take: of_agreement.between_groups(
        take(humans), group=group_of(humans), labels=case.labels
    ),
    "compare_groups": lambda case, humans, take: of_agreement.compare_groups(
        *map(take, halves(humans)), labels=case.labels, coefficient="conger_kappa", replicates=100
    ),
    "agreement_by_window": lambda case, humans, take: of_agreement.agreement_by_window(
        take(humans), windows_of(humans), labels=case.labels
    ),
}


@pytest.fixture(scope="module", params=DESIGNS)
def case(request: pytest.FixtureRequest) -> Case:
    return drawn(DESIGNS[request.param], seed=len(request.param))


def found_in(case: Case, take: Take) -> dict[str, Any]:
    """What each function makes of the frames that `take` makes of the case's."""
    (humans, _), every = case.humans, {**FIGURES, **OF_ITEMS}
    chosen = {name: every[name] for name in every if ("," not in name or name in VARIANTS) and name not in WITH_MORE}
    results = {
        name: compute(case, take(case.patterns), take(humans), take(case.gold)) for name, compute in chosen.items()
    }
    return results | {name: compute(case, humans, take) for name, compute in WITH_MORE.items()}


@pytest.fixture(scope="module")
def expected(case: Case) -> dict[str, Any]:
    return found_in(case, lambda frame: frame)


@pytest.mark.parametrize("kind", FRAMES)
def test_a_frame_of_any_library_gives_what_polars_gives(kind: str, case: Case, expected: dict[str, Any]) -> None:
    result = found_in(case, FRAMES[kind])
    for name, value in expected.items():
        same(result[name], value)


@pytest.mark.parametrize("kind", FRAMES)
def test_items_that_are_numbers(kind: str) -> None:
    rows = [(i, rater, "AB"[(i + (rater == "bot")) // 3 % 2]) for i in range(12) for rater in ("ann", "bob", "bot")]
    frame = pl.DataFrame(rows, schema={"item": pl.Int64, "rater": pl.String, "label": pl.String}, orient="row")
    converted, chosen = FRAMES[kind](frame), {"labels": ["A", "B"]}
    same(of_agreement.agreement(converted, **chosen), of_agreement.agreement(frame, **chosen))
    same(of_agreement.by_item(converted, **chosen).sort("item"), of_agreement.by_item(frame, **chosen).sort("item"))
    same(
        of_accuracy.accuracy(converted, systems=["bot"], **chosen),
        of_accuracy.accuracy(frame, systems=["bot"], **chosen),
    )


@pytest.mark.parametrize("kind", [*FRAMES, "polars"])
def test_nan_is_no_item_in_a_frame_of_any_library(kind: str) -> None:
    take, chosen = FRAMES.get(kind, lambda frame: frame), {"labels": ["A", "B"]}
    rows = [(float(i or "nan"), rater, "AB"[i % 2]) for i in range(12) for rater in ("ann", "bob", "bot")]
    frame = pl.DataFrame(rows, schema={"item": pl.Float64, "rater": pl.String, "label": pl.String}, orient="row")
    words = "must have no null, found 3 in the column item"
    with pytest.raises(StatsError, match=words):
        of_agreement.agreement(take(frame), **chosen)
    with pytest.raises(StatsError, match=words):
        of_agreement.by_item(take(frame), **chosen)
    with pytest.raises(StatsError, match=words):
        of_accuracy.accuracy(take(frame), systems=["bot"], **chosen)
    gold, rated = frame.filter(rater="ann").drop("rater"), frame.filter(pl.col("item").is_not_nan())
    with pytest.raises(StatsError, match="Gold holds an empty item"):
        of_accuracy.accuracy(take(rated), systems=["bot"], gold=take(gold), **chosen)


def with_gold(take: Take) -> dict[str, Any]:
    """What each function makes of gold that was drawn with known probabilities."""
    raters, chosen = ("ann", "bob", "cy", "bot", "box"), {"labels": ["A", "B"]}
    rows = [(str(i), rater, "AB"[(i + (i % 5 == j)) % 2]) for i in range(60) for j, rater in enumerate(raters)]
    ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    gold = ratings.filter(rater="cy").gather_every(2).drop("rater")
    drawn = take(gold.with_columns(inclusion_probability=pl.when(pl.col("item") < "3").then(0.2).otherwise(0.9)))
    of_systems: dict[str, Any] = {"systems": ["bot", "box"], "gold": drawn, **chosen}
    humans = ratings.filter(pl.col("rater").is_in(raters[:3]))
    return {
        "annotators": of_accuracy.annotators(take(humans), gold=drawn, **chosen).raters,
        "rater_quality": of_accuracy.rater_quality(take(humans), gold=drawn, **chosen),
        **{
            name: getattr(of_accuracy, name)(take(ratings), **of_systems)
            for name in (
                "accuracy",
                "alternative_annotator_raters",
                "alternative_annotator_test",
                "better_than_raters",
                "compare_systems",
                "label_quality",
            )
        },
        "rate_differences": rate_differences(take(ratings), **of_systems),
        "label_rates": label_rates(take(ratings), **of_systems),
    }


@pytest.mark.parametrize("kind", FRAMES)
def test_the_probabilities_of_gold_count_in_a_frame_of_any_library(kind: str) -> None:
    result = with_gold(FRAMES[kind])
    for name, value in with_gold(lambda frame: frame).items():
        same(result[name], value)
    assert set(result["accuracy"]["gold_origin"]) == {"drawn"}


def test_gold_that_is_no_frame_is_named() -> None:
    frame = pl.DataFrame({"item": ["1"] * 3, "rater": ["ann", "bob", "bot"], "label": ["A"] * 3})
    with pytest.raises(StatsError, match=r"Gold must be a polars.* found dict. Pass one with the columns item, label"):
        of_accuracy.accuracy(frame, systems=["bot"], labels=["A", "B"], gold={"1": "A"})


def pandas_frame(**columns: list[Any]) -> pd.DataFrame:
    return pd.DataFrame({"item": ["1", "1", "2"], "rater": ["ann", "bob", "ann"], "label": ["A", "B", "A"], **columns})


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"label": ["A", None, "A"]}, "no null, found 1 in the column label"),
        ({"rater": ["ann", float("nan"), "ann"]}, "no null, found 1 in the column rater"),
        ({"label": ["A", "C", "A"]}, "Every label must be declared, found 'C'"),
        ({"label": [1, 2, 1]}, "The column label must be text, found Int64"),
        ({"label": ["A", 2, "A"]}, "The column label holds values of several types"),
        ({"rater": ["ann", "ann", "bob"]}, "A rater labels an item once, found rater 'ann' 2 times"),
    ],
)
def test_what_is_wrong_with_a_pandas_frame_is_said(columns: dict[str, list[Any]], words: str) -> None:
    frame, chosen = pandas_frame(**columns), {"labels": ["A", "B"]}
    raters = sorted({str(name) for name in frame["rater"]})
    with pytest.raises(StatsError, match=words):
        rating_patterns(frame, raters=raters, **chosen)
    with pytest.raises(StatsError, match=words):
        pair_tables(frame, raters=raters, **chosen)


def test_columns_that_lack_or_are_there_twice() -> None:
    frame = pandas_frame()
    with pytest.raises(StatsError, match=r"item, rater, label, found \['item', 'who', 'label'\]"):
        of_agreement.agreement(frame.rename(columns={"rater": "who"}), labels=["A", "B"])
    with pytest.raises(StatsError, match="Two columns have the same name"):
        of_agreement.agreement(frame.rename(columns={"rater": "label"}), labels=["A", "B"])
    with pytest.raises(StatsError, match="must be a polars, pandas, Arrow, DuckDB or PySpark frame, found list"):
        of_accuracy.accuracy([{"item": "1"}], systems=["bot"], labels=["A", "B"])

"""stats.counts: patterns, count patterns and pair tables against a slow count in plain Python."""

from collections import Counter
from itertools import combinations

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats import patterns as patterns_module
from stats.counts import add_tables, count_patterns, distinct_raters, long_patterns, pair_tables, rating_patterns
from stats.errors import StatsError

LABELS = ["A", "B", "C"]


def frame(rows):
    return pl.DataFrame(rows, schema=dict.fromkeys(["item", "rater", "label"], pl.String), orient="row")


def by_item(rows, names):
    results = {}
    for item, rater, label in rows:
        results.setdefault(item, {})[rater] = names.index(label)
    return results


def slow_patterns(rows, labels, raters):
    result = Counter(tuple(codes.get(g, -1) for g in raters) for codes in by_item(rows, labels).values())
    return sorted((*codes, n) for codes, n in result.items())


def slow_counts(rows, labels, system=None):
    result = Counter()
    for codes in by_item(rows, labels).values():
        others = [code for rater, code in codes.items() if rater != system]
        key = tuple(others.count(j) for j in range(len(labels)))
        result[key if system is None else (*key, codes.get(system, -1))] += 1
    return sorted((*key, n) for key, n in result.items())


def slow_pairs(rows, labels, raters):
    result = Counter()
    for codes in by_item(rows, labels).values():
        for a, b in combinations(range(len(raters)), 2):
            if raters[a] in codes and raters[b] in codes:
                result[a, b, codes[raters[a]], codes[raters[b]]] += 1
    return sorted((*key, n) for key, n in result.items())


def random_rows(seed, *, n_items, raters, labels, share):
    rng = np.random.default_rng(seed)
    return [
        (f"item {i}", rater, str(rng.choice(labels)))
        for i in range(n_items)
        for rater in raters
        if rng.random() < share
    ]


DESIGNS = {
    "two raters, two labels": (2, 2, 1.0),
    "five raters with gaps": (5, 5, 0.8),
    "one rater": (1, 3, 0.7),
    "one label": (3, 1, 0.7),
    "base**raters beyond int64: 44 raters, 10 labels": (44, 10, 0.3),
    "130 raters": (130, 3, 0.1),
    "50 labels": (30, 50, 0.5),
    "130 raters, 50 labels, nearly complete": (130, 50, 0.97),
}


@pytest.mark.parametrize("design", DESIGNS)
def test_tables_equal_a_slow_count(design):
    r, k, share = DESIGNS[design]
    raters, labels = [f"r{g}" for g in range(r)], [f"label {j}" for j in range(k)]
    rows = random_rows(1, n_items=40, raters=raters, labels=labels, share=share)
    ratings = frame(rows)
    assert rating_patterns(ratings, labels=labels, raters=raters).rows() == slow_patterns(rows, labels, raters)
    assert count_patterns(ratings, labels=labels).rows() == slow_counts(rows, labels)
    system = rows[0][1]
    assert count_patterns(ratings, labels=labels, system=system).rows() == slow_counts(rows, labels, system)
    assert pair_tables(ratings, labels=labels, raters=raters).rows() == slow_pairs(rows, labels, raters)


ratings_of = st.dictionaries(
    st.tuples(st.sampled_from("1234567"), st.sampled_from(["ann", "bob", "cy", "dee"])),
    st.sampled_from(LABELS),
    min_size=1,
)


@settings(max_examples=100, deadline=None)
@given(ratings_of, st.randoms(use_true_random=False), st.booleans())
def test_any_ratings_in_any_row_order(ratings, random, many_raters):
    rows = [(item, rater, label) for (item, rater), label in ratings.items()]
    random.shuffle(rows)
    raters = ["dee", "cy", "bob", "ann", *(f"nobody {g}" for g in range(80 if many_raters else 0))]
    assert rating_patterns(frame(rows), labels=LABELS, raters=raters).rows() == slow_patterns(rows, LABELS, raters)
    assert pair_tables(frame(rows), labels=LABELS, raters=raters).rows() == slow_pairs(rows, LABELS, raters)


@pytest.mark.parametrize(
    "limits",
    [
        {"LISTING_COST": 0},  # listed, in a dense table
        {"LISTING_COST": 0, "MAX_PAIRS_AT_ONCE": 100},  # in many small blocks
        {"MAX_CELLS": 1, "MAX_PAIRS_AT_ONCE": 100},  # listed, in a sparse table
        {"LISTING_COST": 10**9, "MAX_ONE_HOT_CELLS": 30_000},  # as a matrix product, in blocks
    ],
)
def test_all_ways_to_pair_tables_agree(limits, monkeypatch):
    raters = [f"r{g}" for g in range(9)]
    rows = random_rows(2, n_items=500, raters=raters, labels=LABELS, share=0.6)
    many = [*raters, *(f"nobody {g}" for g in range(40))]
    for name, value in limits.items():
        monkeypatch.setattr(patterns_module, name, value)
    assert pair_tables(frame(rows), labels=LABELS, raters=many).rows() == slow_pairs(rows, LABELS, raters)


@pytest.mark.parametrize("n_raters", [4, 60])
def test_polars_lazy_and_duckdb_frames_give_the_same_tables(n_raters):
    raters = [f"r{g}" for g in range(n_raters)]
    rows = random_rows(3, n_items=200, raters=raters, labels=LABELS, share=0.5)
    ratings = frame(rows)
    relation = duckdb.connect().from_arrow(ratings.to_arrow())
    for other in (
        ratings.lazy(),
        relation,
        ratings.cast({"rater": pl.Categorical, "label": pl.Enum(LABELS)}),
    ):
        assert distinct_raters(other) == sorted(raters)
        for made, same in (
            (
                rating_patterns(other, labels=LABELS, raters=raters),
                rating_patterns(ratings, labels=LABELS, raters=raters),
            ),
            (
                pair_tables(other, labels=LABELS, raters=raters),
                pair_tables(ratings, labels=LABELS, raters=raters),
            ),
            (count_patterns(other, labels=LABELS), count_patterns(ratings, labels=LABELS)),
        ):
            assert made.equals(same)
            assert made.schema == same.schema


def test_tables_of_disjoint_items_add_up():
    raters = ["r0", "r1", "r2"]
    rows = random_rows(4, n_items=300, raters=raters, labels=LABELS, share=0.7)
    first = [row for row in rows if int(row[0].split()[1]) < 100]
    rest = [row for row in rows if row not in first]
    for table in (
        lambda part: rating_patterns(frame(part), labels=LABELS, raters=raters),
        lambda part: pair_tables(frame(part), labels=LABELS, raters=raters),
        lambda part: count_patterns(frame(part), labels=LABELS, system="r1"),
    ):
        assert add_tables(table(first), table(rest)).equals(table(rows))
    with pytest.raises(StatsError, match="must have equal columns"):
        add_tables(count_patterns(frame(rows), labels=LABELS), count_patterns(frame(rows), labels=[*LABELS, "D"]))


def test_no_ratings_make_empty_tables():
    none = frame([])
    assert rating_patterns(none, labels=LABELS, raters=["ann"]).shape == (0, 2)
    assert count_patterns(none, labels=LABELS).shape == (0, 4)
    assert pair_tables(none, labels=LABELS, raters=["ann", "bob"]).shape == (0, 5)
    assert distinct_raters(none) == []


GOOD = [("1", "ann", "A"), ("1", "bob", "B"), ("2", "ann", "C")]
BAD = {
    "null item": ([*GOOD, (None, "bob", "A")], "no null, found 1 in the column item"),
    "null rater": ([*GOOD, ("2", None, "A")], "no null, found 1 in the column rater"),
    "null label": ([*GOOD, ("2", "bob", None)], "no null, found 1 in the column label"),
    "undeclared label": (
        [*GOOD, ("2", "bob", "a")],
        "Every label must be declared, found 'a' beside 'A', 'B', 'C'",
    ),
    "undeclared rater": ([*GOOD, ("2", "eve", "A")], "Every rater must be declared, found 'eve'"),
    "same label twice": ([*GOOD, ("1", "bob", "B")], "found rater 'bob' 2 times on item '1'"),
    "two labels": ([*GOOD, ("2", "ann", "A")], "found rater 'ann' 2 times on item '2'"),
    # 3 + 1 = 4 = base: the sum of the digits looks like one rating by the next rater
    "carry into the next rater": (
        [("1", "ann", "A"), ("1", "ann", "C")],
        "found rater 'ann' 2 times on item '1'",
    ),
    # 4 x 3 = 30 in base 4, one digit of 3 where the digits given add up to 12
    "a thousand times": ([("1", "cy", "C")] * 3000, "found rater 'cy' 3000 times on item '1'"),
}


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("more", [0, 60])
@pytest.mark.parametrize("case", BAD)
def test_bad_ratings_are_named(case, more, engine):
    rows, message = BAD[case]
    ratings = frame(rows)
    if engine == "duckdb":
        ratings = duckdb.connect().from_arrow(ratings.to_arrow())
    raters = ["ann", "bob", "cy", *(f"nobody {g}" for g in range(more))]
    with pytest.raises(StatsError, match=message):
        rating_patterns(ratings, labels=LABELS, raters=raters)
    with pytest.raises(StatsError, match=message):
        pair_tables(ratings, labels=LABELS, raters=raters)
    if case != "undeclared rater":
        with pytest.raises(StatsError, match=message):
            count_patterns(ratings, labels=LABELS)


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_a_rating_so_often_that_its_sums_overflow_is_named(engine):
    raters = [f"r{g:02}" for g in range(19)]
    ratings = frame([("1", "r18", "E")] * 300 + [("2", rater, "A") for rater in raters])
    if engine == "duckdb":
        ratings = duckdb.connect().from_arrow(ratings.to_arrow())
    with pytest.raises(StatsError, match="found rater 'r18' 300 times on item '1'"):
        rating_patterns(ratings, labels=list("ABCDE"), raters=raters)


@settings(max_examples=100, deadline=None)
@given(ratings_of, st.data())
def test_every_duplicate_is_found(ratings, data):
    rows = [(item, rater, label) for (item, rater), label in ratings.items()]
    item, rater, _ = data.draw(st.sampled_from(rows))
    again = data.draw(st.lists(st.sampled_from(LABELS), min_size=1, max_size=6))
    with pytest.raises(StatsError, match=f"found rater '{rater}' {len(again) + 1} times on item '{item}'"):
        rating_patterns(
            frame(rows + [(item, rater, label) for label in again]),
            labels=LABELS,
            raters=["ann", "bob", "cy", "dee"],
        )


def test_bad_arguments_are_named():
    ratings = frame(GOOD)
    with pytest.raises(StatsError, match=r"must have the columns item, rater, label, found \['item'\]"):
        distinct_raters(ratings.select("item"))
    with pytest.raises(StatsError, match="The column label must be text, found Int64"):
        count_patterns(ratings.with_columns(label=pl.lit(1, pl.Int64)), labels=LABELS)
    with pytest.raises(StatsError, match="must be a polars, pandas, Arrow, DuckDB or PySpark frame, found list"):
        count_patterns(GOOD, labels=LABELS)
    with pytest.raises(StatsError, match="labels must differ, found 'A' twice"):
        count_patterns(ratings, labels=["A", "B", "A"])
    with pytest.raises(StatsError, match="labels must be a list of texts, found 'ABC'"):
        count_patterns(ratings, labels="ABC")
    # The order of a set is chance, and ordinal figures go by it.
    for labels, hint in (({"A", "B"}, "List them in their order"), (pl.Series(["A", "B"]), r"Write list\(labels\)")):
        with pytest.raises(StatsError, match=rf"labels must be a list of texts, found a (set|Series)\. {hint}"):
            count_patterns(ratings, labels=labels)  # type: ignore[arg-type]
    with pytest.raises(StatsError, match="At least one label must be declared"):
        count_patterns(ratings, labels=[])
    with pytest.raises(StatsError, match=r"The system .gpt. gave none of these ratings"):
        count_patterns(ratings, labels=LABELS, system="gpt")


@pytest.mark.parametrize("n_raters", [5, 40])
def test_ids_of_text_and_of_numbers_have_the_same_patterns(n_raters: int) -> None:
    rng = np.random.default_rng(2)
    raters = [f"r{number:02}" for number in range(n_raters)]
    rows = [(item, raters[r], LABELS[r % 3]) for item in range(60) for r in rng.permutation(n_raters)[: item % 4 + 1]]
    numbers = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    texts = numbers.with_columns(pl.col("item").cast(pl.String))
    result = rating_patterns(texts, labels=LABELS, raters=raters)
    assert result.rows() == rating_patterns(numbers, labels=LABELS, raters=raters).rows()
    assert result["n_items"].sum() == 60


def test_lists_of_codes_are_counted_alike_as_numbers_and_as_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    raters = [f"r{number:02}" for number in range(40)]
    rows = [(str(i), raters[r], LABELS[i % 3]) for i in range(80) for r in rng.permutation(4)[: i % 3 + 1] * 13]
    as_numbers = long_patterns(frame(rows), labels=LABELS, raters=raters)
    monkeypatch.setattr("stats.counts.MAX_LIST_KEY", 0)
    as_lists = long_patterns(frame(rows), labels=LABELS, raters=raters)
    assert len(as_numbers.n_items) < 80
    for name in ("n_items", "pattern", "rater", "label"):
        assert getattr(as_numbers, name).tolist() == getattr(as_lists, name).tolist()


def test_patterns_need_a_rater() -> None:
    frame = pl.DataFrame({"item": ["1"], "rater": ["ann"], "label": ["A"]})
    for ratings in (frame, frame.clear()):
        with pytest.raises(StatsError, match="At least one rater must be named"):
            rating_patterns(ratings, labels=["A"], raters=[])

"""The texts of a batch under their keys: each distinct text meets its dictionary once, and the rows carry integers."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import cast

import duckdb
import numpy as np
import polars as pl

from warehouse import sql

KEY = pl.Int32()
SLICE = 1 << 20
SPARSE = 16  # places for each pair, above which a table of all pairs would cost more than it saves


@dataclass(frozen=True)
class Coded:
    """A column of texts as numbers: row i has the text `texts[codes[i]]`. The texts are distinct, and stand in the
    order in which they first appear."""

    codes: pl.Series
    texts: pl.Series


def keyed(con: duckdb.DuckDBPyConnection, ratings: pl.DataFrame, metadata: pl.DataFrame) -> Mapping[str, pl.DataFrame]:
    """The frames as the SQL of a batch reads them: `staged` has the ratings, and `staged_metadata` the metadata, with
    question_id, item_id, rater_id and label_id in place of the texts, and `arrival`, the place of the row; `repeated`
    has the item_id and rater_id of which there is more than one row. Of an item and key the last metadata count.

    New texts enter the dictionaries, numbered by their first place: the metadata come after the ratings.
    """
    n = ratings.height
    both = [pl.concat([ratings[name], metadata[name]]) for name in ("question", "item")]
    with ThreadPoolExecutor() as pool:  # to number one column takes one core
        questions, items, raters, labels = pool.map(coded, [*both, ratings["rater"], ratings["label"]])
    question = _keys(con, "keys_questions", questions)
    item = _item_keys(con, questions, question, items)
    rater, label = _keys(con, "keys_raters", raters), _keys(con, "keys_labels", labels)
    staged = ratings.select(
        pl.int_range(pl.len(), dtype=pl.Int64).alias("arrival"),
        question.head(n).alias("question_id"),
        item.head(n).alias("item_id"),
        rater.alias("rater_id"),
        label.alias("label_id"),
        pl.exclude("question", "item", "rater", "label"),
    )
    return {
        "staged": staged,
        "staged_metadata": _last_said(metadata.select(item.slice(n).alias("item_id"), "key", "value")),
        "repeated": _repeated(staged.select("item_id", "rater_id")),
    }


def coded(texts: pl.Series) -> Coded:
    """Number the distinct texts of a column, in one pass.

    >>> found = coded(pl.Series(["b", "a", "b"]))
    >>> found.codes.to_list(), found.texts.to_list()
    ([0, 1, 0], ['b', 'a'])
    """
    if isinstance(texts.dtype, pl.Categorical):  # of a large file: numbered while it was read, in another order
        return _in_order(texts)
    # categories of its own: those that a process shares would be numbered by what came before
    numbered = texts.cast(pl.Categorical(pl.Categories.random()))
    codes = numbered.to_physical()
    n_distinct = cast(int, codes.max()) + 1 if codes.count() else 0
    numbers = pl.int_range(n_distinct, dtype=pl.UInt32, eager=True).alias(texts.name)
    return Coded(codes, numbers.cat.to(numbered.dtype).cast(pl.String))


def _in_order(numbered: pl.Series) -> Coded:
    """Texts that are numbered in any order, or also for rows that are not here, numbered by their first place."""
    codes, found = _renumbered(numbered.to_physical())
    return Coded(codes, found.cast(pl.UInt32).cat.to(numbered.dtype).cast(pl.String).alias(numbered.name))


def _renumbered(codes: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Numbers from 0 numbered anew, by their first place: row by row, and the old ones in the order of the new."""
    first = np.full(cast(int, codes.max()) + 1 if codes.count() else 0, -1)
    for start in reversed(range(0, len(codes), SLICE)):  # little by little, since NumPy makes its indices longer
        some = codes.slice(start, SLICE)
        places = np.flatnonzero(some.is_not_null().to_numpy())
        first[some.drop_nulls().to_numpy()[::-1]] = start + places[::-1]  # of the places of a number the last one stays
    found = np.flatnonzero(first >= 0)
    found = found[np.argsort(first[found])]
    place = np.zeros(len(first), np.uint32)
    place[found] = np.arange(len(found))
    return pl.Series(place).gather(codes), pl.Series(found)


def _keys(con: duckdb.DuckDBPyConnection, dictionary: str, column: Coded) -> pl.Series:
    """The key of each row's text."""
    with sql.registered(con, incoming_texts=column.texts.alias("text").to_frame().with_row_index("code")):
        keys = pl.Series([key for (key,) in sql.rows(con, dictionary)], dtype=KEY)
    return keys.gather(column.codes)


def _item_keys(con: duckdb.DuckDBPyConnection, questions: Coded, question_id: pl.Series, items: Coded) -> pl.Series:
    """The key of each row's item: a text of its question."""
    place, first = _first_of_items(questions, items)
    asked = question_id.gather(questions.codes.arg_unique()).gather(first["question"])
    return _numbered(con, pl.DataFrame({"question_id": asked, "item": items.texts.gather(first["item"])})).gather(place)


def _first_of_items(questions: Coded, items: Coded) -> tuple[pl.Series, pl.DataFrame]:
    """The number of each row's item, and what each number stands for: the numbers of its question and of its text."""
    n_questions, n_texts = len(questions.texts), len(items.texts)
    if n_questions < 2:  # the item's text says all, and need not be looked up once more
        one = pl.select(question=pl.repeat(0, n_texts, dtype=pl.UInt32), item=pl.int_range(n_texts, dtype=pl.UInt32))
        return items.codes, one
    if n_questions * n_texts <= SPARSE * len(items.codes):
        place, found = _renumbered(questions.codes.cast(pl.Int64) * n_texts + items.codes)
        return place, pl.DataFrame({"question": found // n_texts, "item": found % n_texts})
    pairs = pl.DataFrame({"question": questions.codes, "item": items.codes})
    first = pairs.unique(maintain_order=True).with_row_index("place")
    place = pairs.join(first, on=["question", "item"], how="left", maintain_order="left")["place"]
    return place, first


def _numbered(con: duckdb.DuckDBPyConnection, items: pl.DataFrame) -> pl.Series:
    """The key of each of the items (question_id, item), which are distinct: most often all are known, or all new."""
    with sql.registered(con, incoming_items=items.with_row_index("place")):
        known = sql.frame(con, "keys_items_known")
    last = sql.value(con, "keys_items_last")
    keys = pl.repeat(None, items.height, dtype=KEY, eager=True).scatter(known["place"], known["item_id"])
    keyed_items = items.select(
        pl.when(keys.is_null()).then(keys.is_null().cum_sum() + last).otherwise(keys).cast(KEY).alias("item_id"),
        pl.all(),
    )
    with sql.registered(con, new_items=keyed_items.filter(keys.is_null())):
        sql.run(con, "keys_items_new")
    return keyed_items["item_id"]


def _last_said(about: pl.DataFrame) -> pl.DataFrame:
    about = about.drop_nulls("value")
    if _all_differ(about.select("item_id", coded(about["key"]).codes.alias("key"))):
        return about
    return about.unique(["item_id", "key"], keep="last", maintain_order=True)


def _repeated(pairs: pl.DataFrame) -> pl.DataFrame:
    if _all_differ(pairs):
        return pairs.clear()
    return pairs.filter(pairs.is_duplicated()).unique()


def _all_differ(pairs: pl.DataFrame) -> bool:
    """Whether no two numbers stand together twice: each pair has a place of its own in a table of all."""
    if pairs.is_empty():
        return True
    items, others = (pairs[name].cast(pl.Int64) - cast(int, pairs[name].min()) for name in pairs.columns)
    places = items * (cast(int, others.max()) + 1) + others
    n_places = cast(int, places.max()) + 1
    if n_places > SPARSE * pairs.height:
        return places.n_unique() == pairs.height
    taken = np.zeros(n_places, bool)
    taken[places.to_numpy()] = True
    return int(taken.sum()) == pairs.height
